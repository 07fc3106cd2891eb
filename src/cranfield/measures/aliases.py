"""Every other name a measure goes by, in one table: trec_eval's, other tools', and those people say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from cranfield.measures.parameters import Value
from cranfield.records import record

Number = Literal["cutoff", "recall", "multiple"]


@record
class TrecName:
    """What a trec_eval name stands for: our measure, its parameters, and the one a number behind the name sets."""

    ours: str
    parameters: Mapping[str, Value] = field(default_factory=dict)
    number: Number | None = None

    def written(self, name: str, value: Value | None) -> str:
        """The name with its number as trec_eval writes it: ``P_10``, ``iprec_at_recall_0.10``."""
        if value is None:
            return name
        return f"{name}_{value}" if self.number == "cutoff" else f"{name}_{float(value):.2f}"


TREC_NAMES: Mapping[str, TrecName] = {
    "num_q": TrecName("NumTopics"),
    "num_ret": TrecName("NumRet"),
    "num_rel": TrecName("NumRel"),
    "num_rel_ret": TrecName("NumRelRet"),
    "map": TrecName("AP"),
    "Rprec": TrecName("Rprec"),
    "bpref": TrecName("Bpref"),
    "recip_rank": TrecName("RR"),
    "iprec_at_recall": TrecName("IPrec", number="recall"),
    "P": TrecName("P", number="cutoff"),
    "recall": TrecName("R", number="cutoff"),
    "infAP": TrecName("infAP"),
    "Rprec_mult": TrecName("Rprec", number="multiple"),
    "utility": TrecName("Utility"),
    "11pt_avg": TrecName("IPrecAvg"),
    "binG": TrecName("binG"),
    "G": TrecName("G"),
    "dcg": TrecName("DCG"),
    "ideal_dcg": TrecName("IDCG"),
    "ndcg": TrecName("nDCG"),
    "ndcg_rel": TrecName("nDCGrel"),
    "Rndcg": TrecName("RnDCG"),
    "ndcg_cut": TrecName("nDCG", number="cutoff"),
    "map_cut": TrecName("AP", number="cutoff"),
    "relative_P": TrecName("RelP", number="cutoff"),
    "success": TrecName("Success", number="cutoff"),
    "set_P": TrecName("SetP"),
    "set_relative_P": TrecName("SetRelP"),
    "set_recall": TrecName("SetR"),
    "set_map": TrecName("SetAP"),
    "set_F": TrecName("SetF"),
    "num_nonrel_judged_ret": TrecName("NumNonrelRet"),
    "yaap": TrecName("YAAP"),
    "rbp": TrecName("RBP", {"p": 0.9}),
    "rbp_resid": TrecName("RBPresidual", {"p": 0.9}),
    "unj": TrecName("Unjudged", number="cutoff"),
}
"""trec_eval's names of measures that give every topic a score, in trec_eval's order of printing."""

COMMON_NAMES: Mapping[str, tuple[str, ...]] = {
    "AP": ("MAP",),
    "P": ("Precision", "Prec"),
    "R": ("Recall",),
    "Rprec": ("RPrec", "R-precision", "R-prec"),
    "RR": ("MRR",),
    "Success": ("Hit", "Hits", "hit_rate"),
    "SetP": ("set_precision",),
    "SetF": ("F1", "F-measure"),
    "nDCG": ("MSnDCG",),
    "IPrecAvg": ("11pt",),
    "Unjudged": ("holes", "hole"),
    "Q": ("Q-measure",),
    "P+": ("P-plus", "Pplus"),
    "alpha-nDCG": ("α-nDCG",),
    "AP-IA": ("MAP-IA",),
    "strec": ("StRecall", "S-recall"),
}
"""Our name: other names for the same measure, of other tools and of papers."""

_GEOMETRIC = "is a geometric mean over topics, not a score of a topic; `cranfield trec_eval -m {0}` prints it, "
_PREFERENCES = (
    "needs preferences between documents (trec_eval -R prefs), which are not read here; the nearest measure for "
    "graded judgments is Bpref (trec_eval: bpref)"
)
_GROUPS = (
    "needs judgments by several groups of judges (trec_eval -R qrels_jg), which are not read here; the nearest for "
    "one group is {0}; score each group's qrels on its own and average"
)
NO_SCORE: Mapping[str, str] = {
    "runid": "is the run's tag, not a score; `cranfield trec_eval -m runid` prints it",
    "relstring": "is text, not a score; `cranfield trec_eval -q -m relstring` prints it",
    "gm_map": _GEOMETRIC.format("gm_map") + "and AP has the scores of the topics",
    "gm_bpref": _GEOMETRIC.format("gm_bpref") + "and Bpref has the scores of the topics",
    **dict.fromkeys(
        (
            "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_simp", "prefs_pair",
            "prefs_avgjg", "prefs_avgjg_Rnonrel", "prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret",
            "prefs_avgjg_Rnonrel_ret", "prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp",
        ),
        _PREFERENCES,
    ),
    "map_avgjg": _GROUPS.format("AP (trec_eval: map)"),
    "P_avgjg": _GROUPS.format("P@10 (trec_eval: P.10)"),
    "Rprec_mult_avgjg": _GROUPS.format("Rprec(multiple=…) (trec_eval: Rprec_mult)"),
}  # fmt: skip
"""trec_eval's names that give a topic no score here: why not, and what to use instead."""

_NUMBERED = re.compile(r"(?P<stem>.+?)[._](?P<number>\d+(?:\.\d+)?)")


def plain(name: str) -> str:
    """A name as it is looked up: without regard to case, and to - or _ or a blank.

    >>> plain("Alpha_nDCG")
    'alpha-ndcg'
    """
    return name.casefold().replace("_", "-").replace(" ", "-")


_EVERY = [*TREC_NAMES, *NO_SCORE]
_FOLDED = {plain(name): name for name in _EVERY} | {"gmap": "gm_map"}


def trec_spelling(name: str, *, exact: bool) -> tuple[str, str | None] | None:
    """The trec_eval name a text is, and the number behind it; None for other names.

    Parameters
    ----------
    exact : trec_eval's own capitals only (its ``rbp`` is not our ``RBP``)

    >>> trec_spelling("ndcg_cut.10", exact=True), trec_spelling("NDCG_CUT_10", exact=False)
    (('ndcg_cut', '10'), ('ndcg_cut', '10'))
    """
    match = _NUMBERED.fullmatch(name)
    candidates = [(name, None), (match["stem"], match["number"])] if match else [(name, None)]
    for stem, number in candidates:
        known = stem if stem in _EVERY else None if exact else _FOLDED.get(plain(stem))
        if known is None:
            continue
        takes = TREC_NAMES[known].number is not None if known in TREC_NAMES else False
        if number is None or takes:
            return known, number
    return None
