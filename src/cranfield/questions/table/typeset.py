"""A table as papers print it: LaTeX, Markdown and HTML from heads and cells that know how each writes a mark."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import NamedTuple

from cranfield.core.formats import tex


class Markup(NamedTuple):
    """How a format writes names, the best mean, marks and intervals; `{}` is the place of the text."""

    escape: Callable[[str], str]
    best: str
    raised: str
    interval: str

    def sign(self, text: str) -> str:
        """A mark, raised; nothing for no mark."""
        return self.raised.format(self.escape(text)) if text else ""


TEXT = Markup(str, "{}*", " {}", " {}")
LATEX = Markup(tex, r"\textbf{{{}}}", r"\textsuperscript{{{}}}", r" {{\footnotesize {}}}")
MARKDOWN = Markup(str, "**{}**", "<sup>{}</sup>", " {}")
HTML = Markup(escape, "<strong>{}</strong>", "<sup>{}</sup>", " <small>{}</small>")


_PAGE = 345
"""Width of the text on a page of LaTeX's article, in points."""
_CHARACTER, _GAP = 4.6, 12
"""Points that a character of such a table takes on average, and the gap between columns."""
_SMALL_CHARACTER, _SMALL_GAP = 3.6, 6
"""The same in footnotesize with half the gap."""
_NARROWER = "Set the table on its side, or show fewer measures, baselines, digits, intervals or counts."


def typeset(
    caption: str,
    heads: Callable[[Markup], list[str]],
    body: Callable[[Markup], list[list[str]]],
    *,
    signature: str,
    explained: str = "",
    alignment: str = "",
) -> dict[str, str]:
    """The table by format.

    Parameters
    ----------
    heads, body : names of columns, and the cells, as a markup writes them
    signature : the line for a footnote
    explained : text for the methods section
    alignment : of LaTeX's columns; all to the left unless given
    """
    return {
        "latex": latex(caption, heads, body, signature, explained, alignment),
        "markdown": markdown(caption, heads(MARKDOWN), body(MARKDOWN), signature, explained),
        "html": html(caption, heads(HTML), body(HTML), signature, explained),
    }


def latex(
    caption: str,
    heads: Callable[[Markup], list[str]],
    body: Callable[[Markup], list[list[str]]],
    signature: str,
    explained: str,
    alignment: str,
) -> str:
    """A table environment with caption and a booktabs tabular."""
    names, rows = ["System", *heads(LATEX)[1:]], body(LATEX)
    lengths = [len("W/T/L (1)" if "W/T/L" in name else name) for name in heads(TEXT)]
    across = sum(
        max(head, *map(len, column)) for head, column in zip(lengths, zip(*body(TEXT), strict=True), strict=True)
    )
    narrow = across * _CHARACTER + len(lengths) * _GAP > _PAGE
    too_wide = across * _SMALL_CHARACTER + len(lengths) * _SMALL_GAP > _PAGE
    warned = f"About {across} characters across are too wide for a page of text. {_NARROWER}" if too_wide else ""
    comments = [line for line in (explained, signature, warned) if line]
    lines = [
        *(f"% {line}" for line in comments),
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{tex(caption)}}}",
        *([r"\footnotesize", r"\setlength{\tabcolsep}{3pt}"] if narrow else []),
        rf"\begin{{tabular}}{{{alignment or 'l' * len(names)}}}",
        r"\toprule",
        " & ".join(names) + r" \\",
        r"\midrule",
        *(" & ".join(row).replace("–", "--") + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def markdown(caption: str, names: list[str], rows: list[list[str]], signature: str, explained: str) -> str:
    """A pipe table below its caption."""
    lines = [names, [":---", *["---:"] * (len(names) - 1)], *rows]
    table = "".join(f"| {' | '.join(part.replace('|', chr(92) + '|') for part in line)} |\n" for line in lines)
    after = "".join(f"\n{text}\n" for text in (explained, signature) if text)
    return f"{caption}\n\n{table}{after}"


def html(caption: str, names: list[str], rows: list[list[str]], signature: str, explained: str) -> str:
    """A table with its caption."""
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    lines = ["<table>", f"<caption>{escape(caption)}</caption>", f"<thead><tr>{head}</tr></thead>", "<tbody>"]
    for first, *others in rows:
        lines.append(f'<tr><th scope="row">{first}</th>' + "".join(f"<td>{one}</td>" for one in others) + "</tr>")
    lines += ["</tbody>", "</table>", *(f"<p>{escape(text)}</p>" for text in (explained, signature) if text)]
    return "\n".join(lines) + "\n"
