"""Everything random goes through here: seeds, streams, blocks of resamples and the exact grid.

A result depends on the data and the seed alone: never on the number of workers, the size of a memory block or
the order in which topics and systems were given.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.core.defaults import SEED
from cranfield.core.errors import ArgumentError
from cranfield.core.executors import available_workers

BLOCK = 1024
"""Resamples drawn from one generator. Fixed: memory limits cut inside a block, and never move its borders."""
SIGNS, TOPICS, PERMUTATIONS, RESIDUAL_ROWS, RESIDUAL_CELLS = 1, 2, 3, 4, 5
"""The streams of random numbers, one a purpose, so that no two procedures share their luck."""
OTHER_TOPICS = 11
"""The stream for a second, unrelated set of topics."""

_ONE_THREAD = 2**18
"""Multiplications up to which OpenBLAS stays on the calling thread."""
_FEW_TERMS = 32
"""Terms added at a time where all of them are too many for one thread."""
_PRODUCTS = 2**20
"""Cross products held at a time, to bound memory; changes no result."""


def generator(seed: int, *key: int) -> np.random.Generator:
    """The random generator of a (seed, key), independent of all others.

    >>> generator(1, 2).integers(10, size=3).tolist() == generator(1, 2).integers(10, size=3).tolist()
    True
    >>> generator(-1)
    Traceback (most recent call last):
    cranfield.ArgumentError: `seed` must be a whole number of at least 0; got -1. Write 1.
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ArgumentError(f"`seed` must be a whole number of at least 0; got {seed!r}. Write {SEED}.")
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(seed, spawn_key=key)))


def grid_step(values: NDArray[np.float64], terms: int) -> float:
    """The distance between neighbours on the grid of `to_grid`."""
    largest = max(float(np.max(values, initial=0.0)), -float(np.min(values, initial=0.0)))
    magnitude = int(np.ceil(np.log2(largest))) if largest > 0 else 0
    places = min(40, 53 - magnitude - max(0, int(np.ceil(np.log2(max(terms, 1))))))
    return float(np.ldexp(1.0, -places))


def own_unit(values: NDArray[np.float64]) -> float:
    """A power of two to divide scores by that are all tiny, lest the grid wipe them out; 1 for all others.

    >>> own_unit(np.array([0.3, 0.001])), own_unit(np.array([3e-20])) == 2.0**-64
    (1.0, True)
    """
    largest = float(np.abs(values).max(initial=0.0))
    return float(np.ldexp(1.0, int(np.frexp(largest)[1]))) if 0 < largest < 2**-10 else 1.0


def to_grid(values: NDArray[np.float64], terms: int) -> NDArray[np.float64]:
    """Round to a power-of-two grid on which sums of `terms` values are exact in a double.

    If no magnitude is above 2^a and terms ≤ 2^b, sums of `terms` multiples of 2^(a+b−53) are exact, in any order
    and with any signs. At most 40 binary places are kept: scores in [0, 1] lie on one grid for up to 8,192 topics.
    The grid step is 2⁻⁴⁰, an error below 5e-13.

    Exact sums make a result the same for any order of adding. They do not make decimal ties exact: .9 − .8 and
    .2 − .1 are one step apart on any binary grid. Two sums of `terms` values that are equal before rounding are
    at most ``terms * grid_step`` apart after it, so compare them with that tolerance.

    >>> float(to_grid(np.array([0.1]), 50)[0]) - 0.1 < 1e-12
    True
    """
    step = grid_step(values, terms)
    return np.rint(values / step) * step


def check_resamples(n_resamples: int) -> int:
    """The number itself, once it is known to be a positive whole number.

    >>> check_resamples(0)
    Traceback (most recent call last):
    cranfield.ArgumentError: `n_resamples` must be a whole number of at least 1; got 0. Write 100000.
    """
    if isinstance(n_resamples, bool) or not isinstance(n_resamples, (int, np.integer)) or n_resamples < 1:
        raise ArgumentError(f"`n_resamples` must be a whole number of at least 1; got {n_resamples!r}. Write 100000.")
    return int(n_resamples)


@dataclass(frozen=True)
class Block:
    """Resamples `start` to `stop` − 1, drawn from a generator of their own."""

    index: int
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    def generator(self, seed: int, stream: int) -> np.random.Generator:
        """The block's own generator for one of the streams."""
        return generator(seed, stream, self.index)


def blocks(n_resamples: int) -> list[Block]:
    """The fixed blocks that make up so many resamples; all but the last hold `BLOCK`.

    >>> [len(block) for block in blocks(2500)]
    [1024, 1024, 452]
    """
    n_resamples = check_resamples(n_resamples)
    starts = range(0, n_resamples, BLOCK)
    return [Block(i, start, min(start + BLOCK, n_resamples)) for i, start in enumerate(starts)]


def pieces(block: Block, rows: int) -> Iterator[tuple[int, int]]:
    """The block cut into stretches (start, stop) of at most `rows` resamples, to bound memory."""
    for start in range(block.start, block.stop, max(1, rows)):
        yield start, min(start + max(1, rows), block.stop)


def rows_within(memory: float, bytes_per_row: int, workers: int | None = None) -> int:
    """How many resamples fit into the memory allowed when every worker holds as many; at least 1.

    >>> rows_within(512, 8 * 10_000, workers=2)
    3200
    """
    if not memory > 0:
        raise ArgumentError(f"`memory` must be a positive number of megabytes; got {memory!r}. Write 512.")
    return max(1, int(memory * 1e6 / (workers or available_workers()) / bytes_per_row))


def draw_signs(rng: np.random.Generator, rows: int, n_topics: int) -> NDArray[np.float64]:
    """Random signs, rows × topics, each −1 or +1 with probability one half.

    Rows come one after the other from the generator's raw words: drawing 10 rows or twice 5 gives the same.
    """
    raw = _sign_bytes(rng, rows, n_topics)
    return _as_signs(np.unpackbits(raw, axis=1, count=n_topics, bitorder="little"))


def _sign_bytes(rng: np.random.Generator, rows: int, n_topics: int) -> NDArray[np.uint8]:
    """The signs of `draw_signs` as bits, eight topics to a byte."""
    words = -(-n_topics // 64)
    return rng.bit_generator.random_raw(rows * words).astype("<u8").view(np.uint8).reshape(rows, words * 8)


_STRETCH = 256
"""Topics whose signs are unpacked at a time, at most."""


def signed_bytes(n_systems: int, n_topics: int) -> int:
    """Bytes that `signed_sums` takes for one resample."""
    return n_topics // 4 + 10 * min(n_topics, _STRETCH) + 24 * n_systems


def signed_sums(systems: NDArray[np.float64], rng: np.random.Generator, rows: int) -> NDArray[np.float64]:
    """The sums of every system's scores with the signs of `draw_signs`: systems × rows.

    Sums on the exact grid do not depend on order. So the scores that keep their sign are added, some topics at a time;
    the result is twice that sum minus the sum of all scores.

    >>> scores = np.arange(2 * 600.0).reshape(2, 600)
    >>> signs = draw_signs(generator(1, SIGNS, 0), 5, 600)
    >>> bool((signed_sums(scores, generator(1, SIGNS, 0), 5) == scores @ signs.T).all())
    True
    """
    n_systems, n_topics = systems.shape
    raw = _sign_bytes(rng, rows, n_topics)
    few = min(_STRETCH, max(32, _ONE_THREAD // 16 // n_systems // 8 * 8))
    sums = np.zeros((n_systems, rows))
    for start in range(0, n_topics, few):
        own = np.ascontiguousarray(systems[:, start : start + few])
        part = raw[:, start // 8 : (start + few) // 8]
        kept = np.unpackbits(part, axis=1, count=own.shape[1], bitorder="little").astype(np.float64)
        sums += product(own, kept.T)
    sums -= systems.sum(axis=1, keepdims=True) / 2
    sums *= 2
    return sums


def all_signs(start: int, stop: int, n_topics: int) -> NDArray[np.float64]:
    """Rows `start` to `stop` − 1 of the enumeration of all 2ⁿ sign vectors.

    >>> all_signs(0, 4, 2).tolist()
    [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]
    """
    raw = np.arange(start, stop, dtype="<u8")[:, None].view(np.uint8)
    return _as_signs(np.unpackbits(raw, axis=1, count=n_topics, bitorder="little"))


def _as_signs(bits: NDArray[np.uint8]) -> NDArray[np.float64]:
    signs = bits.astype(np.float64)
    signs *= 2
    signs -= 1
    return signs


def draw_topics(rng: np.random.Generator, rows: int, n_topics: int) -> NDArray[np.int64]:
    """Positions of topics drawn with replacement, rows × topics."""
    return rng.integers(n_topics, size=(rows, n_topics))


def draw_weights(rng: np.random.Generator, rows: int, n_topics: int) -> NDArray[np.float64]:
    """How often each topic was drawn: the topics of `draw_topics`, counted, rows × topics."""
    flat = draw_topics(rng, rows, n_topics)
    flat += np.arange(rows)[:, None] * n_topics
    return np.bincount(flat.ravel(), minlength=rows * n_topics).reshape(rows, n_topics).astype(np.float64)


def topic_weights(n_topics: int, n_resamples: int, seed: int, rows: int = BLOCK) -> Iterator[NDArray[np.float64]]:
    """The bootstrap over topics: weight matrices, at most `rows` × topics, `n_resamples` rows in all.

    A weight matrix times a score matrix gives the sums of every system over every resample. The rows are the
    same whatever `rows` is.

    >>> sum(float((w @ np.ones(7)).sum()) for w in topic_weights(7, 3000, seed=1))
    21000.0
    """
    for block in blocks(n_resamples):
        rng = block.generator(seed, TOPICS)
        for start, stop in pieces(block, rows):
            yield draw_weights(rng, stop - start, n_topics)


def product(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrix product, in stretches of columns so small that BLAS does each on one thread.

    BLAS threads wait for each other in a busy loop, which costs more than the products when other threads already
    share the work. Where a few columns are too many, the terms are cut too; only products with very many rows are left
    to BLAS. On the exact grid none of this changes a result.

    >>> product(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]])).tolist()
    [[11.0]]
    """
    rows, terms, columns = *left.shape, right.shape[1]
    step = _ONE_THREAD // max(1, left.size)
    few = terms
    if step < 16:
        few = min(terms, _FEW_TERMS)
        step = _ONE_THREAD // max(1, rows * few)
    if step < 16 or (step >= columns and few == terms):
        return np.asarray(left @ right)
    out = np.zeros((rows, columns))
    for start in range(0, columns, step):
        part = out[:, start : start + step]
        for first in range(0, terms, few):
            part += left[:, first : first + few] @ right[first : first + few, start : start + step]
    return out


def cross_products(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """xᵀx, the same bits on every processor and with any number of threads, to about 13 digits of its largest entry.

    Each entry of x is cut into two halves on coarse grids. Products of halves then add up without rounding, in any
    order.

    >>> cross_products(np.array([[0.5, 1.0], [0.25, -1.0]])).tolist()
    [[0.3125, 0.25], [0.25, 2.0]]
    """
    whole = np.empty((x.shape[1], x.shape[1]))
    for first, rows in cross_product_rows(x):
        own = slice(first, first + len(rows))
        whole[own, first:] = rows
        whole[first:, own] = rows.T
    return whole


def cross_product_rows(x: NDArray[np.float64]) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Some rows of `cross_products` at a time, the last first: the number of the first, and the entries from it on.

    >>> [(first, rows.tolist()) for first, rows in cross_product_rows(np.array([[0.5, 1.0], [0.25, -1.0]]))]
    [(0, [[0.3125, 0.25], [0.25, 2.0]])]
    """
    count = x.shape[1]
    step = max(1, _PRODUCTS // max(1, count))
    largest = float(np.abs(x).max(initial=0.0))
    unit = np.ldexp(1.0, int(np.frexp(largest)[1]))
    bits = (52 - len(x).bit_length()) // 2  # of a half, so that n products of two add up within 53
    scaled = x / unit
    high = np.rint(np.ldexp(scaled, bits))
    low = np.rint(np.ldexp(np.ldexp(scaled, bits) - high, bits))
    for first in reversed(range(0, count, step)):
        own = slice(first, first + step)
        total = high[:, own].T @ low[:, first:] + low[:, own].T @ high[:, first:]
        total = np.ldexp(total, -bits) + np.ldexp(low[:, own].T @ low[:, first:], -2 * bits)
        total += high[:, own].T @ high[:, first:]
        yield first, np.ldexp(total, -2 * bits) * unit**2


def sample_covariance(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The covariances (n − 1) of the columns, the same bits on every processor (see `cross_products`).

    >>> sample_covariance(np.array([[0.0, 1.0], [1.0, 3.0]])).tolist()
    [[0.5, 1.0], [1.0, 2.0]]
    """
    covariance = cross_products(x - x.mean(axis=0))
    covariance /= len(x) - 1
    return covariance
