"""`Design`, the result of a topic set size design, and `DesignKind`, its description."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.errors import DataError, UnknownNameError
from cranfield.core.results import Result, check_frame, signature
from cranfield.questions.design.answer import design_answer

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings
    from cranfield.core.question import Question

ARGUMENTS = (
    "measure", "estimator", "variance", "variance_of_difference", "systems", "min_diff", "width", "alpha", "power",
    "topics",
)  # fmt: skip


@dataclass(frozen=True)
class Variant:
    """One form of a design.

    Parameters
    ----------
    title : name of the test or interval (``Design.what``)
    note : when its sizes are valid
    estimator : the matching variance estimator, the default for past scores
    of_difference : whether it takes the variance of a difference, σ_t², not that of a system, σ²
    function : variance, with the arguments of the design, ``alpha`` and ``method`` by name → `Design`
    option : the switch that selects it; None for the default form
    """

    title: str
    note: str
    estimator: str
    of_difference: bool
    function: Callable[..., Design]
    option: str | None = None


@dataclass(frozen=True)
class DesignKind:
    """A kind of topic set size design.

    Parameters
    ----------
    name : its name in commands
    summary : one line for help and documentation
    asks : its quantities; it solves for the one left out
    methods : its computing methods, the default first
    variants : its forms, the default first
    pairwise : whether it is about two systems and accepts the variance of their difference
    extras : further arguments that its functions take
    question : the question whose settings its results keep
    rank : its place in lists
    label : its label on the page; its name unless given
    """

    name: str
    summary: str
    asks: tuple[str, ...]
    methods: tuple[str, ...]
    variants: tuple[Variant, ...]
    pairwise: bool = True
    extras: tuple[str, ...] = ()
    question: type[Question] | None = None
    rank: int = 1000
    label: str = ""

    def variant(self, option: str | None = None) -> Variant:
        """The form that a switch selects; without one, the default form.

        >>> from cranfield.questions.design.designs import DESIGNS
        >>> DESIGNS["anova"].variant("published").estimator
        'within'
        """
        for variant in self.variants:
            if variant.option == option:
                return variant
        raise UnknownNameError(
            f"form of {self.name}", str(option), [form.option for form in self.variants if form.option]
        )


@dataclass(frozen=True, eq=False)
class Design(Result):
    """One or many designs, one row each; get one from `design_anova`, `design_ttest` or `design_interval`.

    Attributes
    ----------
    what : str
        Name of the test or interval.
    solved_for : str
        The column solved for: topics, power, min_diff, systems or width.
    rows : polars frame
        The cells of the grid. ``achieved_power`` is the exact power for any method. ``…_lower`` and ``…_upper`` are
        the results at the ends of the interval of an estimated variance.
    settings : mapping
        The settings in force; several values where the rows differ.
    by_estimator : polars frame or None
        From past scores: one row per estimator and cell, the estimator of the rows first. Estimators without a
        variance or a solution are dropped.
    kind, variant, variances, question
        The input; `by_method` and `curve` use it again.
    """

    what: str
    solved_for: str
    rows: pl.DataFrame
    settings: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    by_estimator: pl.DataFrame | None = None
    kind: DesignKind = field(default=None, repr=False)  # type: ignore[assignment]
    variant: Variant = field(default=None, repr=False)  # type: ignore[assignment]
    variances: Any = field(default=None, repr=False)
    question: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        # An approximation may put the size outside the sizes at the ends of the variance's interval.
        check_frame(f"the design ({self.what})", self.rows.select(pl.exclude("^.*_lower$", "^.*_upper$")))

    @property
    def signature(self) -> str:
        """One line for a paper's footnote: the settings, and every argument that all rows share."""
        shared = {
            name: self.rows[name][0]
            for name in ARGUMENTS
            if name in self.rows.columns and name != self.solved_for and self.rows[name].n_unique() == 1
        }
        chosen = {name: self.settings[name] for name in ("method", "epsilon", "baseline") if name in self.settings}
        return signature(f"topic set size design, {self.what}", solved_for=self.solved_for, **(chosen | shared))

    @property
    def estimator(self) -> str | None:
        """How the variance was estimated from past scores."""
        return None if self.by_estimator is None else str(self.by_estimator["estimator"][0])

    @cached_property
    def other_methods(self) -> dict[str, Design]:
        """The same design by every other method."""
        others = [name for name in self.kind.methods if name != self.question["method"]]
        return {name: self.variant.function(self.variances, **{**self.question, "method": name}) for name in others}

    @cached_property
    def by_method(self) -> pl.DataFrame:
        """The rows by every method, this design's own method first."""
        return pl.concat([self.rows, *(other.rows for other in self.other_methods.values())], how="diagonal")

    def curve(self, of: str, row: Mapping[str, Any]) -> pl.DataFrame:
        """Points of a curve through one of the rows: the same design at other sizes.

        Parameters
        ----------
        of : {"power", "detectable", "systems"}
            Power by topics (``method, topics, power``, exact and published); the smallest difference and the width of
            an interval by topics (``what, topics, value``); or topics by systems (``systems, topics``).
        row : one of the rows, by name
        """
        from cranfield.questions.design.curves import CURVES

        if of not in CURVES:
            raise UnknownNameError("curve", of, CURVES)
        return CURVES[of](self, row)

    def only(self, column: str) -> Any:
        """The value of a column in a design of one row; a `DataError` for a grid."""
        if self.rows.height != 1:
            raise DataError(f"this design has {self.rows.height} rows. Read {column!r} from to_frame()")
        if column not in self.rows.columns:
            raise UnknownNameError("column", column, self.rows.columns)
        return self.rows[column][0]

    @property
    def n_topics(self) -> int:
        """Topics (per group for two samples) of a single design."""
        return int(self.only("topics"))

    @property
    def n_systems(self) -> int:
        """Systems of a single design."""
        return int(self.only("systems"))

    @property
    def min_diff(self) -> float:
        """Smallest difference a single design detects with its power."""
        return float(self.only("min_diff"))

    @property
    def achieved_power(self) -> float:
        """Exact power of a single design."""
        return float(self.only("achieved_power"))

    @property
    def width(self) -> float:
        """Bound on the expected width of the interval of a single design."""
        return float(self.only("width"))

    def to_frame(self) -> pl.DataFrame:
        """The rows as a polars frame."""
        return self.rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        others = None if self.by_estimator is None else self.by_estimator.to_dicts()
        return {"what": self.what, "solved_for": self.solved_for, **super().to_dict(), "by_estimator": others}

    def __repr__(self) -> str:
        if self.rows.height > 1:
            return f"Design({self.what}: {self.rows.height} rows, solved for {self.solved_for})\n{self.rows}"
        row = self.rows.row(0, named=True).items()
        shown = (f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}" for name, value in row)
        return f"Design({self.what}: {', '.join(shown)})"

    answer = design_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.design import charts

        return {name: getattr(charts, name) for name in ("default", "power", "detectable", "systems")}
