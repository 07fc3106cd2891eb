"""Numbers as machines get them."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from cranfield.present.tables import steady, steady_rows


def test_steady_rows_are_the_steady_numbers_one_by_one() -> None:
    random = np.random.default_rng(1)
    values = [None, 0.0, 1.0, 5e-324, -0.3, math.inf, *(10.0 ** np.arange(-20, 20)).tolist()]
    values += (random.normal(size=2000) * 10 ** random.uniform(-16, 12, 2000)).tolist()
    middles = zip(random.integers(10**9, 10**10, 2000), random.integers(-24, 3, 2000), strict=True)
    values += [float(f"{sign}{digits}5e{power}") for digits, power in middles for sign in ("", "-")]
    rows = steady_rows(pl.DataFrame({"value": values, "name": "a"}))
    assert rows["value"].to_list() == [
        None if value is None or math.isinf(value) else steady(value) for value in values
    ]
    assert (rows["name"] == "a").all()
