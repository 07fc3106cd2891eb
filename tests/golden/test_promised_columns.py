"""The columns that users may rely on: more may come, none of these goes or changes its name within a schema version."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

EXPECTED = Path(__file__).parent / "expected"
PROMISED = {
    "evaluate": "system topic measure value",
    "variance": "collection measure topics systems method variance variance_of_difference lower upper",
    "design-anova": "method blocked variance systems min_diff alpha power topics achieved_power",
    "cost": "measure depth judged_per_topic variance topics judgments ratio",
    "pool": "topic judged relevant",
    "correlate": "coefficient value corrected lower upper",
    "compare": "measure system_a system_b mean_a mean_b difference lower upper effect_size p p_adjusted significant",
    "leaderboard": "measure rank system mean lower upper rank_lower rank_upper group",
    "replicates": "measure system effect lower upper",
    "replicates-pairs": "measure system_a system_b difference p p_adjusted votes decision",
    "tune": "measure family fold chosen train_mean held_out_mean",
    "design-recommend": "design estimator method variance topics topics_lower topics_upper",
    "reliability": "coefficient topics value lower upper topics_needed topics_lower topics_upper",
    "monitor": "look topics system_a system_b difference lower upper p boundary decision",
    "reuse": "team runs unique_relevant rank_drop score_change tau lower upper",
}


@pytest.mark.parametrize("command", PROMISED)
def test_promised_columns_are_there(command: str) -> None:
    with (EXPECTED / f"{command}.csv").open(encoding="utf-8", newline="") as stream:
        columns = next(csv.reader(stream))
    kept = [name for name in columns if name in PROMISED[command].split()]
    assert kept == PROMISED[command].split(), "a promised column is missing, or they changed their order"
