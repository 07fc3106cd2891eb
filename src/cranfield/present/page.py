"""Pages from templates: the report's, and any other page built of the same parts."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


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
