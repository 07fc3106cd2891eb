"""`tune`: what a tuned system does on unseen topics, and held-out scores fit for a comparison."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cranfield.collection.doors import QrelsLike
from cranfield.defaults import ALPHA, MEASURES, SEED
from cranfield.errors import DataError, notify
from cranfield.executors import Progress
from cranfield.labels import summary
from cranfield.measures.doors import scores_or_evaluated
from cranfield.resampling import grid_step, own_unit
from cranfield.scores import ScoreMatrix
from cranfield.scores.doors import as_matrix, is_scores
from cranfield.sentences import tuning as say
from cranfield.tuning.choice import best, choose, mean_per_topic
from cranfield.tuning.families import Family, FamilyLike, LiveFamily, as_families, split_families
from cranfield.tuning.folds import Folds, Splitter, make_folds, splitter_of
from cranfield.tuning.result import TunedFamily, Tuning

Array = NDArray[np.float64]

_UNLIKE = 0.25
"""Variance between rival settings, relative to that between families, above which tests are warned about.

Set by simulation; docs/tuning.md says how well it does on others, and that it misses much under leave-one-out."""


def tune(
    families: FamilyLike | Mapping[str, FamilyLike] | Iterable[Family | LiveFamily],
    splitter: Splitter | Sequence[tuple[Sequence[str], Sequence[str]]] | None = None,
    *,
    qrels: QrelsLike | None = None,
    measure: str | None = None,
    folds: int | None = None,
    leave_one_out: bool = False,
    holdout: float | None = None,
    n_repeats: int | None = None,
    stratified: bool = False,
    seed: int = SEED,
    progress: Progress | None = None,
) -> Tuning:
    """Choose every family's setting on training topics, score it on held-out ones (INLS 509, "Cross-Validation").

    For each fold and family, the setting with the best mean score on the training topics is applied to the
    held-out topics. The same folds serve all families, and every topic's score comes from a setting it had no
    part in choosing, so that the held-out matrix goes straight into a significance test.

    Means are compared on the exact grid; settings tied for the best mean are taken in the given order, and a
    warning says so. The folds depend on the topic ids and the seed, not on the order in which topics were given.

    Parameters
    ----------
    families : the families to tune, all on the same topics and measure: a mapping from name to `ScoreMatrix`
        whose systems are the settings, `Family` and `LiveFamily` objects, or one matrix (see `split_families`); scores
        may have any form that `as_scores` takes. With `qrels`, runs by setting: ``{"ql(mu=500)": run, …}``
    qrels, measure : judgments for runs, which are evaluated first; the measure to tune for
    splitter : `NFold` (default, 10 folds drawn 10 times), `LeaveOneOut`, `HoldOut`, any object with scikit-learn's
        ``split`` (its positions count topics in byte order of their ids), or a list of (training, held-out topics)
    folds, leave_one_out, holdout : instead of a splitter: so many folds, one topic at a time, or a share of the topics
    n_repeats, stratified, seed : how folds or a hold-out are drawn; see `NFold`. Drawn once where `folds` or `holdout`
        is given, 10 times where neither is: one draw of folds moves the held-out mean by chance
    progress : called with (done, total) while a live family is evaluated

    Notes
    -----
    `held_out_mean` is the mean over topics. With folds of equal size it is the mean of the folds' means, as on
    the slides. It speaks of the procedure (tune on a little less than all topics, then use); a system tuned on
    all topics should do slightly better (Arguello, INLS 509, "Parameter Tuning").

    Examples
    --------
    Five folds, whose held-out means are those of the slides (INLS 509: .80, .50, .70, .55, .50, average .61):

    >>> scores = [[0.80, 0.7], [0.50, 0.4], [0.70, 0.6], [0.55, 0.5], [0.50, 0.4]]
    >>> ql = ScoreMatrix(scores, "12345", ["ql(lambda=0.6)", "ql(lambda=0.4)"], "P@10")
    >>> tuning = tune({"ql": ql}, folds=5)
    >>> tuning
    Tuning(P@10, 5-fold, 5 topics)
      ql: held-out mean 0.6100 [0.4434, 0.7766], in-sample 0.6100 with ql(lambda=0.6) (chosen in 5 of 5 folds)
    >>> tuning.held_out.system_means.round(4).tolist()
    [0.61]
    """
    if qrels is not None:
        families = split_families(scores_or_evaluated(families, qrels, measure or MEASURES[0]).only())
    elif measure is not None and is_scores(families) and not isinstance(families, ScoreMatrix):
        families = split_families(as_matrix(families, measure=measure, argument="families"))
    listed = as_families(families, progress)
    topics = _check(listed)
    ordered = [_in_order(family.scores, topics) for family in listed]
    together = ordered[0] if len(ordered) == 1 else np.hstack(ordered)
    # Scores in units of one exact grid: whole numbers, whose sums over topics and settings have no rounding error.
    units = together / own_unit(together)
    units *= 1 / grid_step(units, max(units.shape))
    np.rint(units, out=units)
    split = splitter_of(
        splitter, folds=folds, leave_one_out=leave_one_out, holdout=holdout, n_repeats=n_repeats,
        stratified=stratified, seed=seed,
    )  # fmt: skip
    made = make_folds(split, topics, units, together)
    borders = np.cumsum([x.shape[1] for x in ordered])[:-1]
    tuned, held_out = [], []
    for family, raw, own in zip(listed, ordered, np.split(units, borders, axis=1), strict=True):
        one, scores = _tune_one(family, raw, own, made)
        tuned.append(one)
        held_out.append(scores)
    covered = made.times_held_out > 0
    where = {topic: at for at, topic in enumerate(topics)}
    shown = [topic for topic in listed[0].scores.topics if covered[where[topic]]]
    matrix = ScoreMatrix(
        np.column_stack(held_out)[[where[topic] for topic in shown]],
        shown,
        [family.name for family in listed],
        listed[0].scores.measure,
        provenance=[f"held-out scores of tuned families, {made.description}"],
    )
    result = Tuning(tuple(tuned), made, matrix, (*_inherited(listed), *_warnings(tuned, made, matrix.values)))
    notify(result.warnings)
    return result


def _inherited(families: tuple[Family, ...]) -> list[str]:
    """What the scores of the families already had to say."""
    return [f"{family.name}: {text}" for family in families for text in family.scores.warnings]


def _check(families: tuple[Family, ...]) -> tuple[str, ...]:
    """The topics all families share, in byte order, once the families are known to be fit for tuning."""
    first = families[0]
    for family in families:
        name, scores = family.name, family.scores
        if scores.n_systems < 2:
            raise DataError(
                f"family {name!r} has one setting, {scores.systems[0]!r}; tuning needs at least 2. "
                "Give it further settings, or compare it untuned with the held-out scores of the others."
            )
        if scores.measure != first.scores.measure:
            raise DataError(
                f"the families must be scored by one measure; {first.name!r} has {first.scores.measure}, "
                f"{name!r} has {scores.measure}"
            )
        unmatched = sorted(set(scores.topics) ^ set(first.scores.topics))
        if unmatched:
            raise DataError(
                f"families {first.name!r} and {name!r} differ in {len(unmatched)} topics ({summary(unmatched)}); "
                "score them on the same topics, or keep the common ones"
            )
        scores.require(topics=2, what=f"tuning {name!r}")
    return tuple(sorted(first.scores.topics, key=str.encode))


def _in_order(scores: ScoreMatrix, topics: tuple[str, ...]) -> Array:
    """The values with topics in this order; not a copy where they stand in it already."""
    return scores.values if scores.topics == topics else scores.select(topics=topics).values


def _tune_one(family: Family, raw: Array, units: Array, folds: Folds) -> tuple[TunedFamily, Array]:
    """The findings for one family, and its held-out score per topic (NaN for a topic never held out)."""
    # Two sums of n scores that are equal before rounding differ by at most n units after it.
    choice = choose(units, folds, tolerance=len(units))
    final = int(best(units.sum(axis=0, keepdims=True), tolerance=len(units)).column[0])
    sizes = np.array([len(fold) for fold in folds.held_out])
    topic = np.concatenate(folds.held_out)
    score = raw[topic, np.repeat(choice.column, sizes)]
    held_out = mean_per_topic(topic, score, len(raw))
    covered = ~np.isnan(held_out)
    held_out_mean = float(held_out[covered].mean())
    # The same sums as for the held-out mean, so that folds which all chose `final` give an optimism of exactly 0.
    in_sample = float(mean_per_topic(topic, raw[topic, final], len(raw))[covered].mean())
    held_out_sums = np.add.reduceat(score, np.cumsum(sizes) - sizes)
    if folds.train is None:
        train_sums = raw.sum(axis=0)[choice.column] - held_out_sums
    else:
        train_sums = np.array([raw[train, at].sum() for train, at in zip(folds.train, choice.column, strict=True)])
    result = TunedFamily(
        family=family,
        choices=choice.column,
        train_means=train_sums / folds.n_train,
        held_out_means=held_out_sums / sizes,
        final=family.scores.systems[final],
        in_sample_mean=float(raw[:, final].mean()),
        held_out_mean=held_out_mean,
        optimism=in_sample - held_out_mean,
        n_tied=int(choice.tied.sum()),
        **_interval(held_out[covered]),
    )
    return result, held_out


def _interval(scores: Array, alpha: float = ALPHA) -> dict[str, float | None]:
    """The t interval of the mean over topics of the held-out scores; none from a single topic."""
    from scipy.special import stdtrit

    n = len(scores)
    if n < 2:
        return {"lower": None, "upper": None}
    reach = float(stdtrit(n - 1, 1 - alpha / 2)) * float(scores.std(ddof=1)) / math.sqrt(n)
    mean = float(scores.mean())
    return {"lower": mean - reach, "upper": mean + reach}


def _near_best_settings_differ(family: TunedFamily, held_out: Array) -> bool:
    """Whether the settings that might have been chosen differ, topic by topic, as much as the families do.

    The rivals of the final setting are those whose mean is within two standard errors of the difference. If a rival
    differs from it by much of the variance that a difference between two families has, chance in the training topics
    moves the held-out scores of a whole fold, and a test that takes topics as independent rejects too often (see
    `selection_bias`). Whether the folds happened to agree on a setting says nothing about it.
    """
    pairs = list(itertools.combinations(held_out.T, 2))
    if not pairs or len(family.choices) < 3 or len(held_out) < 2:
        return False
    scores = family.family.scores
    final = scores.systems.index(family.final)
    behind = np.delete(scores.values[:, [final]] - scores.values, final, axis=1)
    variance = behind.var(axis=0, ddof=1)
    rivals = (behind.mean(axis=0) <= 2 * np.sqrt(variance / scores.n_topics)) & (variance > 0)
    between_families = float(np.mean([(a - b).var(ddof=1) for a, b in pairs]))
    return bool(rivals.any()) and float(variance[rivals].mean()) > _UNLIKE * between_families


def _warnings(tuned: Sequence[TunedFamily], folds: Folds, held_out: Array) -> Iterable[str]:
    yield from dict.fromkeys(note for family in tuned for note in family.family.notes)
    for family in tuned:
        if family.n_tied:
            yield say.TIED(family=family.name, tied=family.n_tied, folds=len(folds))
    for family in tuned:
        if _near_best_settings_differ(family, held_out):
            yield say.DEPENDENT(family=family.name)
    if folds.description.startswith("leave-one-out"):
        yield say.LEAVE_ONE_OUT()
    if len(tuned) == 1 and len(folds) >= 3 and tuned[0].agreement < 0.5:
        yield say.MIXTURE(family=tuned[0].name, share=tuned[0].agreement)
    times = folds.times_held_out
    never = int(np.count_nonzero(times == 0))
    if never:
        rest = len(times) - never
        yield say.NEVER_HELD_OUT(never=never, topics=len(times), rest=rest, s="s" * (rest > 1))
