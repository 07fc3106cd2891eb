"""The measures that a trec_eval command line names: sets, other spellings, and checked parameters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cranfield.core.errors import ArgumentError, UnknownNameError
from cranfield.measures.aliases import PREFERENCES, TREC_MEASURES, TrecMeasure, trec_name, trec_spelling
from cranfield.measures.names import parse_measure

OFFICIAL = "official"
"""The default set of measures."""
_HEAD = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret")
_MAIN = (*_HEAD, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P")
_NOT_IN_ALL = ("dcg", "ideal_dcg", "yaap")
SETS = {
    OFFICIAL: _MAIN,
    "set": (*_HEAD, "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    "all_trec": tuple(n for n, m in TREC_MEASURES.items() if m.refusal is None and n not in _NOT_IN_ALL),
    "all_prefs": ("runid", "num_q", *PREFERENCES),
    "prefs": ("runid", "num_q", *PREFERENCES[:6]),
    "qrels_jg": ("runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}
"""trec_eval's names for several measures at once."""


def choose(wanted: Iterable[str]) -> tuple[list[TrecMeasure], list[str]]:
    """The measures named, in trec_eval's order, and notes about their names.

    A name is trec_eval's (``P.5,10``), or any spelling `cranfield evaluate` takes (``P_10``, ``nDCG@10``, ``MAP``).

    >>> [m.printed for m in choose(["nDCG@10", "map"])[0]]
    ['map', 'ndcg_cut_10']
    >>> choose(["prefs_simp"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    cranfield.ArgumentError: trec_eval -m prefs_simp: needs preferences between documents (trec_eval -R prefs)...
    """
    notes: list[str] = []
    marked: dict[str, None] = {}
    given: dict[str, tuple[str, bool]] = {}  # the parameters, and whether they may be added to
    for text in list(wanted) or [OFFICIAL]:
        name, parameters, translated = _split(text)
        names = SETS.get(name, (name,))
        for each in names:
            if (why := TREC_MEASURES[each].refusal) is not None:
                raise ArgumentError(f"trec_eval -m {text}: {'' if each == name else each + ' '}{why}")
        marked |= dict.fromkeys(names)
        if not parameters:
            continue
        if name in SETS or TREC_MEASURES[name].kind == "none":
            notes.append(f"-m {text}: {name} takes no parameters; {parameters!r} is ignored, as in trec_eval")
        elif name not in given:
            given[name] = (parameters, translated)
        elif translated and given[name][1]:
            given[name] = (f"{given[name][0]},{parameters}", True)
        else:
            both = f"{given[name][0]},{parameters}"
            notes.append(
                f"-m {text} is ignored, as in trec_eval: the first parameters given for {name} count; "
                f"write -m {name}.{both}"
            )
    chosen = [
        replace(measure, parameters=given[name][0], given=True) if name in given else measure
        for name, measure in TREC_MEASURES.items()
        if name in marked
    ]
    for measure in chosen:
        _check(measure)
    return chosen, notes


def _check(measure: TrecMeasure) -> None:
    """Refuse bad parameters before reading files."""
    if measure.kind == "gains":
        _ = measure.pairs
    elif measure.kind != "none":
        count = len(measure.numbers)
        if measure.name == "utility" and count != 4:
            raise ArgumentError(f"-m utility.{measure.parameters}: utility takes 4 numbers; got {count}")
        recall = measure.name in ("iprec_at_recall", "11pt_avg")
        if recall and not 0 <= min(measure.numbers) <= max(measure.numbers) <= 1:
            raise ArgumentError(f"-m {measure.name}.{measure.parameters}: recall lies between 0 and 1")


def _split(text: str) -> tuple[str, str, bool]:
    """trec_eval's name, the parameters, and whether the name was another spelling."""
    name, _, parameters = text.partition(".")
    if name in SETS or name in TREC_MEASURES:
        return name, parameters, False
    spelling = trec_spelling(text, exact=False)
    if spelling is not None and spelling[0] in TREC_MEASURES:
        return spelling[0], spelling[1] or "", True
    try:
        measure = parse_measure(text)
    except UnknownNameError as error:
        raise UnknownNameError("measure", error.name, [*SETS, *TREC_MEASURES]) from None
    spelling = trec_spelling(trec_name(measure), exact=True)
    if spelling is None:
        raise ArgumentError(
            f"trec_eval -m {text}: trec_eval has no such measure; `cranfield evaluate --trec -m {text}` prints it in "
            "trec_eval's form"
        )
    level = measure.get("rel")
    if level not in (None, 1):
        raise ArgumentError(f"trec_eval -m {text}: the relevance level is set for all measures; write -l {level}")
    return spelling[0], spelling[1] or "", True
