"""`standardisation_effect`: raw and standardised scores side by side, and what that does to a design."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core import defaults
from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.errors import ArgumentError, notify, quietly
from cranfield.core.labels import repr_of, summary
from cranfield.core.results import Result, check_frame, signature
from cranfield.questions.correlate.correlate import Correlation, correlate
from cranfield.questions.design.anova import design_anova
from cranfield.questions.standardise.answer import effect_answer
from cranfield.questions.standardise.fit import Standardisation, fit_standardisation
from cranfield.questions.standardise.question import EffectQuestion
from cranfield.questions.variance.estimate import estimate_variance
from cranfield.questions.variance.squares import squares
from cranfield.scores.doors import as_matrices
from cranfield.scores.matrix import ScoreMatrix, Scores

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings
    from cranfield.questions.standardise.apply import Standardised

BY_CHANCE = sentence(
    "design.by-chance",
    "{measure}, {scores}: {why}; topics for a difference in standard deviations between systems are undefined",
    "the variance between systems is estimated as 0 or less, or there is no residual",
)
METHODS: dict[str, defaults.DesignMethod] = {"": "exact", "_published": "published"}
PUBLISHED = ("published_lower", "published_upper")
TABLES = {"variance": "variance", "scale_free": "scale_free", "topics": "topics_needed"}
"""The tables by name, and the attributes that hold them."""


@dataclass(frozen=True)
class StandardisationEffect(Result):
    """Raw and standardised scores side by side; get one from `standardisation_effect`.

    Attributes
    ----------
    variance : polars frame
        One row per measure, as in Table 1 of Sakai (2016): variance before and after, and τ between the two rankings
        of the systems, corrected for topic noise and with its interval as in `correlate`;
        clipped cells and tied topics.
    scale_free : polars frame
        One row per measure and kind of score, in units that do not depend on scale. It has the F of the blocked
        analysis of variance, and the topics that ten systems need. There, best and worst differ by `fraction` of the
        standard deviation between systems.
    topics_needed : polars frame
        One row per measure, number of systems and min_diff, as in Table 2 of Sakai (2016): topics needed, exact
        and published.
    """

    variance: pl.DataFrame
    scale_free: pl.DataFrame
    topics_needed: pl.DataFrame
    settings: dict[str, Any]
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for table in (self.variance, self.scale_free, self.topics_needed):
            check_frame("the effect of standardisation", table)

    @property
    def signature(self) -> str:
        """One line for a footnote."""
        names = ["to", *(["a", "b"] if self.settings["to"] == "ab" else []), "estimator", "fraction", "alpha", "power"]
        named = {name: self.settings[name] for name in names}
        drawn = {"resamples": self.settings["n_resamples"], "seed": self.settings["seed"]}
        return signature("effect of standardisation", measure=summary(self.settings["measure"]), **named, **drawn)

    def to_frame(self) -> pl.DataFrame:
        """The three tables under one another; the column ``table`` tells them apart."""
        frames = [getattr(self, held).select(pl.lit(name).alias("table"), pl.all()) for name, held in TABLES.items()]
        return pl.DataFrame(pl.concat(frames, how="diagonal"))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        said = super().to_dict()
        del said["rows"]
        return {name: getattr(self, held).to_dicts() for name, held in TABLES.items()} | said

    def __repr__(self) -> str:
        parts = [
            f"{row['measure']}: variance {row['variance_raw']:.4f} to {row['variance_standardised']:.4f}, "
            f"tau {row['tau']:.3f}"
            for row in self.variance.iter_rows(named=True)
        ]
        return f"StandardisationEffect({'; '.join(parts)})"

    answer = effect_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.standardise import charts

        return {"effect": charts.standardisation_effect}


def standardisation_effect(
    scores: Scores | ScoreMatrix,
    *,
    factors: Standardisation | None = None,
    to: defaults.StandardiseTo = defaults.STANDARDISE_TO,
    a: float = defaults.STANDARDISE_A,
    b: float = defaults.STANDARDISE_B,
    n_systems: Sequence[int] = defaults.EFFECT_SYSTEMS,
    min_diff: Sequence[float] = defaults.EFFECT_MIN_DIFFS,
    fraction: float = 1.0,
    alpha: float = defaults.ALPHA,
    power: float = defaults.POWER,
    estimator: str = defaults.ANOVA_VARIANCE,
    n_resamples: int = defaults.TAU_RESAMPLES,
    seed: int = defaults.SEED,
    missing: defaults.MissingPolicy = defaults.MISSING,
    published: bool = False,
    workers: int | None = None,
) -> StandardisationEffect:
    r"""What does standardisation change: variances, rankings, and the number of topics a new collection needs?

    The first and the last table are Tables 1 and 2 of Sakai (2016) for the given scores. Raw and standardised are
    not comparable there: `min_diff` depends on the scale, and std-AB scores have a variance near a² for any measure.
    The table between them is comparable. It has F = V_A/V_E2 of the blocked analysis of variance, and the topics
    needed (exact, blocked) by ten systems. There, best and worst differ by `fraction` of the standard deviation
    between systems, √((V_A − V_E2)/n). Neither changes when scores are rescaled or shifted.

    Parameters
    ----------
    scores : raw scores; at least 2 topics and 2 systems
    factors : saved factors; by default they are fitted on the scores
    to, a, b : the transformation, as in `Standardisation.apply`
    n_systems, min_diff : the grid of the topic set sizes (default: Table 2 of Sakai 2016)
    fraction : the smallest difference of interest, in standard deviations between systems
    estimator : estimator of the variances (default: ``within``, Sakai 2016, eq. 1)
    missing : topics without saved factors, as in `Standardisation.apply`; left out on both sides
    published : give the published interval of τ as well (Sakai 2016, Table 1(g)), cut at ±1

    Examples
    --------
    >>> from cranfield import ScoreMatrix
    >>> raw = ScoreMatrix([[1, 2, 4], [20, 25, 40], [3, 2, 5], [7, 9, 8]], list("1234"), list("abc"), "M")
    >>> effect = standardisation_effect(raw, n_systems=[2], min_diff=[0.1], n_resamples=0)
    >>> effect
    StandardisationEffect(M: variance 162.7222 to 0.0078, tau 1.000)
    >>> effect.scale_free["blocked_f"].round(2).to_list()
    [1.97, 4.64]
    """
    check_arguments(standardisation_effect, locals())
    if not fraction > 0:
        raise ArgumentError(f"`fraction` must be positive; got {fraction:g}. Write 1 for one standard deviation.")
    if factors is not None and not isinstance(factors, Standardisation):
        raise ArgumentError(f"`factors` must be a Standardisation; got {repr_of(factors)}. Use `fit_standardisation`.")
    matrices = as_matrices(scores)
    for matrix in matrices:
        matrix.require(what="the effect of standardisation")
    with quietly():  # gathered below, once
        done = (factors or fit_standardisation(scores)).apply(scores, to=to, a=a, b=b, missing=missing)
        standardised = [matrix.require(what="the effect of standardisation") for matrix in done.scores.values()]
        matrices = [raw.select(topics=std.topics) for raw, std in zip(matrices, standardised, strict=True)]
        pairs = list(zip(matrices, standardised, strict=True))
        agreement = [
            correlate(raw, std, alpha=alpha, n_resamples=n_resamples, seed=seed, workers=workers, published=published)
            for raw, std in pairs
        ]
        variances = [
            (estimate_variance(raw, estimator).variance, estimate_variance(std, estimator).variance)
            for raw, std in pairs
        ]
        topics = _topics([raw.measure for raw in matrices], variances, n_systems, min_diff, alpha, power)
        scale_free = _scale_free(pairs, fraction, alpha, power)
    undefined = scale_free.filter(pl.col("topics").is_null())
    said = [
        BY_CHANCE(measure=row["measure"], scores=row["scores"], why=_why_no_topics(row["blocked_f"]))
        for row in undefined.iter_rows(named=True)
    ]
    settings = EffectQuestion.in_force(
        measure=[matrix.measure for matrix in matrices], to=to, a=a, b=b,
        factors=None if factors is None else f"version {factors.version}", n_systems=list(n_systems),
        min_diff=list(min_diff), estimator=estimator, fraction=fraction, alpha=alpha, power=power,
        n_resamples=n_resamples, seed=seed, published=published,
    )  # fmt: skip
    table, warnings = _variance_table(pairs, variances, agreement, done), (*done.warnings, *said)
    notify(warnings)
    return StandardisationEffect(table, scale_free, topics, settings, warnings)


def _why_no_topics(blocked_f: float | None) -> str:
    if blocked_f is None:
        return "systems and topics explain every score and leave no residual"
    return f"systems differ no more than by chance (F = {blocked_f:.2f})"


def _variance_table(
    pairs: list[tuple[ScoreMatrix, ScoreMatrix]],
    variances: list[tuple[float, float]],
    agreement: list[Correlation],
    done: Standardised,
) -> pl.DataFrame:
    rows = []
    for (raw, _), (before, after), tau, count in zip(pairs, variances, agreement, done.counts, strict=True):
        low, high = tau.intervals.get("tau") or (None, None)
        published = {} if tau.published is None else dict(zip(PUBLISHED, tau.published, strict=True))
        rows.append({
            "measure": raw.measure, "systems": raw.n_systems, "topics": raw.n_topics,
            "variance_raw": before, "variance_standardised": after, "tau": tau.values["tau"],
            "tau_corrected": tau.corrected.get("tau"), "tau_lower": low, "tau_upper": high, **published,
            "clipped": count.clipped, "tied_topics": count.tied_topics,
        })  # fmt: skip
    return pl.DataFrame(rows, schema_overrides=dict.fromkeys(("tau_corrected", "tau_lower", "tau_upper"), pl.Float64))


def _scale_free(
    pairs: list[tuple[ScoreMatrix, ScoreMatrix]], fraction: float, alpha: float, power: float
) -> pl.DataFrame:
    rows = []
    for raw, std in pairs:
        for kind, matrix in (("raw", raw), (std.measure.removesuffix(f"({raw.measure})"), std)):
            sums = squares(matrix.canonical().values)
            residual, between = float(sums.mean_residual), float(sums.mean_between_systems)
            if residual <= (1e-12 * float(abs(matrix.values).max())) ** 2:  # rounding, not variance
                residual = 0.0
            sd = math.sqrt(max(0.0, (between - residual) / sums.n))
            topics = None
            if sd > 0 and residual > 0:
                design = design_anova(residual, defaults.SCALE_FREE_SYSTEMS, fraction * sd, alpha=alpha, power=power)
                topics = design.n_topics
            rows.append({
                "measure": raw.measure, "scores": kind, "between_sd": sd, "residual_sd": math.sqrt(residual),
                "blocked_f": between / residual if residual > 0 else None, "systems": defaults.SCALE_FREE_SYSTEMS,
                "topics": topics,
            })  # fmt: skip
    return pl.DataFrame(rows, schema_overrides={"topics": pl.Int64, "blocked_f": pl.Float64})


def _topics(
    measures: list[str],
    variances: list[tuple[float, float]],
    n_systems: Sequence[int],
    min_diff: Sequence[float],
    alpha: float,
    power: float,
) -> pl.DataFrame:
    frames = []
    for measure, (before, after) in zip(measures, variances, strict=True):
        columns = {}
        for suffix, method in METHODS.items():
            for name, variance in (("raw", before), ("standardised", after)):
                design = design_anova(
                    variance, n_systems, min_diff, alpha=alpha, power=power, method=method, published=True
                )
                columns[name + suffix] = design.rows["topics"]
        grid = design.rows.select(pl.lit(measure).alias("measure"), "systems", "min_diff")
        frames.append(grid.with_columns(**columns))
    return pl.concat(frames)
