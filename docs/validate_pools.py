"""The promise of `reuse`, measured (see `validate.py`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from validate import DATA, MATRICES, Limit, Row, draws, promise

from cranfield import Qrels, Run, make_sample, read_qrels, read_runs

DEPTH = 10
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Tops:
    """The first documents of every run: their numbers (runs × topics × depth; −1 for none), which are relevant.

    `documents` is how many there are, and `teams` the team of every run.
    """

    ids: NDArray[np.intp]
    relevant: Bools
    documents: int
    teams: NDArray[np.intp]


def tops(qrels: Qrels, runs: Sequence[Run], prefix: str = "") -> Tops:
    """The first ten documents, by score and then by document id descending; teams by the beginning of names."""
    frames = [
        run.frame.sort(["topic", "score", "document"], descending=[False, True, True])
        .group_by("topic", maintain_order=True)
        .head(DEPTH)
        .select("topic", "document", pl.lit(j).alias("run"), pl.int_range(pl.len()).over("topic").alias("at"))
        for j, run in enumerate(runs)
    ]
    judged = qrels.frame.select("topic", "document", relevant=pl.col("relevance") >= 1)
    topics = judged["topic"].unique().sort()
    found = pl.concat(frames).join(judged, on=["topic", "document"], how="left").filter(pl.col("topic").is_in(topics))
    found = found.with_columns(
        id=pl.struct("topic", "document").rank("dense") - 1, row=pl.col("topic").rank("dense") - 1
    )  # fmt: skip
    shape = (len(runs), len(topics), DEPTH)
    ids, relevant = np.full(shape, -1, dtype=np.intp), np.zeros(shape, dtype=bool)
    place = (found["run"].to_numpy(), found["row"].to_numpy(), found["at"].to_numpy())
    ids[place], relevant[place] = found["id"].to_numpy(), found["relevant"].fill_null(value=False).to_numpy()
    names = [re.match(prefix, run.tag)[0] if prefix else run.tag for run in runs]  # type: ignore[index]
    return Tops(ids, relevant, found["id"].n_unique(), np.unique(names, return_inverse=True)[1])


def ranks(which: Tops, judged: Bools) -> NDArray[np.intp]:
    """Ranks by P@10 with these judgments; tied runs share the best rank."""
    hits = (which.relevant & judged[which.ids]).sum(axis=(1, 2))
    return 1 + (hits[None, :] > hits[:, None]).sum(axis=1)


def most_lost(which: Tops, team: int, having: Bools, lacking: Bools) -> int:
    """The most ranks that a run of the team loses without its judgments."""
    mine = which.teams == team
    return int((ranks(which, lacking) - ranks(which, having))[mine].max())


def losses(which: Tops, contributing: NDArray[np.intp]) -> tuple[list[int], list[int]]:
    """The most ranks lost, of each contributing team without its own judgments, and of each other team without any."""
    teams = int(which.teams.max()) + 1
    brought = np.zeros((teams, which.documents), dtype=bool)
    for team in range(teams):
        ids = which.ids[which.teams == team]
        brought[team, ids[ids >= 0]] = True
    times = brought[contributing].sum(axis=0)
    pooled = []
    for team in contributing:
        pooled.append(most_lost(which, team, times > 0, times - brought[team] > 0))
    others = np.setdiff1d(np.arange(teams), contributing)
    return pooled, [most_lost(which, team, (times > 0) | brought[team], times > 0) for team in others]


@promise(
    "reuse", "A later team's run loses no more ranks than the headline of `reuse` says, for most teams.", 500,
    Limit("teams within the headline", low=0.95),
)  # fmt: skip
def later_teams(trials: int, seed: int) -> Iterator[Row]:
    """Half of the teams build the pool of depth 10, which is judged completely; the headline comes from them, by P@10.

    The other teams come later: their ranks without and with judgments of their own first ten documents are the truth.
    """
    cells = []
    made = make_sample(seed=1)
    cells.append(("cranfield sample", tops(made.full_qrels, made.runs, "[a-z]+")))
    if MATRICES.is_dir():
        folder = DATA / "runs" / "trec-covid-r5"
        cells.append(("TREC-COVID, 40 runs", tops(read_qrels(folder / "qrels.txt"), list(read_runs(folder / "runs")))))
    for name, which in cells:
        teams = int(which.teams.max()) + 1
        within = beyond = 0
        headlines, largest = [], []
        for rng in draws(trials, seed, "reuse", name):
            pooled, later = losses(which, rng.permutation(teams)[: teams // 2])
            headlines.append(max(pooled))
            largest.append(max(later))
            within += sum(one <= max(pooled) for one in later)
            beyond += len(later)
        values = {"teams within the headline": within / beyond, "ranks, headline": float(np.mean(headlines)),
                  "ranks, worst later team": float(np.mean(largest)),
                  "all later teams within": float(np.mean(np.array(largest) <= np.array(headlines)))}  # fmt: skip
        yield Row(name, f"{teams} teams, {teams // 2} in the pool", trials, values)
