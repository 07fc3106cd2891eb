"""`view_data`: everything the linked view shows, with the key figures, as one compact JSON object."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.collection.pools import judged_counts
from cranfield.collection.types import Qrels
from cranfield.core.answer import sentence
from cranfield.core.defaults import POWER, TAU_RESAMPLES
from cranfield.core.errors import ArgumentError, CranfieldError, quietly
from cranfield.core.labels import joined, plural, summary
from cranfield.core.tables import steady
from cranfield.questions.compare.answer import how_many_differ, leader, level_notes
from cranfield.questions.compare.comparison import Comparison
from cranfield.questions.compare.family import GridScores, tied_ranks
from cranfield.questions.correlate.correlate import Correlation, correlate
from cranfield.questions.design.all_pairs import design_all_pairs
from cranfield.questions.reliability.reliability import reliability
from cranfield.questions.variance.variances import variances
from cranfield.scores.alike import distances, near_identical
from cranfield.scores.matrix import ScoreMatrix, Scores

Kind = Literal["f4", "u2", "u1"]
DOUBLES = "8:"
"""Before the text of numbers that 32 bits would lose."""
_FLOATS = np.finfo(np.float32)


def pack(values: ArrayLike, kind: Kind = "f4") -> str:
    """The values as 32-bit floats, or as whole numbers of 16 or 8 bits; as doubles if one is too large or too small.

    >>> pack([0.5, 0.25])
    'AAAAPwAAgD4='
    >>> unpack(pack([0.5, 0.25])).tolist()
    [0.5, 0.25]
    >>> unpack(pack([0.5, 1e300])).tolist()
    [0.5, 1e+300]
    """
    if kind == "f4":
        size = np.abs(np.asarray(values, dtype=np.float64))
        if np.any(np.isfinite(size) & (size > 0) & ((size < _FLOATS.tiny) | (size > _FLOATS.max))):
            return DOUBLES + _text(values, "f8")
    return _text(values, kind)


def _text(values: ArrayLike, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=f"<{kind}").tobytes()).decode()


def unpack(text: str, kind: Kind = "f4") -> NDArray[Any]:
    """The values again."""
    if text.startswith(DOUBLES):
        return np.frombuffer(base64.b64decode(text.removeprefix(DOUBLES)), dtype="<f8")
    return np.frombuffer(base64.b64decode(text), dtype=f"<{kind}")


def pack_p(p: ArrayLike) -> str:
    """P-values as `pack` has them; one too small for 32 bits becomes the smallest there is, never 0.

    >>> float(unpack(pack_p([1e-300]))[0]) > 0
    True
    """
    return pack(np.maximum(p, np.finfo(np.float32).tiny))


LOW_JUDGED = 0.9
"""A run with fewer of its first documents judged than this is counted."""
STOPS = (10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300)
"""Numbers of topics that the slider of the map offers, with that of the collection among them."""
Figure = tuple[str, str]
"""A number with its unit, and what it counts."""


def detection(comparison: Comparison) -> dict[str, Any] | None:
    """The smallest difference that so many topics detect between two average systems, corrected for all pairs.

    The variance is the residual one, and the design that of all pairs, as in `recommend`; None where the scores do not
    say.

    >>> from cranfield import compare, make_scores
    >>> found = detection(compare(make_scores(n_topics=20, n_systems=4, seed=3)))
    >>> found["topics"][:3], round(found["min_diff"][2], 3)
    ([10, 15, 20], 0.14)
    """
    topics = sorted({*STOPS, comparison.n_topics})
    try:
        with quietly():
            (estimate,) = variances({"": comparison.scores}, estimator=("residual",), alpha=comparison.alpha)
            found = design_all_pairs(
                estimate, comparison.n_systems, n_topics=topics, power=POWER, alpha=comparison.alpha
            ).to_frame()
    except CranfieldError:
        return None
    differences = found.sort("topics")["min_diff"].to_list()
    return {"topics": topics, "min_diff": [float(f"{value:.6g}") for value in differences], "power": POWER}


def key_figures(
    comparison: Comparison, judged: Mapping[str, float] | None, depth: int, detected: Mapping[str, Any] | None
) -> list[Figure]:
    """The four numbers that a collection is opened with; fewer where something cannot be known.

    >>> from cranfield import compare, make_scores
    >>> result = compare(make_scores(n_topics=20, n_systems=4, seed=3))
    >>> for value, label in key_figures(result, None, 10, detection(result)):
    ...     print(f"{value} | {label}")
    2 of 4 | may be the best
    4 of 6 | pairs differ
    0.92 | reliability of the ranking
    0.14 score | detectable with 20 topics
    """
    n, best = comparison.n_systems, comparison.best
    figures = []
    if best is not None:
        figures.append((f"{int(best.sum()):,} of {n:,}", "may be the best"))
    apart = comparison.significant
    figures.append((f"{int(apart.sum()):,} of {len(apart):,}", "pairs differ"))
    if judged:
        low = sum(share < LOW_JUDGED for share in judged.values())
        figures.append((plural(low, "run"), f"with under {LOW_JUDGED:.0%} of the top {depth} judged"))
    else:
        try:
            with quietly():
                value, *_ = (
                    reliability(comparison.scores, alpha=comparison.alpha).ratio("erho2").at(comparison.n_topics)
                )
            figures.append((f"{value:.2f}", "reliability of the ranking"))
        except CranfieldError:
            pass
    if detected is not None:
        least = detected["min_diff"][detected["topics"].index(comparison.n_topics)]
        figures.append((f"{least:.2g} {comparison.measure}", f"detectable with {plural(comparison.n_topics, 'topic')}"))
    return figures


SCHEMA = 1
JUDGED_DEPTH = 10
MOST_ALIKE = 60
"""Pairs of near-identical runs that are listed."""
_COMPARISONS = 4e9
"""Comparisons of two systems up to which agreement of measures gets intervals: about half a minute."""
Ends = tuple[float, float] | None
SAME_LEADER = sentence(
    "report.same-leader-view",
    "The same system leads by {measures}",
    "the leader by the first measure leads, or shares the lead, by all others",
)


def view_data(
    comparisons: Comparison | Sequence[Comparison],
    scores: Scores,
    *,
    title: str = "",
    qrels: Qrels | None = None,
    judged: Mapping[str, float] | None = None,
    teams: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What the linked view of a collection shows, from results that exist: it makes no decisions.

    Systems and topics stand in byte order of their names; every measure has the order of merit of its comparison. A
    pair (in the order of `Comparison.pairs`) has difference, lower, upper and adjusted p as 32-bit floats, and the
    decision as a byte. A topic and system has the score as a 32-bit float: see `packing`.

    Parameters
    ----------
    comparisons : all pairs of the systems, by one measure or by several
    scores : the scores by every measure there is, of which agreement is told
    title : what the collection is called
    qrels : judgments, which give the relevant documents of every topic
    judged : the judged share of the first `JUDGED_DEPTH` documents of every run, see `judged_share`
    teams : the team of every system

    Examples
    --------
    >>> from cranfield import Scores, compare, make_scores
    >>> x = make_scores(n_topics=20, n_systems=4, seed=3)
    >>> data = view_data(compare(x), Scores([x]), title="four systems")
    >>> data["measures"][0]["rank"], len(data["topics"])
    ([1, 2, 3, 4], 20)
    """
    every = list(comparisons) if isinstance(comparisons, Sequence) else [comparisons]
    first = every[0]
    if any(one.baselines for one in every):
        raise ArgumentError("the view shows all pairs; compare without `baseline`.")
    systems, topics = first.scores.systems, first.scores.topics
    # The view shares one list of systems and one of topics, so a measure with others cannot be shown beside the first.
    every = [one for one in every if (one.scores.systems, one.scores.topics) == (systems, topics)]
    ranks, tau, intervals = _agreements(scores, systems, first.alpha)
    shares = judged if judged and set(systems) <= set(judged) else None
    leaders = {name: [systems[at] for at in np.flatnonzero(rank == 1)] for name, rank in ranks.items()}
    measures = []
    for one in every:
        row = dict(zip(ranks, tau[list(ranks).index(one.measure)], strict=True)) if one.measure in ranks else {}
        detected = detection(one)
        told = {"figures": key_figures(one, shares, JUDGED_DEPTH, detected), "detection": detected}
        measures.append({**_measure(one), **told, "sentences": sentences(one, leaders, row, shares, JUDGED_DEPTH)})
    return {
        "schema": SCHEMA,
        "title": title,
        "systems": list(systems),
        "topics": list(topics),
        "teams": None if teams is None else [teams.get(name, "") for name in systems],
        "judged": None if shares is None else [shares[name] for name in systems],
        "judged_depth": JUDGED_DEPTH,
        "relevant": None if qrels is None else judged_counts(qrels, topics)["relevant"].to_list(),
        "measures": measures,
        "agreement": {
            "measures": list(ranks),
            "rank": [rank.tolist() for rank in ranks.values()],
            "tau": tau,
            "interval": intervals,
        },
        "rankings": None,
    }


def _measure(comparison: Comparison) -> dict[str, Any]:
    """One measure: its leaderboard, its pairs, its scores, and what is alike by it."""
    matrix = comparison.scores
    place = {name: at for at, name in enumerate(matrix.systems)}
    best, margin = comparison.best, comparison.margin
    alike = near_identical(matrix)
    return {
        "measure": comparison.measure,
        "test": comparison.test,
        "correction": comparison.correction_text(),
        "alpha": comparison.alpha,
        "interval": comparison.interval,
        "order": [place[name] for name in comparison.systems],
        "rank": comparison.rank.tolist(),
        "mean": [steady(mean) for mean in comparison.value.tolist()],
        "lower": [steady(end) for end in comparison.value_lower.tolist()],
        "upper": [steady(end) for end in comparison.value_upper.tolist()],
        "rank_lower": comparison.rank_lower.tolist(),
        "rank_upper": comparison.rank_upper.tolist(),
        "may_be_best": None if best is None else [int(yes) for yes in best],
        "pairs": {
            "difference": pack(comparison.difference),
            "lower": pack(comparison.lower),
            "upper": pack(comparison.upper),
            "p_adjusted": pack_p(comparison.p_adjusted),
            "significant": pack(comparison.significant, "u1"),
            **({} if margin is None else {"equivalent": pack(comparison.equivalent, "u1")}),
        },
        "margin": margin,
        "scores": pack(matrix.values),
        "heat": _heat(matrix),
        "alike": [
            [place[a], place[b], distance, equal] for a, b, distance, equal in alike.head(MOST_ALIKE).iter_rows()
        ],
        "n_alike": alike.height,
        "signature": comparison.signature,
        "warnings": list(comparison.warnings),
    }


def _heat(matrix: ScoreMatrix) -> dict[str, list[int]]:
    """The order of topics and systems in which what is alike stands side by side."""
    across = ScoreMatrix(matrix.values.T, matrix.systems, matrix.topics, matrix.measure)
    return {
        "systems": clustered(distances(matrix), matrix.system_means),
        "topics": clustered(distances(across), -matrix.topic_means),
    }


def _agreements(
    scores: Scores, systems: Sequence[str], alpha: float
) -> tuple[dict[str, Any], list[list[float | None]], list[list[Ends]]]:
    """Every system's rank by every measure, and Kendall's τ between each two of them with its interval."""
    matrices = {name: matrix.canonical() for name, matrix in scores.items() if set(matrix.systems) == set(systems)}
    ranks = {}
    for name, matrix in matrices.items():
        grid = GridScores.of(matrix.values)
        ranks[name] = tied_ranks(grid.sums[:, None], grid.tolerance)[0][:, 0]
    names = list(matrices)
    tau: list[list[float | None]] = [[1.0] * len(names) for _ in names]
    intervals: list[list[Ends]] = [[None] * len(names) for _ in names]
    with quietly():
        for i, one in enumerate(names):
            for j in range(i):
                agreement = measures_agree(matrices[one], matrices[names[j]], len(names), alpha)
                tau[i][j] = tau[j][i] = agreement.values["tau"]
                intervals[i][j] = intervals[j][i] = agreement.intervals.get("tau")
    return ranks, tau, intervals


def measures_agree(one: ScoreMatrix, other: ScoreMatrix, n_measures: int, alpha: float) -> Correlation:
    """Two measures of the same systems, with an interval unless all pairs of measures would take very long."""
    pairs = n_measures * (n_measures - 1) / 2
    quick = pairs * TAU_RESAMPLES * one.n_systems**2 <= _COMPARISONS
    return correlate(one, other, alpha=alpha, n_resamples=TAU_RESAMPLES if quick else 0, missing="drop-topic")


def clustered(distance: NDArray[np.float64], merit: NDArray[np.float64]) -> list[int]:
    """The leaves of an average-linkage tree over distances, the branch of larger mean merit first at every fork.

    >>> distance = np.array([[0, 5, 1], [5, 0, 5], [1, 5, 0]])
    >>> clustered(distance, np.array([.1, .9, .2]))
    [1, 2, 0]
    """
    n = len(distance)
    if n < 3:
        return [int(at) for at in np.argsort(-merit, kind="stable")]
    from scipy.cluster.hierarchy import linkage

    tree = linkage(distance[np.triu_indices(n, 1)], "average")
    branches: list[list[int]] = [[at] for at in range(n)]
    for left, right, *_ in tree:
        pair = sorted((branches[int(left)], branches[int(right)]), key=lambda one: (-float(merit[one].mean()), one[0]))
        branches.append(pair[0] + pair[1])
    return branches[-1]


def sentences(
    comparison: Comparison,
    leaders: Mapping[str, Sequence[str]],
    tau: Mapping[str, float | None],
    judged: Mapping[str, float] | None,
    depth: int,
) -> list[str]:
    """The sentences of the headline, one finding each.

    `leaders` are the systems that lead by each measure, `tau` Kendall's τ between this measure and each other.
    """
    said = opening(comparison)
    others = [name for name in leaders if name != comparison.measure]
    if others and comparison.measure in leaders:
        said.append(_agreement(comparison.measure, leaders, tau, others))
    if judged:
        said.append(_judged(judged, depth))
    return said


def opening(comparison: Comparison) -> list[str]:
    """Who leads, and how many pairs differ."""
    differ = f"{how_many_differ(comparison)} ({comparison.correction_text()} p ≤ {comparison.alpha:g})."
    return [f"{leader(comparison, f' by {comparison.measure}')}.", differ, *level_notes(comparison)]


def _agreement(
    measure: str, leaders: Mapping[str, Sequence[str]], tau: Mapping[str, float | None], others: Sequence[str]
) -> str:
    """Whether another measure has another leader, and how far the orders agree."""
    mine = set(leaders[measure])
    known = [name for name in others if tau.get(name) is not None]
    told = ", ".join(f"τ({measure}, {name}) = {tau[name]:.2f}" for name in known)
    elsewhere: dict[tuple[str, ...], list[str]] = {}
    for name in others:
        if not mine & set(leaders[name]):
            elsewhere.setdefault(tuple(leaders[name]), []).append(name)
    if elsewhere:
        text = "; ".join(
            f"{joined(names) if len(names) < 3 else summary(names, 2)} "
            f"{'leads' if len(names) == 1 else 'tie for first'} by {joined(by)}"
            for names, by in elsewhere.items()
        )
    else:
        text = SAME_LEADER(measures=joined(others))
    return f"{text}; {told}." if told else f"{text}."


def _judged(judged: Mapping[str, float], depth: int) -> str:
    """How much of the top was judged, and where least."""
    worst = min(judged, key=lambda name: (judged[name], name))
    low = sum(share < LOW_JUDGED for share in judged.values())
    if judged[worst] == 1:
        return f"The top {depth} of every run is fully judged."
    if not low:
        return f"At least {judged[worst]:.0%} of the top {depth} of every run is judged."
    have, it, they = ("has", "its", "It") if low == 1 else ("have", "their", "They")
    return (
        f"{low} of {plural(len(judged), 'run')} {have} less than {LOW_JUDGED:.0%} of {it} top {depth} judged "
        f"(lowest: {worst}, {judged[worst]:.0%}). {they} may be underrated."
    )
