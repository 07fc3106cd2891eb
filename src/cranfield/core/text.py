"""Text and JSON that somebody else wrote: checked, decoded, cut into lines, and quoted in messages."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

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


def csv_fields(line: str, mark: str) -> list[str]:
    """The fields of one line of a table, of any length; Python's own reader refuses 131,073 characters.

    >>> csv_fields('1,"a, b",c', ","), len(csv_fields("d1," + "x" * 200_000, ","))
    (['1', 'a, b', 'c'], 2)
    """
    if '"' in line:
        with suppress(csv.Error):
            return next(csv.reader([line], delimiter=mark))
    return line.split(mark)


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


_DEEPEST = 64
_LONGEST = 300
"""Digits of a whole number: more than that and it is no number that a computer can reckon with."""


class JSONProblem(ValueError):
    """What is wrong with a text, and on which line (0: not known)."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line, self.text = line, text


class _LongNumber(ValueError):
    pass


class _Twice(ValueError):
    pass


def parse_json(text: str | bytes) -> Any:
    """What a JSON text holds; anything wrong with it is a `JSONProblem`.

    A key that comes twice in one object is an error, where Python would keep the last and drop the first.

    >>> parse_json('{"a": 1}')
    {'a': 1}
    >>> parse_json('{"a":\\n 1' + "0" * 5000 + "}")
    Traceback (most recent call last):
    cranfield.core.text.JSONProblem: holds a number of 5,001 digits; at most 300 are read
    >>> parse_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    cranfield.core.text.JSONProblem: key 'a' occurs twice in one object; keep one
    """
    try:
        content = json.loads(text, parse_int=_whole, object_pairs_hook=_once)
        if _depth_exceeds(content, _DEEPEST):
            raise RecursionError
    except json.JSONDecodeError as error:
        raise JSONProblem(error.lineno, f"is not JSON: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise JSONProblem(0, f"byte 0x{error.object[error.start]:02x} is not UTF-8; save the file as UTF-8") from None
    except _LongNumber as error:
        digits = str(error)
        place = text.find(digits) if isinstance(text, str) else text.find(digits.encode())
        line = 1 + (text.count("\n", 0, place) if isinstance(text, str) else text.count(b"\n", 0, place))
        problem = f"holds a number of {len(digits.lstrip('-')):,} digits; at most {_LONGEST} are read"
        raise JSONProblem(line, problem) from None
    except _Twice as error:
        raise JSONProblem(0, f"key {error} occurs twice in one object; keep one") from None
    except RecursionError:
        raise JSONProblem(0, f"nests more than {_DEEPEST} objects; is the file damaged?") from None
    if ("\\u" if isinstance(text, str) else b"\\u") in text:  # type: ignore[operator]
        try:
            json.dumps(content, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            text = r"holds half of a pair of surrogates (\ud800 to \udfff), which is no character; write it whole"
            raise JSONProblem(0, text) from None
    return content


def json_objects(text: bytes, add: Callable[[int, str], None]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of lines of JSON with their numbers, one each; what is none goes to `add` with its line.

    >>> list(json_objects(b'{"a": 1}\\n\\n[2]', lambda line, text: print(line, text)))
    3 expected an object with the columns as keys, found list
    [(1, {'a': 1})]
    """
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():  # JSON has no comments
            continue
        try:
            row = parse_json(line)
        except JSONProblem as error:
            add(number, error.text)
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            add(number, f"expected an object with the columns as keys, found {type(row).__name__}")


def _whole(digits: str) -> int:
    if len(digits) > _LONGEST:
        raise _LongNumber(digits)
    return int(digits)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _Twice(shown(next(key for key in keys if keys.count(key) > 1)))
    return made


def _depth_exceeds(content: Any, most: int) -> bool:
    """Whether objects and lists lie deeper in one another than `most`; without recursion."""
    level = [content]
    for _ in range(most + 1):
        level = [
            inside
            for one in level
            if isinstance(one, (dict, list))
            for inside in (one.values() if isinstance(one, dict) else one)
            if isinstance(inside, (dict, list))
        ]
        if not level:
            return False
    return True


_BEIR_MEANS = {"ndcg", "map", "recall", "precision", "mrr", "recall_cap", "hole"}
_AT_RANK = re.compile(r"[A-Za-z_]+@\d+")


def holds_means(content: dict[str, Any]) -> bool:
    """Whether it is a result of MTEB or BEIR: means over topics, in BEIR's newer files by measure and rank.

    >>> holds_means({"ndcg": {"NDCG@1": 0.5, "NDCG@10": 0.6}}), holds_means({"7": {"doc@10": 0.5}})
    (True, False)
    """
    if "task_name" in content or "mteb_version" in content:
        return True
    means = [one for value in content.values() for one in (value if isinstance(value, dict) else [])]
    return bool(content) and (
        all(isinstance(value, (int, float)) for value in content.values())
        or (set(content) <= _BEIR_MEANS and all(_AT_RANK.fullmatch(str(one)) for one in means))
    )
