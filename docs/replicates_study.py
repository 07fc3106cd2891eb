"""Prints tables of docs/replicates.md that take minutes: calibration, lengths of intervals, teams.

python docs/replicates_study.py
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import polars as pl
from figure_sources import short, table
from figure_studies import COVID, replicated
from figures import Texts

import cranfield as cf
from cranfield.errors import quietly


def bracketed(row: dict[str, Any], name: str) -> str:
    """A rate with its extremes."""
    return f"{short(row[name])} [{short(row[f'{name}_min'])}, {short(row[f'{name}_max'])}]"


def replicates_calibration() -> Texts:
    """Coverage and type I error of every combination."""
    from cranfield.replicates.simulation import calibrate

    rows = []
    for scenario in ("iid", "trec-like"):
        for x in (2, 3):
            found = list(calibrate(scenario, n_partitions=x, n_datasets=1500).iter_rows(named=True))  # type: ignore[arg-type]
            for at, row in enumerate(found):
                said = {0: " (default)", len(found) - 1: " (published)"}.get(at, "")
                rows.append([
                    scenario, str(x), row["residuals"], row["resample"], row["p"] + said, bracketed(row, "coverage"),
                    bracketed(row, "type_1"),
                ])  # fmt: skip
    return {"replicates-calibration": table("errors | >x | residuals | resample | p | >coverage | >type I error", rows)}


def replicates_lengths() -> Texts:
    """Mean length of the intervals on TREC-COVID."""
    from dataclasses import replace

    from cranfield.replicates.analysis import analyse_splits

    ways: dict[str, dict[str, Any]] = {
        "no interaction, raw, cells": {"interaction": False, "residuals": "raw", "resample": "cells"},
        "interaction, raw, cells (published)": {"residuals": "raw", "resample": "cells"},
        "interaction, rescaled, cells": {"resample": "cells"},
        "interaction, rescaled, rows (default)": {},
    }
    cells: dict[tuple[str, str], list[str]] = {(measure, way): [] for measure in ("AP", "P@10") for way in ways}
    for x in (2, 3, 5):
        for measure, one in replicated(n_partitions=x).by_measure.items():
            for way, how in ways.items():
                effects = analyse_splits(one.data.splits, replace(one.how, **how), one.rule.alpha)
                length = np.array([split.lengths.mean() for split in effects])
                spread = f"[{short(length.min())}, {short(length.max())}]"
                cells[measure, way].append(f"{short(length.mean(), 4)} {spread}")
    rows = [[measure, way, *lengths] for (measure, way), lengths in cells.items()]
    header = "measure | model, residuals, resampling | >x = 2 | >x = 3 | >x = 5"
    return {"replicates-lengths": table(header, rows)}


def replicates_teams() -> Texts:
    """Decisions within one team's runs against all runs."""
    import re

    columns, lengths = [], pl.DataFrame()
    for published in (False, True):
        for x in (2, 3):
            with quietly():
                found = cf.replicate(COVID / "qrels.txt", COVID / "runs", "AP", n_partitions=x, published=published)
                by_name = {name: re.match("[A-Za-z]+", name).group() for name in found.systems}  # type: ignore[union-attr]
                teams = found.teams(by_name)["AP"]
            columns.append({row[1:4]: row[4] for row in teams.triples.rows()})
            if x == 3 and not published:
                lengths = teams.lengths
    kinds = [kind for kind in columns[0] if any(column[kind] for column in columns)]
    rows = [[*kind, *(str(column.get(kind, 0)) for column in columns)] for kind in kinds]
    header = (
        "across | within | randomisation | >x = 2, default | >x = 3, default | >x = 2, published | >x = 3, published"
    )
    (_, _, *across), (_, _, *within) = lengths.rows()
    return {
        "replicates-teams": table(header, rows),
        "replicates-team-lengths": f"across {short(across[0], 4)} without and {short(across[1], 4)} with interaction; within "
        f"{short(within[0], 4)} and {short(within[1], 4)}",
    }


if __name__ == "__main__":
    for make in (replicates_calibration, replicates_lengths, replicates_teams):
        for name, text in make().items():
            sys.stdout.write(f"{name}\n{text}\n\n")
