"""`reliability`: are the ranking and the scores of a collection stable, and how many topics make them so?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.defaults import ALPHA, HALVINGS, RELIABILITY_TARGET, SEED, VIEW_MIN_DIFF
from cranfield.errors import ArgumentError, notify
from cranfield.generalisability.coefficients import COEFFICIENTS, Coefficient, Ratio, ratio
from cranfield.generalisability.components import SYSTEMS, Components, variance_components
from cranfield.invariants import check_finite, check_interval
from cranfield.results import Result
from cranfield.scores import ScoreMatrix, Scores
from cranfield.scores.doors import ScoresLike, as_collections
from cranfield.scores.matrix import inherited
from cranfield.sentences import generalisability as say
from cranfield.signature import signature

if TYPE_CHECKING:
    from cranfield.generalisability.tau import ExpectedTau
    from cranfield.generalisability.views import ThreeViews


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
            "measure": self.measure,
            "n_topics": list(self.n_topics),
            "target": list(self.target),
            "drop": self.drop,
            "alpha": self.alpha,
            "collections": self.collections,
            "n_systems": self.components.n_systems,
        }

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        return signature(
            "reliability, two-way G-study",
            measure=self.measure,
            collections=self.collections if self.collections > 1 else None,
            systems=self.components.n_systems,
            data_topics=self.components.n_topics,
            dropped=self.drop or None,
            alpha=self.alpha,
        )

    def to_frame(self) -> pl.DataFrame:
        """One row per coefficient and number of topics (and target): measure, coefficient, topics, value, lower, upper.

        With a target also target, topics_needed, topics_lower, topics_upper; empty where no number of topics does it.
        """
        rows: list[dict[str, Any]] = []
        for name in COEFFICIENTS:
            behind = self.ratio(name)
            for n in self.n_topics:
                value, lower, upper = behind.at(n)
                row = {"measure": self.measure, "coefficient": name, "topics": n}
                row |= {"value": value, "lower": lower, "upper": upper}
                rows += [row | self._needed(behind, target) for target in self.target] or [row]
        whole = ("topics_needed", "topics_lower", "topics_upper")
        return pl.DataFrame(rows, schema_overrides=dict.fromkeys(whole, pl.Int64) if self.target else None)

    @staticmethod
    def _needed(behind: Ratio, target: float) -> dict[str, Any]:
        needed, fewest, most = behind.topics_for(target)
        return {"target": target, "topics_needed": needed, "topics_lower": fewest, "topics_upper": most}

    def targets_frame(self) -> pl.DataFrame:
        """One row per coefficient and target (.95 unless asked for): topics_needed, topics_lower, topics_upper.

        Empty where no number of topics does it.
        """
        rows = [
            {"measure": self.measure, "coefficient": name} | self._needed(self.ratio(name), target)
            for name in COEFFICIENTS
            for target in self.target or (RELIABILITY_TARGET,)
        ]
        whole = ("topics_needed", "topics_lower", "topics_upper")
        return pl.DataFrame(rows, schema_overrides=dict.fromkeys(whole, pl.Int64))

    def views(
        self,
        *,
        n_topics: Sequence[int] = (),
        min_diff: float = VIEW_MIN_DIFF,
        n_resamples: int = HALVINGS,
        seed: int = SEED,
    ) -> dict[str, ThreeViews]:
        """Power, interval width and reliability of the same numbers of topics, for each collection; see `three_views`.

        The numbers are those of the study unless given. A single topic has neither power nor width and is passed over;
        there must be another number.
        """
        from cranfield.generalisability.views import views_of

        sizes = [n for n in n_topics or self.n_topics if n > 1]
        if not sizes:
            raise ArgumentError("`n_topics` must be at least 2 for a paired test; got 1. Write 50.")
        made = {}
        for name, matrix in self.scores.items():
            tau = self._tau(name, n_resamples, seed)
            made[name] = views_of(matrix, replace(tau, n_topics=tuple(sizes)), min_diff)
            notify(made[name].warnings)
        return made

    def _tau(self, name: str, n_resamples: int, seed: int) -> ExpectedTau:
        """The agreement of halves of a collection's topics, measured once whatever numbers of topics are asked for."""
        from cranfield.generalisability.tau import estimate_tau

        key = (name, n_resamples, seed)
        if key not in self._taus:
            self._taus[key] = estimate_tau(self.scores[name], (), self.drop, self.alpha, n_resamples, seed)
        return self._taus[key]

    def components_frame(self) -> pl.DataFrame:
        """One row per source of variance: measure, source, variance, share."""
        c = self.components
        values = {"systems": c.systems, "topics": c.topics, "residual": c.residual}
        return pl.DataFrame(
            [
                {"measure": self.measure, "source": source, "variance": value, "share": c.shares[source]}
                for source, value in values.items()
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {
            "settings": self.settings,
            "signature": self.signature,
            "components": self.components_frame().to_dicts(),
            "rows": self.to_frame().to_dicts(),
            "warnings": list(self.warnings),
        }

    def summary(self) -> str:
        """One sentence: how reliable ranking and scores are with the first number of topics."""
        n = self.n_topics[0]
        relative, absolute = (self.ratio(name).at(n) for name in COEFFICIENTS)
        return say.WITH_INTERVALS(
            measure=self.measure, topics=n, relative=_triple(relative), absolute=_triple(absolute),
            level=f"{100 * (1 - self.alpha):g}%",
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"Reliability({self.summary()})\n{self.to_frame()}"

    def _view(self) -> tuple[str, list[pl.DataFrame]]:
        return self.summary(), [self.to_frame(), self.components_frame()]


def _triple(values: tuple[float, float, float]) -> str:
    value, lower, upper = values
    return f"{value:.3f} [{lower:.3f}, {upper:.3f}]"


def reliability(
    scores: ScoresLike,
    *,
    n_topics: int | Sequence[int] = (),
    target: float | Sequence[float] = (),
    drop: float = 0.0,
    alpha: float = ALPHA,
) -> Reliability:
    """How reliable are the ranking and the scores of a test collection, and how many topics would a target take?

    Generalisability theory takes systems and topics for samples and asks what remains with other topics.
    Eρ²(n) = σ²_s/(σ²_s + σ²_e/n) is relative: is the ranking stable? Φ(n) = σ²_s/(σ²_s + (σ²_q + σ²_e)/n) is absolute:
    are the scores? Intervals by Feldt (1965) and by Arteaga, Jeyaratnam & Franklin (1982) suppose normal effects, and
    systems that are a sample of those one might compare. Bad systems make any collection look reliable: see `drop`.

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
    'score: with 50 topics the ranking has reliability 0.947 [0.916, 0.971] and the scores 0.787 [0.662, 0.881]
    (95% intervals)'
    >>> study.to_frame()["topics_needed"].to_list()
    [54, 258]
    """
    if isinstance(alpha, bool) or not 0 < alpha < 1:
        raise ArgumentError(f"`alpha` must be between 0 and 1; got {alpha!r}. Write 0.05.")
    named = collections_of(scores)
    matrices = list(named.values())
    components = variance_components(matrices, drop=drop)
    sizes = check_topics(n_topics) or (round(components.n_topics),)
    targets = (target,) if isinstance(target, (int, float)) else tuple(target)
    for wanted in targets:
        if isinstance(wanted, bool) or not 0 < wanted < 1:
            raise ArgumentError(f"`target` must be between 0 and 1; got {wanted!r}. Write 0.95.")
    measure = matrices[0].measure
    warnings = (*inherited(matrices), *negative_warnings(measure, components))
    if SYSTEMS not in components.negative and any(ratio(name, components, alpha).lower <= 0 for name in COEFFICIENTS):
        warnings += (say.STARTS_AT_ZERO(measure=measure),)
    made = Reliability(measure, components, sizes, targets, drop, alpha, named, warnings)
    notify(made.warnings)
    return made


def collections_of(scores: ScoresLike) -> dict[str, ScoreMatrix]:
    """The matrix of every collection by its name."""
    if isinstance(scores, (list, tuple)) and all(isinstance(one, (ScoreMatrix, Scores)) for one in scores):
        scores = {f"collection {number}": one for number, one in enumerate(scores, 1)}
    return {name: one.only() for name, one in as_collections(scores).items()}


def check_topics(n_topics: int | Sequence[int]) -> tuple[int, ...]:
    """The numbers of topics as a tuple, once each is known to be a whole number of at least 1."""
    listed = (n_topics,) if isinstance(n_topics, (int, float)) else tuple(n_topics)
    for n in listed:
        if isinstance(n, bool) or n != int(n) or n < 1:
            raise ArgumentError(f"`n_topics` must be a whole number of at least 1; got {n!r}. Write 50.")
    return tuple(int(n) for n in listed)


def negative_warnings(measure: str, components: Components) -> tuple[str, ...]:
    """What to know about components that were estimated below 0."""
    meaning = {"systems": say.BELOW_CHANCE_SYSTEMS, "topics": say.BELOW_CHANCE_TOPICS}
    return tuple(meaning[name](measure=measure) for name in components.negative)
