"""Sections: what standardisation does, and replicates of the document collection."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from cranfield.comparison.corrections import CORRECTIONS
from cranfield.defaults import STANDARDISE_A
from cranfield.errors import quietly
from cranfield.present.answer import answer
from cranfield.present.answers.replicates import table_of
from cranfield.present.charts import agreement, replicates, scores
from cranfield.present.charts.style import number, plural
from cranfield.present.report.case import Case
from cranfield.present.report.parts import Figure, Part, Section, Table, Text, notices
from cranfield.sentences import replicates as say
from cranfield.sentences.report import REPLICATES_BESIDE
from cranfield.sentences.standardise import RANKS_ALIKE, TELLING_APART

OTHER_TEST_RESAMPLES = 20_000
"""Resamples of the randomisation test that stands beside the replicates."""


def standardisation(case: Case) -> Section:
    """Scores before and after, and what changes that is free of scale."""
    from cranfield.design import standardisation_effect
    from cranfield.standardise import fit_standardisation

    with quietly():
        factors = fit_standardisation(case.scores)
        done = factors.apply(case.main)
        effect = standardisation_effect(
            case.scores, alpha=case.alpha, power=case.power, seed=case.seed, n_resamples=2000, workers=case.workers
        )
    said = answer(effect)
    row = effect.variance.row(0, named=True)
    free = effect.scale_free.filter(pl.col("measure") == case.measure)
    before, after = free.row(0, named=True), free.row(1, named=True)
    alike = (
        "as the raw ones do" if row["tau"] == 1 else "much as the raw ones do" if row["tau"] > 0.8 else "differently"
    )
    parts: list[Part] = [
        Text(
            "Standardised scores say how far a system is above or below the others on each topic. "
            + RANKS_ALIKE(alike=alike, tau=number(row["tau"])),
            strong=True,
        ),
        Text(_telling_apart(before, after)),
        Figure("fig-standardised", scores.standardised(done, case.main)),
    ]
    if len(case.scores) > 1:
        parts.append(Figure("fig-effect", agreement.standardisation_effect(effect)))
    parts += notices(effect.warnings)
    parts += [
        Text(
            "Variances before and after are not comparable: standardised scores have a variance near "
            f"A² = {STANDARDISE_A**2:.4f} whatever the measure. "
            "F does not change when scores are rescaled, so it can be compared."
        ),
        Table(
            "standardisation",
            "Variance, and agreement of the two rankings",
            replace(said.sheet("variance"), hidden=("systems", "topics", "clipped", "tied_topics")),
        ),
        Table(
            "scale-free",
            "Free of scale: F of the blocked analysis of variance, and topics for a difference of one standard "
            "deviation between systems",
            said.sheet("scale-free"),
        ),
        Table(
            "factors",
            "Standardisation factors, to score other systems by (file only)",
            answer(factors).sheet(),
            shown=0,
        ),
    ]
    return Section(
        "standardisation",
        "Standardisation",
        tuple(parts),
        (factors.signature, effect.signature),
        ("sakai-std", "webber-std", "kendall"),
    )


def _telling_apart(before: dict[str, Any], after: dict[str, Any]) -> str:
    if before["blocked_f"] is None or after["blocked_f"] is None:
        return (
            f"On these topics and by {before['measure']}, systems and topics explain every score, and the F of the "
            "blocked analysis of variance is not defined."
        )
    f = {"before": number(before["blocked_f"], 1), "after": number(after["blocked_f"], 1)}
    return TELLING_APART(measure=before["measure"], **f)


def conflicts_text(other_tests: pl.DataFrame) -> str:
    """Whether a pair is decided one way by replicates and the other way by a test over topics."""
    conflicts = int(other_tests["conflicts"].sum())
    return say.CONFLICTS(conflicts=plural(conflicts, "decision")) if conflicts else say.NO_CONFLICT()


def replicated(case: Case) -> Section:
    """Whether the differences hold on other documents."""
    from cranfield.replicates import replicate

    with quietly():
        result = replicate(
            case.judgments,
            list(case.runs),
            case.measure,
            n_partitions=case.n_partitions,
            n_splits=case.n_splits,
            n_resamples=case.replicate_resamples,
            alpha=case.alpha,
            seed=case.seed,
            **case.scoring,
            workers=case.workers,
        )
        other_test = result.comparison(OTHER_TEST_RESAMPLES)
    said = answer(result)
    one = result[case.measure]
    different, total = int(one.decisions.decided.sum()), len(one.pairs)
    kind, topics = CORRECTIONS[one.rule.correction].title, case.comparison()
    alike = other_test.filter((pl.col("test") == "randomisation") & (pl.col("correction") == one.rule.correction))
    parts: list[Part] = [
        Text(
            say.DIFFER_ON_OTHERS(
                different=different,
                pairs=plural(total, "pair"),
                measure=case.measure,
                correction=kind,
                alpha=case.alpha,
            ),
            strong=True,
        ),
        Text(
            f"The documents were split at random into {case.n_partitions} parts, {plural(case.n_splits, 'time')} over, "
            "and every topic was scored on each part. "
            "Topics are taken as they are here: the conclusion is about other documents, not about other topics. "
            + REPLICATES_BESIDE(
                alike=alike["different"][0],
                leaderboard=int(topics.significant.sum()),
                kind=kind,
                title=topics.correction_text(),
                alpha=case.alpha,
            )
        ),
        Text(conflicts_text(other_test)),
        *notices(result.warnings),
        Figure("fig-effects", replicates.effects(result)),
        Figure("fig-agreement", replicates.agreement(result)),
        Figure("fig-methods", replicates.methods_table(other_test, total, case.measure, replicates.details(result))),
        Table("effects", "System effects", said.sheet("systems")),
        Table("replicate-pairs", "Every pair over the splits", said.sheet("pairs"), shown=10),
        Table("agreement", "How many pairs the splits agree on", said.sheet("agreement")),
        Table("methods-compared", "Decisions of the methods", table_of(result, "comparison", other_test)),
    ]
    return Section(
        "replicates", "Other documents: replicates", tuple(parts), (result.signature,), ("voorhees", "benjamini")
    )
