"""trec_eval's flags, read as trec_eval reads them: clustered, in any order, long names cut short; and its -h and -v."""

from __future__ import annotations

import getopt
from collections.abc import Sequence
from dataclasses import dataclass

from cranfield import __version__
from cranfield.core.errors import ArgumentError
from cranfield.core.labels import plural
from cranfield.measures.aliases import FORMATS, MOST, TREC_MEASURES, TREC_NAMES, TrecMeasure
from cranfield.measures.registry import find
from cranfield.trec_eval.measures import SETS, choose

_COMPLETE = "average over all topics of the qrels; a topic the run lacks scores 0"
_LEVEL = "lowest relevance level that counts as relevant; default 1"
_DOCUMENTS = "number of documents in the collection, for `utility`"
_Z = "print z scores from lines `topic measure mean sd`, as `standardise fit --trec` writes them"
_FORMAT = "judgments as `qrels`, `prefs` or `qrels_prefs` (preferences), or `qrels_jg` (several groups)"
_DEBUG = "evaluate TOPIC alone (with -c, means stay over all topics); prints no debug lines"
USAGE = (
    "cranfield trec_eval [-h] [-q] [-n] [-c] [-l LEVEL] [-m MEASURE]… [-M N] [-J] [-N N] [-Z FILE] "
    "[-R FORMAT] QRELS RUN…"
)
FOLLOWED = "10.0"
"""The version of trec_eval whose output is reproduced."""
_OWN_WORDS = {
    "runid": "The run's tag, from the run file; in the summary only.",
    "gm_map": "Geometric mean over topics of AP, each at least 0.00001; in the summary only.",
    "gm_bpref": "Geometric mean over topics of Bpref, each at least 0.00001; in the summary only.",
    "relstring": "Levels of the first documents as text (- not in the qrels, . negative, > above 9); with -q only.",
    "num_q": "Topics averaged over; in the summary only.",
    "map_avgjg": "map averaged over the judgment groups of a topic (-R qrels_jg).",
    "P_avgjg": "P averaged over the judgment groups of a topic (-R qrels_jg).",
    "Rprec_mult_avgjg": "Rprec_mult averaged over the judgment groups of a topic (-R qrels_jg).",
    "prefs_num_prefs_poss": "Preferences in the judgments (summed over topics).",
    "prefs_num_prefs_ful": "Preferences fulfilled: the preferred document ranks higher, or only it is retrieved.",
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


@dataclass(frozen=True)
class Flag:
    """A flag of trec_eval: letter, long name, its value, its effect here, and the option that it sets.

    A flag with a number has a `least`; a flag for a format has those that are `read`.
    """

    letter: str
    long: str
    value: str
    does: str
    sets: str = ""
    least: int | None = None
    read: tuple[str, ...] = ()

    @property
    def written(self) -> str:
        """The flag with what follows it."""
        return f"-{self.letter} {self.value}".rstrip()


FLAGS = (
    Flag("h", "help", "", "print the flags and the measures named with -m", "help"),
    Flag("v", "version", "", "print the version of cranfield, and of the trec_eval it follows", "version"),
    Flag("q", "query_eval_wanted", "", "print every topic before the summary, in byte order of the ids", "topics"),
    Flag("n", "nosummary", "", "omit the summary", "no_summary"),
    Flag("m", "measure", "NAME[.PARAMETERS]", "measure or set of measures; repeatable; default `official`"),
    Flag("c", "complete_rel_info_wanted", "", _COMPLETE, "complete"),
    Flag("l", "level_for_rel", "LEVEL", _LEVEL, "level", 1),
    Flag("M", "Max_retrieved_per_topic", "N", "keep the first N documents of each topic", "most", 1),
    Flag("J", "Judged_docs_only", "", "drop unjudged documents from the rankings, after -M", "judged_only"),
    Flag("N", "Number_docs_in_coll", "N", _DOCUMENTS, "documents", 0),
    Flag("Z", "Zscore", "FILE", _Z, "zscores"),
    Flag("D", "Debug_level", "N[.TOPIC]", _DEBUG),
    Flag("R", "Rel_info_format", "FORMAT", _FORMAT, "format", read=FORMATS),
    Flag("T", "Results_format", "FORMAT", "`trec_results` only", read=("trec_results",)),
    Flag("o", "Output_old_results_format", "", "no effect, as in trec_eval"),
)
"""Every flag of trec_eval 10."""


@dataclass(frozen=True)
class Options:
    """The options of a trec_eval command line."""

    qrels: str = ""
    runs: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    topics: bool = False
    no_summary: bool = False
    complete: bool = False
    level: int = 1
    most: int | None = None
    judged_only: bool = False
    documents: int = 0
    zscores: str | None = None
    format: str = FORMATS[0]
    only_topic: str | None = None
    help: bool = False
    version: bool = False
    notes: tuple[str, ...] = ()

    @property
    def run(self) -> str:
        """The first run; empty if there is none."""
        return self.runs[0] if self.runs else ""


def parse_arguments(words: Sequence[str]) -> Options:
    """The options of a command line in trec_eval's syntax.

    Raises
    ------
    ArgumentError
        Unknown flag, flag without a value, value that is no number or out of range, unsupported format, fewer than two
        files.

    Examples
    --------
    >>> options = parse_arguments(["-qc", "-mP.5,10", "qrels", "-l2", "run"])
    >>> options.topics, options.complete, options.measures, options.level, options.qrels, options.run
    (True, True, ('P.5,10',), 2, 'qrels', 'run')
    >>> parse_arguments(["-x", "qrels", "run"])
    Traceback (most recent call last):
    cranfield.ArgumentError: trec_eval has no flag -x; it has -h -v -q -n -m -c -l -M -J -N -Z -D -R -T -o
    """
    letters = "".join(flag.letter + ":" * bool(flag.value) for flag in FLAGS)
    long = [flag.long + "=" * bool(flag.value) for flag in FLAGS]
    try:
        given, files = getopt.gnu_getopt(list(words), letters, long)
    except getopt.GetoptError as error:
        raise ArgumentError(_refusal(error)) from None
    by_name = {name: flag for flag in FLAGS for name in (f"--{flag.long}", f"-{flag.letter}")}
    values: dict[str, object] = {}
    measures: list[str] = []
    notes: list[str] = []
    for name, text in given:
        flag = by_name[name]
        if flag.letter == "m":
            measures.append(text)
        elif flag.letter == "D":
            level, point, topic = text.partition(".")
            if _number("D", level or "0", 0):
                notes.append(f"-D {text}: trec_eval's debug lines are not printed")
            values["only_topic"] = topic if point else None
        elif flag.read and text not in flag.read:
            raise ArgumentError(f"trec_eval -{flag.letter} {text}: no such format; known: {', '.join(flag.read)}")
        elif flag.sets:
            counted = text if flag.least is None else _number(flag.letter, text, flag.least)
            values[flag.sets] = counted if flag.value else True
    if not (values.get("help") or values.get("version")) and len(files) < 2:
        raise ArgumentError(f"trec_eval takes judgments and a run; found {plural(len(files), 'file')}. Usage: {USAGE}")
    if len(files) > 1:
        values |= {"qrels": files[0], "runs": tuple(files[1:])}
    return Options(measures=tuple(measures), notes=tuple(notes), **values)  # type: ignore[arg-type]


def _number(letter: str, text: str, low: int) -> int:
    try:
        value = int(text)
    except ValueError:
        raise ArgumentError(f"trec_eval -{letter}: expected a whole number, found {text!r}") from None
    if value < low:
        raise ArgumentError(f"trec_eval -{letter}: must be at least {low}; got {value}")
    if value > MOST:
        raise ArgumentError(f"trec_eval -{letter}: must be at most {MOST}; got {text}")
    return value


def _refusal(error: getopt.GetoptError) -> str:
    flag = f"--{error.opt}" if len(error.opt) > 1 else f"-{error.opt}"
    if "requires" in error.msg or "must not have" in error.msg or "unique" in error.msg:
        return f"trec_eval {flag}: {error.msg}"
    return f"trec_eval has no flag {flag}; it has {' '.join('-' + each.letter for each in FLAGS)}"


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
