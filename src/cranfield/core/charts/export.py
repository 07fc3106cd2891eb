"""Charts to files: SVG, PNG and PDF without a browser or network, and HTML that carries all it needs."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import altair as alt
import vl_convert

from cranfield.core.arguments import check_arguments
from cranfield.core.charts import night_style
from cranfield.core.charts.style import FAINT, FONT, LABEL_SIZE, Drawing, keep_lengths
from cranfield.core.defaults import CHART_ENDINGS
from cranfield.core.errors import ArgumentError
from cranfield.core.writing import write_atomically

PNG_SCALE = 2.0
_HEAD = re.compile(r"<svg[^>]*>")


def _version() -> str | None:
    """The Vega-Lite version the specification was written for, where the converter has it."""
    wanted = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    return wanted if wanted in vl_convert.get_vegalite_versions() else None


_CLIP = re.compile(r"\bclip\d+\b")


def to_svg(chart: Drawing) -> str:
    """The chart as an SVG image that tells screen readers what it shows."""
    spec = chart.to_dict()
    return spec_to_svg(spec, spec_title(spec))


def spec_to_svg(spec: dict[str, Any], title: str) -> str:
    """A specification as an SVG image; no address in it is fetched."""
    svg = vl_convert.vegalite_to_svg(_drawable(spec), vl_version=_version(), allowed_base_urls=[])
    return described(keep_lengths(_one_font(_counted(svg))), title, str(spec.get("description", "")))


def _counted(svg: str) -> str:
    """The image with its clipping areas counted from 0: the engine counts on from image to image."""
    names: dict[str, str] = {}
    return _CLIP.sub(lambda match: names.setdefault(match[0], f"clip{len(names)}"), svg)


def _one_font(svg: str) -> str:
    """The image with its font named once, at its root, and not at every text."""
    named = f" font-family={quoteattr(FONT)}"
    head = _HEAD.match(svg)
    if head is None:
        return svg
    return f"{head[0][:-1]}{named}>{svg[head.end() :].replace(named, '')}"


_BUILT_IN = (
    "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
    "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
)  # fmt: skip
_BUILT_IN_NAME = re.compile(rf'(\\?")({"|".join(_BUILT_IN)})\1')  # in an expression its quotes are escaped


def _drawable(spec: dict[str, Any]) -> dict[str, Any]:
    """The specification, its names such that the engine's expressions can hold them.

    They cannot hold the two line separators, nor the name of what every JavaScript object has, which the engine takes
    for something defined: a system called so is drawn with a space after its name, which no image shows.
    """
    text = json.dumps(spec, ensure_ascii=False).replace("\u2028", " ").replace("\u2029", " ")
    drawable: dict[str, Any] = json.loads(_BUILT_IN_NAME.sub(r"\1\2 \1", text))
    return drawable


def at_night(svg: str) -> str:
    """The image with a style for dark screens; inside a page the style of the page does it."""
    head = _HEAD.match(svg)
    return svg if head is None else f"{head[0]}<style>{night_style()}</style>{svg[head.end() :]}"


def described(svg: str, title: str, description: str) -> str:
    """The image with a title, a description and the role of an image, for screen readers."""
    head = _HEAD.match(svg)
    if head is None:
        return svg
    opening = head.group(0)[:-1] + f' role="img" aria-label={quoteattr(description or title)}>'
    return f"{opening}<title>{escape(title)}</title><desc>{escape(description)}</desc>{svg[head.end() :]}"


def spec_title(spec: dict[str, Any]) -> str:
    """The title of a specification in one line."""
    text = spec.get("title", {}).get("text", "")
    return text if isinstance(text, str) else " ".join(text)


_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")


def repeats(title: str, said: str) -> bool:
    """Whether a title says no more than the text above it: the same words, or the same two numbers and more.

    >>> repeats("2 of 6 pairs differ", "AP: 2 of 6 pairs differ (Holm)."), repeats("F rises from 4 to 5", "F: 4.2, 5.1")
    (True, True)
    >>> repeats("4 of 6 pairs differ before correction", "2 of 6 pairs differ")
    False
    """
    if title.rstrip(".") in said:
        return True
    shown, known = ([one.replace(",", "") for one in _NUMBER.findall(text)] for text in (title, said))
    places = [len(one.partition(".")[2]) for one in shown]
    return len(shown) > 1 and all(
        any(round(float(one), decimals) == float(number) for one in known)
        for number, decimals in zip(shown, places, strict=True)
    )


def unrepeated(spec: dict[str, Any], said: str) -> dict[str, Any]:
    """The specification without its title if the text above it says the same; its second line stays."""
    if not said or not repeats(spec_title(spec), said):
        return spec
    rest = {name: value for name, value in spec.items() if name != "title"}
    details = spec["title"].get("subtitle")
    if not details:
        return rest
    plain = {"text": details, "fontSize": LABEL_SIZE, "fontWeight": "normal", "color": FAINT, "lineHeight": 16}
    return {**rest, "title": plain}


def to_html(chart: Drawing) -> str:
    """A page with the chart and the scripts it needs inside: it opens without a network.

    Names come from files, so they are escaped: no name can end the script. The page's policy allows only its two
    scripts, by their hashes, and no network.
    """
    spec = _drawable(chart.to_dict())
    library = _drawing_library()
    options = '{"renderer":"svg","ast":true,"actions":{"export":true,"source":false,"compiled":false,"editor":false}}'
    call = f'vegaEmbed("#chart", {script_json(spec)}, {options}).catch(console.error);'
    title, description = escape(spec_title(spec)), quoteattr(str(spec.get("description", "")) or spec_title(spec))
    policy = (
        f"default-src 'none'; script-src {_allowed(library)} {_allowed(call)}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="UTF-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<script>{library}</script>\n</head>\n<body>\n"
        f'<div id="chart" role="img" aria-label={description}></div>\n'
        "<noscript>This chart is drawn by a script inside this file; allow it, or save the chart as .svg.</noscript>\n"
        f"<script>{call}</script>\n</body>\n</html>\n"
    )


def script_json(value: Any) -> str:
    r"""JSON that can stand inside a page's script: it holds no character that could end the script.

    >>> script_json({"name": "</script>&\u2028"})
    '{"name": "\\u003c/script\\u003e\\u0026\\u2028"}'
    """
    text = json.dumps(value, ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@lru_cache(maxsize=1)
def _drawing_library() -> str:
    """The scripts that draw, in one piece; making it takes seconds, so it is kept."""
    library = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed", vl_version=_version())
    return str(library).replace("\r\n", "\n")


def _allowed(script: str) -> str:
    """A script as a content security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def save_chart(chart: Drawing, path: str | os.PathLike[str]) -> None:
    """Write a chart; the ending says how: .svg, .png, .pdf, .html, or .json for the specification.

    Nothing is fetched: fonts and scripts come with the packages.
    """
    check_arguments(save_chart, locals())
    ending = Path(path).suffix.lower()
    if ending not in CHART_ENDINGS:
        raise ArgumentError(f"cannot draw to {os.fspath(path)}: end the name in {', '.join(CHART_ENDINGS)}.")
    write_atomically(path, chart_bytes(chart, ending))


def chart_bytes(chart: Drawing, ending: str) -> bytes:
    """The chart as the bytes of a file with one of the `CHART_ENDINGS`."""
    if ending == ".json":
        return (json.dumps(chart.to_dict(), ensure_ascii=False, indent=1) + "\n").encode()
    if ending == ".html":
        return to_html(chart).encode()
    svg = to_svg(chart)
    if ending == ".png":
        return bytes(vl_convert.svg_to_png(svg, scale=PNG_SCALE))
    if ending == ".pdf":
        return bytes(vl_convert.svg_to_pdf(svg))
    return at_night(svg).encode()
