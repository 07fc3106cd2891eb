"""Names and modules imported on first use, so that what is light stays light."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType


def on_first_use(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """The ``__getattr__`` of a package: `homes` says which of its modules defines which names.

    >>> on_first_use("cranfield", {"errors": ["DataError"]})("DataError").__name__
    'DataError'
    """
    home = {name: f"{package}.{module}" for module, names in homes.items() for name in names}

    def getattr_of_package(name: str) -> object:
        if name in home:
            return getattr(importlib.import_module(home[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return getattr_of_package


class LaterModule(ModuleType):
    """A module that is imported when one of its names is first asked for.

    >>> LaterModule("math").tau > 6
    True
    """

    def __getattr__(self, name: str) -> object:
        value: object = getattr(importlib.import_module(self.__name__), name)
        setattr(self, name, value)
        return value


polars = LaterModule("polars")
"""For modules whose light paths need no frame: ``from cranfield.lazy import polars as pl``."""
