"""``cranfield pool``: the judgments a shallower pool would have had."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cranfield.cli.options import Format, QrelsFile, RunFiles
from cranfield.defaults import ORDER, RankingOrder


def command(
    qrels: QrelsFile,
    runs: RunFiles,
    depth: Annotated[int, typer.Option("--depth", metavar="D", help="Keep documents in the top D of any run.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the judgments to this file, as TREC qrels.")
    ] = None,
    order: Annotated[RankingOrder, typer.Option("--order", help="How documents are ordered.")] = ORDER,
    format: Format = None,
) -> None:
    """Reduce judgments to the documents in the top of at least one run.

    Writes the reduced judgments with -o, and prints how many documents are left for each topic.

    Example: cranfield pool qrels.txt runs/ --depth 10 -o qrels.depth10.txt
    """
    from cranfield.cli.output import emit, say
    from cranfield.collection import depth_pools, read_qrels, read_runs, write_qrels
    from cranfield.collection.pools import judged_counts
    from cranfield.present.tables import Sheet
    from cranfield.signature import signature

    judged = read_qrels(qrels)
    pool = depth_pools(judged, read_runs(runs), [depth], order=order)[depth]
    counts = judged_counts(pool, judged.topics)
    without_relevant = counts.filter(counts["relevant"] == 0)["topic"].to_list()
    warnings = list(judged.notes)
    if without_relevant:
        from cranfield.labels import summary

        warnings.append(
            f"{len(without_relevant)} of {len(counts)} topics have no relevant document left: "
            f"{summary(without_relevant)}"
        )
    if output is not None:
        write_qrels(pool, output)
        say(f"wrote {output}: {len(pool):,} of {len(judged):,} judgments")
    per_topic = counts["judged"].sum() / len(counts)
    settings = {"qrels": qrels, "depth": depth, "order": order}
    answer = Sheet(
        "pool",
        counts,
        signature("pool", **settings),
        settings,
        tuple(warnings),
        title=f"Judged documents at pool depth {depth}",
        notes=(f"{len(pool):,} of {len(judged):,} judgments; {per_topic:.1f} documents a topic.",),
    )
    emit(answer, format=format)
