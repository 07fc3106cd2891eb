"""A design from a typed variance, or from past scores by every estimator; and whether its `min_diff` is plausible."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import polars as pl

from cranfield.core.answer import sentence
from cranfield.core.defaults import DESIGN_METHOD
from cranfield.core.errors import ArgumentError, CranfieldError, notify, quietly
from cranfield.questions.design.grid import COLUMN, Variances, listed, positive
from cranfield.questions.design.result import Design, DesignKind, Variant
from cranfield.questions.variance.estimate import VarianceEstimate
from cranfield.questions.variance.estimators import ESTIMATORS
from cranfield.questions.variance.squares import squares
from cranfield.questions.variance.variances import pooled_variances
from cranfield.scores.doors import ScoresLike, as_collections, is_scores
from cranfield.scores.matrix import ScoreMatrix

Given: TypeAlias = Variances | ScoresLike
"""The input of a design: variances, or past scores of one or several collections."""
LARGE: Final = 5_000
"""Few test collections have more topics."""
SMALL_EFFECT: Final = 0.05
"""A smaller share of the standard deviation of a difference earns a warning."""
IMPOSSIBLE = sentence(
    "design.impossible",
    "`min_diff` = {min_diff:g} is impossible for mean {measure}: scores range from {low:.4g} to {high:.4g}",
    "min_diff is above 1 and all past scores lie in [0, 1], or above 100 and they lie in [0, 100]; an error",
)
PER_CENT = sentence(
    "design.per-cent",
    "{measure} scores range from {low:.4g} to {high:.4g} and may be per cent. Write `min_diff` = {hundredfold:g} if "
    "{min_diff:g} means a share of the scale.",
    "scores lie between 0 and 100 and not between 0 and 1, and the difference is below 1 and a twentieth of "
    "their range",
)
MORE_THAN_RANGE = sentence(
    "design.more-than-range",
    "`min_diff` = {min_diff:g} exceeds the range of the {measure} scores ({low:.4g} to {high:.4g}). Two means can "
    "hardly differ so much.",
    "min_diff is more than the largest past score less the smallest, and not refused",
)
MORE_THAN_APART = sentence(
    "design.more-than-apart",
    "`min_diff` = {min_diff:g} exceeds the gap between the best and the worst past system ({apart:.4g} {measure}). "
    "A collection of this size may miss every difference as large as past ones.",
    "min_diff is more than the largest past mean less the smallest, and no more than the scores' range",
)
TOO_SMALL = sentence(
    "design.too-small",
    "`min_diff` = {min_diff:g} is only {share:.2g} standard deviations of a difference ({spread:.4g} {measure}). "
    "A paired t-test needs more than 3,000 topics for power 0.8 at level 0.05.",
    "min_diff is below a twentieth of the standard deviation of a difference",
)
MANY_TOPICS = sentence(
    "design.many-topics",
    "{topics:,} topics are more than most collections have. 200 topics detect a difference of about {detectable:.2g}.",
    "the answer is above 5,000 topics",
)


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


def sense(
    scores: ScoreMatrix | Iterable[ScoreMatrix], min_diff: float, *, topics: int | None = None
) -> tuple[str, ...]:
    """Warnings about `min_diff` compared with the observed scores.

    A difference above 1 for scores in [0, 1], or above 100 for scores in [0, 100], is an error.

    Parameters
    ----------
    scores : ScoreMatrix, or several
        Past scores by one measure.
    min_diff : float
        The smallest difference of two system means worth detecting.
    topics : int, optional
        What a design answered.

    Examples
    --------
    >>> values = np.random.default_rng(1).uniform(0.2, 0.6, size=(30, 5))
    >>> x = ScoreMatrix(values, map(str, range(30)), "abcde", "AP")
    >>> sense(x, 0.03)
    ()
    >>> sense(x, 5)
    Traceback (most recent call last):
    cranfield.ArgumentError: `min_diff` = 5 is impossible for mean AP: scores range from 0.2023 to 0.5985. Did you mean 0.05?
    """  # noqa: E501
    matrices = [scores] if isinstance(scores, ScoreMatrix) else list(scores)
    difference = positive("min_diff", min_diff)
    measure = matrices[0].measure
    low = min(float(x.values.min()) for x in matrices)
    high = max(float(x.values.max()) for x in matrices)
    whole = 1 if low >= 0 and high <= 1 else 100 if low >= 0 and high <= 100 else math.inf
    if difference > whole:
        meant = f". Did you mean {difference / 100:g}?" if difference <= 100 and whole == 1 else "."
        raise ArgumentError(f"{IMPOSSIBLE(min_diff=difference, measure=measure, low=low, high=high)}{meant}")
    apart = max(float(np.ptp(x.values.mean(axis=0))) for x in matrices)
    spread = math.sqrt(2 * float(np.mean([squares(x.values).mean_residual for x in matrices])))
    said = []
    percent = low >= 0 and 1 < high <= 100 and difference < 1 and high - low > 20 * difference
    if percent:
        said.append(PER_CENT(measure=measure, low=low, high=high, min_diff=difference, hundredfold=difference * 100))
    if difference > high - low:
        said.append(MORE_THAN_RANGE(min_diff=difference, measure=measure, low=low, high=high))
    elif difference > apart:
        said.append(MORE_THAN_APART(min_diff=difference, apart=apart, measure=measure))
    elif not percent and difference < SMALL_EFFECT * spread:
        said.append(TOO_SMALL(min_diff=difference, share=difference / spread, spread=spread, measure=measure))
    if topics is not None and topics > LARGE:
        said.append(MANY_TOPICS(topics=topics, detectable=difference * math.sqrt(topics / 200)))
    return tuple(said)
