"""Ids made to collide cost little and change no score."""

from __future__ import annotations

import time
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from cranfield import evaluate
from cranfield.collection.packed import Ids
from cranfield.core.errors import DataError
from cranfield.measures import ranking
from cranfield.measures.ranking import DocumentIndex
from support import ends_within

WORDS = ("Abcd0ef1", "Qbcd2efq")
"""Words whose differences cancelled each other under every seed of a linear hash."""


@pytest.mark.parametrize("words", [2, 3, 8])
def test_swapped_words_get_hashes_of_their_own(words: int) -> None:
    ids = Ids.of(["".join(parts) for parts in product(WORDS, repeat=words)])
    for seed in range(4):
        assert len(set(ids.hashed(seed).tolist())) == len(ids)


def test_a_flipped_highest_bit_moves_the_hash_by_another_amount_in_each_word() -> None:
    """2^63 times any odd number is 2^63: what follows the product has to tell the words apart."""
    top = np.uint64(1 << 63)
    rng = np.random.default_rng(33)
    words = [rng.integers(1, 2**63, 500, dtype=np.uint64) for _ in range(2)]
    for seed in range(4):
        assert not (Ids(words).hashed(seed) == Ids([word ^ top for word in words]).hashed(seed)).any()


@ends_within(20)
def test_judged_ids_that_collided_under_every_seed_are_evaluated(tmp_path: Path) -> None:
    ids = ["".join(parts) for parts in product(WORDS, repeat=2)]
    qrels, run = tmp_path / "qrels.txt", tmp_path / "a.run"
    qrels.write_text("".join(f"1 0 {name} 1\n" for name in ids))
    run.write_text(f"1 Q0 {ids[0]} 1 3 a\n1 Q0 other 2 2 a\n1 Q0 {ids[1]} 3 1 a\n")
    assert evaluate(qrels, [run], ["P@3", "RR"])["P@3"].values.tolist() == [[2 / 3]]


class Colliding(DocumentIndex):
    """Ids in words have one hash, whatever the seed; those as text too, if so wanted."""

    text = False

    def _keys(self, topic, document):  # type: ignore[no-untyped-def]
        keys = super()._keys(topic, document)
        return keys * np.uint64(0) if self.text or isinstance(document, Ids) else keys


@ends_within(20)
def test_words_that_always_collide_are_looked_up_as_text() -> None:
    ids = Ids.of(["a", "b", "a", "c"])
    topic = np.array([0, 0, 1, 1])
    index = Colliding(topic, ids)
    pairs = list(zip(index.topic.tolist(), index.document.to_list(), strict=True))
    assert sorted(pairs) == [(0, "a"), (0, "b"), (1, "a"), (1, "c")]
    sought = np.array([0, 0, 1, 1, 2])
    for documents in (Ids.of(["b", "c", "c", "zz", "a"]), pl.Series(["b", "c", "c", "zz", "a"])):
        found = index.find(sought, documents).tolist()
        assert [pairs[at] if at >= 0 else None for at in found] == [(0, "b"), None, (1, "c"), None, None]


@ends_within(20)
def test_the_attempts_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Colliding, "text", True)
    with pytest.raises(DataError, match="collide under every hash. Rename some documents"):
        Colliding(np.array([0, 0]), Ids.of(["a", "b"]))


def crowded(count: int) -> Ids:
    """Ids in words whose hashes begin with the same 9 bits, found by trying."""
    rng = np.random.default_rng(33)
    kept: list[NDArray[np.uint64]] = []
    while sum(map(len, kept)) < count:
        word = rng.integers(ord("a"), ord("z") + 1, size=(1 << 21, 8), dtype=np.uint8).view("<u8").ravel()
        kept.append(word[Ids([word]).hashes >> np.uint64(55) == 5])
    return Ids([np.unique(np.concatenate(kept))[:count]])


def test_ids_made_to_share_their_slots_take_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = crowded(20_000)
    topic = np.zeros(len(ids), dtype=np.int64)
    index = DocumentIndex(topic, ids)
    began = time.process_time()
    found = index.find(topic, ids)
    took = time.process_time() - began
    assert np.array_equal(np.sort(found), np.arange(len(ids)))
    assert index.document.gather(found).equal(ids).all()
    # Probing slot by slot took 2 s; bisection takes 0.01 s.
    assert took < 0.5
    monkeypatch.setattr(ranking, "_PROBES", 0)
    assert np.array_equal(index.find(topic, ids), found), "bisection alone finds the same"
