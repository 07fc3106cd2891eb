"""What a comparison says: the pairs, the leaderboard, and which measure separates most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.core import defaults
from cranfield.core.answer import Answer, Chart, sentence
from cranfield.core.labels import joined, plural, summary
from cranfield.core.tables import Sheet, p_text
from cranfield.questions.compare.clusters import EFFECTIVE
from cranfield.questions.compare.corrections import CORRECTIONS, at_most
from cranfield.questions.compare.equivalence import BOTH, OPEN, mark
from cranfield.questions.compare.measures import MeasureComparisons
from cranfield.questions.compare.question import CompareQuestion
from cranfield.questions.compare.tests import TESTS
from cranfield.questions.compare.topics import BEATS_ON, every_pair
from cranfield.questions.leaderboard.question import LeaderboardQuestion

if TYPE_CHECKING:
    from cranfield.questions.compare.bayes import Posterior
    from cranfield.questions.compare.comparison import Comparison
    from cranfield.questions.compare.topics import PairTopics

DIFFER_SIGNIFICANTLY = sentence(
    "comparison.differ-significantly",
    "{separated:,} of {pairs} of systems {verb} significantly",
    "`separated` pairs, of all that were tested, have an adjusted p of at most alpha",
    always=True,
    measured="families small",
)
LEADS = sentence("comparison.leads", "{system} leads{by}", "no other system has a mean as high")
SHARES_LEAD = sentence(
    "comparison.shares-lead",
    "{systems} tie for first{by}",
    "these systems have the same highest mean",
)
SHARED_LETTER = sentence(
    "comparison.shared-letter",
    "group: systems that share a letter do not differ significantly ({level}).",
    "letters are printed; two systems share one exactly when their difference is not significant",
    measured="families small",
)
RANK_RANGE = sentence(
    "comparison.rank-range",
    "group: first and last rank of the systems that it does not differ from significantly ({level}). Systems between "
    "them may differ.",
    "groups are printed as ranges of ranks: the first and last rank of the systems that it does not differ from "
    "significantly",
    measured="families small",
)
MAY_BE_BEST = sentence(
    "comparison.may-be-best",
    "may_be_best: rank interval includes 1; the best system is one of these (about {percent} confidence).",
    "systems were compared by their means",
    measured="ranks",
)
BEST_THOUGH_WORSE = sentence(
    "comparison.best-though-worse",
    "may_be_best includes {systems}, but a test of pairs finds a better system. Ranks and pairs use different tests.",
    "these systems have a rank interval that includes 1, by max-t, and another test finds a better system",
    measured="ranks",
)
DIFFERS_FROM = sentence(
    "comparison.differs-from",
    "{mark} significantly different from {system} ({correction} p {sign} {alpha:g})",
    "the mark stands behind the systems, and only those, whose comparison with that baseline is significant",
    measured="families small",
)
INTERVAL_AGREES = sentence(
    "comparison.interval-agrees",
    "0 is inside exactly when the pair is not significant (where interval and test disagree, the end is set to 0)",
    "intervals are simultaneous, and the test is not max-t",
    measured="pairs",
)
INVERTED_COVERS = sentence(
    "comparison.inverted-covers",
    "Coverage is approximate: on 19 sets of scores, 95% intervals held .91–.96 of single differences, and .87–.97 of "
    "ten at once.",
    "intervals come from inverting the randomisation test",
    measured="pairs",
)
INTERVAL_ONE_VALUE = sentence(
    "comparison.interval-one-value",
    "it excludes 0 exactly when the pair is significant; both use the critical value {critical:.3f}",
    "the test is max-t, intervals are simultaneous, and the critical value is finite",
    measured="families",
)
INTERVAL_OF_MAXIMUM = sentence(
    "comparison.interval-of-maximum",
    "it excludes 0 exactly when the pair is significant; both use one critical value per family",
    "the test is max-t, intervals are simultaneous, and there is no common finite critical value: systems are compared "
    "within teams, or there are too few resamples",
    measured="families",
)
LEVEL_APPROXIMATE = sentence(
    "comparison.level-approximate",
    "The level is approximate: family-wise error .04–.09 at nominal .05 (mean .06), in 17 sets of real scores with 50 "
    "topics. These {topics} may miss an effect that occurs on fewer than {share:.0%} of topics.",
    "the test is max-t",
    measured="families",
)
FAMILY_ERROR = sentence(
    "comparison.family-error",
    "For all pairs of a track, the {test} with Holm had a family-wise error of {rates} at nominal .05 (17 score sets; "
    "max-t: .04–.09).",
    "the test is randomisation or t, corrected by Holm, Bonferroni or Westfall–Young, for more than 20 comparisons",
    measured="families",
)
PRICE = sentence(
    "comparison.price-of-max-t",
    "{a} and {b} vary far less than the average pair. Max-t rarely separates such pairs in a large family. "
    "Compare them alone (`system`), or as variants of one team (`within_teams`).",
    "one pair of a max-t family is looked at; it is not significant, not identical, and its variance is below .3 of "
    "the mean variance of a pair",
)
PRICES = sentence(
    "comparison.prices-of-max-t",
    "{pairs} without a significant difference {verb} far less than the average pair (such as {example}). Max-t rarely "
    "separates such pairs in a large family. Compare them alone (`system`), or as variants of one team "
    "(`within_teams`).",
    "pairs of a max-t family are listed; these are not significant, not identical, and their variance is below .3 of "
    "the mean variance of a pair",
)
INTERVAL_PAIRWISE = sentence(
    "comparison.interval-pairwise", "it may exclude 0 although the adjusted p is above alpha", "intervals are pairwise"
)
TWO_DIFFER = sentence(
    "comparison.two-differ",
    "{a} and {b} differ significantly: adjusted p {p}.",
    "one pair is looked at, and its adjusted p is at most alpha",
    measured="families small",
)
TWO_NOT_SHOWN = sentence(
    "comparison.two-not-shown",
    "No significant difference between {a} and {b}: adjusted p {p}.",
    "one pair is looked at, and its adjusted p is above alpha",
    measured="families small",
)
NOT_TESTED = sentence(
    "comparison.not-tested",
    "This pair was not tested: only pairs with a baseline were.",
    "one pair is looked at, neither of which is a baseline that was named",
)

PAIRS_EQUIVALENT = sentence(
    "comparison.pairs-equivalent",
    "{measure}: {equivalent:,} of {pairs:,} pairs are equivalent within ±{margin:g}, {both:,} of them differ "
    "significantly, and {open:,} are undecided",
    "there is a margin and more than one pair: the interval of so many differences lies within it; so many are neither "
    "significant nor equivalent",
    always=True,
    measured="equivalence",
)
ONE_EQUIVALENT = sentence(
    "comparison.one-equivalent",
    "{a} and {b} are equivalent within ±{margin:g} {measure} ({level:.4g}% interval)",
    "there is a margin and one pair, and the interval of its difference lies within the margin",
    measured="equivalence",
)
ONE_NOT_EQUIVALENT = sentence(
    "comparison.one-not-equivalent",
    "{a} and {b} are not shown to be equivalent within ±{margin:g} {measure} ({level:.4g}% interval)",
    "there is a margin and one pair, and the interval of its difference passes the margin",
    measured="equivalence",
)
SHOWN_ALIKE = sentence(
    "comparison.shown-alike",
    "Equivalent to each other within ±{margin:g} {measure}: {sets}",
    "there is a margin, more than one pair and no baseline, and every two systems of a set are shown equivalent",
    measured="equivalence",
)
LIKE_BASELINE = sentence(
    "comparison.like-baseline",
    "Equivalent to {baseline} within ±{margin:g} {measure}: {systems}",
    "there is a margin and more than one pair, and these systems are shown equivalent to that baseline",
    measured="equivalence",
)
VERDICT_COLUMN = sentence(
    "comparison.verdict-column",
    "equivalent: the {level:.4g}% interval lies within ±{margin:g}. both: also significant. open: undecided.",
    "there is a margin, and pairs are listed",
    measured="equivalence",
)
BAYES_COUNT = sentence(
    "comparison.bayes-count",
    "{measure}: of {pairs:,} pairs, {likely:,} have a better system{by} with probability .95 or more",
    "the Bayesian view was asked for; so many pairs have a prob_better or prob_worse of at least .95",
    always=True,
    measured="bayes",
)
BAYES_ASSUMES = sentence(
    "comparison.bayes-assumes",
    "prob_better, prob_within and prob_worse assume that true means of systems come from one normal population. Its "
    "standard deviation is estimated as {sd:.3g} {measure} ({level:.4g}% interval {low:.3g} to {high:.3g}). They "
    "are not a test: they do not limit the rate of false positives if all systems are equal.",
    "the Bayesian view was asked for; the standard deviation and its interval come from these scores",
    measured="bayes",
)
BAYES_FEW = sentence(
    "comparison.bayes-few",
    "With {systems} systems, that standard deviation is imprecise. See prob_better_lower and prob_better_upper in JSON "
    "or CSV.",
    "the Bayesian view was asked for, of fewer than 10 systems",
    measured="bayes",
)

NEAR_IDENTICAL = 0.3
"""Variance of a pair, as a share of the mean variance v0, below which max-t hardly separates it."""
FEW_SYSTEMS = 10
"""Systems below which the population they come from is hardly known."""
UNSEEN = ("prob_better_lower", "prob_better_upper")
"""Columns for machines only."""
DIGITS = {"prob_better": 4, "prob_within": 4, "prob_worse": 4, "effect_size": 2, "effect_size_residual": 2}

UNJUDGED_ENDS = sentence(
    "comparison.unjudged-ends",
    "unjudged_lower, unjudged_upper: smallest and largest possible {what}, over all levels of ranked unjudged "
    "documents.",
    "the scores came with bounds (`unjudged` bounds)",
)
DIRECTION_KEPT = sentence(
    "comparison.direction-kept",
    "Ranked unjudged documents cannot reverse {kept} of {found}.",
    "the bounds of so many significant differences exclude 0",
    measured="families small",
)
NOTHING_TO_KEEP = sentence(
    "comparison.nothing-to-keep",
    "There is no significant difference that ranked unjudged documents could reverse.",
    "bounds were computed, and no pair differs significantly",
    measured="families small",
)


def comparison_answer(result: Comparison | MeasureComparisons, settings: Any) -> Answer:
    """Pairs and leaderboard of one measure or several."""
    listed = result.comparisons if isinstance(result, MeasureComparisons) else (result,)
    several = MeasureComparisons(listed, isinstance(result, MeasureComparisons) and result.across_measures)
    sheets = {
        "pairs": lambda: _pairs(several, settings),
        "leaderboard": lambda: _leaderboard(several, settings),
        "power": lambda: _sheet(
            several,
            "power",
            several.discriminative_power(),
            title="Discriminative power",
            hidden=(),
            notes=level_notes(several.first),
        ),
        "curve": lambda: _sheet(several, "curve", several.asl_curves()),
        "topics": lambda: _topics(several),
    }
    first = several.first
    board = isinstance(settings, LeaderboardQuestion)
    if board:
        sheets = {"leaderboard": sheets["leaderboard"], **sheets}
    headline, also = (_leaders(several), _headline(several)) if board else (_headline(several), _leaders(several))
    return Answer(
        headline=headline,
        sheets=sheets,
        charts=_charts(several, settings),
        sentences=(
            f"{plural(first.n_topics, 'topic')}; systems are listed best first.",
            *_full_stops(also),
            *equivalence_notes(several),
        ),
        on_page=("pairs", "leaderboard"),
        in_notebook=("leaderboard",) if board or len(several) == 1 else ("power",),
        extra={"systems": first.systems, "comparisons": several, "first_columns": _front(first)},
    )


def _front(comparison: Comparison) -> dict[str, tuple[str, ...]]:
    """The columns that decide, which a narrow screen shows before the others."""
    value = comparison.value_name
    pairs = ("measure", "system_a", "system_b", "difference", "p_adjusted", "significant")
    return {
        "leaderboard": ("measure", "rank", "system", value, "may_be_best"),
        "pairs": pairs,
        "pair": pairs,
        "topics": ("topic", "difference", "score_a", "score_b"),
    }


def _headline(several: MeasureComparisons) -> str:
    return "\n".join(comparison.headline for comparison in several.values())


def _full_stops(lines: str) -> tuple[str, ...]:
    return tuple(f"{line}." for line in lines.split("\n"))


def _leaders(several: MeasureComparisons) -> str:
    return "\n".join(leader(comparison, f" by {measure}") for measure, comparison in several.items())


def leader(comparison: Comparison, by: str = "") -> str:
    """Who leads, and who may be the best."""
    first = comparison.systems[: int((comparison.rank == comparison.rank[0]).sum())]
    lead = LEADS(system=first[0], by=by) if len(first) == 1 else SHARES_LEAD(systems=_names(first), by=by)
    return "; ".join(filter(None, (lead, comparison.best_text())))


def equivalence_notes(several: MeasureComparisons) -> tuple[str, ...]:
    """With a margin: how many pairs are shown equivalent, and which systems are shown alike."""
    texts: list[str] = []
    for measure, one in several.items():
        if one.margin is None:
            continue
        of = {"margin": one.margin, "measure": measure}
        if len(one.p) == 1:
            verdict = ONE_EQUIVALENT if one.equivalent[0] else ONE_NOT_EQUIVALENT
            texts.append(verdict(a=one.system_a[0], b=one.system_b[0], level=100 * one.within_level, **of))
            continue
        texts.append(
            PAIRS_EQUIVALENT(
                equivalent=int(one.equivalent.sum()), pairs=len(one.p), both=one.verdict.count(BOTH),
                open=one.verdict.count(OPEN), **of,
            )
        )  # fmt: skip
        if one.baselines:
            for baseline in one.baselines:
                like = [a for a, b, yes in zip(one.system_a, one.system_b, one.equivalent, strict=True)
                        if yes and b == baseline]  # fmt: skip
                if like:
                    texts.append(LIKE_BASELINE(baseline=baseline, systems=summary(like), **of))
        elif one.alike:
            texts.append(SHOWN_ALIKE(sets=summary([f"{{{summary(list(group))}}}" for group in one.alike]), **of))
    return tuple(f"{text}." for text in texts)


def _names(systems: Sequence[str], most: int = 3) -> str:
    return joined(systems) if len(systems) <= most else joined([*systems[:most], f"{len(systems) - most} more"])


def how_many_differ(comparison: Comparison) -> str:
    """How many pairs the test separates."""
    separated, pairs = int(comparison.significant.sum()), len(comparison.p)
    verb = "differs" if pairs == 1 else "differ"
    return DIFFER_SIGNIFICANTLY(separated=separated, pairs=plural(pairs, "pair"), verb=verb)


def _sheet(several: MeasureComparisons, show: str, rows: pl.DataFrame, title: str = "", **more: Any) -> Sheet:
    settings = {**several.settings, **more.pop("settings", {})}
    command = "leaderboard" if show == "leaderboard" else "compare"
    if command == "compare":
        settings["show"] = show
    title = title or _headline(several)
    return Sheet(
        command, rows, several.signature, settings, several.warnings, title, **{"hidden": hidden(several), **more}
    )


def hidden(several: MeasureComparisons) -> tuple[str, ...]:
    """The column that says nothing new when all rows are of one measure."""
    return ("measure",) if len(several) == 1 else ()


def _pairs(several: MeasureComparisons, settings: CompareQuestion | None) -> Sheet:
    by = getattr(settings, "effect_size", defaults.EFFECT_SIZE)
    rows = several.to_frame()
    if by == "residual":
        rows = rows.with_columns(rows["effect_size_residual"].alias("effect_size"))
    rows = rows.drop("effect_size_residual")
    comparisons = list(several.values())
    bayes = [(one, one.posterior()) for one in comparisons] if getattr(settings, "bayes", False) else []
    if bayes:
        rows = rows.with_columns(pl.concat([pl.DataFrame(each.columns()) for _, each in bayes]))
    return _sheet(
        several,
        "pairs",
        rows,
        settings={"effect_size": by, **({"bayes": True} if bayes else {})},
        digits=DIGITS,
        notes=(*_pair_notes(comparisons[0]), *_price_notes(several), *equivalence_notes(several), *_bayes_notes(bayes)),
        superscripts={"difference": [text for each in comparisons for text in _marks(each)]},
        latex_columns=tuple(
            name for name in rows.columns if name not in ("significant", "p_method", *UNSEEN, *hidden(several))
        ),
        hidden=(*hidden(several), "p_method", *UNSEEN),
        latex_notes=_meanings(comparisons[0]),
        dispensable=(*[name for name in rows.columns if name.endswith(("_a", "_b"))][2:], "effect_size", "significant"),
        heading="Every pair",
    )


def _bayes_notes(bayes: Sequence[tuple[Comparison, Posterior]]) -> list[str]:
    """What the probabilities come to, and what they assume."""
    texts = []
    for one, each in bayes:
        by = f" by more than {each.margin:g}" if each.margin else ""
        count = BAYES_COUNT(measure=one.measure, pairs=len(one.p), likely=int(each.likely.sum()), by=by)
        assumed = BAYES_ASSUMES(
            measure=one.measure, level=100 * (1 - one.alpha), sd=each.systems_sd, low=each.systems_sd_lower,
            high=each.systems_sd_upper,
        )  # fmt: skip
        texts += [f"{count}.", assumed]
    if bayes and bayes[0][0].n_systems < FEW_SYSTEMS:
        texts.append(BAYES_FEW(systems=bayes[0][0].n_systems))
    return texts


def _leaderboard(several: MeasureComparisons, settings: Any) -> Sheet:
    letters = getattr(settings, "letters", False) or None
    show_groups = bool(letters) or getattr(settings, "show_groups", False)
    rows = several.leaderboard(letters)
    first = several.first
    groups = "marks" if first.baselines else "group"
    marked = bool(first.baselines) or (show_groups and first.shows_letters(letters))
    unseen = (*hidden(several), *((groups,) if not first.baselines and not show_groups else ()))
    return _sheet(
        several,
        "leaderboard",
        rows,
        title=_leaders(several),
        settings={"rank_resamples": first.rank_resamples},
        notes=(
            *_full_stops(_headline(several)),
            *_leaderboard_notes(first, letters, show_groups),
            *equivalence_notes(several),
            *_best_and_ranks(several),
        ),
        hidden=unseen,
        superscripts={first.value_name: rows[groups].to_list()} if marked else {},
        latex_columns=tuple(name for name in rows.columns if not ((marked and name == groups) or name in unseen)),
        heading="Leaderboard",
    )


def _topics(several: MeasureComparisons) -> Sheet:
    """Every pair topic by topic, the largest difference first; how many topics each system wins above it."""
    pairs = [pair for each in several.values() for pair in every_pair(each)]
    return _pair_topics(several, pairs, _headline(several))


def _pair_topics(several: MeasureComparisons, pairs: Sequence[PairTopics], *above: str) -> Sheet:
    title = "\n".join([*above, *(pair.summary() for pair in pairs)])
    rows = pl.concat([pair.to_frame() for pair in pairs])
    return _sheet(several, "topics", rows, title=title, heading="Topic by topic")


def pair_answer(result: PairTopics, settings: Any) -> Answer:
    """The pair in the comparison, where it was tested, and its difference on every topic."""
    comparison, a, b, at = result.comparison, result.system_a, result.system_b, result.at
    several = MeasureComparisons((comparison,), comparison.across_measures)
    wins, _, losses = result.wins_ties_losses
    sheets = {"topics": lambda: _pair_topics(several, [result])}
    finding = NOT_TESTED()
    if at is not None:
        sheets = {"pair": lambda: _one_pair(_pairs(several, settings), at), **sheets}
        verdict = TWO_DIFFER if comparison.significant[at] else TWO_NOT_SHOWN
        finding = verdict(
            a=comparison.system_a[at],
            b=comparison.system_b[at],
            p=p_text(float(comparison.p_adjusted[at]), comparison.alpha),
        )
        if hardly_separated(comparison)[at]:
            finding += f" {PRICE(a=comparison.system_a[at], b=comparison.system_b[at])}"
    return Answer(
        headline=BEATS_ON(a=a, b=b, wins=wins, topics=comparison.n_topics, losses=losses),
        sheets=sheets,
        charts=(_topics_chart(comparison, a, b),),
        sentences=(finding, *(level_notes(comparison) if at is not None else ())),
        extra={"systems": comparison.systems, "first_columns": _front(comparison)},
    )


def hardly_separated(comparison: Comparison) -> NDArray[np.bool_]:
    """Which pairs max-t leaves undecided that vary far less than the average pair (and are not identical)."""
    if not TESTS[comparison.test].by_maximum or len(comparison.p) == 1:
        return np.zeros(len(comparison.p), dtype=np.bool_)
    with np.errstate(divide="ignore", invalid="ignore"):
        # sd/√V_E2, from the two effect sizes; v0 = 2·V_E2.
        share = (comparison.effect_size_residual / comparison.effect_size) ** 2 / 2
    return np.asarray(~comparison.significant & (share < NEAR_IDENTICAL))


def _price_notes(several: MeasureComparisons) -> list[str]:
    """Pairs that max-t can hardly separate, and what to do about them."""
    texts = []
    for one in several.values():
        if (near := np.flatnonzero(hardly_separated(one))).size:
            pairs = plural(len(near), "pair")
            verb = "varies" if len(near) == 1 else "vary"
            texts.append(PRICES(pairs=pairs, verb=verb, example=one.pair_names(near[:1], " and ")[0]))
    return texts


def _one_pair(sheet: Sheet, at: int) -> Sheet:
    """One row of the pairs, with the mark that belongs to it."""
    marks = {name: [texts[at]] for name, texts in sheet.superscripts.items()}
    return replace(sheet, rows=sheet.rows[at : at + 1], superscripts=marks, heading="The pair in the comparison")


def _topics_chart(comparison: Comparison, a: str, b: str) -> Chart:
    alt = f"Bars: the difference of {a} and {b} on every topic, largest first."
    return Chart("topics-chart", "Topic by topic", alt, comparison.scores, "difference", {"a": a, "b": b})


def _marks(result: Comparison) -> list[str]:
    """A mark behind every significant difference: the baseline's, or for all pairs one or two daggers by level."""
    if result.baselines:
        number = {name: mark(i) for i, name in enumerate(result.baselines)}
        return [number[b] if yes else "" for b, yes in zip(result.system_b, result.significant, strict=True)]
    strong = at_most(result.p_adjusted, result.alpha / 5)
    return ["‡" if more else "†" if yes else "" for yes, more in zip(result.significant, strong, strict=True)]


def _meanings(result: Comparison) -> tuple[str, ...]:
    """What the marks mean, one line each."""
    kind = result.correction_text()
    return _differs_from(result, "<=") or (f"† {kind} p <= {result.alpha:g}, ‡ {kind} p <= {result.alpha / 5:g}",)


def _differs_from(result: Comparison, sign: str) -> tuple[str, ...]:
    """What the mark of every baseline means."""
    level = {"correction": result.correction_text(), "sign": sign, "alpha": result.alpha}
    return tuple(DIFFERS_FROM(mark=mark(i), system=name, **level) for i, name in enumerate(result.baselines))


def _pair_notes(result: Comparison) -> tuple[str, ...]:
    critical = result.basis.critical
    if result.intervals == "pairwise":
        agreement = INTERVAL_PAIRWISE()
    elif TESTS[result.test].by_maximum and critical is not None and math.isfinite(critical):
        agreement = INTERVAL_ONE_VALUE(critical=critical)
    elif TESTS[result.test].by_maximum:
        agreement = INTERVAL_OF_MAXIMUM()
    else:
        agreement = INTERVAL_AGREES()
    notes = [f"lower, upper: {1 - result.alpha:.0%} {result.interval}; {agreement}."]
    if result.basis.inverted:
        notes.append(INVERTED_COVERS())
    if result.difference_bounds is not None:
        notes += [UNJUDGED_ENDS(what="difference"), _direction_kept(result)]
    if result.statistic != "mean":
        notes.append(f"effect_size: of the mean difference, which is not that of the {result.statistic}s.")
    if result.margin is not None:
        notes.append(VERDICT_COLUMN(level=100 * result.within_level, margin=result.margin))
    return (*notes, *level_notes(result))


def _direction_kept(result: Comparison) -> str:
    """How many significant differences no level of the unjudged documents can reverse."""
    assert result.difference_bounds is not None
    lower, upper = result.difference_bounds
    kept = np.where(result.difference > 0, lower > 0, upper < 0) & result.significant
    found = int(result.significant.sum())
    if not found:
        return NOTHING_TO_KEEP()
    return DIRECTION_KEPT(kept=int(kept.sum()), found=plural(found, "significant difference"))


def level_notes(result: Comparison) -> tuple[str, ...]:
    """What is known of the level of the test, where it is approximate, and what grouped topics are worth."""
    test, correction = TESTS[result.test], CORRECTIONS[result.correction]
    notes: tuple[str, ...] = ()
    if test.by_maximum:
        units = plural(result.n_units, "topic" if result.clusters is None else "group")
        notes = (LEVEL_APPROXIMATE(topics=units, share=min(3 / result.n_units, 1)),)
    if test.family_error and result.family > defaults.FEW_COMPARISONS and correction.controls == "family-wise error":
        notes = (FAMILY_ERROR(test=test.title, rates=test.family_error),)
    if result.clusters is None:
        return notes
    worth = EFFECTIVE(topics=result.n_topics, groups=len(result.clusters), effective=result.effective_topics)
    return (*notes, worth)


def _leaderboard_notes(result: Comparison, letters: bool | None, show_groups: bool) -> tuple[str, ...]:
    """One line that says what the columns mean, then marks or groups, and the level of the test."""
    percent = f"{1 - result.alpha:.0%}"
    if result.best is not None:
        columns = (
            f"lower, upper: {percent} t interval of the mean. rank_lower, rank_upper: {percent} interval of the "
            f"system's true rank (max-t, {result.rank_resamples:,} resamples). {MAY_BE_BEST(percent=percent)}"
        )
    else:
        columns = (
            f"lower, upper: {percent} bootstrap percentile interval. rank_lower, rank_upper: the same for the rank "
            f"({result.rank_resamples:,} resamples of topics); coverage is lower for close leaders."
        )
    notes = _differs_from(result, "≤")
    if show_groups and not notes:
        group = SHARED_LETTER if result.shows_letters(letters) else RANK_RANGE
        notes = (group(level=f"{result.correction_text()} p ≤ {result.alpha:g}"),)
    ends = () if result.mean_bounds is None else (UNJUDGED_ENDS(what="mean"),)
    return (columns, *ends, *notes, *level_notes(result))


def _best_and_ranks(several: MeasureComparisons) -> list[str]:
    """Where the set of the best and the test of pairs seem to contradict each other."""
    names: list[str] = []
    for one in several.values():
        if one.best is None:
            continue
        by = f" ({one.measure})" if len(several) > 1 else ""
        worse = np.where(one.difference > 0, one.pairs.b, one.pairs.a)[one.significant]
        names += [f"{one.systems[j]}{by}" for j in np.unique(worse) if one.best[j]]
    return [BEST_THOUGH_WORSE(systems=summary(names))] if names else []


def _charts(several: MeasureComparisons, settings: Any) -> tuple[Chart, ...]:
    """What is drawn unless named: measures as curves, a baseline's pairs as intervals, all pairs as a map."""
    first = several.first
    charts = {
        "leaderboard": Chart(
            "leaderboard-chart", "Leaderboard", "Dots with whiskers: each system's mean and its interval, best first.",
            first, "leaderboard",
        ),
        "pairs": Chart(
            "heat-map", "Which pairs differ",
            "Map: one row and one column per system, dark where the row's system is better.", first, "pairs",
        ),
        "differences": Chart(
            "differences", "Differences",
            "Dots with whiskers: the difference of each pair and its interval.", first, "differences",
        ),
    }  # fmt: skip
    usual = "leaderboard"
    if isinstance(settings, CompareQuestion):
        usual = "differences" if first.baselines else "pairs"
        if len(several) > 1:
            curves = Chart(
                "significance-levels", "Achieved significance levels",
                "Lines: the p-values of every measure, largest first.", several, "significance-levels",
            )  # fmt: skip
            return (curves, *charts.values())
        if len(first.p) == 1:
            return (_topics_chart(first, first.system_a[0], first.system_b[0]), *charts.values())
    return (charts[usual], *(one for name, one in charts.items() if name != usual))
