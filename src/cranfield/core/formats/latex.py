"""LaTeX: a table for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.core.formats import FORMATS, OutputFormat, by_sections, text_writer

if TYPE_CHECKING:
    from cranfield.core.tables import Sheet

_TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "[": "{[}",  # else an option of the preceding line break
        "]": "{]}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "†": r"\dag{}",
        "‡": r"\ddag{}",
        "§": r"\S{}",
        "¶": r"\P{}",
        "…": r"\ldots{}",
    }
)
_MATHS = {
    "−": "-", "×": r"\times", "·": r"\cdot", "±": r"\pm", "≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "≈": r"\approx",
    "∞": r"\infty", "√": r"\surd", "²": "^2", "³": "^3", "⌊": r"\lfloor", "⌋": r"\rfloor", "⌈": r"\lceil",
    "⌉": r"\rceil", "Σ": r"\Sigma", "Π": r"\Pi", "Φ": r"\Phi", "Δ": r"\Delta", "α": r"\alpha", "β": r"\beta",
    "δ": r"\delta", "ε": r"\varepsilon", "λ": r"\lambda", "μ": r"\mu", "ρ": r"\rho", "σ": r"\sigma", "τ": r"\tau",
}  # fmt: skip
"""Signs that plain LaTeX knows only as mathematics."""
_TEX |= {ord(sign): f"${command}$" for sign, command in _MATHS.items()}


def tex(text: str) -> str:
    r"""Text with the characters special to LaTeX escaped.

    >>> print(tex("a_b & 5%, p ≤ .05"))
    a\_b \& 5\%, p $\leq$ .05
    """
    return text.translate(_TEX)


def to_latex(sheet: Sheet) -> str:
    """A ``tabular`` for the booktabs package, with the notes and the signature as comments."""
    from cranfield.core.tables import text_rows

    shown = list(sheet.latex_columns or sheet.rows.columns)
    rows = text_rows(sheet)
    cells = []
    for name in shown:
        at = sheet.rows.columns.index(name)
        marks = sheet.superscripts.get(name, [""] * len(rows))
        cells.append(
            [
                tex(row[at]) + (rf"\textsuperscript{{{tex(mark)}}}" if mark else "")
                for row, mark in zip(rows, marks, strict=True)
            ]
        )
    columns = "".join("r" if sheet.rows.schema[name].is_numeric() else "l" for name in shown)
    lines = [" & ".join(line) + r" \\" for line in zip(*cells, strict=True)]
    comments = [
        f"% {line}" for text in (*sheet.notes, *sheet.latex_notes, sheet.signature) for line in text.splitlines()
    ]
    return "\n".join(
        [
            *comments,
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(tex(name) for name in shown) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


FORMATS.register(
    OutputFormat(
        "latex", "a booktabs tabular with rounded numbers, marks and the signature as a comment", (".tex",),
        text_writer("latex", by_sections(to_latex)), label="LaTeX", media_type="application/x-tex", rank=50,
    )
)  # fmt: skip
