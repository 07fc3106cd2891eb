"""Files that lie elsewhere, through fsspec."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cranfield.errors import FileError, Problem


def filesystem(name: str) -> tuple[Any, str]:
    """The file system behind a URL, and the name there; fsspec has them, and those of clouds packages of their own."""
    try:
        fsspec = importlib.import_module("fsspec")
    except ImportError:
        text = (
            "URLs and object stores are read through fsspec, which is not there; pip install fsspec, or fetch the file"
        )
        raise FileError(name, [Problem(0, text)]) from None
    with reaching(name):
        try:
            system, path = fsspec.core.url_to_fs(name)
        except (ImportError, ValueError) as error:
            raise FileError(name, [Problem(0, f"fsspec cannot open it: {error}, or fetch the file")]) from None
    return system, path


@contextmanager
def reaching(name: str) -> Iterator[None]:
    """Whatever a store does not do inside is a `FileError` about the name."""
    try:
        yield
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(name, [Problem(0, "no such file; check the name")]) from None
    except Exception as error:  # noqa: BLE001 (every store has errors of its own)
        raise FileError(name, [Problem(0, f"cannot be read: {type(error).__name__}: {error}")]) from None


def remote_bytes(name: str) -> bytes:
    """The content of the file behind a URL."""
    system, path = filesystem(name)
    with reaching(name):
        return bytes(system.cat_file(path))
