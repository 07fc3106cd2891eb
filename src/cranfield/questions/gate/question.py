"""May this candidate replace the baseline? The settings of `gate`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError
from cranfield.core.options import REQUIRED, setting
from cranfield.core.question import Bar, Files, HelpGroup, Page, Place
from cranfield.measures.options import RunsOrScores

if TYPE_CHECKING:
    from cranfield.questions.gate.gate import Gate
    from cranfield.scores.matrix import Scores


def margin(name: str, value: Any) -> None:
    """Refuse what is no loss."""
    if not 0 <= value < float("inf"):
        raise ArgumentError(f"`{name}` must be a number of at least 0; got {value:g}. Write {abs(value):g}.")
    if value > shared.LARGEST:
        raise ArgumentError(f"`{name}` must be at most {shared.LARGEST:g}; got {value:g}. Write 0.01.")


@dataclass(frozen=True, kw_only=True)
class GateQuestion(RunsOrScores):
    """Pass a build if the candidate loses less than a given margin to the baseline.

    --better requires a gain instead. If the topics cannot decide, the answer says how many could. With judgments,
    --baseline and --candidate are run files; with score files they are systems in them. Without other files, both are
    score files of one system each. Several measures must all pass.

    \b
    Examples:
      cranfield gate qrels.txt --baseline main.run --candidate new.run -m nDCG@10 --margin 0.01
      cranfield gate scores.csv --baseline bm25 --candidate ours -m AP --better

    Exit codes: 0 pass, 1 bad input, 2 bad usage, 3 fail, 4 undecided (--undecided changes it), 130 interrupted.
    """

    command: ClassVar[str] = "gate"
    group: ClassVar[HelpGroup] = "Compare"
    aliases: ClassVar[tuple[str, ...]] = ("regression", "ci")
    brief: ClassVar[str] = "Decide whether a run may replace the baseline."
    counts: ClassVar[str] = "resamples"
    place: ClassVar[int] = 95
    page = Page(
        name="gate",
        title="Gate",
        place=Place.RESULT,
        order=30,
        heading="May the candidate replace the baseline?",
        lead="Pass: the loss is shown to be within the margin. Fail: it is shown to exceed the margin. Undecided: the "
        "answer says how many topics could decide.",
        button="Decide",
        doing="Comparing two systems of",
        nothing="Choose data, two systems, and a margin.",
        waits=True,
    )

    files: tuple[str, ...] = setting(
        (), "Judgments, or score files with both systems.", argument=True, metavar="[QRELS | SCORES...]",
        part="source", on_page=False,
    )  # fmt: skip
    baseline: str = setting(REQUIRED, "Run file or system in use now.", "--baseline", "-b", metavar="RUN|SYSTEM")
    candidate: str = setting(
        REQUIRED, "Run file or system that would replace it.", "--candidate", "-c", metavar="RUN|SYSTEM"
    )
    measure: tuple[str, ...] | None = shared.measures("Measure that must pass; repeatable.")
    margin: float | None = setting(
        None, "Acceptable loss in units of the measure; with --better, the minimum gain.",
        metavar="D", check=margin,
    )  # fmt: skip
    better: bool = setting(False, "Require a gain, not only the absence of a loss.")
    equivalent: bool = setting(False, "Require a difference within the margin in both directions.")
    alpha: float = shared.alpha("Level of each one-sided bound: pass rate of a candidate exactly at the margin.")
    power: float = shared.power()
    test: defaults.GateTest = setting(
        defaults.GATE_TEST, "One-sided test; hall uses the wider of the t bound and Hall's for skewed data."
    )
    n_resamples: int = shared.n_resamples(help="Resamples of the randomisation test.")
    seed: int = shared.seed()
    workers: int | None = shared.workers()
    cluster: str | None = shared.cluster()
    undecided: defaults.UndecidedPolicy | None = setting(
        None, "What an undecided gate does to the build: pass and warn exit with 0, fail with 3.",
        usual="exit code 4", part="view", on_page=False,
    )  # fmt: skip
    junit: Path | None = setting(
        None, "Write the verdict as JUnit XML, for a build server.", metavar="FILE", part="view", on_page=False,
        written=True,
    )  # fmt: skip

    topic_groups: Path | None = shared.topic_groups()

    @staticmethod
    def verb() -> Callable[..., Gate]:
        """The public function that answers it."""
        from cranfield.questions.gate.gate import gate

        return gate

    def read(self, files: Files, bar: Bar) -> tuple[Scores, str, str]:
        """The scores of both systems, and what they are called where files were named."""
        from cranfield.questions.gate.files import read_both

        return read_both(self)

    def ask(self, *data: Any, **more: Any) -> Gate:
        """The verdict about two systems of the scores, by the names in the settings or by others."""
        scores, *names = data
        called = dict(zip(("baseline", "candidate"), names, strict=False))
        return super().ask(scores, **called, **more)

    def write_files(self, result: Gate) -> Iterable[str]:
        """The verdict for a build server."""
        from cranfield.core.writing import write_atomically
        from cranfield.questions.gate.answer import to_junit

        if self.junit is not None:
            write_atomically(self.junit, to_junit(result, self.undecided).encode())
            yield f"wrote {self.junit}"

    def notes(self, result: Gate, to: Path | None, format: str | None) -> Iterable[str]:
        """The verdict, which is printed even where the table goes to a file."""
        return () if to is None else (result.summary(),)

    def exit_code(self, result: Gate) -> int:
        """0 for a pass, 3 for a fail, 4 for undecided unless told otherwise."""
        if result.verdict == "undecided" and self.undecided is not None:
            return 3 if self.undecided == "fail" else 0
        return {"pass": 0, "fail": 3, "undecided": 4}[result.verdict]

    def check_together(self) -> None:
        """A margin must be named, unless the candidate has to be better."""
        if self.better and self.equivalent:
            raise ArgumentError("`better` and `equivalent` exclude each other. Choose one.")
        if self.equivalent and not self.margin:
            raise ArgumentError("`equivalent` needs a `margin` above 0 in units of the measure, such as 0.01.")
        if self.margin is None and not self.better:
            raise ArgumentError(
                "no margin given. Set `margin` in units of the measure, such as 0.01, or require a gain with `better`."
            )
        if self.margin == 0 and not self.better:
            raise ArgumentError("a `margin` of 0 requires a gain. Leave `margin` out and write `better`.")
        if self.topic_groups is not None and self.test == "randomisation":
            raise ArgumentError("`topic_groups` needs test 'hall' or 't'; got 'randomisation'.")
        if self.baseline == self.candidate:
            raise ArgumentError(f"`baseline` and `candidate` are both {self.baseline!r}. Name two systems.")

    @property
    def accepted(self) -> float:
        """The margin, where none is named 0."""
        return 0.0 if self.margin is None else self.margin
