"""What a page's form shows: what the address says, as it was typed, and the defaults for the rest."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any, Literal, Union, get_args, get_origin

from pydantic_core import PydanticUndefined

from cranfield.web.pages.questions import Question


class Form:
    """The values of a form, and the choices its fields have."""

    def __init__(self, model: type[Question], query: Iterable[tuple[str, str]]) -> None:
        self.model = model
        self.given: dict[str, list[str]] = {}
        for name, value in query:
            self.given.setdefault(name, []).append(value)

    def value(self, name: str) -> str:
        """The text in a field: as typed, or the default."""
        if name in self.given:
            return ", ".join(part for part in self.given[name] if part)
        return _text(self.model.model_fields[name].default)

    def values(self, name: str) -> list[str]:
        """The chosen ones of several."""
        return [one for one in self.given.get(name, []) if one]

    def on(self, name: str) -> bool:
        """Whether a box is ticked."""
        if name in self.given:
            return self.given[name][-1].lower() in ("true", "on", "1", "yes")
        return bool(self.model.model_fields[name].default)

    def any(self, *names: str) -> bool:
        """Whether the address says anything about these."""
        return any(value for name in names for value in self.given.get(name, []))

    def choices(self, name: str) -> list[str]:
        """The closed list behind a field."""
        return [str(choice) for choice in _literals(self.model.model_fields[name].annotation)]


def _text(default: Any) -> str:
    if default is None or default is PydanticUndefined:
        return ""
    if isinstance(default, (list, tuple)):
        return ", ".join(_text(one) for one in default)
    return f"{default:g}" if isinstance(default, float) else str(default)


def _literals(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    if get_origin(annotation) in (Union, types.UnionType):
        return tuple(choice for part in get_args(annotation) for choice in _literals(part))
    return ()
