"""What many tests share: the way to the reference data, and small collections with known properties."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

SHARED = Path(__file__).resolve().parents[2] / "shared"
"""Reference data beside the repository; absent for most users, and every test works without it."""

needs_shared = pytest.mark.skipif(
    not (SHARED / "data").is_dir(), reason="reference data not found at ../shared; its synthetic twin runs instead"
)

Type = Callable[..., Result]
"""The `cranfield` fixture: types a command in an empty directory and gives its result."""
