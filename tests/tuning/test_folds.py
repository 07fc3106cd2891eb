"""Splitters: every way of holding topics out, ours and others'."""

from __future__ import annotations

import numpy as np
import pytest

from cranfield import ArgumentError, DataError
from cranfield.core.errors import UnknownNameError
from cranfield.questions.tune.folds import HoldOut, LeaveOneOut, NFold, make_folds, splitter_of

TOPICS = tuple(f"{i:03d}" for i in range(50))
VALUES = np.random.default_rng(1).random((50, 3))


def held_out(splitter: object) -> list[list[int]]:
    return [fold.tolist() for fold in make_folds(splitter, TOPICS, VALUES).held_out]  # type: ignore[arg-type]


@pytest.mark.parametrize("n_folds", [2, 3, 7, 10, 49, 50])
@pytest.mark.parametrize("stratified", [False, True])
def test_folds_partition_the_topics_into_equal_parts(n_folds: int, stratified: bool) -> None:
    folds = held_out(NFold(n_folds, stratified=stratified))
    assert len(folds) == n_folds
    assert sorted(np.concatenate(folds).tolist()) == list(range(50))
    sizes = [len(fold) for fold in folds]
    assert max(sizes) - min(sizes) <= 1


def test_fold_sizes_are_those_of_scikit_learn() -> None:
    from sklearn.model_selection import KFold

    for n_folds in (3, 4, 7, 11):
        theirs = [len(test) for _, test in KFold(n_folds, shuffle=True).split(VALUES)]
        assert [len(fold) for fold in held_out(NFold(n_folds))] == theirs


def test_every_repeat_is_a_partition_of_its_own() -> None:
    folds = held_out(NFold(5, n_repeats=3))
    repeats = [folds[start : start + 5] for start in (0, 5, 10)]
    for repeat in repeats:
        assert sorted(np.concatenate(repeat).tolist()) == list(range(50))
    assert repeats[0] != repeats[1] != repeats[2]
    assert repeats[0] == held_out(NFold(5))


def test_the_seed_draws_the_folds() -> None:
    assert held_out(NFold(5, seed=1)) == held_out(NFold(5, seed=1)) != held_out(NFold(5, seed=2))


def test_stratified_folds_share_out_hard_and_easy_topics() -> None:
    difficulty = VALUES.mean(axis=1)
    hard_to_easy = np.argsort(difficulty)
    folds = held_out(NFold(5, stratified=True))
    for stratum in np.split(hard_to_easy, 10):
        assert [len(set(stratum.tolist()) & set(fold)) for fold in folds] == [1] * 5
    means = [difficulty[fold].mean() for fold in folds]
    plain = [difficulty[fold].mean() for fold in held_out(NFold(5))]
    assert np.std(means) < np.std(plain)


def test_a_stratified_hold_out_takes_one_topic_from_each_stratum() -> None:
    (fold,) = held_out(HoldOut(0.2, stratified=True))
    strata = np.split(np.argsort(VALUES.mean(axis=1)), 10)
    assert [len(set(stratum.tolist()) & set(fold)) for stratum in strata] == [1] * 10


@pytest.mark.parametrize(("share", "count"), [(0.2, 10), (0.5, 25), (0.001, 1), (0.999, 49)])
def test_a_hold_out_takes_its_share(share: float, count: int) -> None:
    (fold,) = held_out(HoldOut(share))
    assert len(set(fold)) == count


def test_leave_one_out_holds_out_every_topic_alone() -> None:
    assert held_out(LeaveOneOut()) == [[i] for i in range(50)]


def test_our_splitters_serve_scikit_learn() -> None:
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import cross_val_score

    y = VALUES @ [1.0, 2.0, 3.0]
    for splitter, count in ((NFold(5), 5), (HoldOut(0.3), 1), (NFold(2, n_repeats=2), 4)):
        scores = cross_val_score(LinearRegression(), VALUES, y, cv=splitter)
        assert scores == pytest.approx(np.ones(count))
        assert splitter.get_n_splits(VALUES) == count


def test_ids_of_held_out_and_training_topics() -> None:
    folds = make_folds(NFold(5), TOPICS, VALUES)
    for fold in range(5):
        gone, kept = folds.held_out_topics(fold), folds.training_topics(fold)
        assert len(gone) == 10
        assert sorted(gone + kept) == list(TOPICS)
    given = make_folds([(TOPICS[:5], TOPICS[40:])], TOPICS, VALUES)
    assert given.training_topics(0) == TOPICS[:5]
    assert given.description == "1 given folds"
    assert given.n_train.tolist() == [5]


def test_boolean_masks_are_positions_too() -> None:
    mask = np.arange(50) < 10

    class Masked:
        def split(self, X: object) -> list[tuple[object, object]]:
            return [(~mask, mask)]

    assert held_out(Masked()) == [list(range(10))]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NFold(1), "`n_folds` must be a whole number of at least 2; got 1. Write 10."),
        (lambda: NFold(2.5), "`n_folds` must be a whole number of at least 2; got 2.5. Write 10."),
        (lambda: NFold(n_repeats=0), "`n_repeats` must be a whole number of at least 1; got 0. Write 1."),
        (lambda: NFold(seed=-1), "`seed` must be a whole number of at least 0; got -1. Write 1."),
        (lambda: HoldOut(20), "`share` must be between 0 and 1; got 20. Write 0.2."),
        (lambda: HoldOut(1), "`share` must be between 0 and 1; got 1. Write 0.2."),
        (
            lambda: held_out(NFold(51)),
            "`n_folds` must be at most the number of topics; got 51 folds for 50 topics. "
            "Write 50 (leave-one-out) or less.",
        ),
        (
            lambda: held_out("loo"),
            "`splitter` must be NFold, LeaveOneOut, HoldOut, an object with scikit-learn's split, or a list of "
            "(training topics, held-out topics); got str.",
        ),
        (lambda: held_out([(["000"], ["0499"])]), "unknown topic '0499'. Did you mean '049' or '048' or '047'?"),
    ],
)
def test_bad_splitters(make: object, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        make()  # type: ignore[operator]
    assert str(caught.value) == message
    assert isinstance(caught.value, UnknownNameError) == message.startswith("unknown")


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "the splitter made no fold. Give at least one."),
        ([([], ["000"])], "fold 1 has no training topic. Give it at least one."),
        ([(["000"], [])], "fold 1 has no held-out topic. Give it at least one."),
        ([(["000", "000"], ["001"])], "fold 1 names a training topic more than once. Name each once."),
        (
            [(["000"], ["001"]), (["000", "001"], ["001"])],
            "fold 2 both trains on and holds out topic '001' (1 such topics). Use each topic on one side.",
        ),
    ],
)
def test_folds_that_cannot_be_used(pairs: object, message: str) -> None:
    with pytest.raises(DataError) as caught:
        held_out(pairs)
    assert str(caught.value) == message


def test_positions_outside_the_topics() -> None:
    class Wild:
        def split(self, X: object) -> list[tuple[list[int], list[int]]]:
            return [([0, 1], [50])]

    with pytest.raises(DataError) as caught:
        held_out(Wild())
    assert str(caught.value) == "the splitter made positions 50 to 50. Positions of the 50 topics run from 0 to 49."


def test_splitters_by_keywords() -> None:
    assert splitter_of() == NFold(10, n_repeats=10)
    assert splitter_of(folds=10) == NFold()
    assert splitter_of(folds=4, n_repeats=2, stratified=True, seed=3) == NFold(4, 2, True, 3)
    assert splitter_of(leave_one_out=True) == LeaveOneOut()
    assert splitter_of(holdout=0.25, seed=3) == HoldOut(0.25, seed=3)
    own = NFold(3)
    assert splitter_of(own) is own
    with pytest.raises(ArgumentError, match="`splitter` and `folds` exclude each other. Choose one"):
        splitter_of(own, folds=3)
    with pytest.raises(ArgumentError, match="`leave_one_out` draws nothing. Omit `n_repeats` and"):
        splitter_of(leave_one_out=True, n_repeats=2)
