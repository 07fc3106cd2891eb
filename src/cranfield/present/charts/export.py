"""Charts to files: SVG, PNG and PDF without a browser or network, and HTML that carries all it needs."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import altair as alt
import vl_convert

from cranfield.defaults import CHART_ENDINGS
from cranfield.errors import ArgumentError
from cranfield.files import write_atomically
from cranfield.present.charts.style import Drawing

PNG_SCALE = 2.0
_HEAD = re.compile(r"<svg[^>]*>")


def _version() -> str | None:
    """The Vega-Lite version the specification was written for, where the converter has it."""
    wanted = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    return wanted if wanted in vl_convert.get_vegalite_versions() else None


def to_svg(chart: Drawing) -> str:
    """The chart as an SVG image that tells screen readers what it shows."""
    spec = chart.to_dict()
    return spec_to_svg(spec, _title(spec))


def spec_to_svg(spec: dict[str, Any], title: str) -> str:
    """A specification as an SVG image; nothing is fetched, whatever it refers to."""
    svg = vl_convert.vegalite_to_svg(spec, vl_version=_version(), allowed_base_urls=[])
    return described(svg, title, str(spec.get("description", "")))


def described(svg: str, title: str, description: str) -> str:
    """The image with a title, a description and the role of an image, for screen readers."""
    head = _HEAD.match(svg)
    if head is None:
        return svg
    opening = head.group(0)[:-1] + f' role="img" aria-label={quoteattr(description or title)}>'
    return f"{opening}<title>{escape(title)}</title><desc>{escape(description)}</desc>{svg[head.end() :]}"


def _title(spec: dict[str, Any]) -> str:
    text = spec.get("title", {}).get("text", "")
    return text if isinstance(text, str) else " ".join(text)


def to_html(chart: Drawing) -> str:
    """A page with the chart and the scripts it needs inside: it opens without a network."""
    return str(vl_convert.vegalite_to_html(chart.to_dict(), vl_version=_version(), bundle=True))


def save_chart(chart: Drawing, path: str | os.PathLike[str]) -> None:
    """Write a chart; the ending says how: .svg, .png, .pdf, .html, or .json for the specification.

    Nothing is fetched: fonts and scripts come with the packages.
    """
    import json

    ending = Path(path).suffix.lower()
    if ending not in CHART_ENDINGS:
        raise ArgumentError(f"cannot draw to {os.fspath(path)}: end the name in {', '.join(CHART_ENDINGS)}.")
    if ending == ".json":
        data = (json.dumps(chart.to_dict(), ensure_ascii=False, indent=1) + "\n").encode()
    elif ending == ".html":
        data = to_html(chart).encode()
    else:
        svg = to_svg(chart)
        if ending == ".png":
            data = vl_convert.svg_to_png(svg, scale=PNG_SCALE)
        elif ending == ".pdf":
            data = vl_convert.svg_to_pdf(svg)
        else:
            data = svg.encode()
    write_atomically(path, data)
