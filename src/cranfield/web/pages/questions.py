"""What can be asked, as the address of a page or of the API spells it. Values are judged by the library.

Bounds here only keep a request from asking for more than one machine can give; what a sensible power or
alpha is, the library knows and says.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlencode

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from cranfield import defaults
from cranfield.errors import ArgumentError

MOST_VALUES = 12
"""Values of one setting in a grid."""


def _split(value: Any) -> Any:
    """Several values as repeated parameters, or in one with commas between them; blanks are nothing."""
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, (list, tuple)) or not all(isinstance(one, str) for one in given):
        return value
    return [part.strip() for one in given for part in one.split(",") if part.strip()] or None


def _blank(value: Any) -> Any:
    return None if isinstance(value, str) and not value.strip() else value


Split = BeforeValidator(_split)
Number = Annotated[float, Field(allow_inf_nan=False, ge=-1e9, le=1e9)]
Count = Annotated[int, Field(ge=-(10**6), le=10**6)]
Label = Annotated[str, Field(min_length=1, max_length=200)]
Numbers = Annotated[Annotated[list[Number], Field(max_length=MOST_VALUES)] | None, Split]
Counts = Annotated[Annotated[list[Count], Field(max_length=MOST_VALUES)] | None, Split]
Name = Annotated[Label | None, BeforeValidator(_blank)]
Names = Annotated[list[Label], Field(max_length=MOST_VALUES)] | None
Resamples = Annotated[int, Field(ge=1, le=1_000_000)]
Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]
Blankable = BeforeValidator(_blank)


class Question(BaseModel):
    """A question as an address spells it: immutable, comparable, and written back the same way."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def query(self, **changes: Any) -> str:
        """The part of an address after the question mark: what is not as usual, in the order of the fields."""
        pairs: list[tuple[str, str]] = []
        for name, value in {**self.model_dump(exclude_defaults=True), **changes}.items():
            if value is None or value == "":
                continue
            several = isinstance(value, (list, tuple))
            pairs += [(name, _written(one)) for one in (value if several else [value])]
        return urlencode(pairs)

    @property
    def key(self) -> str:
        """The same for equal questions."""
        return self.model_dump_json()


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


class DesignQuestion(Question):
    """How many topics, or what that many topics can do."""

    kind: Literal["anova", "ttest", "interval"] = Field(
        "anova", description="anova: many systems; ttest: two systems; interval: width of a confidence interval."
    )
    find: Annotated[Literal["topics", "min_diff", "power", "systems", "width"] | None, Blankable] = Field(
        None, description="What to find; by default what is left out. A value given for it is ignored."
    )
    variance: Numbers = Field(None, description="Variance of a system's score over topics.")
    variance_of_difference: Numbers = Field(None, description="Variance over topics of the difference of two systems.")
    data: Name = Field(None, description="Dataset to estimate the variance from, instead of a variance.")
    measure: Name = Field(None, description="Measure of the dataset; its first unless named.")
    estimator: Annotated[defaults.VarianceMethod | None, Blankable] = Field(
        None, description="How to estimate the variance from the dataset; by default as the design needs it."
    )
    systems: Counts = Field(None, description="Systems that will be compared (anova).")
    min_diff: Numbers = Field(None, description="Smallest difference worth detecting (anova, ttest).")
    width: Numbers = Field(None, description="Largest expected width of the interval (interval).")
    topics: Counts = Field(None, description="Topics there are.")
    power: Numbers = Field(None, description=f"Wanted power; {defaults.POWER} unless sought.")
    alpha: Annotated[list[Number], Split, Field(max_length=MOST_VALUES)] = Field(
        [defaults.ALPHA], description="Significance level; intervals have 1 − alpha."
    )
    method: Annotated[defaults.DesignMethod | None, Blankable] = Field(
        None, description="Only this method; by default all of them side by side."
    )
    blocked: bool = Field(False, description="All systems share the topics and the test takes topics out (anova).")
    two_sample: bool = Field(False, description="Two systems with different topics; sizes per group (ttest, interval).")


class CompareQuestion(Question):
    """Which systems differ."""

    data: Label = Field(description="Dataset: sample, or the id an upload got.")
    measure: Name = Field(None, description="Measure to compare by; the dataset's first unless named.")
    test: defaults.TestName = defaults.TEST
    baseline: Names = Field(None, description="Compare every system with these; else all pairs.")
    correction: Annotated[defaults.Correction | None, Blankable] = Field(
        None, description=f"Adjustment for many comparisons; {defaults.CORRECTION} unless named, none for Tukey tests."
    )
    alternative: defaults.Alternative = defaults.ALTERNATIVE
    statistic: defaults.StatisticName = defaults.STATISTIC
    alpha: Number = defaults.ALPHA
    resamples: Resamples = defaults.RESAMPLES
    seed: Seed = defaults.SEED


class PairQuestion(CompareQuestion):
    """Two systems of a comparison, topic by topic."""

    a: Label = Field(description="A system.")
    b: Label = Field(description="The system it is held against.")


class StandardiseQuestion(Question):
    """Scores in units of how the systems did on each topic, and what that changes."""

    data: Label = Field(description="Dataset: sample, or the id an upload got.")
    measure: Name = Field(None, description="Measure to standardise; the dataset's first unless named.")
    to: defaults.StandardiseTo = Field(defaults.STANDARDISE_TO, description="ab: clip(A·z + B, 0, 1); cdf: Φ(z); z.")
    a: Number = Field(defaults.STANDARDISE_A, description="A of std-AB.")
    b: Number = Field(defaults.STANDARDISE_B, description="B of std-AB.")
    fraction: Number = Field(1.0, description="Difference of interest, in standard deviations between systems.")
    alpha: Number = defaults.ALPHA
    power: Number = defaults.POWER
    resamples: Annotated[int, Field(ge=0, le=1_000_000)] = defaults.RANK_RESAMPLES
    seed: Seed = defaults.SEED


class ReplicatesQuestion(Question):
    """Which systems differ when every topic is scored on several partitions of the documents."""

    data: Label = Field(description="Dataset with runs and judgments: sample, or the id an upload got.")
    measure: Name = Field(None, description=f"Any measure; {defaults.MEASURES[0]} unless named.")
    partitions: Annotated[int, Field(ge=-100, le=50)] = defaults.PARTITIONS
    splits: Annotated[int, Field(ge=-100, le=200)] = defaults.SPLITS
    interaction: bool = Field(True, description="Keep the topic × system term in the model.")
    residuals: defaults.Residuals = defaults.RESIDUALS
    resample: defaults.Resample = defaults.RESAMPLE
    p: defaults.PairP = defaults.PAIR_P
    published: bool = Field(False, description="As in the slides: raw residuals, cells, effect, BH.")
    empty: defaults.EmptyPolicy = defaults.EMPTY
    merge: defaults.Merge = defaults.MERGE
    decide: defaults.Decide = defaults.DECIDE
    correction: defaults.Correction = defaults.REPLICATES_CORRECTION
    alpha: Number = defaults.ALPHA
    resamples: Annotated[int, Field(ge=1, le=100_000)] = defaults.REPLICATES_RESAMPLES
    seed: Seed = defaults.SEED


class TuningQuestion(Question):
    """Parameters chosen on training topics, scored on held-out ones."""

    data: Label = Field(description="Dataset whose systems are settings, such as bm25(k1=0.9,b=0.4).")
    measure: Name = Field(None, description="Measure to tune for; the dataset's first unless named.")
    split: Literal["folds", "leave-one-out", "holdout"] = Field("folds", description="How topics are held out.")
    folds: Annotated[int, Field(ge=-1000, le=1000)] = Field(defaults.FOLDS, description="Folds, with split=folds.")
    share: Number = Field(defaults.HOLDOUT, description="Share of the topics held out, with split=holdout.")
    repeats: Annotated[int, Field(ge=-100, le=100)] = Field(1, description="Draw the folds anew so many times.")
    stratified: bool = Field(False, description="Give every fold its share of hard and easy topics.")
    pattern: Name = Field(None, description="How systems are named, such as {family}-mu{mu}.")
    alpha: Number = defaults.ALPHA
    resamples: Annotated[int, Field(ge=1, le=100_000)] = defaults.CURVE_RESAMPLES
    seed: Seed = defaults.SEED


class ReportQuestion(Question):
    """The whole story of a collection in one HTML file."""

    data: Label = Field(description="Dataset: sample, or the id an upload got.")
    measure: Names = Field(None, description="Measures, the first one leads.")
    skip: Annotated[list[defaults.ReportSection], Field(max_length=8)] | None = Field(
        None, description="Sections to leave out."
    )
    title: Name = Field(None, description="Title of the report.")
    min_diff: Number = Field(defaults.REPORT_MIN_DIFF, description="Difference the next collection should detect.")
    systems: Annotated[Count | None, Blankable] = Field(None, description="Systems the next collection will compare.")
    power: Number = defaults.POWER
    partitions: Annotated[int, Field(ge=-100, le=50)] = defaults.PARTITIONS
    splits: Annotated[int, Field(ge=-100, le=200)] = defaults.SPLITS
    alpha: Number = defaults.ALPHA
    resamples: Resamples = defaults.RESAMPLES
    seed: Seed = defaults.SEED


_Asked = TypeVar("_Asked", bound=Question)


def parse(model: type[_Asked], query: Iterable[tuple[str, str]]) -> _Asked:
    """The question in an address; an `ArgumentError` that says in words what cannot be read."""
    values: dict[str, Any] = {}
    for name, value in query:
        if name not in model.model_fields:
            known = ", ".join(model.model_fields)
            raise ArgumentError(f"`{name}` is no setting of this page; there are {known}.")
        if value.strip() == "":
            continue
        values.setdefault(name, []).append(value)
    fields = {name: found if _takes_several(model, name) else found[-1] for name, found in values.items()}
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise ArgumentError(in_words(error.errors())) from None


def _takes_several(model: type[Question], name: str) -> bool:
    return "list[" in str(model.model_fields[name].annotation)


def in_words(errors: Iterable[Any]) -> str:
    """Pydantic's findings as sentences: place, finding, remedy."""
    sentences = []
    for error in errors:
        where = [str(part) for part in error["loc"] if part not in ("query", "body", "path")]
        name = where[0] if where else "the request"
        given = error.get("input")
        shown = f"; got {given!r:.60}" if isinstance(given, (str, int, float)) else ""
        kind, context = error["type"], error.get("ctx", {})
        if kind == "missing":
            sentences.append(f"`{name}` is missing; give it.")
        elif kind in ("float_parsing", "float_type", "finite_number"):
            sentences.append(f"`{name}` must be a number{shown}.")
        elif kind in ("int_parsing", "int_type", "int_from_float", "int_parsing_size"):
            sentences.append(f"`{name}` must be a whole number{shown}.")
        elif kind == "literal_error":
            sentences.append(f"`{name}` must be {context.get('expected', 'one of the choices')}{shown}.")
        elif kind == "extra_forbidden":
            sentences.append(f"`{name}` is no setting here; leave it out.")
        elif kind in ("greater_than_equal", "less_than_equal"):
            bound = context.get("ge", context.get("le"))
            side = "at least" if kind == "greater_than_equal" else "at most"
            sentences.append(f"`{name}` must be {side} {bound:,}{shown}.")
        elif kind == "too_long":
            sentences.append(f"`{name}` takes at most {context.get('max_length')} values.")
        elif kind == "string_too_long":
            sentences.append(f"`{name}` is too long; at most {context.get('max_length')} characters.")
        else:
            sentences.append(f"`{name}`: {error['msg'][:1].lower()}{error['msg'][1:]}.")
    return " ".join(dict.fromkeys(sentences))
