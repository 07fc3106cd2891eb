"""What all results share: tables, a chart, a summary, the signature, and the checks that their constructors make.

Every result has `to_frame`, `to_dict`, `to_pandas`, `to_latex`, `to_markdown`, `settings`, `summary`, `chart`,
`warnings` and `signature`. What draws and prints is imported when somebody wants a picture or a table, not before.

A result that fails a check is a bug of the program, not of the data. It raises an `ArithmeticError`, which nobody
catches.

- Every number is finite; what is not defined is missing (None, null), never NaN.
- A p-value lies above 0 and not above 1; adjusted p-values are in the order of the p-values and not below them.
- Powers, rates, levels and shares lie from 0 to 1, and shares of a whole sum to 1.
- An interval is in order and contains its estimate.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from cranfield.core.errors import ArgumentError

if TYPE_CHECKING:
    import polars as pl

    from cranfield.core.answer import Answer, Drawings
    from cranfield.core.charts.style import Drawing
    from cranfield.core.question import Question


def signature(what: str, **settings: object) -> str:
    """What was done, the settings by name, and the version.

    >>> signature("randomisation test", measure="AP", resamples=100_000, seed=1).rpartition(" ")[0]
    'randomisation test; measure AP; resamples 100000; seed 1; cranfield'
    """
    from cranfield import __version__

    parts = [f"{name.replace('_', ' ')} {_text(value)}" for name, value in settings.items() if value is not None]
    return "; ".join([what, *parts, f"cranfield {__version__}"])


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(_text(part) for part in value)
    return str(value)


_P_VALUE = re.compile(r"p|p_adjusted|p_fail|p_gg|p_unbiased")
_SHARE = re.compile(r"power|achieved_power|alpha|rate|reached|promised|coverage|share|declared_better|expected_power")
_SLACK = 1e-9
"""What rounding may do to a sum of shares and to adjusted p-values."""


def claim(holds: bool | np.bool_, what: str, otherwise: str) -> None:
    """Raise an `ArithmeticError` unless it holds.

    >>> claim(1 > 2, "AP: the sign test", "a p-value outside (0, 1]")
    Traceback (most recent call last):
    ArithmeticError: AP: the sign test came to a p-value outside (0, 1]; this is a bug in cranfield. Report it with the data and the settings.
    """  # noqa: E501
    if not holds:
        raise ArithmeticError(
            f"{what} came to {otherwise}; this is a bug in cranfield. Report it with the data and the settings."
        )


def check_finite(what: str, **values: ArrayLike | None) -> None:
    """Every number is finite; None is not defined, and passes."""
    for name, given in values.items():
        if given is not None:
            claim(np.isfinite(np.asarray(given, dtype=np.float64)).all(), what, f"a {name} that is not finite")


def check_interval(what: str, name: str, lower: Any, estimate: Any, upper: Any) -> None:
    """An interval is in order and contains its estimate; an end of None is open.

    >>> check_interval("AP", "mean", 0.1, 0.2, None)
    >>> check_interval("AP", "mean", 0.1, 0.05, 0.3)
    Traceback (most recent call last):
    ArithmeticError: AP came to a mean outside its interval; this is a bug in cranfield. Report it with the data and the settings.
    """  # noqa: E501
    low = -np.inf if lower is None else np.asarray(lower, dtype=np.float64)
    high = np.inf if upper is None else np.asarray(upper, dtype=np.float64)
    claim(np.asarray(low <= high).all(), what, f"an interval of {name} that ends before it begins")
    if estimate is not None:
        middle = np.asarray(estimate, dtype=np.float64)
        claim(np.asarray((low <= middle) & (middle <= high)).all(), what, f"a {name} outside its interval")


def check_p(what: str, p: ArrayLike, adjusted: ArrayLike | None = None) -> None:
    """0 < p ≤ adjusted p ≤ 1, and adjusted p-values in the order of the p-values."""
    first = np.asarray(p, dtype=np.float64)
    claim(((first > 0) & (first <= 1)).all(), what, "a p-value outside (0, 1]")
    if adjusted is None:
        return
    second = np.asarray(adjusted, dtype=np.float64)
    claim(((second > 0) & (second <= 1)).all(), what, "an adjusted p-value outside (0, 1]")
    claim((second >= first * (1 - _SLACK)).all(), what, "an adjusted p-value below its p-value")
    claim((np.diff(second[np.argsort(first, kind="stable")]) >= -1e-12).all(), what, "adjusted p-values out of order")


def check_shares(what: str, name: str, shares: ArrayLike) -> None:
    """Shares of a whole: none below 0, and together 1."""
    parts = np.asarray(shares, dtype=np.float64)
    claim((parts >= 0).all(), what, f"a {name} below 0")
    claim(abs(float(parts.sum()) - 1) <= _SLACK, what, f"a {name} that does not sum to 1")


def check_frame(what: str, frame: pl.DataFrame, estimate: str | None = None) -> None:
    """The same of a table, by the names of its columns.

    Parameters
    ----------
    what : what came to it, for the message
    frame : the table; its numbers are finite or missing. Columns such as ``p`` are p-values, columns such as ``power``
        are shares, and ``NAME_lower`` and ``NAME_upper`` are the interval of ``NAME``
    estimate : the column whose interval ``lower`` and ``upper`` are
    """
    for name, kind in frame.schema.items():
        if not kind.is_float():
            continue
        column = frame[name].drop_nulls()
        claim(bool(column.is_finite().all()), what, f"a {name} that is not finite")
        if _P_VALUE.fullmatch(name):
            claim(bool(((column > 0) & (column <= 1)).all()), what, f"a {name} outside (0, 1]")
        elif _SHARE.fullmatch(name):
            claim(bool(((column >= 0) & (column <= 1)).all()), what, f"a {name} outside [0, 1]")
    for lower in [name for name in frame.columns if name == "lower" or name.endswith("_lower")]:
        stem = lower.removesuffix("lower")
        upper, middle = f"{stem}upper", stem.removesuffix("_") or estimate
        if upper not in frame.columns:
            continue
        between = [lower, *([middle] if middle is not None and middle in frame.columns else []), upper]
        rows = frame.select(between).drop_nulls()
        for before, after in pairwise(between):
            held = bool((rows[before] <= rows[after]).all())
            claim(held, what, f"an interval of {middle or stem} that does not contain it")


class Result:
    """A result that can draw itself, be put into a paper, and show itself in a notebook."""

    if TYPE_CHECKING:  # every result says these itself

        @property
        def settings(self) -> Mapping[str, Any]:
            """The settings in force, defaults included."""

        @property
        def signature(self) -> str:
            """One line for a paper's footnote."""

        @property
        def warnings(self) -> tuple[str, ...]:
            """What to know before relying on it, one sentence each."""

    def answer(self, question: Question | None = None) -> Answer:
        """What it says, as every skin shows it, for the question it answers (or as that is usually asked)."""
        raise NotImplementedError

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        return {}

    def to_frame(self) -> pl.DataFrame:
        """The result's main table as a polars frame."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values: settings, rows, signature and warnings."""
        return {
            "signature": self.signature,
            "settings": dict(self.settings),
            "rows": self.to_frame().to_dicts(),
            "warnings": list(self.warnings),
        }

    def to_pandas(self) -> Any:
        """The main table as a pandas frame; pandas is all it takes."""
        try:
            import pandas
        except ImportError:
            raise ArgumentError("to_pandas needs pandas; install it with: pip install pandas") from None
        frame = self.to_frame()
        return pandas.DataFrame({name: frame[name].to_list() for name in frame.columns}, columns=frame.columns)

    def to_latex(self) -> str:
        """The main table for a paper (booktabs), with the signature as a comment."""
        return self._rendered("latex")

    def to_markdown(self) -> str:
        """The main table as a pipe table."""
        return self._rendered("markdown")

    def _rendered(self, format: str) -> str:
        from cranfield.core.formats import render

        return render(self.answer().sheet(), format)

    def summary(self) -> str:
        """The finding in one line."""
        line = repr(self).partition("\n")[0]
        inside = line.removeprefix(f"{type(self).__name__}(")
        return inside.removesuffix(")") if inside != line else line

    def chart(
        self, kind: str | None = None, *, title: str | None = None, width: int | None = None, **options: Any
    ) -> Drawing:
        """The result as an altair chart, which notebooks show and `cranfield.save_chart` writes.

        Parameters
        ----------
        kind : str, optional
            Which of its charts; docs/charts.md lists them. A name that does not exist is told with those that do.
        title : str, optional
            A title of your own instead of the finding; ``""`` for none.
        width : int, optional
            Width of the plot itself in pixels; names and numbers beside it come on top.
        options
            What that chart takes.
        """
        from cranfield.core.charts import chart

        return chart(self, kind, title=title, width=width, **options)

    def _repr_html_(self) -> str:
        from cranfield.core.pages import result_html

        return result_html(self)
