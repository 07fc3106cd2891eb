"""The answer of `correlate`: rank correlations of two orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.core.answer import Answer, Chart, sentence
from cranfield.core.labels import plural
from cranfield.core.tables import Sheet

if TYPE_CHECKING:
    from cranfield.questions.correlate.correlate import Correlation

NOISE_LOWERS = sentence(
    "correlate.noise-lowers",
    "τ = {tau:.3f} on these {topics}. With unlimited topics like these, τ lies in [{lower:.2f}, {upper:.2f}] ({level} "
    "interval). Topic noise usually lowers τ; corrected for it, τ = {corrected:.3f}.",
    "τ has an interval that is no point, and corrected for topic noise it is not lower by .0005",
    measured="tau",
)
NOISE_RAISES = sentence(
    "correlate.noise-raises",
    "τ = {tau:.3f} on these {topics}. With unlimited topics like these, τ lies in [{lower:.2f}, {upper:.2f}] ({level} "
    "interval). Noise that both sides share raises τ here; corrected for it, τ = {corrected:.3f}.",
    "τ has an interval that is no point, and corrected for topic noise it is lower by .0005 or more",
    measured="tau",
)
PUBLISHED = "published: tau ± z·√(2(2m+5)/(9m(m-1))), cut at ±1. It assumes two unrelated orders."


def correlation_answer(result: Any, settings: Any) -> Answer:
    """Every coefficient with its intervals."""
    from cranfield.questions.correlate.correlate import Correlations
    from cranfield.scores.rank_coefficients import COEFFICIENTS

    several = result if isinstance(result, Correlations) else Correlations((result,))
    first = several.correlations[0]
    names = (first.reference, first.estimate) if settings is None else (settings.reference, settings.estimate)
    each = {f"{one.reference} and {one.estimate}: ": long_run(one) for one in several.correlations}
    said = tuple(f"{who if len(each) > 1 else ''}{text}" for who, text in each.items() if text)
    level = f"{1 - first.alpha:.0%}"
    known = any(one.intervals for one in several.correlations)
    columns = f"corrected: topic noise removed. lower, upper: {level} interval of the value with unlimited topics."
    notes = (
        *said,
        *((columns,) if known else ()),
        *((PUBLISHED,) if first.published is not None else ()),
        *(f"{name}: {text}" for name, text in COEFFICIENTS.items()),
    )
    title = f"Rank correlation of {first.n_systems} systems: {names[0]} (reference) and {names[1]}"

    def sheet() -> Sheet:
        shown = {**several.settings, "reference": names[0], "estimate": names[1]}
        how = (several.signature, shown, several.warnings)
        return Sheet("correlate", several.to_frame(), *how, title=title, notes=notes)

    return Answer(
        headline=title,
        sentences=said,
        sheets={"correlation": sheet},
        charts=(
            Chart("correlation", "Rank correlation", "Dots with whiskers: each coefficient.", several, "correlation"),
            Chart("ranks", "Ranks on both sides", "One dot per system: its two ranks.", several, "ranks"),
        ),
    )


def long_run(result: Correlation) -> str:
    """Kendall's τ with the interval of its long run; nothing where there is none, or where τ never moves."""
    tau, corrected, ends = result.values["tau"], result.corrected.get("tau"), result.intervals.get("tau")
    if tau is None or corrected is None or ends is None or result.n_topics is None or ends[0] == ends[1]:
        return ""
    sizes = f"{result.n_topics} and {result.other_topics} topics"
    say = NOISE_RAISES if corrected < tau - 5e-4 else NOISE_LOWERS
    return say(
        tau=tau, topics=plural(result.n_topics, "topic") if result.other_topics is None else sizes, lower=ends[0],
        upper=ends[1], level=f"{1 - result.alpha:.0%}", corrected=corrected,
    )  # fmt: skip
