"""docs/validation.md: its tables are those of docs/validation.json, and what it promises is within chance of them."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.stats import binom

from cranfield import compare, estimate_variance, reliability
from cranfield.core.answer import every_sentence
from cranfield.core.resampling import TOPICS, blocks, draw_weights
from cranfield.questions.compare.family import GridScores, all_pairs
from cranfield.questions.compare.intervals import inverted
from cranfield.questions.compare.max_t import max_t, rank_intervals_by_max_t
from cranfield.questions.compare.resampled import Resampling

DOCS = Path(__file__).resolve().parents[1] / "docs"


def load(name: str) -> ModuleType:
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(DOCS))


VALIDATE = load("validate")
TESTS, DESIGNS = load("fast_tests"), load("fast_designs")
KEPT = VALIDATE.stored()
PAGE = (DOCS / "validation.md").read_text()


def test_every_promise_was_measured_and_stands_on_the_page() -> None:
    assert set(KEPT) == set(VALIDATE.PROMISES)
    for name, kept in KEPT.items():
        assert f"## {name}\n" in PAGE
        marked = re.search(rf"<!-- validated {name} -->\n(.*?)\n<!-- /validated -->", PAGE, re.DOTALL)
        assert marked is not None, name
        assert marked[1] == VALIDATE.block(name, kept), f"python docs/validate.py {name} --write"
    summary = re.search(r"<!-- validated summary -->\n(.*?)\n<!-- /validated -->", PAGE, re.DOTALL)
    assert summary is not None
    assert summary[1] == VALIDATE.summary(KEPT)


def test_a_table_has_a_row_for_every_cell() -> None:
    rows = [{"population": "x", "cell": "25 topics", "trials": 2000, "values": {"held": 0.9505, "width": 1.25}}]
    assert VALIDATE.table(rows).splitlines() == [
        "| population | cell | trials | held | width |",
        "|:--|:--|--:|--:|--:|",
        "| x | 25 topics | 2,000 | .951 | 1.25 |",
    ]


def test_cells_draw_for_themselves() -> None:
    first, second = (next(VALIDATE.draws(1, 1, "families", name)).random(5) for name in ("TREC-8 AP", "TREC-7 AP"))
    assert not np.allclose(first, second)
    assert np.array_equal(first, next(VALIDATE.draws(1, 1, "families", "TREC-8 AP")).random(5))


CHANCE = 1e-4
"""A cell may pass the limit of its promise by as much as happens by chance with this probability, if the limit is true:
there are about 500 cells, so that one of twenty runs of all of them would fail."""


def broken(rows: list[dict], limit: object) -> list[str]:
    """The cells that pass the limit by more than chance: exact binomial probabilities at the limit itself."""
    found = []
    for row in rows:
        if limit.column not in row["values"]:  # type: ignore[attr-defined]
            continue
        share, trials = row["values"][limit.column], row["trials"]  # type: ignore[attr-defined]
        hits = round(share * trials)
        low = binom.cdf(hits, trials, limit.low) if limit.low else 1.0  # type: ignore[attr-defined]
        high = binom.sf(hits - 1, trials, limit.high) if limit.high < 1 else 1.0  # type: ignore[attr-defined]
        if min(low, high) < CHANCE:
            found.append(f"{row['population']}, {row['cell']}: {limit.column} {share:.3f} of {trials}")  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize("name", VALIDATE.PROMISES)
def test_what_was_measured_keeps_what_is_promised(name: str) -> None:
    assert VALIDATE.PROMISES[name].limits
    for limit in VALIDATE.PROMISES[name].limits:
        assert any(limit.column in row["values"] for row in KEPT[name]["rows"]), limit
        assert broken(KEPT[name]["rows"], limit) == []


def test_a_broken_promise_is_found() -> None:
    limit = VALIDATE.Limit("held", low=0.93)
    rows = [{"population": "x", "cell": "y", "trials": 1000, "values": {"held": share}} for share in (0.88, 0.92, 0.95)]
    assert broken(rows, limit) == ["x, y: held 0.880 of 1000"]
    assert broken(rows, VALIDATE.Limit("held", high=0.90)) == ["x, y: held 0.950 of 1000"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
@pytest.mark.parametrize("name", VALIDATE.PROMISES)
def test_a_short_form_of_every_promise(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Synthetic populations alone, with a seed that the page does not use: the promise holds, but for chance."""
    monkeypatch.setattr(VALIDATE, "MATRICES", DOCS / "no matrices here")
    for module in ("validate_tests", "validate_designs"):
        monkeypatch.setattr(sys.modules[module], "MATRICES", DOCS / "no matrices here")
    trials = {"gate": 4000, "monitor": 2000, "bayes": 50, "sizes": 1000, "reliability": 1000}.get(name, 200)
    rows = [{"population": one.population, "cell": one.cell, "trials": one.trials, "values": one.values}
            for one in VALIDATE.PROMISES[name].run(trials, 2)]  # fmt: skip
    assert rows
    for limit in VALIDATE.PROMISES[name].limits:
        assert broken(rows, limit) == []


# ── the simulators are cranfield's methods ────────────────────────────────────────────────────────────────


def skewed(n: int, m: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(0.4, 0.1, (n, 1)) + rng.gamma(2, 0.05, (n, m)) + 0.01 * np.arange(m)


def test_the_fast_max_t_is_that_of_compare() -> None:
    x, pairs = skewed(50, 12, 1), all_pairs(12)
    scores, how = GridScores.of(x), Resampling(n_resamples=399, seed=4, percentiles=False)
    theirs = max_t(scores, pairs, how, 0.05).maximum
    assert theirs is not None
    weights = draw_weights(next(iter(blocks(399))).generator(4, TOPICS), 399, 50) / 50
    mine = TESTS.max_t(x, pairs.a, pairs.b, weights, 0.05, each=True)
    assert mine.statistic == pytest.approx(theirs.statistic, abs=1e-9)
    assert mine.critical == pytest.approx(theirs.critical(0.05), rel=1e-5)
    lower, upper, _ = rank_intervals_by_max_t(scores, how, 0.05, theirs.apart)
    assert [one.tolist() for one in TESTS.ranks(mine, pairs.a, pairs.b, 12)] == [lower.tolist(), upper.tolist()]


def test_the_fast_intervals_and_probabilities_are_those_of_compare() -> None:
    for seed in range(4):
        x, pairs = skewed(40, 8, seed), all_pairs(8)
        found = compare(VALIDATE.scores_of(x), test="t", margin=0.01)
        view = found.posterior()
        a, b = ([int(name[1:]) for name in names] for names in (found.system_a, found.system_b))
        mine = TESTS.probabilities(x, np.array(a), np.array(b), 0.01)
        for one, other in zip(mine, (view.better, view.within, view.worse), strict=True):
            assert one == pytest.approx(other, abs=1e-9)
    d = x[:, pairs.a] - x[:, pairs.b]
    ends = inverted(GridScores.of(x), pairs, Resampling(n_resamples=39_999, seed=3), 0.05)
    many = TESTS.signs(40, 39_999).next(np.random.default_rng(2))
    for one, other in zip(TESTS.inverted(d, many, 0.05), ends, strict=True):
        assert np.abs(one - other).max() < 0.03 * np.ptp(ends)


def test_the_fast_jackknives_are_those_of_variance_and_reliability() -> None:
    x = skewed(30, 9, 3) + np.linspace(0, 0.3, 9)
    scores = VALIDATE.scores_of(x)
    found, mine = estimate_variance(scores, "residual"), DESIGNS.variance(x[None])
    ends = np.exp(mine.log + np.array([-1, 1]) * mine.ends(0.975))
    assert ends == pytest.approx([found.lower, found.upper])
    assert np.exp(mine.log + mine.ends(0.8))[0] == pytest.approx(found.assured(0.8).variance)
    fast = DESIGNS.relative(x[None], 0.05)
    for what, coefficient, kind in (("Eρ², jackknife", "erho2", "jackknife"), ("Eρ², Feldt", "erho2", "normal"),
                                    ("Φ, Arteaga", "phi", "normal")):  # fmt: skip
        theirs = reliability(scores, intervals=kind).ratio(coefficient)
        assert [one[0] for one in fast[what]] == pytest.approx([theirs.lower, theirs.upper])


# ── every claim leads to its row ──────────────────────────────────────────────────────────────────────────

CLAIMS = re.compile(
    r"differ significantly|significant difference between|equivalent within|may be the best|best system is one of|"
    r"τ lies in|assurance\.|is better than|not worse than|is worse than|power is about|[Ee]xpect \{mean|has reliability|"
    r"[Ee]quivalent to each other|pairs differ|lose at most|decided; \{|with power about"
)
"""What a sentence says that speaks of more than the topics at hand."""


def slug(heading: str) -> str:
    """How a page is linked to: GitHub's anchors."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def test_every_claim_leads_to_what_was_measured() -> None:
    sentences = every_sentence()
    unlinked = {name for name, one in sentences.items() if CLAIMS.search(one.template) and not one.links}
    assert unlinked == set()
    for one in sentences.values():
        for link in one.links:
            page, section = link.split("#")
            text = (DOCS / page).read_text()
            assert section in {slug(line.lstrip("#")) for line in text.splitlines() if line.startswith("#")}, link
            if page == "validation.md" and section in VALIDATE.PROMISES:
                assert f"<!-- validated {section} -->" in text
