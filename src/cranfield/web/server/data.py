"""`Dataset`: what was dropped on the page, read once, and handed to every question about it."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from cranfield.collection import FileCheck, Qrels, Run, check_file, make_sample
from cranfield.defaults import MEASURES, MISSING, MissingPolicy
from cranfield.errors import CranfieldError, DataError, quietly
from cranfield.executors import Progress
from cranfield.files import NamedFile
from cranfield.labels import summary
from cranfield.measures import parse_measure
from cranfield.measures.evaluation import evaluate
from cranfield.scores import ScoreMatrix, Scores, read_collections

SAMPLE = "sample"
"""The id of the sample collection, the same on every machine: a mailed address with it works."""


class Unsound(DataError):
    """Data with problems in its files; the data page shows them."""


@dataclass(frozen=True)
class Contents:
    """What the files of a dataset hold, and what is wrong with them."""

    checks: tuple[FileCheck, ...]
    scores: Scores | None = None
    collections: dict[str, Scores] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    problem: str = ""

    @property
    def has_runs(self) -> bool:
        """Whether there are runs and judgments, not scores."""
        return any(check.kind == "run" for check in self.checks)


@dataclass(eq=False)
class Dataset:
    """Files that belong together: score files, or runs with their judgments.

    Parameters
    ----------
    id : short name in addresses; follows from the content, so the same files have the same address again
    files : where each file lies, under the name it was given
    missing : what a missing score means; by default an error in score files, and 0 for runs, as on the command line
    lenient : accept fields after a run tag
    """

    id: str
    name: str
    files: tuple[NamedFile, ...] = ()
    missing: MissingPolicy | None = None
    lenient: bool = False
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _contents: Contents | None = field(default=None, repr=False)
    _checks: tuple[FileCheck, ...] = field(default=(), repr=False)
    _evaluated: dict[str, ScoreMatrix] = field(default_factory=dict, repr=False)
    _warnings: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    # ── reading ───────────────────────────────────────────────────────────────────────────────────────────

    def read(self, progress: Progress | None = None) -> Contents:
        """Check every file and read the scores; done once. Problems are kept, not raised."""
        with self._lock:
            if self._contents is None:
                self._contents = self._read(progress)
            return self._contents

    def peek(self) -> Contents | None:
        """What has been read so far, without reading."""
        return self._contents

    def _read(self, progress: Progress | None) -> Contents:
        checks = []
        for number, file in enumerate(self.files, 1):
            checks.append(check_file(file, lenient=self.lenient))
            if progress:
                progress(number, len(self.files))
        self._checks = tuple(checks)
        found = Contents(self._checks)
        if any(check.problems for check in checks):
            count = sum(check.problems for check in checks)
            text = (
                f"{count} problem{'s' * (count > 1)} in the files of {self.name}; mend them and drop the files again."
            )
            return Contents(found.checks, problem=text)
        try:
            _check_kinds(found.checks)
            if found.has_runs:
                scores, warnings = self._evaluate(MEASURES, progress)
                return Contents(found.checks, scores, {self.name: scores}, warnings)
            collections = read_collections(list(self.files), missing=self.missing or MISSING)
            joined = _joined(collections)
            return Contents(found.checks, joined, collections)
        except CranfieldError as error:
            return Contents(found.checks, problem=str(error))

    def _evaluate(self, measures: Sequence[str], progress: Progress | None = None) -> tuple[Scores, tuple[str, ...]]:
        with quietly():
            scores = evaluate(
                self.qrels(),
                self.runs(),
                list(measures),
                missing=self.missing or "zero",
                lenient=self.lenient,
                progress=progress,
            )
        warnings = scores.warnings
        for measure, matrix in scores.items():
            self._evaluated[measure] = matrix
            self._warnings[measure] = warnings
        return scores, warnings

    # ── what questions ask for ────────────────────────────────────────────────────────────────────────────

    def require_valid(self, progress: Progress | None = None) -> Contents:
        """The contents, once they are known to be usable."""
        contents = self.read(progress)
        if contents.problem:
            raise Unsound(contents.problem)
        return contents

    def matrix(self, measure: str | None = None) -> ScoreMatrix:
        """The scores by one measure: the first unless named. Runs are evaluated by any measure there is."""
        contents = self.require_valid()
        scores = contents.scores
        if scores is None:
            names = summary(list(contents.collections))
            raise DataError(
                f"{self.name} holds {len(contents.collections)} collections ({names}). The design page pools them; for "
                "this page drop the files of one collection alone."
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

    def has_matrix(self, measure: str | None) -> bool:
        """Whether `matrix` would answer at once."""
        if self._contents is None:
            return False
        return measure is None or not self._contents.has_runs or measure in self._evaluated

    def warnings(self, measure: str | None) -> tuple[str, ...]:
        """What the evaluation of runs had to say about this measure."""
        return self._warnings.get(measure or MEASURES[0], ()) if self._contents else ()

    def collections(self, measure: str | None = None) -> dict[str, Scores]:
        """One `Scores` of one measure for every collection, to be pooled."""
        contents = self.require_valid()
        if contents.has_runs:
            return {self.name: Scores([self.matrix(measure)])}
        known = list(dict.fromkeys(name for scores in contents.collections.values() for name in scores))
        wanted = measure or known[0]
        found = {name: Scores([scores[wanted]]) for name, scores in contents.collections.items() if wanted in scores}
        if not found:
            raise DataError(f"no collection has scores by {wanted}; there are {summary(known)}.")
        return found

    def measures(self) -> list[str]:
        """The measures there are scores by."""
        contents = self._contents
        if contents is None or contents.problem:
            return []
        if contents.has_runs:
            return list(self._evaluated)
        return list(dict.fromkeys(name for scores in contents.collections.values() for name in scores))

    def qrels(self) -> Qrels | str:
        """The judgments, or their file."""
        return self._of_kind("qrels")[0]

    def runs(self) -> list[Run] | list[str]:
        """The runs, or their files."""
        return self._of_kind("run")

    def _of_kind(self, kind: str) -> list[str]:
        if not self._checks:
            self.read()
        found: list[str] = [f for f, check in zip(self.files, self._checks, strict=True) if check.kind == kind]
        if not found:
            what = "runs and judgments" if kind == "run" else "judgments"
            raise DataError(f"{self.name} holds scores, not {what}; drop runs together with their qrels file for this.")
        return found

    # ── words for the command line ────────────────────────────────────────────────────────────────────────

    def score_words(self, measure: str | None) -> tuple[list[str], str]:
        """Commands that must come first, and the words that name the score files."""
        contents = self._contents
        if contents is not None and not contents.has_runs:
            return [], _files_words(self.files)
        name = measure or MEASURES[0]
        evaluate = f"cranfield evaluate {self.run_words()} -m {shlex.quote(name)} -q -o scores.csv"
        return [evaluate], "scores.csv"

    def first_words(self) -> list[str]:
        """Commands that make the files, where they are not there yet."""
        return []

    def run_words(self) -> str:
        """The words that name judgments and runs."""
        return f"{shlex.quote(_base(str(self.qrels())))} {_files_words([str(run) for run in self.runs()])}"


class SampleData(Dataset):
    """The synthetic sample collection, made on first use and kept in memory."""

    def __init__(self) -> None:
        super().__init__(SAMPLE, "the sample collection")
        self._made: tuple[Qrels, list[Run]] | None = None

    def _make(self) -> tuple[Qrels, list[Run]]:
        with self._lock:
            if self._made is None:
                sample = make_sample()
                self._made = sample.qrels, list(sample.runs)
            return self._made

    def _read(self, progress: Progress | None) -> Contents:
        qrels, runs = self._make()
        scores, warnings = self._evaluate(MEASURES, progress)
        relevant = int((qrels.frame["relevance"] > 0).sum())
        checks = [FileCheck("sample/qrels.txt", "qrels", len(qrels.topics), None, len(qrels), relevant=relevant)]
        checks += [FileCheck(f"sample/runs/{run.system}.run.gz", "run", len(run.topics), 1, len(run)) for run in runs]
        return Contents(tuple(checks), scores, {self.name: scores}, warnings)

    def qrels(self) -> Qrels | str:
        """The judgments of the pool."""
        return self._make()[0]

    def runs(self) -> list[Run] | list[str]:
        """The runs of all systems."""
        return self._make()[1]

    def score_words(self, measure: str | None) -> tuple[list[str], str]:
        """As for runs, with the command that writes the sample first."""
        first, words = super().score_words(measure)
        return [*self.first_words(), *first], words

    def first_words(self) -> list[str]:
        """The command that writes the sample."""
        return ["cranfield sample sample"]

    def run_words(self) -> str:
        """Where `cranfield sample sample` writes them."""
        return "sample/qrels.txt sample/runs"


def _check_kinds(checks: Sequence[FileCheck]) -> None:
    kinds = [check.kind for check in checks]
    runs, qrels, scores = kinds.count("run"), kinds.count("qrels"), kinds.count("scores")
    if scores and (runs or qrels):
        names = summary([check.path for check in checks if check.kind == "scores"])
        raise DataError(
            f"score files ({names}) and {'runs' if runs else 'judgments'} do not go together; drop score files alone, "
            "or runs with their qrels file."
        )
    if runs and qrels != 1:
        raise DataError(f"there are {runs} runs and {qrels} qrels files; runs need exactly one qrels file beside them.")
    if qrels and not runs:
        raise DataError("there are judgments and no runs; drop the runs together with the qrels file.")


def _joined(collections: dict[str, Scores]) -> Scores | None:
    """The scores of a single collection; None for several, which can only be pooled."""
    return next(iter(collections.values())) if len(collections) == 1 else None


def _base(name: str) -> str:
    return name.rpartition("/")[2] or name


def _files_words(files: Sequence[str]) -> str:
    names = [_base(str(file)) for file in files]
    if len(names) <= 3:
        return " ".join(shlex.quote(name) for name in names)
    return "runs/" if any("/runs/" in f"/{file}" for file in files) else shlex.quote("files/")
