"""Partitions: the hash is the one the documentation names, and it is fair."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core.errors import ArgumentError
from cranfield.questions.replicates.partitions import DocumentHashes, assign, check_partitions, mix64, splitmix64

WORD = (1 << 64) - 1


def splitmix(z: int) -> int:
    """The published algorithm, on Python's whole numbers."""
    z = (z + 0x9E3779B97F4A7C15) & WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return z ^ (z >> 31)


@given(st.integers(0, WORD), st.integers(0, WORD), st.integers(0, 10_000))
def test_mixing_is_as_published(value: int, seed: int, split: int) -> None:
    expected = splitmix(value ^ splitmix(splitmix(seed) ^ split))
    assert int(mix64(np.array([value], dtype=np.uint64), seed, split)[0]) == expected


def test_splitmix64_gives_the_reference_stream() -> None:
    # The first outputs of the reference generator seeded with 0: each adds the golden ratio once more.
    state = np.arange(3, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    assert [hex(value) for value in splitmix64(state).tolist()] == [
        "0xe220a8397b1dcdaf", "0x6e789e6aa1b965f4", "0x6c45d188009454f",
    ]  # fmt: skip


@given(st.text(max_size=20), st.integers(2, 20), st.integers(1, 50))
def test_a_documents_partition_is_its_hash(document: str, partitions: int, split: int) -> None:
    document = document.encode(errors="ignore").decode()
    value = int.from_bytes(hashlib.blake2b(document.encode()).digest()[:8], "little")
    expected = splitmix(value ^ splitmix(splitmix(1) ^ split)) % partitions
    assert assign(DocumentHashes().of([document]), partitions, seed=1, split=split).tolist() == [expected]


def test_partitions_are_even_and_splits_independent() -> None:
    hashes = DocumentHashes().of(f"doc-{i}" for i in range(40_000))
    first, second = (assign(hashes, 4, seed=1, split=split) for split in (1, 2))
    joint = np.bincount(first * 4 + second, minlength=16)
    # χ² with 15 degrees of freedom passes 45 once in 10,000 seeds; this one is fixed.
    assert float(((joint - 2500) ** 2 / 2500).sum()) < 45


@pytest.mark.parametrize("wrong", [1, 0, -3, 21, 2.5, True])
def test_a_senseless_number_of_partitions(wrong: object) -> None:
    with pytest.raises(ArgumentError) as caught:
        check_partitions(wrong)  # type: ignore[arg-type]
    assert str(caught.value) == f"`n_partitions` must be a whole number from 2 to 20; got {wrong!r}. Write 2."
