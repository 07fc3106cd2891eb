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


def measure(name: str, share: float, seed: int) -> dict[str, Any]:
    """The rows of a promise, with what the page says about them; they are printed as they come."""
    one = PROMISES[name]
    trials = max(1, round(one.trials * share))
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        for row in one.run(trials, seed):
            rows.append(asdict(row))
            sys.stdout.write(f"{name}: {row}\n")
            sys.stdout.flush()
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    command = f"python docs/validate.py {name}" + ("" if share == 1 else f" --share {share:g}")
    return {"date": today, "command": command, "seed": seed, "rows": rows}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="PROMISE", help=f"of {', '.join(PROMISES)}; all unless named")
    parser.add_argument("--share", type=float, default=1.0, help="share of the usual trials")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="store the rows and write the page")
    given = parser.parse_args()
    for name in given.names or PROMISES:
        found = measure(name, given.share, given.seed)
        if given.write:
            STORE.write_text(json.dumps(stored() | {name: found}, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
            write_page()


if __name__ == "__main__":
    main()
