"""A design from its question: the variance typed, or estimated from past scores by every estimator there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from cranfield.defaults import DESIGN_METHOD
from cranfield.design.designs import DESIGNS, DesignKind, Variant
from cranfield.design.grid import Numbers, Variances, listed, positive
from cranfield.design.result import Design
from cranfield.design.sense import sense
from cranfield.design.solve import COLUMN
from cranfield.errors import ArgumentError, CranfieldError, quietly
from cranfield.scores.doors import ScoresLike, as_collections, is_scores
from cranfield.settings import question_of
from cranfield.variance import VarianceEstimate, pooled_variances
from cranfield.variance.estimators import ESTIMATORS

if TYPE_CHECKING:
    import polars as pl
else:
    from cranfield.lazy import polars as pl

Past: TypeAlias = ScoresLike
"""Past scores, of one collection or of several by name."""
Given: TypeAlias = Variances | Past
"""What a design can start from."""


def design_of(
    kind: str,
    variant: str | None,
    variance: Given | None = None,
    variance_of_difference: Given | None = None,
    *,
    estimator: str | None = None,
    alpha: Numbers,
    method: str = DESIGN_METHOD,
    **asked: Any,
) -> Design:
    """The design of a kind, its warnings not issued yet.

    A typed σ² counts as σ_t² = 2σ² where the design wants that, and the other way round. From past scores there is
    one design per measure, and the same by every other estimator beside it.
    """
    entry = DESIGNS[kind]
    form = entry.variant(variant)
    if variance_of_difference is not None and not entry.pairwise:
        raise ArgumentError(f"`variance_of_difference` belongs to designs for two systems; give `variance` to {kind}.")
    if not entry.pairwise and variance is None:
        raise ArgumentError("`variance` is missing; give a number, an estimate, or past scores to estimate it from.")
    if (variance is None) == (variance_of_difference is None):
        got = "neither" if variance is None else "both"
        raise ArgumentError(f"give one of `variance` and `variance_of_difference`; got {got}.")
    name = "variance" if variance_of_difference is None else "variance_of_difference"
    given: Any = variance if variance_of_difference is None else variance_of_difference
    question = {key: _listed(value) for key, value in {"alpha": alpha, "method": method, **asked}.items()}

    def solved(variances: Any) -> Design:
        design = form.function(variances, **question)
        settings = _in_force(design, entry, form, question)
        return replace(design, kind=kind, variant=variant, variances=variances, question=question, settings=settings)

    if isinstance(given, str) or not is_scores(given):
        factor = {(True, "variance"): 2.0, (False, "variance_of_difference"): 0.5}.get((form.of_difference, name), 1.0)
        return solved(_typed(name, given, factor))
    collections = as_collections(given)
    chosen = estimator or form.estimator
    level = question["alpha"][0] if isinstance(question["alpha"], list) else question["alpha"]
    with quietly():  # warnings of the chosen estimates go into the result
        estimates = pooled_variances(collections, [chosen], alpha=level)[chosen]
        design = solved(estimates)
        frames = [design.rows]
        for other in ESTIMATORS:
            if other != chosen:
                try:
                    frames.append(solved(pooled_variances(collections, [other], alpha=level)[other]).rows)
                except CranfieldError:  # no variance by this estimator, or no design for it
                    continue
    said = dict.fromkeys(
        [*(text for one in estimates for text in one.warnings), *design.warnings, *_sense(estimates, question)]
    )
    return replace(design, by_estimator=pl.concat(frames, how="diagonal"), warnings=tuple(said))


def _in_force(design: Design, entry: DesignKind, form: Variant, question: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the design's question: what was asked, with defaults filled in; None for what was sought."""
    asked = question_of(f"design {entry.name}")
    if asked is None:
        return dict(design.settings)
    known: dict[str, Any] = {one.name: None for one in asked.all() if one.part == "question"}
    known |= {name: question[name] for name in entry.extras if name in question}
    known |= {one.option: one is form for one in entry.variants if one.option}
    for name in ("alpha", "estimator", "variance", "variance_of_difference", *entry.asks):
        column = COLUMN.get(name, name)
        if column in design.table.columns and column != design.solved_for:
            values = list(dict.fromkeys(design.table.values(column)))
            known[name] = values[0] if len(values) == 1 else values
    return asked.in_force(**{**known, **design.settings})


def _sense(estimates: list[VarianceEstimate], question: Mapping[str, Any]) -> list[str]:
    """What is odd about the differences asked for, beside the past scores."""
    asked = question.get("min_diff")
    differences = [] if asked is None else asked if isinstance(asked, list) else [asked]
    return [
        text
        for one in estimates
        for difference in dict.fromkeys([*differences[:1], *differences[-1:]])
        for text in sense([stratum.scores for stratum in one.strata], difference)
    ]


def _listed(value: Any) -> Any:
    """Several values as a list, which can be read more than once."""
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else value


def _typed(name: str, given: Variances, factor: float) -> list[Any]:
    """Typed numbers times the factor; estimates, which know both variances, as they are."""
    several = [given] if isinstance(given, VarianceEstimate) else listed(name, given)
    return [one if isinstance(one, VarianceEstimate) else factor * positive(name, one) for one in several]
