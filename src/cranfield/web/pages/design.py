"""How many topics: a recommendation from past scores, or one design by every method and estimator side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.answer import answer
from cranfield.core.errors import ArgumentError, quietly
from cranfield.core.executors import Progress
from cranfield.core.options import Setting, setting
from cranfield.core.question import Page, Place, Question, questions
from cranfield.questions.design.designs import DESIGNS
from cranfield.questions.design.question import AnovaQuestion, IntervalQuestion, PairsQuestion, TtestQuestion
from cranfield.questions.design.result import DesignKind
from cranfield.questions.recommend.question import RecommendQuestion
from cranfield.web.server.data import Dataset
from cranfield.web.server.outcome import Outcome, ask_library, imports, read_lines
from cranfield.web.server.page import OfData, answers, data

FINDS = {
    "topics": "how many topics I need",
    "min_diff": "what difference my topics detect",
    "power": "what power my topics have",
    "systems": "how many systems my topics can compare",
    "width": "how wide the interval will be",
}
"""Quantities to solve for, as the form offers them."""
LABELS = {
    "variance": "Residual variance (σ²)",
    "variance_of_difference": "Variance of the difference of two systems (σₜ²)",
    "estimator": "Estimated by",
    "min_diff": "Smallest difference worth detecting (minD)",
    "width": "Width of the interval (δ)",
    "n_topics": "Topics I have",
    "baseline": "Compare with a baseline only",
    "published": "The papers' one-way design",
    "two_sample": "The two systems have different topics",
}
MOST_CELLS = 1_000
RECOMMEND = "recommend"
"""The task that past scores answer by all designs at once, see `recommend`."""
NEXT = {"systems": f"{defaults.NEXT_SYSTEMS}", "min_diff": f"{defaults.NEXT_MIN_DIFF:.2f}"}
EXAMPLE = {"kind": "pairs", "find": "topics", "variance_of_difference": "0.0250", **NEXT, "power": "0.80"}
"""AP of TREC's Robust tracks: twice the residual variance."""


def designs() -> dict[str, DesignKind]:
    """The registered designs that have a question."""
    known = questions()
    return {name: DESIGNS[name] for name in DESIGNS if f"design {name}" in known}


def offered() -> dict[str, Any]:
    """What the form offers, and which designs each part of it is for: names with blanks between them."""
    parts: dict[str, list[str]] = {name: [] for name in (*FINDS, "baseline", "published", "two_sample")}
    parts |= {"variance": [], "variance_of_difference": []}
    for name, kind in designs().items():
        variance = "variance_of_difference" if kind.pairwise else "variance"
        for part in {*_sought(kind), *(one.option for one in kind.variants if one.option), variance}:
            parts[part].append(name)
    tasks = {RECOMMEND: "plan the next collection", **{name: kind.label or name for name, kind in designs().items()}}
    kinds = {part: " ".join(names) for part, names in parts.items()}
    for part in ("topics", "systems", "min_diff", "power", "baseline"):
        kinds[part] += f" {RECOMMEND}"
    return {"tasks": tasks, "finds": FINDS, "kinds": kinds, "recommend": RECOMMEND, "designs": " ".join(designs())}


def _sought(kind: DesignKind) -> dict[str, str]:
    """What a design can find: the words of addresses, and the names of the settings."""
    return {name.removeprefix("n_"): name for name in kind.asks}


@dataclass(frozen=True, kw_only=True)
class DesignForm(PairsQuestion, AnovaQuestion, TtestQuestion, IntervalQuestion, RecommendQuestion, OfData):  # type: ignore[misc]
    """How many topics, or what that many topics can do: the settings of all designs on one page."""

    by_one_measure: ClassVar[bool] = False
    page = Page(
        name="design",
        title="How many topics?",
        place=Place.PLAN,
        order=10,
        heading="How many topics?",
        doing="Designing",
        nothing="",
        brief="Number of topics, or what a given number can detect. Repeat a parameter, or use commas, for a grid.",
        example=EXAMPLE,
        example_of_data={"kind": RECOMMEND, **NEXT},
        template="design.html",
    )

    kind: str = setting(
        "pairs",
        "recommend: all designs side by side, from data; pairs: which of many systems differ; anova: whether any do; "
        "ttest: two systems; interval: width of an interval.",
        choices=lambda: (RECOMMEND, *designs()),
        first=True,
        label="Task",
    )
    find: str | None = setting(
        None, "Quantity to solve for; by default the one left out. A value given for it is ignored.",
        choices=tuple(FINDS), label="What do you want to know?", first=True,
    )  # fmt: skip
    data: str | None = data(None, "Dataset to estimate the variance from, instead of a variance.")
    measure: str | None = shared.measure("Measure to use.", "all or the first in the data")
    method: str | None = setting(  # type: ignore[assignment]
        None, "Method; by default all of them side by side.", choices=defaults.names(defaults.DesignMethod)
    )

    @classmethod
    @cache
    def all(cls) -> tuple[Setting, ...]:
        """Every setting, named as the form names it; the assurance of one task is no chip of the others."""
        named = (replace(one, label=LABELS.get(one.name, one.label)) for one in super().all())
        return tuple(replace(one, more=True) if one.name == "assurance" else one for one in named)

    def recommendation(self) -> RecommendQuestion:
        """The question about all designs at once, which takes one value of each setting."""
        values = {}
        for one in RecommendQuestion.all():
            value = getattr(self, one.name)
            if isinstance(value, tuple):
                if len(value) > 1:
                    raise ArgumentError(
                        f"`{one.name}` must be one value here; got {len(value)}. Choose another `kind`."
                    )
                (value,) = value
            if value is None and one.required:
                raise ArgumentError(f"`{one.spelling}` is missing.")
            values[one.name] = one.default if value is None else value
        return RecommendQuestion(**values)

    def asked(self) -> dict[str, Any]:
        """The arguments of this kind of design, without the one to be found."""
        names, find = _sought(DESIGNS[self.kind]), self.find
        if find is not None and find not in names:
            raise ArgumentError(f"`find` must be one of {', '.join(names)} for {self.kind}; got {find}.")
        asked = {name: getattr(self, name) for name in names.values()}
        if find is not None:
            asked[names[find]] = None
            if asked["n_topics"] is None and find != "topics":
                raise ArgumentError(f"`topics` is missing. Enter the number of topics to find `{find}`.")
            if find == "topics" and asked.get("power", ()) is None:
                asked["power"] = (defaults.POWER,)
        return asked

    def as_typed(self, files: list[str] | None = None, measure: str | None = None) -> Question:
        """The question as the command of its design asks it."""
        kind = questions()[f"design {self.kind}"]
        every = {**self.values("question"), **self.asked(), "measure": measure, "scores": files}
        # All methods stand side by side, the exact one first, also where --published alone means that of the papers.
        usual = None if self.kind == "anova" and not self.published else defaults.DESIGN_METHOD
        every["method"] = self.method or usual
        if files:
            every |= {"variance": None, "variance_of_difference": None}
        known = {one.name for one in kind.all()}
        return kind(**{name: value for name, value in every.items() if name in known})


@answers(
    DesignForm,
    extra=offered,
    quick=lambda question, dataset: (
        dataset is None or (question.kind != RECOMMEND and dataset.has_matrix(question.measure))
    ),
)
def design(question: DesignForm, dataset: Dataset | None, progress: Progress) -> Outcome:
    """The design that was asked for."""
    if question.kind == RECOMMEND:
        if dataset is None:
            raise ArgumentError("`data` is missing. Choose past scores, or another `kind` and a variance.")
        return ask_library(question.recommendation(), dataset, progress)
    typed = (question.variance, question.variance_of_difference)
    cells = math.prod(len(values or [1]) for values in (*question.asked().values(), question.alpha, *typed))
    if cells > MOST_CELLS:
        raise ArgumentError(f"the grid has {cells:,} cells; the limit is {MOST_CELLS:,}. Enter fewer values.")
    if dataset is None:
        settings, past = question.as_typed(), []
        _check_typed(question)
    else:
        dataset.require_valid(progress)
        before, files = dataset.score_files(question.measure)
        settings = question.as_typed(files, None if before else question.measure)
        past = [dataset.collections(question.measure)]
    with quietly():
        result = settings.ask(*past)
    said = answer(result, settings)
    if question.method is not None:
        said = replace(said, on_page=tuple("design" if name == "methods" else name for name in said.shown))
    function = settings.verb().__name__
    if dataset is None:
        return Outcome(said, (settings.words(),), (imports(function), settings.call()), said.warnings)
    lines = read_lines(question, dataset, function)
    call = question.as_typed(files).call("scores")
    return Outcome(said, (*before, settings.words()), (*lines, call), said.warnings)


def _check_typed(question: DesignForm) -> None:
    """A variance must be typed, and one only."""
    kind = DESIGNS[question.kind]
    names = ("variance", "variance_of_difference") if kind.pairwise else ("variance",)
    given = [name for name in names if getattr(question, name)]
    if not given:
        forms = {one.option: one for one in kind.variants}
        form = forms.get("two_sample" if question.two_sample else None, kind.variant())
        name = "variance_of_difference" if form.of_difference else "variance"
        raise ArgumentError(f"`{name}` is missing. Enter one, or choose data to estimate it from.")
    if len(given) > 1:
        raise ArgumentError("`variance` and `variance_of_difference` are both given. Remove one of them.")
