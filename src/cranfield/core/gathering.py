"""Similar warnings as one line, the same in the terminal, on the page and in the report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from cranfield.core.labels import summary

_NUMBER = r"\d+(?:[.,]\d+)*"
_VARYING = re.compile(rf"\b({_NUMBER}(?:(?:, | and ){_NUMBER})*(?: more)?|is|are)\b")
"""What may differ between similar warnings: numbers, lists of numbers, and the verb that goes with them."""
_FEW = 3


def gathered(texts: Iterable[str]) -> list[str]:
    """Warnings that say the same of several systems (or files, or measures) as one line that names them.

    >>> gathered(["bm25: no document for 2 topics", "ql: no document for 2 topics", "few topics"])
    ['bm25, ql: no document for 2 topics', 'few topics']

    More than a few that differ only in their numbers become one line with the range of each number.

    >>> print(*gathered(f"run{i}: only {i} of 1,000 documents are judged" for i in range(2, 9)), sep="\\n")
    run2, run3, run4, run5, run6 and 2 more: only 2–8 of 1,000 documents are judged
    """
    parts = [tuple(text.split(": ")) for text in dict.fromkeys(texts)]
    for place in (0, 1):  # the system's name comes first, or after that of the measures
        alike: dict[tuple[str, ...], dict[tuple[str, ...], list[str]]] = {}
        for one in parts:
            whole = len(one) <= place + 1
            before, after = (one, ()) if whole else (one[:place], one[place + 1 :])
            shape = (str(whole), *before, *(_VARYING.sub("#", part) for part in after))
            alike.setdefault(shape, {}).setdefault((*before, "", *after), []).append("" if whole else one[place])
        parts = []
        for shape, found in alike.items():
            if shape[0] == "True":
                parts += [one[:-1] for one in found]
            elif len(found) > _FEW:
                names = [name for names in found.values() for name in names]
                rest = zip(*(one[place + 1 :] for one in found), strict=True)
                parts.append((*next(iter(found))[:place], summary(names), *map(_range, rest)))
            else:
                parts += [(*one[:place], summary(names), *one[place + 1 :]) for one, names in found.items()]
    return [": ".join(one) for one in parts]


def _range(texts: Sequence[str]) -> str:
    """Texts that differ only in numbers as one, with the smallest and the largest of each number."""
    columns = zip(*(_VARYING.split(text) for text in texts), strict=True)
    return "".join(one[0] if len(set(one)) == 1 else _spread(one) for one in columns)


def _spread(words: Sequence[str]) -> str:
    """One place of similar texts: the range of its numbers; of lists the longest, left open."""
    if {"is", "are"} & set(words):
        return "are"
    if not all(re.fullmatch(_NUMBER, word) for word in words):
        return max(words, key=len) + ", …"
    in_order = sorted(words, key=lambda word: float(word.replace(",", "")))
    return f"{in_order[0]}–{in_order[-1]}"
