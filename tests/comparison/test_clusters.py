"""Topics that belong together: the variance, flips and resamples of whole groups."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.questions.compare.clusters import Clusters, read_topic_groups

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")


def clustered(
    rng: np.random.Generator, groups: int = 40, sizes: tuple[int, ...] = (1, 2, 6), m: int = 3, between: float = 0.08
) -> tuple[cf.ScoreMatrix, dict[str, str]]:
    """Systems of equal means whose differences vary between groups of topics and within them."""
    counts = np.resize(sizes, groups)
    of_topic = np.repeat(np.arange(groups), counts)
    n = len(of_topic)
    values = 0.4 + rng.normal(0, between, (groups, m))[of_topic] + rng.normal(0, 0.06, (n, m))
    topics = [f"t{i:04}" for i in range(n)]
    matrix = cf.ScoreMatrix(values, topics, [f"s{j}" for j in range(m)], "AP")
    return matrix, {topic: f"g{g}" for topic, g in zip(topics, of_topic, strict=True)}


def test_the_tables_have_the_mean_and_the_variance_of_the_formula() -> None:
    matrix, groups = clustered(np.random.default_rng(1))
    clusters = Clusters.of(matrix.topics, groups)
    assert clusters is not None
    x, n, g = matrix.values, matrix.n_topics, len(clusters)
    d = x[:, 0] - x[:, 1]
    own = np.array([sum(d[i] - d.mean() for i in range(n) if clusters.of_topic[i] == k) for k in range(g)])
    variance = g / (g - 1) * (own**2).sum() / n**2
    z = clusters.spread(x)
    assert z.mean(axis=0) == pytest.approx(x.mean(axis=0))
    assert (z[:, 0] - z[:, 1]).var(ddof=1) / g == pytest.approx(variance)
    assert clusters.sums(x).mean(axis=0) == pytest.approx(x.mean(axis=0))
    found = cf.compare(matrix, test="t", topic_groups=groups)
    at = [*zip(found.system_a, found.system_b, strict=True)].index(
        ("s0", "s1") if ("s0", "s1") in zip(found.system_a, found.system_b, strict=True) else ("s1", "s0")
    )
    assert found.basis.error[at] == pytest.approx(np.sqrt(variance))
    assert found.n_topics == n
    assert found.n_units == g


def test_the_randomisation_test_flips_whole_groups() -> None:
    rng = np.random.default_rng(2)
    matrix, groups = clustered(rng, groups=8, m=2)
    found = cf.compare(matrix, topic_groups=groups, baseline="s1")
    d = matrix.values[:, 0] - matrix.values[:, 1]
    sums = np.array([sum(d[i] for i, t in enumerate(matrix.topics) if groups[t] == f"g{k}") for k in range(8)])
    flips = [abs(np.dot(signs, sums)) for signs in itertools.product((-1, 1), repeat=8)]
    assert found.p[0] == np.mean(np.array(flips) >= abs(sums.sum()) - 1e-9)
    # The interval: means over all sets of groups, the 6th smallest and largest (⌊.025·256⌋ = 6).
    sizes = np.array([sum(g == f"g{k}" for g in groups.values()) for k in range(8)])
    subsets = [list(s) for k in range(1, 9) for s in itertools.combinations(range(8), k)]
    means = sorted(sums[s].sum() / sizes[s].sum() for s in subsets)
    assert (found.lower[0], found.upper[0]) == (pytest.approx(means[5]), pytest.approx(means[-6]))


@pytest.mark.parametrize("test", [None, "max-t", "t"])
def test_one_topic_per_group_is_as_no_groups_at_all(test: str | None, tmp_path: Path) -> None:
    matrix, _ = clustered(np.random.default_rng(3), m=4)
    single = {topic: f"x{i}" for i, topic in enumerate(matrix.topics)}
    first, second = (
        cf.compare(matrix, test=test, n_resamples=999, topic_groups=groups, margin=0.02) for groups in (None, single)
    )
    assert json.dumps(first.to_dict()) == json.dumps(second.to_dict())
    one, two = (
        cf.gate(matrix, baseline="s0", candidate="s1", margin=0.05, topic_groups=groups) for groups in (None, single)
    )
    assert json.dumps(one.to_dict()) == json.dumps(two.to_dict())


@pytest.mark.parametrize("test", [None, "max-t"])
def test_the_order_of_topics_and_workers_change_nothing(test: str | None) -> None:
    matrix, groups = clustered(np.random.default_rng(4), m=4)
    other = matrix.select(topics=[*reversed(matrix.topics)], systems=[*reversed(matrix.systems)])
    first = cf.compare(matrix, test=test, topic_groups=groups, n_resamples=999, workers=1)
    second = cf.compare(other, test=test, topic_groups=groups, n_resamples=999, workers=2)
    assert json.dumps(first.to_dict()) == json.dumps(second.to_dict())


def test_effective_topics_follow_the_design_effect() -> None:
    """Six equal topics per group: differences within a group are worth one topic."""
    rng = np.random.default_rng(5)
    values = np.repeat(rng.normal(0.4, 0.1, (50, 4)), 6, axis=0)
    topics = [f"{i:03}" for i in range(300)]
    groups = {topic: str(i // 6) for i, topic in enumerate(topics)}
    found = cf.compare(cf.ScoreMatrix(values, topics, list("abcd"), "AP"), topic_groups=groups)
    assert found.effective_topics == pytest.approx(50, rel=0.03)
    assert "300 in 50 groups" in found.signature
    assert found.settings["topic_groups"] == "50 groups"


def test_the_gate_uses_the_variance_of_groups() -> None:
    matrix, groups = clustered(np.random.default_rng(6), between=0.1)
    alone = cf.gate(matrix, baseline="s0", candidate="s1", margin=0.02, test="t")
    grouped = cf.gate(matrix, baseline="s0", candidate="s1", margin=0.02, test="t", topic_groups=groups)
    error = cf.compare(matrix.select(systems=["s0", "s1"]), test="t", topic_groups=groups).basis.error[0]
    from scipy import stats

    check = grouped.checks[0]
    assert check.difference == pytest.approx(alone.checks[0].difference)
    assert check.difference - check.lower == pytest.approx(stats.t.ppf(0.95, 39) * error)
    assert check.n_topics == alone.checks[0].n_topics
    assert "in 40 groups" in grouped.signature


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"topic_groups": {"t0000": "a"}}, "no group is given for"),
        ({"topic_groups": "one"}, "topics are in one group"),
        ({"topic_groups": "two", "test": "wilcoxon"}, "`topic_groups` needs the mean, a test of max-t"),
        ({"topic_groups": "two", "statistic": "median"}, "`topic_groups` needs the mean"),
        ({"topic_groups": "two", "correction": "westfall-young"}, "no westfall-young"),
    ],
)
def test_what_makes_no_sense_is_refused(settings: Any, message: str) -> None:
    matrix, _ = clustered(np.random.default_rng(7))
    groups = settings["topic_groups"]
    if isinstance(groups, str):
        groups = {topic: "a" if groups == "one" or i % 2 else "b" for i, topic in enumerate(matrix.topics)}
    with pytest.raises((cf.ArgumentError, cf.DataError)) as error:
        cf.compare(matrix, **{**settings, "topic_groups": groups})
    assert message in str(error.value)


def test_bad_lines_are_named(tmp_path: Path) -> None:
    file = tmp_path / "groups.txt"
    file.write_text("31_1 31\n31_2\n31_1 32\n")
    with pytest.raises(cf.FileError) as error:
        read_topic_groups(file)
    assert "groups.txt:2: expected a topic and its group, found 1 field: '31_2'" in str(error.value)
    assert "topic '31_1' already belongs to group '31'" in str(error.value)


@pytest.mark.slow
@pytest.mark.parametrize("test", ["max-t", "randomisation", "t"])
def test_the_level_holds_where_topics_depend_on_each_other(test: str) -> None:
    """A design effect of about 3: by topics every test rejects far too often, by groups it does not."""
    rng = np.random.default_rng(8)
    trials, rejected = 120, np.zeros(2)
    for trial in range(trials):
        matrix, groups = clustered(rng, groups=40, sizes=(2, 4, 6), m=3)
        for k, own in enumerate((groups, None)):
            found = cf.compare(matrix, test=test, topic_groups=own, n_resamples=499, seed=trial)
            rejected[k] += found.significant.any()
    assert rejected[0] / trials <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / trials)
    assert rejected[1] / trials > 0.15
