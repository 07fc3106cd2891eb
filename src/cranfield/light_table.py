"""`LightTable`: a few rows as plain lists, which become a polars frame when somebody needs more than their cells.

Small answers (a design for one variance) are computed, printed and written as JSON without a column library, whose
import would cost more than the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cranfield.records import record

if TYPE_CHECKING:
    import polars as pl

_DTYPES = {str: "String", int: "Int64", float: "Float64", bool: "Boolean"}


@record
class LightColumn:
    """A column: its name, its values (None where there is none), and what they are (str, int, float or bool)."""

    name: str
    values: list[Any]
    kind: type

    def alias(self, name: str) -> LightColumn:
        """The same under another name."""
        return LightColumn(name, self.values, self.kind)

    def is_numeric(self) -> bool:
        """Whether it holds numbers."""
        return self.kind in (int, float)


class LightTable:
    """Columns of equal length; whatever it does not know itself it asks of the same rows as a polars frame.

    >>> table = LightTable([LightColumn("topics", [20, 30], int), LightColumn("power", [0.8, None], float)])
    >>> table.height, table.columns, table.row(1)
    (2, ['topics', 'power'], {'topics': 30, 'power': None})
    >>> table.filter(topics=20).rows()
    [(20, 0.8)]
    """

    def __init__(self, columns: Sequence[LightColumn]) -> None:
        self._columns = {one.name: one for one in columns}

    @classmethod
    def of(cls, rows: Any) -> LightTable:
        """A table as it is, or one made of a polars frame."""
        if isinstance(rows, LightTable):
            return rows
        table = cls([LightColumn(name, rows[name].to_list(), _kind(rows[name].dtype)) for name in rows.columns])
        table.__dict__["frame"] = rows
        return table

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The rows as a polars frame."""
        import polars as pl

        return pl.DataFrame(
            [pl.Series(one.name, one.values, getattr(pl, _DTYPES[one.kind])) for one in self._columns.values()]
        )

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    @property
    def dtypes(self) -> list[LightColumn]:
        """What the columns hold, as far as printing must know it."""
        return list(self._columns.values())

    @property
    def height(self) -> int:
        """How many rows."""
        return len(next(iter(self._columns.values())).values) if self._columns else 0

    def values(self, name: str) -> list[Any]:
        """The values of a column."""
        return self._columns[name].values

    def row(self, at: int) -> dict[str, Any]:
        """A row by the names of its columns."""
        return {name: one.values[at] for name, one in self._columns.items()}

    def iter_rows(self, named: bool = False) -> Iterator[Any]:
        """The rows, as tuples or by the names of the columns."""
        rows = zip(*(one.values for one in self._columns.values()), strict=True)
        return (dict(zip(self._columns, row, strict=True)) for row in rows) if named else rows

    def with_floats(self, changed: Callable[[float], float | None]) -> LightTable:
        """The table with another value for every float that is there."""
        return LightTable(
            [
                LightColumn(one.name, [None if v is None else changed(v) for v in one.values], float)
                if one.kind is float
                else one
                for one in self._columns.values()
            ]
        )

    def drop(self, names: Sequence[str]) -> LightTable:
        """The table without some columns."""
        return LightTable([one for one in self._columns.values() if one.name not in names])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what pickle and copy look for is never the frame's
            raise AttributeError(name)
        return getattr(self.frame, name)

    def __getitem__(self, key: Any) -> Any:
        return self.frame[key]

    def __len__(self) -> int:
        return self.height

    def __repr__(self) -> str:
        return repr(self.frame)


def _kind(dtype: Any) -> type:
    if dtype.is_float():
        return float
    if dtype.is_integer():
        return int
    return bool if str(dtype) == "Boolean" else str
