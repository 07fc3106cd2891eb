"""Scores as other tools write them: one file per run, nugget assignments, and leaderboards."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from cranfield.core.errors import FileError, Problem
from cranfield.core.files import system_name
from cranfield.core.labels import plural
from cranfield.core.recognition import first_lines, is_by_system, long_columns
from cranfield.core.text import Problems, decimal_comma, filled_lines, json_objects, score_number, shown
from cranfield.scores.formats import FORMATS, ReadOptions, ScoreFile, ScoreFormat
from cranfield.scores.writers import write_per_run

if TYPE_CHECKING:
    from cranfield.scores.matrix import ScoreMatrix

_NEV = re.compile(r"(\S+)\s+([^\s#=][^=]*?)=\s*(\S+)\s*")
_NEV_COUNTS = re.compile(r"(\S+)\s+#((?:\s+\w+=\S+)+)\s*")
_TREC_NAMES = re.compile(
    r"(num_\w+|map(_\w+)?|gm_\w+|Rprec\w*|bpref|recip_rank|iprec_at_recall_.*|[Pp]_\d+|ndcg\w*|recall_\d+|infAP|"
    r"runid|relstring\w*|success_\d+|set_\w+|11pt_avg|utility|binG|G|Rndcg|rel(ative)?_P_\d+|unj_\d+|rbp\w*|yaap|(ideal_)?dcg)"
)
_PADDED = re.compile(r"\S+ +\t")  # trec_eval fills the measure's name up with blanks before the tab
_IRM_NAMES = re.compile(r"[A-Za-z][\w+#-]*(\([^)]*\))?@\d+|[A-Za-z][\w+#-]*\([^)]*\)")


@dataclass
class LongColumns:
    """Scores of one run as columns topic, measure, value; and what was not read."""

    topic: list[str] = field(default_factory=list)
    measure: list[str] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    skipped: tuple[str, ...] = ()

    def add(self, topic: str, measure: str, value: float) -> None:
        """One score more."""
        self.topic.append(topic)
        self.measure.append(measure)
        self.value.append(value)


def is_nev(file: ScoreFile) -> bool:
    """Whether the first line is NTCIREVAL's."""
    _, first = next(filled_lines(file.text, file.path), (0, ""))
    if file.ending == ".csv" or "," in first.partition(" ")[0]:
        return False  # the header of a table with settings such as "lambda=0.1" for systems
    return bool(_NEV_COUNTS.fullmatch(first) or (_NEV.fullmatch(first) and len(first.split()) <= 3))


def is_trec_eval(file: ScoreFile) -> bool:
    """Whether the lines are triples of measure, topic and value, in either tool's order."""
    if file.ending == ".csv":
        return False
    texts = [text for _, text in filled_lines(file.text, file.path)]
    triples = [text.split() for text in texts]
    if triples and (is_by_system(triples[0][0]) or long_columns(triples[0]) is not None):
        return False  # a header: of two topics whose rows are systems, or of a long table
    if any(len(fields) != 3 for fields in triples[:1000]):
        return False
    if _measure_column(texts) is not None:
        return True
    # A blank-separated matrix of two systems has a topic of its own on every line; here measures repeat.
    firsts = [fields[0] for fields in triples]
    return len(set(firsts)) < len(firsts)


def _measure_column(texts: list[str]) -> int | None:
    """0 for trec_eval's order (measure topic value), 1 for ir_measures' (topic measure value), None if unclear."""
    head = [fields for text in texts[:1000] + texts[-50:] if len(fields := text.split()) == 3]
    if not head or all(_PADDED.match(text) for text in texts[:1000]):
        return 0
    for column, other in ((0, 1), (1, 0)):
        if any(fields[other] == "all" for fields in head):
            return column
    for column, names in ((0, _TREC_NAMES), (1, _IRM_NAMES), (0, _IRM_NAMES)):
        if all(names.fullmatch(fields[column]) for fields in head):
            return column
    numeric = [all(score_number(fields[c]) is not None for fields in head) for c in (0, 1)]
    return {(False, True): 0, (True, False): 1}.get((numeric[0], numeric[1]))


def read_trec_eval(file: ScoreFile) -> LongColumns:
    """Per-topic lines of trec_eval -q or ir_measures -q; the summary lines (topic ``all``) are left out."""
    problems, out = Problems(file.path), LongColumns()
    rows = [(line, text, text.split()) for line, text in filled_lines(file.text, file.path)]
    column = _measure_column([text for _, text, _ in rows])
    if column is None:
        text = "cannot tell whether the measure or the topic comes first; name the format of the file"
        raise FileError(file.path, [Problem(rows[0][0], text)])
    texts: dict[str, None] = {}
    summaries = 0
    for line, text, fields in rows:
        if len(fields) != 3:
            problems.add(line, f"expected 3 fields (measure topic value), found {len(fields)}: {shown(text.strip())}")
            continue
        measure, topic = fields[column], fields[1 - column]
        if topic == "all":
            summaries += 1
            continue
        if measure == "runid" or measure.startswith("relstring"):
            texts.setdefault(measure)
            continue
        value = score_number(fields[2])
        if value is None:
            problems.add(line, f"expected a finite number as value, found {shown(fields[2])}{decimal_comma(fields[2])}")
            continue
        out.add(topic, measure, value)
    problems.raise_if_any()
    if not out.value:
        text = "holds only summary lines (topic 'all'); run trec_eval with -q for per-topic scores"
        raise FileError(file.path, [Problem(0, text if summaries else "holds no scores")])
    out.skipped = (f"{summaries} summary lines (topic 'all')",) if summaries else ()
    out.skipped += tuple(f"text measure {name}" for name in texts)
    return out


def read_nev(file: ScoreFile) -> LongColumns:
    """NTCIREVAL's per-topic output: lines such as ``0201 MSnDCG@0010= 0.9208`` and the counts above them."""
    problems, out = Problems(file.path), LongColumns()
    for line, text in filled_lines(file.text, file.path):
        if counts := _NEV_COUNTS.fullmatch(text):
            pairs = [pair.split("=", 1) for pair in counts[2].split()]
            entries = [(counts[1], name, value) for name, value in pairs]
        elif match := _NEV.fullmatch(text):
            entries = [(match[1], match[2], match[3])]
        else:
            problems.add(line, f"expected 'topic measure= value', found {shown(text.strip())}")
            continue
        for topic, measure, content in entries:
            value = score_number(content)
            if value is None or math.isnan(value):
                problems.add(line, f"expected a finite number for {measure}, found {shown(content)}")
                continue
            out.add(topic, measure, value)
    problems.raise_if_any()
    if not out.value:
        raise FileError(file.path, [Problem(0, "holds no scores")])
    return out


def trec_eval_line(measure: str, topic: str, value: float) -> str:
    """A line as trec_eval prints it, at full precision.

    >>> trec_eval_line("AP", "301", 0.5)
    'AP                    \\t301\\t0.5\\n'
    """
    return f"{measure:<22}\t{topic}\t{value!r}\n"


def nev_line(measure: str, topic: str, value: float) -> str:
    """A line as NTCIREVAL prints it, at full precision.

    >>> nev_line("AP", "301", 0.5)
    '301 AP=                  0.5\\n'
    """
    return f"{topic} {measure + '=':<20} {value!r}\n"


FORMATS.register(
    ScoreFormat(
        name="trec_eval",
        summary="`trec_eval -q` or `ir_measures -q` output, one file per run",
        recognise=is_trec_eval,
        read_run=read_trec_eval,
        write=partial(write_per_run, layout="trec_eval", ending=".eval", line=trec_eval_line),
        notes="the file's name is the system; text measures (`runid`, `relstring`) and `all` lines are left out and "
        "reported",
        tried=30,
        rank=30,
    )
)
FORMATS.register(
    ScoreFormat(
        name="nev",
        summary="NTCIREVAL's `.nev` files, one per run",
        recognise=is_nev,
        read_run=read_nev,
        write=partial(write_per_run, layout="nev", ending=".nev", line=nev_line, forbidden="="),
        notes="counts (`syslen`, `jrel`, …) are read as measures too",
        tried=20,
        rank=40,
    )
)


CREDIT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
"""The credit of an assignment; strict scores count full support only."""
IMPORTANCE = ("vital", "okay")
_TOPIC, _SYSTEM = ("qid", "query_id", "topic_id", "topic"), ("run_id", "runid", "run", "system")


def nugget_scores(nuggets: Sequence[tuple[str, str]]) -> dict[str, float]:
    """The scores of one answer from (importance, assignment) pairs: Pradeep et al. 2025, SIGIR.

    An answer without vital nuggets scores 0 on the vital scores, as in the AutoNuggetizer.

    >>> nugget_scores([("vital", "support"), ("vital", "partial_support"), ("okay", "not_support")])
    {'strict_vital_score': 0.5, 'strict_all_score': 0.3333333333333333, 'vital_score': 0.75, 'all_score': 0.5}
    """
    chosen = {
        "vital": [how for importance, how in nuggets if importance == "vital"],
        "all": [how for _, how in nuggets],
    }
    strict = {name: sum(one == "support" for one in listed) for name, listed in chosen.items()}
    lenient = {name: sum(CREDIT[one] for one in listed) for name, listed in chosen.items()}
    scores = {f"strict_{name}_score": strict[name] / max(len(listed), 1) for name, listed in chosen.items()}
    return scores | {f"{name}_score": lenient[name] / max(len(listed), 1) for name, listed in chosen.items()}


def is_nuggets(file: ScoreFile) -> bool:
    """Whether the first line is an object with nuggets, complete or not."""
    first = next(iter(first_lines(file.text)), b"").lstrip()
    return first.startswith(b"{") and b'"nuggets"' in first


def read_nuggets(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """One matrix per score; a line without a run is the answer of the system that the file is named after."""
    import polars as pl

    from cranfield.scores.doors import from_frame

    problems, rows, without_vital = Problems(file.path), [], set()
    for number, row in json_objects(file.text, problems.add):
        topic = next((row[key] for key in _TOPIC if key in row), None)
        pairs, wrong = _pairs(row.get("nuggets"))
        if topic is None:
            wrong = f"expected a topic ({', '.join(_TOPIC)}), found keys {', '.join(row)}"
        if wrong:
            problems.add(number, wrong)
            continue
        system = str(next((row[key] for key in _SYSTEM if row.get(key)), None) or system_name(file.path))
        if not any(importance == "vital" for importance, _ in pairs):
            without_vital.add(str(topic))
        for measure, value in nugget_scores(pairs).items():
            rows.append((system, str(topic), measure, value))
    problems.raise_if_any()
    frame = pl.DataFrame(rows, schema=["system", "topic", "measure", "value"], orient="row")
    steps = options.provenance
    if without_vital:
        steps += (f"{len(without_vital)} topics without vital nuggets score 0 on the vital scores",)
    scores = from_frame(frame, missing=options.missing)
    return [matrix.note(*steps) for matrix in scores.values()]


def _pairs(nuggets: Any) -> tuple[list[tuple[str, str]], str]:
    """Importance and assignment of every nugget; or what is wrong with them."""
    if not isinstance(nuggets, list) or not all(isinstance(one, dict) for one in nuggets):
        return [], "expected `nuggets`, a list of objects with importance and assignment"
    if not nuggets:
        return [], "the list of nuggets is empty, so the answer has no score; leave out the line"
    for part, known in (("importance", IMPORTANCE), ("assignment", tuple(CREDIT))):
        for one in nuggets:
            if one.get(part) is None:
                return [], f"a nugget has no {part}; expected {', '.join(known[:-1])} or {known[-1]}"
            if one[part] not in known:
                return [], f"expected the {part} {', '.join(known[:-1])} or {known[-1]}, found {one[part]!r}"
    pairs = [(one["importance"], one["assignment"]) for one in nuggets]
    return pairs, ""


FORMATS.register(
    ScoreFormat(
        name="nuggets",
        summary="nugget assignments of the TREC RAG track: JSON lines with `qid`, `nuggets` and optionally `run_id`",
        recognise=is_nuggets,
        read=read_nuggets,
        notes="gives strict and lenient scores over vital and all nuggets; without `run_id`, one file per run",
        tried=11,
        rank=80,
    )
)


_HEAD = 1000
_ALL = ("all", "all_topics", "amean")
"""Topics that stand for a mean over topics."""


def measure_column(rows: list[list[str]]) -> int | None:
    """1 where the measure comes before the topic, 2 where it comes after; None for other lines.

    >>> measure_column([["a", "cov", "1", ".5"], ["a", "cov", "2", ".4"]])
    1
    """
    if not rows or any(len(row) != 4 or score_number(row[3]) is None for row in rows):
        return None
    second, third = ({row[column] for row in rows} for column in (1, 2))
    for column, other in ((1, third), (2, second)):
        if other & set(_ALL):
            return column
    numeric = [all(score_number(one) is not None for one in values) for values in (second, third)]
    if all(numeric) or all(score_number(row[0]) is not None for row in rows):
        return None  # a matrix of numbers
    if any(numeric):
        return 2 if numeric[0] else 1
    if len(second) != len(third):
        return 1 if len(second) < len(third) else 2  # there are fewer measures than topics
    return None


def is_leaderboard(file: ScoreFile) -> bool:
    """Whether the first lines are those of a leaderboard."""
    if file.ending == ".csv":
        return False
    return measure_column([text.split() for _, text in islice(filled_lines(file.text, file.path), _HEAD)]) is not None


def read_leaderboard(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """One matrix per measure; means over topics are omitted."""
    import polars as pl

    from cranfield.scores.doors import from_frame

    lines = list(filled_lines(file.text, file.path))
    column = measure_column([text.split() for _, text in lines[:_HEAD]]) or 1
    problems, rows, means = Problems(file.path), [], 0
    for number, text in lines:
        fields = text.split()
        value = score_number(fields[3]) if len(fields) == 4 else None
        if value is None:
            problems.add(number, f"expected 4 fields, the last a finite number, found {shown(text.strip())}")
        elif fields[3 - column] in _ALL:
            means += 1
        else:
            rows.append((fields[0], fields[3 - column], fields[column], value))
    problems.raise_if_any()
    if not rows:
        problems.add(0, "holds only means over topics; write the values of topics as well")
        problems.raise_if_any()
    frame = pl.DataFrame(rows, schema=["system", "topic", "measure", "value"], orient="row")
    steps = (*options.provenance, f"{plural(means, 'mean')} over topics omitted") if means else options.provenance
    return [matrix.note(*steps) for matrix in from_frame(frame, missing=options.missing).values()]


FORMATS.register(
    ScoreFormat(
        name="leaderboard",
        summary="TREC AutoJudge's leaderboards: lines `run measure topic value` or `run topic measure value`",
        recognise=is_leaderboard,
        read=read_leaderboard,
        notes="no header; rows of topic `all` are left out and reported; values that are all whole numbers look like "
        "judgments, so add a point or a header",
        tried=35,
        rank=90,
    )
)
