"""Bytes that should be text: checked, decoded, cut into lines, and quoted in messages."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from cranfield.core.errors import MOST_PROBLEMS, SHOWN_PROBLEMS, FileError, Problem
from cranfield.core.labels import CONTROL

_LINE_END = re.compile(r"\r\n|\r|\n")
BOM = b"\xef\xbb\xbf"
"""The byte-order mark of UTF-8."""
_WIDE_MARKS = {
    b"\xff\xfe\0\0": "UTF-32",  # before UTF-16, whose mark it begins with
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
BOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
"""How the workbooks of spreadsheet programs begin, and with them other archives."""
EMPTY = "is empty; expected at least one line of data"


def check_text(data: bytes, path: str) -> bytes:
    """The data without its byte-order mark, once it is known to be non-empty UTF-8 text."""
    data = without_mark(data, path)
    check_no_nul(data, path)
    if not data or data.isspace():
        raise FileError(path, EMPTY)
    check_utf8(data, path)
    return data


def plain_text(data: bytes, path: str) -> str:
    """Checked text, once it is known to hold no control character but tabs and the ends of lines.

    >>> plain_text(b"bm25\\x0c 0.5", "order.txt")
    Traceback (most recent call last):
    cranfield.FileError: order.txt:1: contains the control character U+000C; remove it
    """
    text = check_text(data, path).decode()
    if (found := CONTROL.search(text)) is not None:
        line = len(_LINE_END.findall(text, 0, found.start())) + 1
        raise FileError(path, f"contains the control character U+{ord(found[0]):04X}; remove it", line=line)
    return text


def text_lines(data: bytes, path: str) -> Iterator[tuple[int, str]]:
    """The lines of a plain text with their numbers; a line ends where an editor ends it, and nowhere else."""
    return enumerate(_LINE_END.split(plain_text(data, path)), 1)


def filled_lines(data: bytes, path: str) -> Iterator[tuple[int, str]]:
    """The same of the lines that are not blank and no comments (``#``)."""
    return ((at, line) for at, line in text_lines(data, path) if line.strip() and not line.lstrip().startswith("#"))


_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def finite_number(text: str) -> float | None:
    """The number that a field writes; None where it is none, or not finite.

    >>> finite_number("-.5e1"), finite_number("1e999"), finite_number("0,5")
    (-5.0, None, None)
    """
    value = float(text) if _NUMBER.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


MISSING_MARKS = frozenset({"", "na", "n/a", "nan", "-nan", "null", "none", "-", "."})
"""What stands for a missing score in a table (in any case)."""


def score_number(text: str) -> float | None:
    """A finite number, NaN for a missing mark, or None when the text is neither.

    >>> score_number("0.25"), score_number(" 1e3"), score_number("abc"), score_number("inf")
    (0.25, 1000.0, None, None)
    """
    text = text.strip()
    return math.nan if text.casefold() in MISSING_MARKS else finite_number(text)


def without_mark(data: bytes, path: str) -> bytes:
    """The beginning of a file without its byte-order mark; UTF-16 and UTF-32 are refused."""
    for mark, kind in _WIDE_MARKS.items():
        if data.startswith(mark):
            raise FileError(path, f"is {kind} text; save it as UTF-8 (for example: iconv -f {kind} -t UTF-8)")
    return data.removeprefix(BOM)


def check_no_nul(data: bytes, path: str, first_line: int = 1) -> None:
    """Refuse lines with a NUL byte."""
    if data.startswith(b"PAR1"):
        text = "is a parquet table, not text; read it with polars or pandas and pass the frame"
        raise FileError(path, text)
    if data.startswith(BOOKS):
        text = "is a spreadsheet or another archive, not text; save the sheet as text"
        raise FileError(path, text)
    if (nul := data.find(b"\0")) >= 0:
        line = data.count(b"\n", 0, nul) + first_line
        raise FileError(path, "contains a NUL byte, so it is binary; expected text", line=line)


def check_utf8(data: bytes, path: str, first_line: int = 1) -> None:
    """Refuse lines that are not UTF-8."""
    if data.isascii():
        return
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + first_line
        problem = f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise FileError(path, problem, line=line) from None


class Problems:
    """Collects what is wrong with a file: the first few kept, the others counted up to `MOST_PROBLEMS`.

    A file with more is refused at once: the careful parser is slow, and further problems tell nobody more.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.first: list[Problem] = []
        self.total = 0

    def add(self, line: int, text: str) -> None:
        """Count a problem, and keep it when it is among the first."""
        self.total += 1
        if len(self.first) < SHOWN_PROBLEMS:
            self.first.append(Problem(line, text))
        if self.total >= MOST_PROBLEMS:
            self.raise_if_any()

    def raise_if_any(self) -> None:
        """Raise one `FileError` for all of them."""
        if self.total:
            raise FileError(self.path, self.first, self.total)


_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")


def decimal_comma(text: str) -> str:
    """The end of a message about a number that is written with a decimal comma; nothing for any other text.

    >>> decimal_comma("0,25"), decimal_comma("abc")
    ('; this has a decimal comma: write a point', '')
    """
    return "; this has a decimal comma: write a point" if _DECIMAL_COMMA.fullmatch(text) else ""


def shown(text: str, most: int = 60) -> str:
    """A quoted piece of input for a message, cut when long and with control characters escaped.

    >>> shown("a\\tb")
    "'a\\\\tb'"
    """
    return repr(text if len(text) <= most else text[: most - 1] + "…")
