"""`Dataset`: uploaded files, read once and kept for every question about them."""

from __future__ import annotations

import os
import shlex
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, cast

from cranfield.collection.check import FileCheck, check_and_read
from cranfield.collection.pools import top_of
from cranfield.collection.sample import make_sample
from cranfield.collection.sample_judges import make_judges
from cranfield.collection.teams import read_teams
from cranfield.collection.titles import collection_title, read_titles
from cranfield.collection.types import Qrels, Run
from cranfield.core.defaults import MEASURES, MISSING, MissingPolicy
from cranfield.core.errors import CranfieldError, DataError, FileError, quietly
from cranfield.core.executors import Progress
from cranfield.core.files import NamedFile
from cranfield.core.labels import plural, summary
from cranfield.measures.evaluation import evaluate
from cranfield.measures.names import parse_measure
from cranfield.reports.view.topic import DEPTH
from cranfield.scores.matrix import ScoreMatrix, Scores
from cranfield.scores.readers import ScorePart, by_collection, join_parts
from cranfield.web.server.security import Limits

IGNORED = "ignored"
"""The kind of a file that is listed and not read."""
TITLES = "titles for ranked lists"
JUDGE_NAMES = {"second": "second person", "machine": "machine"}
"""What the names of files of further judges (qrels or scores) begin with, and the kind that they are listed as."""
STRAY = "these are no runs, qrels or score files"
NO_DATA = {
    ".pdf", ".doc", ".docx", ".odt", ".tex", ".bib", ".rst", ".html", ".htm", ".png", ".jpg", ".jpeg", ".gif", ".svg",
    ".py", ".ipynb", ".sh", ".cpp", ".java", ".yml", ".yaml", ".toml", ".ini", ".ppt", ".pptx",
}  # fmt: skip
"""Endings of files that folders of runs hold besides."""
SAMPLE = "sample"
"""The id of the sample collection, the same on every machine: a mailed address with it works."""


class InvalidData(DataError):
    """Data with problems in its files; the data page shows them."""


@dataclass(frozen=True)
class Contents:
    """What the files of a dataset hold, and what is wrong with them.

    `parts` are tables of several collections or seeds and results of other tools, by measure and collection.
    """

    checks: tuple[FileCheck, ...]
    scores: Scores | None = None
    collections: dict[str, Scores] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    problem: str = ""
    parts: dict[str, Any] | None = None

    @property
    def names(self) -> list[str]:
        """The names of the collections."""
        several = next(iter(self.parts.values())) if self.parts else self.collections
        return list(several)

    @property
    def has_runs(self) -> bool:
        """Whether there are runs and judgments, not scores."""
        return any(check.kind == "run" for check in self.checks)

    @property
    def has_machine(self) -> bool:
        """Whether there are judgments, or scores, by a machine beside those of people."""
        return any(check.kind == JUDGE_NAMES["machine"] for check in self.checks)


@dataclass(frozen=True)
class Judges:
    """Judgments or scores of people and machines by name, their files, and groups that a machine may favour."""

    people: Mapping[str, Qrels | Scores]
    machines: Mapping[str, Qrels | Scores]
    files: tuple[list[str], list[str]]
    groups: dict[str, str] | None = None
    groups_file: str | None = None


@dataclass(eq=False)
class Dataset:
    """Files that belong together: score files, or runs with their judgments.

    Parameters
    ----------
    id : short name in addresses; follows from the content, so the same files have the same address again
    files : where each file lies, under the name it was given
    missing : what a missing score means; by default an error in score files, and 0 for runs, as on the command line
    lenient : accept fields after a run tag
    most_systems : how many systems a page takes
    teams : the team of every system, where a file called teams says it
    documents : the file with the titles of documents, such as one called documents
    groups : systems that a machine may favour, where a file called groups says it
    """

    id: str
    name: str
    files: tuple[NamedFile, ...] = ()
    missing: MissingPolicy | None = None
    lenient: bool = False
    most_systems: int = Limits.systems
    teams: dict[str, str] | None = None
    documents: str | os.PathLike[str] | None = None
    groups: dict[str, str] | None = None
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _contents: Contents | None = field(default=None, repr=False)
    _runs: list[Run] = field(default_factory=list, repr=False)
    _qrels: list[Qrels] = field(default_factory=list, repr=False)
    _further: dict[str, Qrels | Scores] = field(default_factory=dict, repr=False)
    _evaluated: dict[str, ScoreMatrix] = field(default_factory=dict, repr=False)
    _warnings: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    _titles: dict[str, str] | None = field(default=None, repr=False)

    # ── reading ───────────────────────────────────────────────────────────────────────────────────────────

    def read(self, progress: Progress | None = None) -> Contents:
        """Check every file and read the scores; done once. Problems are kept, not raised."""
        with self._lock:
            if self._contents is None:
                self._contents = self._read(progress)
            return self._contents

    def forget(self) -> None:
        """Give back the memory of what was read; it is read again when somebody asks."""
        with self._lock:
            self._contents, self._runs, self._qrels, self._further = None, [], [], {}
            self._evaluated.clear()
            self._warnings.clear()
            self._titles = None

    def rest(self) -> None:
        """Give back the runs, which take most memory; scores stay, and `runs` reads the files again."""
        if self.files and self._lock.acquire(blocking=False):  # not while somebody reads them
            self._runs = []
            self._lock.release()

    def peek(self) -> Contents | None:
        """What has been read so far, without reading."""
        return self._contents

    def _read(self, progress: Progress | None) -> Contents:
        checks: list[FileCheck] = []
        parsed: dict[str, object] = {}
        tables: dict[str, Any] = {}
        for number, file in enumerate(self.files, 1):
            if _stem(file) in ("teams", "groups"):
                checks.append(self._read_teams(file, _stem(file)))
                continue
            if _stem(file) == "documents" and len(self.files) > 1:
                self.documents = file
                checks.append(FileCheck(str(file), cast(Any, "documents"), notes=(TITLES,)))
                continue
            if _is_stray(file) and len(self.files) > 1:
                checks.append(FileCheck(str(file), cast(Any, IGNORED), notes=(STRAY,)))
                continue
            table = _check_table(file, tables)
            if table is None:
                table, parsed[file] = check_and_read(file, lenient=self.lenient, missing=self.missing or MISSING)
            checks.append(table)
            if progress:
                progress(number, len(self.files))
        self._runs = [one for one in parsed.values() if isinstance(one, Run)]
        judged = {file: one for file, one in parsed.items() if isinstance(one, Qrels)}
        parts = {file: one for file, one in parsed.items() if isinstance(one, ScorePart)}
        kinds = {file: _judge(file) for file in judged or ({} if self._runs else parts)}
        if all(kinds.values()) or (not judged and JUDGE_NAMES["machine"] not in kinds.values()):
            # The only judgments score the runs, and score files are batches or collections, whatever they are called.
            kinds = {}
        self._qrels = [one for file, one in judged.items() if not kinds.get(file)]
        further = {file: one for file, one in (judged or parts).items() if kinds.get(file)}
        parts = {file: one for file, one in parts.items() if file not in further}
        checks = [replace(one, kind=cast(Any, kinds.get(one.path) or one.kind)) for one in checks]
        ignored = [_base(check.path) for check in checks if check.kind == IGNORED]
        told = (f"ignored: {summary(ignored)}. {STRAY[0].upper()}{STRAY[1:]}.",) if ignored else ()
        contents = Contents(tuple(checks), warnings=told)
        if count := sum(check.problems for check in checks):
            problems = f"{count} problem{'s' * (count > 1)}"
            text = f"{problems} in the files of {self.name}. Correct them and upload the files again."
            return replace(contents, problem=text)
        try:
            _check_kinds(checks)
            _check_count(checks, self.most_systems)
            self._further = {
                file: join_parts([one], self.missing or MISSING) if isinstance(one, ScorePart) else one
                for file, one in further.items()
            }
            if tables and any(isinstance(one, ScorePart) for one in parsed.values()):
                raise DataError("some files have several collections or seeds, others have not. Upload one kind.")
            if tables:
                return replace(contents, parts=tables)
            if contents.has_runs:
                self._tell_apart(checks)
                scores = self._evaluate(MEASURES, progress)
                both = (*told, *scores.warnings)
                return replace(contents, scores=scores, collections={self.name: scores}, warnings=both)
            collections = {  # several files of one collection are joined
                name: join_parts([parts[file] for file in files], self.missing or MISSING)
                for name, files in by_collection(parts).items()
            }
            joined = next(iter(collections.values())) if len(collections) == 1 else None  # several are only pooled
            return replace(contents, scores=joined, collections=collections)
        except CranfieldError as error:
            return replace(contents, problem=str(error))

    def titles(self) -> dict[str, str]:
        """The titles of the documents that ranked lists can show, read when the first list is asked for."""
        with self._lock:
            if self._titles is None:
                tops = (top_of(run, DEPTH) for run in self.runs())
                wanted = {name for top in tops for name in top.frame["document"].unique()} if self.documents else ()
                self._titles = read_titles(self.documents, wanted) if self.documents else {}
            return self._titles

    def _read_teams(self, file: NamedFile, what: str) -> FileCheck:
        try:
            found = read_teams(file)
        except CranfieldError as error:
            return FileCheck(str(file), cast(Any, what), problems=1, error=str(error))
        setattr(self, what, found)
        return FileCheck(str(file), cast(Any, what), n_systems=len(found), n_rows=len(found))

    @property
    def title(self) -> str:
        """What the collection is called: as somebody called it here, or as its files are."""
        if not any(self.name.startswith(_base(str(file))) for file in self.files):
            return self.name
        files, runs = self._of_kind("qrels", "scores"), self._of_kind("run")
        if self._contents is None:  # not read yet
            files = [one for one in self.files if "qrels" in _base(str(one))]
        found = collection_title(files[0]) if files else ""
        if found or not files or not runs:
            return found or self.name
        return f"{_base(files[0])} with {plural(len(runs), 'run')}"

    def _tell_apart(self, checks: Sequence[FileCheck]) -> None:
        """Give runs of one name in different folders the folder as prefix; two in one folder are an error."""
        paths = [check.path for check in checks if check.kind == "run"]
        times = Counter(run.system for run in self._runs)
        named = [
            replace(run, system=f"{_folder(path)}/{run.system}") if times[run.system] > 1 and _folder(path) else run
            for run, path in zip(self._runs, paths, strict=True)
        ]
        seen: dict[str, str] = {}
        for run, path in zip(named, paths, strict=True):
            if (first := seen.setdefault(run.system, path)) != path:
                text = f"{path}: system {run.system!r} is already in {first}. Rename one of the files."
                raise DataError(text)
        self._runs = named

    def _evaluate(self, measures: Sequence[str], progress: Progress | None = None) -> Scores:
        missing = self.missing or "zero"
        with quietly():
            scores = evaluate(self.qrels(), self.runs(), list(measures), missing=missing, progress=progress)
        self._evaluated |= dict(scores)
        self._warnings |= dict.fromkeys(scores, scores.warnings)
        return scores

    # ── what questions ask for ────────────────────────────────────────────────────────────────────────────

    def require_valid(self, progress: Progress | None = None) -> Contents:
        """The contents, once they are known to be usable."""
        contents = self.read(progress)
        if contents.problem:
            raise InvalidData(contents.problem)
        return contents

    def matrix(self, measure: str | None = None) -> ScoreMatrix:
        """The scores by one measure: the first unless named. Runs are evaluated by any measure there is."""
        contents = self.require_valid()
        scores = contents.scores
        if contents.parts is not None:
            raise DataError(
                f"{self.title} holds several collections or seeds ({summary(contents.names)}). The page Across "
                "compares systems over them; upload one for this page."
            )
        if scores is None:
            raise DataError(
                f"{self.title} holds {len(contents.names)} collections ({summary(contents.names)}). Upload one "
                "collection for this page; the design page pools several, the page Across compares systems over them."
            )
        if measure is None:
            return next(iter(scores.values()))
        if not contents.has_runs:
            return scores[measure]
        wanted = str(parse_measure(measure))
        with self._lock:
            if wanted not in self._evaluated:
                self._evaluate([wanted])
            return self._evaluated[wanted]

    def scores(self, measures: str | Sequence[str] | None = None) -> Scores:
        """The scores by these measures, or by all there are, with what their evaluation had to say."""
        wanted = [measures] if isinstance(measures, str) else list(dict.fromkeys(measures or ()))
        self.matrix()  # says so where there are several collections
        matrices = [self.matrix(measure) for measure in wanted or self.require_valid().scores or ()]
        said = dict.fromkeys(text for matrix in matrices for text in self._warnings.get(matrix.measure, ()))
        return Scores(matrices, said)

    def has_matrix(self, measure: str | None) -> bool:
        """Whether `matrix` would answer at once."""
        if self._contents is None:
            return False
        return measure is None or not self._contents.has_runs or measure in self._evaluated

    def collections(self, measure: str | None = None) -> dict[str, Scores]:
        """One `Scores` for every collection, to be pooled: of the measure named, or of all there are."""
        contents = self.require_valid()
        if contents.has_runs:
            return {self.title: self.scores(measure)}
        if contents.parts is not None:
            self.matrix()  # says so
        if measure is None:
            return dict(contents.collections)
        known = {name: Scores([scores[measure]]) for name, scores in contents.collections.items() if measure in scores}
        if not known:
            raise DataError(f"no collection has scores by {measure}. Available: {summary(self.measures())}.")
        return known

    def collected(self, question: Any) -> Any:
        """What `across` takes: the scores of the measures and systems wanted, by collection."""
        from cranfield.questions.across.collected import from_scores
        from cranfield.questions.across.files import chosen

        contents = self.require_valid()
        if contents.has_runs:
            return chosen(from_scores({self.title: self.scores(question.measure)}), question)
        return chosen(contents.parts or from_scores(contents.collections), question)

    def measures(self) -> list[str]:
        """The measures there are scores by."""
        contents = self._contents
        if contents is None or contents.problem:
            return []
        if contents.has_runs:
            return list(self._evaluated)
        if contents.parts is not None:
            return list(contents.parts)
        return list(dict.fromkeys(name for scores in contents.collections.values() for name in scores))

    def systems(self) -> tuple[str, ...]:
        """The systems of the scores, as far as they have been read."""
        scores = self._contents.scores if self._contents is not None else None
        return next(iter(scores.values())).systems if scores else ()

    def qrels(self) -> Qrels:
        """The judgments."""
        self._require(self._qrels, "judgments")
        return self._qrels[0]

    def judges(self) -> Judges:
        """The judgments, or scores, of people and machines: the first, and those of further judges."""
        contents = self.require_valid()
        seconds, machines = (self._of_kind(kind) for kind in JUDGE_NAMES.values())
        if not machines:
            what, name = ("judgments", "machine.qrels") if contents.has_runs else ("scores", "machine.csv")
            raise DataError(f"{self.title} holds no {what} by a machine. Add them as a file called {name}.")
        if contents.has_runs:
            (first,) = self._of_kind("qrels")
            own: Qrels | Scores = self._qrels[0]
        else:
            first, *more = self._of_kind("scores")
            own = self.scores()
            if more:
                raise DataError(
                    f"{summary([_base(file) for file in (first, *more)])} are scores by people. Put them in one file."
                )
        people = {_called(first): own, **{_called(file): self._further[file] for file in seconds}}
        groups = next((_base(file) for file in self._of_kind("groups")), None)
        named = _names([first, *seconds], 99), _names(machines, 99)
        return Judges(people, {_called(file): self._further[file] for file in machines}, named, self.groups, groups)

    def runs(self) -> list[Run]:
        """The runs."""
        with self._lock:
            known = self._contents
            if not self._runs and known is not None and known.has_runs and not known.problem:
                checks = [check for check in known.checks if check.kind == "run"]
                options: dict[str, Any] = {"lenient": self.lenient, "missing": self.missing or MISSING}
                again = (check_and_read(file, **options)[1] for file in self._of_kind("run"))
                self._runs = [cast(Run, one) for one in again]
                self._tell_apart(checks)
            self._require(self._runs, "runs and judgments")
            return self._runs

    def _require(self, kept: Sequence[object], what: str) -> None:
        if not kept:
            raise DataError(f"{self.title} holds scores, not {what}. Upload runs with their qrels file.")

    # ── words for the command line ────────────────────────────────────────────────────────────────────────

    def score_files(self, measure: str | Sequence[str] | None) -> tuple[list[str], list[str]]:
        """Commands that must come first, and the names of the score files."""
        contents = self._contents
        if contents is not None and not contents.has_runs:
            return [], _names(self._of_kind("scores"))
        qrels, runs = self.run_files()
        wanted = " ".join(f"-m {shlex.quote(name)}" for name in self.measures_used(measure))
        evaluate = f"cranfield evaluate {shlex.join([qrels, *runs])} {wanted} -q -o scores.csv"
        return [*self.first_words(), evaluate], ["scores.csv"]

    def measures_used(self, measure: str | Sequence[str] | None) -> list[str]:
        """The measures of an answer: those named, or those that runs are scored by; none for scores."""
        named = [measure] if isinstance(measure, str) else list(measure or ())
        scored = self._contents is None or self._contents.has_runs
        return named or (list(MEASURES) if scored else [])

    def first_words(self) -> list[str]:
        """Commands that make the files, where they are not there yet."""
        return []

    def run_files(self) -> tuple[str, list[str]]:
        """The names of the judgments and of the runs."""
        (qrels,) = self._of_kind("qrels")
        return _base(qrels), _names(self._of_kind("run"))

    def _of_kind(self, *kinds: str) -> list[NamedFile]:
        checks = self._contents.checks if self._contents is not None else ()
        return [file for file, check in zip(self.files, checks, strict=False) if check.kind in kinds]


class SampleData(Dataset):
    """The synthetic sample collection, made on first use and kept in memory."""

    def __init__(self) -> None:
        super().__init__(SAMPLE, "the sample collection")
        self._judges: Judges | None = None

    def _read(self, progress: Progress | None) -> Contents:
        sample = make_sample()
        self._qrels, self._runs = [sample.qrels], list(sample.runs)
        self.teams = dict(sample.truth.select("system", "team").iter_rows())
        scores = self._evaluate(MEASURES, progress)
        qrels = sample.qrels
        relevant = int((qrels.frame["relevance"] > 0).sum())
        first = FileCheck("sample/qrels.txt", "qrels", len(qrels.topics), None, len(qrels), relevant=relevant)
        runs = (
            FileCheck(f"sample/runs/{one.system}.run.gz", "run", len(one.topics), 1, len(one)) for one in self._runs
        )
        machine = FileCheck("sample/judges/machine.qrels", cast(Any, JUDGE_NAMES["machine"]), len(qrels.topics))
        return Contents((first, *runs, machine), scores, {self.name: scores}, scores.warnings)

    def judges(self) -> Judges:
        """Those of `make_judges`: a person and a second one on half of the topics, a machine on all."""
        self.require_valid()
        with self._lock:
            if self._judges is None:
                made = make_judges(make_sample())
                people, machines = {"human": made.human, "second": made.second}, {"machine": made.machine}
                named = [[f"sample/judges/{name}.qrels" for name in one] for one in (people, machines)]
                files = named[0], named[1]
                self._judges = Judges(people, machines, files, made.groups, "sample/judges/groups.txt")
            return self._judges

    def first_words(self) -> list[str]:
        """The command that writes the sample."""
        return ["cranfield sample sample"]

    def run_files(self) -> tuple[str, list[str]]:
        """Where `cranfield sample sample` writes them."""
        return "sample/qrels.txt", ["sample/runs"]


def _check_table(file: NamedFile, tables: dict[str, Any]) -> FileCheck | None:
    """The check of a table of several collections or seeds, or of results, added to the tables; None for others."""
    from cranfield.questions.across.files import merge, table_of

    try:
        table = table_of(file)
        if table is None:
            return None
        merge(tables, table, str(file))
    except FileError as error:
        return FileCheck(str(file), "scores", problems=error.total, error=str(error))
    except CranfieldError as error:
        return FileCheck(str(file), "scores", problems=1, error=f"{file}: {error}")
    parts = [part for of in table.values() for part in of.values()]
    systems = {system for part in parts for system, _ in part.runs}
    seeds = {seed for part in parts for _, seed in part.runs}
    names = {name for of in table.values() for name in of}
    notes = [plural(len(names), "collection"), *([plural(len(seeds), "seed")] if len(seeds) > 1 else [])]
    topics = {topic for part in parts for topic in part.topics} - {""}
    rows = sum(part.values.size for part in parts)
    return FileCheck(str(file), "scores", len(topics) or None, len(systems), rows, notes=tuple(notes))


def _check_kinds(checks: Sequence[FileCheck]) -> None:
    kinds = [check.kind for check in checks]
    runs, qrels, scores = kinds.count("run"), kinds.count("qrels"), kinds.count("scores")
    if scores and (runs or qrels):
        names = summary([check.path for check in checks if check.kind == "scores"])
        raise DataError(
            f"score files ({names}) and {'runs' if runs else 'judgments'} cannot be mixed. Upload score files alone, "
            "or runs with their qrels file."
        )
    if runs and qrels != 1:
        further = " Call those of further judges second… (a person) or machine…." if qrels > 1 else ""
        raise DataError(
            f"found {runs} runs and {qrels} qrels files. Upload exactly one qrels file with the runs.{further}"
        )
    if qrels and not runs:
        raise DataError("found judgments without runs. Upload the runs with the qrels file.")


def _check_count(checks: Sequence[FileCheck], most: int) -> None:
    """Too many systems are told at once, and not after a minute of work on all their pairs."""
    for check in checks:
        if check.n_systems is not None and check.n_systems > most:
            raise DataError(
                f"{check.path}: {check.n_systems:,} systems; the page compares every pair and takes at most "
                f"{most:,}. Select fewer, or use the command line: cranfield compare {_base(check.path)}"
            )


def _stem(file: str) -> str:
    """The name of a file in small letters, without folder and endings: one called teams says who made every system."""
    return _base(str(file)).lower().partition(".")[0]


def _called(file: str) -> str:
    """The name of a judge, as the command line has it."""
    from cranfield.questions.judges.inputs import judge_name

    return judge_name(_base(file))


def _judge(file: str) -> str:
    """The kind of further judge whose judgments a file holds, by the beginning of its name; nothing for the first.

    >>> _judge("up.zip/machine-gpt.qrels"), _judge("second.qrels"), _judge("qrels.txt")
    ('machine', 'second person', '')
    """
    return next((kind for start, kind in JUDGE_NAMES.items() if _stem(file).startswith(start)), "")


def _is_stray(file: str) -> bool:
    """Whether the name of a file shows that it is no data: a paper, a note, a picture, a program."""
    name = _base(str(file)).lower()
    return name.startswith(("readme", "license", "licence", ".")) or PurePosixPath(name).suffix in NO_DATA


def _folder(name: str) -> str:
    """The folder a file lay in, without those above it.

    >>> _folder("up.zip/team0/run1"), _folder("run1")
    ('team0', '')
    """
    return _base(name.rpartition("/")[0])


def _base(name: str) -> str:
    return name.rpartition("/")[2] or name


def _names(files: Sequence[str], most: int = 3) -> list[str]:
    """The files as a command line names them; many of them by a directory."""
    if len(files) <= most:
        return [_base(str(file)) for file in files]
    return ["runs/" if any("/runs/" in f"/{file}" for file in files) else "files/"]
