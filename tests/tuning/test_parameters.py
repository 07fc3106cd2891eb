"""Settings: what a label says, grids, and names by a pattern."""

from __future__ import annotations

import pytest

from cranfield import ArgumentError
from cranfield.questions.tune.parameters import NamePattern, Setting, grid, parse_setting


@pytest.mark.parametrize(
    ("label", "name", "parameters"),
    [
        ("bm25(k1=0.9,b=0.4)", "bm25", {"k1": 0.9, "b": 0.4}),
        ("bm25 ( k1 = 0.9 , b = .4 )", "bm25", {"k1": 0.9, "b": 0.4}),
        ("ql(mu=1000)", "ql", {"mu": 1000}),
        ("rm3(terms=10,stem=true,model=porter2)", "rm3", {"terms": 10, "stem": True, "model": "porter2"}),
        ("x(a=-1e-3)", "x", {"a": -0.001}),
        ("x(path=a=b)", "x", {"path": "a=b"}),
        ("x(a=nan)", "x", {"a": "nan"}),
        ("(a=1)", "", {"a": 1}),
        ("plain", "plain", {}),
        ("bm25()", "bm25()", {}),
        ("bm25(0.9)", "bm25(0.9)", {}),
        ("bm25(a=1,a=2)", "bm25(a=1,a=2)", {}),
        ("nDCG(tool=ntcir)@10", "nDCG(tool=ntcir)@10", {}),
    ],
)
def test_what_a_label_says(label: str, name: str, parameters: dict[str, object]) -> None:
    setting = parse_setting(label)
    assert (setting.name, dict(setting), setting.label) == (name, parameters, label)
    assert [type(value) for value in setting.values()] == [type(value) for value in parameters.values()]


def test_a_setting_reads_back() -> None:
    for setting in grid("bm25", k1=[0.9, 1.2], b=[0, 0.75], stem=[True], method=["lucene"]):
        assert parse_setting(setting.label) == setting
    assert str(Setting("ql")) == "ql"
    assert "mu" in Setting("ql", (("mu", 5),))
    with pytest.raises(KeyError):
        Setting("ql")["mu"]


def test_a_grid_holds_every_combination_in_order() -> None:
    assert [s.label for s in grid("x", a=[1, 2], b=["u", "v"])] == [
        "x(a=1,b=u)",
        "x(a=1,b=v)",
        "x(a=2,b=u)",
        "x(a=2,b=v)",
    ]


@pytest.mark.parametrize("values", [[], "abc", 3])
def test_a_bad_grid(values: object) -> None:
    with pytest.raises(ArgumentError) as caught:
        grid("x", a=values)  # type: ignore[arg-type]
    assert str(caught.value) == f"`a` must be a list with at least one value; got {values!r}."


@pytest.mark.parametrize(
    ("template", "label", "family", "parameters"),
    [
        ("{family}-mu{mu}", "ql-mu500", "ql", {"mu": 500}),
        ("{family}_k1{k1}_b{b}", "bm25_k10.9_b0.4", "bm25", {"k1": 0.9, "b": 0.4}),
        ("run.{lambda}.{}", "run.0.3.v2", None, {"lambda": 0}),
        ("a+b({x})", "a+b(7)", None, {"x": 7}),
    ],
)
def test_patterns(template: str, label: str, family: str | None, parameters: dict[str, object]) -> None:
    found = NamePattern(template).match(label)
    assert found is not None
    assert found[0] == family
    assert dict(found[1]) == parameters
    assert NamePattern(template).match("something else") is None


@pytest.mark.parametrize("template", ["ql", "{}", "{mu", "{m-u}", "ql}{mu}", "{{mu}}"])
def test_bad_patterns(template: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        NamePattern(template)
    assert str(caught.value) == (
        f"`pattern` must contain parameters in braces, each a plain word; got {template!r}. "
        "Write for example '{family}-mu{mu}'."
    )


def test_a_parameter_named_twice() -> None:
    with pytest.raises(ArgumentError) as caught:
        NamePattern("{a}-{a}")
    assert str(caught.value) == "`pattern` names a parameter twice: '{a}-{a}'. Name each once, or write {}."
