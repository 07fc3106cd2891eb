"""The output of -h and -v, made from the flags and measures."""

from __future__ import annotations

from cranfield import __version__
from cranfield.measures.aliases import TREC_MEASURES, TREC_NAMES, TrecMeasure
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
    "map_avgjg": "map averaged over the judgment groups of a topic (-R qrels_jg).",
    "P_avgjg": "P averaged over the judgment groups of a topic (-R qrels_jg).",
    "Rprec_mult_avgjg": "Rprec_mult averaged over the judgment groups of a topic (-R qrels_jg).",
    "prefs_num_prefs_poss": "Preferences that the judgments hold (summed over topics).",
    "prefs_num_prefs_ful": "Preferences fulfilled: the preferred document stands above, or alone is retrieved.",
    "prefs_num_prefs_ful_ret": "Preferences fulfilled with both documents retrieved (summed over topics).",
    "prefs_simp": "Preferences fulfilled / preferences.",
    "prefs_pair": "Mean over pairs of documents of the share of groups whose preference is fulfilled.",
    "prefs_avgjg": "Mean over judgment groups of preferences fulfilled / preferences.",
    "prefs_avgjg_Rnonrel": "prefs_avgjg with as many documents of level 0 as of higher levels, the first ones ranked.",
    "prefs_simp_ret": "prefs_simp over pairs with both documents retrieved.",
    "prefs_pair_ret": "prefs_pair over pairs with both documents retrieved.",
    "prefs_avgjg_ret": "prefs_avgjg over pairs with both documents retrieved.",
    "prefs_avgjg_Rnonrel_ret": "prefs_avgjg_Rnonrel over pairs with both documents retrieved.",
    "prefs_simp_imp": "prefs_simp over pairs with at least one document retrieved.",
    "prefs_pair_imp": "prefs_pair over pairs with at least one document retrieved.",
    "prefs_avgjg_imp": "prefs_avgjg over pairs with at least one document retrieved.",
}


def version_text() -> str:
    """The answer to -v."""
    return f"cranfield {__version__}, as trec_eval {FOLLOWED}\n"


def help_text(options: Options) -> str:
    """The answer to -h: the flags, the sets of measures, and the measures named with -m (all unless named)."""
    flags = [f"  {f.written:<22} {f.does}" for f in FLAGS]
    sets = [f"  {name:<22} {', '.join(members)}" for name, members in SETS.items()]
    named = choose(options.measures, options.format)[0] if options.measures else list(TREC_MEASURES.values())
    measures = [f"  {m.name + '[.…]' * (m.kind != 'none'):<22} {says(m)}" for m in named]
    parts = [f"Usage: {USAGE}", "", "Flags:", *flags, "", "Sets of measures:", *sets, "", "Measures:", *measures]
    return "\n".join(parts) + "\n"


def says(measure: TrecMeasure) -> str:
    """Its definition."""
    return _OWN_WORDS.get(measure.name) or find(TREC_NAMES[measure.name].ours).summary
