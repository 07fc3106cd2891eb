"""`reliability`: stability of rankings and scores, and topics needed for a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core import defaults
from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, HALVINGS, RELIABILITY_TARGET, SEED, VIEW_MIN_DIFF
from cranfield.core.errors import ArgumentError, notify
from cranfield.core.labels import plural
from cranfield.core.results import Result, check_finite, check_interval, signature
from cranfield.questions.reliability import components as study
from cranfield.questions.reliability.answer import reliability_answer
from cranfield.questions.reliability.components import COEFFICIENTS, Coefficient, Components, Ratio, ratio
from cranfield.scores.doors import ScoresLike, as_collections
from cranfield.scores.matrix import ScoreMatrix, Scores, inherited

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings
    from cranfield.questions.reliability.tau import ExpectedTau
    from cranfield.questions.reliability.views import ThreeViews

_WHOLE = dict.fromkeys(("topics_needed", "topics_lower", "topics_upper"), pl.Int64)
RELIABILITY = sentence(
    "generalisability.reliability",
    "With {topics}, the ranking by {measure} has reliability {relative:.3f}, the scores {absolute:.3f}",
    "these are Eρ² and Φ by the components of variance",
    always=True,
    measured="reliability",
)
BELOW_CHANCE_SYSTEMS = sentence(
    "generalisability.below-chance-systems",
    "{measure}: the variance component of systems is negative and set to 0. Systems differ no more than by chance, so "
    "both coefficients are 0.",
    "the mean square of systems is below that of the residual",
)
BELOW_CHANCE_TOPICS = sentence(
    "generalisability.below-chance-topics",
    "{measure}: the variance component of topics is negative and set to 0. Topics differ no more than by chance.",
    "the mean square of topics is below that of the residual",
)
STARTS_AT_ZERO = sentence(
    "generalisability.starts-at-zero",
    "{measure}: the interval of a coefficient starts at 0. These topics do not show that systems differ.",
    "the lower end of a coefficient's interval is 0",
    measured="reliability",
)


@dataclass(frozen=True, eq=False)
class Reliability(Result):
    """Variance components of a collection and the reliability of any number of topics; get one from `reliability`.

    Attributes
    ----------
    components : Components
        σ²_s, σ²_q and σ²_e.
    n_topics : tuple of int
        Numbers of topics asked for.
    target : tuple of float
        Coefficients asked for.
    scores : mapping from name to ScoreMatrix
        The collections, pooled when there are several.
    """

    measure: str
    components: Components
    n_topics: tuple[int, ...]
    target: tuple[float, ...]
    drop: float
    alpha: float
    scores: Mapping[str, ScoreMatrix] = field(repr=False)
    warnings: tuple[str, ...] = field(default=())
    intervals: str = defaults.RELIABILITY_INTERVALS
    _taus: dict[tuple[str, int, int], ExpectedTau] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        what = f"{self.measure}: the study"
        check_finite(what, systems=self.components.estimated_systems, residual=self.components.residual)
        for name in COEFFICIENTS:
            for topics in self.n_topics:
                value, lower, upper = self.ratio(name).at(topics)
                check_interval(what, name, lower, value, upper)
                check_interval(what, name, 0, value, 1)

    @property
    def collections(self) -> int:
        """How many collections are pooled."""
        return len(self.scores)

    def ratio(self, coefficient: Coefficient) -> Ratio:
        """The ratio of components behind ``erho2`` or ``phi``, which gives it for any number of topics."""
        return ratio(coefficient, self.components, self.alpha)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force, defaults included."""
        return {
            "measure": self.measure, "n_topics": list(self.n_topics), "target": list(self.target), "drop": self.drop,
            "alpha": self.alpha, "intervals": self.intervals, "collections": self.collections,
            "n_systems": self.components.n_systems,
        }  # fmt: skip

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        several = self.collections if self.collections > 1 else None
        return signature(
            "reliability, two-way G-study", measure=self.measure, collections=several,
            systems=self.components.n_systems, data_topics=self.components.n_topics, dropped=self.drop or None,
            alpha=self.alpha, intervals=self.intervals,
        )  # fmt: skip

    def to_frame(self) -> pl.DataFrame:
        """One row per coefficient and number of topics (and target): measure, coefficient, topics, value, lower, upper.

        With a target also target, topics_needed, topics_lower, topics_upper; empty where no number of topics does it.
        """
        rows: list[dict[str, Any]] = []
        for name in COEFFICIENTS:
            behind = self.ratio(name)
            for n in self.n_topics:
                row = {"measure": self.measure, "coefficient": name, "topics": n}
                row |= dict(zip(("value", "lower", "upper"), behind.at(n), strict=True))
                rows += [row | _needed(behind, target) for target in self.target] or [row]
        return pl.DataFrame(rows, schema_overrides=_WHOLE if self.target else None)

    def targets_frame(self) -> pl.DataFrame:
        """One row per coefficient and target (.95 unless asked for): topics_needed, topics_lower, topics_upper.

        Empty where no number of topics does it.
        """
        rows = [
            {"measure": self.measure, "coefficient": name} | _needed(self.ratio(name), target)
            for name in COEFFICIENTS
            for target in self.target or (RELIABILITY_TARGET,)
        ]
        return pl.DataFrame(rows, schema_overrides=_WHOLE)

    def views(
        self, *, n_topics: Sequence[int] = (), min_diff: float = VIEW_MIN_DIFF, n_resamples: int = HALVINGS,
        seed: int = SEED,
    ) -> dict[str, ThreeViews]:  # fmt: skip
        """Power, interval width and reliability by number of topics, for each collection; see `three_views`.

        The numbers are those of the study unless given. A single topic has neither power nor width and is skipped.
        """
        from cranfield.questions.reliability.views import views_of

        sizes = [n for n in n_topics or self.n_topics if n > 1]
        if not sizes:
            raise ArgumentError("`n_topics` must be at least 2 for a paired test; got 1. Write 50.")
        made = {}
        for name, matrix in self.scores.items():
            tau = self._tau(name, n_resamples, seed)
            made[name] = views_of(matrix, replace(tau, n_topics=tuple(sizes)), min_diff, self.intervals)
            notify(made[name].warnings)
        return made

    def _tau(self, name: str, n_resamples: int, seed: int) -> ExpectedTau:
        """The agreement of halves of a collection's topics, computed once for all numbers of topics."""
        from cranfield.questions.reliability.tau import estimate_tau

        key = (name, n_resamples, seed)
        if key not in self._taus:
            self._taus[key] = estimate_tau(self.scores[name], (), self.drop, self.alpha, n_resamples, seed)
        return self._taus[key]

    def components_frame(self) -> pl.DataFrame:
        """One row per source of variance: measure, source, variance, share."""
        return pl.DataFrame(
            [
                {"measure": self.measure, "source": name, "variance": getattr(self.components, name), "share": share}
                for name, share in self.components.shares.items()
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {**super().to_dict(), "components": self.components_frame().to_dicts()}

    def summary(self) -> str:
        """One sentence: the reliability of ranking and scores with the first number of topics."""
        n = self.n_topics[0]
        relative, absolute = (self.ratio(name).at(n)[0] for name in COEFFICIENTS)
        return RELIABILITY(measure=self.measure, topics=plural(n, "topic"), relative=relative, absolute=absolute)

    def __repr__(self) -> str:
        return f"Reliability({self.summary()})\n{self.to_frame()}"

    answer = reliability_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.reliability import charts

        return {"coefficients": charts.coefficients, "views": charts.views}


def reliability(
    scores: ScoresLike,
    *,
    n_topics: int | Sequence[int] = (),
    target: float | Sequence[float] = (),
    drop: float = 0.0,
    alpha: float = ALPHA,
    intervals: defaults.ReliabilityIntervals = defaults.RELIABILITY_INTERVALS,
) -> Reliability:
    """How reliable are the ranking and the scores of a test collection, and how many topics does a target need?

    In generalisability theory, systems and topics are samples; reliability is stability over other topics.
    Eρ²(n) = σ²_s/(σ²_s + σ²_e/n) is relative: is the ranking stable? Φ(n) = σ²_s/(σ²_s + (σ²_q + σ²_e)/n) is absolute:
    are the scores? The interval of Eρ² is the two-way jackknife of log r, r = (MS_s/MS_e − 1)/n: r·exp(±t·s), leaving
    out topics and systems in turn. That of Φ is by Arteaga, Jeyaratnam & Franklin (1982), for normal effects. Systems
    count as a sample. Bad systems make any collection look reliable: see `drop`.

    Parameters
    ----------
    scores : scores of one measure, or several of them, by name or in a row
        Several collections are pooled (`variance_components`); intervals are then exact only for equal sizes.
    n_topics : int or several
        Numbers of topics for both coefficients; by default that of the data.
    target : float or several
        Coefficients to reach, each between 0 and 1, for example 0.95.
    drop : float
        Share of the worst systems to drop first.
    alpha : float
        The intervals have confidence 1 − alpha.
    intervals : {"jackknife", "normal"}
        Of Eρ²: by the jackknife, or by Feldt (1965), which is exact for normal effects. Feldt's interval is also used
        for pooled collections, and if a ratio without one topic or system is not above 0.

    References
    ----------
    Brennan, "Generalizability Theory" (2001).
    Bodoff & Li, "Test theory for assessing IR test collections" (SIGIR 2007).
    Urbano, Marrero & Martín, "On the measurement of test collection reliability" (SIGIR 2013).

    Examples
    --------
    >>> from cranfield.scores.synthetic import make_scores
    >>> study = reliability(make_scores(50, 30), target=0.95)
    >>> study.summary()
    'With 50 topics, the ranking by score has reliability 0.947, the scores 0.787'
    >>> study.to_frame()["topics_needed"].to_list()
    [54, 258]
    """
    check_arguments(reliability, locals())
    study.check_share("alpha", alpha, ALPHA)
    named = collections_of(scores)
    matrices = list(named.values())
    components = study.variance_components(matrices, drop=drop)
    if intervals == "normal":
        components = replace(components, spread=None)
    sizes = study.check_topics(n_topics) or (round(components.n_topics),)
    targets = (target,) if isinstance(target, (int, float)) else tuple(target)
    for wanted in targets:
        study.check_share("target", wanted, RELIABILITY_TARGET)
    measure = matrices[0].measure
    warnings = (*inherited(matrices), *negative_warnings(measure, components))
    if study.SYSTEMS not in components.negative and any(
        ratio(name, components, alpha).lower <= 0 for name in COEFFICIENTS
    ):
        warnings += (STARTS_AT_ZERO(measure=measure),)
    made = Reliability(measure, components, sizes, targets, drop, alpha, named, warnings, intervals)
    notify(made.warnings)
    return made


def _needed(behind: Ratio, target: float) -> dict[str, Any]:
    needed, fewest, most = behind.topics_for(target)
    return {"target": target, "topics_needed": needed, "topics_lower": fewest, "topics_upper": most}


def collections_of(scores: ScoresLike) -> dict[str, ScoreMatrix]:
    """The matrix of every collection, by name."""
    if isinstance(scores, (list, tuple)) and all(isinstance(one, (ScoreMatrix, Scores)) for one in scores):
        scores = {f"collection {number}": one for number, one in enumerate(scores, 1)}
    return {name: one.only() for name, one in as_collections(scores).items()}


def negative_warnings(measure: str, components: Components) -> tuple[str, ...]:
    """Warnings about negative components."""
    meaning = {"systems": BELOW_CHANCE_SYSTEMS, "topics": BELOW_CHANCE_TOPICS}
    return tuple(meaning[name](measure=measure) for name in components.negative)
