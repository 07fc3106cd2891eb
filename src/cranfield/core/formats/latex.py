"""LaTeX: a table for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.core.formats import FORMATS, OutputFormat, by_sections, text_writer

if TYPE_CHECKING:
    from cranfield.core.tables import Sheet

_TEX = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "†": r"\dag{}",
    "‡": r"\ddag{}", "§": r"\S{}", "¶": r"\P{}", "…": r"\ldots{}",
    "[": "{[}", "]": "{]}",  # else an option of the preceding line break
})  # fmt: skip
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


def marked(mark: str) -> str:
    """A mark behind a cell."""
    return rf"\textsuperscript{{{tex(mark)}}}" if mark else ""


def to_latex(sheet: Sheet) -> str:
    """A ``tabular`` for the booktabs package, with the notes and the signature as comments."""
    from cranfield.core.tables import text_rows

    shown = list(sheet.latex_columns or sheet.rows.columns)
    rows = text_rows(sheet)
    by_name = dict(zip(sheet.rows.columns, zip(*rows, strict=True), strict=bool(rows)))
    cells = []
    for name in shown:
        marks = sheet.superscripts.get(name, [""] * len(rows))
        cells.append([tex(text) + marked(mark) for text, mark in zip(by_name.get(name, ()), marks, strict=True)])
    columns = "".join("r" if sheet.rows.schema[name].is_numeric() else "l" for name in shown)
    lines = [" & ".join(line) + r" \\" for line in zip(*cells, strict=True)]
    comments = [
        f"% {line}" for text in (*sheet.notes, *sheet.latex_notes, sheet.signature) for line in text.splitlines()
    ]
    head = " & ".join(tex(name) for name in shown) + r" \\"
    table = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *lines, r"\bottomrule"]
    return "\n".join([*comments, *table, r"\end{tabular}", ""])


FORMATS.register(
    OutputFormat(
        "latex", "a booktabs tabular with rounded numbers, marks and the signature as a comment", (".tex",),
        text_writer("latex", by_sections(to_latex)), label="LaTeX", media_type="application/x-tex", rank=50,
    )
)  # fmt: skip
