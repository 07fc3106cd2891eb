"""Pages from templates: the report's, and any other page built of the same parts."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from cranfield.core.charts.tokens import night_style
from cranfield.core.gathering import gathered
from cranfield.core.parts import Table

if TYPE_CHECKING:
    from cranfield.core.results import Result


_BREAKS = re.compile(r"((?<=\w)_|(?<=[A-Za-z])[./])(?=\w)")
"""Where a name may be broken; entities and numbers have none of these."""
SHORT = 16
"""Characters up to which a name stays whole."""
MOST_COLUMNS = 14
"""Columns of a table in a notebook; a score matrix may have one per system."""


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates of this package; everything is escaped unless a template says otherwise."""
    made = Environment(
        loader=PackageLoader("cranfield.core"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["breakable"] = breakable
    made.globals["night_style"] = night_style
    return made


def breakable(text: object) -> Markup:
    """A long name that may be broken after underscores, dots and slashes, never between letters.

    >>> print(breakable("BM25_tuned_on_all <x>"), breakable("BM25_tuned"))
    BM25_<wbr>tuned_<wbr>on_<wbr>all &lt;x&gt; BM25_tuned
    """
    if not isinstance(text, str) or len(text) <= SHORT:
        return escape(text)
    return Markup(_BREAKS.sub(r"\1<wbr>", str(escape(text))))


def render_page(template: str, **values: Any) -> str:
    """A page by the name of its template."""
    from cranfield import __version__

    return environment().get_template(template).render(version=__version__, **values)


def result_html(result: Result) -> str:
    """A result as notebooks show it: a heading, its tables, what to know about it, and how it was obtained."""
    said, heading = result.answer(), repr(result).partition("\n")[0]
    tables, wide = [], []
    for k, sheet in enumerate(map(said.sheet, said.notebook), 1):
        shown = sheet.for_people
        tables.append(Table(f"result-{k}", heading, replace(shown, rows=shown.rows[:, :MOST_COLUMNS])))
        if shown.rows.width > MOST_COLUMNS:
            wide.append(f"{shown.rows.width - MOST_COLUMNS} more columns")
    notes = [*wide, *gathered(result.warnings), *getattr(result, "provenance", ())]
    return render_page("result.html", heading=heading, tables=tables, notes=notes, signature=result.signature)
