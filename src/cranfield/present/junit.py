"""A gate as JUnit XML, which build servers show: one test case per measure."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from cranfield.gating import Gate


def to_junit(result: Gate) -> str:
    """The XML: a fail is a failure, an undecided gate an error, both with the sentence that explains them; warnings are
    the suite's error output."""
    verdicts = [check.verdict for check in result.checks]
    suite = ElementTree.Element(
        "testsuite",
        name="cranfield gate",
        tests=str(len(verdicts)),
        failures=str(verdicts.count("fail")),
        errors=str(verdicts.count("undecided")),
        skipped="0",
    )
    for check in result.checks:
        name = f"{result.candidate} {result.claim} ({check.measure})"
        case = ElementTree.SubElement(suite, "testcase", classname="cranfield.gate", name=name)
        sentence = result.sentence(check)
        if check.verdict != "pass":
            kind = "failure" if check.verdict == "fail" else "error"
            ElementTree.SubElement(case, kind, type=check.verdict, message=sentence).text = sentence
        ElementTree.SubElement(case, "system-out").text = f"{sentence}\n{result.signature}"
    if result.warnings:
        ElementTree.SubElement(suite, "system-err").text = "\n".join(result.warnings)
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"
