"""May this candidate replace the baseline? The settings of `gate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from cranfield import defaults
from cranfield.errors import ArgumentError
from cranfield.records import record
from cranfield.settings import shared
from cranfield.settings.base import REQUIRED, setting
from cranfield.settings.evaluate import RunsOrScores


def margin(name: str, value: Any) -> None:
    """Refuse what is no loss."""
    if not 0 <= value < float("inf"):
        raise ArgumentError(f"`{name}` must be a number of at least 0; got {value:g}. Write {abs(value):g}.")
    if value > shared.LARGEST:
        raise ArgumentError(f"`{name}` must be at most {shared.LARGEST:g}; got {value:g}. Write 0.01.")


@record(kw_only=True)
class GateSettings(RunsOrScores):
    """Let a build pass when the candidate is not worse than the baseline by a margin you name, or is better.

    Ends with exit code 0 for a pass, 3 for a fail and 4 when these topics cannot decide; then it says how many could.
    With judgments, --baseline and --candidate are run files; with score files they are systems in them. Without any
    file before them, both are score files of one system each. Several measures must all pass.

    \b
    Examples:
      cranfield gate qrels.txt --baseline main.run --candidate new.run -m nDCG@10 --margin 0.01
      cranfield gate scores.csv --baseline bm25 --candidate ours -m AP --better

    Exit codes: 0 pass, 1 bad input, 2 bad usage, 3 fail, 4 undecided, 130 interrupted.
    """

    command: ClassVar[str] = "gate"
    brief: ClassVar[str] = "Pass or fail: may this run replace that one?"
    answered_by: ClassVar[str] = "cranfield.gating:gate"
    place: ClassVar[int] = 95

    files: tuple[str, ...] = setting(
        (), "The judgments, or score files that hold both systems.", argument=True, metavar="[QRELS | SCORES...]",
        part="source", on_page=False,
    )  # fmt: skip
    baseline: str = setting(
        REQUIRED, "What is in use: a run file, or a system of the scores.", "--baseline", "-b", metavar="RUN|SYSTEM"
    )
    candidate: str = setting(REQUIRED, "What would replace it.", "--candidate", "-c", metavar="RUN|SYSTEM")
    measure: tuple[str, ...] | None = shared.measures("A measure; repeatable, and then all of them must pass.")
    margin: float | None = setting(
        None, "The loss that can be accepted, in units of the measure; the least gain if it must be better.",
        metavar="D", check=margin,
    )  # fmt: skip
    better: bool = setting(False, "The candidate must be better, not only not worse.")
    alpha: float = shared.alpha("Level of each one-sided test: how often a candidate at the margin may pass.")
    power: float = shared.power()
    test: str = setting(defaults.GATE_TEST, "Which one-sided test.", choices=defaults.names(defaults.GateTest))
    n_resamples: int = shared.n_resamples(help="How many resamples of the randomisation test.")
    seed: int = shared.seed()
    workers: int | None = shared.workers()
    cluster: str | None = shared.cluster()
    junit: Path | None = setting(
        None, "Also write the verdict as JUnit XML, for a build server.", metavar="FILE", part="view", on_page=False
    )

    def check_together(self) -> None:
        """A margin must be named, unless the candidate has to be better."""
        if self.margin is None and not self.better:
            raise ArgumentError(
                "name the loss you can accept with `margin`, in units of the measure, such as 0.01; "
                "or ask for a gain with `better`"
            )
        if self.margin == 0 and not self.better:
            raise ArgumentError(
                "no loss at all accepted means a gain must be shown: leave out `margin`, write `better`"
            )
        if self.baseline == self.candidate:
            raise ArgumentError(f"`baseline` and `candidate` are both {self.baseline!r}; name two")

    @property
    def accepted(self) -> float:
        """The margin, where none is named 0."""
        return 0.0 if self.margin is None else self.margin
