"""`Design`: the answer to "how many topics?", or to the question turned round."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cranfield.design.designs import DESIGNS
from cranfield.errors import DataError, UnknownNameError
from cranfield.light_table import LightTable
from cranfield.results import Result
from cranfield.signature import signature

if TYPE_CHECKING:
    import polars as pl
else:
    from cranfield.lazy import polars as pl

ARGUMENTS = (
    "measure",
    "estimator",
    "variance",
    "variance_of_difference",
    "systems",
    "min_diff",
    "width",
    "alpha",
    "power",
    "topics",
)


@dataclass(frozen=True, eq=False)
class Design(Result):
    """One or many designs, one row each; get one from `design_anova`, `design_ttest` or `design_interval`.

    Attributes
    ----------
    what : str
        Which test or interval is designed for.
    solved_for : str
        The column that was found: topics, power, min_diff, systems or width.
    table : LightTable
        The cells of the grid, as plain lists; a polars frame is taken too.
    rows : polars frame
        The same as a frame. ``achieved_power`` is the exact power of the row whatever the method;
        ``…_lower`` and ``…_upper`` carry the uncertainty of a variance that came from scores.
    settings : mapping
        The settings in force; several values where the rows differ.
    by_estimator : polars frame or None
        From past scores: one row per estimator and cell, the estimator of the rows first. Estimators that have no
        variance to offer, or no solution, are left out.
    kind, variant, variances, question
        What was asked, as `solve_design` takes it; `by_method` and `curve` ask it again.
    """

    what: str
    solved_for: str
    table: LightTable
    settings: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    by_estimator: pl.DataFrame | None = None
    kind: str = ""
    variant: str | None = None
    variances: Any = field(default=None, repr=False)
    question: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", LightTable.of(self.table))
        for column in self.table.dtypes:
            known = [value for value in column.values if value is not None]
            bounded = column.name in ("power", "achieved_power", "alpha")
            if (column.kind is float and not all(map(math.isfinite, known))) or (
                bounded and not all(0 <= value <= 1 for value in known)
            ):
                raise ArithmeticError(
                    f"the design ({self.what}) came to {column.name} = {known[:5]}; this is a mistake in "
                    "cranfield. Please report it with the question."
                )

    @property
    def rows(self) -> pl.DataFrame:
        """The cells of the grid as a polars frame."""
        return self.table.frame

    @property
    def signature(self) -> str:
        """One line for a paper's footnote: the settings, and every argument that all rows share."""
        shared = {
            name: self.table.values(name)[0]
            for name in ARGUMENTS
            if name in self.table.columns and name != self.solved_for and len(set(self.table.values(name))) == 1
        }
        chosen = {name: self.settings[name] for name in ("method", "epsilon", "baseline") if name in self.settings}
        return signature(f"topic set size design, {self.what}", solved_for=self.solved_for, **(chosen | shared))

    @property
    def estimator(self) -> str | None:
        """How the variance was estimated from past scores."""
        return None if self.by_estimator is None else str(self.by_estimator["estimator"][0])

    @cached_property
    def other_methods(self) -> dict[str, Design]:
        """The same by every other method of computing it."""
        kind = DESIGNS[self.kind]
        solve = kind.variant(self.variant).function
        others = [name for name in kind.methods if name != self.question["method"]]
        return {name: solve(self.variances, **{**self.question, "method": name}) for name in others}

    @cached_property
    def by_method(self) -> pl.DataFrame:
        """The same by every method of computing it, side by side; this design's own method first."""
        return pl.concat([self.rows, *(other.rows for other in self.other_methods.values())], how="diagonal")

    def curve(self, of: str, row: Mapping[str, Any]) -> pl.DataFrame:
        """What the same design asks for, or can do, at other sizes: points of a curve through one of the rows.

        Parameters
        ----------
        of : {"power", "detectable", "systems"}
            Power by topics (``method, topics, power``, exact and published); the smallest difference and the width of
            an interval by topics (``what, topics, value``); or topics by systems (``systems, topics``).
        row : one of the rows, by name
        """
        from cranfield.design.curves import CURVES

        if of not in CURVES:
            raise UnknownNameError("curve", of, CURVES)
        return CURVES[of](self, row)

    def only(self, column: str) -> Any:
        """The value of a column in a design of one row; a `DataError` for a grid."""
        if self.table.height != 1:
            raise DataError(f"this design has {self.table.height} rows; read {column!r} from to_frame()")
        if column not in self.table.columns:
            raise UnknownNameError("column", column, self.table.columns)
        return self.table.values(column)[0]

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
        return {
            "what": self.what,
            "solved_for": self.solved_for,
            "signature": self.signature,
            "settings": dict(self.settings),
            "rows": self.rows.to_dicts(),
            "by_estimator": None if self.by_estimator is None else self.by_estimator.to_dicts(),
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        if self.table.height == 1:
            shown = ", ".join(
                f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in self.table.row(0).items()
            )
            return f"Design({self.what}: {shown})"
        return f"Design({self.what}: {self.table.height} rows, solved for {self.solved_for})\n{self.rows}"
