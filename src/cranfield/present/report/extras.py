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
from cranfield.present.report.parts import Figure, Notice, Part, Section, Table, Text

BESIDE_RESAMPLES = 20_000
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
            f"They rank the systems {alike}: Kendall's τ between the two orders is {number(row['tau'])}.",
            strong=True,
        ),
        Text(_telling_apart(before, after)),
        Figure("fig-standardised", scores.standardised(done, case.main)),
    ]
    if len(case.scores) > 1:
        parts.append(Figure("fig-effect", agreement.standardisation_effect(effect)))
    parts += [Notice(text) for text in effect.warnings]
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
    return (
        f"On these topics and by {before['measure']}, the F of the blocked analysis of variance goes from "
        f"{number(before['blocked_f'], 1)} to {number(after['blocked_f'], 1)}. The factors come from these very "
        "scores, so this does not say that other systems, other topics or other measures would be told apart more "
        "or less easily."
    )


def replicated(case: Case) -> Section:
    """Whether the differences hold on other documents."""
    from cranfield.replicates import replicate

    with quietly():
        found = replicate(
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
        beside = found.comparison(BESIDE_RESAMPLES)
    said = answer(found)
    one = found[case.measure]
    different, total = int(one.decisions.decided.sum()), len(one.pairs)
    conflicts = int(beside["conflicts"].sum())
    kind, topics = CORRECTIONS[one.rule.correction].title, case.comparison()
    alike = beside.filter((pl.col("test") == "randomisation") & (pl.col("correction") == one.rule.correction))
    parts: list[Part] = [
        Text(
            f"Judged by other documents of the same kind, {different:,} of {plural(total, 'pair')} of systems differ "
            f"significantly in {case.measure} ({kind} p ≤ {case.alpha:g}).",
            strong=True,
        ),
        Text(
            f"The documents were split at random into {case.n_partitions} parts, {plural(case.n_splits, 'time')} over, "
            "and every topic was scored on each part. "
            "Topics are taken as they are here: the conclusion is about other documents, not about other topics. "
            f"The randomisation test over topics separates {alike['different'][0]:,} pairs with the same correction "
            f"({kind}) and {int(topics.significant.sum()):,} with that of the leaderboard "
            f"({topics.correction_text()}), which promises more."
        ),
        Text(
            "No pair is decided one way here and the other way by a test over topics."
            if not conflicts
            else f"{plural(conflicts, 'decision')} of the tests over topics go the other way."
        ),
        *(Notice(text) for text in found.warnings),
        Figure("fig-effects", replicates.effects(found)),
        Figure("fig-agreement", replicates.agreement(found)),
        Figure("fig-methods", replicates.methods_table(beside, total, case.measure, replicates.details(found))),
        Table("effects", "System effects", said.sheet("systems")),
        Table("replicate-pairs", "Every pair over the splits", said.sheet("pairs"), shown=10),
        Table("agreement", "How many pairs the splits agree on", said.sheet("agreement")),
        Table("methods-compared", "Decisions of the methods", table_of(found, "comparison", beside)),
    ]
    return Section(
        "replicates", "Other documents: replicates", tuple(parts), (found.signature,), ("voorhees", "benjamini")
    )
