"""`tune`: the score of a tuned system on unseen topics, and held-out scores for comparisons."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from cranfield.collection.doors import QrelsLike
from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, CURVE_RESAMPLES, MEASURES, SEED
from cranfield.core.errors import DataError, UnknownNameError, notify
from cranfield.core.executors import Progress
from cranfield.core.labels import summary
from cranfield.core.options import share
from cranfield.core.resampling import grid_step, own_unit
from cranfield.core.results import Result, signature
from cranfield.measures.doors import scores_or_evaluated
from cranfield.questions.tune.answer import tuning_answer
from cranfield.questions.tune.families import Family, FamilyLike, LiveFamily, as_families, split_families
from cranfield.questions.tune.folds import Folds, Splitter, make_folds, splitter_of
from cranfield.questions.tune.held_out import CURVE_COLUMNS, Array, TunedFamily, tune_family
from cranfield.scores.doors import as_matrix, is_scores
from cranfield.scores.matrix import ScoreMatrix, with_warnings

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

_UNLIKE = 0.25
"""Variance between rival settings, relative to that between families, above which a warning is given.

Set by simulation (docs/tuning.md). It misses many cases under leave-one-out."""
TIED = sentence(
    "tuning.tied",
    "{family}: several settings share the best training mean in {tied} of {folds} folds. The first in the given "
    "order was chosen.",
    "two or more settings have the highest mean on the training topics of that many folds",
)
DEPENDENT = sentence(
    "tuning.dependent",
    "{family}: settings close to the best differ much from topic to topic, so held-out scores are dependent. A test "
    "on them may reject too often; their mean is unaffected. Use fewer folds or a single hold-out.",
    "there are two families and three folds or more; rivals of the final setting differ from it topic by topic "
    "as much as families differ (simulated: docs/tuning.md)",
)
LEAVE_ONE_OUT = sentence(
    "tuning.leave-one-out",
    "Leave-one-out: the held-out mean is as unbiased as with folds, but its variance is larger. Prefer repeated "
    "folds (the default).",
    "every fold holds out a single topic (simulated: docs/tuning.md)",
)
MIXTURE = sentence(
    "tuning.mixture",
    "{family}: only {share:.0%} of the folds chose the final setting, so the held-out mean is that of several "
    "settings. Other topics may lead to another choice.",
    "there is one family, three folds or more, and fewer than half of them chose the final setting",
)
NEVER_HELD_OUT = sentence(
    "tuning.never-held-out",
    "{never} of {topics} topics were never held out, so the held-out scores cover {rest} topic{s}. N-fold and "
    "leave-one-out cover all topics.",
    "some topics are in no held-out part",
)


@dataclass(frozen=True, eq=False)
class Tuning(Result):
    """What `tune` found: per family and fold the choice and its scores, and the held-out scores of all families.

    Attributes
    ----------
    families : one `TunedFamily` each, also by name: ``tuning["bm25"]``
    folds : which topics were held out when; the same for all families
    held_out : topic × family matrix of held-out scores, ready for `cranfield.comparison`
    alpha : one minus the level of the intervals
    warnings : one sentence each
    """

    families: tuple[TunedFamily, ...]
    folds: Folds
    held_out: ScoreMatrix
    alpha: float = ALPHA
    warnings: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> TunedFamily:
        by_name = {family.name: family for family in self.families}
        if name not in by_name:
            raise UnknownNameError("family", name, by_name)
        return by_name[name]

    @property
    def measure(self) -> str:
        """The measure tuned for."""
        return self.held_out.measure

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        families = [f"{name} ({count} settings)" for name, count in self.settings["families"].items()]
        named = {**self.settings, "families": families}
        return signature("tuning", **{name.removeprefix("n_"): value for name, value in named.items()})

    def to_frame(self) -> pl.DataFrame:
        """One row per family and fold: family, fold, chosen, train_mean, held_out_mean, topics (held out).

        The last fold of a family, ``all``, holds its final setting, that setting's mean on all topics, and the
        mean of the held-out scores.
        """
        sizes = [len(fold) for fold in self.folds.held_out]
        return pl.concat(
            pl.DataFrame(
                {
                    "family": [one.name] * (len(sizes) + 1),
                    "fold": [*map(str, range(1, len(sizes) + 1)), "all"],
                    "chosen": [*one.chosen, one.final],
                    "train_mean": [*one.train_means, one.in_sample_mean],
                    "held_out_mean": [*one.held_out_means, one.held_out_mean],
                    "topics": [*sizes, self.held_out.n_topics],
                }
            )
            for one in self.families
        )

    @property
    def settings(self) -> dict[str, Any]:
        """How topics were held out."""
        return {
            "measure": self.measure,
            "families": {family.name: family.family.scores.n_systems for family in self.families},
            "n_topics": len(self.folds.topics),
            "folds": self.folds.description,
            "seed": self.folds.seed,
            "alpha": self.alpha,
        }

    def summary(self) -> str:
        """The held-out mean of every family and the setting to use."""
        each = [f"{f.name} {f.held_out_mean:.4f} held out, with {f.final}" for f in self.families]
        return f"{self.measure}: {'; '.join(each)}"

    def by_family(self) -> pl.DataFrame:
        """One row per family.

        Columns: family, settings, final, agreement (share of folds that chose it), distinct (settings chosen),
        in_sample_mean, held_out_mean, held_out_lower and held_out_upper (interval of the true mean of `final`, its
        choice included), optimism.
        """
        return pl.DataFrame(
            {
                "family": one.name,
                "settings": one.family.scores.n_systems,
                "final": one.final,
                "agreement": one.agreement,
                "distinct": one.n_distinct,
                "in_sample_mean": one.in_sample_mean,
                "held_out_mean": one.held_out_mean,
                "held_out_lower": one.lower,
                "held_out_upper": one.upper,
                "optimism": one.optimism,
            }
            for one in self.families
        )

    def curve(
        self,
        *,
        n_resamples: int = CURVE_RESAMPLES,
        seed: int = SEED,
        alpha: float = ALPHA,
        progress: Progress | None = None,
    ) -> pl.DataFrame:
        """The curves of all families below one another (see `TunedFamily.curve`)."""
        band: dict[str, Any] = {"n_resamples": n_resamples, "seed": seed, "alpha": alpha, "progress": progress}
        joined = pl.concat((family.curve(**band) for family in self.families), how="diagonal_relaxed")
        parameters = [name for name in joined.columns if name not in CURVE_COLUMNS]
        return joined.select(*CURVE_COLUMNS[:2], *parameters, *CURVE_COLUMNS[2:])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: signature, families, folds with their topics, held-out scores, warnings."""
        return {
            "signature": self.signature,
            "measure": self.measure,
            "settings": self.settings,
            "families": self.by_family().to_dicts(),
            "folds": [
                {
                    "fold": str(fold + 1),
                    "held_out": list(self.folds.held_out_topics(fold)),
                    "chosen": {one.name: one.chosen[fold] for one in self.families},
                    "train_mean": {one.name: float(one.train_means[fold]) for one in self.families},
                    "held_out_mean": {one.name: float(one.held_out_means[fold]) for one in self.families},
                }
                for fold in range(len(self.folds))
            ],
            "held_out": {
                family: dict(zip(self.held_out.topics, self.held_out.values[:, j].tolist(), strict=True))
                for j, family in enumerate(self.held_out.systems)
            },
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        lines = [f"Tuning({self.measure}, {self.folds.description}, {len(self.folds.topics)} topics)"]
        lines += [
            f"  {f.name}: held-out mean {f.held_out_mean:.4f}{f.interval}, in-sample {f.in_sample_mean:.4f} with "
            f"{f.final} (chosen in {f.n_chosen} of {len(f.choices)} folds)"
            for f in self.families
        ]
        return "\n".join(lines)

    answer = tuning_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.tune import charts

        return {"curve": charts.curve, "folds": charts.folds}


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
    alpha: float = ALPHA,
    progress: Progress | None = None,
) -> Tuning:
    """Choose every family's setting on training topics and score it on held-out topics.

    In each fold and family, the setting with the best mean on training topics is scored on held-out topics (Arguello,
    INLS 509 slides, "Cross-Validation"). All families share the folds. Every topic's score comes from a setting chosen
    on other topics, so the held-out matrix can be used in a significance test.

    Means are compared on the exact grid. Ties for the best mean are broken by the given order, with a warning. The
    folds depend on the topic ids and the seed, not on the order of the topics.

    Parameters
    ----------
    families : the families to tune, all on the same topics and measure: a mapping from name to `ScoreMatrix`
        whose systems are the settings, `Family` and `LiveFamily` objects, or one matrix (see `split_families`); scores
        may have any form that `as_scores` takes. With `qrels`, runs by setting: ``{"ql(mu=500)": run, …}``
    qrels, measure : judgments for runs, which are evaluated first; the measure to tune for
    splitter : `NFold` (default, 10 folds drawn 10 times), `LeaveOneOut`, `HoldOut`, any object with scikit-learn's
        ``split``, or a list of (training, held-out topics)
    folds, leave_one_out, holdout : instead of a splitter: number of folds, one topic at a time, or a share of topics
    n_repeats, stratified, seed : how folds or a hold-out are drawn; see `NFold`. Drawn once with `folds` or `holdout`,
        else 10 times, because one draw of folds moves the held-out mean by chance
    alpha : one minus the level of the interval of each final setting's true mean
    progress : called with (done, total) while a live family is evaluated

    Notes
    -----
    `held_out_mean` is the mean over topics. With folds of equal size it is the mean of the folds' means, as on the
    slides. It estimates the procedure: tune on slightly fewer than all topics, then use. A system tuned on all topics
    should be slightly better (Arguello, INLS 509 slides, "Parameter Tuning").

    Examples
    --------
    Five folds with the held-out means of Arguello's slides (.80, .50, .70, .55, .50, average .61):

    >>> scores = [[0.80, 0.7], [0.50, 0.4], [0.70, 0.6], [0.55, 0.5], [0.50, 0.4]]
    >>> ql = ScoreMatrix(scores, "12345", ["ql(lambda=0.6)", "ql(lambda=0.4)"], "P@10")
    >>> tuning = tune({"ql": ql}, folds=5)
    >>> tuning
    Tuning(P@10, 5-fold, 5 topics)
      ql: held-out mean 0.6100 [0.4429, 0.7771], in-sample 0.6100 with ql(lambda=0.6) (chosen in 5 of 5 folds)
    >>> tuning.held_out.system_means.round(4).tolist()
    [0.61]
    """
    check_arguments(tune, locals())
    share("alpha", alpha)
    given: Any = families
    if qrels is not None:
        families = split_families(with_warnings(scores_or_evaluated(given, qrels, measure or MEASURES[0])))
    elif measure is not None and is_scores(families) and not isinstance(families, ScoreMatrix):
        families = split_families(as_matrix(given, measure=measure, argument="families"))
    listed = as_families(families, progress)
    topics = _check(listed)
    ordered = [
        one.scores.values if one.scores.topics == topics else one.scores.select(topics=topics).values for one in listed
    ]
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
    parts = zip(listed, ordered, np.split(units, borders, axis=1), strict=True)
    tuned, held_out = zip(*(tune_family(family, raw, own, made, alpha) for family, raw, own in parts), strict=True)
    covered = made.times_held_out > 0
    where = {topic: at for at, topic in enumerate(topics)}
    shown = [topic for topic in listed[0].scores.topics if covered[where[topic]]]
    values = np.column_stack(held_out)[[where[topic] for topic in shown]]
    step = f"held-out scores of tuned families, {made.description}"
    matrix = ScoreMatrix(values, shown, [one.name for one in listed], listed[0].scores.measure, provenance=[step])
    before = _before(listed)
    result = Tuning(tuned, made, matrix, alpha, (*before, *_warnings(tuned, made, matrix.values)))
    notify(result.warnings)
    return result


def _before(families: Sequence[Family]) -> list[str]:
    """The warnings of the scores, each with its family; those of all families once."""
    shared = set.intersection(*(set(family.scores.warnings) for family in families))
    own = [f"{one.name}: {text}" for one in families for text in one.scores.warnings if text not in shared]
    return [text for text in families[0].scores.warnings if text in shared] + own


def _check(families: tuple[Family, ...]) -> tuple[str, ...]:
    """The topics of all families, in byte order; refuses families that cannot be tuned."""
    first = families[0]
    for family in families:
        name, scores = family.name, family.scores
        if scores.n_systems < 2:
            raise DataError(
                f"family {name!r} has one setting, {scores.systems[0]!r}; tuning needs at least 2. "
                "Add settings, or compare it untuned with the held-out scores of the others."
            )
        if scores.measure != first.scores.measure:
            raise DataError(
                f"the families have different measures: {first.name!r} has {first.scores.measure}, "
                f"{name!r} has {scores.measure}. Use one measure."
            )
        unmatched = sorted(set(scores.topics) ^ set(first.scores.topics))
        if unmatched:
            raise DataError(
                f"families {first.name!r} and {name!r} differ in {len(unmatched)} topics ({summary(unmatched)}). "
                "Score them on the same topics, or keep the common ones."
            )
        scores.require(topics=2, what=f"tuning {name!r}")
    return tuple(sorted(first.scores.topics, key=str.encode))


def _near_best_settings_differ(family: TunedFamily, held_out: Array) -> bool:
    """Whether rival settings differ, topic by topic, as much as the families do.

    Rivals of the final setting have a mean within two standard errors of the difference. If their variance is large
    compared with that between families, chance in the training topics moves the held-out scores of a whole fold. A
    test that assumes independent topics then rejects too often (see `selection_bias`). Agreement of the folds on a
    setting does not rule this out.
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
            yield TIED(family=family.name, tied=family.n_tied, folds=len(folds))
    for family in tuned:
        if _near_best_settings_differ(family, held_out):
            yield DEPENDENT(family=family.name)
    if folds.description.startswith("leave-one-out"):
        yield LEAVE_ONE_OUT()
    if len(tuned) == 1 and len(folds) >= 3 and tuned[0].agreement < 0.5:
        yield MIXTURE(family=tuned[0].name, share=tuned[0].agreement)
    times = folds.times_held_out
    never = int(np.count_nonzero(times == 0))
    if never:
        rest = len(times) - never
        yield NEVER_HELD_OUT(never=never, topics=len(times), rest=rest, s="s" * (rest > 1))
