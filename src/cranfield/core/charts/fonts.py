"""How wide text is, and text that keeps its width in any font.

Charts are laid out by the widths of Arial, which the drawing engine carries under the name Liberation Sans. A browser
elsewhere may have neither font, and a wider one would run over edges and legends. So every text of an image states its
length, and browsers fit it to that length.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape

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
