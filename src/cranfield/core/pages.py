"""What a page is made of: texts, notices, figures and tables in sections, each knowing how to show itself as data."""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from cranfield.core.answer import gathered
from cranfield.core.charts import night_style
from cranfield.core.formats import to_csv
from cranfield.core.tables import Sheet, steady_rows, text_rows

if TYPE_CHECKING:
    import polars as pl

    from cranfield.core.charts.style import Drawing
    from cranfield.core.results import Result

SHOWN = 25
"""Rows of a table on the page; the CSV file behind it holds them all."""


PAPER = (700.0, 860.0)
"""Width and height of what an A4 page holds, in pixels of which 96 make an inch; a chart is made to fit."""
SMALLEST_PRINT = 7 / 0.75
"""The smallest text that is printed: 7 points, in the same pixels."""
PACKED = 400_000
"""Bytes above which the CSV file behind a table is packed by gzip."""


@dataclass(frozen=True)
class Text:
    """A paragraph; a strong one carries a finding."""

    text: str
    strong: bool = False
    kind: str = field(default="text", init=False)


@dataclass(frozen=True)
class Notice:
    """Something to know before relying on what stands around it."""

    text: str
    kind: str = field(default="notice", init=False)


def notices(texts: Iterable[str]) -> list[Notice]:
    """A notice for every warning; many that say the same are one."""
    return [Notice(text) for text in gathered(texts)]


@dataclass(frozen=True, eq=False)
class Figure:
    """A chart as an inline image, its title and details set as the caption, so that they wrap and can be read aloud."""

    id: str
    drawing: Drawing
    narrow: Drawing | None = None
    """Another drawing for a narrow screen, where the same has no room."""
    kind: str = field(default="figure", init=False)

    @cached_property
    def _spec(self) -> dict[str, Any]:
        return self.drawing.to_dict()

    def _title(self, part: str) -> str:
        title = self._spec.get("title")
        text = title.get(part, "") if isinstance(title, dict) else ""
        return text if isinstance(text, str) else " ".join(text)

    @property
    def finding(self) -> str:
        """What the chart shows, in a sentence."""
        return self._title("text")

    @property
    def details(self) -> str:
        """Units, n and method."""
        return self._title("subtitle")

    @cached_property
    def svg(self) -> str:
        """The image, with unique identifiers, so that a page can show several."""
        from cranfield.core.charts.export import spec_to_svg

        return _own_names(spec_to_svg(_untitled(self._spec), self.finding), self.id)

    @cached_property
    def phone(self) -> str:
        """The image for a narrow screen."""
        from cranfield.core.charts.phone import phone_svg

        spec = self._spec if self.narrow is None else self.narrow.to_dict()
        return _own_names(phone_svg(_untitled(spec), self.finding), f"{self.id}-phone")

    @property
    def printable(self) -> bool:
        """Whether all its text can be read on paper, where the whole chart has to fit on a page.

        A map of 143 systems cannot: it stays on the screen, and its numbers are in the tables.
        """
        width, height = (float(size) for size in re.findall(r'\b(?:width|height)="([\d.]+)"', self.svg)[:2])
        sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)px"', self.svg)]
        return min(sizes, default=12.0) * min(1.0, PAPER[0] / width, PAPER[1] / height) >= SMALLEST_PRINT


def _untitled(spec: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in spec.items() if name != "title"}


def _own_names(svg: str, id: str) -> str:
    """The image, its identifiers beginning with this one, and to be read as one image."""
    svg = re.sub(r' (role="graphics-[a-z]+"|aria-roledescription="[^"]*")', "", svg)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{id}-\1"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{id}-\1)", svg)


@dataclass(frozen=True, eq=False)
class Table:
    """The rows of a sheet on the page, and all of them as a CSV file in a link; its hidden columns are in the file."""

    id: str
    caption: str
    sheet: Sheet
    shown: int = SHOWN
    kind: str = field(default="table", init=False)

    @property
    def frame(self) -> pl.DataFrame:
        """All rows and columns."""
        return self.sheet.rows

    @cached_property
    def visible(self) -> Sheet:
        """What the page shows."""
        shown = self.sheet.for_people
        return replace(shown, rows=shown.rows.head(self.shown))

    @property
    def columns(self) -> list[tuple[str, bool]]:
        """Heading of each column, and whether it holds numbers."""
        return [(name.replace("_", " "), dtype.is_numeric()) for name, dtype in self.visible.rows.schema.items()]

    @property
    def rows(self) -> list[list[str]]:
        """The cells as people read them."""
        return text_rows(self.visible)

    @property
    def left_out(self) -> int:
        """Rows that only the file has."""
        return self.frame.height - min(self.shown, self.frame.height)

    @property
    def csv(self) -> str:
        """All rows and columns."""
        return to_csv(steady_rows(self.frame))

    @cached_property
    def file(self) -> tuple[str, str]:
        """The CSV file's name, and an address of it that needs no network; a large one is packed."""
        data, name, kind = self.csv.encode(), f"{self.id}.csv", "text/csv;charset=utf-8"
        if len(data) > PACKED:
            data, name, kind = gzip.compress(data, mtime=0), f"{name}.gz", "application/gzip"
        return name, f"data:{kind};base64,{base64.b64encode(data).decode()}"


Part: TypeAlias = Text | Notice | Figure | Table


@dataclass(frozen=True)
class Section:
    """A heading, what stands under it, how it was obtained, and the works to cite."""

    id: str
    title: str
    parts: tuple[Part, ...]
    signatures: tuple[str, ...] = ()
    works: tuple[str, ...] = ()

    def tables(self) -> list[Table]:
        """The tables among the parts."""
        return [part for part in self.parts if isinstance(part, Table)]

    def figures(self) -> list[Figure]:
        """The figures among the parts."""
        return [part for part in self.parts if isinstance(part, Figure)]


_BREAKS = re.compile(r"((?<=\w)_|(?<=[A-Za-z])[./])(?=\w)")
"""Where a name may be broken; entities and numbers have none of these."""
SHORT = 16
"""Characters up to which a name stays whole."""
MOST_COLUMNS = 14
"""Columns of a table in a notebook; a score matrix may have one per system."""


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates of this package; everything is escaped unless a template says otherwise."""
    made = Environment(
        loader=PackageLoader("cranfield.core"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["breakable"] = breakable
    made.globals["night_style"] = night_style
    return made


def breakable(text: object) -> Markup:
    """A long name that may be broken after underscores, dots and slashes, never between letters.

    >>> print(breakable("BM25_tuned_on_all <x>"), breakable("BM25_tuned"))
    BM25_<wbr>tuned_<wbr>on_<wbr>all &lt;x&gt; BM25_tuned
    """
    if not isinstance(text, str) or len(text) <= SHORT:
        return escape(text)
    return Markup(_BREAKS.sub(r"\1<wbr>", str(escape(text))))


def render_page(template: str, **values: Any) -> str:
    """A page by the name of its template."""
    from cranfield import __version__

    return environment().get_template(template).render(version=__version__, **values)


def result_html(result: Result) -> str:
    """A result as notebooks show it: a heading, its tables without empty columns, notes, and how it was obtained."""
    said, heading = result.answer(), repr(result).partition("\n")[0]
    tables, wide = [], []
    for k, sheet in enumerate(map(said.sheet, said.notebook), 1):
        shown = sheet.for_people
        filled = [one.name for one in shown.rows if not shown.rows.height or one.null_count() < shown.rows.height]
        shown = replace(shown, rows=shown.rows.select(filled))
        tables.append(Table(f"result-{k}", heading, replace(shown, rows=shown.rows[:, :MOST_COLUMNS])))
        if shown.rows.width > MOST_COLUMNS:
            wide.append(f"{shown.rows.width - MOST_COLUMNS} more columns")
    notes = [*wide, *gathered(result.warnings), *getattr(result, "provenance", ())]
    return render_page("result.html", heading=heading, tables=tables, notes=notes, signature=result.signature)
