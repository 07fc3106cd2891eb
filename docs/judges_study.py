"""Prints the figures of docs/judges.md: coverage, family error and false verdicts, where the truth is known.

A large synthetic collection is the population: the truth is its mean, κ or bias over all topics. Every trial draws
topics from it. All rates come with the number of trials.

python docs/judges_study.py [--trials 1000] [--seed 1]
    [--part powered|strata|bias|labels|rankings|verdict|margin|design]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

import cranfield as cf
from cranfield.questions.judges import bias, labels, powered, tables
from cranfield.questions.judges.inputs import Bench, Judge
from cranfield.questions.judges.plan import Goal, Pilot, jackknife
from cranfield.questions.judges.rankings import MARGIN
from cranfield.questions.judges.verdict import beside_people, verdicts
from cranfield.scores.rank_coefficients import rank_correlations

Array = NDArray[np.float64]
ALPHA, TOPICS, SYSTEMS = 0.05, 2000, 20
RANKED_SYSTEMS, RANKED_DRAWN = 60, 30
"""Systems of the population for rankings, and those of a trial: enough that the best 15 are looked at by themselves."""


class Population(NamedTuple):
    """Scores (topics × systems) by each judge, grade tables by topic, and the favoured systems."""

    human: Array
    second: Array
    third: Array
    machine: Array
    tables: Array
    grades: Array
    group: NDArray[np.bool_]


def population(seed: int, systems: int = SYSTEMS) -> Population:
    sample = cf.make_sample(TOPICS, systems, seed, n_documents=300, depth=20, length=40)
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
        people: list[Array] = []

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
                found = powered.powered(y, f, g, strata)
                low, high = found.interval(ALPHA)
                held.append((low <= truth) & (truth <= high))
                if strata is not None:
                    reach = stdtrit(found.human_freedom, 1 - ALPHA / 2) * found.human_error
                    people.append(np.abs(found.human - truth) <= reach)  # noqa: B023

        each(trials, seed, draw)
        rows.append(f"| {n} | {rate(with_strata)} | {rate(people)} | {rate(without)} |")
    return ["| human topics | means with strata | human means with strata | means as if random |", *rows]


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
        held: list[bool] = []

        def draw(rng: np.random.Generator, n: int = n) -> None:
            at = rng.integers(TOPICS, size=n)
            one = bias.group_bias(p.human[at], p.machine[at], p.group, ALPHA)
            covered.append(one.lower <= truth <= one.upper)  # noqa: B023
            other = bias.group_bias(p.human[at], p.third[at], p.group, ALPHA)
            placebo.append(other.lower <= fair <= other.upper)  # noqa: B023
            beyond = bias.group_bias(p.human[at], p.machine[at], p.group, ALPHA, p.second[at])
            found.append(beyond.p <= ALPHA)  # noqa: B023
            held.append(beyond.lower <= truth - residual(p.second) <= beyond.upper)  # noqa: B023

        each(trials, seed, draw)
        rows.append(f"| {n} | {rate(covered)} | {rate(placebo)} | {rate(held)} | {rate(found)} |")
    head = f"| topics | machine (true bias {truth:+.3f}) | person ({fair:+.3f}) | beyond a person | machine found |"
    return [head, *rows]


def label_rows(p: Population, trials: int, seed: int) -> list[str]:
    """Coverage of every statistic of agreement, and of the leniency by grade."""

    def statistics(counts: Array) -> dict[str, tuple[float | None, ...]]:
        found = {name: one for name, *one in labels.agreements(counts, p.grades, ALPHA)}
        by_grade = labels.leniency_by_grade(counts, p.grades, ALPHA)
        return {**found, **{f"leniency, grade {grade}": one for grade, _, *one in by_grade}}

    truth = {name: one[0] for name, one in statistics(p.tables).items()}
    rows = []
    for n in (25, 50, 100):
        covered: dict[str, list[bool]] = {name: [] for name in truth}

        def draw(rng: np.random.Generator, n: int = n) -> None:
            for name, (_, lower, upper) in statistics(p.tables[rng.integers(TOPICS, size=n)]).items():
                if lower is not None and upper is not None:
                    covered[name].append(lower <= truth[name] <= upper)  # noqa: B023

        each(trials, seed, draw)
        rows.append(f"| {n} | " + " | ".join(rate(covered[name]) for name in truth) + " |")
    return ["| topics | " + " | ".join(truth) + " |", *rows]


def ranking_rows(_: Population, trials: int, seed: int) -> list[str]:
    """Coverage of τ and τ_AP, of all systems and of the best 15; of the difference of two τ; of leniency by system.

    Every trial draws systems, then topics. The truth of the best 15 is that of the systems that the topics put there.
    """
    p = population(1, RANKED_SYSTEMS)
    names = [str(at) for at in range(RANKED_DRAWN)]
    rows = []
    for n in (25, 50, 100):
        topics = [str(at) for at in range(n)]
        covered: dict[str, list[Any]] = {}

        def draw(rng: np.random.Generator, topics: list[str] = topics) -> None:
            systems = np.sort(rng.permutation(RANKED_SYSTEMS)[:RANKED_DRAWN])
            at = rng.integers(TOPICS, size=len(topics))
            human, machine, third = (x[:, systems] for x in (p.human, p.machine, p.third))
            first, *others = (
                Judge(name, cf.ScoreMatrix(x[at], topics, names, "nDCG@10"))
                for name, x in (("human", human), ("machine", machine), ("third", third))
            )
            bench = Bench(first, (), tuple(others), None, "nDCG@10", {})
            top = np.sort(np.argsort(-human[at].mean(axis=0), kind="stable")[: tables.TOP])
            how = ALPHA, 200, int(rng.integers(2**31))

            def hold(name: str, truth: float, row: dict[str, Any]) -> None:
                covered.setdefault(name, []).append(row["lower"] - ROUNDING <= truth <= row["upper"] + ROUNDING)  # noqa: B023

            for row in tables.ranking_rows(bench, [], *how).filter(judge="machine").iter_rows(named=True):
                which = slice(None) if row["systems"] == "all" else top
                truth = _tau(human[:, which], machine[:, which], row["coefficient"])
                hold(f"{row['coefficient']}, {row['systems']}", truth, row)
            (row,) = tables.judge_rows(bench, *how).iter_rows(named=True)
            hold("difference of τ", _tau(human, machine) - _tau(human, third), row)
            lead = (machine - human).mean(axis=0)
            for row in tables.leniency_rows(bench, ALPHA).filter(judge="machine").iter_rows(named=True):
                hold("leniency by system", lead[int(row["name"])], row)

        each(trials, seed, draw)
        rows.append(f"| {n} | " + " | ".join(rate(held) for held in covered.values()) + " |")
    return ["| topics | " + " | ".join(covered) + " |", *rows]


def _tau(first: Array, second: Array, coefficient: str = "tau_b") -> float:
    means = first.mean(axis=0)[None], second.mean(axis=0)[None]
    return float(rank_correlations(*means, (0.0, 0.0))[coefficient][0])


class Shifted(NamedTuple):
    """Judges whose systems are shifted at random, in thirds of the spread of systems; perhaps only the bad ones."""

    label: str
    spread: float
    beyond: bool


def verdict_rows(p: Population, trials: int, seed: int, judges: Sequence[Shifted] | None = None) -> list[str]:
    """How often each verdict is given to judges whose true Δ is known, and the coverage of Δ.

    Judges are shifted by system, not by topic. Of some, only those count whose true Δ is below the margin.
    """
    systems = [str(at) for at in range(SYSTEMS)]
    ceiling = _tau(p.human, p.second)
    rows = []
    for n in (43, 100):
        topics = [str(at) for at in range(n)]
        for kind in judges or VERDICT_JUDGES:
            told: list[str] = []
            true: list[float] = []
            covered: list[bool] = []

            def draw(rng: np.random.Generator, kind: Shifted = kind, topics: list[str] = topics) -> None:
                at = rng.integers(TOPICS, size=len(topics))
                shift = rng.normal(0, kind.spread * p.human.mean(axis=0).std() * 3, SYSTEMS)
                delta = _tau(p.human, p.third + shift) - ceiling
                if kind.beyond and delta >= -MARGIN:
                    return
                true.append(delta)  # noqa: B023
                made = [
                    Judge(name, cf.ScoreMatrix(x[at], topics, systems, "nDCG@10"))
                    for name, x in (("h", p.human), ("s", p.second), ("m", p.third + shift))
                ]
                bench = Bench(made[0], (made[1],), (made[2],), None, "nDCG@10", {})
                found = verdicts(bench, beside_people(bench), None, ALPHA, 200, int(rng.integers(2**31)))
                told.append(found[0].outcome)  # noqa: B023
                ends = found[0].difference
                covered.append(ends.lower - ROUNDING <= delta <= ends.upper + ROUNDING)  # noqa: B023

            each(trials, seed, draw)
            shares = " | ".join(rate([said == one for said in told]) for one in OUTCOMES)
            rows.append(f"| {n} | {kind.label} | {np.mean(true):+.3f} | {len(told)} | {shares} | {rate(covered)} |")
    return ["| topics | judge | mean true Δ | trials | " + " | ".join(OUTCOMES) + " | Δ covered |", *rows]


def margin_rows(p: Population, trials: int, seed: int) -> list[str]:
    """The verdicts on judges just beyond the margin alone, for many trials."""
    return verdict_rows(p, trials, seed, [kind for kind in VERDICT_JUDGES if kind.label == "just beyond the margin"])


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


VERDICT_JUDGES = (
    Shifted("another person", 0.0, beyond=False), Shifted("shifted at random", 0.05, beyond=False),
    Shifted("just beyond the margin", 0.05, beyond=True), Shifted("far beyond the margin", 0.1, beyond=True),
)  # fmt: skip
ROUNDING = 1e-9
OUTCOMES = ("not worse", "worse", "cannot tell")
PARTS = {
    "powered": powered_rows, "strata": strata_rows, "bias": bias_rows, "labels": label_rows, "rankings": ranking_rows,
    "verdict": verdict_rows, "margin": margin_rows, "design": design_rows,
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
