"""Splitters of topics: hold-out, N-fold (also repeated), leave-one-out, or any scikit-learn splitter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.core.defaults import FOLDS, HOLDOUT, REPEATS, SEED
from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.labels import positions
from cranfield.core.options import at_least
from cranfield.core.resampling import generator

Positions = NDArray[np.intp]

_STREAM = 509
"""The stream of random numbers of folds."""


@runtime_checkable
class Splitter(Protocol):
    """Anything with scikit-learn's ``split``: yields (training, held-out) positions of the rows of `X`."""

    def split(self, X: Any) -> Iterable[tuple[Any, Any]]:
        """(training, held-out) positions, fold by fold."""


class _OwnSplitter(ABC):
    """Own splitters choose the held-out topics; all others are training topics."""

    @abstractmethod
    def held_out(self, scores: NDArray[np.float64]) -> list[Positions]:
        """The held-out positions of every fold, each in increasing order, from topic × setting scores."""

    @abstractmethod
    def __str__(self) -> str: ...

    def split(self, X: ArrayLike, y: object = None, groups: object = None) -> Iterator[tuple[Positions, Positions]]:
        """(training, held-out) positions of the rows of `X`, as scikit-learn expects them; `y`, `groups` unused.

        Stratified folds take the mean of a row as the topic's difficulty.
        """
        scores = np.asarray(X, dtype=np.float64)
        everything = np.arange(len(scores))
        for held_out in self.held_out(scores.reshape(len(scores), -1)):
            yield np.setdiff1d(everything, held_out, assume_unique=True), held_out

    def get_n_splits(self, X: ArrayLike, y: object = None, groups: object = None) -> int:
        """How many folds `split` makes; scikit-learn asks for it."""
        return sum(1 for _ in self.split(X))


@dataclass(frozen=True)
class NFold(_OwnSplitter):
    """N folds of topics of nearly equal size; every topic is held out once per repeat.

    Parameters
    ----------
    n_folds : how many folds
    n_repeats : how often to draw the folds; a topic's held-out score is then the mean over the repeats
    stratified : balance hard and easy topics (by mean score) over the folds. The scores then shape the folds; the
        choice of a fold still depends on its training topics alone.
    seed : the draw

    Examples
    --------
    >>> [held_out.tolist() for _, held_out in NFold(3, seed=1).split([0.1, 0.2, 0.3, 0.4, 0.5])]
    [[1, 2], [0, 3], [4]]
    """

    n_folds: int = FOLDS
    n_repeats: int = 1
    stratified: bool = False
    seed: int = SEED

    def __post_init__(self) -> None:
        at_least("n_folds", self.n_folds, 2, FOLDS)
        at_least("n_repeats", self.n_repeats, 1, 1)
        at_least("seed", self.seed, 0, SEED)

    def held_out(self, scores: NDArray[np.float64]) -> list[Positions]:
        """See `NFold`; of 50 topics in 4 folds the first two get 13, the others 12 (stratified: any two)."""
        n_topics = len(scores)
        if self.n_folds > n_topics:
            raise ArgumentError(
                f"`n_folds` must be at most the number of topics; got {self.n_folds} folds for {n_topics} topics. "
                f"Write {n_topics} (leave-one-out) or less."
            )
        folds = []
        for repeat in range(self.n_repeats):
            random = generator(self.seed, _STREAM, repeat)
            if self.stratified:
                fold_of = self._deal(random, scores.mean(axis=1))
                folds += [np.flatnonzero(fold_of == fold) for fold in range(self.n_folds)]
            else:
                folds += [np.sort(part) for part in np.array_split(random.permutation(n_topics), self.n_folds)]
        return folds

    def _deal(self, random: np.random.Generator, difficulty: NDArray[np.float64]) -> Positions:
        """The fold of each topic: from hardest to easiest, every N topics go to N different folds."""
        n_topics, rounds = len(difficulty), -(-len(difficulty) // self.n_folds)
        dealt = random.permuted(np.tile(np.arange(self.n_folds), (rounds, 1)), axis=1).ravel()[:n_topics]
        fold_of = np.empty(n_topics, dtype=np.intp)
        fold_of[np.argsort(difficulty, kind="stable")] = dealt
        return fold_of

    def __str__(self) -> str:
        return f"{self.n_folds}-fold{_extras(self.n_repeats, self.stratified)}"


@dataclass(frozen=True)
class LeaveOneOut(_OwnSplitter):
    """Every topic is one fold and the others train: N-fold with N the number of topics.

    >>> [held_out.tolist() for _, held_out in LeaveOneOut().split([0.1, 0.2, 0.3])]
    [[0], [1], [2]]
    """

    def held_out(self, scores: NDArray[np.float64]) -> list[Positions]:
        """One topic at a time, in order."""
        return list(np.arange(len(scores), dtype=np.intp)[:, None])

    def __str__(self) -> str:
        return "leave-one-out"


@dataclass(frozen=True)
class HoldOut(_OwnSplitter):
    """A share of the topics is held out and the rest trains; repeats draw again.

    Parameters
    ----------
    share : the part held out, as a share of the topics (rounded, at least one topic)
    n_repeats : how often to draw; a topic's held-out score is the mean over the draws in which it was held out
    stratified : draw one topic from each of equally many strata of difficulty
    seed : the draw

    Examples
    --------
    >>> [held_out.tolist() for _, held_out in HoldOut(0.4, seed=1).split([0.1, 0.2, 0.3, 0.4, 0.5])]
    [[1, 2]]
    """

    share: float = HOLDOUT
    n_repeats: int = 1
    stratified: bool = False
    seed: int = SEED

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            hint = self.share / 100 if 2 <= self.share < 100 else HOLDOUT
            raise ArgumentError(f"`share` must be between 0 and 1; got {self.share:g}. Write {hint:g}.")
        at_least("n_repeats", self.n_repeats, 1, 1)
        at_least("seed", self.seed, 0, SEED)

    def held_out(self, scores: NDArray[np.float64]) -> list[Positions]:
        """See `HoldOut`."""
        n_topics = len(scores)
        count = min(max(1, round(self.share * n_topics)), n_topics - 1)
        folds = []
        for repeat in range(self.n_repeats):
            random = generator(self.seed, _STREAM, repeat)
            if self.stratified:
                strata = np.array_split(np.argsort(scores.mean(axis=1), kind="stable"), count)
                folds.append(np.sort([random.choice(stratum) for stratum in strata]))
            else:
                folds.append(np.sort(random.permutation(n_topics)[:count]))
        return folds

    def __str__(self) -> str:
        return f"hold-out of {self.share:g}{_extras(self.n_repeats, self.stratified)}"


def splitter_of(
    splitter: Any = None,
    *,
    folds: int | None = None,
    leave_one_out: bool = False,
    holdout: float | None = None,
    n_repeats: int | None = None,
    stratified: bool = False,
    seed: int = SEED,
) -> Any:
    """The given splitter, or that of the keywords; 10 folds, drawn 10 times, by default.

    >>> print(splitter_of(holdout=0.25, n_repeats=3))
    hold-out of 0.25, drawn 3 times
    """
    asked = {"splitter": splitter, "folds": folds, "leave_one_out": leave_one_out or None, "holdout": holdout}
    chosen = [f"`{name}`" for name, value in asked.items() if value is not None]
    if len(chosen) > 1:
        raise ArgumentError(f"{' and '.join(chosen)} exclude each other. Choose one.")
    if splitter is not None:
        return splitter
    if leave_one_out:
        if n_repeats not in (None, 1) or stratified:
            raise ArgumentError("`leave_one_out` draws nothing. Omit `n_repeats` and `stratified`.")
        return LeaveOneOut()
    if holdout is not None:
        return HoldOut(holdout, 1 if n_repeats is None else n_repeats, stratified, seed)
    repeats = n_repeats if n_repeats is not None else REPEATS if folds is None else 1
    return NFold(FOLDS if folds is None else folds, repeats, stratified, seed)


def _extras(repeats: int, stratified: bool) -> str:
    drawn = f", drawn {repeats} times" if repeats > 1 else ""
    return drawn + (", stratified by difficulty" if stratified else "")


@dataclass(frozen=True, eq=False)
class Folds:
    """Positions of held-out and training topics among `topics` (in byte order of the ids).

    `train` is None when every fold trains on all topics that it does not hold out.
    """

    topics: tuple[str, ...]
    held_out: tuple[Positions, ...]
    train: tuple[Positions, ...] | None
    description: str
    seed: int | None = None

    def __len__(self) -> int:
        return len(self.held_out)

    @property
    def times_held_out(self) -> NDArray[np.int64]:
        """How often each topic is held out."""
        return np.bincount(np.concatenate(self.held_out), minlength=len(self.topics))

    @property
    def n_train(self) -> NDArray[np.int64]:
        """Training topics of every fold."""
        if self.train is None:
            return len(self.topics) - np.array([len(fold) for fold in self.held_out])
        return np.array([len(fold) for fold in self.train])

    def held_out_topics(self, fold: int) -> tuple[str, ...]:
        """The ids of the topics a fold holds out (folds count from 0)."""
        return tuple(self.topics[at] for at in self.held_out[fold])

    def training_topics(self, fold: int) -> tuple[str, ...]:
        """The ids of the topics a fold is tuned on (folds count from 0)."""
        if self.train is not None:
            return tuple(self.topics[at] for at in self.train[fold])
        gone = set(self.held_out[fold].tolist())
        return tuple(topic for at, topic in enumerate(self.topics) if at not in gone)


def make_folds(
    splitter: Splitter | Sequence[tuple[Sequence[str], Sequence[str]]],
    topics: tuple[str, ...],
    units: NDArray[np.float64],
    scores: NDArray[np.float64] | None = None,
) -> Folds:
    """The folds a splitter makes of these topics (in byte order), checked.

    Own splitters get the scores in units of the exact grid, so rounding cannot change a stratified fold. Others get
    the scores.

    Also accepts any object with scikit-learn's ``split``, whose positions count topics in byte order of their ids; or
    a list of (training topics, held-out topics), each a list of ids.
    """
    if isinstance(splitter, _OwnSplitter):
        held_out = splitter.held_out(units)
        return Folds(topics, tuple(held_out), None, str(splitter), getattr(splitter, "seed", None))
    if isinstance(splitter, Splitter) and not isinstance(splitter, str):
        pairs = [_as_positions(pair, len(topics)) for pair in splitter.split(units if scores is None else scores)]
        description = " ".join(repr(splitter).split())
    elif isinstance(splitter, Sequence) and not isinstance(splitter, str):
        pairs = [_from_ids(pair, topics) for pair in splitter]
        description = f"{len(pairs)} given folds"
    else:
        raise ArgumentError(
            "`splitter` must be NFold, LeaveOneOut, HoldOut, an object with scikit-learn's split, or a list of "
            f"(training topics, held-out topics); got {type(splitter).__name__}."
        )
    if not pairs:
        raise DataError("the splitter made no fold. Give at least one.")
    for number, (train, test) in enumerate(pairs, 1):
        _check(number, train, test, topics)
    return Folds(topics, tuple(test for _, test in pairs), tuple(train for train, _ in pairs), description)


def _as_positions(pair: tuple[Any, Any], n_topics: int) -> tuple[Positions, Positions]:
    sides = []
    for part in pair:
        array = np.asarray(part)
        array = np.flatnonzero(array) if array.dtype == np.bool_ else array.astype(np.intp)
        if array.size and not 0 <= array.min() <= array.max() < n_topics:
            raise DataError(
                f"the splitter made positions {array.min()} to {array.max()}. "
                f"Positions of the {n_topics} topics run from 0 to {n_topics - 1}."
            )
        sides.append(np.sort(array))
    return sides[0], sides[1]


def _from_ids(pair: tuple[Sequence[str], Sequence[str]], topics: tuple[str, ...]) -> tuple[Positions, Positions]:
    train, test = (np.sort(np.array(positions("topic", part, topics), dtype=np.intp)) for part in pair)
    return train, test


def _check(number: int, train: Positions, test: Positions, topics: tuple[str, ...]) -> None:
    for what, part in (("training", train), ("held-out", test)):
        if not part.size:
            raise DataError(f"fold {number} has no {what} topic. Give it at least one.")
        if len(np.unique(part)) < len(part):
            raise DataError(f"fold {number} names a {what} topic more than once. Name each once.")
    both = np.intersect1d(train, test)
    if both.size:
        raise DataError(
            f"fold {number} both trains on and holds out topic {topics[both[0]]!r} ({both.size} such topics). "
            "Use each topic on one side."
        )
