"""Prints the figures of docs/judges.md: coverage, family error and false verdicts, where the truth is known.

A large synthetic collection is the population: the truth is its mean, κ or bias over all topics. Every trial draws
topics from it. All rates come with the number of trials.

python docs/judges_study.py [--trials 1000] [--seed 1] [--part powered|strata|bias|labels|verdict|margin|design]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import cranfield as cf
from cranfield.questions.judges import bias, labels, powered
from cranfield.questions.judges.inputs import Bench, Judge
from cranfield.questions.judges.plan import Goal, Pilot, jackknife
from cranfield.questions.judges.rankings import MARGIN
from cranfield.questions.judges.verdict import beside_people, verdicts
from cranfield.scores.rank_coefficients import rank_correlations

Array = NDArray[np.float64]
ALPHA, TOPICS, SYSTEMS = 0.05, 2000, 20
STATISTICS = ("kappa", "kappa_linear", "kappa_quadratic", "alpha", "ac2", "overrating")


class Population(NamedTuple):
    """Scores (topics × systems) by each judge, grade tables by topic, and the favoured systems."""

    human: Array
    second: Array
    third: Array
    machine: Array
    tables: Array
    grades: Array
    group: NDArray[np.bool_]


def population(seed: int) -> Population:
    sample = cf.make_sample(TOPICS, SYSTEMS, seed, n_documents=300, depth=20, length=40)
    judges = cf.make_judges(sample, n_human=TOPICS)
    third = cf.make_judges(sample, machine=cf.JudgeModel(), n_human=TOPICS).machine
    whole = cf.make_judges(sample, machine=cf.JudgeModel(error=0.25), n_human=TOPICS).machine
    scored = [cf.evaluate(one, sample.runs, "nDCG@10").only() for one in (judges.human, whole, third, judges.machine)]
    topics = scored[0].topics
    values = [one.select(topics=topics).values for one in scored]
    both = judges.human.frame.join(judges.machine.frame, on=["topic", "document"], suffix="_machine")
    grades = np.arange(3.0)
    at = np.unique(both["topic"].to_numpy(), return_inverse=True)[1]
    first, other = (both[name].to_numpy().astype(float) for name in ("relevance", "relevance_machine"))
    group = np.array([system in judges.groups for system in scored[0].systems])
    return Population(*values, labels.counts_by_topic(at, first, other, grades), grades, group)


def rate(hits: list[Array] | list[bool]) -> str:
    return f"{np.mean(hits):.3f}"


def each(trials: int, seed: int, draw: Callable[[np.random.Generator], None]) -> None:
    for trial in range(trials):
        draw(np.random.default_rng((seed, trial)))


def powered_rows(p: Population, trials: int, seed: int) -> list[str]:
    """Coverage of means, pairs and the family; widths against human topics alone."""
    a, b = np.triu_indices(SYSTEMS, 1)
    truth = p.human.mean(axis=0)
    of_pairs = truth[a] - truth[b]
    rows = []
    for n in (20, 40):
        for more in (2 * n, 10 * n):
            means: list[Array] = []
            pairs: list[Array] = []
            family: list[bool] = []
            widths: list[float] = []

            def draw(rng: np.random.Generator, n: int = n, more: int = more) -> None:
                at = rng.integers(TOPICS, size=n + more)
                y, f, g = p.human[at[:n]], p.machine[at[:n]], p.machine[at[n:]]
                low, high = powered.powered(y, f, g).interval(ALPHA)
                means.append((low <= truth) & (truth <= high))  # noqa: B023
                sides = [x[:, a] - x[:, b] for x in (y, f, g)]
                found = powered.powered(*sides)
                low, high = found.interval(ALPHA)
                pairs.append((low <= of_pairs) & (of_pairs <= high))  # noqa: B023
                widths.append(float(np.median(found.effective_topics(n))))  # noqa: B023
                one = powered.powered_max_t(*sides, alpha=ALPHA, n_resamples=500, seed=int(rng.integers(2**31)))
                family.append(bool((np.abs(found.estimate - of_pairs) <= one.critical * one.error).all()))  # noqa: B023

            each(trials, seed, draw)
            rows.append(
                f"| {n} | {more} | {rate(means)} | {rate(pairs)} | {1 - np.mean(family):.3f} | {np.median(widths):.0f} |"
            )
    return ["| human topics | further topics | means | pairs | family error | worth |", *rows]


def strata_rows(p: Population, trials: int, seed: int) -> list[str]:
    """People judge hard topics three times as often: with strata, and as if the sample were random."""
    ease = p.machine.mean(axis=1)
    hard = ease < np.median(ease)
    truth = p.human.mean(axis=0)
    rows = []
    for n in (20, 40):
        with_strata: list[Array] = []
        without: list[Array] = []

        def draw(rng: np.random.Generator, n: int = n) -> None:
            every = rng.integers(TOPICS, size=10 * n)
            order = rng.permutation(10 * n)
            layer = hard[every].astype(np.intp)
            chosen = np.concatenate([
                order[layer[order] == 1][: 3 * n // 4], order[layer[order] == 0][: n - 3 * n // 4]
            ])  # fmt: skip
            rest = np.setdiff1d(np.arange(10 * n), chosen)
            y, f, g = p.human[every[chosen]], p.machine[every[chosen]], p.machine[every[rest]]
            shares = np.bincount(layer, minlength=2) / (10 * n)
            for strata, held in (
                (powered.Strata(layer[chosen], layer[rest], shares), with_strata),  # noqa: B023
                (None, without),  # noqa: B023
            ):
                low, high = powered.powered(y, f, g, strata).interval(ALPHA)
                held.append((low <= truth) & (truth <= high))

        each(trials, seed, draw)
        rows.append(f"| {n} | {rate(with_strata)} | {rate(without)} |")
    return ["| human topics | means with strata | means as if random |", *rows]


def bias_rows(p: Population, trials: int, seed: int) -> list[str]:
    """Coverage of the group's bias, and how often a group that nobody favours is called biased."""

    def residual(judge: Array) -> float:
        return float(bias.group_residual(p.human.mean(axis=0)[None], judge.mean(axis=0)[None], p.group)[0])

    truth, fair = residual(p.machine), residual(p.third)
    rows = []
    for n in (25, 50, 100):
        covered: list[bool] = []
        placebo: list[bool] = []
        found: list[bool] = []

        def draw(rng: np.random.Generator, n: int = n) -> None:
            at = rng.integers(TOPICS, size=n)
            one = bias.group_bias(p.human[at], p.machine[at], p.group, ALPHA)
            covered.append(one.lower <= truth <= one.upper)  # noqa: B023
            other = bias.group_bias(p.human[at], p.third[at], p.group, ALPHA)
            placebo.append(other.lower <= fair <= other.upper)  # noqa: B023
            beyond = bias.group_bias(p.human[at], p.machine[at], p.group, ALPHA, p.second[at])
            found.append(beyond.p <= ALPHA)  # noqa: B023

        each(trials, seed, draw)
        rows.append(f"| {n} | {rate(covered)} | {rate(placebo)} | {rate(found)} |")
    head = f"| topics | coverage, machine (true bias {truth:+.3f}) | coverage, person ({fair:+.3f}) | machine found |"
    return [head, *rows]


def label_rows(p: Population, trials: int, seed: int) -> list[str]:
    """Coverage of every statistic of agreement."""
    whole = p.tables.sum(axis=0, keepdims=True)
    truth = {name: float(labels.STATISTICS[name][0](whole, p.grades)[0]) for name in STATISTICS}
    rows = []
    for n in (25, 50, 100):
        covered: dict[str, list[bool]] = {name: [] for name in STATISTICS}

        def draw(rng: np.random.Generator, n: int = n) -> None:
            for one in labels.agreements(p.tables[rng.integers(TOPICS, size=n)], p.grades, ALPHA):
                if one.statistic in covered and one.lower is not None and one.upper is not None:  # noqa: B023
                    covered[one.statistic].append(one.lower <= truth[one.statistic] <= one.upper)  # noqa: B023

        each(trials, seed, draw)
        rows.append(f"| {n} | " + " | ".join(rate(covered[name]) for name in STATISTICS) + " |")
    return ["| topics | " + " | ".join(STATISTICS) + " |", *rows]


def _tau(first: Array, second: Array) -> float:
    return float(rank_correlations(first.mean(axis=0)[None], second.mean(axis=0)[None], (0.0, 0.0))["tau_b"][0])


def verdict_rows(p: Population, trials: int, seed: int, judges: Sequence[tuple[str, float]] | None = None) -> list[str]:
    """How often each verdict is given to judges whose true Δ is known; systems shift a judge, not topics.

    A shifted judge counts where its true Δ is below the margin.
    """
    systems = [str(at) for at in range(SYSTEMS)]
    ceiling = _tau(p.human, p.second)
    rows = []
    for n in (43, 100):
        topics = [str(at) for at in range(n)]
        for label, spread in judges or VERDICT_JUDGES:
            told: list[str] = []
            true: list[float] = []

            def draw(rng: np.random.Generator, spread: float = spread, topics: list[str] = topics) -> None:
                at = rng.integers(TOPICS, size=len(topics))
                shift = rng.normal(0, spread * p.human.mean(axis=0).std() * 3, SYSTEMS)
                delta = _tau(p.human, p.third + shift) - ceiling
                if spread and delta >= -MARGIN:
                    return
                true.append(delta)  # noqa: B023
                made = [
                    Judge(name, cf.ScoreMatrix(x[at], topics, systems, "nDCG@10"))
                    for name, x in (("h", p.human), ("s", p.second), ("m", p.third + shift))
                ]
                bench = Bench(made[0], (made[1],), (made[2],), None, "nDCG@10", {})
                found = verdicts(bench, beside_people(bench), None, ALPHA, 200, int(rng.integers(2**31)))
                told.append(found[0].outcome)  # noqa: B023

            each(trials, seed, draw)
            shares = " | ".join(f"{np.mean([said == one for said in told]):.3f}" for one in OUTCOMES)
            rows.append(f"| {n} | {label} | {np.mean(true):+.3f} | {len(told)} | {shares} |")
    return ["| topics | judge | mean true Δ | trials | " + " | ".join(OUTCOMES) + " |", *rows]


def margin_rows(p: Population, trials: int, seed: int) -> list[str]:
    """The verdicts on judges just beyond the margin alone, for many trials."""
    return verdict_rows(p, trials, seed, VERDICT_JUDGES[1:2])


def design_rows(p: Population, trials: int, seed: int) -> list[str]:
    """Human topics from pilots beside those that the whole population asks for."""
    rows = []
    goal = Goal(0.08, None, 0.8, ALPHA)
    whole = Pilot.of(p.human, p.machine)
    for n in (25, 50):
        for more in (0, 100, 500):
            truth = goal.topics(whole, more)
            asked_for: list[int] = []
            covered: list[bool] = []

            def draw(rng: np.random.Generator, n: int = n, more: int = more, truth: int | None = truth) -> None:
                at = rng.integers(TOPICS, size=n)
                y, f = p.human[at], p.machine[at]
                pilot = Pilot.of(y, f)
                found = goal.topics(pilot, more)
                left_out = [Pilot.of(np.delete(y, one, 0), np.delete(f, one, 0)) for one in range(n)]
                low, high = jackknife(goal, pilot, left_out, more)
                asked_for.append(found or 0)  # noqa: B023
                covered.append(low is not None and high is not None and low <= (truth or 0) <= high)  # noqa: B023

            each(trials, seed, draw)
            low, middle, high = np.quantile(asked_for, [0.05, 0.5, 0.95])
            rows.append(f"| {n} | {more} | {truth} | {middle:.0f} | {low:.0f}–{high:.0f} | {rate(covered)} |")
    return ["| pilot topics | machine topics | true need | median asked for | 5–95% | coverage |", *rows]


VERDICT_JUDGES = (("another person", 0.0), ("just beyond the margin", 0.05), ("far beyond the margin", 0.1))
"""Judges, and how far their systems are shifted at random, in thirds of the spread of systems."""
OUTCOMES = ("not worse", "worse", "cannot tell")
PARTS = {
    "powered": powered_rows, "strata": strata_rows, "bias": bias_rows, "labels": label_rows, "verdict": verdict_rows,
    "margin": margin_rows, "design": design_rows,
}  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", choices=list(PARTS))
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    known = population(1)
    for name, rows in PARTS.items():
        if asked.part in (None, name):
            print(f"\n{name}, {asked.trials} trials, seed {asked.seed}")  # noqa: T201
            print("\n".join(rows(known, asked.trials, asked.seed)), flush=True)  # noqa: T201
