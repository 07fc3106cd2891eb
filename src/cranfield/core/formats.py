"""The formats an answer can be written in: from the same `Sheet` to the bytes of a file."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol

from cranfield.core.errors import DataError
from cranfield.core.files import plain_ending
from cranfield.core.registry import Registry
from cranfield.core.terminal import fitted

if TYPE_CHECKING:
    import polars as pl

    from cranfield.core.tables import Sheet


class Write(Protocol):
    """What writes a sheet: to bytes, in that many columns of a terminal where there is one."""

    def __call__(self, sheet: Sheet, width: int | None = None) -> bytes: ...


@dataclass(frozen=True)
class OutputFormat:
    """A format that tables are written in.

    Parameters
    ----------
    name : how ``--format`` asks for it
    summary : one line for help and documentation
    endings : the endings of its files; the first is that of a download
    write : a sheet → the bytes of a file; ``width`` is that of the terminal, and None for files and pipes
    offered : whether ``--format`` offers it, which prints on standard output; others go by the ending of a file
    label : its name among a page's downloads; none when it is not among them
    media_type : what a download says it is
    rank : its place in lists
    """

    name: str
    summary: str
    endings: tuple[str, ...]
    write: Write
    offered: bool = True
    label: str = ""
    media_type: str = "application/octet-stream"
    rank: int = 1000


FORMATS: Registry[OutputFormat] = Registry("output format", __name__)


def offered() -> tuple[str, ...]:
    """The formats that can be printed.

    >>> offered()
    ('table', 'json', 'csv', 'markdown', 'latex', 'html')
    """
    return tuple(name for name, entry in FORMATS.items() if entry.offered)


def endings() -> tuple[str, ...]:
    """The endings of files that tell their format.

    >>> endings()
    ('.txt', '.json', '.csv', '.tsv', '.md', '.tex', '.html', '.htm', '.parquet', '.xlsx', '.ods')
    """
    return tuple(ending for entry in FORMATS.values() for ending in entry.endings)


def of_path(path: PurePath) -> OutputFormat | None:
    """The format that a file's name asks for by its ending, compressed or not; None when it asks for none.

    >>> of_path(PurePath("answer.csv.gz")).name
    'csv'
    """
    by_ending = {ending: entry for entry in FORMATS.values() for ending in entry.endings}
    return by_ending.get(plain_ending(path))


def downloads() -> dict[str, OutputFormat]:
    """The formats a page offers for download, by ending (without the dot), in the order of their labels.

    >>> list(downloads())
    ['csv', 'json', 'tex', 'md']
    """
    labelled = sorted((entry for entry in FORMATS.values() if entry.label), key=lambda entry: entry.label)
    return {entry.endings[0].lstrip("."): entry for entry in labelled}


def render(sheet: Sheet, format: str) -> str:
    """A sheet as text in one of the formats that are text."""
    return FORMATS[format].write(sheet).decode()


def text_writer(name: str, text: Callable[[Sheet], str]) -> Write:
    """What writes a sheet as text in a format: the text it has ready for that, or else one made of its rows."""

    def write(sheet: Sheet, width: int | None = None) -> bytes:
        return (sheet.texts[name] if name in sheet.texts else text(sheet)).encode(errors="replace")

    return write


def by_sections(text: Callable[[Sheet], str]) -> Callable[[Sheet], str]:
    """The same for a sheet with several tables, one below the other, without their hidden columns."""

    def joined(sheet: Sheet) -> str:
        shown = sheet.for_people
        return "\n".join(text(section.for_people) for section in shown.sections or (shown,))

    return joined


def documented() -> list[tuple[str, str, str, str]]:
    """Name, what it is, endings, and where it goes: the rows of the documentation."""
    return [
        (
            entry.name,
            entry.summary,
            " ".join(f"`{ending}`" for ending in entry.endings),
            "printed, or written to a file" if entry.offered else "written to a file",
        )
        for entry in FORMATS.values()
    ]


_ROWS = 100_000
"""How many rows of a frame are text at a time: cells take many times the memory of what is written of them."""
_DELICATE = re.compile(r"[\s,;\"#]")


def table_bytes(frame: pl.DataFrame, separator: str, path: str) -> bytes:
    """A table of scores as text, ready for a file: every number and name reads back unchanged."""
    lines = [separator.join(_label(name, separator, path) for name in frame.columns).encode()]
    for part in frame.iter_slices(_ROWS):
        cells = [_cells(column, separator, path) for column in part.iter_columns()]
        lines.append("\n".join(map(separator.join, zip(*cells, strict=True))).encode())
    return b"\n".join([*lines, b""]) if frame.height else lines[0] + b"\n"


def _cells(column: pl.Series, separator: str, path: str) -> list[str]:
    """The cells of a column; each label is checked once."""
    values = column.to_list()
    if column.dtype.is_float():
        return ["" if value is None else repr(value) for value in values]
    written = {value: "" if value is None else _label(str(value), separator, path) for value in dict.fromkeys(values)}
    return [written[value] for value in values]


def _label(label: str, separator: str, path: str) -> str:
    if separator != " ":
        return _quoted(label)
    if len(label.split()) != 1 or label.startswith("#"):
        raise DataError(f"{path}: label {label!r} cannot be written to a blank-separated file; write .csv instead")
    return label


def _quoted(text: str) -> str:
    """Quoted wherever any reader might stumble: separators of other dialects, blanks, quotes, comment marks."""
    return '"' + text.replace('"', '""') + '"' if _DELICATE.search(text) else text


_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the start of a formula."""


def to_csv(rows: pl.DataFrame, separator: str = ",", *, read_back: bool = False) -> str:
    """One line per row, after a line of names.

    A spreadsheet runs text that begins like a formula, so a name like ``=1+1`` gets a single quote before it. A table
    that cranfield reads back (`read_back`) keeps its names unchanged.
    """
    if read_back:
        return table_bytes(rows, separator, "the table").decode()
    import csv

    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow([inert(name) for name in rows.columns])
    for row in rows.iter_rows():
        writer.writerow(
            [
                "" if v is None else repr(v) if isinstance(v, float) else inert(v) if isinstance(v, str) else v
                for v in row
            ]
        )
    return out.getvalue()


def inert(text: str) -> str:
    """Text that no spreadsheet runs; numbers stay numbers.

    >>> inert("=HYPERLINK(A1)"), inert("-x"), inert("bm25"), inert("-0.5")
    ("'=HYPERLINK(A1)", "'-x", 'bm25', '-0.5')
    """
    if not text.startswith(_FORMULA):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


def _separated(separator: str) -> Callable[[Sheet], str]:
    return lambda sheet: to_csv(sheet.for_machines, separator, read_back=sheet.read_back)


SCHEMA = 1
"""Version of the envelope; docs/formats.md says what it holds and when the number changes."""
JSON_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["schema", "command", "signature", "settings", "rows", "warnings"],
    "properties": {
        "schema": {"const": SCHEMA},
        "command": {"type": "string"},
        "signature": {"type": "string"},
        "settings": {"type": "object"},
        "rows": {"type": "array", "items": {"type": "object"}},
        "warnings": {"type": "array", "items": {"type": "string"}},
    },
}
"""The envelope as JSON Schema; docs/json.md prints it. Further keys may come."""


_SLICE = 20_000
"""Rows that are held as Python objects at a time; they take fifty times the memory of the frame."""
_COPIES = 3
"""How often the text is in memory at its height: in pieces, whole, and as bytes."""


def to_json(sheet: Sheet) -> str:
    """The envelope as text, its rows made in slices; one that does not fit into memory is refused."""
    from cranfield.core.resources import Demand

    frame = sheet.for_machines
    begin, end = _dumped(_envelope(sheet, [])).split('\n  "rows": []')  # the only one at this depth
    pieces: list[str] = []
    for start in range(0, frame.height, _SLICE):
        rows = _dumped(_json_rows(frame[start : start + _SLICE]))[2:-2]  # without the brackets of the list
        pieces.append("  " + rows.replace("\n", "\n  "))
        if start == 0:
            megabytes = _COPIES * frame.height * len(rows) / min(frame.height, _SLICE) / 1e6
            Demand(f"JSON of {frame.height:,} rows", 0, megabytes, "CSV or parquet take a tenth").foretell()
    listed = "[\n" + ",\n".join(pieces) + "\n  ]" if pieces else "[]"
    return f'{begin}\n  "rows": {listed}{end}\n'


def _dumped(content: Any) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def envelope(sheet: Sheet) -> dict[str, Any]:
    """The JSON envelope: schema, command, signature, settings, rows and warnings."""
    return _envelope(sheet, _json_rows(sheet.for_machines))


def _envelope(sheet: Sheet, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "command": sheet.command,
        **{key: _json_fact(value) for key, value in sheet.top.items()},
        "signature": sheet.signature,
        "settings": {key: _json_fact(value) for key, value in sheet.settings.items()},
        "rows": rows,
        "warnings": list(sheet.warnings),
    }


def _json_rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    return [{k: _json_value(v) for k, v in row.items()} for row in frame.iter_rows(named=True)]


def _json_value(value: Any) -> Any:
    """JSON has no infinity or NaN: scores that are such (a standardised one) are strings, never dropped."""
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")
    if isinstance(value, (list, tuple)):
        return [_json_value(part) for part in value]
    return value


def _json_fact(value: Any) -> Any:
    """A setting or a fact beside the rows, its numbers `steady`."""
    from cranfield.core.tables import steady

    if isinstance(value, Mapping):
        return {key: _json_fact(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json_fact(part) for part in value]
    if isinstance(value, float):
        return None if math.isinf(value) else _json_value(steady(value))
    return value


_TAG = re.compile(r"<(?=[A-Za-z/!?])")
"""What opens a tag, a comment or an address in Markdown; the sign of "p < 0.05" does not."""


def plain_text(text: str) -> str:
    """Text that Markdown shows literally: no name becomes a tag, a link or another cell.

    >>> plain_text("<b>a|b</b>, p < 0.05"), plain_text("[x](y)")
    ('&lt;b>a\\\\|b&lt;/b>, p < 0.05', '[x]\\\\(y)')
    """
    return _TAG.sub("&lt;", " ".join(text.splitlines())).replace("|", "\\|").replace("](", "]\\(")


def name_text(name: str) -> str:
    """A name set as code, or as plain text where code could not hold it.

    >>> name_text("bm25"), name_text("<b>`x`")
    ('`bm25`', '&lt;b>`x`')
    """
    return plain_text(name) if re.search(r"[`<|\n\r\u2028\u2029]", name) else f"`{name}`"


def to_markdown(sheet: Sheet) -> str:
    """A pipe table, numbers flush right."""
    from cranfield.core.tables import text_rows

    align = ["---:" if dtype.is_numeric() else ":---" for dtype in sheet.rows.dtypes]
    lines = [sheet.rows.columns, align, *text_rows(sheet)]
    escaped = [map(plain_text, line) for line in lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in escaped)


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


def to_html(sheet: Sheet) -> str:
    """A table with its title as caption, and the notes and the signature below it."""
    from html import escape

    from cranfield.core.tables import text_rows

    def cell(text: str, right: bool) -> str:
        align = ' style="text-align: right"' if right else ""
        return f"<td{align}>{escape(text)}</td>"

    numeric = [dtype.is_numeric() for dtype in sheet.rows.dtypes]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in sheet.rows.columns)
    body = [
        "<tr>" + "".join(cell(text, right) for text, right in zip(row, numeric, strict=True)) + "</tr>"
        for row in text_rows(sheet)
    ]
    caption = [f"<caption>{escape(sheet.title)}</caption>"] if sheet.title else []
    notes = [f"<p>{escape(note)}</p>" for note in (*sheet.notes, sheet.signature) if note]
    lines = ["<table>", *caption, f"<thead><tr>{head}</tr></thead>", "<tbody>", *body, "</tbody>", "</table>", *notes]
    return "\n".join(lines) + "\n"


def to_parquet(sheet: Sheet, width: int | None = None) -> bytes:
    """The rows as a parquet file's bytes."""
    out = io.BytesIO()
    sheet.for_machines.write_parquet(out)
    return out.getvalue()


def _workbook_writer(ending: str) -> Write:
    def write(sheet: Sheet, width: int | None = None) -> bytes:
        from cranfield.core.workbooks import workbook

        return workbook(sheet.for_machines, ending)

    return write


for _format in (
    OutputFormat("table", "a table for people, with title, notes and signature", (".txt",), fitted, rank=10),
    OutputFormat(
        "json", "the rows in an envelope with command, signature, settings and warnings", (".json",),
        text_writer("json", to_json), label="JSON", media_type="application/json", rank=20,
    ),
    OutputFormat(
        "csv", "comma-separated rows with a header", (".csv",), text_writer("csv", _separated(",")),
        label="CSV", media_type="text/csv; charset=utf-8", rank=30,
    ),
    OutputFormat(
        "tsv", "tab-separated rows with a header", (".tsv",), text_writer("tsv", _separated("\t")),
        offered=False, media_type="text/tab-separated-values; charset=utf-8", rank=35,
    ),
    OutputFormat(
        "markdown", "a pipe table with rounded numbers", (".md",), text_writer("markdown", by_sections(to_markdown)),
        label="Markdown", media_type="text/markdown; charset=utf-8", rank=40,
    ),
    OutputFormat(
        "latex", "a booktabs tabular with rounded numbers, marks and the signature as a comment", (".tex",),
        text_writer("latex", by_sections(to_latex)), label="LaTeX", media_type="application/x-tex", rank=50,
    ),
    OutputFormat(
        "html", "a table for a web page, with rounded numbers, notes and the signature", (".html", ".htm"),
        text_writer("html", by_sections(to_html)), media_type="text/html; charset=utf-8", rank=60,
    ),
    OutputFormat(
        "parquet", "the rows as a typed binary table", (".parquet",), to_parquet,
        offered=False, media_type="application/vnd.apache.parquet", rank=70,
    ),
    OutputFormat(
        "xlsx", "the rows as a spreadsheet of Excel", (".xlsx",), _workbook_writer(".xlsx"), offered=False,
        media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", rank=75,
    ),
    OutputFormat(
        "ods", "the rows as a spreadsheet of LibreOffice", (".ods",), _workbook_writer(".ods"), offered=False,
        media_type="application/vnd.oasis.opendocument.spreadsheet", rank=76,
    ),
):  # fmt: skip
    FORMATS.register(_format)
