"""Pages from templates: the report's, and any other page built of the same parts."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

if TYPE_CHECKING:
    import polars as pl


MOST_COLUMNS = 14
"""Columns of a table in a notebook; a score matrix may have one a system."""


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates of this package; everything is escaped unless a template says otherwise."""
    return Environment(
        loader=PackageLoader("cranfield.present", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render_page(template: str, **values: Any) -> str:
    """A page by the name of its template."""
    from cranfield import __version__

    return environment().get_template(template).render(version=__version__, **values)


def result_html(result: Any, heading: str, frames: list[pl.DataFrame]) -> str:
    """A result as notebooks show it: a heading, its tables, what to know about it, and how it was obtained."""
    from cranfield.present.report.parts import Table

    tables = [Table(f"result-{k}", heading, frame[:, :MOST_COLUMNS]) for k, frame in enumerate(frames, 1)]
    wide = [f"{frame.width - MOST_COLUMNS} more columns" for frame in frames if frame.width > MOST_COLUMNS]
    notes = [*wide, *getattr(result, "warnings", ()), *getattr(result, "provenance", ())]
    return render_page(
        "result.html", heading=heading, tables=tables, notes=notes, signature=getattr(result, "signature", "")
    )
