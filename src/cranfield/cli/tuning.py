"""What `tune`, `compare --tune` and `selection-bias` share: their options, and the way from files to a tuning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cranfield.defaults import FOLDS, MissingPolicy
from cranfield.errors import ArgumentError

if TYPE_CHECKING:
    from cranfield.tuning import HoldOut, LeaveOneOut, NFold, Tuning

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
