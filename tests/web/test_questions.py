"""Addresses to questions and back; what cannot be read is said in words."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core.options import QueryError
from cranfield.web.server.page import Form, pages
from web_page import Client


def of(page: str, address: str) -> Any:
    return pages()[page].question.from_query(parse_qsl(address, keep_blank_values=True))


def test_commas_and_repetition_mean_the_same_and_blanks_nothing() -> None:
    one = of("design", "systems=10&systems=20&min_diff=0.1&topics=&power=")
    two = of("design", "systems=10, 20&min_diff=0.1")
    assert one == two
    assert one.n_systems == (10, 20)
    assert one.n_topics is None


def test_the_names_of_the_command_line_and_of_python_mean_the_same() -> None:
    one, two = of("compare", "data=x&resamples=500"), of("compare", "data=x&n_resamples=500")
    assert one == two
    assert one.query() == [("data", "x"), ("resamples", "500")]


def test_a_system_with_commas_in_its_name_stays_whole() -> None:
    assert of("compare", "data=x&baseline=bm25(k1=0.9,b=0.4)").baseline == ("bm25(k1=0.9,b=0.4)",)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("power=high", "`power` must be a number; got 'high'."),
        ("systems=2.5", "`systems` must be a whole number; got '2.5'."),
        ("variance=inf", "`variance` must be a number; got 'inf'."),
        ("min_diff=" + ",".join(["0.1"] * 13), "`min_diff` takes at most 12 values."),
        ("measure=" + "x" * 201, "`measure` is too long; at most 200 characters."),
    ],
)
def test_what_cannot_be_read_is_said_in_words(address: str, message: str) -> None:
    with pytest.raises(QueryError) as caught:
        of("design", address)
    assert str(caught.value) == message


def test_a_missing_setting_is_named() -> None:
    with pytest.raises(QueryError) as caught:
        of("compare", "test=t")
    assert str(caught.value) == "`data` is missing."


numbers = st.lists(st.integers(1, 999_999_999).map(lambda k: k / 10**9), min_size=1, max_size=4)
names = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=50).filter(str.strip)


@given(
    kind=st.sampled_from(["anova", "ttest", "interval"]),
    variance=st.none() | numbers,
    n_systems=st.none() | st.lists(st.integers(2, 500), min_size=1, max_size=5),
    alpha=numbers,
    published=st.booleans(),
    data=st.none() | names.map(str.strip),
)
def test_a_question_survives_its_address(**settings: Any) -> None:
    question = pages()["design"].question(**settings)
    assert of("design", urlencode(question.query())) == question


def test_every_page_reads_its_own_settings() -> None:
    """The usual values, spelled out one by one, ask the same as an address without them."""
    for page in pages().values():
        required = [one for one in page.parameters if one.required]
        needed = [(one.spelling, "2" if one.kind in (int, float) else f"x{k}") for k, one in enumerate(required)]
        needed += [("margin", "0.1")] if page.name == "gate" else []
        usual = page.question.from_query(needed)
        for one in page.parameters:
            if one.required or one.default is None:
                continue
            values = one.default if one.several else [one.default]
            if one.several and one.choices:  # ticked boxes come in the order of the boxes
                values = sorted(values, key=one.choices.index)
            said = [(one.spelling, str(value).lower() if one.kind is bool else str(value)) for value in values]
            assert page.question.from_query([*needed, *said]) == usual, (page.name, one.name)


def test_hints_speak_of_boxes_and_not_of_options() -> None:
    settings = {(page.name, one.spelling): one for page in pages().values() for one in page.parameters}
    target, baseline, test = (
        Form(pages()["compare"], []).help(settings[key])
        for key in [("reliability", "target"), ("compare", "baseline"), ("compare", "test")]
    )
    assert target == "Target reliability; use commas for several."
    assert baseline == "Compare every other system with this one."  # names may hold commas, and a list has one choice
    assert test == "Significance test.", "a command is nothing to type on a page"
    assert "&lt;b&gt;" in Form(pages()["compare"], []).help(replace(settings["compare", "test"], help="<b>"))


# ── words of the page ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_page_speaks_of_its_own_fields(client: Client) -> None:
    shown = client.get("/gate?data=sample&baseline=alder-1&candidate=birch-1&start=yes").text
    assert (
        "no margin given. Set “Margin” in units of the measure, such as 0.01, or require a gain with “Better”."
    ) in shown
    asked = client.get("/api/gate?data=sample&baseline=alder-1&candidate=birch-1").json()["error"]
    assert "Set `margin`" in asked, "the API by the names of its parameters"
    shown = client.get("/design?kind=interval&variance_of_difference=0.04&width=wide").text
    assert "“Width of the interval (δ)” must be a number; got &#39;wide&#39;." in shown


@pytest.mark.parametrize("name", [one.name for one in pages().values() if one.place is not None])
def test_no_hint_speaks_of_commands_or_options(client: Client, name: str) -> None:
    page = pages()[name]
    for one in page.parameters:
        said = page.on_form(one.help)
        assert "`cranfield" not in said, said
        assert not re.search(r"(?<![\w-])--[a-z]", said), said


def test_alike_warnings_are_one_on_the_page(client: Client) -> None:
    files = [("files", ("qrels.txt", "".join(f"{t} 0 d{t} 1\n" for t in range(1, 7))))]
    for run in range(8):
        lines = [f"{t} Q0 d{t} 1 1.0 r{run}\n" for t in range(1, 7) if t != run % 3 + 1]
        files.append(("files", (f"r{run}.run", "".join(lines))))
    id = client.post("/api/data", files=files).json()["id"]
    listed = client.get(f"/api/data/{id}").json()["warnings"]
    assert len(listed) == 8, "the API lists all"
    shown = client.get(f"/data/{id}").text
    told = re.findall(r"<li>(.*?)</li>", shown.partition('class="warnings"')[2].partition("</ul>")[0])
    assert [text for text in told if "no document for" in text] == [
        "r0, r3, r6: no document for 1 of 6 topics, scored 0: 1",
        "r1, r4, r7: no document for 1 of 6 topics, scored 0: 2",
        "r2, r5: no document for 1 of 6 topics, scored 0: 3",
    ]


def test_problems_of_files_speak_of_the_form_that_takes_them(client: Client) -> None:
    id = client.post("/api/data", files={"files": ("h.AP.csv", "topic,a,b\n1,0.1,\n2,0.3,0.4\n")}).json()["id"]
    shown = client.get(f"/data/{id}").text
    assert "“A missing score means: 0” (count as 0)" in shown
    assert "missing=" not in shown
    assert '<label for="missing">A missing score means</label>' in client.get("/data").text
