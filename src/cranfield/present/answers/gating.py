"""What a gate says: the verdict, the figures behind it, and a comment for a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.labels import plural
from cranfield.present.answer import Answer, Chart, answers
from cranfield.present.tables import Sheet, cell
from cranfield.sentences.gating import EQUAL_WOULD_PASS

if TYPE_CHECKING:
    from cranfield.gating import Gate

BADGES = {"pass": "✅ Pass", "fail": "❌ Fail", "undecided": "⚠️ Undecided"}


@answers("Gate")
def gate_answer(result: Gate, settings: Any) -> Answer:
    """The verdict, by measure."""
    headline = f"{result.verdict.upper()}: " + " ".join(result.sentence(check) for check in result.checks)

    def sheet() -> Sheet:
        return Sheet(
            "gate",
            result.to_frame(),
            result.signature,
            result.settings,
            result.warnings,
            headline,
            notes=notes_of(result),
            hidden=("margin",),
            dispensable=("p_fail", "mean_baseline", "mean_candidate"),
            heading="The gate",
            texts={"markdown": comment(result)},
        )

    chart = Chart(
        "gate-chart", "Differences and threshold", "Dots with whiskers: the difference by each measure with its "
        "bounds, and the threshold as a line.", result, "gate",
    )  # fmt: skip
    return Answer(headline=headline, sheets={"gate": sheet}, charts=(chart,))


def notes_of(result: Gate) -> tuple[str, ...]:
    """What the columns mean, and what would decide."""
    kind = "t-test" if result.test == "t" else "randomisation test"
    notes = [
        f"difference: {result.candidate} minus {result.baseline}; it must be above {result.threshold:g}. lower, upper: "
        f"one-sided {1 - result.alpha:.0%} bounds (t).",
        f"p: of passing, by a one-sided {kind}; pass at p ≤ {result.alpha:g}, fail at p_fail ≤ {result.alpha:g}.",
    ]
    if result.verdict == "undecided":
        notes.append(
            f"topics_needed: decide with probability {result.power:g} if the true difference is the observed one, "
            "which is itself uncertain."
        )
        equal = [check.topics_if_equal for check in result.checks if check.topics_if_equal is not None]
        if equal:
            topics = plural(max(equal), "topic")
            notes.append(EQUAL_WOULD_PASS(baseline=result.baseline, power=result.power, topics=topics))
    if len(result.checks) > 1:
        notes.append("The gate passes when every measure passes, and fails when any fails.")
    return tuple(notes)


def comment(result: Gate) -> str:
    """The verdict as a comment for a pull request; names stay text there."""
    from cranfield.present.formats.markdown import name_text, plain_text

    lines = [
        f"### {BADGES[result.verdict]}: {name_text(result.candidate)} against {name_text(result.baseline)}",
        "",
        *(f"- {plain_text(result.sentence(check))}" for check in result.checks),
        "",
        "| measure | baseline | candidate | difference | bounds | p | verdict |",
        "| :--- | ---: | ---: | ---: | :---: | ---: | :--- |",
    ]
    for one in result.checks:
        cells = (
            one.measure, cell(one.mean_baseline), cell(one.mean_candidate), f"{one.difference:+.4f}",
            f"{cell(one.lower)} … {cell(one.upper)}", cell(one.p), one.verdict,
        )  # fmt: skip
        lines.append("| " + " | ".join(map(plain_text, cells)) + " |")
    lines += ["", *(f"{plain_text(note)}  " for note in notes_of(result))]
    lines += [f"**Note:** {plain_text(text)}  " for text in result.warnings]
    return "\n".join([*lines, "", f"<sub>{plain_text(result.signature)}</sub>", ""])
