"""Adding a thing of any kind is one file: a dummy of each, registered for a while, works through the library."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from cranfield import (
    ArgumentError,
    UnknownNameError,
    adjust,
    compare,
    comparison,
    defaults,
    design_anova,
    make_scores,
    variance,
)
from cranfield.comparison.corrections import CORRECTIONS, Correction
from cranfield.comparison.resampled import Resampled
from cranfield.comparison.tests import TESTS, SignificanceTest
from cranfield.registry import Registry
from cranfield.variance import estimate_variance, pool_variances
from cranfield.variance.estimators import ESTIMATORS, Estimator

REGISTRIES: dict[str, Registry] = {"test": TESTS, "correction": CORRECTIONS, "estimator": ESTIMATORS}
DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = [
    ("compare.md", "test | what it is | assumes", comparison.tests.table()),
    ("compare.md", "correction | what it does | controls", comparison.corrections.table()),
    ("design.md", "estimator | what it holds | formula", variance.estimators.table()),
]
HEAVY = {"numpy", "polars", "scipy", "pandas", "altair"}
SCORES = make_scores(12, 3, seed=1)


@pytest.mark.parametrize("kind", REGISTRIES)
def test_every_entry_says_what_it_is(kind: str) -> None:
    registry = REGISTRIES[kind]
    assert registry.kind == kind
    assert len(registry) == len(registry.names) >= 3
    ranks = [entry.rank for entry in registry.values()]
    assert ranks == sorted(set(ranks)), "ranks order the lists; no two are equal"
    for name, summary in registry.table():
        assert registry[name].name == name
        assert 10 < len(summary) < 100
        assert "\n" not in summary
        assert not summary.endswith(".")


@pytest.mark.parametrize("kind", REGISTRIES)
def test_listing_loads_no_numerical_library(kind: str) -> None:
    registry = REGISTRIES[kind]
    code = (
        f"import sys, {registry.folder} as folder; from cranfield.registry import Registry\n"
        "(registry,) = [x for x in vars(folder).values() if isinstance(x, Registry)]\n"
        "assert registry.table()\n"
        "print(*sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not HEAVY & set(out)


@pytest.mark.parametrize("kind", REGISTRIES)
def test_a_name_is_taken_once_and_gone_after_its_block(kind: str) -> None:
    registry = REGISTRIES[kind]
    first = registry[registry.names[0]]
    with pytest.raises(ArgumentError, match=f"^{kind} '{first.name}' is registered already; choose another name.$"):
        registry.register(first)
    before = registry.names
    with registry.temporarily(replace(first, name="dummy", rank=1000)):
        assert registry.names == (*before, "dummy")
    assert registry.names == before
    assert "dummy" not in registry
    with pytest.raises(UnknownNameError) as error:
        registry["dummy"]
    assert error.value.known == before


@pytest.mark.parametrize(("page", "heading", "rows"), PAGES)
def test_the_page_has_every_row(page: str, heading: str, rows: list[tuple[str, ...]]) -> None:
    name, *others = heading.split(" | ")
    lines = [f"| {name} | {' | '.join(others)} |", "|---" * (len(others) + 1) + "|"]
    lines += [f"| `{row[0]}` | {' | '.join(row[1:])} |" for row in rows]
    assert "\n".join(lines) + "\n\n" in (DOCS / page).read_text(), "the table of the page should be:\n" + "\n".join(
        lines
    )


def test_the_closed_lists_of_the_skins_are_those_of_the_registries() -> None:
    lists = [(defaults.TestName, TESTS), (defaults.Correction, CORRECTIONS), (defaults.VarianceMethod, ESTIMATORS)]
    for choices, registry in lists:
        assert get_args(choices) == registry.names


def test_a_test_is_one_entry() -> None:
    def run(scores, pairs, how, alpha):
        return Resampled(np.full(len(pairs), 0.25), 0.0, exact=False, n_resamples=0)

    dummy = SignificanceTest("dummy", "dummy test", "says .25 whatever the scores", "nothing", run)
    with TESTS.temporarily(dummy):
        result = compare(SCORES, test="dummy", correction="none")
        assert result.p.tolist() == [0.25] * 3
        assert result.signature.startswith("dummy test;")
        assert result.interval == "paired t interval of the mean difference"
        assert np.array_equal(result.lower, compare(SCORES, test="t").lower)
        with pytest.raises(UnknownNameError, match="unknown test 'dumy'. Did you mean 'dummy'?"):
            compare(SCORES, test="dumy")
        with pytest.raises(ArgumentError, match="^test 'dummy' compares means only; for statistic 'median' use one of"):
            compare(SCORES, test="dummy", statistic="median")
    itself = replace(dummy, corrects_family=True, interval="dummy interval")
    with TESTS.temporarily(itself):
        result = compare(SCORES, test="dummy")
        assert (result.correction, result.correction_text()) == ("none", "family-wise")
        assert result.interval == "dummy interval"
        assert result.power_row()["uncorrected"] is None
        with pytest.raises(ArgumentError, match="cannot be added to dummy"):
            compare(SCORES, test="dummy", correction="holm")
    cautious = replace(dummy, cautions=lambda result, each: ["beware"])
    with TESTS.temporarily(cautious), pytest.warns(match="beware"):
        assert compare(SCORES, test="dummy").warnings == ("beware",)


def test_a_test_of_any_statistic_is_offered_where_others_cannot() -> None:
    dummy = replace(TESTS["randomisation"], name="dummy", rank=1000)
    with TESTS.temporarily(dummy), pytest.raises(ArgumentError, match="randomised-tukey, dummy$"):
        compare(SCORES, test="t", statistic="median")


def test_a_correction_is_one_entry() -> None:
    dummy = Correction(
        "dummy", "doubled", "twice the p-value, whatever the family", "nothing", lambda p: 2 * p, lambda family: 2
    )
    with CORRECTIONS.temporarily(dummy):
        assert adjust([0.75, 0.125, 0.25], correction="dummy").tolist() == [1.0, 0.25, 0.5]
        result = compare(SCORES, test="t", correction="dummy")
        assert np.array_equal(result.p_adjusted, np.minimum(1, 2 * result.p))
        assert "doubled p ≤ 0.05" in result.summary()
        with pytest.warns(
            match=r"smallest possible p is 0.05 times 2 \(3 comparisons, doubled\), above 0.05; use at least 39"
        ):
            compare(SCORES, correction="dummy", n_resamples=19)
        with pytest.raises(UnknownNameError, match="unknown correction 'dumy'. Did you mean 'dummy'?"):
            compare(SCORES, correction="dumy")


def test_an_estimator_is_one_entry() -> None:
    dummy = Estimator("dummy", "twice the residual variance", "2·V_E2", False, lambda s: 2 * s.mean_residual)
    with ESTIMATORS.temporarily(dummy):
        doubled, plain = estimate_variance(SCORES, estimator="dummy"), estimate_variance(SCORES, "residual")
        assert doubled.estimator == doubled.to_dict()["method"] == "dummy"
        assert doubled.variance == 2 * plain.variance
        np.testing.assert_allclose([doubled.lower, doubled.upper], [2 * plain.lower, 2 * plain.upper], rtol=1e-12)
        assert pool_variances([doubled, doubled]).variance == pytest.approx(doubled.variance)
        assert design_anova(doubled, 5, 0.1).rows["estimator"].to_list() == ["dummy"]
        with pytest.raises(UnknownNameError, match="unknown estimator 'dumy'. Did you mean 'dummy'?"):
            estimate_variance(SCORES, "dumy")
    of_covariance = Estimator("dummy", "the first system's", "σ_1²", False, of_covariance=lambda c: c[0, 0])
    with ESTIMATORS.temporarily(of_covariance):
        estimate = estimate_variance(SCORES, estimator="dummy")
        assert estimate.variance == pytest.approx(SCORES.values[:, 0].var(ddof=1))
        assert estimate.lower is None
    with (
        ESTIMATORS.temporarily(replace(dummy, of_squares=None)),
        pytest.raises(ArgumentError, match="without a function"),
    ):
        estimate_variance(SCORES, estimator="dummy")
