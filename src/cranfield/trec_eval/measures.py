"""The measures that a trec_eval command line names, and from a judged ranking to their columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cranfield.core.elementary import log
from cranfield.core.errors import ArgumentError, DataError, UnknownNameError
from cranfield.core.text import shown
from cranfield.measures.aliases import FORMATS, PREFERENCES, TREC_MEASURES, TrecMeasure, trec_name, trec_spelling
from cranfield.measures.binary import average_precision, bpref, mean_over_points, rbp_residual, set_f, utility
from cranfield.measures.graded import rbp
from cranfield.measures.judgments import Floats, Ints, Mask
from cranfield.measures.names import parse_measure
from cranfield.measures.ranking import JudgedRanking
from cranfield.measures.registry import find

OFFICIAL = "official"
"""The default set of measures."""
_HEAD = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret")
_MAIN = (*_HEAD, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P")
_NOT_IN_ALL = ("dcg", "ideal_dcg", "yaap")
SETS = {
    OFFICIAL: _MAIN,
    "set": (*_HEAD, "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    "all_trec": tuple(n for n, m in TREC_MEASURES.items() if FORMATS[0] in m.formats and n not in _NOT_IN_ALL),
    "all_prefs": ("runid", "num_q", *PREFERENCES),
    "prefs": ("runid", "num_q", *PREFERENCES[:6]),
    "qrels_jg": ("runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}
"""trec_eval's names for several measures at once."""
_SET_OF = {"prefs": "prefs", "qrels_prefs": "prefs", "qrels_jg": "qrels_jg"}


def choose(wanted: Iterable[str], format: str = FORMATS[0]) -> tuple[list[TrecMeasure], list[str]]:
    """The measures named, in trec_eval's order, and notes about their names.

    A name is trec_eval's (``P.5,10``), or any spelling `cranfield evaluate` takes (``P_10``, ``nDCG@10``, ``MAP``).

    >>> [m.printed for m in choose(["nDCG@10", "map"])[0]]
    ['map', 'ndcg_cut_10']
    >>> choose(["prefs_simp"])
    Traceback (most recent call last):
    cranfield.ArgumentError: trec_eval -m prefs_simp: needs judgments in the format prefs or qrels_prefs; add -R prefs

    Parameters
    ----------
    wanted : the values of -m
    format : the format of the judgments (-R)
    """
    notes: list[str] = []
    marked: dict[str, None] = {}
    given: dict[str, tuple[str, bool]] = {}  # the parameters, and whether they may be added to
    for text in list(wanted) or [OFFICIAL]:
        name, parameters, translated = _split(text)
        names = SETS.get(name, (name,))
        for each in names:
            if format not in (needed := TREC_MEASURES[each].formats):
                which = "" if each == name else f"{each} "
                told = (
                    f"add -R {needed[0]}"
                    if needed[0] != FORMATS[0]
                    else f"omit -R {format}, or use -m {_SET_OF[format]}"
                )
                raise ArgumentError(
                    f"trec_eval -m {text}: {which}needs judgments in the format {' or '.join(needed)}; {told}"
                )
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
        _check(measure, notes)
    return chosen, notes


def _check(measure: TrecMeasure, notes: list[str]) -> None:
    """Refuse bad parameters before reading files."""
    if measure.kind == "gains":
        _ = measure.pairs
    elif measure.kind != "none":
        count = len(measure.numbers)
        if measure.kind == "cutoffs" and (cut := [part for part in measure.parts if not part.strip().isdecimal()]):
            notes.append(
                f"-m {measure.name}: ranks are whole numbers; {', '.join(cut)} is cut at the point (trec_eval)"
            )
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


LOWEST = 0.00001
"""The lowest value of a topic in a geometric mean."""
UNDEFINED = ("iprec_at_recall", "11pt_avg")
"""Measures that trec_eval divides by the number of documents retrieved, even if that is 0."""
_NOT_IN_QRELS = -(2**40)
_PERSISTENCE = 0.9
_LEVEL_DIGITS = 4
"""Longest level with a named gain; all levels up to it have a gain."""


@dataclass(frozen=True)
class Column:
    """One line of every topic: the name printed, the values, or their text."""

    name: str
    measure: TrecMeasure
    values: Floats
    texts: list[str] | None = None

    def of(self, topics: Ints, absent: Mask) -> Column:
        """The column for some topics; missing topics have 0 where trec_eval clears its stand-in."""
        values = self.values[topics]
        texts = None if self.texts is None else [self.texts[at] for at in topics]
        if self.name in ("num_ret", "utility", "rbp_resid") or self.measure.name == "unj":
            values[absent] = 0.0
        if self.name == "relstring" and texts is not None:
            texts = ["''" if gone else text for text, gone in zip(texts, absent.tolist(), strict=True)]
        return Column(self.name, self.measure, values, texts)


def with_stand_in(ranking: JudgedRanking) -> JudgedRanking:
    """The ranking with one unjudged document for a topic that has none.

    trec_eval 10 does that with -c. It clears the values afterwards by name, so the stand-in shows under a name with
    parameters (``utility_1,-1,0,0``, ``relstring_20``, ``rbp_resid_p=0.8``).
    """
    return replace(ranking, retrieved=np.maximum(ranking.retrieved, 1), _memory={})


def cut(ranking: JudgedRanking, most: int | None, judged_only: bool) -> JudgedRanking:
    """The ranking with the first `most` documents of a topic (-M), then without unjudged documents (-J)."""
    if most is not None:
        ranking = ranking.keep(ranking.rank <= most, retrieved=np.minimum(ranking.retrieved, most))
    if judged_only:
        ranking = ranking.condensed
    return ranking


def columns(measure: TrecMeasure, ranking: JudgedRanking, *, level: int, documents: int) -> list[Column]:
    """The columns of one measure; none for the run's tag.

    Parameters
    ----------
    level : the lowest level that counts as relevant (-l)
    documents : documents of the collection (-N)
    """
    name = measure.name
    if name == "runid":
        return []
    if name == "relstring":
        texts = level_strings(ranking, int(measure.numbers[0]))
        return [Column(measure.printed, measure, np.zeros(ranking.n_topics), texts)]
    if measure.kind not in ("cutoffs", "points"):
        return [Column(measure.printed, measure, _single(measure, ranking, level, documents))]
    numbers = [int(number) if measure.kind == "cutoffs" else number for number in measure.numbers]
    return [
        Column(measure.written(number), measure, _ours(measure, ranking, level, **{str(measure.number): number}))
        for number in numbers
    ]


def _ours(measure: TrecMeasure, ranking: JudgedRanking, level: int, **parameters: Any) -> Floats:
    """Our measure of that name."""
    definition = find(measure.ours)
    if "rel" in definition.parameters:
        parameters["rel"] = level
    return definition.function(ranking, **parameters)


def _single(measure: TrecMeasure, ranking: JudgedRanking, level: int, documents: int) -> Floats:
    name = measure.name
    if name in ("gm_map", "gm_bpref"):
        of_topic = average_precision(ranking, rel=level) if name == "gm_map" else bpref(ranking, rel=level)
        return log(np.maximum(of_topic, LOWEST))
    if name == "utility":
        weights = dict(zip(("hit", "noise", "miss", "rest"), measure.numbers, strict=True))
        return utility(ranking, rel=level, documents=documents, **weights)
    if name == "set_F":
        return set_f(ranking, rel=level, beta=measure.numbers[0])
    if name == "11pt_avg":
        return mean_over_points(ranking, level, measure.numbers)
    if name == "rbp":
        return _rbp(measure, ranking)
    if name == "rbp_resid":
        return rbp_residual(ranking, p=measure.pairs.get("p", _PERSISTENCE))
    gains = {"gains": gains_of(measure, ranking.judgments.top_level)} if measure.kind == "gains" else {}
    return _ours(measure, ranking, level, **gains)


def gains_of(measure: TrecMeasure, top_level: int) -> str:
    """The gain of levels 1, 2, … in our syntax; the default gain of a level is its number.

    >>> from cranfield.trec_eval.measures import choose
    >>> gains_of(choose(["ndcg.1=3.5,3=9"])[0][0], 2)
    '3.5:2.0:9.0'
    """
    named: dict[int, float] = {}
    for level, gain in measure.pairs.items():
        if level == "p" and measure.name.startswith("rbp"):
            continue
        if not level.isdecimal() or int(level) < 1 or gain < 0:
            raise ArgumentError(
                f"-m {measure.name}.{measure.parameters}: gains need levels from 1 and must not be negative; found "
                f"{level}={gain:g}. Change the levels in the qrels instead"
            )
        if len(level) > _LEVEL_DIGITS:
            raise ArgumentError(
                f"-m {measure.name}: only levels of up to {_LEVEL_DIGITS} digits may have a gain; found {shown(level)}"
            )
        named[int(level)] = gain
    if not named:
        return "linear"
    if top_level >= 10**_LEVEL_DIGITS:
        raise DataError(
            f"the judgments go up to level {top_level:,}; named gains need levels of up to {_LEVEL_DIGITS} digits. "
            f"Omit the gains from -m {measure.name}"
        )
    return ":".join(repr(named.get(level, float(level))) for level in range(1, max(top_level, *named) + 1))


def _rbp(measure: TrecMeasure, ranking: JudgedRanking) -> Floats:
    """RBP with gains scaled to at most 1; given gains within [0, 1] are not scaled."""
    p = measure.pairs.get("p", _PERSISTENCE)
    gains = gains_of(measure, ranking.judgments.top_level)
    value = rbp(ranking, p=p, gains=gains)
    highest = ranking.judgments.highest_gain(gains)
    return value * highest if highest < 1 else value


def level_strings(ranking: JudgedRanking, length: int) -> list[str]:
    """The levels of the first documents of each topic, a character each, in quotes."""
    length = int(min(max(length, 0), ranking.retrieved.max(initial=0)))
    levels = ranking.top(length, unjudged=_NOT_IN_QRELS)
    codes = np.full(levels.shape, ord("."), dtype=np.uint8)
    codes[levels == _NOT_IN_QRELS] = ord("-")
    codes[levels > 9] = ord(">")
    digits = (levels >= 0) & (levels <= 9)
    codes[digits] = (levels[digits] + ord("0")).astype(np.uint8)
    shown = np.minimum(ranking.retrieved, length).tolist()
    return [f"'{row.tobytes()[:n].decode()}'" for row, n in zip(codes, shown, strict=True)]
