"""JSON that somebody else wrote: what Python's reader takes, refuses or chokes on, said with a line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from cranfield.core.files import shown

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
    cranfield.core.json_text.JSONProblem: holds a number of 5,001 digits; at most 300 are read
    >>> parse_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    cranfield.core.json_text.JSONProblem: key 'a' occurs twice in one object; keep one
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
