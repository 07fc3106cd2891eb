"""Packages whose names are imported on first use, so that their light parts load no numerical library."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence


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
