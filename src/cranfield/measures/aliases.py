"""trec_eval's measures: their names, parameters and lines, and which of ours they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from cranfield.core.errors import ArgumentError

if TYPE_CHECKING:
    from cranfield.measures.names import Measure
    from cranfield.measures.registry import Definition

Value = int | float | str
"""What a parameter can hold."""
Kind = Literal["none", "cutoffs", "points", "numbers", "gains"]
Show = Literal["score", "count", "text", "never"]
Summary = Literal["mean", "sum", "geometric", "topics", "relevant", "none", "tag"]
MOST = 2_147_483_647
"""The largest number that a flag or a parameter of trec_eval takes."""


@dataclass(frozen=True)
class TrecMeasure:
    """A measure of trec_eval.

    Parameters
    ----------
    name : trec_eval's name
    ours : our name for it; empty where a topic has no score
    kind : the parameters after the point: none, ranks (one line each), decimals (one line each), a list of numbers,
        or pairs ``level=gain``
    parameters : the parameters in use, as written; default those of trec_eval
    show : how a topic's value is printed
    summary : the value in the line of topic ``all``
    fixed : parameters of our measure that the name implies
    given : whether the parameters were given and so are part of the printed name
    """

    name: str
    ours: str = ""
    kind: Kind = "none"
    parameters: str = ""
    show: Show = "score"
    summary: Summary = "mean"
    fixed: Mapping[str, Value] = field(default_factory=dict)
    given: bool = False

    @property
    def number(self) -> str | None:
        """The parameter of our measure that a number after the name sets."""
        points = "multiple" if self.ours == "Rprec" else "recall"
        return {"cutoffs": "cutoff", "points": points}.get(self.kind)

    @property
    def refusal(self) -> str | None:
        """Why it cannot be computed, with an alternative; None if it can."""
        return NO_SCORE[self.name] if "prefs" in self.name or "avgjg" in self.name else None

    @property
    def numbers(self) -> tuple[float, ...]:
        """The parameters as numbers: ranks and decimals in ascending order, others as written."""
        what = "a rank" if self.kind == "cutoffs" else "a number"
        values = [self._float(part, self.kind == "cutoffs", f"{what}, found {part!r}") for part in self._parts]
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
        for part in filter(None, self._parts):
            name, equals, value = part.partition("=")
            text = value if name and equals else ""
            pairs[name] = self._float(text, False, f"level=gain pairs such as 1=3.5,2=9, found {part!r}")
        return pairs

    @property
    def _parts(self) -> list[str]:
        return self.parameters.split(",")

    def _float(self, text: str, whole: bool, expected: str) -> float:
        try:
            value = float(int(text)) if whole else float(text)
            if not abs(value) <= MOST:
                raise ValueError
        except (ValueError, OverflowError):
            raise ArgumentError(f"-m {self.name}.{self.parameters}: expected {expected}") from None
        return value

    @property
    def printed(self) -> str:
        """The name of its line, parameters included where they were given."""
        return f"{self.name}_{self.parameters}" if self.given else self.name

    def written(self, value: Value | None) -> str:
        """The name with a number as trec_eval writes it: ``P_10``, ``iprec_at_recall_0.10``."""
        if value is None:
            return self.name
        return f"{self.name}_{value}" if self.kind == "cutoffs" else f"{self.name}_{float(value):.2f}"


_DEPTHS = "5,10,15,20,30,100,200,500,1000"
_TENTHS = "0.0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0"
_MULTIPLES = "0.2,0.4,0.6,0.8,1.0,1.2,1.4,1.6,1.8,2.0"
PREFERENCES = tuple(
    "prefs_" + name
    for name in (
        "num_prefs_poss", "num_prefs_ful", "num_prefs_ful_ret", "simp", "pair", "avgjg", "avgjg_Rnonrel", "simp_ret",
        "pair_ret", "avgjg_ret", "avgjg_Rnonrel_ret", "simp_imp", "pair_imp", "avgjg_imp",
    )
)  # fmt: skip
"""trec_eval's measures of preferences between documents."""
TREC_MEASURES: Mapping[str, TrecMeasure] = {
    one.name: one
    for one in (
        TrecMeasure("runid", show="never", summary="tag"),
        TrecMeasure("num_q", "NumTopics", show="never", summary="topics"),
        TrecMeasure("num_ret", "NumRet", show="count", summary="sum"),
        TrecMeasure("num_rel", "NumRel", show="count", summary="relevant"),
        TrecMeasure("num_rel_ret", "NumRelRet", show="count", summary="sum"),
        TrecMeasure("map", "AP"),
        TrecMeasure("gm_map", show="never", summary="geometric"),
        TrecMeasure("Rprec", "Rprec"),
        TrecMeasure("bpref", "Bpref"),
        TrecMeasure("recip_rank", "RR"),
        TrecMeasure("iprec_at_recall", "IPrec", "points", _TENTHS),
        TrecMeasure("P", "P", "cutoffs", _DEPTHS),
        TrecMeasure("relstring", "", "numbers", "10", show="text", summary="none"),
        TrecMeasure("recall", "R", "cutoffs", _DEPTHS),
        TrecMeasure("infAP", "infAP"),
        TrecMeasure("gm_bpref", show="never", summary="geometric"),
        TrecMeasure("Rprec_mult", "Rprec", "points", _MULTIPLES),
        TrecMeasure("utility", "Utility", "numbers", "1.0,-1.0,0.0,0.0"),
        TrecMeasure("11pt_avg", "IPrecAvg", "numbers", _TENTHS),
        TrecMeasure("binG", "binG"),
        TrecMeasure("G", "G", "gains"),
        TrecMeasure("dcg", "DCG", "gains"),
        TrecMeasure("ideal_dcg", "IDCG", "gains"),
        TrecMeasure("ndcg", "nDCG", "gains"),
        TrecMeasure("ndcg_rel", "nDCGrel", "gains"),
        TrecMeasure("Rndcg", "RnDCG", "gains"),
        TrecMeasure("ndcg_cut", "nDCG", "cutoffs", _DEPTHS),
        TrecMeasure("map_cut", "AP", "cutoffs", _DEPTHS),
        TrecMeasure("relative_P", "RelP", "cutoffs", _DEPTHS),
        TrecMeasure("success", "Success", "cutoffs", "1,5,10"),
        TrecMeasure("set_P", "SetP"),
        TrecMeasure("set_relative_P", "SetRelP"),
        TrecMeasure("set_recall", "SetR"),
        TrecMeasure("set_map", "SetAP"),
        TrecMeasure("set_F", "SetF", "numbers", "1.0"),
        TrecMeasure("num_nonrel_judged_ret", "NumNonrelRet", show="count", summary="sum"),
        *map(TrecMeasure, PREFERENCES),
        TrecMeasure("map_avgjg"),
        TrecMeasure("P_avgjg", "", "cutoffs", _DEPTHS),
        TrecMeasure("Rprec_mult_avgjg", "", "points", _MULTIPLES),
        TrecMeasure("yaap", "YAAP"),
        TrecMeasure("rbp", "RBP", "gains", fixed={"p": 0.9}),
        TrecMeasure("rbp_resid", "RBPresidual", "gains", fixed={"p": 0.9}),
        TrecMeasure("unj", "Unjudged", "cutoffs", "5,10,20"),
    )
}
"""Every measure of trec_eval 10, in the order it prints them."""
TREC_NAMES = {name: one for name, one in TREC_MEASURES.items() if one.ours}
"""The measures with a score for every topic."""

_GEOMETRIC = "is a geometric mean over topics; use {1} for topics, or print it with `cranfield trec_eval -m {0}`"
_PREFERENCES = (
    "needs preferences between documents (trec_eval -R prefs), which are not supported; with graded judgments, use "
    "Bpref (trec_eval: bpref)"
)
_GROUPS = (
    "needs judgments by several groups (trec_eval -R qrels_jg), which are not supported; score the qrels of each group "
    "by {0} and average"
)
NO_SCORE: Mapping[str, str] = {
    "runid": "is the run's tag, not a score; `cranfield trec_eval -m runid` prints it",
    "relstring": "is text, not a score; `cranfield trec_eval -q -m relstring` prints it",
    "gm_map": _GEOMETRIC.format("gm_map", "AP"),
    "gm_bpref": _GEOMETRIC.format("gm_bpref", "Bpref"),
    **dict.fromkeys(PREFERENCES, _PREFERENCES),
    "map_avgjg": _GROUPS.format("AP (trec_eval: map)"),
    "P_avgjg": _GROUPS.format("P@10 (trec_eval: P.10)"),
    "Rprec_mult_avgjg": _GROUPS.format("Rprec(multiple=…) (trec_eval: Rprec_mult)"),
}
"""trec_eval's names without a score per topic: the reason, and what to use instead."""

_NUMBERED = re.compile(r"(?P<stem>.+?)[._](?P<number>\d+(?:\.\d+)?)")


def plain(name: str) -> str:
    """A name for lookup: case is ignored, and - and _ and a blank are equal.

    >>> plain("Alpha_nDCG")
    'alpha-ndcg'
    """
    return name.casefold().replace("_", "-").replace(" ", "-")


_FOLDED = {plain(name): name for name in TREC_MEASURES} | {"gmap": "gm_map"}


def trec_spelling(name: str, *, exact: bool) -> tuple[str, str | None] | None:
    """The trec_eval name in a text, and the number after it; None for other names.

    Parameters
    ----------
    exact : trec_eval's own capitals only (its ``rbp`` is not our ``RBP``)

    >>> trec_spelling("ndcg_cut.10", exact=True), trec_spelling("NDCG_CUT_10", exact=False)
    (('ndcg_cut', '10'), ('ndcg_cut', '10'))
    """
    match = _NUMBERED.fullmatch(name)
    candidates = [(name, None), (match["stem"], match["number"])] if match else [(name, None)]
    for stem, number in candidates:
        known = stem if stem in TREC_MEASURES else None if exact else _FOLDED.get(plain(stem))
        if known is not None and (number is None or (known in TREC_NAMES and TREC_NAMES[known].number is not None)):
            return known, number
    return None


def trec_place(measure: Measure) -> tuple[int, float, str]:
    """Where trec_eval prints a measure (place and number), and its name there.

    A measure that trec_eval does not have comes last, under our name.
    """
    given = {name: value for name, value in measure.parameters if name != "rel"}  # -l changes values, not names
    for place, meant in enumerate(TREC_NAMES.values()):
        if meant.ours != measure.name:
            continue
        rest = dict(given)
        number = rest.pop(meant.number, None) if meant.number else None
        if rest == dict(meant.fixed) and (meant.number is None) == (number is None):
            return place, float(number or 0), meant.written(number)
    return len(TREC_NAMES), 0.0, str(measure)


def trec_name(measure: Measure) -> str:
    """The trec_eval name of a measure; our name where it has none.

    >>> from cranfield.measures.names import parse_measure
    >>> [trec_name(parse_measure(text)) for text in ("AP", "AP(rel=2)@10", "nDCG@10", "IPrec(recall=0.1)", "ERR@10")]
    ['map', 'map_cut_10', 'ndcg_cut_10', 'iprec_at_recall_0.10', 'ERR@10']
    """
    return trec_place(measure)[2]


def other_names(definition: Definition) -> list[str]:
    """Other names of a measure: its aliases, and trec_eval's (_k: with a cutoff)."""
    endings = {None: "", "cutoff": "_k", "recall": "_0.10", "multiple": "_0.20"}
    theirs = [name + endings[meant.number] for name, meant in TREC_NAMES.items() if meant.ours == definition.name]
    return list(dict.fromkeys([*definition.aliases, *(name for name in theirs if name != definition.name)]))
