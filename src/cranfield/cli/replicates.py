"""``cranfield replicates``: intervals and decisions from partitions of the documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cranfield.cli.options import Alpha, ChartName, Format, Output, Plot, QrelsFile, RunFiles, Seed, Workers
from cranfield.defaults import (
    ALPHA,
    DECIDE,
    EMPTY,
    MERGE,
    ORDER,
    PAIR_P,
    PARTITIONS,
    REDRAWS,
    RELEVANCE,
    REPLICATES_CORRECTION,
    REPLICATES_RESAMPLES,
    RESAMPLE,
    RESIDUALS,
    SEED,
    SPLITS,
    SYSTEM_NAME,
    Correction,
    Decide,
    EmptyPolicy,
    Merge,
    PairP,
    RankingOrder,
    ReplicatesShow,
    Resample,
    Residuals,
    SystemName,
)

if TYPE_CHECKING:
    import polars as pl

    from cranfield.replicates import Replicates

_TITLES = {
    "systems": "System effects with intervals, averaged over {splits} splits into {partitions} partitions",
    "pairs": "Pairs of systems over {splits} splits into {partitions} partitions",
    "agreement": "How many pairs {splits} splits into {partitions} partitions agree on",
    "comparison": "Pairs separated by replicates and by tests on the whole collection",
    "teams": "Decisions on pairs of one team: all runs in the model, the team's alone, randomisation test",
    "anova": "Analysis of variance of each of {splits} splits into {partitions} partitions",
    "splits": "The {splits} splits into {partitions} partitions one by one",
}


def command(
    qrels: QrelsFile,
    runs: RunFiles,
    measure: Annotated[
        list[str], typer.Option("--measure", "-m", help="A measure such as AP, P@10 or infAP; repeatable.")
    ] = ["AP"],  # noqa: B006 (typer copies it)
    show: Annotated[ReplicatesShow, typer.Option("--show", help="Which table to print.")] = "systems",
    partitions: Annotated[
        int, typer.Option("--partitions", "-x", help="Partitions of the documents, from 2.")
    ] = PARTITIONS,
    splits: Annotated[int, typer.Option("--splits", help="How many splits into partitions.")] = SPLITS,
    residuals: Annotated[
        Residuals, typer.Option("--residuals", help="Rescaled by sqrt(N/(N-p)), or raw (published).")
    ] = RESIDUALS,
    resample: Annotated[
        Resample, typer.Option("--resample", help="Whole (topic, partition) rows, or single cells (published).")
    ] = RESAMPLE,
    p: Annotated[
        PairP, typer.Option("--p", help="From the bootstrapped difference, or from one system's effect (published).")
    ] = PAIR_P,
    published: Annotated[
        bool, typer.Option("--published", help="As in the slides: raw residuals, cells, effect, BH.")
    ] = False,
    no_interaction: Annotated[
        bool, typer.Option("--no-interaction", help="Leave the topic x system term out of the model.")
    ] = False,
    empty: Annotated[
        EmptyPolicy,
        typer.Option(
            "--empty",
            help="A topic without relevant documents in some partition: drop it, redraw the split, or keep the rest.",
        ),
    ] = EMPTY,
    redraws: Annotated[int, typer.Option("--redraws", help="With --empty redraw: splits drawn at most.")] = REDRAWS,
    merge: Annotated[
        Merge, typer.Option("--merge", help="One p-value from those of many splits (then corrected).")
    ] = MERGE,
    decide: Annotated[
        Decide, typer.Option("--decide", help="By the merged p-value, or by the votes of the splits.")
    ] = DECIDE,
    correction: Annotated[
        Correction, typer.Option("--correction", help="Over all pairs of a measure.")
    ] = REPLICATES_CORRECTION,
    alpha: Alpha = ALPHA,
    resamples: Annotated[int, typer.Option("--resamples", help="Bootstrap resamples, a split.")] = REPLICATES_RESAMPLES,
    teams: Annotated[
        Path | None, typer.Option("--teams", help="For --show teams: a file of lines `system team`.")
    ] = None,
    team_prefix: Annotated[
        str | None,
        typer.Option("--team-prefix", help="Or a regular expression: what it matches at the start of the run tag."),
    ] = None,
    level: Annotated[
        int, typer.Option("--level", "-l", help="Lowest relevance level that counts as relevant.")
    ] = RELEVANCE,
    gains: Annotated[
        str | None, typer.Option("--gains", help="Gain of each level: linear, exp, or a list such as 1:3:7.")
    ] = None,
    intents: Annotated[
        str | None, typer.Option("--intents", help="Intent probabilities (topic intent probability) for D-measures.")
    ] = None,
    order: Annotated[
        RankingOrder,
        typer.Option("--order", help="Documents by score (trec_eval), rank column (ndeval) or file (NTCIREVAL)."),
    ] = ORDER,
    single_precision: Annotated[
        bool,
        typer.Option("--single-precision", help="Compare scores as 32-bit floats, as trec_eval before 9.0.8 did."),
    ] = False,
    name: Annotated[
        SystemName, typer.Option("--name", help="Name systems after their file or their run tag.")
    ] = SYSTEM_NAME,
    lenient: Annotated[bool, typer.Option("--lenient", help="Accept fields after the run tag.")] = False,
    work: Annotated[
        Path | None,
        typer.Option("--work", help="Keep what is finished in this file; an interrupted job goes on from there."),
    ] = None,
    seed: Seed = SEED,
    workers: Workers = None,
    plot: Plot = None,
    chart: ChartName = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Score every topic on several partitions of the documents, and see which systems differ.

    The documents are split at random; each (topic, system) then has several scores, so that a model with a
    topic x system interaction can be fitted. Its residuals are bootstrapped for intervals on system effects and
    p-values of pairs, over many splits. The inference is to other documents, not to other topics.

    Example: cranfield replicates qrels.txt runs/ -m AP --show pairs
    """
    from cranfield.cli.output import draw, emit, progress_bar
    from cranfield.errors import ArgumentError
    from cranfield.present.tables import Sheet
    from cranfield.replicates import replicate

    if show == "teams" and (teams is None) == (team_prefix is None):
        raise ArgumentError("--show teams needs one grouping of the runs: --teams FILE or --team-prefix PATTERN")
    with progress_bar("runs and splits") as progress:
        found = replicate(
            qrels,
            runs,
            measure,
            n_partitions=partitions,
            n_splits=splits,
            empty=empty,
            redraws=redraws,
            interaction=not no_interaction,
            residuals=residuals,
            resample=resample,
            p=p,
            published=published,
            n_resamples=resamples,
            alpha=alpha,
            correction=correction,
            merge=merge,
            decide=decide,
            seed=seed,
            level=level,
            gains=gains,
            intents=intents,
            order=order,
            single_precision=single_precision,
            lenient=lenient,
            name=name,
            work=work,
            workers=workers,
            progress=progress,
        )
    rows, notes = _table(found, show, teams, team_prefix)
    title = _TITLES[show].format(splits=splits, partitions=partitions)
    if len(found.measures) == 1 and format in (None, "table") and (output is None or output.suffix == ".txt"):
        rows, title = rows.drop("measure"), f"{found.measures[0]}: {title[0].lower()}{title[1:]}"
    settings = {"qrels": qrels, **found.settings, "show": show}
    answer = Sheet("replicates", rows, found.signature, settings, found.warnings, title, notes=notes)
    emit(answer, format=format, output=output)
    draw(found, plot, chart)


def _table(
    found: Replicates, show: ReplicatesShow, teams: Path | None, team_prefix: str | None
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The rows to print, and the lines below them."""
    import polars as pl

    from cranfield.replicates.result import FIXED_TOPICS

    notes = found.summary() if show in ("systems", "pairs", "agreement") else []
    if show == "teams":
        from cranfield.replicates.teams import read_teams, teams_by_prefix

        first = next(iter(found.by_measure.values())).data
        grouping = read_teams(teams) if teams else teams_by_prefix(first.systems, first.tags, team_prefix or "")
        by_measure = found.teams(grouping)
        rows = pl.concat([each.triples for each in by_measure.values()])
        for measure, each in by_measure.items():
            notes.append(f"{measure}: {each.n_teams} teams with two runs or more, {each.n_pairs} pairs.")
            notes += [
                f"{measure}: mean interval length {model} teams {without:.4f} without interaction, {with_:.4f} with it."
                for _, model, without, with_ in each.lengths.iter_rows()
            ]
    else:
        rows = found.to_frame(show)
    if found.settings["interaction"] and show != "anova":
        notes.append(FIXED_TOPICS)
    return rows, tuple(notes)
