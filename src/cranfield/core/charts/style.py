"""The look of every chart, once: colours that differ in grey too, titles that wrap, legible axes, and maps of systems.

Charts are laid out by the widths of Arial, which the drawing engine carries under the name Liberation Sans. A browser
elsewhere may have neither font, and a wider one would run over edges and legends. So every text of an image states its
length, and browsers fit it to that length.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from html import unescape
from typing import Any, TypeAlias

import altair as alt
import polars as pl

from cranfield.core.charts import DAY, SIZES
from cranfield.core.defaults import CHART_WIDTHS
from cranfield.core.errors import ArgumentError
from cranfield.core.labels import plural as plural

FONT = "Arial, 'Liberation Sans', Arimo, Helvetica, 'Nimbus Sans', Roboto, 'DejaVu Sans Condensed', sans-serif"
"""Fonts as wide as Arial, or nearly so, so that hardly any text has to be fitted to its length."""

# Widths in thousandths of the font's size, as the engine reports them, by the characters that have them.
_REGULAR = {
    191: "'", 222: "ijlι‘’", 260: "|¦", 278: " !,./:;I[\\]ftÌÍÎÏìíîïΙ", 333: "()-`r¡¨²³´·¸¹“”", 334: "{}", 350: "•",
    355: '"', 365: "º", 370: "ª", 389: "*", 395: "τ", 400: "°", 441: "ζ", 446: "ε", 448: "ξ", 469: "^", 482: "ς",
    500: "Jcksvxyzçýÿγκλν", 525: "χ", 537: "¶", 547: "υ", 549: "±÷≤≥≠≈√", 551: "Γ", 552: "¯",
    556: "#$0123456789?L_abdeghnopqu¢£¤¥§«»àáâãäåèéêëðñòóôõöùúûüþηθο–†‡", 557: "δ", 569: "ρ", 575: "β", 576: "µμ",
    578: "α", 584: "+<=>~¬×−", 611: "FTZ¿ßøΖΤ", 617: "σ", 618: "Σ", 648: "φ", 650: "Ξ",
    667: "&ABEKPSVXYÀÁÂÃÄÅÈÉÊËÝÞΑΒΕΚΡΥΧ", 668: "ΔΛ", 690: "π", 713: "ψ∞", 722: "CDHNRUwÇÐÑÙÚÛÜΗΝΠ", 737: "©®",
    748: "Ω", 778: "GOQÒÓÔÕÖØΘΟ", 781: "ω", 798: "Φ", 833: "MmΜ", 834: "¼½¾", 835: "Ψ", 889: "%æ", 944: "W",
    1000: "Æ—…→‰", 1015: "@",
}  # fmt: skip
_BOLD = {
    238: "'", 278: " ,./I\\ijlÌÍÎÏìíîïιΙ‘’", 280: "|¦", 333: "!()-:;[]`ft¡¨²³´·¸¹", 350: "•", 365: "º", 370: "ª",
    389: "*r{}", 400: "°", 445: "ξ", 446: "τ", 461: "ζ", 474: '"', 475: "ε", 500: "z“”", 520: "ς", 541: "θ",
    549: "±÷≤≥≠≈√", 552: "¯", 556: "#$0123456789J_aceksvxy¢£¤¥§«¶»àáâãäåçèéêëýÿγλν–†‡", 558: "κ", 576: "µχ", 582: "υ",
    584: "+<=>^~¬×−", 600: "Σ", 601: "Γ", 607: "δ", 610: "β", 611: "?FLTZbdghnopqu¿ßðñòóôõöøùúûüþηοΖΤ", 612: "μ",
    615: "α", 619: "ρ", 644: "Ξ", 667: "EPSVXYÈÉÊËÝÞΕΛΡΥΧ", 684: "σ", 713: "∞", 715: "φ", 719: "Δ",
    722: "&ABCDHKNRUÀÁÂÃÄÅÇÐÑÙÚÛÜΑΒΗΚΝΠ", 737: "©®", 753: "ψ", 766: "π", 778: "GOQwÒÓÔÕÖØΘΟ", 802: "Ω", 809: "Ψ",
    821: "Φ", 833: "MΜ", 834: "¼½¾", 845: "ω", 889: "%mæ", 944: "W", 975: "@", 1000: "Æ—…→‰",
}  # fmt: skip
_UNKNOWN = 1000
SHORTEST = 4
"""Characters from which a text says its length: a tick of three digits does no harm in any font."""


@lru_cache(maxsize=2)
def _widths(bold: bool) -> dict[str, int]:
    return {character: width for width, every in (_BOLD if bold else _REGULAR).items() for character in every}


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width of a text in pixels, in a font of this size; characters of other scripts count as a full square.

    >>> round(text_width("AP", 10), 2), round(text_width("AP", 10, bold=True), 2)
    (13.34, 13.89)
    """
    widths = _widths(bold)
    return sum(widths.get(character, _UNKNOWN) for character in text) * size / 1000


def lines_of(text: str, width: float, size: float, bold: bool = False) -> list[str]:
    """Words in lines no wider than `width` pixels; a wider word gets a separate line.

    >>> lines_of("a title of several words", 80, 12)
    ['a title of', 'several words']
    """
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size, bold) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines or [""]


_TEXT = re.compile(r'(<text [^>]*?font-size="([\d.]+)px"[^>]*>)(.*?)</text>', re.DOTALL)
_PART = re.compile(r"<tspan([^>]*)>([^<]*)</tspan>")


def keep_lengths(svg: str) -> str:
    """The image with the length of every text of known characters, which holds it in place in any font."""
    return _TEXT.sub(_kept, svg)


def _kept(match: re.Match[str]) -> str:
    opening, size, inside = match[1], float(match[2]), match[3]
    bold = 'font-weight="bold"' in opening
    if "<" in inside:
        parts = _PART.sub(lambda part: f"<tspan{part[1]}{_length(part[2], size, bold)}>{part[2]}</tspan>", inside)
        return f"{opening}{parts}</text>"
    return f"{opening[:-1]}{_length(inside, size, bold)}>{inside}</text>"


def _length(escaped: str, size: float, bold: bool) -> str:
    text = unescape(escaped)
    if len(text) < SHORTEST or not _widths(bold).keys() >= set(text):
        return ""
    return f' textLength="{text_width(text, size, bold):.1f}" lengthAdjust="spacingAndGlyphs"'


Drawing: TypeAlias = alt.Chart | alt.LayerChart | alt.ConcatChart | alt.HConcatChart | alt.VConcatChart | alt.FacetChart

INK, FAINT, GRID, WASH, PAPER = (DAY[name] for name in ("ink", "soft", "near", "wash", "paper"))
BETTER, WORSE, SAME = (DAY[name] for name in ("better", "worse", "same"))
"""The first system is better, the second is better, the two are equivalent: nothing else has these colours."""
DARK, ACCENT, LIGHT, BAR, EDGE = (DAY[name] for name in ("ink", "mark", "self", "bar", "edge"))
"""The tones of a single chart: the main thing, what to look at, and what steps back."""
SERIES, SIZES_OF = tuple(DAY["series"].split()), tuple(DAY["sizes"].split())
DASHES: tuple[list[int], ...] = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [4, 4])
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
"""Every series has its own colour, dash and shape, so that they differ in print without colour."""
MOST_SERIES = len(SERIES)
WIDTH = 560
"""Width of the plot itself, in pixels; the labels come on top."""
LINES = alt.Legend(symbolType="stroke", symbolSize=500, symbolStrokeWidth=2.2, symbolOpacity=1)
"""A legend whose samples are long enough to show a dash."""
LABEL_LIMIT = 420
"""Room for a system's name of 60 characters."""


class Rows(alt.InlineData):
    """Rows of data, which are not checked one by one against the language's schema: that takes longer than drawing."""

    _class_is_valid_at_instantiation = False


_LEAST = 1e-290
"""Below it, a step of an axis may be too small to divide by."""


def rows(frame: pl.DataFrame | Iterable[Mapping[str, Any]]) -> Rows:
    """The data of a chart, written into its specification: no file and no address is ever referred to."""
    listed = frame.to_dicts() if isinstance(frame, pl.DataFrame) else list(frame)
    return Rows(values=[{key: plain(value) for key, value in row.items()} for row in listed])


def plain(value: Any) -> Any:
    """A value JSON knows; what is not finite is left out of the drawing.

    The engine divides by the steps of its axes, so numbers that have no finite inverse are 0 to it.

    >>> plain(float("nan")), plain(1e-310), plain(0.25)
    (None, 0.0, 0.25)
    """
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, float) and abs(value) < _LEAST:
        return 0.0
    return value.item() if hasattr(value, "item") else value


TITLE_SIZE, LABEL_SIZE = SIZES["text-m"], SIZES["text-s"]
"""Sizes of text, in pixels: that of a title, and that of everything else."""


def finish(chart: Drawing, finding: str, details: str = "", *, alt_text: str = "", width: int = WIDTH) -> Drawing:
    """The chart with its title (what was found), its second line (units, n, method), and the house's look.

    `alt_text` describes the drawing to those who cannot see it; the title and details are put before it. Titles are
    folded to the `width` of the drawing, in pixels.
    """
    described = " ".join(part for part in (finding.rstrip(".") + ".", details, alt_text) if part)
    drawn: Drawing = configured(chart.properties(title=folded(finding, details, width), description=described))
    return drawn


def folded(finding: str, details: str, width: float) -> alt.TitleParams:
    """Title and second line in lines no wider than the drawing."""
    return alt.TitleParams(
        text=lines_of(finding, width, TITLE_SIZE, bold=True),
        subtitle=lines_of(details, width, LABEL_SIZE) if details else alt.Undefined,
    )


def configured(chart: Any) -> Any:
    """The configuration of all charts: fonts, greys, a light grid."""
    texts = {"labelFont": FONT, "titleFont": FONT, "labelFontSize": LABEL_SIZE, "labelColor": INK}
    plain = {"titleFontWeight": "normal", "labelLimit": LABEL_LIMIT}
    return chart.configure(
        font=FONT, aria=False, background=PAPER, padding=12, view={"stroke": None},
        axis={**texts, **plain, "titleFontSize": LABEL_SIZE, "titleColor": INK, "gridColor": GRID, "domainColor": EDGE,
              "tickColor": EDGE, "titlePadding": 8, "labelFlush": False},
        axisXQuantitative={"tickCount": 9},
        title={"anchor": "start", "frame": "bounds", "fontSize": TITLE_SIZE, "color": INK, "font": FONT,
               "subtitleFont": FONT, "subtitleFontSize": LABEL_SIZE, "subtitleColor": FAINT, "lineHeight": 19,
               "subtitleLineHeight": 16, "subtitlePadding": 5, "offset": 14},
        legend={**texts, **plain, "titleFontSize": LABEL_SIZE, "titleColor": FAINT, "symbolSize": 70, "orient": "top",
                "direction": "horizontal", "columns": 4, "symbolStrokeWidth": 2},
        header={**texts, "labelFontWeight": "bold"},
        text={"font": FONT, "fontSize": LABEL_SIZE, "color": INK},
    )  # fmt: skip


def series_scales(names: Sequence[str]) -> dict[str, alt.Scale]:
    """Colour, dash and shape for up to `MOST_SERIES` named series, in their order."""
    chosen = list(names)[:MOST_SERIES]
    return {
        "color": alt.Scale(domain=chosen, range=list(SERIES[: len(chosen)])),
        "strokeDash": alt.Scale(domain=chosen, range=list(DASHES[: len(chosen)])),
        "shape": alt.Scale(domain=chosen, range=list(SHAPES[: len(chosen)])),
    }


def names_axis(**more: Any) -> alt.Axis:
    """An axis of system names: all of them, and whole."""
    return alt.Axis(title=None, labelOverlap=False, labelLimit=0, ticks=False, domain=False, **more)


def topics_axis(title: str, **more: Any) -> alt.Axis:
    """An axis of topics, upright below their columns; where they are too many, every second, fourth … is named."""
    return alt.Axis(title=title, labelAngle=-90, labelOverlap=True, ticks=False, **more)


BETWEEN = "datum.value % 1 != 0"
"""Whether a tick stands between two whole numbers."""


def whole_axis(**more: Any) -> alt.Axis:
    """An axis of topics, systems, ranks or anything else that is counted: no tick stands between two numbers.

    The engine takes `tickMinStep` for a wish, so ticks that it puts between two numbers all the same are not drawn.
    """
    unseen = {"condition": {"test": BETWEEN, "value": 0}, "value": 1}
    label = {"labelExpr": f"{BETWEEN} ? '' : format(datum.value, ',d')"}
    return alt.Axis(**{"tickMinStep": 1, **label, "tickOpacity": unseen, "gridOpacity": unseen, **more})


def step(count: int) -> alt.Step:
    """Height of a row of names."""
    return alt.Step(18 if count <= 60 else LABEL_SIZE + 1)


def number(value: float | None, places: int = 3) -> str:
    """A number as titles show it.

    >>> number(0.12345), number(12), number(1234.0)
    ('0.123', '12', '1,234')
    """
    if value is None:
        return "none"
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:.{places}f}" if abs(value) < 100 else f"{value:,.0f}"


def given(value: float) -> str:
    """A number somebody typed, as they typed it.

    >>> given(0.1), given(0.05), given(20)
    ('0.1', '0.05', '20')
    """
    return f"{value:.4g}"


# ── a title and a width of one's own: the same for every chart, after it is drawn ──


def dressed(drawing: Drawing, title: str | None = None, width: int | None = None) -> Drawing:
    """The chart under this title (none if empty), its plots scaled to this width in all."""
    drawn = drawing.copy(deep=True)
    natural = _natural(drawn)
    if width is not None:
        if not CHART_WIDTHS[0] <= width <= CHART_WIDTHS[1]:
            raise ArgumentError(f"`width` must be from {CHART_WIDTHS[0]} to {CHART_WIDTHS[1]} pixels; got {width:g}.")
        _scale(drawn, width / natural)
    if title == "":
        drawn.title = alt.Undefined
        return drawn
    own = drawn.title
    finding = title if title is not None else " ".join(own.text)
    details = "" if own.subtitle is alt.Undefined else " ".join(own.subtitle)
    drawn.title = folded(finding, details, max(natural if width is None else width, 300))
    return drawn


def _parts(drawn: Any) -> tuple[str, list[Any]]:
    """How a drawing is put together from others, and from which."""
    for name in ("hconcat", "vconcat", "concat"):
        if isinstance(parts := getattr(drawn, name, None), list):
            return name, parts
    spec = getattr(drawn, "spec", None)
    return ("facet", [spec]) if isinstance(spec, (alt.Chart, alt.LayerChart)) else ("", [])


def _natural(drawn: Any) -> float:
    """The width of all plots beside each other, in pixels."""
    how, parts = _parts(drawn)
    if not parts:
        own = _own(drawn)
        return own if own is not None else 0.0
    widths = [_natural(part) for part in parts]
    columns = drawn.columns if how == "concat" and isinstance(drawn.columns, int) else len(parts)
    return sum(widths[:columns]) if how in ("hconcat", "concat") else max(widths)


def _own(drawn: Any) -> float | None:
    """The width that a plot without parts asks for; None where it takes a step per column."""
    for one in (drawn, *(getattr(drawn, "layer", None) or ())):
        if isinstance(one.width, (int, float)):
            return float(one.width)
    return None


def _scale(drawn: Any, factor: float) -> None:
    """Every plot wider or narrower by this factor; a square one in both directions."""
    for part in _parts(drawn)[1]:
        _scale(part, factor)
    for one in (drawn, *(getattr(drawn, "layer", None) or ())):
        wide, high = getattr(one, "width", None), getattr(one, "height", None)
        if isinstance(wide, (int, float)):
            one.width = max(1, round(wide * factor))
            if high == wide:
                one.height = one.width
                _thin(one)


def _thin(drawn: Any) -> None:
    """Names of a map that has become too small for all of them: those that fit."""
    y = getattr(drawn.encoding, "y", None)
    if isinstance(y, alt.Y) and isinstance(y["axis"], alt.Axis):
        y["axis"].labelOverlap = True


GUIDED = 20
"""Systems from which on thin lines guide the eye from a cell to its names."""


def block_map(names: Sequence[str], table: Sequence[Sequence[str]], tones: Mapping[str, str]) -> alt.Chart:
    """A systems × systems map of named classes; an empty name stays white.

    Neighbours of one class in a row become one block, so a map of 129 systems has hundreds of marks, not 16,641.
    """
    m = len(names)
    blocks = []
    for i, row in enumerate(table):
        start = 0
        for j in range(1, m + 1):
            if j == m or row[j] != row[start]:
                if row[start]:
                    blocks.append({"system": names[i], "from": start, "to": j, "class": row[start]})
                start = j
    shown = [name for name in tones if any(block["class"] == name for block in blocks)]
    size = map_size(m)
    every = 1 if m <= 12 else 5 if m <= 60 else 10
    # Columns are counted: names would not fit, and the rows carry them.
    lines = m > GUIDED
    columns = alt.Axis(
        orient="top", grid=lines, gridColor=INK, gridOpacity=0.16, zindex=int(lines), ticks=False, domain=False,
        format="d", values=[k + 0.5 for k in range(m) if k == 0 or (k + 1) % every == 0],
        labelExpr="floor(datum.value) + 1",
    )  # fmt: skip
    drawn: alt.Chart = (
        alt.Chart(rows(blocks))
        .mark_rect()
        .encode(
            y=alt.Y(
                "system:N",
                sort=list(names),
                scale=alt.Scale(domain=list(names), paddingInner=0.08 if m <= 60 else 0, paddingOuter=0),
                axis=names_axis(
                    # The rank beside a name is the number of its column.
                    labelExpr=f"datum.label + ' · ' + (round(datum.index * {m - 1}) + 1)" if m > 1 else "datum.label",
                    **_guides(m, every),
                ),
            ),
            x=alt.X(
                "from:Q", scale=alt.Scale(domain=[0, m], nice=False), title="the same systems, by number", axis=columns
            ),
            x2="to:Q",
            color=alt.Color(
                "class:N",
                scale=alt.Scale(domain=shown, range=[tones[name] for name in shown]),
                title=None,
                legend=alt.Legend(
                    symbolType="square", symbolStrokeColor=INK, symbolStrokeWidth=0.5, symbolSize=110, columns=6
                ),
            ),
        )
        .properties(width=size, height=size)
    )
    return drawn


def _guides(m: int, every: int) -> dict[str, Any]:
    """Thin lines along every few rows, as along the numbered columns."""
    if m <= GUIDED:
        return {}
    numbered = f"round(datum.index * {m - 1}) == 0 || (round(datum.index * {m - 1}) + 1) % {every} == 0"
    seen = {"condition": {"test": numbered, "value": 0.16}, "value": 0}
    return {"grid": True, "gridColor": INK, "gridOpacity": seen, "zindex": 1}


def how_to_read(m: int) -> str:
    """What to tell somebody in front of a map of m systems."""
    guides = ", and thin lines guide the eye" if m > 60 else ""
    return "" if m <= 12 else f"; a column's number stands beside its system's name{guides}"


def map_size(m: int) -> int:
    """Side of a map of m systems: every row tall enough for its name."""
    return max(120, 16 * m) if m <= 50 else 12 * m
