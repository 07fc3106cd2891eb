"""The measures of trec_eval 10 in its order: what may stand behind their names, and how they are summed up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from cranfield.errors import ArgumentError, UnknownNameError
from cranfield.measures.aliases import NO_SCORE, TREC_NAMES, trec_spelling
from cranfield.measures.names import parse_measure
from cranfield.measures.registry import find
from cranfield.measures.trec import trec_name
from cranfield.trec_eval.arguments import MOST, OFFICIAL

Kind = Literal["none", "cutoffs", "points", "numbers", "gains"]
Show = Literal["score", "count", "text", "never"]
Summary = Literal["mean", "sum", "geometric", "topics", "relevant", "none", "tag"]

_DEPTHS = "5,10,15,20,30,100,200,500,1000"


@dataclass(frozen=True)
class TrecMeasure:
    """A measure of trec_eval.

    Parameters
    ----------
    name : trec_eval's name
    kind : what may stand behind the point: nothing, ranks (one line each), decimals (one line each), numbers in a
        row, or pairs ``level=gain``
    parameters : the parameters in use, as written; those of trec_eval unless given
    show : how a topic's value is printed
    summary : what the line of topic ``all`` holds
    given : whether the parameters were given and so belong to the printed name
    """

    name: str
    kind: Kind = "none"
    parameters: str = ""
    show: Show = "score"
    summary: Summary = "mean"
    given: bool = False

    @property
    def refusal(self) -> str | None:
        """Why it cannot be computed, with the equivalent; None for all that can be."""
        return NO_SCORE[self.name] if "prefs" in self.name or "avgjg" in self.name else None

    @property
    def summary_line(self) -> str:
        """Its definition in a sentence."""
        if self.name in _OWN_WORDS:
            return _OWN_WORDS[self.name]
        return find(TREC_NAMES[self.name].ours).summary if self.name in TREC_NAMES else ""

    @property
    def ours(self) -> str:
        """How to write it in cranfield's own syntax; empty for what gives a topic no score.

        >>> [MEASURES[name].ours for name in ("map", "map_cut", "iprec_at_recall", "rbp", "runid")]
        ['AP', 'AP@k', 'IPrec(recall=…)', 'RBP(p=0.9)', '']
        """
        if self.name not in TREC_NAMES:
            return ""
        meant = TREC_NAMES[self.name]
        inside = [f"{name}={value}" for name, value in meant.parameters.items()]
        if meant.number not in (None, "cutoff"):
            inside.append(f"{meant.number}=…")
        return meant.ours + (f"({','.join(inside)})" if inside else "") + "@k" * (meant.number == "cutoff")

    @property
    def numbers(self) -> tuple[float, ...]:
        """The parameters as numbers: ranks and decimals in ascending order, others as written."""
        values: list[float] = []
        for part in self.parameters.split(","):
            try:
                value = float(int(part)) if self.kind == "cutoffs" else float(part)
                if not abs(value) <= MOST:
                    raise ValueError
            except (ValueError, OverflowError):
                what = "a rank" if self.kind == "cutoffs" else "a number"
                raise ArgumentError(f"-m {self.name}.{self.parameters}: expected {what}, found {part!r}") from None
            values.append(value)
        if self.kind in ("cutoffs", "points"):
            values.sort()
            if len(set(values)) < len(values):
                raise ArgumentError(f"-m {self.name}.{self.parameters}: a parameter is given twice")
            if values[0] < (1 if self.kind == "cutoffs" else 0):
                raise ArgumentError(f"-m {self.name}.{self.parameters}: ranks start at 1, decimals at 0")
        return tuple(values)

    @property
    def pairs(self) -> dict[str, float]:
        """The parameters as pairs ``name=number``."""
        pairs = {}
        for part in filter(None, self.parameters.split(",")):
            name, equals, value = part.partition("=")
            try:
                if not name or not equals:
                    raise ValueError
                pairs[name] = float(value)
                if not abs(pairs[name]) <= MOST:
                    raise ValueError
            except ValueError:
                raise ArgumentError(
                    f"-m {self.name}.{self.parameters}: expected level=gain pairs such as 1=3.5,2=9, found {part!r}"
                ) from None
        return pairs

    @property
    def printed(self) -> str:
        """The name of its line, parameters included where they were given."""
        return f"{self.name}_{self.parameters}" if self.given else self.name


_OWN_WORDS = {
    "runid": "The run's tag, from the run file; in the summary only.",
    "gm_map": "Geometric mean over topics of AP, none below 0.00001; in the summary only.",
    "gm_bpref": "Geometric mean over topics of Bpref, none below 0.00001; in the summary only.",
    "relstring": "Levels of the first documents as text (- not in the qrels, . negative, > above 9); with -q only.",
    "num_q": "Topics averaged over; in the summary only.",
}
_PREFERENCES = (
    "num_prefs_poss", "num_prefs_ful", "num_prefs_ful_ret", "simp", "pair", "avgjg", "avgjg_Rnonrel", "simp_ret",
    "pair_ret", "avgjg_ret", "avgjg_Rnonrel_ret", "simp_imp", "pair_imp", "avgjg_imp",
)  # fmt: skip

MEASURES = {
    measure.name: measure
    for measure in (
        TrecMeasure("runid", show="never", summary="tag"),
        TrecMeasure("num_q", show="never", summary="topics"),
        TrecMeasure("num_ret", show="count", summary="sum"),
        TrecMeasure("num_rel", show="count", summary="relevant"),
        TrecMeasure("num_rel_ret", show="count", summary="sum"),
        TrecMeasure("map"),
        TrecMeasure("gm_map", show="never", summary="geometric"),
        TrecMeasure("Rprec"),
        TrecMeasure("bpref"),
        TrecMeasure("recip_rank"),
        TrecMeasure("iprec_at_recall", "points", "0.0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0"),
        TrecMeasure("P", "cutoffs", _DEPTHS),
        TrecMeasure("relstring", "numbers", "10", show="text", summary="none"),
        TrecMeasure("recall", "cutoffs", _DEPTHS),
        TrecMeasure("infAP"),
        TrecMeasure("gm_bpref", show="never", summary="geometric"),
        TrecMeasure("Rprec_mult", "points", "0.2,0.4,0.6,0.8,1.0,1.2,1.4,1.6,1.8,2.0"),
        TrecMeasure("utility", "numbers", "1.0,-1.0,0.0,0.0"),
        TrecMeasure("11pt_avg", "numbers", "0.0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0"),
        TrecMeasure("binG"),
        TrecMeasure("G", "gains"),
        TrecMeasure("dcg", "gains"),
        TrecMeasure("ideal_dcg", "gains"),
        TrecMeasure("ndcg", "gains"),
        TrecMeasure("ndcg_rel", "gains"),
        TrecMeasure("Rndcg", "gains"),
        TrecMeasure("ndcg_cut", "cutoffs", _DEPTHS),
        TrecMeasure("map_cut", "cutoffs", _DEPTHS),
        TrecMeasure("relative_P", "cutoffs", _DEPTHS),
        TrecMeasure("success", "cutoffs", "1,5,10"),
        TrecMeasure("set_P"),
        TrecMeasure("set_relative_P"),
        TrecMeasure("set_recall"),
        TrecMeasure("set_map"),
        TrecMeasure("set_F", "numbers", "1.0"),
        TrecMeasure("num_nonrel_judged_ret", show="count", summary="sum"),
        *(TrecMeasure(f"prefs_{name}") for name in _PREFERENCES),
        TrecMeasure("map_avgjg"),
        TrecMeasure("P_avgjg", "cutoffs", _DEPTHS),
        TrecMeasure("Rprec_mult_avgjg", "points", "0.2,0.4,0.6,0.8,1.0,1.2,1.4,1.6,1.8,2.0"),
        TrecMeasure("yaap"),
        TrecMeasure("rbp", "gains"),
        TrecMeasure("rbp_resid", "gains"),
        TrecMeasure("unj", "cutoffs", "5,10,20"),
    )
}
"""Every measure of trec_eval 10, in the order it prints them."""

_HEAD = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret")
_MAIN = (*_HEAD, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P")
_NOT_IN_ALL = ("dcg", "ideal_dcg", "yaap")
SETS = {
    OFFICIAL: _MAIN,
    "set": (*_HEAD, "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    "all_trec": tuple(n for n, m in MEASURES.items() if m.refusal is None and n not in _NOT_IN_ALL),
    "all_prefs": ("runid", "num_q", *(f"prefs_{name}" for name in _PREFERENCES)),
    "prefs": ("runid", "num_q", *(f"prefs_{name}" for name in _PREFERENCES[:6])),
    "qrels_jg": ("runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}
"""trec_eval's names for several measures at once."""


def choose(wanted: Iterable[str]) -> tuple[list[TrecMeasure], list[str]]:
    """The measures named, in trec_eval's order, and what to know about the way they were named.

    A name is trec_eval's (``P.5,10``), or any spelling `cranfield evaluate` takes (``P_10``, ``nDCG@10``, ``MAP``).

    >>> [m.printed for m in choose(["nDCG@10", "map"])[0]]
    ['map', 'ndcg_cut_10']
    >>> choose(["prefs_simp"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    cranfield.errors.ArgumentError: trec_eval -m prefs_simp: needs preferences between documents (trec_eval -R prefs)...
    """
    notes: list[str] = []
    marked: dict[str, None] = {}
    given: dict[str, tuple[str, bool]] = {}  # the parameters, and whether they may be added to
    for text in list(wanted) or [OFFICIAL]:
        name, parameters, translated = _split(text)
        names = SETS.get(name, (name,))
        for each in names:
            if (why := MEASURES[each].refusal) is not None:
                raise ArgumentError(f"trec_eval -m {text}: {'' if each == name else each + ' '}{why}")
        marked |= dict.fromkeys(names)
        if not parameters:
            continue
        if name in SETS or MEASURES[name].kind == "none":
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
        for name, measure in MEASURES.items()
        if name in marked
    ]
    for measure in chosen:
        _check(measure)
    return chosen, notes


def _check(measure: TrecMeasure) -> None:
    """Refuse bad parameters before anything is read."""
    if measure.kind == "gains":
        _ = measure.pairs
    elif measure.kind != "none":
        count = len(measure.numbers)
        if measure.name == "utility" and count != 4:
            raise ArgumentError(f"-m utility.{measure.parameters}: utility takes 4 numbers; got {count}")
        if (
            measure.name in ("iprec_at_recall", "11pt_avg")
            and not 0 <= min(measure.numbers) <= max(measure.numbers) <= 1
        ):
            raise ArgumentError(f"-m {measure.name}.{measure.parameters}: recall lies between 0 and 1")


def _split(text: str) -> tuple[str, str, bool]:
    """trec_eval's name, the parameters, and whether the name was another spelling."""
    name, _, parameters = text.partition(".")
    if name in SETS or name in MEASURES:
        return name, parameters, False
    spelling = trec_spelling(text, exact=False)
    if spelling is not None and spelling[0] in MEASURES:
        return spelling[0], spelling[1] or "", True
    try:
        measure = parse_measure(text)
    except UnknownNameError as error:
        raise UnknownNameError("measure", error.name, [*SETS, *MEASURES]) from None
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
