"""`reliability`: are the ranking and the scores of a collection stable, and how many topics make them so?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core import defaults
from cranfield.core.defaults import ALPHA, HALVINGS, RELIABILITY_TARGET, SEED, VIEW_MIN_DIFF
from cranfield.core.errors import ArgumentError, notify
from cranfield.core.invariants import check_finite, check_interval
from cranfield.core.results import Result
from cranfield.core.sentences import sentence
from cranfield.core.signature import signature
from cranfield.questions.reliability import components as study
from cranfield.questions.reliability.components import COEFFICIENTS, Coefficient, Components, Ratio, ratio
from cranfield.scores.doors import ScoresLike, as_collections
from cranfield.scores.matrix import ScoreMatrix, Scores, inherited

if TYPE_CHECKING:
    from cranfield.core.answer import Answer, Drawings
    from cranfield.core.question import Question
    from cranfield.questions.reliability.tau import ExpectedTau
    from cranfield.questions.reliability.views import ThreeViews

_WHOLE = dict.fromkeys(("topics_needed", "topics_lower", "topics_upper"), pl.Int64)
WITH_INTERVALS = sentence(
    "generalisability.with-intervals",
    "{measure}: with {topics:,} topics the ranking has reliability {relative} and the scores {absolute} ({level} "
    "intervals)",
    "these are Eρ² and Φ with their intervals",
    always=True,
)
BELOW_CHANCE_SYSTEMS = sentence(
    "generalisability.below-chance-systems",
    "{measure}: the variance component of systems was estimated below 0 and is taken as 0: systems differ less than "
    "chance alone makes them, so both coefficients are 0.",
    "the mean square of systems is below that of the residual",
)
BELOW_CHANCE_TOPICS = sentence(
    "generalisability.below-chance-topics",
    "{measure}: the variance component of topics was estimated below 0 and is taken as 0: topics differ less than "
    "chance alone makes them.",
    "the mean square of topics is below that of the residual",
)
STARTS_AT_ZERO = sentence(
    "generalisability.starts-at-zero",
    "{measure}: the interval of a coefficient starts at 0: these topics do not show that systems differ.",
    "the lower end of a coefficient's interval is 0",
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
        """Power, interval width and reliability of the same numbers of topics, for each collection; see `three_views`.

        The numbers are those of the study unless given. A single topic has neither power nor width and is passed over;
        there must be another number.
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
        """The agreement of halves of a collection's topics, measured once whatever numbers of topics are asked for."""
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
        """One sentence: how reliable ranking and scores are with the first number of topics."""
        n = self.n_topics[0]
        each = (self.ratio(name).at(n) for name in COEFFICIENTS)
        relative, absolute = (f"{value:.3f} [{lower:.3f}, {upper:.3f}]" for value, lower, upper in each)
        level = f"{100 * (1 - self.alpha):g}%"
        return WITH_INTERVALS(measure=self.measure, topics=n, relative=relative, absolute=absolute, level=level)

    def __repr__(self) -> str:
        return f"Reliability({self.summary()})\n{self.to_frame()}"

    def answer(self, question: Question | None = None) -> Answer:
        """What the result says, as every skin shows it."""
        from cranfield.questions.reliability.answer import reliability_answer

        return reliability_answer(self, question)

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
    """How reliable are the ranking and the scores of a test collection, and how many topics would a target take?

    Generalisability theory takes systems and topics for samples and asks what remains with other topics.
    Eρ²(n) = σ²_s/(σ²_s + σ²_e/n) is relative: is the ranking stable? Φ(n) = σ²_s/(σ²_s + (σ²_q + σ²_e)/n) is absolute:
    are the scores? The interval of Eρ² is the two-way jackknife of log r, r = (MS_s/MS_e − 1)/n: r·exp(±t·s), leaving
    out topics and systems in turn. That of Φ is by Arteaga, Jeyaratnam & Franklin (1982), for normal effects. Systems
    are taken as a sample of those one might compare. Bad systems make any collection look reliable: see `drop`.

    Parameters
    ----------
    scores : scores of one measure, or several of them, by name or in a row
        Several collections are pooled, see `variance_components`; intervals are then exact only for equal sizes.
    n_topics : int or several
        Numbers of topics to give both coefficients for; the data's own unless given.
    target : float or several
        Coefficients to reach, each between 0 and 1, for example 0.95.
    drop : float
        Share of the worst systems left out first.
    alpha : float
        The intervals have confidence 1 − alpha.
    intervals : {"jackknife", "normal"}
        Of Eρ²: by the jackknife, or by Feldt (1965), which is exact for normal effects. Feldt's also stands in where
        several collections are pooled or where a ratio without one topic or system is not above 0.

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
    'score: with 50 topics the ranking has reliability 0.947 [0.911, 0.969] and the scores 0.787 [0.662, 0.881]
    (95% intervals)'
    >>> study.to_frame()["topics_needed"].to_list()
    [54, 258]
    """
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
    """The matrix of every collection by its name."""
    if isinstance(scores, (list, tuple)) and all(isinstance(one, (ScoreMatrix, Scores)) for one in scores):
        scores = {f"collection {number}": one for number, one in enumerate(scores, 1)}
    return {name: one.only() for name, one in as_collections(scores).items()}


def negative_warnings(measure: str, components: Components) -> tuple[str, ...]:
    """What to know about components that were estimated below 0."""
    meaning = {"systems": BELOW_CHANCE_SYSTEMS, "topics": BELOW_CHANCE_TOPICS}
    return tuple(meaning[name](measure=measure) for name in components.negative)
