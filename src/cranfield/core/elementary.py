"""Logarithm, exponential, powers and the normal distribution with the same bits on every processor.

numpy, scipy and the C library choose their kernels of these functions by the processor, and the kernels differ in the
last bit: of numpy's log2 of ranks with AVX-512 and without, of scipy's ndtr and Python's ``**`` with fused
multiplication and without. Scores are written with all their digits, so that last bit would be seen in files. Rounding
a score would not help. It would lose digits that parity with other tools needs, and a value near a rounding edge could
still fall on either side. So scores are computed from additions, multiplications and divisions, which every processor
rounds alike. Logarithms and the exponential are within three units in the
last place, powers and Φ, however small, within 10⁻¹² of themselves.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

_LN2 = (0.693147180369123816490, 1.90821492927058770002e-10)
"""ln 2 in two parts, the first so short that its product with an exponent is exact."""
_LN2_WHOLE = 0.6931471805599453
_LARGEST_TABLE = 1 << 20
_NEAR = 2.5
"""Where `normal_cdf` goes from the series to the continued fraction."""


def _parts(x: ArrayLike) -> tuple[Array, Array]:
    """ln m and e with x = m·2^e and √½ ≤ m < √2: 2 artanh((m − 1)/(m + 1)) by its series."""
    m, e = np.frexp(np.asarray(x, dtype=np.float64))
    low = m < math.sqrt(0.5)
    m, e = np.where(low, 2 * m, m), np.where(low, e - 1, e).astype(np.float64)
    z = (m - 1) / (m + 1)
    square = z * z
    series = np.zeros(z.shape)
    for odd in range(25, 1, -2):
        series = (series + 1 / odd) * square
    return 2 * z + 2 * z * series, e


def log(x: ArrayLike) -> Array:
    """The natural logarithm of positive numbers.

    >>> log([1.0, 10.0]).tolist()
    [0.0, 2.302585092994046]
    """
    ln_m, e = _parts(x)
    return e * _LN2[0] + (ln_m + e * _LN2[1])


def log2(x: ArrayLike) -> Array:
    """The binary logarithm of positive numbers; exact for powers of two.

    >>> log2([1.0, 8.0, 0.5]).tolist()
    [0.0, 3.0, -1.0]
    """
    ln_m, e = _parts(x)
    return e + ln_m / _LN2_WHOLE


def log2_of_whole(n: NDArray[np.int64]) -> Array:
    """The binary logarithm of whole numbers from 1, such as ranks: looked up, which is faster than computing.

    >>> log2_of_whole(np.array([1, 2, 1024])).tolist()
    [0.0, 1.0, 10.0]
    """
    largest = int(n.max(initial=1))
    return log2(n) if largest >= _LARGEST_TABLE else _table(largest.bit_length())[n]


@lru_cache(maxsize=4)
def _table(bits: int) -> Array:
    """log2 of the whole numbers of at most so many bits; 0 is not one that anybody asks for."""
    return np.concatenate([[0.0], log2(np.arange(1, 1 << bits))])


def exp(x: ArrayLike) -> Array:
    """The exponential.

    >>> exp([0.0, -745.5, 1000.0]).tolist()
    [1.0, 0.0, inf]
    """
    x = np.clip(np.asarray(x, dtype=np.float64), -746.0, 710.0)
    k = np.rint(x / _LN2_WHOLE)
    rest = x - k * _LN2[0] - k * _LN2[1]
    series = np.ones_like(x)
    for n in range(14, 0, -1):
        series = 1 + rest / n * series
    with np.errstate(over="ignore"):
        return np.asarray(np.ldexp(series, k.astype(np.int64)))


def power(base: float, exponent: NDArray[np.int64]) -> Array:
    """A number raised to whole powers from 0, by squaring.

    >>> power(0.5, np.array([0, 1, 3])).tolist()
    [1.0, 0.5, 0.125]
    """
    left, square = np.asarray(exponent, dtype=np.int64), base
    result = np.ones(left.shape)
    while left.any():
        result = np.where(left & 1, result * square, result)
        left, square = left >> 1, square * square
    return result


def normal_cdf(z: ArrayLike) -> Array:
    """Φ(z), accurate also far out on the left: a series near the middle, Laplace's continued fraction beyond.

    Φ(z) = ½ + φ(z)·(z + z³/3 + z⁵/15 + …) (Marsaglia 2004, JSS 11), and 1 − Φ(z) = φ(z)/(z + 1/(z + 2/(z + …))).

    >>> normal_cdf([0.0, -np.inf, np.inf]).tolist(), round(float(normal_cdf(-1.959963984540054)), 12)
    ([0.5, 0.0, 1.0], 0.025)
    """
    z = np.asarray(z, dtype=np.float64)
    size = np.minimum(np.abs(z), 40.0)  # beyond it, and at infinity, the tail is 0
    density = exp(-size * size / 2) / math.sqrt(2 * math.pi)
    near = np.minimum(size, _NEAR)
    term = total = near
    for odd in range(3, 91, 2):
        term = term * near * near / odd
        total = total + term
    far = np.maximum(size, _NEAR)
    fraction = far
    for n in range(120, 0, -1):
        fraction = far + n / fraction
    tail = np.where(size <= _NEAR, 0.5 - density * total, density / fraction)
    return np.asarray(np.where(z < 0, tail, 1 - tail))
