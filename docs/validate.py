"""Measures what cranfield promises: coverage, error and power by simulation with known truth (docs/validation.md).

    python docs/validate.py [PROMISE…] [--share 1.0] [--seed 1] [--write]

A real score matrix serves as a population: topics are drawn from it with replacement, and what it holds as a whole is
the truth. Synthetic populations stand beside them. Every cell draws for itself, from the seed and its own name, so that
cells are independent of each other. Tests of families draw 399 resamples in a trial: with so many, the 380th smallest
maximum is the critical value for .05, and the level of the test is that of one with more.

Without names, all promises are measured; `--share 0.1` takes a tenth of the trials. `--write` stores the rows in
docs/validation.json and writes the tables into docs/validation.md. `make validate` runs all of it.
`tests/test_validation.py` (slow) runs a short form. The simulations stand in `validate_tests.py`,
`validate_designs.py` and `validate_pools.py`.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield import CranfieldWarning, ScoreMatrix, evaluate, read_scores
from cranfield.core.resampling import generator
from cranfield.questions.compare.resampled import Resampling

Array = NDArray[np.float64]
DOCS = Path(__file__).resolve().parent
DATA = DOCS.parents[1] / "shared" / "data"
MATRICES = DATA / "matrices"
STORE, PAGE = DOCS / "validation.json", DOCS / "validation.md"
ALPHA = 0.05
RESAMPLES = 399
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
class Limit:
    """What the page promises of a column: in every cell at least `low` and at most `high`, but for chance."""

    column: str
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True)
class Promise:
    """What is promised, and the function that measures it.

    `run` takes the number of trials and the seed; `trials` is the usual number. `limits` are what the page says.
    """

    name: str
    says: str
    trials: int
    run: Callable[[int, int], Iterator[Row]]
    limits: tuple[Limit, ...]


PROMISES: dict[str, Promise] = {}


def promise(name: str, says: str, trials: int, *limits: Limit) -> Callable[[Callable[[int, int], Iterator[Row]]], Any]:
    """Register the measurement of a promise."""

    def register(run: Callable[[int, int], Iterator[Row]]) -> Any:
        PROMISES[name] = Promise(name, says, trials, run, limits)
        return run

    return register


# ── populations and draws ─────────────────────────────────────────────────────────────────────────────────

TRACKS = {
    "TREC-3 AP": "trec3-adhoc.AP", "TREC-5 AP": "trec5-adhoc.AP", "TREC-5 P@10": "trec5-adhoc.P@10",
    "TREC-6 AP": "trec6-adhoc.AP", "TREC-6 P@10": "trec6-adhoc.P@10", "TREC-7 AP": "trec7-adhoc.AP",
    "TREC-7 P@10": "trec7-adhoc.P@10", "TREC-8 AP": "trec8-adhoc.AP", "Robust 2003 AP": "robust2003-new.AP",
    "Robust 2004 AP": "robust2004-new.AP", "Terabyte 2006 AP": "terabyte2006.AP", "Web 2012 AP": "web2012-adhoc.AP",
    "Web 2012 ERR@20": "web2012-adhoc.ERR@20", "Web 2012 nDCG@20": "web2012-adhoc.nDCG@20",
    "Web 2012 P@20": "web2012-adhoc.P@20",
}  # fmt: skip
COVID = {"TREC-COVID AP": "AP", "TREC-COVID nDCG@10": "nDCG@10"}
"""The 40 runs of round 5."""
SYNTHETIC = ("normal", "gamma, skewed")
EVERY = (*TRACKS, *COVID)


@cache
def covid() -> dict[str, Array]:
    """Topics × systems by every measure of `COVID`."""
    folder = DATA / "runs" / "trec-covid-r5"
    scores = evaluate(folder / "qrels.txt", folder / "runs", list(COVID.values()))
    return {name: scores[measure].values for name, measure in COVID.items()}


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
    if name in COVID:
        return covid()[name]
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


def equal_means(whole: Array) -> Array:
    """The same scores with every system's mean moved to the overall one."""
    return np.asarray(whole - whole.mean(axis=0) + whole.mean())


def draws(trials: int, seed: int, *cell: object) -> Iterator[np.random.Generator]:
    """A generator for each trial of a cell, unlike those of all other cells."""
    key = zlib.crc32(" ".join(map(str, cell)).encode())
    for trial in range(trials):
        yield generator(seed, _STREAM, key, trial)


def resampling(rng: np.random.Generator, n_resamples: int = RESAMPLES) -> Resampling:
    """Resamples of a trial, with a seed of its own."""
    return Resampling(n_resamples=n_resamples, seed=int(rng.integers(2**31)), percentiles=False, workers=1)


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


def summary(kept: dict[str, Any]) -> str:
    """The promises, what was measured of each column that has a limit, and where."""
    lines = ["| promise | measured, lowest to highest cell | table |", "|:--|:--|:--|"]
    for name, one in PROMISES.items():
        if name not in kept:
            continue
        parts = []
        for limit in one.limits:
            found = [row["values"][limit.column] for row in kept[name]["rows"] if limit.column in row["values"]]
            parts.append(f"{limit.column} {short(min(found))}–{short(max(found))}")
        lines.append(f"| {one.says} | {'; '.join(parts)} | [{name}](#{name}) |")
    return "\n".join(lines)


def write_page() -> None:
    """Put every stored table, and the summary of all, between its marks."""
    text, kept = PAGE.read_text(), stored()
    for name, made in [*((name, block(name, one)) for name, one in kept.items()), ("summary", summary(kept))]:
        marks = rf"(<!-- validated {re.escape(name)} -->\n).*?(<!-- /validated -->)"
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
    sys.modules["validate"] = sys.modules["__main__"]

import validate_designs  # noqa: E402, F401  (registers promises)
import validate_pools  # noqa: E402, F401
import validate_tests  # noqa: E402, F401

if __name__ == "__main__":
    main()
