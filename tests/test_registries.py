"""Adding a thing of any kind is one file: a dummy of each, registered for a while, works through the library."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import polars as pl
import pytest

from cranfield import (
    ArgumentError,
    ScoreMatrix,
    Scores,
    UnknownNameError,
    adjust,
    compare,
    design_anova,
    design_interval,
    make_scores,
    read_scores,
    write_scores,
)
from cranfield.collection.formats import COLLECTION_FORMATS, documented
from cranfield.core import formats as output_formats
from cranfield.core.answer import answer
from cranfield.core.charts import chart
from cranfield.core.defaults import CorrectionName, TestName
from cranfield.core.formats import FORMATS as OUTPUT_FORMATS
from cranfield.core.registry import Registry
from cranfield.questions.compare import corrections
from cranfield.questions.compare import tests as compare_tests
from cranfield.questions.compare.corrections import CORRECTIONS, Correction
from cranfield.questions.compare.tests import TESTS, PValues, SignificanceTest
from cranfield.questions.design import designs
from cranfield.questions.design.anova import RULES as ANOVA_RULES
from cranfield.questions.design.asked import design_of
from cranfield.questions.design.designs import DESIGNS
from cranfield.questions.design.result import Design, DesignKind, Variant
from cranfield.questions.design.ttest import RULES as T_RULES
from cranfield.questions.variance import estimators
from cranfield.questions.variance.estimate import estimate_variance, pool_variances
from cranfield.questions.variance.estimators import ESTIMATORS, Estimator
from cranfield.questions.variance.variances import variances
from cranfield.scores import formats as score_formats
from cranfield.scores.formats import FORMATS, ScoreFormat
from cranfield.scores.formats.tools import LongColumns
from cranfield.web.server import page as pages

REGISTRIES: dict[str, Registry] = {
    "test": TESTS,
    "correction": CORRECTIONS,
    "estimator": ESTIMATORS,
    "design": DESIGNS,
    "score format": FORMATS,
    "run or qrels format": COLLECTION_FORMATS,
    "output format": OUTPUT_FORMATS,
}
DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = [
    ("compare.md", "test | what it is | assumes", compare_tests.table()),
    ("compare.md", "correction | what it does | controls", corrections.table()),
    ("design.md", "estimator | what it holds | formula", estimators.table()),
    ("design.md", "design | what for | one of them is computed | methods | estimator", designs.table()),
    ("formats.md", "format | what it looks like | notes", score_formats.table()),
    ("formats.md", "format | runs and judgments | notes", documented()),
    ("formats.md", "format | what it is | endings | where it goes", output_formats.documented()),
    ("page.md", "place | page | address | asks | in the API", pages.documented()),
]
HEAVY = {"numpy", "polars", "scipy", "pandas", "altair"}
SCORES = make_scores(12, 3, seed=1)
PAST = make_scores(12, 6, seed=1)


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


def test_editors_complete_what_the_registries_have() -> None:
    assert get_args(TestName) == TESTS.names
    assert get_args(CorrectionName) == CORRECTIONS.names


@pytest.mark.parametrize("kind", [kind for kind in REGISTRIES if kind != "design"])
def test_listing_loads_no_numerical_library(kind: str) -> None:
    """Help texts list them all but designs, each of which is a command."""
    registry = REGISTRIES[kind]
    code = (
        f"import sys, {registry.folder} as folder; from cranfield.core.registry import Registry\n"
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


def test_a_test_is_one_entry() -> None:
    def run(scores, pairs, how, alpha):
        return PValues(np.full(len(pairs), 0.25), 0.0, exact=False, n_resamples=0)

    dummy = SignificanceTest("dummy", "dummy test", "says .25 whatever the scores", "nothing", run)
    with TESTS.temporarily(dummy):
        result = compare(SCORES, test="dummy", correction="none")
        assert result.p.tolist() == [0.25] * 3
        assert result.signature.startswith("dummy test;")
        assert result.interval == "paired t interval"
        alone = compare(SCORES, test="t", correction="none", intervals="pairwise")
        assert (np.minimum(alone.lower, 0) >= result.lower - 1e-12).all()
        with pytest.raises(UnknownNameError, match="unknown test 'dumy'. Did you mean 'dummy'?"):
            compare(SCORES, test="dumy")
        with pytest.raises(ArgumentError, match="^test 'dummy' compares means only. For statistic 'median' use one of"):
            compare(SCORES, test="dummy", statistic="median")
    itself = replace(dummy, corrects_family=True)
    with TESTS.temporarily(itself):
        result = compare(SCORES, test="dummy")
        assert (result.correction, result.correction_text()) == ("none", "family-wise")
        assert result.interval == "simultaneous interval of the dummy test"
        assert result.power_row()["uncorrected"] is None
        with pytest.raises(ArgumentError, match="cannot be added to dummy"):
            compare(SCORES, test="dummy", correction="holm")
    cautious = replace(dummy, cautions=lambda result, each: ["beware"])
    with TESTS.temporarily(cautious), pytest.warns(match="beware"):
        assert compare(SCORES, test="dummy").warnings == ("beware",)


def test_a_test_of_any_statistic_is_offered_where_others_cannot() -> None:
    dummy = replace(TESTS["randomisation"], name="dummy", rank=1000)
    with TESTS.temporarily(dummy), pytest.raises(ArgumentError, match=r"randomised-tukey, dummy\.$"):
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
            match=r"smallest possible p is 0.05 times 2 \(3 comparisons, doubled\), above 0.05. Use at least 39"
        ):
            compare(SCORES, test="bootstrap-t", correction="dummy", n_resamples=19)
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
        assert design_anova(doubled, 5, 0.1, published=True).rows["estimator"].to_list() == ["dummy"]
        with pytest.raises(UnknownNameError, match="unknown estimator 'dumy'. Did you mean 'dummy'?"):
            estimate_variance(SCORES, "dumy")
        said = answer(variances({"past": SCORES}))
        assert said.sheet().notes[0].endswith(" and dummy do not.")
        drawn = chart(said.charts[0].source, "estimators").to_dict()["layer"][0]["encoding"]["y"]["sort"]
        assert sorted(drawn) == sorted(ESTIMATORS)
    of_scores = Estimator("dummy", "the first system's", "σ_1²", False, of_scores=lambda x: x[:, 0].var(ddof=1))
    with ESTIMATORS.temporarily(of_scores):
        estimate = estimate_variance(SCORES, estimator="dummy")
        assert estimate.variance == pytest.approx(SCORES.values[:, 0].var(ddof=1))
        assert estimate.lower is None
    with (
        ESTIMATORS.temporarily(replace(dummy, of_squares=None)),
        pytest.raises(ArgumentError, match="without a function"),
    ):
        estimate_variance(SCORES, estimator="dummy")


def solve_design(kind, variance=None, *, variance_of_difference=None, variant=None, alpha=0.05, **asked):
    """A design by its name, as a page chooses it."""
    entry = DESIGNS[kind]
    return design_of(entry, entry.variant(variant), variance, variance_of_difference, None, alpha=alpha, **asked)


def test_a_design_is_one_entry() -> None:
    def five(variance, *, alpha, method, n_topics=None):
        rows = pl.DataFrame({"variance": [float(one) for one in variance], "topics": 5})
        return Design("dummy design", "topics", rows)

    plain = Variant("dummy design", "Holds never.", "within", False, five)
    halved = replace(plain, option="halved", of_difference=True)
    dummy = DesignKind("dummy", "five topics, whatever the question", ("n_topics",), ("exact",), (plain, halved))
    with DESIGNS.temporarily(dummy):
        assert solve_design("dummy", [0.25, 0.5]).rows["variance"].to_list() == [0.25, 0.5]
        assert solve_design("dummy", [0.25], variant="halved").rows["variance"].to_list() == [0.5]
        assert solve_design("dummy", variance_of_difference=[0.5]).rows["variance"].to_list() == [0.25]
        with pytest.raises(UnknownNameError, match="unknown design 'dumy'. Did you mean 'dummy'?"):
            solve_design("dumy", 0.25)


def test_designs_by_name_are_the_designs() -> None:
    estimate = estimate_variance(PAST, "residual")
    blocked = solve_design("anova", estimate, n_systems=5, min_diff=0.1, epsilon="past")
    assert blocked.rows.equals(design_anova(estimate, 5, 0.1, epsilon="past").rows)
    asked = {"n_systems": 5, "min_diff": 0.1, "width": 0.2}
    for kind in DESIGNS.values():
        for variant in kind.variants:
            arguments = {name: asked[name] for name in kind.asks if name in asked}
            for method in kind.methods:
                found = solve_design(kind.name, 0.04, variant=variant.option, method=method, **arguments)
                assert (found.what, found.solved_for) == (variant.title, "topics")
                within = estimate_variance(PAST, "within")
                other = solve_design(kind.name, within, variant=variant.option, method=method, **arguments)
                assert other.rows["estimator"].to_list() == ["within"]
            assert variant.estimator in ESTIMATORS
    assert DESIGNS["anova"].methods == tuple(ANOVA_RULES)
    assert DESIGNS["ttest"].methods == tuple(T_RULES)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "anova", "variant": "two_sample"}, "unknown form of anova 'two_sample'. Known: published."),
        ({"kind": "ttest", "variance": 1, "min_diff": 1, "method": "approximate"}, "`method` of a t-test design must be exact or published; got 'approximate'."),
        ({"kind": "ttest"}, "give one of `variance` and `variance_of_difference`; got neither."),
        ({"kind": "ttest", "variance": 1, "variance_of_difference": 2}, "give one of `variance` and `variance_of_difference`; got both."),
        ({"kind": "anova", "variance_of_difference": 2}, "`variance_of_difference` is for designs about two systems. Give `variance` to anova."),
        ({"kind": "ttest", "variance": "x", "min_diff": 0.1}, "`variance` must be a number; got 'x'."),
    ],
)  # fmt: skip
def test_designs_by_name_refuse(arguments: dict, message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        solve_design(**arguments)
    assert str(error.value) == message


def test_a_score_format_is_one_entry(tmp_path: Path) -> None:
    """Lines "topic=value" of one run and one measure, after a line with a mark."""

    def read_run(file):
        pairs = [line.split("=") for line in file.text.decode().splitlines()[1:]]
        return LongColumns([topic for topic, _ in pairs], ["AP"] * len(pairs), [float(value) for _, value in pairs])

    def write(scores, path):
        for system, values in zip(scores["AP"].systems, scores["AP"].values.T.tolist(), strict=True):
            lines = [f"{topic}={value!r}\n" for topic, value in zip(scores["AP"].topics, values, strict=True)]
            Path(path, f"{system}.out").write_text("DUMMY\n" + "".join(lines))

    dummy = ScoreFormat(
        "dummy", "lines topic=value", lambda file: file.data.startswith(b"DUMMY"), read_run=read_run, write=write
    )
    x = Scores([ScoreMatrix([[0.1, 1 / 3], [0.5, 0.25]], ["301", "302"], ["a", "b"], "AP")])
    with FORMATS.temporarily(dummy):
        write_scores(x, tmp_path, layout="dummy")
        assert read_scores(tmp_path) == read_scores(tmp_path, format="dummy") == x
        with pytest.raises(UnknownNameError, match="unknown score format 'dumy'. Did you mean 'dummy'?"):
            read_scores(tmp_path, format="dumy")
        with pytest.raises(UnknownNameError, match="unknown layout 'dumy'. Did you mean 'dummy'?"):
            write_scores(x, tmp_path, layout="dumy")
    with pytest.raises(UnknownNameError, match="unknown layout 'parquet'. Known: wide, long, trec_eval, nev."):
        write_scores(x, tmp_path, layout="parquet")
    with FORMATS.temporarily(replace(dummy, read_run=None)), pytest.raises(ArgumentError, match="without a reader"):
        read_scores(tmp_path)
    with (
        FORMATS.temporarily(replace(dummy, write=None)),
        pytest.raises(UnknownNameError, match="unknown layout 'dummy'"),
    ):
        write_scores(x, tmp_path, layout="dummy")


# ── in every skin ──────────────────────────────────────────────────────────────────────────────────────────────────

DUMMIES = {
    "test": replace(TESTS["t"], name="dummy", rank=1000),
    "correction": replace(CORRECTIONS["holm"], name="dummy", rank=1000),
    "estimator": replace(ESTIMATORS["within"], name="dummy", rank=1000),
    "score format": replace(FORMATS["long"], name="dummy", rank=1000),
    "design": replace(DESIGNS["interval"], name="dummy", rank=1000),
    "output format": replace(OUTPUT_FORMATS["csv"], name="dummy", endings=(".dummy",), label="Dummy", rank=1000),
}
TABLES = {
    "test": compare_tests.table,
    "correction": corrections.table,
    "estimator": estimators.table,
    "score format": score_formats.table,
    "design": designs.table,
    "output format": output_formats.documented,
}
OPTIONS = [
    ("test", ["compare"], "--test"),
    ("test", ["leaderboard"], "--test"),
    ("correction", ["compare"], "--correction"),
    ("estimator", ["variance"], "--estimator"),
    ("estimator", ["design", "anova"], "--estimator"),
    ("score format", ["convert"], "--input-format"),
    ("score format", ["convert"], "--layout"),
    ("output format", ["compare"], "--format"),
    ("output format", ["design", "anova"], "--format"),
]
FIELDS = [("test", "/compare", "test"), ("correction", "/compare", "correction"), ("estimator", "/design", "estimator")]


def typed(*words: str) -> str:
    from click.testing import CliRunner

    from cranfield.cli.main import app

    return " ".join(CliRunner().invoke(app, list(words)).output.split())


@pytest.mark.parametrize(("kind", "command", "option"), OPTIONS)
def test_the_command_line_offers_it(kind: str, command: list[str], option: str) -> None:
    help, file = typed(*command, "--help"), "none.csv"
    words = [*command, *([file] if len(command) == 1 else []), option, "dumy"]
    refusal = typed(*words)
    assert "dummy" not in help + refusal
    with REGISTRIES[kind].temporarily(DUMMIES[kind]):
        listed = typed(*command, "--help")
        assert "dummy" in listed.partition(option)[2]
        assert listed != help
        assert "dumy" in refusal
        assert "dummy" in typed(*words).replace("'dumy'", "")


@pytest.mark.parametrize(("kind", "address", "field"), FIELDS)
def test_the_page_offers_it(kind: str, address: str, field: str) -> None:
    from cranfield.web.server.app import create_app
    from web_page import HERE, Client

    with Client(create_app(), base_url=HERE) as client:
        query = "?data=sample" if address == "/compare" else ""
        assert 'value="dummy"' not in client.get(address + query).text
        with REGISTRIES[kind].temporarily(DUMMIES[kind]):
            html = client.get(address + query).text
            assert '<option value="dummy"' in html.partition(f'<select id="{field}"')[2].partition("</select>")[0]
            error = client.get(f"/api{address}?data=sample&{field}=dumy").json()["error"]
            assert "dummy" in error


def test_the_page_offers_the_output_format_for_download() -> None:
    from cranfield.web.server.app import create_app
    from web_page import HERE, Client

    asked = "variance_of_difference=0.04&kind=ttest&min_diff=0.1"
    with Client(create_app(), base_url=HERE) as client, OUTPUT_FORMATS.temporarily(DUMMIES["output format"]):
        assert ">Dummy<" in client.get(f"/design?{asked}").text
        file = client.get(f"/files/design/design.dummy?{asked}")
        assert file.text == client.get(f"/files/design/design.csv?{asked}").text
        assert "Did you mean &#39;dummy&#39;?" in client.get(f"/files/design/design.dumy?{asked}").text


def test_the_page_reads_the_score_format() -> None:
    from cranfield.web.server.app import create_app
    from web_page import HERE, Client

    def read(file, options):
        return [ScoreMatrix([[0.25, 0.5], [0.75, 1.0]], ["1", "2"], ["a", "b"], "AP")]

    dummy = ScoreFormat("dummy", "a dummy", lambda file: file.data.startswith(b"DUMMY"), read=read, tried=-1)
    with Client(create_app(), base_url=HERE) as client, FORMATS.temporarily(dummy):
        told = client.post("/api/data", files={"files": ("x.out", "DUMMY of any kind\n")}).json()
        assert told["measures"] == ["AP"]
        assert [file["systems"] for file in told["files"]] == [2]


@pytest.mark.parametrize("kind", DUMMIES)
def test_the_table_of_the_documentation_has_it(kind: str) -> None:
    before = TABLES[kind]()
    with REGISTRIES[kind].temporarily(DUMMIES[kind]):
        added = [row for row in TABLES[kind]() if row not in before]
    assert added
    assert all(row[0].split()[0] == "dummy" for row in added)


def test_a_question_about_a_design_is_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """A design brings its question along: a class of settings, and there is its command."""
    from cranfield.core import question as base
    from cranfield.questions.design.question import IntervalQuestion

    assert "dummy" not in typed("design", "--help")
    monkeypatch.setattr(base, "QUESTIONS", dict(base.QUESTIONS))
    type("DummyQuestion", (IntervalQuestion,), {"command": "design dummy", "brief": "A dummy.", "place": 999})
    assert "dummy A dummy." in typed("design", "--help")
    assert "--width" in typed("design", "dummy", "--help")


def test_a_design_is_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """A design and its question are all the page needs: a choice, what it finds, and an answer."""
    from cranfield.core import question as base
    from cranfield.questions.design.question import IntervalQuestion
    from cranfield.web.server.app import create_app
    from web_page import HERE, Client

    asked = "/api/design?kind=dummy&variance_of_difference=0.04&width=0.1"
    with Client(create_app(), base_url=HERE) as client:
        assert "dummy" not in client.get("/design").text
        assert "unknown kind 'dummy'" in client.get(asked).json()["error"]
        monkeypatch.setattr(base, "QUESTIONS", dict(base.QUESTIONS))
        type("DummyQuestion", (IntervalQuestion,), {"command": "design dummy", "brief": "A dummy.", "place": 999})
        with DESIGNS.temporarily(replace(DUMMIES["design"], label="do nothing at all")):
            html = client.get("/design").text
            assert (
                '<input type="radio" id="kind-dummy" name="kind" value="dummy"><label for="kind-dummy">do nothing'
                in html
            )
            assert ' dummy">how wide the interval will be' in html
            assert client.get(asked).json()["rows"][0]["topics"] == design_interval(0.04, 0.1).n_topics
