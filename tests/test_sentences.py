"""Every conclusion in words: printed where it is true, with the right figures, and not where it would be false."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from scipy import stats

import cranfield as cf
from across_cases import CASES as ACROSS_CASES
from cranfield.core.answer import Sentence, answer, every_sentence, sentence
from cranfield.core.defaults import REPORT_SECTIONS
from cranfield.core.pages import Notice, Text
from cranfield.core.results import Result
from cranfield.questions.compare.question import CompareQuestion
from cranfield.questions.compare.topics import PairTopics
from cranfield.questions.cost.cost import cost_from_figures
from cranfield.questions.cost.pools import PoolFigure
from cranfield.questions.design.asked import sense
from cranfield.questions.leaderboard.question import LeaderboardQuestion
from warning_cases import CASES as WARNING_CASES
from warning_cases import battles

SOURCE = Path(__file__).resolve().parents[1] / "src" / "cranfield"
SENTENCES = {name: one for name, one in every_sentence().items() if not name.startswith("charts.")}
"""All but the titles of charts, which have a test file of their own."""
Shown = tuple[str, str]
"""What is printed, and the sentence that must be in it."""
CASES: dict[str, tuple[Callable[[], Shown], Callable[[], str]]] = {**WARNING_CASES, **ACROSS_CASES}
pytestmark = pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")


def case(name: str, true: Callable[[], Shown], false: Callable[[], str]) -> None:
    assert name not in CASES
    CASES[name] = (true, false)


def printed(result: object, settings: object = None, *sheets: str) -> str:
    """Everything that an answer says: headline, sentences, notes, titles and warnings."""
    said = answer(result, settings)  # type: ignore[arg-type]
    texts = [said.headline, *said.sentences]
    for name in sheets or (next(iter(said.sheets)), *said.shown):
        sheet = said.sheet(name)
        for part in (sheet, *sheet.sections):
            texts += [part.title, *part.notes, *part.latex_notes, *part.warnings]
    return "\n".join(texts)


def matrix(values: object, systems: str = "abcdefgh", measure: str = "AP") -> cf.ScoreMatrix:
    x = np.asarray(values, dtype=np.float64)
    return cf.ScoreMatrix(x, [str(t) for t in range(len(x))], list(systems[: x.shape[1]]), measure)


def noisy(effects: list[float], n: int = 30, sd: float = 0.05, seed: int = 1, measure: str = "AP") -> cf.ScoreMatrix:
    """Systems with these means, in noise; topics differ."""
    rng = np.random.default_rng(seed)
    topics = rng.normal(0, 0.05, (n, 1))
    return matrix(np.clip(np.asarray(effects) + topics + rng.normal(0, sd, (n, len(effects))), 0, 1), measure=measure)


def one_sided() -> cf.ScoreMatrix:
    """Two systems whose differences have a long tail on one side."""
    rng = np.random.default_rng(1)
    values = rng.normal(0.4, 0.05, (50, 2))
    values[:, 1] += rng.exponential(0.5, 50)
    return matrix(values)


@cache
def near_but_behind() -> cf.Comparison:
    """b is a variant of a that is a little worse on every topic; c is far from both."""
    rng = np.random.default_rng(1)
    values = np.repeat(rng.normal(0.4, 0.1, (30, 1)), 3, axis=1)
    values[:, 1] -= 0.004 + 0.002 * rng.normal(size=30)
    values[:, 2] += rng.normal(-0.2, 0.1, 30)
    return cf.compare(matrix(values))


@cache
def family(n: int = 30, near: bool = False) -> cf.Comparison:
    """Eight systems, whose 28 pairs are tested by max-t; with `near`, b is a variant of a."""
    values = np.array(noisy([0.5, 0.5, 0.4, 0.4, 0.3, 0.3, 0.2, 0.2], n=n).values)
    if near:
        values[:, 1] = values[:, 0] + 0.002 + 0.001 * np.sin(np.arange(n))
    return cf.compare(matrix(values))


@pytest.mark.parametrize("name", SENTENCES)
def test_printed_where_it_is_true_and_only_there(name: str) -> None:
    assert name in CASES, f"{name} has no case: add one in which it is printed, and one in which it would be false"
    one, (true, false) = SENTENCES[name], CASES[name]
    text, expected = true()
    assert expected in text, f"not said: {expected}\n{text}"
    assert one.pattern.fullmatch(expected), f"{expected!r} is not {one.template!r}"
    other = false()
    assert other.strip(), "the false case says nothing at all"
    if one.always:
        assert expected not in other
    else:
        found = one.pattern.search(other)
        assert found is None, f"said though false: {found}"


def test_every_case_has_its_sentence() -> None:
    assert set(CASES) == set(SENTENCES)


def test_a_name_is_taken_once() -> None:
    with pytest.raises(cf.ArgumentError, match="registered already"):
        sentence("comparison.leads", "x", "y")


# ── preferences ───────────────────────────────────────────────────────────────────────────────────────────


def liked(topics: int, won: int) -> str:
    """x and y win as often against z, which wins `won` of ten; x and y are even."""
    return printed(battles(topics, won))


def first_liked() -> str:
    """x wins 9 of 10 games against y, so that it alone may be the best."""
    return printed(cf.preferences([(str(at), "x", "y", "b" if at % 10 == 0 else "a") for at in range(60)]))


case("preferences.preferred", lambda: (first_liked(), "x is preferred to every other system"), lambda: liked(40, 1))
case("preferences.may-be-best", lambda: (liked(40, 1), "2 of 3 systems may be the most preferred"), first_liked)

# ── comparison ────────────────────────────────────────────────────────────────────────────────────────────


@cache
def far() -> cf.Comparison:
    return cf.compare(noisy([0.8, 0.6, 0.4, 0.2]))


@cache
def alike() -> cf.Comparison:
    return cf.compare(noisy([0.5, 0.5, 0.5, 0.5]))


@cache
def some() -> cf.Comparison:
    return cf.compare(noisy([0.8, 0.8, 0.4, 0.2]))


def adjusted_by_hand(x: cf.ScoreMatrix) -> int:
    """Pairs that differ, by the t-test and Holm, which agree with randomisation on such clear data."""
    from scipy import stats

    v, m = x.values, x.n_systems
    p = sorted(float(stats.ttest_rel(v[:, i], v[:, j]).pvalue) for i in range(m) for j in range(i + 1, m))
    count = 0
    for k, value in enumerate(p):
        if value * (len(p) - k) > 0.05:
            break
        count += 1
    return count


def differ(result: cf.Comparison) -> str:
    count = adjusted_by_hand(result.scores)
    return f"AP: {count} of 6 pairs differ significantly (all pairs; Holm-adjusted p ≤ 0.05)"


@cache
def with_bounds(judged: int, same: bool = False, bounds: bool = True) -> cf.Comparison:
    """Two runs on 20 topics, the first with five relevant documents on top; the other has this many judged."""
    from small_collections import qrels_of, run_of

    topics = list(map(str, range(20)))
    qrels = qrels_of([(t, "0", f"d{k}", int(k < 5)) for t in topics for k in range(10)])
    good = [(t, f"d{k}", -k) for t in topics for k in range(10)]
    other = [(t, f"d{9 - k}" if k < judged else f"x{k}", -k) for t in topics for k in range(10)]
    runs = [run_of(good, "good"), run_of(good if same else other, "other")]
    return cf.compare(cf.evaluate(qrels, runs, "P@5", unjudged="bounds" if bounds else None), test="sign")


ENDS = "unjudged_lower, unjudged_upper: smallest and largest possible difference, over all levels of ranked unjudged documents."
case("comparison.unjudged-ends", lambda: (printed(with_bounds(4)), ENDS), lambda: printed(with_bounds(4, bounds=False)))
case("comparison.direction-kept",
     lambda: (printed(with_bounds(4)), "Ranked unjudged documents cannot reverse 1 of 1 significant difference."),
     lambda: printed(with_bounds(10, same=True)))  # fmt: skip
case("comparison.nothing-to-keep",
     lambda: (printed(with_bounds(10, same=True)), "There is no significant difference that ranked unjudged documents could reverse."),
     lambda: printed(with_bounds(4)))  # fmt: skip
case("comparison.pairs-differ", lambda: (printed(far()), differ(far())), lambda: printed(alike()))
case("comparison.one-differs",
     lambda: (printed(cf.compare(noisy([0.8, 0.5]))), "AP: a and b differ significantly (uncorrected p ≤ 0.05)"),
     lambda: printed(cf.compare(noisy([0.5, 0.5]))))  # fmt: skip
case("comparison.one-not-shown",
     lambda: (printed(cf.compare(noisy([0.5, 0.5]))), re.search(r"AP: no significant difference between [ab] and [ab] \(uncorrected "
              r"p > 0\.05\)", printed(cf.compare(noisy([0.5, 0.5])))).group()),  # type: ignore[union-attr]
     lambda: printed(cf.compare(noisy([0.8, 0.5]))))  # fmt: skip
case("comparison.only-best", lambda: (printed(far()), "only a may be the best (95%)"), lambda: printed(alike()))
case("comparison.any-best",
     lambda: (printed(alike()), "any of the 4 systems may be the best (95%)"), lambda: printed(far()))  # fmt: skip
case("comparison.either-best",
     lambda: (printed(cf.compare(noisy([0.5, 0.5]))), "either system may be the best (95%)"),
     lambda: printed(cf.compare(noisy([0.8, 0.5]))))  # fmt: skip
case("comparison.some-best",
     lambda: (printed(some()), f"2 systems may be the best (95%): {', '.join(some().systems[:2])}"),
     lambda: printed(far()))  # fmt: skip
BOARD = "leaderboard"
GROUPED = LeaderboardQuestion(show_groups=True)
case("comparison.shared-letter",
     lambda: (printed(far(), GROUPED, BOARD),
              "group: systems that share a letter do not differ significantly (Holm-adjusted p ≤ 0.05)."),
     lambda: printed(many(), GROUPED, BOARD))  # fmt: skip
case("comparison.rank-range",
     lambda: (printed(many(), GROUPED, BOARD),
              "group: first and last rank of the systems that it does not differ from significantly (Holm-adjusted p ≤ 0.05). "
              "Systems between them may differ."),
     lambda: printed(far(), GROUPED, BOARD))  # fmt: skip
case("comparison.may-be-best",
     lambda: (printed(far(), None, BOARD),
              "may_be_best: rank interval includes 1; the best system is one of these (about 95% confidence)."),
     lambda: printed(cf.compare(far().scores, statistic="median", n_resamples=500), None, BOARD))  # fmt: skip
case("comparison.best-though-worse",
     lambda: (printed(near_but_behind(), None, BOARD), "may_be_best includes b, but a test of pairs finds a better system. "
              "Ranks and pairs use different tests."),
     lambda: printed(far(), None, BOARD))  # fmt: skip
case("comparison.differs-from",
     lambda: (printed(against(), None, BOARD), "† significantly different from d (Holm-adjusted p ≤ 0.05)"),
     lambda: printed(far(), None, BOARD))  # fmt: skip
case("comparison.interval-agrees",
     lambda: (printed(far()), "0 is inside exactly when the pair is not significant (where interval and test "
              "disagree, the end is set to 0)"),
     lambda: printed(pairwise()))  # fmt: skip
case("comparison.inverted-covers",
     lambda: (printed(far()), "Coverage is approximate: on 19 sets of scores, 95% intervals held .91–.96 of single "
              "differences, and .87–.97 of ten at once."),
     lambda: printed(many()))  # fmt: skip
case("comparison.interval-pairwise",
     lambda: (printed(pairwise()), "it may exclude 0 although the adjusted p is above alpha"),
     lambda: printed(far()))  # fmt: skip


@cache
def many() -> cf.Comparison:
    return cf.compare(cf.make_scores(20, 31, seed=3), test="t")


@cache
def against() -> cf.Comparison:
    return cf.compare(far().scores, baseline="d")


@cache
def pairwise() -> cf.Comparison:
    return cf.compare(far().scores, intervals="pairwise")


def test_marks_and_letters_say_what_their_sentences_say() -> None:
    board = against().leaderboard()
    marked = dict(zip(board["system"], board["marks"], strict=True))
    decided = dict(zip(against().system_a, against().significant, strict=True))
    assert {name: bool(mark) for name, mark in marked.items() if name != "d"} == {
        k: bool(v) for k, v in decided.items()
    }
    result = some()
    letters = dict(zip(result.leaderboard()["system"], result.leaderboard()["group"], strict=True))
    for a, b, yes in zip(result.system_a, result.system_b, result.significant, strict=True):
        assert bool(set(letters[a]) & set(letters[b])) is not bool(yes)
    frame = far().to_frame()
    outside = (frame["lower"] > 0) | (frame["upper"] < 0)
    assert outside.to_list() == frame["significant"].to_list()


def wins_text() -> Shown:
    x = matrix([[0.9, 0.1], [0.5, 0.5], [0.2, 0.3], [0.7, 0.1]])
    return printed(cf.compare(x), None, "topics"), "AP: a wins 2, ties 1 and loses 1 topics against b"


case("comparison.wins", wins_text, lambda: printed(cf.compare(matrix([[0.9, 0.1], [0.6, 0.5]])), None, "topics"))


def pair(result: cf.Comparison, a: str, b: str) -> str:
    return printed(PairTopics(result, a, b))


case("comparison.two-differ",
     lambda: (pair(far(), "a", "b"), "a and b differ significantly: adjusted p < 0.0001."),
     lambda: pair(alike(), "a", "b"))  # fmt: skip
case("comparison.two-not-shown",
     lambda: (pair(alike(), "a", "b"), re.search(r"No significant difference between [ab] and [ab]: adjusted p .*\.",
              pair(alike(), "a", "b")).group()),  # type: ignore[union-attr]
     lambda: pair(far(), "a", "b"))  # fmt: skip
case("comparison.not-tested",
     lambda: (pair(against(), "a", "b"), "This pair was not tested: only pairs with a baseline were."),
     lambda: pair(against(), "a", "d"))  # fmt: skip
case("comparison.beats-on",
     lambda: (pair(far(), "a", "d"), "a beats d on 30 of 30 topics and loses on 0"),
     lambda: pair(alike(), "a", "d"))  # fmt: skip
case("comparison.none-can-be-significant",
     lambda: (printed(cf.compare(noisy([0.9, 0.5, 0.1], n=4))),
              "No pair can be significant: the smallest possible p is 0.125 times 3 comparisons, above 0.05"),
     lambda: printed(far()))  # fmt: skip
case("comparison.no-adjusted-can-be-significant",
     lambda: (printed(cf.compare(far().scores, correction="westfall-young", n_resamples=10)),
              "No pair can be significant: the smallest adjusted p is 1/11, above 0.05. Use at least 19 resamples."),
     lambda: printed(cf.compare(far().scores, correction="westfall-young", n_resamples=500)))  # fmt: skip
case("comparison.max-t-few-topics",
     lambda: (printed(family(20)), "The error rates of max-t are unknown for 20 topics; they were measured with 25 or "
              "more."),
     lambda: printed(family()))  # fmt: skip
case("comparison.no-common-variance",
     lambda: (printed(cf.compare(matrix(np.arange(30.0)[:, None] / 100 + np.arange(8) / 10))),
              "Every difference is the same on all topics, so max-t has no variance to use: p = 1 and no interval. Use "
              "randomisation."),
     lambda: printed(family()))  # fmt: skip
case("comparison.interval-one-value",
     lambda: (printed(family()), "it excludes 0 exactly when the pair is significant; both use the critical value "
              f"{family().basis.critical:.3f}"),
     lambda: printed(far()))  # fmt: skip
case("comparison.level-approximate",
     lambda: (printed(family()), "The level is approximate: family-wise error .04–.09 at nominal .05 (mean .06), in "
              "17 sets of real scores with 50 topics. These 30 topics may miss an effect that occurs on fewer "
              "than 10% of topics."),
     lambda: printed(far()))  # fmt: skip
case("comparison.family-error",
     lambda: (printed(cf.compare(noisy([0.5] * 8), test="t")), "For all pairs of a track, the paired t-test with Holm had "
              "a family-wise error of .05–.53 at nominal .05 (17 score sets; max-t: .04–.09)."),
     lambda: printed(cf.compare(noisy([0.5] * 4), test="t")))  # fmt: skip
case("comparison.price-of-max-t",
     lambda: (pair(family(near=True), "a", "b"), "b and a vary far less than the average pair. Max-t rarely "
              "separates such pairs in a large family. Compare them alone (`system`), or "
              "as variants of one team (`within_teams`)."),
     lambda: pair(family(), "a", "b"))  # fmt: skip
case("comparison.prices-of-max-t",
     lambda: (printed(family(near=True)), "1 pair without a significant difference varies far less than the average pair (such "
              "as b and a). Max-t rarely separates such pairs in a large family. Compare them alone (`system`), or "
              "as variants of one team (`within_teams`)."),
     lambda: printed(family()))  # fmt: skip


@cache
def in_teams(teams: str, test: str = "max-t") -> cf.Comparison:
    """Eight systems, each with the letter of its team."""
    scores = noisy([0.5, 0.5, 0.4, 0.4, 0.3, 0.3, 0.2, 0.2])
    grouping = dict(zip("abcdefgh", teams, strict=True))
    return cf.compare(scores, test=test, within_teams=True, teams=grouping, n_resamples=999)


case("comparison.team-of-one",
     lambda: (printed(in_teams("uuuvvvwx")), "Not compared: 2 systems alone in a team (g, h)."),
     lambda: printed(in_teams("uuuvvvww")))  # fmt: skip
case("comparison.family-per-team",
     lambda: (printed(in_teams("uuuvvvww")),
              "Each team is a separate family: the level holds per team, not over all 3 teams."),
     lambda: printed(in_teams("uuuuuuuu")))  # fmt: skip
case("comparison.interval-of-maximum",
     lambda: (printed(in_teams("uuuvvvww")),
              "it excludes 0 exactly when the pair is significant; both use one critical value per family"),
     lambda: printed(in_teams("uuuvvvww", "t")))  # fmt: skip


@cache
def margins(effects: tuple[float, ...], margin: float | None, baseline: str | None = None) -> cf.Comparison:
    return cf.compare(noisy(list(effects)), margin=margin, baseline=baseline)


case("comparison.pairs-equivalent",
     lambda: (printed(margins((0.5, 0.5, 0.2), 0.05)), "AP: 1 of 3 pairs are equivalent within ±0.05, 0 of them differ "
              "significantly, and 0 are undecided"),
     lambda: printed(margins((0.5, 0.5, 0.2), 0.001)))  # fmt: skip
case("comparison.one-equivalent",
     lambda: (printed(margins((0.5, 0.5), 0.05)), "a and b are equivalent within ±0.05 AP (90% interval)"),
     lambda: printed(margins((0.5, 0.5), 0.001)))  # fmt: skip
case("comparison.one-not-equivalent",
     lambda: (printed(margins((0.5, 0.5), 0.001)),
              "a and b are not shown to be equivalent within ±0.001 AP (90% interval)"),
     lambda: printed(margins((0.5, 0.5), 0.05)))  # fmt: skip
case("comparison.shown-alike",
     lambda: (printed(margins((0.5, 0.5, 0.2), 0.05)), "Equivalent to each other within ±0.05 AP: {a, b}"),
     lambda: printed(margins((0.5, 0.5, 0.2), 0.001)))  # fmt: skip
case("comparison.like-baseline",
     lambda: (printed(margins((0.5, 0.5, 0.2), 0.05, "b")), "Equivalent to b within ±0.05 AP: a"),
     lambda: printed(margins((0.5, 0.5, 0.2), 0.05, "c")))  # fmt: skip


def bayes(comparison: cf.Comparison) -> str:
    return printed(comparison, CompareQuestion(bayes=True))


case("comparison.bayes-count",
     lambda: (bayes(margins((0.5, 0.5, 0.2), 0.05)),
              "AP: of 3 pairs, 2 have a better system by more than 0.05 with probability .95 or more"),
     lambda: bayes(margins((0.8, 0.5, 0.2), 0.05)))  # fmt: skip
case("comparison.bayes-assumes",
     lambda: (bayes(margins((0.5, 0.5, 0.2), 0.05)),
              SENTENCES["comparison.bayes-assumes"](
                  measure="AP", level=95, sd=margins((0.5, 0.5, 0.2), 0.05).posterior().systems_sd,
                  low=margins((0.5, 0.5, 0.2), 0.05).posterior().systems_sd_lower,
                  high=margins((0.5, 0.5, 0.2), 0.05).posterior().systems_sd_upper)),
     lambda: printed(margins((0.5, 0.5, 0.2), 0.05)))  # fmt: skip
case("comparison.bayes-few",
     lambda: (bayes(margins((0.5, 0.5, 0.2), 0.05)), "With 3 systems, that standard deviation is imprecise. See "
              "prob_better_lower and prob_better_upper in JSON or CSV."),
     lambda: bayes(cf.compare(matrix(np.random.default_rng(1).normal(size=(30, 12)), systems="abcdefghijkl"))))  # fmt: skip
case("comparison.verdict-column",
     lambda: (printed(margins((0.5, 0.5), 0.05)),
              "equivalent: the 90% interval lies within ±0.05. both: also significant. open: undecided."),
     lambda: printed(margins((0.5, 0.5), None)))  # fmt: skip


@cache
def grouped(n: int = 60, groups: int | None = 30, ids: str = "{}") -> cf.Comparison:
    """Topics in groups of n/groups; without groups, ids that may look like turns."""
    scores = noisy([0.5, 0.5, 0.2], n=n)
    names = [ids.format(i // 3) + f"_{i % 3}" if ids != "{}" else str(i) for i in range(n)]
    scores = cf.ScoreMatrix(scores.values, names, scores.systems, "AP")
    return cf.compare(
        scores, topic_groups=None if groups is None else {t: str(i % groups) for i, t in enumerate(names)}
    )


def named(*systems: str) -> cf.Comparison:
    """Systems of these names."""
    return cf.compare(matrix(noisy([0.5, 0.4]).values, systems=systems))


case("comparison.effective-topics",
     lambda: (printed(grouped()), f"60 topics in 30 groups are worth {grouped().effective_topics:.0f} independent topics "
              "for an average pair of systems."),
     lambda: printed(grouped(groups=None)))  # fmt: skip
case("comparison.few-groups",
     lambda: (printed(grouped(groups=10)), "With 10 groups of topics the error rates are unknown; 20 or more are needed."),
     lambda: printed(grouped(groups=20)))  # fmt: skip
case("comparison.look-like-turns",
     lambda: (printed(grouped(groups=None, ids="c{}")), "Topic ids look like parts of 20 groups (such as c0_0 and c0_1). If "
              "they belong together, give `topic_groups`: otherwise errors are too small."),
     lambda: printed(grouped(groups=None)))  # fmt: skip
case("comparison.like-seeds",
     lambda: (printed(named("x_seed1", "x_seed2")), "System names look like seeds of one system (such as x_seed1 and "
              "x_seed2), but count as systems. For claims about recipes, give `across` a table with a column called seed."),
     lambda: printed(named("x_seed1", "y_seed1")))  # fmt: skip
case("comparison.bootstrap-few-topics",
     lambda: (printed(cf.compare(noisy([0.8, 0.4], n=20), test="bootstrap", n_resamples=500)),
              "With 20 topics a bootstrap-shift test rejects true hypotheses too often. Prefer randomisation, or measure "
              "the error with `simulate tests`."),
     lambda: printed(cf.compare(noisy([0.8, 0.4], n=60), test="bootstrap", n_resamples=500)))  # fmt: skip


case("comparison.asymmetric",
     lambda: (printed(cf.compare(one_sided(), test="wilcoxon")),
              f"Differences are skewed (mean skewness {stats.skew(np.diff(one_sided().values))[0]:.2f} over 1 pair; "
              "0.57 is large for 50 topics). Then Wilcoxon's test rejects equal means too often. Prefer randomisation, or "
              "measure the error with `simulate tests`."),
     lambda: printed(cf.compare(noisy([0.8, 0.4], n=50), test="wilcoxon")))  # fmt: skip


# ── the report ────────────────────────────────────────────────────────────────────────────────────────────


def told(scores: object, *sections: str, **more: object) -> str:
    """What a report of some sections says."""
    skip = [name for name in REPORT_SECTIONS if name not in sections]
    with mock.patch.object(Result, "chart"):  # charts take most of the time and say nothing here
        report = cf.report(scores, skip=skip, **more)  # type: ignore[arg-type]
    parts = [part for section in report.sections for part in section.parts]
    return "\n".join(
        [report.headline, report.summary, *(part.text for part in parts if isinstance(part, (Text, Notice)))]
    )


@cache
def two_measures() -> str:
    other = matrix(1 - far().scores.values, measure="P@10")
    return told(cf.Scores([far().scores, other]), "leaderboard", "differences", "collection")


@cache
def same_measures() -> str:
    squared = matrix(noisy([0.5, 0.5, 0.5, 0.5], sd=0.01).values + 0.3 * (np.arange(4) == 0), measure="P@10")
    return told(cf.Scores([some().scores, squared]), "leaderboard", "differences", "collection")


@cache
def one_measure() -> str:
    return told(alike().scores, "leaderboard", "differences", "collection")


def means(x: cf.ScoreMatrix) -> np.ndarray:
    return x.values.mean(axis=0)


@cache
def two_orders(shared_noise: float) -> cf.Correlation:
    """Two measures of 12 systems: of the same means, in noise that they share as far as given."""
    rng = np.random.default_rng(5)
    n, m = 40, 12
    means, other = rng.normal(0.5, 0.03, (2, m))
    both, own = rng.normal(0, 0.1, (n, m)), rng.normal(0, 0.1, (2, n, m))
    x, y = (shared_noise * both + (1 - shared_noise) * one for one in own)
    systems = "abcdefghijkl"
    return cf.correlate(
        matrix(means + x, systems), matrix((other if shared_noise else means) + y, systems, "P"), n_resamples=200
    )


def long_run(result: cf.Correlation, why: str) -> str:
    (low, high), tau = result.intervals["tau"] or (0, 0), result.values["tau"]
    return (
        f"τ = {tau:.3f} on these 40 topics. With unlimited topics like these, τ lies in [{low:.2f}, {high:.2f}] "
        f"(95% interval). {why}; corrected for it, τ = {result.corrected['tau']:.3f}."
    )


case("correlate.noise-lowers",
     lambda: (printed(two_orders(0.0)), long_run(two_orders(0.0), "Topic noise usually lowers τ")),
     lambda: printed(two_orders(0.9)))  # fmt: skip
case("correlate.noise-raises",
     lambda: (printed(two_orders(0.9)), long_run(two_orders(0.9), "Noise that both sides share raises τ here")),
     lambda: printed(two_orders(0.0)))  # fmt: skip
case("comparison.leads", lambda: (two_measures(), "a leads by AP"),
     lambda: told(matrix([[0.5, 0.5, 0.1], [0.6, 0.6, 0.3], [0.3, 0.3, 0.2]]), "leaderboard"))  # fmt: skip
case("comparison.shares-lead",
     lambda: (told(matrix([[0.5, 0.5, 0.1], [0.6, 0.6, 0.3], [0.3, 0.3, 0.2]]), "leaderboard"),
              "a and b tie for first by AP"),
     two_measures)  # fmt: skip
case("comparison.differ-significantly",
     lambda: (two_measures(), f"{adjusted_by_hand(far().scores)} of 6 pairs of systems differ significantly"),
     one_measure)  # fmt: skip
case("report.not-shown-to-differ",
     lambda: (one_measure(), f"Not shown to differ from {alike().systems[0]}: "
              f"{', '.join(alike().systems[1:])}. That is no evidence that they are as good."),
     two_measures)  # fmt: skip
case("report.uncorrected",
     lambda: (two_measures(), "Without correction for 6 comparisons, 6 would be significant. If no systems differed, about 0 "
              "of 6 would be significant by chance."),
     one_measure)  # fmt: skip


# ── design ────────────────────────────────────────────────────────────────────────────────────────────────


@cache
def past() -> cf.ScoreMatrix:
    return noisy(np.linspace(0.3, 0.6, 6).tolist(), n=40, sd=0.1)


@cache
def advice(k: int = 10, min_diff: float = 0.1, budget: int | None = None) -> cf.Recommendation:
    return cf.recommend(past(), k, min_diff, budget=budget)


def everything(result: cf.Recommendation) -> str:
    return f"{printed(result)}\n{result.text}\n{told(past(), 'next')}"


def promise() -> Shown:
    n = advice(6).n_topics
    return everything(advice(6)), (
        f"With {n} topics, power is about 0.8 to detect a difference of 0.1 in mean AP between the best and the worst of "
        "6 systems. The tests are paired t-tests of all 15 pairs with Holm's correction at level 0.05. The other systems "
        "are assumed to lie midway between the two. Power is averaged over pairs."
    )


def promise_max_t() -> Shown:
    n = advice().n_topics
    return everything(advice()), (
        f"With {n} topics, power is about 0.8 to detect a difference of 0.1 in mean AP between the best and the worst of "
        "10 systems. The test is max-t over all 45 pairs at level 0.05, the default for large families. The other systems "
        "are assumed to lie midway between the two. Power is averaged over pairs."
    )


def promise_pair() -> Shown:
    n = advice(2).n_topics
    return printed(advice(2)), (
        f"With {n} topics, a paired t-test at level 0.05 detects a difference of 0.1 in mean AP with power about 0.8. Power "
        "is averaged over pairs of systems."
    )


def refused() -> str:
    with pytest.raises(cf.ArgumentError) as caught:
        cf.recommend(past(), 10, 5)
    return str(caught.value)


case("design.promise", promise, lambda: printed(advice(2)))
case("design.promise-max-t", promise_max_t, lambda: printed(advice(6)))
case("design.promise-pair", promise_pair, lambda: printed(advice()))
case("design.create", lambda: (everything(advice()), f"Create {advice().n_topics} topics."), refused)
case("design.recommended", lambda: (printed(advice()), f"{advice().n_topics} topics by AP"), refused)
case("design.impossible",
     lambda: (refused(), f"`min_diff` = 5 is impossible for mean AP: scores range from "
              f"{past().values.min():.4g} to {past().values.max():.4g}"),
     lambda: everything(advice()))  # fmt: skip
case("design.sample-interval",
     lambda: (printed(advice()), f"The number of topics, {advice().n_topics}, has the interval {advice().lower} to {advice().upper}. "
              f"With {advice().assured}, power is at least 0.8 with about 80% assurance."),
     lambda: printed(cf.design_all_pairs(0.02, 10, 0.1)))  # fmt: skip
case("design.budget",
     lambda: (printed(advice(budget=15_000)), f"15,000 judgments are {15_000 // advice().n_topics:,} for each of "
              f"{advice().n_topics} topics. `cost` weighs depth against topics."),
     lambda: printed(advice(budget=2)))  # fmt: skip
case("design.little-budget",
     lambda: (printed(advice(budget=2)), f"2 judgments are fewer than {advice().n_topics} topics. "
              "Detect a larger difference, or raise the budget."),
     lambda: printed(advice(budget=15_000)))  # fmt: skip
case("design.systems-sampled",
     lambda: (printed(advice()), "Past systems are treated as a sample of future ones."),
     lambda: printed(cf.recommend(past().select(systems=past().systems[:2]), 2, 0.1)))  # fmt: skip
case("design.width",
     lambda: (printed(cf.design_interval(0.05, n_topics=50)), "With 50 topics, the 95% interval of a difference between two "
              f"systems has expected width {cf.design_interval(0.05, n_topics=50).rows['expected_width'][0]:.4f}."),
     lambda: printed(cf.design_ttest(0.05, 0.1)))  # fmt: skip


def detects() -> Shown:
    from scipy import stats

    n, delta = 50, 0.1 * np.sqrt(50 / 0.05)
    t = stats.t.isf(0.025, n - 1)
    power = stats.nct.sf(t, n - 1, delta) + stats.nct.cdf(-t, n - 1, delta)
    return printed(cf.design_ttest(0.05, 0.1, n_topics=n)), (
        "With 50 topics, a paired t-test detects a difference of 0.1 between two systems with power "
        f"{power:.3f} at level 0.05."
    )


case("design.detects", detects, lambda: printed(cf.design_interval(0.05, n_topics=50)))
case("design.published-says",
     lambda: (printed(cf.design_ttest(0.05, 0.1)), "The published approximation gives "
              f"{cf.design_ttest(0.05, 0.1, method='published').rows['topics'][0]}."),
     lambda: printed(cf.design_all_pairs(0.02, 10, 0.1)))  # fmt: skip
EVIA = (PoolFigure("AP", 100, 731, 0.0530), PoolFigure("AP", 10, 96, 0.0714))


def half_judged() -> str:
    sample = cf.make_sample(n_topics=8, n_systems=4, n_documents=300, seed=2)
    half = cf.Qrels(sample.qrels.frame.gather_every(2), "half")
    return f"{printed(cf.cost([(half, sample.runs)], ['AP'], [5, 20], width=0.2))}\n" + told(
        None, "next", qrels=half, runs=sample.runs, depths=[5, 20]
    )


@cache
def doubtful() -> str:
    return half_judged()


@cache
def judged() -> str:
    sample = cf.make_sample(n_topics=8, n_systems=4, n_documents=300, seed=2)
    return told(None, "next", qrels=sample.qrels, runs=sample.runs, depths=[5, 20])


@cache
def priced_for(systems: int) -> str:
    """What four runs say of pools for so many systems."""
    sample = cf.make_sample(n_topics=6, n_systems=4, seed=3, n_documents=300, depth=20)
    return printed(cf.cost([(sample.qrels, sample.runs)], ["AP"], [5, 10], n_systems=systems, min_diff=0.2))


case("design.lowest-cost",
     lambda: (printed(cost_from_figures(EVIA, width=0.15)), "Lowest cost for AP: 100 topics to depth 10, 9,600 judgments. "
              "The deepest pool costs 5.7 times as much."),
     doubtful)  # fmt: skip
case("design.best-for-budget",
     lambda: (printed(cost_from_figures(EVIA, n_systems=10, budget=9600)),
              re.search(r"Best for AP: 100 topics to depth 10, 9,600 judgments; detectable difference [\d.]+\d\.",
                        printed(cost_from_figures(EVIA, n_systems=10, budget=9600))).group()),  # type: ignore[union-attr]
     lambda: printed(cost_from_figures(EVIA, width=0.15)))  # fmt: skip
case("design.cost-assured",
     lambda: (priced_for(4), re.search(r"AP: with [\d,]+ topics, power is at least 0.8 with about 80% assurance\.",
                                       priced_for(4)).group()),  # type: ignore[union-attr]
     lambda: printed(cost_from_figures(EVIA, width=0.15)))  # fmt: skip
case("design.cost-doubtful",
     lambda: (doubtful(), "Too few judgments to recommend a pool depth."),
     lambda: printed(cost_from_figures(EVIA, width=0.15)))  # fmt: skip
case("design.pool-scaled", lambda: (priced_for(5), SENTENCES["design.pool-scaled"](systems=5)), lambda: priced_for(4))
case("design.losses",
     lambda: (printed(cost_from_figures(EVIA, width=0.15)), SENTENCES["design.losses"](shallow=10, deep=100)),
     lambda: printed(cost_from_figures(EVIA[:1], width=0.15)))  # fmt: skip


def odd(min_diff: float, topics: int | None = None) -> str:
    return "\n".join(["said:", *sense(past(), min_diff, topics=topics)])


RANGE = (lambda x: (float(x.min()), float(x.max())))(past().values)
case("design.more-than-range",
     lambda: (odd(0.99), f"`min_diff` = 0.99 exceeds the range of the AP scores ({RANGE[0]:.4g} to {RANGE[1]:.4g}). "
              "Two means can hardly differ so much."),
     lambda: odd(0.1))  # fmt: skip
case("design.more-than-apart",
     lambda: (odd(0.5), "`min_diff` = 0.5 exceeds the gap between the best and the worst past system "
              f"({np.ptp(means(past())):.4g} AP). A collection of this size may miss every difference as large as past ones."),
     lambda: odd(0.1))  # fmt: skip
case("design.too-small",
     lambda: (odd(0.001), re.search(r"`min_diff` = 0\.001 is .* level 0\.05\.", odd(0.001)).group()),  # type: ignore[union-attr]
     lambda: odd(0.1))  # fmt: skip
case("design.many-topics",
     lambda: (odd(0.1, 20_000), "20,000 topics are more than most collections have. 200 topics detect a difference of "
              "about 1."),
     lambda: odd(0.1, 200))  # fmt: skip


# ── standardisation, tuning ───────────────────────────────────────────────────────────────────────────────


@cache
def effect(seed: int) -> str:
    x = noisy([0.3, 0.4, 0.5, 0.6], seed=seed)
    return printed(cf.standardisation_effect(x, n_systems=[5], min_diff=[0.1], n_resamples=20), None, "effect")


def ratio(seed: int) -> str:
    """The headline by the F of a two-way analysis of variance, from the scores themselves."""
    x = noisy([0.3, 0.4, 0.5, 0.6], seed=seed).values
    n, m = x.shape
    residual = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
    between = n * ((x.mean(axis=0) - x.mean()) ** 2).sum() / (m - 1)
    raw = f"{between / ((residual**2).sum() / ((n - 1) * (m - 1))):.1f}"
    found = re.search(rf"AP: F is {raw} with raw scores, [\d.]+ with standardised ones", effect(seed))
    return "" if found is None else found[0]


def explained() -> str:
    x = matrix([[0.25, 0.5, 0.75], [0.125, 0.375, 0.625], [0.0, 0.25, 0.5]])
    factors = cf.fit_standardisation(matrix([[0.2, 0.5, 0.9], [0.1, 0.3, 0.35], [0.3, 0.1, 0.5]]))
    made = cf.standardisation_effect(x, factors=factors, n_systems=[5], min_diff=[0.1], n_resamples=20)
    return printed(made, None, "effect")


case("standardise.separates", lambda: (effect(1), ratio(1)), explained)
case("standardise.no-f",
     lambda: (explained(), "AP: F is not defined; systems and topics explain every score"), lambda: effect(1))  # fmt: skip
case("standardise.rankings-agree",
     lambda: (effect(1), "AP: τ = 1.000 between the raw and the standardised ranking."),
     lambda: printed(cf.standardisation_effect(
         matrix([[0.9, 0.1, 0.2], [0.1, 0.2, 0.15], [0.1, 0.2, 0.15], [0.1, 0.3, 0.2]]), n_systems=[5], min_diff=[0.1],
         n_resamples=20), None, "effect"))  # fmt: skip


@cache
def left_out(seed: int) -> str:
    return printed(cf.standardisation_robustness(noisy([0.3, 0.4, 0.5, 0.6], seed=seed)))


case("standardise.left-out",
     lambda: (left_out(1), re.search(r"AP: means of left-out systems move .* lowest tau [\d.]+", left_out(1)).group()),  # type: ignore[union-attr]
     lambda: left_out(2))  # fmt: skip


@cache
def tuned(seed: int, steady: bool) -> cf.Tuning:
    rng = np.random.default_rng(seed)
    values = 0.4 + rng.normal(0, 0.1, (30, 5)) + (np.array([0, 0, 0.3, 0, 0]) if steady else 0)
    settings = [f"bm25(b={b})" for b in (0.1, 0.2, 0.3, 0.4, 0.5)]
    return cf.tune(cf.ScoreMatrix(values, [str(t) for t in range(30)], settings, "AP"), folds=5)


def held_out(result: cf.Tuning) -> float:
    return float(result.held_out.values.mean())


case("tuning.expect",
     lambda: (printed(tuned(1, True)), f"Expect {held_out(tuned(1, True)):.4f}{tuned(1, True).families[0].interval} AP "
              "from bm25 on unseen topics"),
     lambda: printed(tuned(2, False)))  # fmt: skip
case("tuning.honest",
     lambda: (printed(tuned(2, False)), re.search(rf"bm25: expect {held_out(tuned(2, False)):.4f} .* optimism of 0\.\d+\.",
              printed(tuned(2, False))).group()),  # type: ignore[union-attr]
     lambda: printed(tuned(1, True)))  # fmt: skip
case("tuning.use",
     lambda: (printed(tuned(1, True)), "bm25: use bm25(b=0.3), chosen in 5 of 5 folds"),
     lambda: printed(tuned(2, False)))  # fmt: skip


def edge_seed() -> int:
    return next(seed for seed in range(2, 60) if tuned(seed, False).families[0].at_edge)


def optimistic_seed() -> int:
    return next(seed for seed in range(2, 60) if tuned(seed, False).families[0].optimism > 0)


case("tuning.at-edge",
     lambda: (printed(tuned(edge_seed(), False)), "bm25: b of the final setting is at the edge of the grid. The best value "
              "may lie beyond it."),
     lambda: printed(tuned(1, True)))  # fmt: skip
case("tuning.too-good",
     lambda: (printed(tuned(optimistic_seed(), False)), re.search(r"its mean on all topics, [\d.]+, is 0\.\d+ too high\.",
              printed(tuned(optimistic_seed(), False))).group()),  # type: ignore[union-attr]
     lambda: printed(tuned(1, True)))  # fmt: skip
case("tuning.no-optimism",
     lambda: (printed(tuned(1, True)), f"its mean on all topics is {tuned(1, True).families[0].in_sample_mean:.4f}; "
              "held-out scores are no lower."),
     lambda: printed(tuned(optimistic_seed(), False)))  # fmt: skip


@cache
def bias(n: int) -> cf.SelectionBias:
    return cf.selection_bias(n, 20, folds=5, n_experiments=40)


case("tuning.looks-better",
     lambda: (printed(bias(10)), f"In-sample, the tuned system looks {float(np.mean(bias(10).in_sample)):.4f} better "
              "than an equally good one"),
     lambda: printed(bias(3)))  # fmt: skip


# ── reliability, monitoring, gate ─────────────────────────────────────────────────────────────────────────


@cache
def nothing_between() -> cf.ScoreMatrix:
    base = np.random.default_rng(4).uniform(0.2, 0.8, (20, 4))
    return matrix(base - base.mean(axis=0) + 0.5)


@cache
def study(equal: bool) -> str:
    return printed(cf.reliability(nothing_between() if equal else past(), target=0.9), None, "coefficients")


def huge_topics() -> cf.ScoreMatrix:
    rng = np.random.default_rng(1)
    return matrix(1e9 * rng.normal(size=(20, 1)) + rng.normal(size=(20, 4)) + np.arange(4.0))


@cache
def told_reliability(equal: bool) -> str:
    return told(nothing_between() if equal else past(), "reliability")


def g_coefficients(x: cf.ScoreMatrix) -> tuple[float, float]:
    v = x.values
    n, m = v.shape
    grand = v.mean()
    ms_s = n * ((v.mean(0) - grand) ** 2).sum() / (m - 1)
    ms_t = m * ((v.mean(1) - grand) ** 2).sum() / (n - 1)
    ms_e = ((v - v.mean(0) - v.mean(1)[:, None] + grand) ** 2).sum() / ((n - 1) * (m - 1))
    s, t = (ms_s - ms_e) / n, (ms_t - ms_e) / m
    return s / (s + ms_e / n), s / (s + (t + ms_e) / n)


case("generalisability.few-systems",
     lambda: (printed(cf.reliability(noisy([0.2, 0.3, 0.4, 0.5]))),
              "With only 4 systems, the interval of erho2 may have coverage as low as 87%."),
     lambda: printed(cf.reliability(noisy([0.2, 0.3, 0.4, 0.5]), intervals="normal")))  # fmt: skip
case("generalisability.few-systems-phi",
     lambda: (printed(cf.reliability(noisy([0.2, 0.3, 0.4, 0.5]))),
              "With only 4 systems, the interval of phi may have coverage as low as 75%."),
     lambda: printed(cf.reliability(cf.make_scores(30, 40, seed=1))))  # fmt: skip
case("generalisability.no-jackknife",
     lambda: (study(True), "No jackknife interval of erho2: a ratio is not positive when one topic or system is left out. "
              "Feldt's interval is used, which assumes normal effects."),
     lambda: printed(cf.reliability(noisy([0.2, 0.3, 0.4, 0.5]))))  # fmt: skip
case("generalisability.reliability",
     lambda: (study(False), "With 40 topics, the ranking by AP has reliability {:.3f}, the scores {:.3f}".format(
         *g_coefficients(past()))),
     lambda: study(True))  # fmt: skip
case("generalisability.needed",
     lambda: (study(False), re.search(r"Reliability 0\.9 of the ranking \(Eρ²\) needs \d+ topics \(\d+ to \d+\)\.",
              study(False)).group()),  # type: ignore[union-attr]
     lambda: study(True))  # fmt: skip
case("generalisability.beyond-counting",
     lambda: (printed(cf.reliability(huge_topics(), target=0.9)), "Reliability 0.9 of the scores (Φ) needs too many topics to "
              "count."),
     lambda: study(True))  # fmt: skip
case("generalisability.never-enough",
     lambda: (study(True), "Reliability 0.9 of the ranking (Eρ²) is out of reach: these scores show no variance between "
              "systems."),
     lambda: study(False))  # fmt: skip


@cache
def told_of_worst(erratic: bool) -> str:
    """The two worst of eight systems: far behind the others, or erratic and hardly behind."""
    rng = np.random.default_rng(2)
    good = 0.5 + 0.3 * np.linspace(0, 0.5, 6) + rng.normal(0, 0.03, (30, 6))
    bad = (0.47 if erratic else 0.1) + rng.normal(0, 0.15 if erratic else 0.03, (30, 2))
    return told(matrix(np.hstack([good, bad]).clip(0, 1), "abcdefgh"), "reliability")


case("generalisability.without-worst",
     lambda: (told_of_worst(False), re.search(r"Weak systems inflate reliability: without the 2 systems "
              r"with the lowest means, Eρ² is .*\)\.", told_of_worst(False)).group()),  # type: ignore[union-attr]
     lambda: told_of_worst(True))  # fmt: skip
case("generalisability.without-worst-no-lower",
     lambda: (told_of_worst(True), re.search(r"Weak systems do not inflate reliability here: without the 2 systems with the lowest "
              r"means, Eρ² is .*\)\.", told_of_worst(True)).group()),  # type: ignore[union-attr]
     lambda: told_of_worst(False))  # fmt: skip


@cache
def halves(seed: int) -> cf.ExpectedTau:
    return cf.expected_tau(noisy([0.3, 0.4, 0.5, 0.6], seed=seed), n_resamples=50)


@cache
def three(n: int) -> cf.ThreeViews:
    return cf.three_views(past(), n_topics=n, min_diff=0.05, n_resamples=50)


def three_said() -> Shown:
    row = three(30).to_frame().row(0, named=True)
    return three(30).summary(), (
        f"With 30 topics, power is {row['power']:.2f} for a difference of 0.05 AP; the ranking has reliability "
        f"{row['erho2']:.3f}"
    )


def warned(x: cf.ScoreMatrix) -> str:
    return "\n".join(["warnings:", *cf.reliability(x).warnings])


def same_topics() -> cf.ScoreMatrix:
    v = past().values
    return matrix((v - v.mean(axis=1, keepdims=True) + 0.5).clip(0, 1))


case("generalisability.below-chance-systems",
     lambda: (warned(nothing_between()), SENTENCES["generalisability.below-chance-systems"](measure="AP")),
     lambda: warned(past()))  # fmt: skip
case("generalisability.below-chance-topics",
     lambda: (warned(same_topics()), SENTENCES["generalisability.below-chance-topics"](measure="AP")),
     lambda: warned(past()))  # fmt: skip
case("generalisability.starts-at-zero",
     lambda: (warned(noisy([0.5, 0.5, 0.52, 0.53], sd=0.1, seed=4)),
              SENTENCES["generalisability.starts-at-zero"](measure="AP")),
     lambda: warned(past()))  # fmt: skip
case("generalisability.tau-of-two-sets",
     lambda: (halves(1).summary(), re.search(r"Expected tau between AP rankings by two sets of 30 topics: [\d.]+.*",
              halves(1).summary()).group()),  # type: ignore[union-attr]
     lambda: three(30).tau.summary())  # fmt: skip
case("generalisability.three-views", three_said, lambda: three(60).summary())


@cache
def looking(effects: tuple[float, ...], topics: int, anytime: bool = False) -> str:
    x = noisy(list(effects), n=topics)
    return printed(cf.monitor(x, per_look=10, max_topics=None if anytime else 50, anytime=anytime), None, "looks")


case("monitoring.decided",
     lambda: (looking((0.8, 0.5), 20), "Stop: after 20 of 50 topics 1 of 1 pair is decided"),
     lambda: looking((0.5, 0.5), 20))  # fmt: skip
case("monitoring.later",
     lambda: (looking((0.8, 0.5, 0.5), 20), "With Holm, a pair may be decided although its interval contains 0."),
     lambda: looking((0.8, 0.5), 20))  # fmt: skip
case("monitoring.level-approximate",
     lambda: (looking((0.8, 0.5), 20), "The level is approximate. On pairs of real runs the error at nominal .05 was .04–.06 "
              "(O'Brien–Fleming)."),
     lambda: looking((0.8, 0.5), 20, True))  # fmt: skip
case("monitoring.spent",
     lambda: (looking((0.5, 0.5), 50), "0.05 of the level 0.05 is spent."),
     lambda: looking((0.5, 0.5), 20, True))  # fmt: skip
case("monitoring.outlook",
     lambda: (looking((0.5, 0.5, 0.2), 20), re.search(r"If means and variances stay the same, \d of 1 undecided pairs "
              r"will be decided within 50 topics\.", looking((0.5, 0.5, 0.2), 20)).group()),  # type: ignore[union-attr]
     lambda: looking((0.8, 0.5), 20))  # fmt: skip


@cache
def price(looks: int) -> str:
    return printed(cf.design_looks(0.04, 0.07, looks=looks), None, "price")


case("monitoring.price",
     lambda: (price(5), re.search(r"The maximum is \d+ topics? more than one look takes\.", price(5)).group()),  # type: ignore[union-attr]
     lambda: price(1))  # fmt: skip


@cache
def at_power(power: float) -> cf.SequentialDesign:
    return cf.design_looks(0.02, 0.1, power=power, looks=5)


def gain_by_hand(power: float, sign: int) -> str:
    design = at_power(power)
    return f"{sign * (design.topics_fixed - design.expected_alternative):.1f} topics"


case("monitoring.gain",
     lambda: (printed(at_power(0.8), None, "price"),
              f"If the difference is 0.1, the expected number is {gain_by_hand(0.8, 1)} lower."),
     lambda: printed(at_power(0.1), None, "price"))  # fmt: skip
case("monitoring.no-gain",
     lambda: (printed(at_power(0.1), None, "price"),
              f"If the difference is 0.1, the expected number is {gain_by_hand(0.1, -1)} higher."),
     lambda: printed(at_power(0.8), None, "price"))  # fmt: skip
case("monitoring.looks-take",
     lambda: (printed(at_power(0.8)), f"5 looks take at most {at_power(0.8).topics_max} topics "
              f"({at_power(0.8).expected_alternative:.0f} expected for difference 0.1); one look takes "
              f"{at_power(0.8).topics_fixed}"),
     lambda: printed(at_power(0.1)))  # fmt: skip


def so_far(effect: float) -> str:
    return cf.monitor(noisy([0.5, 0.5 + effect], n=20), per_look=10, max_topics=50).summary()


case(
    "monitoring.so-far",
    lambda: (so_far(0.3), "AP: after 20 of 50 topics (look 2) 1 of 1 pair is decided; stop"),
    lambda: so_far(0),
)


def blind_size(x: cf.ScoreMatrix, min_diff: float) -> float:
    """Topics of a z-test with the blinded variance, which a t-test exceeds by about 2."""
    v = x.values
    variance = 2 * ((v - v.mean(axis=1, keepdims=True)) ** 2).sum() / (v.shape[0] * (v.shape[1] - 1))
    return float(variance * (1.959964 + 0.841621) ** 2 / min_diff**2)


def reestimated() -> Shown:
    result = cf.reestimate(noisy([0.5, 0.55], n=20), 0.02)
    assert result.n_topics == pytest.approx(blind_size(noisy([0.5, 0.55], n=20), 0.02) + 2, abs=1.5)
    return result.summary(), (
        f"AP: {result.n_topics} [{result.topics_lower}, {result.topics_upper}] topics in all detect a difference of 0.02 "
        "with power 0.8 (20 seen so far)"
    )


case("monitoring.reestimated", reestimated, lambda: cf.reestimate(noisy([0.5, 0.55], n=20), 0.03).summary())


def test_looks_that_gain_nothing_promise_no_gain() -> None:
    assert at_power(0.1).expected_alternative > at_power(0.1).topics_fixed
    assert "The gain" not in printed(at_power(0.1), None, "price")


def test_one_look_costs_nothing() -> None:
    design = cf.design_looks(0.04, 0.07, looks=1)
    assert design.topics_max == design.topics_fixed


def gated(new: float, sd: float = 0.02, exact: bool = False, **how: object) -> str:
    rng = np.random.default_rng(3)
    noise = rng.normal(0, sd, 40)
    if exact:
        noise = np.repeat([0.0625, -0.0625], 20)
    x = cf.ScoreMatrix(np.column_stack([np.full(40, 0.5), 0.5 + new + noise]), [str(t) for t in range(40)],
                       ["main", "new"], "AP")  # fmt: skip
    return printed(cf.gate(x, baseline="main", candidate="new", **how))  # type: ignore[arg-type]


def gate_case(name: str, pattern: str, true: Callable[[], str], false: Callable[[], str]) -> None:
    def shown() -> Shown:
        found = re.search(pattern, true())
        assert found, true()
        return true(), found.group()

    case(f"gating.{name}", shown, false)


gate_case("better", r"new is better than main \(AP [^)]*\)\.",
          lambda: gated(0.1, better=True), lambda: gated(0, better=True))  # fmt: skip
gate_case("not-worse", r"new is not worse than main by 0\.02 or more \(AP [^)]*\)\.",
          lambda: gated(0.0, margin=0.02), lambda: gated(-0.1, margin=0.02))  # fmt: skip
gate_case("not-better", r"new is not better than main \(AP [^)]*\)\.",
          lambda: gated(-0.1, better=True), lambda: gated(0, better=True))  # fmt: skip
gate_case("worse", r"new is worse than main by more than 0\.02 \(AP [^)]*\)\.",
          lambda: gated(-0.1, margin=0.02), lambda: gated(0.0, margin=0.02))  # fmt: skip
gate_case("cannot-tell", r"new may not be better than main \(AP [^)]*\)\. .*?\.",
          lambda: gated(0, exact=True, better=True), lambda: gated(0.1, better=True))  # fmt: skip
gate_case("unlikely", "More topics are unlikely to decide: the difference equals the threshold",
          lambda: gated(0, exact=True, better=True), lambda: gated(0.003, sd=0.1, better=True))  # fmt: skip
gate_case("could-decide", r"About [\d,]+ topics could decide if the difference stays the same",
          lambda: gated(0.003, sd=0.1, better=True), lambda: gated(0, exact=True, better=True))  # fmt: skip
gate_case("equal-would-pass", r"The margin needs [\d,]+ topics: a candidate equal to main then passes with probability 0\.8\.",
          lambda: gated(-0.003, sd=0.1, margin=0.02), lambda: gated(0.1, better=True))  # fmt: skip
gate_case("equivalent", r"new and main are equivalent within 0\.02 \(AP [^)]*\)\.",
          lambda: gated(0.0, margin=0.02, equivalent=True), lambda: gated(0.1, margin=0.02, equivalent=True))  # fmt: skip
gate_case("not-equivalent", r"new and main differ by more than 0\.02 \(AP [^)]*\)\.",
          lambda: gated(0.1, margin=0.02, equivalent=True), lambda: gated(0.0, margin=0.02, equivalent=True))  # fmt: skip
case("gating.absent",
     lambda: (gated(0.0, margin=0.02), "These 40 topics may miss a loss that affects fewer than "
              f"{1 - 0.05 ** (1 / 40):.1%} of topics (probability above 0.05)."),
     lambda: gated(-0.1, margin=0.02))  # fmt: skip
case("gating.absent-loss",
     lambda: (gated(0, exact=True, margin=0.04), f"A loss above {0.04 / (1 - 0.05 ** (1 / 40)):.2f} AP per affected topic "
              "would exceed the margin."),
     lambda: gated(0, exact=True, margin=0.08))  # fmt: skip


# ── reuse, simulation, replicates, variance ───────────────────────────────────────────────────────────────


@cache
def leaving_out(kind: str) -> str:
    from small_collections import qrels_of, run_of

    lists = {"r1": "ab", "r2": "cab", "b1": "bda"}
    lists = {
        "shared": {"r1": "abcd", "r2": "bacd", "b1": "abdc"}, "flat": dict.fromkeys(lists, "abcd"),
        "unjudged": lists | {"b1": "bxa"}, "deep": lists | {"b1": "bdaxyz"},
    }.get(kind, lists)  # fmt: skip
    levels = {"a": 1, "b": 0, "c": 1, "d": 0} | ({"z": 1} if kind == "beyond" else {})
    qrels = qrels_of((topic, "0", document, level) for topic in "12" for document, level in levels.items())
    runs = [
        run_of([(t, d, -k) for t in "12" for k, d in enumerate(documents)], name) for name, documents in lists.items()
    ]
    teams = {"r1": "red", "r2": "green" if kind == "three teams" else "red", "b1": "blue"}
    measures = ["P@3", "AP"] if kind == "beyond" else ["AP", "P@2"]
    depths = {"shared": [4], "deep": [3, 6]}.get(kind, [3])
    named = ["r1", "r2", "b1", "b2"] if kind == "absent" else None
    return printed(cf.reuse(qrels, runs, teams, measures=measures, depths=depths, cutoff=2, n_resamples=20,
                            contributing=named))  # fmt: skip


def reuse_case(name: str, pattern: str, true: str, false: str) -> None:
    def shown() -> Shown:
        found = re.search(pattern, leaving_out(true))
        assert found, leaving_out(true)
        return leaving_out(true), found.group()

    case(name if "." in name else f"reusability.{name}", shown, lambda: leaving_out(false))


reuse_case("no-rank-lost", r"Without its team's judgments, no run loses a rank \(AP, depth 4\)", "shared",
           "own")  # fmt: skip
reuse_case("falls", r"Without their team's judgments, runs lose at most 1 rank \(AP, depth 3, team red\)",
           "own", "shared")  # fmt: skip
reuse_case("not-used", r"2 of 10 judgments are not used: .* all judgments\.", "beyond", "own")
reuse_case("decisions-change", r"\d+ of \d+ decisions between runs of a left-out team and other runs change\.", "own",
           "three teams")  # fmt: skip
reuse_case(
    "order-kept",
    r"Kendall's tau between the rankings with and without a team's judgments is at least -?[\d.]+\d\.",
    "own",
    "flat",
)
reuse_case("not-told", r"Reusability is unknown: only 75% of the pool of depth 3 is judged", "unjudged", "own")
reuse_case(
    "judged-in-part",
    r"Losses at depth 6 are underestimated, because less than 90% of these pools is judged\.",
    "deep",
    "own",
)
reuse_case("pool.contributing-absent", r"1 contributing run is missing \(b2\)\. .* retrieved\.", "absent",
           "own")  # fmt: skip
reuse_case("later-teams", r"A later team may lose more: in simulations, about 1 in 30 did\.", "own", "unjudged")
reuse_case("less-kind", r"By AP the loss is larger: 1 rank \(team red\)\.", "beyond", "own")


@cache
def simulated(kind: str) -> cf.SimulatedTests:
    skew = matrix(np.random.default_rng(8).lognormal(-1.5, 1.2, (60, 6)).clip(0, 1))
    if kind == "power":
        return cf.simulate_tests(
            noisy([0.5] * 5, n=40), n_topics=30, difference=0.05, tests=["t", "sign"], n_trials=300
        )
    if kind == "below":
        alike = noisy([0.5] * 5, n=40)
        easy = np.random.default_rng(4).normal(0, 0.2, (40, 1))
        return cf.simulate_tests(matrix(alike.values + easy), n_topics=20, tests=["t", "welch"], n_trials=600)
    few = kind == "over"
    return cf.simulate_tests(skew, n_topics=5 if few else 40, tests=["bootstrap", "t"] if few else ["t"], n_trials=600,
                             n_resamples=200)  # fmt: skip


def too_often() -> Shown:
    row = simulated("over").to_frame().filter(test="bootstrap", kind="type1").row(0, named=True)
    assert row["lower"] > 0.05
    found = re.search(r"bootstrap has a type I error of \.\d+ at \.05 with 5 topics\. .*",
                      simulated("over").summary())  # fmt: skip
    assert found
    return printed(simulated("over")), found.group()


def below() -> Shown:
    rows = simulated("below").to_frame()
    assert rows.filter(test="welch")["upper"][0] < 0.04, "topics that differ hide the difference from it"
    found = re.search(r"welch \([.\d]+\) is below the level and loses power", simulated("below").summary())
    assert found
    return printed(simulated("below")), found.group()


case("simulation.below", below, lambda: printed(simulated("kept")))
case("simulation.too-often", too_often, lambda: printed(simulated("kept")))
case("simulation.none-exceeds",
     lambda: (printed(simulated("kept")), simulated("kept").summary()), lambda: printed(simulated("over")))  # fmt: skip
case("simulation.most-power",
     lambda: (printed(simulated("power")), simulated("power").summary()), lambda: printed(simulated("kept")))  # fmt: skip


@cache
def delivered(pilot: int) -> cf.SimulatedDesign:
    return cf.simulate_design(past(), 4, 0.1, n_topics=pilot, n_pilots=4, n_trials=50, seed=1)


case("simulation.delivers", lambda: (printed(delivered(20)), delivered(20).summary()), lambda: printed(delivered(15)))


def test_what_the_simulated_designs_say() -> None:
    rows = delivered(20).to_frame()
    assert f"a mean power of {rows['reached'].mean():.2f}" in delivered(20).summary()
    assert f"{(rows['upper'] < 0.8).sum()} of 4 pilots fall short" in printed(delivered(20))


@cache
def copies(seed: int) -> tuple[cf.Replicates, str]:
    sample = cf.make_sample(n_topics=8, n_systems=4, n_documents=400, seed=seed)
    result = cf.replicate(sample.qrels, sample.runs, "AP", n_splits=2, n_resamples=100)
    text = told(None, "replicates", qrels=sample.qrels, runs=sample.runs, measures=["AP"], n_splits=2,
                replicate_resamples=100)  # fmt: skip
    return result, f"{printed(result)}\n{text}"


def replicates_case(name: str, pattern: str) -> None:
    def shown() -> Shown:
        found = re.search(pattern, copies(3)[1])
        assert found, copies(3)[1]
        return copies(3)[1], found.group()

    case(name, shown, lambda: copies(5)[1])


replicates_case("replicates.different", r"AP: \d+ of 6 pairs differ \([\d.]+%\); mean interval length [\d.]+\d")
case("variance.estimate",
     lambda: (printed(cf.estimate_variance(past(), "residual")), re.search(r"The residual variance of AP is [\d.]+, 95% "
              r"interval [\d.]+ to [\d.]+\d", printed(cf.estimate_variance(past(), "residual"))).group()),  # type: ignore[union-attr]
     lambda: printed(cf.estimate_variance(alike().scores, "residual")))  # fmt: skip


def f_text() -> Shown:
    v = past().values
    n, m = v.shape
    between = n * ((v.mean(0) - v.mean()) ** 2).sum() / (m - 1)
    rest = ((v - v.mean(0) - v.mean(1)[:, None] + v.mean()) ** 2).sum() / ((n - 1) * (m - 1))
    return printed(cf.anova_table(past())), f"AP: F = {between / rest:.2f} for systems, p < 0.0001"


case("variance.f-for-systems", f_text, lambda: printed(cf.anova_table(alike().scores)))


# ── judges ────────────────────────────────────────────────────────────────────────────────────────────────


@cache
def judging_of(kind: str, n: int = 40, further: int = 0, persons: int = 2, grouped: bool = False) -> cf.Judging:
    """Ten systems judged by people and by a machine of a kind, which may judge further topics.

    good: as near to the first person as the second is. bad: random. biased: good, but kind to systems i and j. tied: all
    systems alike. weak: its differences hardly follow those of people.
    """
    rng = np.random.default_rng(5)
    systems, topics = list("abcdefghij"), [str(at) for at in range(n + further)]
    base = np.linspace(0.2, 0.8, 10) + rng.normal(0, 0.05, (n + further, 1)) + rng.normal(0, 0.06, (n + further, 10))
    second, good = (base + rng.normal(0, 0.01, base.shape) for _ in range(2))
    kinds = {
        "good": good, "bad": rng.normal(0.5, 0.1, base.shape), "tied": np.full(base.shape, 0.5),
        "biased": good + 0.1 * (np.arange(10) >= 8), "weak": base.mean(axis=0) + rng.normal(0, 0.2, base.shape),
        "reversed": base[:, ::-1],
    }  # fmt: skip
    made = [cf.ScoreMatrix(x[:n], topics[:n], systems, "AP") for x in (base, second)]
    machines = {one: cf.ScoreMatrix(kinds[one], topics, systems, "AP") for one in kind.split("+")}
    if kind == "good+bad":  # two machines with the same errors
        machines["bad"] = cf.ScoreMatrix(good - 0.1, topics, systems, "AP")
    people = dict(zip(("person", "second"), made[:persons], strict=False))
    return cf.judges(people, machines, system_groups={"i": "ours", "j": "ours"} if grouped else None, n_resamples=200)


@cache
def stratified(further: int) -> cf.Judging:
    """Forty topics by people in two strata, and further ones by a machine."""
    rng = np.random.default_rng(6)
    scores = np.linspace(0.2, 0.8, 10) + rng.normal(0, 0.06, (40 + further, 10))
    topics, systems = [str(at) for at in range(40 + further)], list("abcdefghij")
    person = cf.ScoreMatrix(scores[:40], topics[:40], systems, "AP")
    machine = cf.ScoreMatrix(scores + rng.normal(0, 0.01, scores.shape), topics, systems, "AP")
    strata = {topic: "ab"[int(topic) % 2] for topic in topics}
    return cf.judges({"person": person}, {"machine": machine}, sampled=strata, n_resamples=200)


def judging(*kind: str, **how: int) -> Callable[[], cf.Judging]:
    return lambda: judging_of(*kind, **how)  # type: ignore[arg-type]


def judges_case(name: str, true: Callable[[], Result], pattern: str, false: Callable[[], Result], *sheets: str) -> None:
    def shown() -> Shown:
        text = printed(true(), None, *sheets)
        found = re.search(pattern, text)
        assert found, text
        return text, found.group()

    case(name, shown, lambda: printed(false(), None, *sheets))


judges_case(
    "judges.not-worse", judging("good"),
    r"good: not worse than a second person by more than \.10 in τ \(all 10 systems\)\. Nothing is shown for the best systems",
    judging("bad"),
)  # fmt: skip
judges_case("judges.worse", judging("bad"), r"bad: worse than a second person by [01]\.\d{3} in τ", judging("good"))
judges_case("judges.cannot-tell", judging("biased", grouped=True), "biased: 40 topics cannot decide whether it is as good as a second person",
            judging("good"))  # fmt: skip
judges_case("judges.tau-alone", judging("good", persons=1), r"good and people rank 10 systems with τ = \d\.\d{3} \[\d\.\d{3}, \d\.\d{3}\]",
            judging("good"))  # fmt: skip
judges_case(
    "judges.no-tau",
    judging("tied", persons=1),
    "tied: all systems tie, so τ is not defined",
    judging("good", persons=1),
)
judges_case("judges.no-ceiling", judging("good", persons=1), r"Only one person judged, so there is no verdict\. A verdict needs the judgments of a second person\.",
            judging("good"))  # fmt: skip
judges_case("judges.no-groups", judging("good"), r"Bias for a group of systems was not examined\. Declare groups with `system_groups`\.",
            judging("good", grouped=True))  # fmt: skip
judges_case("judges.no-verdict", judging("tied"), r"tied: no verdict\. It needs 5 systems that do not all tie, and 2 topics that all judged\.",
            judging("good"))  # fmt: skip
judges_case("judges.delta", judging("good"), r"good: Δ = [+-]0\.\d{3} \[[+-]\d\.\d{3}, [+-]\d\.\d{3}\] in τ against a second person, on 40 topics\.",
            judging("good", persons=1))  # fmt: skip
judges_case("judges.delta-holds", judging("good"), r"The interval of Δ contained the true value in 95% of simulations, and in 87% for judges just beyond the margin\.",
            judging("good", persons=1))  # fmt: skip
judges_case("judges.tau-holds", judging("good", persons=1), r"The interval of τ contained the true value in at least 90% of simulations\.",
            judging("good"))  # fmt: skip
judges_case("judges.biased", judging("biased", grouped=True), r"biased scores group ours 0\.(?:09|10)\d higher than a second person does, relative to other systems\.",
            judging("good", grouped=True))  # fmt: skip
judges_case("judges.opposite", judging("reversed"), r"reversed contradicts people on 45 of 45 pairs \(both significant, opposite directions\)\.",
            judging("good"))  # fmt: skip
judges_case("judges.opposite-pairs", judging("reversed"), r"People prefer the first system of each pair, reversed the second: j and a, .* and 40 more\.",
            judging("good"))  # fmt: skip
judges_case("judges.nearer", judging("good+reversed"), r"good is nearer to people than reversed: τ is 2\.000 \[2\.000, 2\.000\] higher\.",
            judging("good+bad"))  # fmt: skip
judges_case("judges.nearer-open", judging("good+bad"), r"Whether good or bad is nearer to people is undecided: τ differs by [+-]0\.\d{3} "
            r"\[[+-]\d\.\d{3}, [+-]\d\.\d{3}\]\.", judging("good+reversed"))  # fmt: skip
judges_case("judges.needed", judging("bad"), r"To detect a difference of 0\.05 between average systems with power 0\.8, people must judge \d\d topics; the machine saves none\.",
            judging("good"))  # fmt: skip
judges_case("judges.needed-beside", judging("good"), r"To detect a difference of 0\.05 between average systems with power 0\.8, people must judge \d\d topics, or "
            r"\d\d if the machine judges 500 further topics\.", judging("bad"))  # fmt: skip
judges_case(
    "judges.adds",
    judging("good", further=100),
    r"With the machine's further topics, 40 human topics are as precise as about 1\d\d\.",
    judging("good"),
)
judges_case("judges.effective", judging("good+bad"), r"2 machines are worth about 1\.0 independent ones, because their errors correlate\.",
            judging("good"))  # fmt: skip
judges_case("judges.no-further-topics", judging("good"), r"Means and pairs use human judgments only: good judged fewer than 2 further topics\.",
            judging("good", further=100), "pairs")  # fmt: skip
judges_case("judges.too-few", judging("good", n=12, further=20), r"Means and pairs use human judgments only: 12 topics with both judgments are fewer than 15\.",
            judging("good", further=100), "pairs")  # fmt: skip
judges_case("judges.too-weak", judging("weak", further=100), r"Means and pairs use human judgments only: the median correlation of differences is -?0\.\d\d, "
            r"below 0\.5\.", judging("good", further=100), "pairs")  # fmt: skip
judges_case("judges.strata-unused", lambda: stratified(0), r"Strata are not used here: every human topic counts alike\.",
            lambda: stratified(100), "pairs")  # fmt: skip
judges_case("judges.unknown-sampling", judging("good", further=100), r"Prediction-powered differences assume that the human topics are a random "
            r"sample\. If they are not, intervals may cover far less\. If they are, set `sampled` to random; this adds "
            r"prediction-powered means\.", judging("good"))  # fmt: skip


@cache
def graded(fewer: int) -> cf.Judging:
    """Judgments by people and by a machine, which leaves out so many pairs."""
    sample = cf.make_sample(n_topics=4, n_systems=3, n_documents=100, depth=10, length=20)
    rows = sample.qrels.frame
    machine = cf.Qrels(rows.head(rows.height - fewer), "machine")
    return cf.judges({"person": sample.qrels}, {"machine": machine}, sample.runs, n_resamples=50)


judges_case(
    "judges.unmatched",
    lambda: graded(2),
    r"machine: 2 documents were judged by people only, 0 by the machine only\.",
    lambda: graded(0),
)


def unlike(systems: int = 6, low: int = 0, second: int = 20) -> cf.Judging:
    """A machine that scored fewer systems; with `low`, one that grades lower; second persons who judged other topics."""
    if low:
        sample = cf.make_sample(n_topics=4, n_systems=3, n_documents=100, depth=10, length=20)
        machine = cf.Qrels(
            sample.qrels.frame.with_columns(relevance=sample.qrels.frame["relevance"] - low + 1), "machine"
        )
        return cf.judges({"person": sample.qrels}, {"machine": machine}, sample.runs, n_resamples=50)
    x = noisy([0.8, 0.7, 0.6, 0.5, 0.4, 0.3], n=30)
    parts = {"person": x, "a": x.select(topics=x.topics[:20]), "b": x.select(topics=x.topics[20 - second :][:20])}
    return cf.judges(parts, {"machine": x.select(systems=x.systems[:systems])}, n_resamples=20)


def unlike_with(**how: int) -> Callable[[], cf.Judging]:
    return lambda: unlike(**how)


judges_case(
    "judges.dropped-systems",
    unlike_with(systems=5),
    r"1 system left out, because some judge has no scores: \w\.",
    unlike_with(),
)
judges_case("judges.scales", unlike_with(low=2), r"Grades by machine are -1 to \d, by person 0 to \d\. Labels and leniency compare them unmapped\. "
            r"Declare `map`\.", unlike_with(low=1))  # fmt: skip
judges_case("judges.part-of-pairs", unlike_with(second=12), r"Δ uses the 12 topics that every second person judged\. With a alone it would use 20 topics\.",
            unlike_with())  # fmt: skip


@cache
def with_group(systems: str) -> cf.Judging:
    """Six systems, some of them in a group."""
    x = noisy([0.8, 0.7, 0.6, 0.5, 0.4, 0.3])
    groups = dict.fromkeys(x.systems[: len(systems)], "ours")
    return cf.judges({"person": x}, {"machine": x}, system_groups=groups, n_resamples=20)


judges_case("judges.unexamined-group", lambda: with_group("abcd"), r"Bias was not examined for ours: a group needs 1 system inside, 3 outside, and 3 shared topics\.",
            lambda: with_group("ab"))  # fmt: skip


def apart(first: int, n: int = 30) -> cf.Judging:
    x = noisy([0.8, 0.7, 0.6, 0.5, 0.4], n=n)
    machine = cf.ScoreMatrix(x.values, [str(first + at) for at in range(n)], x.systems, "AP")
    return cf.judges({"person": x}, {"machine": machine}, n_resamples=50)


judges_case("judges.no-shared-topic", lambda: apart(30), r"People and machines share no topic\. Only rankings can be compared\.", lambda: apart(0))  # fmt: skip
judges_case("judges.too-few-apart", lambda: apart(30), r"τ has no interval: with different topics, both sides need at least 50 topics\.",
            lambda: apart(60, 60))  # fmt: skip
judges_case("judges.human-only-topics", lambda: apart(3), r"3 topics left out, because not every machine judged them: 0, 1, 2\.",
            lambda: apart(0))  # fmt: skip


def planned(machine: str = "good", **how: object) -> Callable[[], cf.JudgesDesign]:
    """A design from a pilot of 40 topics, whose machine follows people or does not."""

    def made() -> cf.JudgesDesign:
        rng = np.random.default_rng(9)
        people = np.linspace(0.3, 0.6, 8) + rng.normal(0, 0.1, (40, 8))
        values = people if machine == "good" else rng.normal(0.5, 0.1, people.shape)
        return cf.design_judges(matrix(people), {machine: matrix(values)}, machine_topics=500, **how)  # type: ignore[arg-type]

    return made


judges_case("judges.cheapest-mix", planned(width=0.1, price_human=2, price_machine=0.01),
            r"Cheapest mix: 15 topics by people, 500 further by machine \(cost 35\)", planned(width=0.1))  # fmt: skip
judges_case("judges.instead", planned(width=0.1), r"With 500 further machine topics, people judge 15 topics instead of \d\d",
            planned(width=0.1, price_human=1))  # fmt: skip
judges_case("judges.saves-none", planned("bad", width=0.1), r"People must judge \d\d topics; 500 further machine topics save none",
            planned(width=0.1))  # fmt: skip
judges_case("judges.not-reached", planned("bad", width=0.0001), "No number of human topics up to 20,000 reaches this goal",
            planned(width=0.1))  # fmt: skip
judges_case("judges.explained", planned(width=0.1), r"In the pilot, the correlation of human and machine differences is 1\.00 \(average pair\)\.",
            planned("bad", width=0.1))  # fmt: skip
judges_case("judges.weak-pilot", planned("bad", width=0.1), r"In the pilot, differences correlate 0\.\d\d, below 0\.5\. Prediction-powered estimates are "
            r"therefore not offered\.", planned(width=0.1))  # fmt: skip


# ── no conclusion is written elsewhere ────────────────────────────────────────────────────────────────────

CLAIMS = re.compile(
    r"\bdiffers?\b|\bmay be the best\b|\bleads?\b|\bis (?:not )?(?:better|worse|significant)|\bseparates?\b|\bcheapest\b|"
    r"\blowest cost\b|\bCreate\b|with probability|\breliability of\b|\bagrees? with\b|\bexpect(?:ed)? to (?:be|agree)\b|"
    r"\btopics are needed\b|\bdecided\b|\bwins\b|\bloses\b|\bcannot tell\b|\btoo often\b|\bbeats\b|\bno pair\b",
)
EXPLAINS = (  # what columns and questions mean, which claims nothing about the data
    "shared by all pairs", "lower, upper:", "rank_lower", "p: of", "topics_needed:", "power, power_all_pairs",
    "rate: share", "type1:", "family-wise:", "exchangeable:", "topics: recommended", "topics: in all", "erho2 (",
    "systems: how much", "A reliable ranking does not", "unique_judged", "rank_drop:", "Of every measure", "Bars: ", "boundary:", "judged: share", "blocked_f:",
    "These numbers are for one pair",
    "The differences between the", "An interval belongs", "The estimators differ", "Both coefficients lie", "A system that is built later",
    "systems: how much", "Three questions", "unique_judged", "rank_drop:", "Of every measure", "Bars: ", "boundary:", "judged: share", "blocked_f:",
    "These are of a pair",
    "The differences between the", "Each interval is for", "The estimators differ", "Both coefficients lie",
    "Bpref and condensed", "declared_better:", "advantage: of", "With {} (O'Brien", "expected_null", "The gate passes",
    "There is only one system", "a curve that falls", "One row and one column", "Paths drawn at most", "ringed:", "Above the diagonal",
    "ranks lost by", "most ranks a run", "score the same systems on every batch",
    "z, boundary", "A recommendation", "The documents were split",
    # what is asked, assumed or refused
    "Which systems differ", "Which systems really differ", "which systems really differ", "which of many systems differ",
    "which systems differ, what the collection", "Topics for telling", "which pairs are decided", "Which pairs are decided",
    "The first is the main one", "`wins` counts", "Who leads", "greater: system_a", "pairs: one row", "undecided, too few topics to tell",
    "Which systems differ", "Which pairs of systems differ?", "Does any system differ?", "Which systems really differ", "which systems really differ", "which of many systems differ",
    "which systems differ, what the collection", "Topics needed to detect", "topics to detect by", "separate topics", "which pairs are decided", "Which pairs are decided",
    "the first one leads", "`wins` counts", "Who leads", "greater: system_a", "pairs: one row", "undecided, these topics cannot tell",
    "undecided when these topics cannot tell", "`power`: to show", "cannot tell", "might be swapped", "about 0 if the systems",
    "the two matrices differ", "the measures differ", "leads to a", "Letters mark the systems",
    # parts of listed sentences: design.by-chance, gating.not-worse
    "systems differ no more than by chance", "is not worse than … by",
)  # fmt: skip


def claims(tree: ast.AST) -> list[str]:
    """Strings of a module that conclude something, without docstrings, errors, listed sentences, captions and explanations."""
    prose = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    prose |= {id(part) for n in ast.walk(tree) if isinstance(n, ast.Raise) for part in ast.walk(n)}
    inside = {id(part) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for part in ast.walk(n)} - {
        id(n) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr)
    }
    for call in (n for n in ast.walk(tree) if isinstance(n, ast.Call)):
        if getattr(call.func, "id", getattr(call.func, "attr", "")) in (
            "sentence",
            "Chart",
            "Table",
            "Section",
            "Figure",
        ):
            prose |= {id(part) for part in ast.walk(call) if isinstance(part, (ast.Constant, ast.JoinedStr))}
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Constant, ast.JoinedStr)) or id(node) in prose or id(node) in inside:
            continue
        text = str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)
        words = re.sub(r"\{[^{}]*\}", "…", text)
        asks = words.rstrip(")'\"").endswith("?")
        if len(words.split()) > 4 and CLAIMS.search(words) and not asks and not any(one in words for one in EXPLAINS):
            found.append(words)
    return found


WARNS = re.compile(r"warning|caution|doubt|oddit|_advice|caveat|clipping")
"""Names of functions that make warnings."""
FACTS = (  # what was read, kept or done with the data, which is no conclusion
    "markup line", "would match the judgments", "work file {", "tied on", "only {} different", "of the {} scores are exactly",
    "in common with the judgments", "its documents is judged", "topics have no relevant document left", "left out for every",
    "parts are computed again", "in {} of {} pairs", "on average over {} pairs", "missing and count",
)  # fmt: skip


def warnings_in_words(tree: ast.AST) -> list[str]:
    """Warnings of a module that are written where they are made."""
    places: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and WARNS.search(node.name):
            places += node.body[1:] if ast.get_docstring(node) else node.body
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            owner = getattr(getattr(node.func, "value", None), "id", "")
            if name == "notify" or (name in ("append", "extend") and "warnings" in owner):
                places += node.args
            places += [word.value for word in node.keywords if word.arg == "warnings"]
    known = {id(part) for place in places for n in ast.walk(place) if isinstance(n, ast.Raise) for part in ast.walk(n)}
    known |= {
        id(part) for place in places for n in ast.walk(place) if isinstance(n, ast.JoinedStr) for part in n.values
    }
    found = []
    for node in (n for place in places for n in ast.walk(place)):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in known:
            text = str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)
            words = re.sub(r"\{[^{}]*\}", "{}", text)
            if len(words.split()) > 4 and not any(fact in words for fact in FACTS):
                found.append(words)
    return found


PLACES = sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("path", PLACES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_conclusions_are_made_of_listed_sentences(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert claims(tree) + warnings_in_words(tree) == [], "put it beside the condition that makes it true, with a case"


def test_a_warning_written_elsewhere_is_seen() -> None:
    code = (
        "def _warnings(x):\n    return (f'{x}: this is a warning in words',)\nnotify(['so is this one, in many words'])"
    )
    assert len(warnings_in_words(ast.parse(code))) == 2


def test_a_conclusion_written_elsewhere_is_seen() -> None:
    code = 'def f(x):\n    """It leads and differs."""\n    return f"{x} leads and differs from all others"'
    assert len(claims(ast.parse(code))) == 1


def test_a_sentence_finds_itself() -> None:
    one = Sentence("x.y", "{a:,} of {b} (50%) lead", "always")
    assert one.places == ("a", "b")
    assert one.pattern.fullmatch(one(a=1000, b="x")).group() == "1,000 of x (50%) lead"  # type: ignore[union-attr]
