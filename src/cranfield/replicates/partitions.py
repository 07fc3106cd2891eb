"""Which partition a document falls in: a seeded hash of its id, the same on every machine and in every version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import ArgumentError

Hashes = NDArray[np.uint64]
MOST_PARTITIONS = 20
"""More would leave nearly every topic without relevant documents somewhere."""
_GOLDEN, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_WORD = (1 << 64) - 1


def document_hash(document: str) -> int:
    """The first 8 bytes of BLAKE2b of the document id (UTF-8), as a little-endian number.

    >>> f"{document_hash('FT911-1'):016x}"
    '432f600300d72d89'
    """
    return int.from_bytes(hashlib.blake2b(document.encode()).digest()[:8], "little")


class DocumentHashes(dict[str, int]):
    """Hashes of document ids, each computed once and kept for the runs to come."""

    def __missing__(self, document: str) -> int:
        value = self[document] = document_hash(document)
        return value

    def of(self, documents: Iterable[str]) -> Hashes:
        """The hash of every document."""
        return np.fromiter(map(self.__getitem__, documents), dtype=np.uint64)


def splitmix64(values: Hashes) -> Hashes:
    """The splitmix64 step and finaliser (Steele, Lea & Flood 2014, OOPSLA) of every 64-bit word.

    >>> hex(splitmix64(np.zeros(1, dtype=np.uint64))[0])
    '0xe220a8397b1dcdaf'
    """
    z = np.atleast_1d(values) + np.uint64(_GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(_FIRST)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(_SECOND)
    return np.asarray(z ^ (z >> np.uint64(31)))


def mix64(hashes: Hashes, seed: int, split: int) -> Hashes:
    """Each hash mixed with seed and split: splitmix64(h ⊕ splitmix64(splitmix64(seed) ⊕ split))."""
    key = splitmix64(np.array([seed & _WORD], dtype=np.uint64)) ^ np.uint64(split & _WORD)
    return splitmix64(hashes ^ splitmix64(key))


def assign(hashes: Hashes, partitions: int, *, seed: int, split: int) -> NDArray[np.int64]:
    """The partition, 0 … x−1, of every document: mix64(h, seed, split) mod x.

    It needs no list of the corpus, and any two people who know the seed and the split agree on it.

    >>> hashes = DocumentHashes().of(["FT911-1", "FT911-2", "FT911-3", "FT911-4"])
    >>> assign(hashes, 2, seed=1, split=1).tolist(), assign(hashes, 2, seed=1, split=2).tolist()
    ([0, 1, 1, 0], [0, 1, 1, 1])
    """
    return (mix64(hashes, seed, split) % np.uint64(partitions)).astype(np.int64)


def check_partitions(partitions: int) -> int:
    """The number of partitions, once it is known to be a sensible one."""
    if isinstance(partitions, bool) or not isinstance(partitions, int) or not 2 <= partitions <= MOST_PARTITIONS:
        raise ArgumentError(
            f"`n_partitions` must be a whole number from 2 to {MOST_PARTITIONS}; got {partitions!r}. Write 2."
        )
    return partitions
