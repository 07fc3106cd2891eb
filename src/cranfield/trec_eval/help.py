"""The output of -h and -v, made from the flags and measures."""

from __future__ import annotations

from cranfield import __version__
from cranfield.measures.aliases import NO_SCORE, TREC_MEASURES, TREC_NAMES, TrecMeasure
from cranfield.measures.registry import find
from cranfield.trec_eval.arguments import FLAGS, USAGE, Options
from cranfield.trec_eval.measures import SETS, choose

FOLLOWED = "10.0"
"""The version of trec_eval whose output is reproduced."""
_OWN_WORDS = {
    "runid": "The run's tag, from the run file; in the summary only.",
    "gm_map": "Geometric mean over topics of AP, none below 0.00001; in the summary only.",
    "gm_bpref": "Geometric mean over topics of Bpref, none below 0.00001; in the summary only.",
    "relstring": "Levels of the first documents as text (- not in the qrels, . negative, > above 9); with -q only.",
    "num_q": "Topics averaged over; in the summary only.",
}


def version_text() -> str:
    """The answer to -v."""
    return f"cranfield {__version__}, as trec_eval {FOLLOWED}\n"


def help_text(options: Options) -> str:
    """The answer to -h: the flags, the sets of measures, and the measures named with -m (all unless named)."""
    flags = [f"  {f.written:<22} {f.does}" for f in FLAGS]
    sets = [f"  {name:<22} {listed(members)}" for name, members in SETS.items()]
    named = choose(options.measures)[0] if options.measures else list(TREC_MEASURES.values())
    measures = [f"  {m.name + '[.…]' * (m.kind != 'none'):<22} {says(m)}" for m in named]
    parts = [f"Usage: {USAGE}", "", "Flags:", *flags, "", "Sets of measures:", *sets, "", "Measures:", *measures]
    return "\n".join(parts) + "\n"


def says(measure: TrecMeasure) -> str:
    """Its definition, or why it is not computed."""
    if measure.refusal is not None:
        return f"Not computed: {measure.refusal}."
    return _OWN_WORDS.get(measure.name) or find(TREC_NAMES[measure.name].ours).summary


def listed(members: tuple[str, ...]) -> str:
    """The members of a set, and whether any can be computed."""
    return ", ".join(members) + " (not computed)" * all(name in NO_SCORE for name in members[2:])
