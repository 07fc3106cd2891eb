"""Elementary functions of our own: as accurate as the library's, and made of exactly rounded operations alone."""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable
from decimal import Decimal, localcontext

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr

from cranfield.core import elementary

Array = NDArray[np.float64]


def units(found: Array, wanted: Array) -> float:
    """The largest difference in units of the last place."""
    return float((np.abs(found - wanted) / np.spacing(np.abs(wanted))).max())


def spread_out(low: float, high: float) -> Array:
    return np.random.default_rng(1).uniform(low, high, 20_000)


@pytest.mark.parametrize("function", [elementary.log, elementary.log2])
def test_logarithms(function: Callable[[Array], Array]) -> None:
    theirs = getattr(np, function.__name__)
    for x in (spread_out(0.001, 20), np.exp(spread_out(-740, 700)), 1 + spread_out(-1e-3, 1e-3), np.array([5e-324])):
        assert units(function(x), theirs(x)) <= 4


def test_logarithms_of_ranks_are_correctly_rounded_or_next_to_it() -> None:
    ranks = np.array([2, 3, 5, 7, 10, 11, 97, 1000, 1001, 99_991, 1_048_575, 1_048_577])
    with localcontext() as context:
        context.prec = 40
        wanted = np.array([float(Decimal(int(n)).ln() / Decimal(2).ln()) for n in ranks])
    assert units(elementary.log2_of_whole(ranks), wanted) <= 1
    assert units(elementary.log2_of_whole(ranks[:5]), wanted[:5]) <= 1
    assert (elementary.log2_of_whole(2 ** np.arange(31)) == np.arange(31)).all()


def test_exponential() -> None:
    for x in (spread_out(-700, 709), spread_out(-1, 1)):
        assert units(elementary.exp(x), np.exp(x)) <= 2
    assert elementary.exp([-np.inf, np.inf, 0.0]).tolist() == [0.0, math.inf, 1.0]


def test_powers() -> None:
    k = np.arange(1200)
    for base in (0.8, 0.95, 0.999, 1.0, 0.0):
        found, wanted = elementary.power(base, k), np.power(base, k)
        assert np.abs(found - wanted).max() <= 1e-13
        assert (np.abs(found - wanted) <= 1e-12 * wanted).all()
    assert elementary.power(0.5, np.array([], dtype=np.int64)).shape == (0,)


def test_normal_distribution() -> None:
    z = np.concatenate([np.linspace(-37, 37, 20_001), [-2.5, 2.5, -np.inf, np.inf]])
    found, wanted = elementary.normal_cdf(z), ndtr(z)
    assert np.abs(found - wanted).max() <= 1e-15
    assert np.abs(found / np.maximum(wanted, 1e-310) - 1)[wanted > 0].max() <= 1e-12
    assert (np.diff(found[:20_001]) >= 0).all()


def test_no_function_of_the_library_is_asked_that_depends_on_the_processor() -> None:
    tree = ast.parse(inspect.getsource(elementary))
    asked = {
        node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    exact = {"sqrt", "frexp", "ldexp", "rint", "clip", "where", "minimum", "maximum", "abs"}
    shapes = {"asarray", "zeros", "ones", "ones_like", "arange", "concatenate", "errstate", "astype", "shape", "any"}
    rest = {"max", "bit_length", "float64", "int64", "pi"}
    assert asked <= exact | shapes | rest
