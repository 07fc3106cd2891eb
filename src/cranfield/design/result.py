"""`Design`: the answer to "how many topics?", or to the question turned round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from cranfield.design.designs import DESIGNS
from cranfield.errors import DataError, UnknownNameError
from cranfield.results import Result
from cranfield.signature import signature

_ARGUMENTS = (
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
    rows : polars frame
        The cells of the grid. ``achieved_power`` is the exact power of the row whatever the method;
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
    rows: pl.DataFrame
    settings: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    by_estimator: pl.DataFrame | None = None
    kind: str = ""
    variant: str | None = None
    variances: Any = field(default=None, repr=False)
    question: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for name, kind in self.rows.schema.items():
            column = self.rows[name].drop_nulls()
            bounded = name in ("power", "achieved_power", "alpha")
            if (kind.is_float() and not column.is_finite().all()) or (bounded and not column.is_between(0, 1).all()):
                raise ArithmeticError(
                    f"the design ({self.what}) came to {name} = {column.to_list()[:5]}; this is a mistake in "
                    "cranfield. Please report it with the question."
                )

    @property
    def signature(self) -> str:
        """One line for a paper's footnote: the settings, and every argument that all rows share."""
        shared = {
            name: self.rows[name][0]
            for name in _ARGUMENTS
            if name in self.rows.columns and name != self.solved_for and self.rows[name].n_unique() == 1
        }
        chosen = {name: self.settings[name] for name in ("method", "epsilon", "baseline") if name in self.settings}
        return signature(f"topic set size design, {self.what}", solved_for=self.solved_for, **(chosen | shared))

    @property
    def estimator(self) -> str | None:
        """How the variance was estimated from past scores."""
        return None if self.by_estimator is None else str(self.by_estimator["estimator"][0])

    @cached_property
    def by_method(self) -> pl.DataFrame:
        """The same by every method of computing it, side by side; this design's own method first."""
        kind = DESIGNS[self.kind]
        solve = kind.variant(self.variant).function
        own = self.question["method"]
        others = [
            solve(self.variances, **{**self.question, "method": name}).rows for name in kind.methods if name != own
        ]
        return pl.concat([self.rows, *others], how="diagonal")

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
        if self.rows.height != 1:
            raise DataError(f"this design has {self.rows.height} rows; read {column!r} from to_frame()")
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
        if self.rows.height == 1:
            shown = ", ".join(
                f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in self.rows.row(0, named=True).items()
            )
            return f"Design({self.what}: {shown})"
        return f"Design({self.what}: {self.rows.height} rows, solved for {self.solved_for})\n{self.rows}"
