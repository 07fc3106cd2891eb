"""What a gate says: the verdict, the figures behind it, a comment for a pull request, and XML for a build server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from cranfield.core.answer import Answer, Chart, sentence
from cranfield.core.labels import plural
from cranfield.core.tables import Sheet, cell
from cranfield.questions.gate.rule import absent_share

if TYPE_CHECKING:
    from cranfield.questions.gate.gate import Gate

EQUAL_WOULD_PASS = sentence(
    "gating.equal-would-pass",
    "The margin needs {topics}: a candidate equal to {baseline} then passes with probability {power:g}.",
    "a margin lets an equal candidate pass at all",
)
ABSENT = sentence(
    "gating.absent",
    "These {topics} may miss {what} that affects fewer than {share:.1%} of topics (probability above {alpha:g}).",
    "a measure passes; the share is 1 − alpha^(1/topics), and all topics are drawn outside it with that probability",
    measured="gate",
)
ABSENT_LOSS = sentence(
    "gating.absent-loss",
    "A loss above {size:.2f} {measure} per affected topic would exceed the {margin}.",
    "the measure passes, its scores lie in [0, 1], and the distance to the threshold, divided by that share, is at "
    "most 1",
    measured="gate",
)
BADGES = {"pass": "✅ Pass", "fail": "❌ Fail", "undecided": "⚠️ Undecided"}


def gate_answer(result: Gate, question: Any = None) -> Answer:
    """The verdict, by measure."""
    verdict = f"{result.verdict.upper()}: "
    lines = "\n".join(result.sentence(check) for check in result.checks)

    def sheet() -> Sheet:
        return Sheet(
            "gate", result.to_frame(), result.signature, result.settings, result.warnings, verdict + result.findings,
            notes=notes_of(result), hidden=("margin",), dispensable=("p_fail", "mean_baseline", "mean_candidate"),
            heading="The gate", texts={"markdown": comment(result)},
        )  # fmt: skip

    chart = Chart(
        "gate-chart", "Differences and threshold", "Dots with whiskers: the difference by each measure with its "
        "bounds, and the threshold as a line.", result, "gate",
    )  # fmt: skip
    return Answer(headline=verdict + lines, sheets={"gate": sheet}, charts=(chart,))


def notes_of(result: Gate) -> tuple[str, ...]:
    """What the columns mean, and what would decide."""
    kind, bound = {
        "hall": ("t-test or Hall's test, the larger p", "the wider of t and Hall's, adjusted for skewness"),
        "t": ("t-test", "t"),
        "randomisation": ("randomisation test", "t"),
    }[result.test]
    aim = f"lie within ±{result.margin:g}" if result.equivalent else f"be above {result.threshold:g}"
    notes = [
        f"difference: {result.candidate} minus {result.baseline}; it must {aim}. lower, upper: one-sided "
        f"{1 - result.alpha:.0%} bounds ({bound}).",
        f"p, p_fail: one-sided {kind}; pass at p ≤ {result.alpha:g}, fail at p_fail ≤ {result.alpha:g}.",
    ]
    passed = [check for check in result.checks if check.verdict == "pass"]
    if passed:
        n = min(check.n_topics for check in passed)
        drawn = n if result.n_groups is None else result.n_groups
        what = "a loss or gain" if result.equivalent else "a loss"
        notes.append(
            ABSENT(what=what, share=absent_share(drawn, result.alpha), topics=plural(n, "topic"), alpha=result.alpha)
        )
    margin = "gain" if result.better else "margin"
    notes += [
        ABSENT_LOSS(measure=check.measure, size=check.absent_loss, margin=margin)
        for check in passed
        if check.absent_loss is not None
    ]
    if result.verdict == "undecided":
        notes.append(
            f"topics_needed: topics that decide with probability {result.power:g} (normal theory) if the observed "
            "difference is the true one."
        )
    equal = [check.topics_if_equal for check in result.checks if check.topics_if_equal is not None]
    if equal:  # whatever the verdict: tomorrow's candidate may be undecided
        topics = plural(max(equal), "topic")
        notes.append(EQUAL_WOULD_PASS(baseline=result.baseline, power=result.power, topics=topics))
    if len(result.checks) > 1:
        notes.append("The gate passes when every measure passes, and fails when any fails.")
    return tuple(notes)


def comment(result: Gate) -> str:
    """The verdict as a comment for a pull request; names stay text there."""
    from cranfield.core.formats import name_text, plain_text

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


_UNDECIDED = {None: "error", "pass": None, "warn": "skipped", "fail": "failure"}
"""The element of a test case that is undecided, by what it does to the build."""


def to_junit(result: Gate, undecided: str | None = None) -> str:
    """The gate as JUnit XML, which build servers show, one test case per measure.

    A fail is a failure with the sentence that explains it. An undecided measure is an error, or what `undecided` says:
    nothing (``"pass"``), skipped (``"warn"``) or a failure (``"fail"``). Warnings are the suite's error output.
    """
    shown = {"pass": None, "fail": "failure", "undecided": _UNDECIDED[undecided]}
    kinds = [shown[check.verdict] for check in result.checks]
    suite = ElementTree.Element(
        "testsuite",
        name="cranfield gate",
        tests=str(len(kinds)),
        failures=str(kinds.count("failure")),
        errors=str(kinds.count("error")),
        skipped=str(kinds.count("skipped")),
    )
    for check in result.checks:
        name = f"{result.candidate} {result.claim} ({check.measure})"
        case = ElementTree.SubElement(suite, "testcase", classname="cranfield.gate", name=name)
        found = result.sentence(check)
        if (kind := shown[check.verdict]) is not None:
            ElementTree.SubElement(case, kind, type=check.verdict, message=found).text = found
        ElementTree.SubElement(case, "system-out").text = f"{found}\n{result.signature}"
    if result.warnings:
        ElementTree.SubElement(suite, "system-err").text = "\n".join(result.warnings)
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"
