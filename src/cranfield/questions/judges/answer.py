"""What machine and human judgments say of each other: verdict first, then decisions, rankings, labels and bias."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.answer import Answer, Chart
from cranfield.core.labels import plural, summary
from cranfield.core.sentences import sentence
from cranfield.core.tables import Sheet

if TYPE_CHECKING:
    from cranfield.questions.judges.judges import Judging, Verdict

NOT_WORSE = sentence(
    "judges.not-worse",
    "{judge}: not worse than a second person by more than .10 in τ ({systems})",
    "the interval of Δ begins above −.10, no more pairs are opposite than between people, and no group is favoured",
)
WORSE = sentence(
    "judges.worse",
    "{judge}: worse than a second person by {gap:.3f} in τ",
    "the interval of Δ ends below 0",
)
CANNOT_TELL = sentence(
    "judges.cannot-tell",
    "{judge}: these {topics} cannot tell whether it equals a second person",
    "a second person judged, and neither of the other two verdicts holds",
)
TAU_ALONE = sentence(
    "judges.tau-alone",
    "{judge} ranks {systems} with τ = {tau:.3f} to people{ends}",
    "no second person judged the same pairs",
)
NO_TAU = sentence("judges.no-tau", "{judge}: all systems tie, so τ is not defined", "all systems tie for one judge")
TOP_UNKNOWN = sentence(
    "judges.top-unknown",
    "Nothing is shown for the best systems.",
    "the verdict is that the machine is not worse than a second person",
)
DELTA = sentence(
    "judges.delta",
    "{judge}: Δ = {value:+.3f} [{lower:+.3f}, {upper:+.3f}] in τ against a second person, on {topics}.",
    "a second person judged pairs that the machine and the reference judged too",
)
FAVOURED = sentence(
    "judges.favoured",
    "{judge} favours {groups} beyond what a second person does.",
    "the interval of the group's bias, less that of the second person, does not contain 0",
)
OPPOSITE = sentence(
    "judges.opposite",
    "{judge} decides {opposite} of {pairs} against people (both significant, opposite directions).",
    "counted over all pairs of systems with Holm's correction",
    always=True,
)
ADDS = sentence(
    "judges.adds",
    "With the machine's further topics, {n} human topics are worth about {effective:.0f}.",
    "powered estimates are offered; the median over pairs",
)


def judges_answer(result: Judging, question: Any) -> Answer:
    """The verdict, what the machine adds, and the tables behind it."""
    known = result.settings
    counts = (
        f"{plural(known['n_systems'], 'system')}, {plural(known['n_topics'], 'topic')} with both judgments, "
        f"{plural(known['n_machine_topics'], 'further machine topic')}, {known['measure']}."
    )
    title = f"{headline(result)}. {counts}"

    def sheet(show: str, heading: str, rows: pl.DataFrame, *notes: str) -> Sheet:
        return Sheet(
            "judges", rows, result.signature, {**known, "show": show}, result.warnings, title,
            notes=(*sentences(result), *notes), heading=heading, dispensable=("corrected", "weight", "p"),
        )  # fmt: skip

    level = f"{100 * (1 - known['alpha']):g}%"
    return Answer(
        headline=headline(result),
        sentences=tuple(sentences(result)),
        sheets={
            "decisions": lambda: sheet(
                "decisions", "Decisions", result.decision_rows,
                "Paired t-tests of all pairs with Holm's correction, under human and under machine judgments.",
            ),
            "rankings": lambda: sheet(
                "rankings", "Rankings", result.ranking_rows,
                f"lower, upper: {level} hull interval for unlimited topics. Second persons are the ceiling.",
            ),
            "means": lambda: sheet(
                "means", "Means", result.mean_rows,
                f"{level} intervals. Machine means have none: they are not about human judgments.",
            ),
            "pairs": lambda: sheet(
                "pairs", "Pairs", result.pair_rows, f"{level} simultaneous intervals; method says which judgments."
            ),
            "labels": lambda: sheet(
                "labels", "Labels", result.label_rows, f"{level} jackknife intervals over topics."
            ),
            "bias": lambda: sheet(
                "bias", "Bias", result.bias_rows,
                f"difference: the group's mean above what human means predict; {level} jackknife over topics.",
            ),
            "opposite": lambda: sheet(
                "opposite", "Opposite pairs", result.opposite_rows, "human, machine: differences of means."
            ),
            "confusion": lambda: sheet("confusion", "Confusion", result.confusion_rows, "grade: by the reference."),
            "judges": lambda: sheet(
                "judges", "Machines compared", result.judge_rows,
                "difference: τ of judge_a with people minus that of judge_b.",
            ),
        },
        charts=(
            Chart("scores", "Scores", "Points: mean of each system by people and by the machine.", result, "scores"),
            Chart("slopes", "Ranks", "Lines: rank of each system by people and by the machine.", result, "slopes"),
            Chart("decisions", "Decisions", "Bars: pairs decided by both, one or neither.", result, "decisions"),
        ),
        on_page=("decisions", "rankings", "pairs", "labels"),
    )  # fmt: skip


def headline(result: Judging) -> str:
    """The verdict on the first machine; τ with its interval where nobody judged a second time."""
    if result.verdicts:
        return _verdict(result.verdicts[0])
    first = result.ranking_rows.row(0, named=True)
    if first["value"] is None:
        return NO_TAU(judge=first["judge"])
    ends = "" if first["lower"] is None else f" [{first['lower']:.3f}, {first['upper']:.3f}]"
    systems = plural(result.settings["n_systems"], "system")
    return TAU_ALONE(judge=first["judge"], systems=systems, tau=first["value"], ends=ends)


def _verdict(one: Verdict) -> str:
    if one.outcome == "not worse":
        return NOT_WORSE(judge=one.judge, systems=f"all {plural(one.n_systems, 'system')}")
    if one.outcome == "worse":
        return WORSE(judge=one.judge, gap=-one.difference.value)
    return CANNOT_TELL(judge=one.judge, topics=plural(one.n_topics, "topic"))


def sentences(result: Judging) -> list[str]:
    """What belongs beside the verdict, most important first."""
    said = []
    for at, one in enumerate(result.verdicts):
        if at:
            said.append(f"{_verdict(one)}.")
        if one.outcome == "not worse":
            said.append(TOP_UNKNOWN())
        d = one.difference
        said.append(
            DELTA(judge=one.judge, value=d.value, lower=d.lower, upper=d.upper, topics=plural(one.n_topics, "topic"))
        )
        if one.biased:
            said.append(FAVOURED(judge=one.judge, groups=summary(one.biased)))
    for judge in result.decision_rows["judge"].unique(maintain_order=True):
        own = result.decision_rows.filter(judge=judge)
        opposite = int(own.filter(decision="opposite")["pairs"][0])
        said.append(OPPOSITE(judge=judge, opposite=opposite, pairs=plural(int(own["pairs"].sum()), "pair")))
    if result.effective_topics is not None:
        said.append(ADDS(n=result.settings["n_topics"], effective=result.effective_topics))
    return said
