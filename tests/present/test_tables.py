"""Numbers as machines get them."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from hypothesis import example, given
from hypothesis import strategies as st

from cranfield.core.tables import Sheet, p_cell, p_text, steady, steady_rows, text_rows
from cranfield.questions.compare.corrections import at_most


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


@given(
    st.sampled_from([0.05, 0.01, 0.1, 0.001, 0.05 / 3, 0.3]),
    st.floats(-1, 1).flatmap(lambda x: st.integers(0, 17).map(lambda power: x * 10.0**-power)),
)
@example(0.05, 1e-10)  # in the middle between two numbers as they are written
def test_no_p_value_is_written_on_the_other_side_of_alpha(alpha: float, away: float) -> None:
    p = alpha * (1 + away)
    decided = bool(at_most(p, alpha))
    assert (steady(p) <= steady(alpha)) == decided
    for text in (p_cell(p, alpha=alpha), p_text(p, alpha).removeprefix("= ")):
        assert text == "< 0.0001" or (float(text) <= steady(alpha)) == decided


def test_a_table_gives_such_a_p_value_more_digits() -> None:
    rows = pl.DataFrame({"p_adjusted": [0.05003, 0.04997, 0.2]})
    assert text_rows(Sheet("compare", rows, settings={"alpha": 0.05})) == [["0.05003"], ["0.0500"], ["0.2000"]]
    assert text_rows(Sheet("compare", rows)) == [["0.0500"], ["0.0500"], ["0.2000"]]
