"""What `tune`, `compare --tune` and `selection-bias` share: their options, and the way from files to a tuning."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from cranfield.defaults import FOLDS, MissingPolicy
from cranfield.errors import ArgumentError, DataError

if TYPE_CHECKING:
    from cranfield.present.tables import Sheet
    from cranfield.scores import Scores
    from cranfield.tuning import HoldOut, LeaveOneOut, NFold, TunedFamily, Tuning

FoldCount = Annotated[
    int | None,
    typer.Option("--folds", metavar="N", help=f"N-fold cross-validation. [default: {FOLDS} folds]"),
]
LeaveOneOutFlag = Annotated[bool, typer.Option("--leave-one-out", help="Hold out one topic at a time.")]
HoldOutShare = Annotated[
    float | None, typer.Option("--holdout", metavar="SHARE", help="Hold out this share of the topics, once.")
]
Repeats = Annotated[int, typer.Option("--repeats", help="Draw the folds (or the hold-out) anew so many times.")]
Stratified = Annotated[
    bool, typer.Option("--stratified", help="Give every fold its share of hard and easy topics, by mean score.")
]
Pattern = Annotated[
    str | None,
    typer.Option(
        "--pattern",
        help="How systems are named, such as '{family}-mu{mu}'. "
        "[default: name(parameter=value,...); a file is a family]",
    ),
]


def splitter_of(
    folds: int | None, leave_one_out: bool, holdout: float | None, repeats: int, stratified: bool, seed: int
) -> NFold | LeaveOneOut | HoldOut:
    """The splitter the options ask for."""
    from cranfield.tuning import HoldOut, LeaveOneOut, NFold

    asked = [("--folds", folds is not None), ("--leave-one-out", leave_one_out), ("--holdout", holdout is not None)]
    chosen = [name for name, given in asked if given]
    if len(chosen) > 1:
        raise ArgumentError(f"{' and '.join(chosen)} exclude each other; choose one")
    if leave_one_out:
        if repeats != 1 or stratified:
            raise ArgumentError("--leave-one-out has nothing to draw; leave out --repeats and --stratified")
        return LeaveOneOut()
    if holdout is not None:
        return HoldOut(holdout, repeats, stratified, seed)
    return NFold(FOLDS if folds is None else folds, repeats, stratified, seed)


def tune_files(
    scores: list[str],
    splitter: NFold | LeaveOneOut | HoldOut,
    *,
    measure: str | None,
    missing: MissingPolicy,
    pattern: str | None,
) -> Tuning:
    """Read the families and tune them."""
    from cranfield.tuning import read_families, tune

    return tune(read_families(scores, measure=measure, missing=missing, pattern=pattern), splitter)


@dataclass(frozen=True)
class TunedScores:
    """The held-out scores to compare, and the tuning they come from."""

    tuning: Tuning
    scores: Scores

    def introduce(self, answer: Sheet) -> Sheet:
        """The answer of a comparison, with what the tuning before it has to say."""
        tuning = self.tuning
        families = tuning.summary().drop("settings").to_dicts()
        return replace(
            answer,
            signature=f"{tuning.signature.rpartition('; cranfield')[0]}; {answer.signature}",
            settings={**answer.settings, "tuning": {"folds": tuning.folds.description, "families": families}},
            warnings=(*tuning.warnings, *answer.warnings),
            title=f"Held-out scores of {len(tuning.families)} families, {tuning.folds.description}\n{answer.title}",
            notes=(*[line for family in tuning.families for line in notes_on(family)], *answer.notes),
        )


def before_comparing(
    tune: bool,
    scores: list[str],
    *,
    measure: list[str] | None,
    missing: MissingPolicy,
    folds: int | None,
    leave_one_out: bool,
    holdout: float | None,
    repeats: int,
    stratified: bool,
    pattern: str | None,
    seed: int,
) -> TunedScores | None:
    """The held-out scores of the families in the files; None when no tuning is asked for."""
    if not tune:
        if folds is not None or leave_one_out or holdout is not None or repeats != 1 or stratified or pattern:
            raise ArgumentError("--folds, --holdout and the other options of tuning need --tune; add it")
        return None
    from cranfield.scores import Scores

    if measure is not None and len(measure) > 1:
        raise ArgumentError(f"--tune tunes for one measure; got {len(measure)}. Name one with --measure.")
    splitter = splitter_of(folds, leave_one_out, holdout, repeats, stratified, seed)
    found = tune_files(scores, splitter, measure=measure[0] if measure else None, missing=missing, pattern=pattern)
    if len(found.families) < 2:
        raise DataError(
            f"--tune compares families, and there is one, {found.families[0].name!r}; "
            "name a second, or see what tuning makes of it with `cranfield tune`"
        )
    return TunedScores(found, Scores([found.held_out]))


def notes_on(family: TunedFamily) -> list[str]:
    """For people: the honest figure, how stable the choice is, and whether the grid ends too early."""
    folds = len(family.choices)
    # Where some topics were never held out, optimism is about the others: the figures beside it must be too.
    there = family.held_out_mean + family.optimism
    where = "all topics" if math.isclose(there, family.in_sample_mean, abs_tol=1e-9) else "those held out"
    lines = [
        f"{family.name}: expect {family.held_out_mean:.4f} on unseen topics; the best setting's mean on {where} is "
        f"{there:.4f}, an optimism of {family.optimism:.4f}.",
        f"{family.name}: use {family.final}, chosen in {round(family.agreement * folds)} of {folds} folds"
        + (f" ({family.n_distinct} settings chosen in all)." if family.n_distinct > 1 else "."),
    ]
    if family.at_edge:
        lines.append(
            f"{family.name}: {' and '.join(family.at_edge)} of the final setting lies at the edge of the values tried; "
            "the best may lie beyond."
        )
    return lines
