"""trec_eval's names for measures, and its way of printing them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from cranfield.measures.parameters import Value

if TYPE_CHECKING:
    from cranfield.measures.names import Measure
    from cranfield.measures.registry import Definition
    from cranfield.scores import Scores

TREC_NAMES: Mapping[str, tuple[str, Mapping[str, Value]]] = {
    "num_ret": ("NumRet", {}),
    "num_rel": ("NumRel", {}),
    "num_rel_ret": ("NumRelRet", {}),
    "map": ("AP", {}),
    "Rprec": ("Rprec", {}),
    "bpref": ("Bpref", {}),
    "recip_rank": ("RR", {}),
    "P": ("P", {}),
    "recall": ("R", {}),
    "infAP": ("infAP", {}),
    "ndcg": ("nDCG", {}),
    "ndcg_cut": ("nDCG", {}),
    "map_cut": ("AP", {}),
    "success": ("Success", {}),
    "set_P": ("SetP", {}),
    "set_recall": ("SetR", {}),
    "set_F": ("SetF", {}),
    "rbp": ("RBP", {"p": 0.9}),
}
"""trec_eval's name: ours and the parameters it stands for; in trec_eval's order of printing."""

CUT = "_cut"
"""How those of trec_eval's names end that mean nothing without a cutoff, where ours would."""
_IGNORED = ("rel",)  # trec_eval's -l changes values, not names


def trec_name(measure: Measure) -> str:
    """What trec_eval calls a measure; our own name where it has none.

    >>> from cranfield.measures import parse_measure
    >>> [trec_name(parse_measure(text)) for text in ("AP", "AP(rel=2)@10", "nDCG@10", "ERR@10")]
    ['map', 'map_cut_10', 'ndcg_cut_10', 'ERR@10']
    """
    given = {name: value for name, value in measure.parameters if name not in _IGNORED}
    cutoff = given.pop("cutoff", None)
    for name, (ours, parameters) in TREC_NAMES.items():
        if ours != measure.name or dict(parameters) != given:
            continue
        if _takes_cutoff(name) == (cutoff is not None):
            return name if cutoff is None else f"{name}_{cutoff}"
    return str(measure)


def other_names(definition: Definition) -> list[str]:
    """The names a measure is known by elsewhere: its aliases, and trec_eval's (_k: with a cutoff)."""
    theirs = [
        name + ("_k" if _takes_cutoff(name) else "")
        for name, (ours, _) in TREC_NAMES.items()
        if ours == definition.name
    ]
    return list(dict.fromkeys([*definition.aliases, *(name for name in theirs if name != definition.name)]))


def _takes_cutoff(name: str) -> bool:
    return name in ("P", "recall", "success") or name.endswith(CUT)


def _rank(measure: Measure) -> tuple[int, int]:
    order = list(TREC_NAMES)
    name = trec_name(measure)
    for stem in (name, name.rpartition("_")[0]):
        if stem in TREC_NAMES:
            return order.index(stem), measure.cutoff or 0
    return len(order), 0


def trec_lines(scores: Scores, system: str, *, topics: bool) -> Iterator[str]:
    """The lines trec_eval prints for one run: measures in its order, topics in byte order, then all.

    Counts are printed as integers and summed over topics; everything else with four decimals and averaged.
    """
    from cranfield.measures.names import parse_measure

    measures = sorted((parse_measure(name) for name in scores), key=_rank)
    columns = {m: scores[str(m)].select(systems=[system]) for m in measures}
    first = columns[measures[0]]
    if topics:
        for topic in sorted(first.topics, key=str.encode):
            at = first.topics.index(topic)
            for m in measures:
                yield _line(m, topic, float(columns[m].values[at, 0]))
    for m in measures:
        values = columns[m].values[:, 0]
        yield _line(m, "all", float(values.sum() if m.definition.aggregate == "sum" else values.mean()))


def _line(measure: Measure, topic: str, value: float) -> str:
    shown = f"{value:.0f}" if measure.definition.aggregate == "sum" else f"{value:6.4f}"
    return f"{trec_name(measure):<22}\t{topic}\t{shown}"
