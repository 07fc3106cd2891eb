"""How many topics: the settings of all designs on one page, answered by every method and estimator side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.answer import answer
from cranfield.core.errors import ArgumentError, quietly
from cranfield.core.executors import Progress
from cranfield.core.page import Page
from cranfield.core.question import Question, Takes, questions, setting
from cranfield.questions.design.designs import DESIGNS
from cranfield.questions.design.question import BASELINE, PUBLISHED, VARIANCE, VARIANCE_OF_DIFFERENCE
from cranfield.questions.design.result import DesignKind
from cranfield.questions.variance.question import estimators
from cranfield.web.server.data import Dataset
from cranfield.web.server.outcome import Outcome, imports, read_lines
from cranfield.web.server.page import OfData, answers, data

FINDS = {
    "topics": "how many topics I need",
    "min_diff": "what difference my topics detect",
    "power": "what power my topics have",
    "systems": "how many systems my topics can compare",
    "width": "how wide the interval will be",
}
"""What can be found, in words."""
MOST_CELLS = 1_000
_NAMES = {"systems": "n_systems", "topics": "n_topics"}
_ANY: dict[str, Any] = {"least": -1e9, "most": 1e9}  # the library says what is wrong with a number
NEXT = {"systems": f"{defaults.NEXT_SYSTEMS}", "min_diff": f"{defaults.NEXT_MIN_DIFF:.2f}"}
EXAMPLE = {"kind": "pairs", "find": "topics", "variance_of_difference": "0.0250", **NEXT, "power": "0.80"}
"""AP of TREC's Robust tracks: twice the residual variance."""


def designs() -> dict[str, DesignKind]:
    """The registered designs that have a question."""
    known = questions()
    return {name: DESIGNS[name] for name in DESIGNS if f"design {name}" in known}


def sought(kind: str) -> tuple[str, ...]:
    """What a design can find, in the words of addresses."""
    return tuple(name.removeprefix("n_") for name in DESIGNS[kind].asks)


class Choices:
    """What the form offers, and which designs each part of it is for: names with blanks between them."""

    def __init__(self) -> None:
        self.designs = designs()
        self.finds = {name: label for name, label in FINDS.items() if self.finding(name)}

    def finding(self, quantity: str) -> str:
        """The designs that a quantity belongs to."""
        return " ".join(name for name in self.designs if quantity in sought(name))

    def taking(self, option: str) -> str:
        """The designs that have a form of that name."""
        return " ".join(
            name for name, kind in self.designs.items() if any(one.option == option for one in kind.variants)
        )

    def by_variance(self, of_difference: bool) -> str:
        """The designs whose variance is that of a difference, or of a system."""
        return " ".join(name for name, kind in self.designs.items() if kind.pairwise == of_difference)


@dataclass(frozen=True, kw_only=True)
class DesignForm(OfData):
    """How many topics, or what that many topics can do: the settings of all designs on one page."""

    takes: ClassVar[Takes] = "past"
    page = Page(
        name="design",
        title="Design",
        place=10,
        heading="How many topics?",
        doing="Designing",
        nothing="",
        brief="How many topics? Or, given topics: what can they detect? Repeat a parameter, or put commas, for a grid.",
        example=EXAMPLE,
        template="design.html",
    )

    kind: str = setting(
        "pairs",
        "pairs: which of many systems differ; anova: whether any do; ttest: two systems; interval: width of an "
        "interval.",
        choices=lambda: tuple(designs()),
    )
    find: str | None = setting(
        None, "What to find; by default what is left out. A value given for it is ignored.",
        choices=tuple(FINDS), label="What do you want to know?")  # fmt: skip
    variance: tuple[float, ...] | None = setting(
        None, VARIANCE, label="Residual variance, topics taken out (σ²)", **_ANY
    )
    variance_of_difference: tuple[float, ...] | None = setting(
        None, VARIANCE_OF_DIFFERENCE, label="Variance of the difference of two systems (σₜ²)", **_ANY
    )
    data: str | None = data(None, "Dataset to estimate the variance from, instead of a variance.")
    measure: str | None = shared.measure("Measure of the dataset.")
    estimator: str | None = setting(
        None,
        "How to estimate the variance from the dataset; by default as the design needs it.",
        registry=estimators,
        label="Estimated by",
    )
    n_systems: tuple[int, ...] | None = setting(
        None, "Systems that will be compared (pairs, anova).", least=-(10**6), most=10**6, label="Systems"
    )
    min_diff: tuple[float, ...] | None = setting(
        None,
        "Smallest difference worth detecting (pairs, anova, ttest).",
        label="Smallest difference worth detecting (minD)",
        **_ANY,
    )
    width: tuple[float, ...] | None = setting(
        None, "Largest expected width of the interval (interval).", label="Width of the interval (δ)", **_ANY
    )
    n_topics: tuple[int, ...] | None = setting(
        None, "Topics there are.", least=-(10**6), most=10**6, label="Topics I have"
    )
    power: tuple[float, ...] | None = setting(
        None, f"Wanted power; {defaults.POWER} unless sought.", label="Power (1 − β)", **_ANY
    )
    alpha: tuple[float, ...] = setting(
        (defaults.ALPHA,), "Significance level; intervals have 1 - alpha.", label="Significance level (α)", **_ANY
    )
    method: str | None = setting(
        None, "Only this method; by default all of them side by side.", choices=defaults.names(defaults.DesignMethod)
    )
    baseline: bool = setting(False, f"{BASELINE[:-1]} (pairs).", label="Compare with a baseline only")
    published: bool = setting(False, f"{PUBLISHED[:-1]} (anova).", label="The papers' one-way design")
    two_sample: bool = setting(
        False,
        "Two systems with different topics; sizes per group (ttest, interval).",
        label="The two systems have different topics",
    )

    def asked(self) -> dict[str, Any]:
        """The arguments of this kind of design, without the one to be found."""
        names, find = sought(self.kind), self.find
        if find is not None and find not in names:
            raise ArgumentError(f"`find` must be one of {', '.join(names)} for {self.kind}; got {find}.")
        asked = {name: getattr(self, _NAMES.get(name, name)) for name in names}
        if find is not None:
            asked[find] = None
            if find != "topics" and asked["topics"] is None:
                raise ArgumentError(f"`topics` is missing: to find `{find}`, say how many topics there are.")
            if find == "topics" and asked.get("power", ()) is None:
                asked["power"] = (defaults.POWER,)
        return {_NAMES.get(name, name): values for name, values in asked.items()}

    def as_typed(self, files: list[str] | None = None, measure: str | None = None) -> Question:
        """The question as the command of its design asks it."""
        kind = questions()[f"design {self.kind}"]
        every = {**self.values("question"), **self.asked(), "measure": measure, "scores": files}
        every["method"] = self.method or defaults.DESIGN_METHOD
        if files:
            every |= {"variance": None, "variance_of_difference": None}
        known = {one.name for one in kind.all()}
        return kind(**{name: value for name, value in every.items() if name in known})


@answers(
    DesignForm,
    extra=Choices,
    quick=lambda question, dataset: dataset is None or dataset.has_matrix(question.measure),
)
def design(question: DesignForm, dataset: Dataset | None, progress: Progress) -> Outcome:
    """The design that was asked for."""
    typed = (question.variance, question.variance_of_difference)
    cells = math.prod(len(values or [1]) for values in (*question.asked().values(), question.alpha, *typed))
    if cells > MOST_CELLS:
        raise ArgumentError(f"the grid has {cells:,} cells; this page answers up to {MOST_CELLS:,}. Give fewer values.")
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
    given = [name for name in ("variance", "variance_of_difference") if getattr(question, name)]
    kind = DESIGNS[question.kind]
    if not kind.pairwise:
        given = [name for name in given if name == "variance"]
    if not given:
        forms = {one.option: one for one in kind.variants}
        form = forms.get("two_sample" if question.two_sample else None, kind.variant())
        name = "variance_of_difference" if form.of_difference else "variance"
        raise ArgumentError(f"`{name}` is missing; type one, or choose data to estimate it from.")
    if len(given) > 1:
        raise ArgumentError("`variance` and `variance_of_difference` are both given; leave one of them out.")
