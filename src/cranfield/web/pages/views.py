"""The pages: each shows a form, and below it what the library answers to the settings in the address."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse, Response

from cranfield import __version__
from cranfield.defaults import POWER, REPORT_SECTIONS, SAMPLE_SYSTEMS, SAMPLE_TOPICS
from cranfield.errors import CranfieldError, UnknownNameError
from cranfield.web.pages import api
from cranfield.web.pages.api import service_of
from cranfield.web.pages.forms import Form
from cranfield.web.pages.questions import (
    CompareQuestion,
    DesignQuestion,
    PairQuestion,
    Question,
    ReplicatesQuestion,
    ReportQuestion,
    StandardiseQuestion,
    TuningQuestion,
    parse,
)
from cranfield.web.pages.result import CHART_FORMATS, MEDIA_TYPES, TABLE_FORMATS, table_bytes
from cranfield.web.server.data import SAMPLE
from cranfield.web.server.jobs import Job
from cranfield.web.server.limits import megabytes

EXAMPLE = {
    "kind": "anova",
    "find": "topics",
    "variance": "0.0530",
    "systems": "10",
    "min_diff": "0.10",
    "power": "0.80",
}
"""What the design page shows first: AP of TREC's Robust tracks (EVIA 2014, Tables 3 and 4)."""


@dataclass(frozen=True)
class Page:
    """A page that answers one kind of question.

    Parameters
    ----------
    name : its template, and its place among the downloads
    title : its heading and its place in the menu
    address : where it is
    model : the question
    example : what is shown when the address asks nothing
    waits : whether work starts only when the form is sent, because it takes long
    """

    name: str
    title: str
    address: str
    model: type[Question]
    example: Mapping[str, str] = field(default_factory=dict)
    waits: bool = False

    @property
    def needs_data(self) -> bool:
        """Whether there is nothing to answer without data."""
        return self.model.model_fields["data"].is_required()


DESIGN = Page("design", "Design", "/design", DesignQuestion, EXAMPLE)
COMPARE = Page("compare", "Compare", "/compare", CompareQuestion)
PAIR = Page("pair", "Two systems", "/compare/pair", PairQuestion)
STANDARDISE = Page("standardise", "Standardise", "/standardise", StandardiseQuestion)
REPLICATES = Page("replicates", "Replicates", "/replicates", ReplicatesQuestion, waits=True)
TUNING = Page("tuning", "Tuning", "/tuning", TuningQuestion)
REPORT = Page("report", "Report", "/report", ReportQuestion, waits=True)
PAGES = {page.name: page for page in (DESIGN, COMPARE, PAIR, STANDARDISE, REPLICATES, TUNING, REPORT)}
MENU = [("/data", "Data"), *((page.address, page.title) for page in PAGES.values() if page is not PAIR)]
router = APIRouter()
templates = Environment(
    loader=PackageLoader("cranfield.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
templates.globals |= {
    "version": __version__,
    "menu": MENU,
    "TABLE_FORMATS": TABLE_FORMATS,
    "CHART_FORMATS": CHART_FORMATS,
}
templates.globals |= {
    "sample_topics": SAMPLE_TOPICS,
    "sample_systems": SAMPLE_SYSTEMS,
    "usual_power": POWER,
    "sections": REPORT_SECTIONS,
}
templates.filters["megabytes"] = megabytes
templates.filters["words"] = lambda name: str(name).replace("_", " ")


def render(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page from its template."""
    common = {"path": request.url.path, "data": "", "job": None, "error": ""}
    return HTMLResponse(templates.get_template(template).render({**common, **values}), status)


def error_page(request: Request, status: int, text: str) -> HTMLResponse:
    """What went wrong, in words."""
    shown = text[:1].upper() + text[1:]
    return render(request, "error.html", status, title="Not done", message=shown, pending=status == 202)


@router.get("/")
def start(request: Request) -> Response:
    """The two questions, and the way to their answers."""
    return render(request, "start.html", title="cranfield")


@router.get("/design")
def design(request: Request) -> Response:
    """How many topics?"""
    return show(request, DESIGN)


@router.get("/compare")
def compare(request: Request) -> Response:
    """Which systems differ?"""
    return show(request, COMPARE)


@router.get("/compare/pair")
def pair(request: Request) -> Response:
    """Two systems topic by topic."""
    return show(request, PAIR)


@router.get("/standardise")
def standardise(request: Request) -> Response:
    """Scores that compare across topics."""
    return show(request, STANDARDISE)


@router.get("/replicates")
def replicates(request: Request) -> Response:
    """Do the systems differ on other documents?"""
    return show(request, REPLICATES)


@router.get("/tuning")
def tuning(request: Request) -> Response:
    """What would tuned systems do on unseen topics?"""
    return show(request, TUNING)


@router.get("/report")
def report(request: Request) -> Response:
    """The whole story in one file."""
    return show(request, REPORT)


def show(request: Request, page: Page) -> Response:
    """The form, and the answer to what the address asks: a result, a job that works on it, or an error in words."""
    from cranfield.web.server.app import status_of

    service = service_of(request)
    query, started = _query(request, page)
    form = Form(page.model, query)
    values: dict[str, Any] = {"page": page, "title": page.title, "form": form, "data": form.value("data")}
    values |= {"result": None, "query": urlencode(query), "cancelled": False, "datasets": service.store.datasets()}
    values["whole"] = urlencode([(name, value) for name, value in query if name not in ("a", "b")])
    status = 200
    try:
        chosen = service.store[form.value("data")] if form.value("data") else None
        values["chosen"] = chosen
        if started and not (page.needs_data and chosen is None):
            found = service.ask(parse(page.model, query))
            if isinstance(found, Job):
                values |= {"job": found, "cancelled": found.state == "cancelled", "ahead": service.jobs.ahead(found)}
            else:
                values["result"] = found
    except CranfieldError as error:
        values.setdefault("chosen", None)
        values["error"], status = str(error), status_of(error)
    return render(request, f"{page.name}.html", status, **values)


def _query(request: Request, page: Page) -> tuple[list[tuple[str, str]], bool]:
    """The settings in the address, or the example; and whether to answer them now."""
    given = [(name, value) for name, value in request.query_params.multi_items() if name != "start"]
    start = request.query_params.get("start", "")
    if not given:
        given = list(page.example.items())
    return given, start == "yes" or (start != "no" and not page.waits)


@router.get("/files/{name}/{file}.{ending}")
def download(request: Request, name: str, file: str, ending: str) -> Response:
    """A table or a chart of a page's answer, as a file."""
    if name not in PAGES:
        raise UnknownNameError("page", name, PAGES)
    page = PAGES[name]
    query, _ = _query(request, page)
    service = service_of(request)
    question = parse(page.model, query)
    found = service.ask(question)
    if isinstance(found, Job):
        return error_page(request, 202, "the answer is still being computed; ask again in a moment.")
    if page is REPORT and (file, ending) == ("report", "html"):
        body: str | bytes = found.extra["html"]
    elif ending in CHART_FORMATS:
        body = _image(request, lambda: service.chart(question, found, file, ending))
    else:
        body = table_bytes(found.table(file), ending)
    headers = {
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
        "sandbox allow-downloads",
        "Content-Disposition": f'inline; filename="cranfield-{name}-{file}.{ending}"',
    }
    return Response(body, media_type=MEDIA_TYPES[ending], headers=headers)


def _image(request: Request, draw: Callable[[], bytes]) -> bytes:
    """The chart; where a page shows it and it cannot be drawn, an image that says why."""
    try:
        return draw()
    except CranfieldError as error:
        if request.headers.get("sec-fetch-dest") != "image":
            raise
        return templates.get_template("undrawn.svg").render(lines=textwrap.wrap(str(error), 70)).encode()


# ── data ──────────────────────────────────────────────────────────────────────────────────────────────────────


@router.get("/data")
def data(request: Request) -> Response:
    """What there is, and where to drop more."""
    return _data_page(request)


def _data_page(request: Request, error: str = "", status: int = 200) -> Response:
    service = service_of(request)
    known = [(one, one.peek()) for one in service.store.datasets()]
    values = {"limits": service.limits, "known": known, "error": error, "describe": api.describe, "sample": SAMPLE}
    return render(request, "data.html", status, title="Data", **values)


@router.post("/data")
async def upload(request: Request) -> Response:
    """Take dropped files, and go to what they hold."""
    from cranfield.web.server.app import status_of

    try:
        dataset = await api.receive(request)
    except CranfieldError as error:
        return await run_in_threadpool(_data_page, request, str(error), status_of(error))
    return RedirectResponse(f"/data/{dataset.id}", 303)


@router.get("/data/{id}")
def dataset(request: Request, id: str) -> Response:
    """What a dataset holds, file by file, with all problems."""
    service = service_of(request)
    chosen = service.store[id]
    found = service.read(chosen)
    values: dict[str, Any] = {
        "chosen": chosen,
        "contents": None,
        "data": id,
        "query": "",
        "cancelled": False,
        "error": "",
    }
    if isinstance(found, Job):
        values |= {"job": found, "ahead": service.jobs.ahead(found), "cancelled": found.state == "cancelled"}
    else:
        values |= {"contents": found, "data": "" if found.problem else id}
    return render(request, "dataset.html", title=f"Data: {chosen.name}", describe=api.describe, sample=SAMPLE, **values)


@router.post("/data/{id}/remove")
def remove(request: Request, id: str) -> Response:
    """Remove a dataset."""
    service_of(request).remove(id)
    return RedirectResponse("/data", 303)


@router.post("/jobs/{id}/cancel")
def cancel(request: Request, id: str) -> Response:
    """Cancel a computation, and go back to its form."""
    service = service_of(request)
    job = api.find_job(request, id)
    service.jobs.cancel(job)
    back = request.query_params.get("back", "/")
    if not back.startswith("/") or back.startswith(("//", "/\\")):
        back = "/"  # only ever to this server
    return RedirectResponse(f"{back}{'&' if '?' in back else '?'}start=no", 303)


@router.get("/api")
def api_page(request: Request) -> Response:
    """What the API offers, from its own description."""
    return render(request, "api.html", title="API", schema=request.app.openapi())
