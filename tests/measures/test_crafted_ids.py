"""Ids made to collide cost little and change no score."""

from __future__ import annotations

import time
from itertools import count as count_up
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cranfield import evaluate
from cranfield.core.errors import DataError
from cranfield.measures import ranking
from cranfield.measures.ranking import DocumentIndex
from support import ends_within

WORDS = ("Abcd0ef1", "Qbcd2efq")
"""Words whose differences cancelled each other under every seed of a linear hash."""


@ends_within(20)
def test_judged_ids_that_collided_under_every_seed_are_evaluated(tmp_path: Path) -> None:
    ids = ["".join(parts) for parts in product(WORDS, repeat=2)]
    qrels, run = tmp_path / "qrels.txt", tmp_path / "a.run"
    qrels.write_text("".join(f"1 0 {name} 1\n" for name in ids))
    run.write_text(f"1 Q0 {ids[0]} 1 3 a\n1 Q0 other 2 2 a\n1 Q0 {ids[1]} 3 1 a\n")
    assert evaluate(qrels, [run], ["P@3", "RR"])["P@3"].values.tolist() == [[2 / 3]]


class Colliding(DocumentIndex):
    """The ids of a topic have one hash, whatever the seed."""

    def _keys(self, topic, document):  # type: ignore[no-untyped-def]
        return topic.astype(np.uint64)


class CollidingAtFirst(Colliding):
    """The same under the first three seeds."""

    def _keys(self, topic, document):  # type: ignore[no-untyped-def]
        return (Colliding if self._seed < 3 else DocumentIndex)._keys(self, topic, document)


def test_ids_that_collide_under_some_seeds_are_told_apart_by_another() -> None:
    index = CollidingAtFirst(np.array([0, 0, 1, 1]), pl.Series(["a", "b", "a", "c"]))
    pairs = list(zip(index.topic.tolist(), index.document.to_list(), strict=True))
    assert sorted(pairs) == [(0, "a"), (0, "b"), (1, "a"), (1, "c")]
    found = index.find(np.array([0, 0, 1, 1, 2]), pl.Series(["b", "c", "c", "zz", "a"])).tolist()
    assert [pairs[at] if at >= 0 else None for at in found] == [(0, "b"), None, (1, "c"), None, None]


@ends_within(20)
def test_the_attempts_have_an_end() -> None:
    with pytest.raises(DataError, match="collide under every hash. Rename some documents"):
        Colliding(np.array([0, 0]), pl.Series(["a", "b"]))


def crowded(count: int) -> pl.Series:
    """Ids whose hashes begin with the same 9 bits, found by trying."""
    kept: list[pl.Series] = []
    for begin in count_up(step=1 << 20):
        if sum(map(len, kept)) >= count:
            break
        ids = pl.Series(range(begin, begin + (1 << 20)), dtype=pl.Int64).cast(pl.String)
        kept.append(ids.filter(ids.hash(0).to_numpy() >> np.uint64(55) == 5))
    return pl.concat(kept).head(count)


def test_ids_made_to_share_their_slots_take_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = crowded(20_000)
    topic = np.zeros(len(ids), dtype=np.int64)
    index = DocumentIndex(topic, ids)
    began = time.process_time()
    found = index.find(topic, ids)
    took = time.process_time() - began
    assert np.array_equal(np.sort(found), np.arange(len(ids)))
    assert (index.document[found] == ids).all()
    # Probing slot by slot took 2 s; bisection takes 0.01 s.
    assert took < 0.5
    monkeypatch.setattr(ranking, "_PROBES", 0)
    assert np.array_equal(index.find(topic, ids), found), "bisection alone finds the same"
