"""`design_of`: a design from a typed variance, or from past scores by every estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import polars as pl

from cranfield.core.defaults import DESIGN_METHOD
from cranfield.core.errors import ArgumentError, CranfieldError, notify, quietly
from cranfield.questions.design.grid import COLUMN, Variances, listed, positive
from cranfield.questions.design.result import Design, DesignKind, Variant
from cranfield.questions.design.sense import sense
from cranfield.questions.variance.estimate import VarianceEstimate
from cranfield.questions.variance.estimators import ESTIMATORS
from cranfield.questions.variance.variances import pooled_variances
from cranfield.scores.doors import ScoresLike, as_collections, is_scores

Given: TypeAlias = Variances | ScoresLike
"""The input of a design: variances, or past scores of one or several collections."""


def design_of(
    kind: DesignKind,
    form: Variant,
    variance: Given | None,
    variance_of_difference: Given | None,
    estimator: str | None,
    *,
    method: str = DESIGN_METHOD,
    **asked: Any,
) -> Design:
    """The design of a kind in one of its forms.

    A typed σ² becomes σ_t² = 2σ² where the design needs it, and vice versa. Past scores give one design per measure,
    and further rows by every other estimator.
    """
    if variance_of_difference is not None and not kind.pairwise:
        raise ArgumentError(
            f"`variance_of_difference` is for designs about two systems. Give `variance` to {kind.name}."
        )
    if not kind.pairwise and variance is None:
        raise ArgumentError("`variance` is missing. Give a number, an estimate or past scores.")
    if (variance is None) == (variance_of_difference is None):
        got = "neither" if variance is None else "both"
        raise ArgumentError(f"give one of `variance` and `variance_of_difference`; got {got}.")
    given: Any = variance if variance_of_difference is None else variance_of_difference
    # Several values are kept as lists, which can be read more than once.
    question = {
        name: list(value) if isinstance(value, Iterable) and not isinstance(value, str) else value
        for name, value in {**asked, "method": method}.items()
    }

    def solved(variances: Any) -> Design:
        design = form.function(variances, **question)
        settings = _in_force(design, kind, form, question)
        return replace(design, kind=kind, variant=form, variances=variances, question=question, settings=settings)

    if isinstance(given, str) or not is_scores(given):
        design = solved(_typed(given, variance_of_difference is not None, form.of_difference))
    else:
        design = _from_past(given, estimator or form.estimator, solved, question)
    notify(design.warnings)
    return design


def _typed(given: Variances, of_difference: bool, wanted: bool) -> list[Any]:
    """Typed numbers as variances of a difference, or of a system, as wanted; estimates know both."""
    name = "variance_of_difference" if of_difference else "variance"
    factor = 1.0 if of_difference == wanted else 2.0 if wanted else 0.5
    several = [given] if isinstance(given, VarianceEstimate) else listed(name, given)
    return [one if isinstance(one, VarianceEstimate) else factor * positive(name, one) for one in several]


def _from_past(given: ScoresLike, chosen: str, solved: Callable[[Any], Design], question: Mapping[str, Any]) -> Design:
    collections = as_collections(given)
    level = question["alpha"][0] if isinstance(question["alpha"], list) else question["alpha"]
    with quietly():  # warnings of the chosen estimates go into the result
        estimates = pooled_variances(collections, chosen, level)
        design = solved(estimates)
        frames = [design.rows]
        for other in ESTIMATORS:
            if other != chosen:
                try:
                    frames.append(solved(pooled_variances(collections, other, level)).rows)
                except CranfieldError:  # no variance by this estimator, or no design for it
                    continue
    asked = question.get("min_diff")
    differences = [] if asked is None else asked if isinstance(asked, list) else [asked]
    said = [text for one in estimates for text in one.warnings]
    said += design.warnings
    for one in estimates:
        for difference in dict.fromkeys([*differences[:1], *differences[-1:]]):
            said += sense([stratum.scores for stratum in one.strata], difference)
    return replace(design, by_estimator=pl.concat(frames, how="diagonal"), warnings=tuple(dict.fromkeys(said)))


def _in_force(design: Design, kind: DesignKind, form: Variant, question: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the design's question with defaults; None for the quantity solved for."""
    if kind.question is None:
        return dict(design.settings)
    known: dict[str, Any] = {one.name: None for one in kind.question.all() if one.part == "question"}
    known |= {name: question[name] for name in kind.extras if name in question}
    known |= {one.option: one is form for one in kind.variants if one.option}
    for name in ("alpha", "estimator", "variance", "variance_of_difference", *kind.asks):
        column = COLUMN.get(name, name)
        if column in design.rows.columns and column != design.solved_for:
            values = design.rows[column].unique(maintain_order=True).to_list()
            known[name] = values[0] if len(values) == 1 else values
    return kind.question.in_force(**{**known, **design.settings})
