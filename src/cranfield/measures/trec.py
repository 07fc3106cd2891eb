"""trec_eval's names for our measures, and its way of printing scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.measures.aliases import COMMON_NAMES, TREC_NAMES
from cranfield.measures.hits import Floats

if TYPE_CHECKING:
    from cranfield.measures.names import Measure
    from cranfield.measures.registry import Definition
    from cranfield.scores import Scores

WIDTH = 22
"""How wide trec_eval writes a measure's name."""
_IGNORED = ("rel",)  # trec_eval's -l changes values, not names


def trec_name(measure: Measure) -> str:
    """What trec_eval calls a measure; our own name where it has none.

    >>> from cranfield.measures import parse_measure
    >>> [trec_name(parse_measure(text)) for text in ("AP", "AP(rel=2)@10", "nDCG@10", "IPrec(recall=0.1)", "ERR@10")]
    ['map', 'map_cut_10', 'ndcg_cut_10', 'iprec_at_recall_0.10', 'ERR@10']
    """
    return _stem_and_name(measure)[1]


def _stem_and_name(measure: Measure) -> tuple[str, str]:
    given = {name: value for name, value in measure.parameters if name not in _IGNORED}
    for name, meant in TREC_NAMES.items():
        if meant.ours != measure.name:
            continue
        rest = dict(given)
        number = rest.pop(meant.number, None) if meant.number else None
        if rest == dict(meant.parameters) and (meant.number is None) == (number is None):
            return name, meant.written(name, number)
    return "", str(measure)


def other_names(definition: Definition) -> list[str]:
    """The names a measure is known by elsewhere: its aliases, and trec_eval's (_k: with a cutoff)."""
    endings = {None: "", "cutoff": "_k", "recall": "_0.10", "multiple": "_0.20"}
    theirs = [name + endings[meant.number] for name, meant in TREC_NAMES.items() if meant.ours == definition.name]
    aliases = [*COMMON_NAMES.get(definition.name, ()), *definition.aliases]
    return list(dict.fromkeys([*aliases, *(name for name in theirs if name != definition.name)]))


def _rank(measure: Measure) -> tuple[int, float]:
    order = list(TREC_NAMES)
    stem, _ = _stem_and_name(measure)
    if not stem:
        return len(order), 0.0
    number = TREC_NAMES[stem].number
    value = measure.get(number) if number else None
    return order.index(stem), 0.0 if value is None else float(value)


def trec_lines(scores: Scores, system: str, *, topics: bool) -> Iterator[str]:
    """The lines trec_eval prints for one run: measures in its order, topics in byte order, then all.

    Counts are printed as integers and summed over topics; everything else with four decimals and averaged.
    """
    from cranfield.measures.names import parse_measure

    measures = sorted((parse_measure(name) for name in scores), key=_rank)
    columns = [scores[str(m)].select(systems=[system]) for m in measures]
    values = np.column_stack([column.values[:, 0] for column in columns])
    names = [trec_name(m) for m in measures]
    whole = [m.definition.aggregate == "sum" for m in measures]
    formats = ["%.0f" if count else "%6.4f" for count in whole]
    if topics:
        labels = columns[0].topics
        order = sorted(range(len(labels)), key=lambda at: labels[at].encode())
        blocks = topic_blocks(names, formats, [labels[at] for at in order], values[order].tolist())
        for block in blocks:
            yield from block.splitlines()
    sums = running_total(values)
    for name, form, count, total in zip(names, formats, whole, sums, strict=True):
        yield f"{name:<{WIDTH}}\tall\t{form % (total if count else total / len(values))}"


def running_total(values: Floats) -> Floats:
    """Column sums taken row after row, as a program with one loop takes them (not in pairs)."""
    sums: Floats = np.add.accumulate(values, axis=0)[-1]
    return sums


def topic_blocks(
    names: Sequence[str], formats: Sequence[str], topics: Iterable[str], rows: Iterable[Sequence[Any]]
) -> Iterator[str]:
    r"""One text for each topic: a line for each measure.

    >>> list(topic_blocks(["num_ret", "map"], ["%d", "%6.4f"], ["7"], [[2, 0.25]]))
    ['num_ret               \t7\t2\nmap                   \t7\t0.2500\n']
    """
    # One template for all topics: formatting a block at once is several times faster than line by line.
    heads = [f"{name:<{WIDTH}}".replace("%", "%%") for name in names]
    lines = [f"{head}\t\0\t{form}\n" for head, form in zip(heads, formats, strict=True)]
    template = "".join(lines)
    for topic, row in zip(topics, rows, strict=True):
        yield template.replace("\0", topic.replace("%", "%%")) % tuple(row)
