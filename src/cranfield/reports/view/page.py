"""The view as HTML: what stands there without a script, and the script and style that bring it to life."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from cranfield import core
from cranfield.core.labels import plural

ASSETS = Path(__file__).parent / "assets"
PARTS = ("core", "marks", "board", "panels", "start")
"""The parts of the script, in order."""


@lru_cache(maxsize=1)
def script() -> str:
    """The whole script; it leaves no name behind on the page."""
    parts = "\n".join((ASSETS / f"{name}.js").read_text("utf-8") for name in PARTS)
    return f'(() => {{\n"use strict";\n{parts}\n}})();\n'


@lru_cache(maxsize=1)
def style() -> str:
    """The whole style."""
    return (ASSETS / "view.css").read_text("utf-8")


@lru_cache(maxsize=1)
def tokens() -> str:
    """The colours and sizes that page, report and view share."""
    return (Path(core.__file__).parent / "templates" / "tokens.css").read_text("utf-8")


def script_hash() -> str:
    """The script as a content security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script().encode()).digest()).decode()}'"


def size_text(data: Mapping[str, Any]) -> str:
    """How large a collection is.

    >>> size_text({"topics": ["1"], "systems": ["a", "b"], "teams": None})
    '1 topic · 2 systems'
    """
    parts = [plural(len(data["topics"]), "topic"), plural(len(data["systems"]), "system")]
    if data["teams"] is not None:
        parts.append(plural(len({team for team in data["teams"] if team}), "team"))
    return " · ".join(parts)


def view_html(
    data: Mapping[str, Any],
    still: str,
    *,
    tools: str = "",
    source: str = "",
    first: str = "",
    rankings: str = "",
    topic_page: str = "",
    carried: bool = False,
    told: bool = False,
) -> Markup:
    """The view's place on a page; its headline and `still`, which is HTML, are all there is without a script.

    Parameters
    ----------
    data : what `view_data` gave
    tools : HTML beside the title, such as a form
    source, first, rankings : where the script asks for the data, by which measure first, and for ranked lists
    topic_page : the address of the pages of single topics, to which measure and topic are added
    carried : whether the page carries data and script itself, to need no server
    told : whether the page has said what the first measure finds, and the view need not
    """
    from cranfield.core.charts.export import script_json
    from cranfield.core.pages import environment

    page = environment().get_template("view.html").render(
        data=data, size=size_text(data), still=Markup(still), tools=Markup(tools), source=source, first=first,
        rankings=rankings, topic_page=topic_page, told=told,
        payload=Markup(script_json(data) if carried else ""), script=Markup(script() if carried else ""),
    )  # fmt: skip
    return Markup(page)
