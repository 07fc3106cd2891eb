"""What a page's form shows: what the address says, as it was typed, and the defaults for the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from markupsafe import Markup, escape

from cranfield.settings import REQUIRED, Setting
from cranfield.web.server.page import Page


class Form:
    """The values of a form, by the names of the settings in addresses."""

    def __init__(self, page: Page, query: Iterable[tuple[str, str]]) -> None:
        self.page = page
        self.settings = {one.spelling: one for one in page.parameters}
        spelled = {one.name: one.spelling for one in page.parameters}
        self.given: dict[str, list[str]] = {}
        for name, value in query:
            self.given.setdefault(spelled.get(name, name), []).append(value)

    def value(self, name: str) -> str:
        """The text in a field: as typed, or the default."""
        if name in self.given:
            return ", ".join(part for part in self.given[name] if part)
        return _text(self.settings[name].default)

    def values(self, name: str) -> list[str]:
        """The chosen ones of several; the usual ones where nothing is said."""
        if name not in self.given and isinstance(self.settings[name].default, tuple):
            return [_text(one) for one in self.settings[name].default]
        return [one for one in self.given.get(name, []) if one]

    def on(self, name: str) -> bool:
        """Whether a box is ticked."""
        if name in self.given:
            return self.given[name][-1].lower() in ("true", "on", "1", "yes")
        return bool(self.settings[name].default)

    def any(self, settings: Iterable[Setting]) -> bool:
        """Whether the address says anything about these."""
        return any(value for one in settings for value in self.given.get(one.spelling, []))

    def choices(self, name: str) -> tuple[str, ...]:
        """The closed list behind a field."""
        return self.settings[name].choices or ()

    def help(self, one: Setting) -> Markup:
        """The help of a setting as a form gives it: options are repeated, numbers in a box have commas between them."""
        several = "; several with commas between them" if one.several and one.kind in (int, float) else ""
        said = str(escape(self.page.on_form(one.help.replace("; repeatable", several))))
        return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", said))

    @property
    def fields(self) -> list[Setting]:
        """The settings to be drawn one after the other: all but data and measure."""
        return [one for name, one in self.settings.items() if name not in ("data", "measure") and not one.more]

    @property
    def further(self) -> list[Setting]:
        """The settings behind "More settings"."""
        return [one for one in self.settings.values() if one.more]


def _text(default: Any) -> str:
    if default is None or default is REQUIRED:
        return ""
    if isinstance(default, (list, tuple)):
        return ", ".join(_text(one) for one in default)
    return f"{default:g}" if isinstance(default, float) else str(default)
