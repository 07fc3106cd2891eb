"""What machine and human judgments say of each other: verdict first, then decisions, rankings, labels and bias."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from cranfield.core.answer import Answer, Chart, sentence
from cranfield.core.defaults import ALPHA
from cranfield.core.errors import ArgumentError
from cranfield.core.labels import plural, summary
from cranfield.core.tables import Sheet
from cranfield.scores.tau_interval import LEAST_SYSTEMS

if TYPE_CHECKING:
    from cranfield.questions.judges.judges import Judging
    from cranfield.questions.judges.verdict import Verdict

NOT_WORSE = sentence(
    "judges.not-worse",
    "{judge}: not worse than a second person by more than .10 in τ (all {systems}). Nothing is shown for the best "
    "systems",
    "the interval of Δ begins above −.10, no more pairs are opposite than between people, and no declared group is "
    "biased",
    measured="judges.md#what-simulation-says",
)
WORSE = sentence(
    "judges.worse",
    "{judge}: worse than a second person by {gap:.3f} in τ",
    "the interval of Δ ends below 0",
    measured="judges.md#what-simulation-says",
)
CANNOT_TELL = sentence(
    "judges.cannot-tell",
    "{judge}: {topics} cannot decide whether it is as good as a second person",
    "a second person judged, and neither of the other two verdicts holds",
)
TAU_ALONE = sentence(
    "judges.tau-alone",
    "{judge} and people rank {systems} with τ = {tau:.3f}{ends}",
    "no second person judged the same pairs",
    measured="judges.md#what-simulation-says",
)
NO_TAU = sentence("judges.no-tau", "{judge}: all systems tie, so τ is not defined", "all systems tie for one judge")
NO_CEILING = sentence(
    "judges.no-ceiling",
    "Only one person judged, so there is no verdict. A verdict needs the judgments of a second person.",
    "the judgments of one person only are given",
)
NO_GROUPS = sentence(
    "judges.no-groups",
    "Bias for a group of systems was not examined. Declare groups with `system_groups`.",
    "the verdict is that the machine is not worse, and no declared group could be examined",
)
NO_VERDICT = sentence(
    "judges.no-verdict",
    "{judge}: no verdict. It needs {least} systems that do not all tie, and 2 topics that all judged.",
    "a second person judged, and Δ cannot be computed for a machine that shares topics with people",
)
DELTA = sentence(
    "judges.delta",
    "{judge}: Δ = {value:+.3f} [{lower:+.3f}, {upper:+.3f}] in τ against a second person, on {shared}.",
    "a second person judged pairs that the machine and the reference judged too",
    measured="judges.md#what-simulation-says",
)
DELTA_HOLDS = sentence(
    "judges.delta-holds",
    "The interval of Δ contained the true value in 95% of simulations, and in 87% for judges just beyond the margin.",
    "a second person judged, and Δ has a 95% interval",
    measured="judges.md#what-simulation-says",
)
TAU_HOLDS = sentence(
    "judges.tau-holds",
    "The interval of τ contained the true value in at least 90% of simulations.",
    "there is no verdict, and τ has a 95% interval",
    measured="judges.md#what-simulation-says",
)
BIASED = sentence(
    "judges.biased",
    "{judge} scores group {group} {value:.3f} {direction} than a second person does, relative to other systems.",
    "the interval of the group's bias, less that of the second person, does not contain 0",
)
OPPOSITE = sentence(
    "judges.opposite",
    "{judge} contradicts people on {opposite} of {pairs} (both significant, opposite directions).",
    "counted over all pairs of systems with Holm's correction",
    always=True,
    measured="judges.md#what-simulation-says",
)
OPPOSITE_PAIRS = sentence(
    "judges.opposite-pairs",
    "People prefer the first system of each pair, {judge} the second: {pairs}.",
    "at least one pair is decided in opposite directions with Holm's correction",
)
NEARER = sentence(
    "judges.nearer",
    "{first} is nearer to people than {second}: τ is {value:.3f} [{lower:.3f}, {upper:.3f}] higher.",
    "the interval of the difference of their τ does not contain 0",
)
NEARER_OPEN = sentence(
    "judges.nearer-open",
    "Whether {first} or {second} is nearer to people is undecided: τ differs by {value:+.3f} "
    "[{lower:+.3f}, {upper:+.3f}].",
    "two machines judged, and the interval of the difference of their τ contains 0",
)
NEEDED = sentence(
    "judges.needed",
    "To detect a difference of {difference:g} between average systems with power {power:g}, people must judge "
    "{topics}; the machine saves none.",
    "at least 10 topics have both judgments, and the machine would save no human topics",
)
NEEDED_BESIDE = sentence(
    "judges.needed-beside",
    "To detect a difference of {difference:g} between average systems with power {power:g}, people must judge "
    "{topics}, or {fewer} if the machine judges {more} further topics.",
    "at least 10 topics have both judgments, and human and machine differences correlate at least .5",
)
ADDS = sentence(
    "judges.adds",
    "With the machine's further topics, {n} human topics are as precise as about {effective:.0f}.",
    "powered estimates are offered; the median over pairs",
)
FEWER_JUDGES = sentence(
    "judges.effective",
    "{k} machines are worth about {effective:.1f} independent ones, because their errors correlate.",
    "several machines judged, and their errors correlate positively in the mean",
)
NEEDS = {
    "bias": "Give `system_groups` with at least 1 system inside and 3 outside a group.",
    "judges": "Give 2 machines, 5 systems and 3 shared topics.",
    "labels": "Give judgments and runs; score files hold no grades.",
    "confusion": "Give judgments and runs; score files hold no grades.",
}
"""What a table needs that is empty otherwise."""


def judges_answer(result: Judging) -> Answer:
    """The verdict, what the machine adds, and the tables behind it."""
    known = result.settings
    mapped = "" if known["map"] is None else f" Machine grades mapped {known['map']}."
    shared, alone = f"{plural(known['n_topics'], 'topic')} with both judgments", "further machine topic"
    if not known["n_topics"]:
        shared, alone = plural(known["n_human_topics"], "human topic"), "other machine topic"
    topics = f"{shared}, {plural(known['n_machine_topics'], alone)}"
    counts = f"{plural(known['n_systems'], 'system')}, {topics}, {known['measure']}."
    if known["n_pairs"] is not None:
        counts = f"{counts[:-1]}, {known['n_pairs']:,} documents judged by both."
    title = f"{headline(result)}. {counts}{mapped}"
    said = sentences(result)
    level = f"{100 * (1 - known['alpha']):g}%"
    notes = {
        "decisions": "Paired t-tests of all pairs with Holm's correction, under human and under machine judgments.",
        "conflicts": "human, machine: differences of means by each judge. decision: as in the table of decisions.",
        "rankings": f"lower, upper: {level} hull interval for unlimited topics (coverage of 95% intervals in "
        "simulations: at least 90%). Compare a machine with a second person. machine, their pairs: τ on the pairs "
        "that second persons judged.",
        "means": f"{level} intervals. Machine means have no interval: they do not estimate human scores.",
        "pairs": f"{level} simultaneous intervals. weight: λ. correlation: of human and machine differences.",
        "bias": f"difference: mean of the group above what human means predict; {level} jackknife over topics. "
        "beyond a person: minus that of the second persons, on the pairs that all judged.",
        "leniency": f"value: judge minus reference, in grades or in {known['measure']}; {level} intervals over topics.",
        "judges": "difference: τ of judge_a with people minus that of judge_b. kappa: agreement of both machines.",
        "confusion": "grade: given by the reference. judge_grade: given by the judge.",
        "labels": f"{level} jackknife intervals over topics. overrating: mean grade minus that of the reference.",
    }

    def sheet(show: str) -> Sheet:
        rows = getattr(result, _ROWS.get(show, f"{show.removesuffix('s')}_rows"))
        if rows.is_empty():
            remedy = NEEDS.get(show, "Judge at least 2 topics by people and machines.")
            raise ArgumentError(f"`show` {show} has no rows here. {remedy}")
        why = (result.reason,) if show in ("means", "pairs") and result.reason else ()
        return Sheet(
            "judges", rows, result.signature, {**known, "show": show}, result.warnings, title,
            notes=(*said, *why, notes[show]), heading=_HEADINGS.get(show, show.capitalize()),
            dispensable=DISPENSABLE,
        )  # fmt: skip

    charts = [
        Chart("scores", "Scores", "Points: mean of each system by people and by the machine.", result, "scores"),
        Chart("slopes", "Ranks", "Lines: rank of each system by people and by the machine.", result, "slopes"),
    ]
    if result.decision_rows.height:
        alt = "Bars: pairs decided by both, one or neither."
        charts.append(Chart("decisions", "Decisions", alt, result, "decisions"))
    if result.bias_rows.height:
        charts.append(Chart("bias", "Bias", "Points: bias of each judge towards each group.", result, "bias"))
    first = "decisions" if result.decision_rows.height else "rankings"
    order = [first, *(name for name in notes if name != first)]
    filled = [name for name in order if getattr(result, _ROWS.get(name, f"{name.removesuffix('s')}_rows")).height]
    return Answer(
        headline=headline(result),
        sentences=tuple(said),
        sheets={name: partial(sheet, name) for name in order},
        charts=tuple(charts),
        on_page=tuple(filled),
    )


DISPENSABLE = ("corrected", "weight", "p", "correlation", "p_teams")
_ENDS = ("value", "lower", "upper")
_ROWS = {"bias": "bias_rows", "leniency": "leniency_rows"}
_HEADINGS = {"conflicts": "Pairs under both judgments", "judges": "Machines compared"}


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
        return NOT_WORSE(judge=one.judge, systems=plural(one.n_systems, "system"))
    if one.outcome == "worse":
        return WORSE(judge=one.judge, gap=-one.difference.value)
    return CANNOT_TELL(judge=one.judge, topics=plural(one.n_topics, "topic"))


def _nearer(row: Mapping[str, Any]) -> str:
    """Which of two machines is nearer to people, or that this is open."""
    ends = row["difference"], row["lower"], row["upper"]
    names = row["judge_a"], row["judge_b"]
    if ends[1] <= 0 <= ends[2]:
        return NEARER_OPEN(first=names[0], second=names[1], **dict(zip(_ENDS, ends, strict=True)))
    if ends[2] < 0:
        names, ends = names[::-1], (-ends[0], -ends[2], -ends[1])
    return NEARER(first=names[0], second=names[1], **dict(zip(_ENDS, ends, strict=True)))


def sentences(result: Judging) -> list[str]:
    """What belongs beside the verdict, most important first."""
    said = []
    for at, one in enumerate(result.verdicts):
        if at:
            said.append(f"{_verdict(one)}.")
        if one.outcome == "not worse" and result.bias_rows.is_empty():
            said.append(NO_GROUPS())
        d = one.difference
        on = plural(one.n_topics, "topic")
        if one.n_pairs is not None:
            on = f"{one.n_pairs:,} pairs of {on}"
        said.append(DELTA(judge=one.judge, value=d.value, lower=d.lower, upper=d.upper, shared=on))
        for group, value in one.biased:
            direction = "higher" if value > 0 else "lower"
            said.append(BIASED(judge=one.judge, group=group, value=abs(value), direction=direction))
    usual = result.settings["alpha"] == ALPHA
    if result.verdicts and usual:
        said.append(DELTA_HOLDS())
    elif not result.verdicts and usual and result.ranking_rows["lower"][0] is not None:
        said.append(TAU_HOLDS())
    if len(result.settings["human"]) == 1:
        said.append(NO_CEILING())
    else:
        judged = {one.judge for one in result.verdicts}
        said += [
            NO_VERDICT(judge=name, least=LEAST_SYSTEMS) for name in result.settings["machine"] if name not in judged
        ]
    for judge in result.decision_rows["judge"].unique(maintain_order=True):
        own = result.decision_rows.filter(judge=judge)
        opposite = int(own.filter(decision="opposite")["pairs"][0])
        said.append(OPPOSITE(judge=judge, opposite=opposite, pairs=plural(int(own["pairs"].sum()), "pair")))
        if opposite:
            named = result.conflict_rows.filter(judge=judge, decision="opposite")
            pairs = [f"{a} and {b}" for a, b in named.select("system_a", "system_b").iter_rows()]
            said.append(OPPOSITE_PAIRS(judge=judge, pairs=summary(pairs)))
    if result.effective_topics is not None:
        said.append(ADDS(n=result.settings["n_topics"], effective=result.effective_topics))
    if (needed := result.needed) is not None:
        goal = {"topics": plural(needed.topics, "topic"), "difference": needed.min_diff, "power": needed.power}
        if needed.topics_with_machine is None:
            said.append(NEEDED(**goal))
        else:
            said.append(NEEDED_BESIDE(**goal, fewer=needed.topics_with_machine, more=needed.machine_topics))
    for row in result.judge_rows.drop_nulls("lower").iter_rows(named=True):
        said.append(_nearer(row))
    k = len(result.settings["machine"])
    if result.effective_judges is not None and result.effective_judges < k - 0.05:
        said.append(FEWER_JUDGES(k=k, effective=result.effective_judges))
    return said
