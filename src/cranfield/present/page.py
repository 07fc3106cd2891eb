"""Pages from templates: the report's, and any other page built of the same parts."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

if TYPE_CHECKING:
    from cranfield.results import Result


MOST_COLUMNS = 14
"""Columns of a table in a notebook; a score matrix may have one per system."""


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


def result_text(result: Result, format: str) -> str:
    """What a result says first, as text in a format: its `to_latex` and `to_markdown`."""
    from cranfield.present.answer import answer
    from cranfield.present.formats import render

    return render(answer(result).sheet(), format)


def result_html(result: Result) -> str:
    """A result as notebooks show it: a heading, its tables, what to know about it, and how it was obtained."""
    from cranfield.present.answer import answer
    from cranfield.present.gathering import gathered
    from cranfield.present.report.parts import Table

    said, heading = answer(result), repr(result).partition("\n")[0]
    tables, wide = [], []
    for k, sheet in enumerate(map(said.sheet, said.notebook), 1):
        shown = sheet.for_people
        tables.append(Table(f"result-{k}", heading, replace(shown, rows=shown.rows[:, :MOST_COLUMNS])))
        if shown.rows.width > MOST_COLUMNS:
            wide.append(f"{shown.rows.width - MOST_COLUMNS} more columns")
    notes = [*wide, *gathered(result.warnings), *getattr(result, "provenance", ())]
    return render_page("result.html", heading=heading, tables=tables, notes=notes, signature=result.signature)
