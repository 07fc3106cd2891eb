"""Warnings that say the same of many, as one: the same in the terminal, on the page and in the report."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cranfield.core.labels import summary

_NUMBER = r"\d+(?:[.,]\d+)*"
_NUMBERS = re.compile(rf"\b{_NUMBER}(?:(?:, | and ){_NUMBER})*(?: more)?|\b(?:is|are)\b")
"""What may differ in warnings that say the same: numbers, lists of them, and the verb that goes with them."""
_FEW = 3


def gathered(texts: Iterable[str]) -> list[str]:
    """Warnings that say the same of several systems (or files, or measures) as one that names them.

    >>> gathered(["bm25: no document for 2 topics", "ql: no document for 2 topics", "few topics"])
    ['bm25, ql: no document for 2 topics', 'few topics']

    Where more than a few differ in nothing but their numbers, the first stands for all of them.

    >>> print(*gathered(f"run{i}: only {i} of 1,000 documents are judged" for i in range(2, 9)), sep="\\n")
    run2: only 2 of 1,000 documents are judged (and so, but for the numbers, run3, run4, run5, run6, run7 and 1 more)
    """
    parts = [tuple(text.split(": ")) for text in dict.fromkeys(texts)]
    for place in (0, 1):  # the system's name comes first, or after that of the measures
        alike: dict[tuple[str, ...], dict[tuple[str, ...], list[str]]] = {}
        for one in parts:
            whole = len(one) <= place + 1
            before, after = (one, ()) if whole else (one[:place], one[place + 1 :])
            shape = (str(whole), *before, *(_NUMBERS.sub("#", part) for part in after))
            alike.setdefault(shape, {}).setdefault((*before, "", *after), []).append("" if whole else one[place])
        parts = []
        for shape, said in alike.items():
            if shape[0] == "True":
                parts += [one[:-1] for one in said]
                continue
            each = [(*one[:place], summary(names), *one[place + 1 :]) for one, names in said.items()]
            if len(each) > _FEW:
                others = [name for names in list(said.values())[1:] for name in names]
                each = [(*each[0][:-1], f"{each[0][-1]} (and so, but for the numbers, {summary(others)})")]
            parts += each
    return [": ".join(one) for one in parts]
