"""Measures what cranfield promises: coverage, error and power by simulation with known truth (docs/validation.md).

    python docs/validate.py [PROMISE…] [--share 1.0] [--seed 1] [--write]

A real score matrix serves as a population: topics are drawn from it with replacement, and what it holds as a whole is
the truth. Synthetic populations stand beside them. Without names, all promises are measured; `--share 0.1` takes a
tenth of the trials. `--write` stores the rows in docs/validation.json and writes the tables into docs/validation.md.
`make validate` runs all of it. `tests/test_validation.py` (slow) runs a short form and holds it against bounds.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from cranfield import CranfieldWarning, ScoreMatrix, read_scores
from cranfield.core.resampling import generator

Array = NDArray[np.float64]
DOCS = Path(__file__).resolve().parent
MATRICES = DOCS.parents[1] / "shared" / "data" / "matrices"
STORE, PAGE = DOCS / "validation.json", DOCS / "validation.md"
ALPHA = 0.05
_STREAM = 83
"""Of the generators, so that no method under test draws the same numbers."""


@dataclass(frozen=True)
class Row:
    """One cell: a population, what was done with it, and the share of trials in which something happened."""

    population: str
    cell: str
    trials: int
    values: dict[str, float]


@dataclass(frozen=True)
class Promise:
    """What is promised, and the function that measures it.

    `run` takes the number of trials and the seed; `trials` is the usual number. `columns` explains the values.
    """

    name: str
    says: str
    trials: int
    run: Callable[[int, int], Iterator[Row]]


PROMISES: dict[str, Promise] = {}


def promise(name: str, says: str, trials: int) -> Callable[[Callable[[int, int], Iterator[Row]]], Any]:
    """Register the measurement of a promise."""

    def register(run: Callable[[int, int], Iterator[Row]]) -> Any:
        PROMISES[name] = Promise(name, says, trials, run)
        return run

    return register


# ── populations ───────────────────────────────────────────────────────────────────────────────────────────

TRACKS = {
    "TREC-3 AP": "trec3-adhoc.AP", "TREC-5 AP": "trec5-adhoc.AP", "TREC-6 P@10": "trec6-adhoc.P@10",
    "TREC-7 AP": "trec7-adhoc.AP", "TREC-8 AP": "trec8-adhoc.AP", "Robust 2004 AP": "robust2004-new.AP",
    "Terabyte 2006 AP": "terabyte2006.AP", "Web 2012 ERR@20": "web2012-adhoc.ERR@20",
    "Web 2012 nDCG@20": "web2012-adhoc.nDCG@20",
}  # fmt: skip
SYNTHETIC = ("normal", "gamma, skewed")


@cache
def population(name: str) -> Array:
    """Topics × systems: a public matrix, or 200 topics × 30 systems drawn once."""
    if name in SYNTHETIC:
        rng = generator(1, _STREAM, SYNTHETIC.index(name))
        topic, system = rng.normal(0.4, 0.15, (200, 1)), np.linspace(-0.08, 0.08, 30)
        if name == "normal":
            return np.asarray(topic + system + rng.normal(0, 0.1, (200, 30)))
        # Skewness √2, and every topic with a spread of its own.
        noise = (rng.gamma(2, 1, (200, 30)) - 2) / math.sqrt(2) * rng.exponential(0.1, (200, 1))
        return np.asarray(topic + system + noise)
    return read_scores(MATRICES / f"{TRACKS.get(name, name)}.csv").only().values


def populations(*names: str) -> Iterator[tuple[str, Array]]:
    """Those of the names that are there: public matrices may not be."""
    for name in (*names, *SYNTHETIC):
        if name in SYNTHETIC or MATRICES.is_dir():
            yield name, population(name)


def scores_of(values: Array, measure: str = "AP") -> ScoreMatrix:
    """A score matrix with short labels."""
    n, m = values.shape
    return ScoreMatrix(values, [f"t{i:04}" for i in range(n)], [f"s{j:03}" for j in range(m)], measure)


def drawn(whole: Array, n: int, rng: np.random.Generator) -> Array:
    """So many topics, with replacement."""
    return np.asarray(whole[rng.integers(0, len(whole), n)])


# ── families: max-t ───────────────────────────────────────────────────────────────────────────────────────

FAMILIES = ("TREC-8 AP", "TREC-7 AP", "TREC-5 AP", "TREC-6 P@10", "Robust 2004 AP", "Terabyte 2006 AP",
            "Web 2012 ERR@20", "TREC-3 AP")  # fmt: skip
FAMILY_RESAMPLES = 999


@promise("families", "Max-t over all pairs: family-wise error .05, and all intervals hold together with .95.", 200)
def family_error(trials: int, seed: int) -> Iterator[Row]:
    """Equal means: how often some pair of systems that differ is significant; one minus it is the joint coverage.

    Beside it t-tests with Holm's correction. Coverage is counted separately, with the real means.
    """
    from cranfield.questions.compare.classical import paired_t
    from cranfield.questions.compare.corrections import adjust
    from cranfield.questions.compare.grid import GridScores
    from cranfield.questions.compare.max_t import max_t
    from cranfield.questions.compare.pairs import all_pairs
    from cranfield.questions.compare.resampled import Resampling

    for name, whole in populations(*FAMILIES):
        equal, means = whole - whole.mean(axis=0) + whole.mean(), whole.mean(axis=0)
        pairs = all_pairs(whole.shape[1])
        truth = means[pairs.a] - means[pairs.b]
        apart = ~np.isclose(whole[:, pairs.a], whole[:, pairs.b]).all(axis=0)
        for n in (25, 50):
            wrong = plain = held = 0
            for trial in range(trials):
                rng = generator(seed, _STREAM, trial)
                topics = rng.integers(0, len(whole), n)
                how = Resampling(n_resamples=FAMILY_RESAMPLES, seed=trial, percentiles=False)
                found = max_t(GridScores.of(equal[topics]), pairs, how, ALPHA).maximum
                assert found is not None
                wrong += bool(((found.statistic > found.critical(ALPHA)) & apart).any())
                p = np.asarray(adjust(paired_t(GridScores.of(equal[topics]), pairs, "two-sided"), "holm"))
                plain += bool(((p <= ALPHA) & apart).any())
                # The statistic does not change with the means, so the same c serves for the real ones.
                difference = whole[topics][:, pairs.a].mean(axis=0) - whole[topics][:, pairs.b].mean(axis=0)
                half = found.critical(ALPHA) * found.error
                held += bool((np.abs(difference - truth) <= half + 1e-12)[apart].all())
            values = {
                "error, max-t": wrong / trials,
                "error, t + Holm": plain / trials,
                "joint coverage": held / trials,
            }
            yield Row(name, f"{n} topics, {whole.shape[1]} systems", trials, values)


@promise("ranks", "Each rank interval holds the true rank with .95; the set of the best holds the best with .95.", 200)
def rank_intervals(trials: int, seed: int) -> Iterator[Row]:
    """20 systems of a track with equal means, where every rank is true, and with their own means."""
    from cranfield.questions.compare.best import best_set
    from cranfield.questions.compare.grid import GridScores
    from cranfield.questions.compare.max_t import max_t, rank_intervals_by_max_t
    from cranfield.questions.compare.pairs import all_pairs
    from cranfield.questions.compare.resampled import Resampling

    for name, whole in populations("TREC-8 AP", "TREC-6 P@10", "Robust 2004 AP", "Terabyte 2006 AP", "Web 2012 ERR@20"):
        rng = generator(seed, _STREAM, 0)
        own = whole[:, rng.permutation(whole.shape[1])[:20]]
        for kind, x in (("equal means", own - own.mean(axis=0) + own.mean()), ("own means", own)):
            means = np.round(x.mean(axis=0), 9)
            # With ties the true rank of a system is any from the first to the last of those tied with it.
            first = 1 + (means[None, :] > means[:, None]).sum(axis=1)
            last = (means[None, :] >= means[:, None]).sum(axis=1)
            held, best = np.zeros(20), np.zeros(20)
            for trial in range(trials):
                sample = GridScores.of(drawn(x, 50, generator(seed, _STREAM, trial + 1)))
                how = Resampling(n_resamples=FAMILY_RESAMPLES, seed=trial, percentiles=False)
                found = max_t(sample, all_pairs(20), how, ALPHA).maximum
                assert found is not None
                low, high, _ = rank_intervals_by_max_t(sample, how, ALPHA, found.apart)
                held += (low <= first) & (last <= high)
                best += best_set(sample, how, ALPHA).member
            top = best[first == 1] / trials
            values = {"rank interval, mean": held.mean() / trials, "worst system": held.min() / trials,
                      "best in the set": top.mean(), "worst of the best": top.min()}  # fmt: skip
            yield Row(name, f"50 topics, 20 systems, {kind}", trials, {key: float(one) for key, one in values.items()})


# ── rank correlations ─────────────────────────────────────────────────────────────────────────────────────

PAIRS_OF_MEASURES = {
    "TREC-5 AP, P@10": ("trec5-adhoc.AP", "trec5-adhoc.P@10"),
    "TREC-7 AP, P@10": ("trec7-adhoc.AP", "trec7-adhoc.P@10"),
    "Web 2012 AP, nDCG@20": ("web2012-adhoc.AP", "web2012-adhoc.nDCG@20"),
    "Web 2012 ERR@20, P@20": ("web2012-adhoc.ERR@20", "web2012-adhoc.P@20"),
}


@promise("tau", "The interval of τ holds the τ of unlimited topics with .95.", 200)
def tau_hull(trials: int, seed: int) -> Iterator[Row]:
    """Two measures on the same topics; beside it the percentile bootstrap over topics."""
    from cranfield.core.resampling import topic_weights
    from cranfield.scores.rank_coefficients import rank_correlations
    from cranfield.scores.tau_interval import RankedScores, tau_intervals

    pairs = [
        (name, *(population(one) for one in both)) for name, both in PAIRS_OF_MEASURES.items() if MATRICES.is_dir()
    ]
    made = population("normal")
    noisy = made + generator(1, _STREAM, 9).normal(0, 0.05, made.shape) + 0.02 * np.sin(np.arange(made.shape[1]))
    pairs.append(("normal, two measures", made, noisy))
    for name, x, y in pairs:
        m = x.shape[1]
        for systems in (m, 25, "top 15"):
            columns = np.argsort(-x.mean(axis=0))[:15] if systems == "top 15" else np.arange(m)
            for n in (25, 50):
                held = plain = 0
                width = 0.0
                for trial in range(trials):
                    rng = generator(seed, _STREAM, trial)
                    own = rng.permutation(m)[:25] if systems == 25 else columns
                    truth = float(
                        rank_correlations(x[:, own].mean(axis=0)[None], y[:, own].mean(axis=0)[None], (1e-12, 1e-12))[
                            "tau"
                        ][0]
                    )
                    topics = rng.integers(0, len(x), n)
                    a, b = RankedScores.of(x[topics][:, own]), RankedScores.of(y[topics][:, own])
                    tolerance = (a.tolerance, b.tolerance)
                    tau = float(rank_correlations(a.totals[None], b.totals[None], tolerance)["tau"][0])
                    found = tau_intervals(
                        a, b, {"tau": tau}, shared=True, alpha=ALPHA, n_resamples=500, seed=trial, workers=1
                    )["tau"]
                    assert found.lower is not None
                    assert found.upper is not None
                    held += found.lower - 1e-9 <= truth <= found.upper + 1e-9
                    width += (found.upper - found.lower) / trials
                    weights = np.concatenate(list(topic_weights(n, 500, trial)))
                    resampled = rank_correlations(weights @ a.grid, weights @ b.grid, tolerance)["tau"]
                    low, high = np.quantile(resampled, [ALPHA / 2, 1 - ALPHA / 2])
                    plain += low - 1e-9 <= truth <= high + 1e-9
                shown = f"{systems} systems" if isinstance(systems, int) else systems
                values = {"hull": held / trials, "percentile": plain / trials, "width": width}
                yield Row(name, f"{n} topics, {shown}", trials, values)


# ── designs ───────────────────────────────────────────────────────────────────────────────────────────────


@promise("sizes", "The 95% interval of a number of topics holds; the assured size is enough with probability .80.", 200)
def interval_of_sizes(trials: int, seed: int) -> Iterator[Row]:
    """Pilots of some systems and topics; the truth is what the whole population asks for (t-tests with Holm)."""
    from assurance_study import cell

    for name, whole in populations("TREC-3 AP", "TREC-6 P@10", "TREC-8 AP", "Terabyte 2006 AP", "Web 2012 nDCG@20"):
        for n, m in ((25, 20), (50, 10), (50, 20)):
            old, new, _, enough = cell(scores_of(whole), n, m, trials, seed, "residual")
            values = {"interval": float(new), "assured is enough": float(enough), "topics alone": float(old)}
            yield Row(name, f"{n} topics, {m} systems", trials, values)


@promise("recommend", "With the recommended number of topics, max-t has power .80, averaged over pairs.", 500)
def recommended_power(trials: int, seed: int) -> Iterator[Row]:
    """The number that the whole population recommends, and how often max-t then finds the difference."""
    from cranfield import recommend
    from cranfield.questions.recommend.max_t_design import simulate_max_t_power

    for name, whole in populations("Terabyte 2006 AP", "Robust 2004 AP", "TREC-8 AP", "TREC-3 AP", "Web 2012 nDCG@20"):
        scores = scores_of(whole)
        for k in (7, 20):
            found = recommend(scores, k, 0.10)
            holm = int(found.rows.filter(design="all pairs, corrected")["topics"][0])
            powers = [
                simulate_max_t_power(scores, n, 0.10, n_systems=k, trials=trials, seed=seed)
                for n in (found.n_topics, holm)
            ]
            values = {"topics": float(found.n_topics), "power": powers[0].power, "error": powers[0].false,
                      "topics, t + Holm": float(holm), "power there": powers[1].power}  # fmt: skip
            yield Row(name, f"{k} systems, .10", trials, values)


# ── one pair ──────────────────────────────────────────────────────────────────────────────────────────────


@promise("gate", "The gate passes a candidate that is at the margin with probability .05 at most.", 20_000)
def gate_passes(trials: int, seed: int) -> Iterator[Row]:
    """Losses on few topics, exactly at the margin; *absent*: no topic with a loss was drawn. And real differences."""
    from gate_study import LOSSES, SD, lower_bounds

    for loss, share in LOSSES:
        for n in (50, 100, 200):
            rng = generator(seed, _STREAM, n)
            lost = rng.random((trials, n)) < share
            t, hall = lower_bounds(SD * rng.standard_normal((trials, n)) - loss * lost)
            margin = -loss * share
            values = {"false passes": float(np.mean(hall > margin)), "by t": float(np.mean(t > margin)),
                      "absent": float(np.mean(~lost.any(axis=1)))}  # fmt: skip
            yield Row(f"a loss of {loss:g} on {share:.0%}", f"{n} topics", trials, values)
    for name, whole in populations("TREC-8 AP", "TREC-6 P@10", "Web 2012 ERR@20"):
        few = max(1, trials // 4)
        rng = generator(seed, _STREAM, 1)
        pairs = rng.random((few, whole.shape[1])).argsort(axis=1)[:, :2]
        equal = whole - whole.mean(axis=0)
        topics = rng.integers(0, len(whole), (few, 50))
        d = equal[topics, pairs[:, :1]] - equal[topics, pairs[:, 1:]]
        d = d[d.std(axis=1) > 0]
        t, hall = lower_bounds(d)
        values = {"false passes": float(np.mean(hall > 0)), "by t": float(np.mean(t > 0))}
        yield Row(name, "50 topics, random pairs", len(d), values)


@promise("monitor", "Planned and unplanned looks keep the level .05, if differences are normal.", 10_000)
def monitor_levels(trials: int, seed: int) -> Iterator[Row]:
    """No difference, five looks; unplanned: a look after every topic from the 10th to the 100th."""
    from scipy.special import stdtr

    from cranfield.questions.monitor.boundaries import nominal, sequence_half_width, spending_boundaries, tuned_rho

    def real(name: str) -> Callable[[np.random.Generator, tuple[int, int]], Array]:
        whole = population(name)

        def draw(rng: np.random.Generator, size: tuple[int, int]) -> Array:
            pairs = rng.random((size[0], whole.shape[1])).argsort(axis=1)[:, :2]
            equal, topics = whole - whole.mean(axis=0), rng.integers(0, len(whole), size)
            return np.asarray(equal[topics, pairs[:, :1]] - equal[topics, pairs[:, 1:]])

        return draw

    sources: dict[str, Any] = {
        "normal": lambda rng, size: rng.normal(size=size),
        "Laplace": lambda rng, size: rng.laplace(size=size),
        "exponential": lambda rng, size: rng.exponential(size=size) - 1,
    }
    if MATRICES.is_dir():
        sources |= {name: real(name) for name in ("TREC-8 AP", "TREC-6 P@10", "Web 2012 ERR@20")}
    for name, source in sources.items():
        for per_look in (10, 20):
            n = per_look * np.arange(1, 6)
            d = source(generator(seed, _STREAM, per_look), (trials, int(n[-1])))
            p = np.ones((trials, 5))
            for look, size in enumerate(n):
                part = d[:, :size]
                sd = part.std(axis=1, ddof=1)
                t = np.divide(part.mean(axis=1) * math.sqrt(size), sd, out=np.zeros(trials), where=sd > 0)
                p[:, look] = 2 * stdtr(size - 1, -np.abs(t))
            share = (n / n[-1]).tolist()
            values = {
                rule: float((p <= nominal(spending_boundaries(share, spending, ALPHA))).any(axis=1).mean())
                for rule, spending in (("O'Brien–Fleming", "obrien-fleming"), ("Pocock", "pocock"))
            }
            count = np.arange(1, int(n[-1]) + 1)
            mean = d.cumsum(axis=1) / count
            with np.errstate(divide="ignore", invalid="ignore"):
                sd = np.sqrt(np.maximum((d**2).cumsum(axis=1) - count * mean**2, 0) / (count - 1))
            half = sequence_half_width(count[9:], sd[:, 9:], tuned_rho(100, ALPHA), ALPHA, student=True)
            missed = (np.abs(mean[:, 9:]) > half) & (sd[:, 9:] > 0)
            values["unplanned"] = float(missed.any(axis=1).mean())
            yield Row(name, f"five looks of {per_look} topics", trials, values)


# ── reliability ───────────────────────────────────────────────────────────────────────────────────────────


@promise("reliability", "The 95% intervals of Eρ² and Φ hold.", 200)
def reliability_intervals(trials: int, seed: int) -> Iterator[Row]:
    """Subsets of real systems: the jackknife and Feldt's interval for Eρ², Arteaga's for Φ."""
    from reliability_subsets import COLLECTIONS, coverage

    if not MATRICES.is_dir():
        return
    for name in COLLECTIONS:
        for systems in (10, 20, 40):
            jackknife, feldt, arteaga = coverage(name, systems, trials, generator(seed, _STREAM, systems))
            values = {"Eρ², jackknife": jackknife, "Eρ², Feldt": feldt, "Φ, Arteaga": arteaga}
            yield Row(name, f"50 topics, {systems} systems", trials, values)


# ── tune ──────────────────────────────────────────────────────────────────────────────────────────────────


@promise("tune", "The 95% interval of `tune` holds the final setting's true mean.", 2000)
def tune_interval(trials: int, seed: int) -> Iterator[Row]:
    """Systems of a track as settings, and 20 settings of equal worth; beside it the t interval of held-out scores."""
    from cranfield import tune

    cells = [(name, whole) for name, whole in populations("TREC-3 AP", "TREC-6 P@10", "Robust 2004 AP", "TREC-8 AP")]
    for name, whole in cells:
        for n in (25, 50):
            held, plain, wider = 0, 0, 0.0
            for trial in range(trials):
                rng = generator(seed, _STREAM, trial)
                chosen = rng.permutation(whole.shape[1])[:20]
                family = scores_of(drawn(whole[:, chosen], n, rng))
                result = tune({"family": family}, folds=10, seed=trial)
                found = result.families[0]
                truth = float(whole[:, chosen[family.systems.index(found.final)]].mean())
                assert found.lower is not None
                assert found.upper is not None
                held += found.lower <= truth <= found.upper
                t = t_interval(result.held_out.values[:, 0])
                plain += t[0] <= truth <= t[1]
                wider += (found.upper - found.lower) / (t[1] - t[0])
            values = {"interval": held / trials, "t of held-out": plain / trials, "width ratio": wider / trials}
            yield Row(name, f"{n} topics, 20 settings", trials, values)


def t_interval(scores: Array) -> tuple[float, float]:
    """The t interval of a mean."""
    reach = float(stdtrit(len(scores) - 1, 1 - ALPHA / 2)) * scores.std(ddof=1) / math.sqrt(len(scores))
    return float(scores.mean() - reach), float(scores.mean() + reach)


# ── the page ──────────────────────────────────────────────────────────────────────────────────────────────


def stored() -> dict[str, Any]:
    """What was measured, by promise."""
    return dict(json.loads(STORE.read_text())) if STORE.exists() else {}


def table(rows: list[dict[str, Any]]) -> str:
    """The rows of a promise in Markdown."""
    names = list(dict.fromkeys(name for row in rows for name in row["values"]))
    lines = ["| population | cell | trials | " + " | ".join(names) + " |", "|:--|:--|--:|" + "--:|" * len(names)]
    for row in rows:
        cells = (short(row["values"][name]) if name in row["values"] else "" for name in names)
        lines.append(f"| {row['population']} | {row['cell']} | {row['trials']:,} | {' | '.join(cells)} |")
    return "\n".join(lines)


def short(value: float) -> str:
    """A share as papers print it; other numbers with a digit before the point."""
    return f"{value:.3f}".removeprefix("0") if 0 <= value < 1 else f"{value:.3g}"


def block(name: str, kept: dict[str, Any]) -> str:
    """What stands on the page about a promise: the table, and how to make it again."""
    made = f"Measured on {kept['date']} by `{kept['command']}`, seed {kept['seed']}."
    return f"{table(kept['rows'])}\n\n{made}"


def write_page() -> None:
    """Put every stored table between its marks."""
    text = PAGE.read_text()
    for name, kept in stored().items():
        marks = rf"(<!-- validated {re.escape(name)} -->\n).*?(<!-- /validated -->)"
        made = block(name, kept)
        text = re.sub(marks, lambda found, made=made: f"{found[1]}{made}\n{found[2]}", text, flags=re.DOTALL)
    PAGE.write_text(text)


def measure(name: str, share: float, seed: int) -> Iterator[dict[str, Any]]:
    """The rows of a promise so far, with what the page says about them, after every row."""
    one = PROMISES[name]
    trials = max(1, round(one.trials * share))
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    command = f"python docs/validate.py {name}" + ("" if share == 1 else f" --share {share:g}")
    rows: list[dict[str, Any]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        for row in one.run(trials, seed):
            rows.append(asdict(row) | {"values": {key: float(value) for key, value in row.values.items()}})
            yield {"date": today, "command": command, "seed": seed, "rows": rows}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="PROMISE", help=f"of {', '.join(PROMISES)}; all unless named")
    parser.add_argument("--share", type=float, default=1.0, help="share of the usual trials")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="store the rows and write the page")
    given = parser.parse_args()
    for name in given.names or PROMISES:
        for found in measure(name, given.share, given.seed):
            sys.stdout.write(f"{name}: {found['rows'][-1]}\n")
            sys.stdout.flush()
            if given.write:
                kept = stored() | {name: found}
                STORE.write_text(json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
        if given.write:
            write_page()


if __name__ == "__main__":
    main()
