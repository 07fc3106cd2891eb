"""Apply every test to simulated collections, block by block, and count rejections."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import special

from cranfield.core.executors import Progress, map_in_order
from cranfield.core.resampling import generator
from cranfield.core.work_files import WorkFile
from cranfield.questions.compare.compare import run_test
from cranfield.questions.compare.corrections import CORRECTIONS, adjust, at_most
from cranfield.questions.compare.family import GridScores, Pairs, all_pairs
from cranfield.questions.compare.flips import saddlepoint
from cranfield.questions.compare.lattice import WIDEST_COARSE, find_lattice, lattice_p
from cranfield.questions.compare.resampled import Resampling
from cranfield.questions.compare.tests import TESTS
from cranfield.questions.simulate.population import Drawn, halves

Array = NDArray[np.float64]
Truths = NDArray[np.bool_]
KIND = "simulation"
"""The kind of job in a work file of simulations."""
SIMULATION = 120
"""The stream of random numbers of simulated collections."""
BLOCK = 256
"""Trials per random generator; they share the resamples of a test."""
SMOOTH = 20
"""From this many topics the randomisation test draws no flips: exact on a coarse lattice, else a saddlepoint."""
COARSE = 200
"""Most steps of the largest difference on a coarse lattice, such as that of P@10 or P@100."""
CONFIDENCE = 0.99
"""Of a single interval; many are looked at together."""


class Source(Protocol):
    """A source of simulated collections."""

    def draw(
        self, rng: Generator, size: int, n_topics: int, shifts: Array, *, block: int = 0, exchangeable: bool = False
    ) -> Drawn:
        """`size` collections; the true means are that of the first system plus a shift each."""


@dataclass(frozen=True)
class Plan:
    """What every block of trials does."""

    n_topics: tuple[int, ...]
    difference: tuple[float, ...]
    tests: tuple[str, ...]
    alpha: tuple[float, ...]
    n_systems: int
    correction: str | None
    n_resamples: int
    n_trials: int
    seed: int
    exchangeable: bool
    """Whether pairs with equal means are drawn again with scores swapped at random."""

    @property
    def cells(self) -> list[tuple[int, float, bool]]:
        """Topics, difference, and whether scores are swapped at random."""
        exchangeable = [(n, 0.0, True) for n in self.n_topics] if self.exchangeable and 0.0 in self.difference else []
        return [(n, d, False) for n in self.n_topics for d in self.difference] + exchangeable

    def shifts(self, difference: float) -> Array:
        """The true means beyond that of the first system."""
        return halves(self.n_systems, difference)

    @property
    def blocks(self) -> range:
        """The numbers of the blocks."""
        return range(-(-self.n_trials // BLOCK))

    def size(self, block: int) -> int:
        """Trials of a block."""
        return min(BLOCK, self.n_trials - block * BLOCK)


@dataclass(frozen=True, eq=False)
class Outcome:
    """The decisions of the tests in one cell of a plan.

    Attributes
    ----------
    rejected : tests × levels × trials × pairs
    wrong : trials × pairs
        Whether the observed difference has the wrong sign; false where the true one is 0.
    exchangeable : one per trial
    """

    rejected: Truths
    wrong: Truths
    exchangeable: Truths


def run_block(source: Source, plan: Plan, block: int) -> list[Outcome]:
    """Every cell of a plan for one block of trials; the same on any worker."""
    outcomes = []
    for cell in plan.cells:
        rng, drawn = draw_cell(source, plan, block, *cell)
        outcomes.append(outcome_of(drawn, plan, cell[1], seed=int(rng.integers(2**62))))
    return outcomes


def draw_cell(
    source: Source, plan: Plan, block: int, n_topics: int, difference: float, swapped: bool
) -> tuple[Generator, Drawn]:
    """The trials of a block in one cell, and the generator they came from."""
    # Always a whole block, so that fewer trials are a prefix of more.
    rng = generator(plan.seed, SIMULATION, n_topics, int(swapped), block)
    drawn = source.draw(rng, BLOCK, n_topics, plan.shifts(difference), block=block, exchangeable=swapped)
    size = plan.size(block)
    return rng, Drawn(drawn.scores[:size], drawn.systems[:size], drawn.exchangeable[:size])


def outcome_of(drawn: Drawn, plan: Plan, difference: float, seed: int) -> Outcome:
    """The decisions of all tests on simulated collections; `seed` is for tests that resample."""
    size, m = len(drawn.scores), plan.n_systems
    values = np.concatenate(list(drawn.scores), axis=1)
    scores, inside = GridScores.of(values), all_pairs(m)
    start = np.repeat(np.arange(size) * m, len(inside))
    # The better system first: a true difference is positive.
    pairs = Pairs(start + np.tile(inside.b, size), start + np.tile(inside.a, size))
    how = Resampling(plan.n_resamples, seed=seed, workers=1, percentiles=False)
    rejected = np.stack([_rejections(scores, pairs, test, plan, how, size) for test in plan.tests])
    shifts = plan.shifts(difference)
    truth = shifts[inside.b] - shifts[inside.a]
    wrong = (pairs.of(scores.sums).reshape(size, -1) < 0) & (truth > 0)
    return Outcome(rejected, wrong, drawn.exchangeable)


def _rejections(scores: GridScores, pairs: Pairs, test: str, plan: Plan, how: Resampling, size: int) -> Truths:
    """Levels × trials × pairs."""
    correction = plan.correction or "none"
    if TESTS[test].corrects_family or CORRECTIONS[correction].of_scores:
        m, inside = plan.n_systems, all_pairs(plan.n_systems)
        families = [
            GridScores(np.ascontiguousarray(scores.values[:, at * m : (at + 1) * m]), scores.step) for at in range(size)
        ]
        p = _family_p(families, Pairs(inside.b, inside.a), test, plan, how)
    elif test == "randomisation" and scores.n_topics >= SMOOTH:
        p = _randomisation(scores, pairs).reshape(size, -1)
    else:
        p = run_test(scores, pairs, test, plan.alpha[0], how).p.reshape(size, -1)
    if correction != "none" and CORRECTIONS[correction].adjust_sorted and not TESTS[test].corrects_family:
        p = np.stack([adjust(row, correction) for row in p])
    return np.stack([at_most(p, level) for level in plan.alpha])


def _randomisation(scores: GridScores, pairs: Pairs) -> Array:
    """The p-values of the randomisation test without a single flip, as `compare` finds them (`comparison.resolved`)."""
    lattice = find_lattice(scores)
    if lattice is None or np.ptp(lattice.values, axis=1).max() > COARSE:
        return saddlepoint(scores, pairs, "two-sided", workers=1)
    p = lattice_p(lattice, pairs, "two-sided", widest=WIDEST_COARSE, workers=1)
    wide = np.flatnonzero(np.isnan(p))
    p[wide] = saddlepoint(scores, Pairs(pairs.a[wide], pairs.b[wide]), "two-sided", workers=1)
    return p


def _family_p(families: list[GridScores], pairs: Pairs, test: str, plan: Plan, how: Resampling) -> Array:
    """Trials × pairs: the p-values where the whole family is needed."""
    entry, level = TESTS[test], plan.alpha[0]
    if entry.run_families is not None:
        return entry.run_families(families, pairs)
    p = np.stack([run_test(own, pairs, test, level, how).of_family for own in families])
    of_scores = None if plan.correction is None else CORRECTIONS[plan.correction].of_scores
    if of_scores is None or entry.corrects_family:
        return p
    return np.maximum(p, np.stack([of_scores(own, pairs, how, level)[0] for own in families]))


def run_blocks(
    plan: Plan,
    source: Callable[[list[int]], Source],
    work: WorkFile,
    *,
    run: Callable[[Source, Plan, int], list[Outcome]] = run_block,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> list[list[Outcome]]:
    """The outcomes of every block of a plan.

    Parameters
    ----------
    source : makes the source of the unfinished blocks; called once, with their numbers
    work : finished blocks; one with the right number of trials is not drawn again
    run : processes a block
    """
    kept = {block: _unpacked(plan, block, work.get(f"block {block}")) for block in plan.blocks}
    todo = [block for block in plan.blocks if kept[block] is None]
    if todo:
        before = plan.n_trials - sum(map(plan.size, todo))
        tell = None if progress is None else partial(further, progress, before, plan.n_trials)
        done = map_in_order(
            partial(run, source(todo), plan), todo, executor=executor, workers=workers, progress=tell, weight=plan.size
        )
        for block, outcomes in zip(todo, done, strict=True):
            work.put(f"block {block}", _packed(outcomes))
            kept[block] = outcomes
    elif progress is not None:
        progress(plan.n_trials, plan.n_trials)
    return [outcomes for outcomes in kept.values() if outcomes is not None]


def job_of(measure: str, values: Array, settings: Mapping[str, Any]) -> dict[str, object]:
    """What identifies a simulation: scores and settings without the number of trials, which may grow."""
    content = hashlib.blake2b(np.ascontiguousarray(values).tobytes(), digest_size=16).hexdigest()
    return {"scores": f"{measure} {content}", **settings}


def further(progress: Progress, before: int, total: int, done: int, _: int) -> None:
    """Report progress from where an interrupted job stopped."""
    progress(before + done, total)


def _packed(outcomes: list[Outcome]) -> dict[str, Any]:
    """Booleans as bits, one hexadecimal text per array."""
    return {
        f"{name} {at}": np.packbits(truths).tobytes().hex()
        for at, outcome in enumerate(outcomes)
        for name, truths in vars(outcome).items()
    }


def _unpacked(plan: Plan, block: int, part: Mapping[str, Any] | None) -> list[Outcome] | None:
    """Unpacked outcomes; None if there are none, or not of this plan."""
    if part is None:
        return None
    size, pairs = plan.size(block), plan.n_systems * (plan.n_systems - 1) // 2
    shapes = {
        "rejected": (len(plan.tests), len(plan.alpha), size, pairs), "wrong": (size, pairs), "exchangeable": (size,),
    }  # fmt: skip
    try:
        return [
            Outcome(**{name: _truths(part[f"{name} {at}"], shape) for name, shape in shapes.items()})
            for at in range(len(plan.cells))
        ]
    except (KeyError, ValueError, TypeError):
        return None


def _truths(text: str, shape: tuple[int, ...]) -> Truths:
    raw, count = np.frombuffer(bytes.fromhex(text), dtype=np.uint8), int(np.prod(shape))
    if len(raw) != -(-count // 8):
        raise ValueError("another number of trials")
    return np.unpackbits(raw, count=count).astype(np.bool_).reshape(shape)


def rates_of(plan: Plan, cell: tuple[int, float, bool], parts: Sequence[Outcome], cluster: int) -> list[dict[str, Any]]:
    """The rows of one cell of the plan."""
    n_topics, difference, swapped = cell
    rejected = np.concatenate([part.rejected for part in parts], axis=2)
    wrong = np.concatenate([part.wrong for part in parts])
    alike = np.concatenate([part.exchangeable for part in parts])
    shifts, inside = plan.shifts(difference), all_pairs(plan.n_systems)
    null = shifts[inside.a] == shifts[inside.b]
    rows: list[dict[str, Any]] = []
    for test, by_level in zip(plan.tests, rejected, strict=True):
        for level, said in zip(plan.alpha, by_level, strict=True):
            head = {"test": test, "topics": n_topics, "difference": difference, "alpha": level}

            def add(kind: str, rate: tuple[float, float, float], pairs: str = "all", head: Any = head) -> None:
                ends = dict(zip(("rate", "lower", "upper"), rate, strict=True))
                rows.append(head | ends | {"kind": kind, "pairs": pairs})

            if plan.n_systems > 2:
                _family_rows(add, said, null, wrong, difference, plan.correction or "none", cluster)
            elif difference == 0:
                one = said[:, 0]
                if swapped:
                    add("type1", rate_interval(one), "exchangeable")
                    continue
                add("type1", rate_interval(one, cluster))
                if cluster > 1:
                    for name, chosen in (("exchangeable", alike), ("not exchangeable", ~alike)):
                        if chosen.any():
                            add("type1", rate_interval(one[chosen], cluster), name)
            else:
                add("power", rate_interval(said[:, 0], cluster))
                add("type3", rate_interval((said & wrong)[:, 0], cluster))
    return rows


def _family_rows(add: Any, said: Any, null: Any, wrong: Any, difference: float, correction: str, cluster: int) -> None:
    """Family-wise error and false discovery of whole families; with a difference also power and type III errors."""
    false = said[:, null]
    add("family-wise", rate_interval(false.any(axis=1), cluster))
    count = np.maximum(said.sum(axis=1), 1)
    add("false-discovery", mean_interval(false.sum(axis=1) / count, cluster))
    if correction == "none":
        add("type1", mean_interval(false.mean(axis=1), cluster))
    if difference > 0:
        add("power", mean_interval(said[:, ~null].mean(axis=1), cluster))
        add("type3", mean_interval((said & wrong)[:, ~null].mean(axis=1), cluster))


def rate_interval(outcomes: NDArray[np.bool_], cluster: int = 1) -> tuple[float, float, float]:
    """The share of trials that are true, with its interval by Clopper and Pearson (Biometrika 26, 1934).

    Trials that share a pair come `cluster` in a row. They count as the number of independent trials that has the
    observed variance between pairs; if all trials agree, a pair counts once.

    >>> [round(x, 4) for x in rate_interval(np.arange(1000) < 50)]
    [0.05, 0.0339, 0.0705]
    """
    rate = float(outcomes.mean())
    return _interval(rate, len(outcomes) / _inflation(outcomes, cluster, rate))


def _inflation(outcomes: NDArray[np.bool_], cluster: int, rate: float) -> float:
    """How many times the variance of the rate is that of independent trials; at least 1."""
    means = _cluster_means(outcomes, cluster)
    if cluster == 1 or len(means) < 2 or rate in (0.0, 1.0):
        return min(cluster, len(outcomes))
    return max(1.0, float(means.var(ddof=1)) / len(means) / (rate * (1 - rate) / len(outcomes)))


def mean_interval(shares: Array, cluster: int = 1) -> tuple[float, float, float]:
    """The mean of shares, one per trial, with its interval.

    It is that of `rate_interval` for as many trials as would have the standard error that is seen; where all shares
    agree, for as many as there are clusters.

    >>> [round(x, 3) for x in mean_interval(np.array([0.2, 0.4, 0.3, 0.3] * 25))]
    [0.3, 0.282, 0.319]
    """
    means, mean = _cluster_means(shares, cluster), float(shares.mean())
    variance = float(means.var(ddof=1)) / len(means) if np.ptp(means) > 0 else 0.0
    return _interval(mean, mean * (1 - mean) / variance if variance > 0 else len(means))


def _cluster_means(outcomes: NDArray[Any], cluster: int) -> Array:
    """The mean of every whole cluster; of all outcomes where there is none."""
    whole = len(outcomes) // cluster
    if whole == 0:
        return np.array([outcomes.mean()])
    return np.asarray(outcomes[: whole * cluster].reshape(whole, cluster).mean(axis=1))


def _interval(rate: float, trials: float) -> tuple[float, float, float]:
    """A rate seen in so many independent trials, and its ends."""
    hits, tail = rate * trials, (1 - CONFIDENCE) / 2
    lower = 0.0 if hits == 0 else float(special.betaincinv(hits, trials - hits + 1, tail))
    upper = 1.0 if rate == 1 else float(special.betaincinv(hits + 1, trials - hits, 1 - tail))
    return rate, min(lower, rate), max(upper, rate)


def binomial_bounds(level: float, trials: int, outside: float = 0.001) -> tuple[float, float]:
    """Between which shares a test of exact level stays but for the given probability on each side.

    >>> [round(bound, 4) for bound in binomial_bounds(0.05, 2000)]
    [0.0355, 0.0655]
    """
    k = np.arange(trials + 1)
    at_most = np.asarray(special.bdtr(k, trials, level))
    low = int(np.searchsorted(at_most, outside))
    high = int(np.searchsorted(at_most, 1 - outside))
    return low / trials, high / trials
