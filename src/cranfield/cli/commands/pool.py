"""``cranfield pool``: the judgments a shallower pool would have had."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from cranfield.cli.output import collection_format, emit, say

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.settings.evaluate import PoolSettings


def run(settings: PoolSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Reduce the judgments; write them, and print what is left of each topic."""
    from cranfield.collection import depth_pools, read_qrels, read_runs
    from cranfield.collection.pools import judged_counts
    from cranfield.files import expand, write_atomically
    from cranfield.labels import summary
    from cranfield.present.tables import Sheet
    from cranfield.signature import signature

    entry = collection_format(None, output.output, "qrels")
    judged = read_qrels(files["qrels"])
    depth = settings.depth
    runs = expand(files["runs"])
    pool = depth_pools(judged, read_runs(runs), [depth], order=cast(Any, settings.order))[depth]
    counts = judged_counts(pool, judged.topics)
    without_relevant = counts.filter(counts["relevant"] == 0)["topic"].to_list()
    warnings = [*judged.notes, *runs.skipped]
    if without_relevant:
        warnings.append(
            f"{len(without_relevant)} of {len(counts)} topics have no relevant document left: "
            f"{summary(without_relevant)}"
        )
    if output.output is not None:
        write_atomically(output.output, cast("Any", entry.write_qrels)(pool))
        say(f"wrote {output.output}: {len(pool):,} of {len(judged):,} judgments")
    per_topic = counts["judged"].sum() / len(counts)
    shown = {"qrels": files["qrels"], **settings.to_dict()}
    sheet = Sheet(
        "pool",
        counts,
        signature("pool", **shown),
        shown,
        tuple(warnings),
        title=f"Judged documents at pool depth {depth}",
        notes=(f"{len(pool):,} of {len(judged):,} judgments; {per_topic:.1f} documents per topic.",),
    )
    emit(sheet, replace(output, output=None))
