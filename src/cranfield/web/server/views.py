"""The pages: a form, and below it the answer to the settings in the address."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse, Response

from cranfield import __version__
from cranfield.core.defaults import POWER, SAMPLE_SYSTEMS, SAMPLE_TOPICS
from cranfield.core.errors import ArgumentError, CranfieldError, UnknownNameError
from cranfield.core.formats import downloads
from cranfield.core.pages import breakable
from cranfield.reports.view import page as view_page
from cranfield.reports.view.page import still_map
from cranfield.web.pages.view import ViewForm
from cranfield.web.server import api
from cranfield.web.server.api import service_of
from cranfield.web.server.chart_worker import PAGE, PHONE
from cranfield.web.server.data import SAMPLE
from cranfield.web.server.outcome import CHART_FORMATS, media_type
from cranfield.web.server.page import Form, WebPage, menu, page_of, pages, place_of
from cranfield.web.server.security import came_from_elsewhere, megabytes
from cranfield.web.server.service import Job, NotStarted
from cranfield.web.server.store import MovedData

Query = list[tuple[str, str]]
router = APIRouter()
loader = PackageLoader("cranfield.web")
templates = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
UPLOADED = {"missing": "A missing score means", "lenient": "Accept fields after a run's tag"}
"""What the form for files calls its two settings."""
MISSING_MEANS = {"error": "an error", "zero": "0", "drop-topic": "leave the topic out"}
templates.globals |= {"version": __version__, "downloads": downloads, "CHART_FORMATS": CHART_FORMATS}
templates.globals |= {"sample_topics": SAMPLE_TOPICS, "sample_systems": SAMPLE_SYSTEMS, "usual_power": POWER}
templates.globals |= {"uploaded": UPLOADED, "missing_means": MISSING_MEANS, "view_html": view_page.view_html}
templates.globals |= {"still_map": lambda outcome: still_map(outcome.answer.extra["comparisons"].values())}


def on_upload(text: str) -> str:
    """An error about files, with settings named as the upload form names them.

    >>> print(on_upload("missing='zero' counts it as 0; lenient=True ignores fields after the run tag"))
    “A missing score means: 0” counts it as 0; “Accept fields after a run's tag” ignores fields after the run tag
    """
    for value, meaning in MISSING_MEANS.items():
        text = text.replace(f"missing='{value}'", f"“{UPLOADED['missing']}: {meaning}”")
    text = re.sub(r", or say so: \w+=True or \w+=False", "", text)  # the form has no such setting
    return re.sub(r"lenient=True|`lenient`|--lenient\b", f"“{UPLOADED['lenient']}”", text)


templates.filters |= {"megabytes": megabytes, "words": lambda name: str(name).replace("_", " "), "on_upload": on_upload}
templates.filters |= {"breakable": breakable}


def render(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page from its template."""
    store, path = service_of(request).store, request.url.path
    chosen = store.find(str(values.get("data", "")))
    common: dict[str, Any] = {"path": path, "data": "", "job": None, "error": "", "menu": menu(chosen), "named": chosen}
    common |= {"place": place_of(path), "known_data": store.datasets(), "switch": _switching(path)}
    common["upload_limit"] = service_of(request).limits.upload
    return HTMLResponse(templates.get_template(template).render({**common, **values}), status)


def _switching(path: str) -> str:
    """What comes before the id of a dataset in an address that shows the same of other data."""
    return f"{path}?data=" if any(path == one.address for one in pages().values()) else "/data/"


def error_page(request: Request, status: int, text: str) -> HTMLResponse:
    """A page that shows an error."""
    return render(request, "error.html", status, title="Not done", message=_sentence(text), pending=status == 202)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


@router.get("/")
def start(request: Request) -> Response:
    """The first page."""
    return render(request, "start.html", title="cranfield")


def questions() -> APIRouter:
    """An address for every page."""
    made = APIRouter()
    for page in pages().values():
        made.add_route(page.address, partial(show, page), name=page.name)
    return made


def show(page: WebPage, request: Request) -> Response:
    """The form and its answer: a result, a running job, or an error."""
    service = service_of(request)
    query, started = _query(request, page)
    form = Form(page, query)
    values: dict[str, Any] = {"page": page, "title": page.title, "form": form, "data": form.value("data")}
    values |= {"result": None, "query": urlencode(query), "chosen": None, "systems": ()}
    values["cancelled"] = request.query_params.get("start") == "cancelled"
    values["datasets"] = [one for one in service.store.datasets() if page.suits(one) or one.id == values["data"]]
    values["whole"] = urlencode([(name, value) for name, value in query if name not in ("a", "b", "by")])
    status = 200
    try:
        chosen = values["chosen"] = service.store[values["data"]] if values["data"] else None
        if started and not (page.needs_data and chosen is None):
            values |= _answered(request, page, query)
            words = urlencode([(name, value) for name, value in query if value])
            service.store.index.ask(f"{page.address}?{words}", page.title, chosen.id if chosen is not None else "")
    except MovedData:
        raise  # leads on to where the files are now
    except NotStarted as error:
        values["page"] = replace(page, nothing=_sentence(str(error)))
    except CranfieldError as error:
        said, status = page.on_form(str(error)), api.status_of(error)
        untouched = all(name == "data" for name, _ in request.query_params.multi_items())
        if untouched and isinstance(error, ArgumentError):
            values["page"] = replace(page, nothing=said)  # a choice is missing, and nobody has made a mistake
        elif page.suits(values["chosen"]):
            values["error"] = said
        else:  # nothing is wrong with the form: the data lack what the question is about
            values |= {"page": replace(page, nothing=said), "lacks": True}
    if values["chosen"] is not None:  # they are known once the data have been read
        values["systems"] = values["chosen"].systems()
    return render(request, page.template, status, **values)


def _answered(request: Request, page: WebPage, query: Query) -> dict[str, Any]:
    """The outcome of a question as templates take it, or the job that works on it."""
    question = page.question.from_query(query)
    outcome = service_of(request).ask(page, question, may_start=not came_from_elsewhere(request))
    return _working(request, outcome) if isinstance(outcome, Job) else {"result": outcome}


def _working(request: Request, job: Job) -> dict[str, Any]:
    return {"job": job, "ahead": service_of(request).jobs.ahead(job), "cancelled": job.state == "cancelled"}


def _query(request: Request, page: WebPage) -> tuple[Query, bool]:
    """The settings in the address, or the example; and whether to answer them now."""
    given = [(name, value) for name, value in request.query_params.multi_items() if name != "start"]
    start = request.query_params.get("start", "")
    if all(name == "data" for name, _ in given):  # a first visit, perhaps by the menu
        named = next((value for _, value in given if value), "")
        example = dict((page.example_of_data if named else None) or page.example)
        known = (one for one in service_of(request).store.datasets() if one.id == named)
        if "systems" in example and (systems := next((one.systems() for one in known), ())):
            example["systems"] = str(len(systems))  # the next collection compares as many, unless told otherwise
        given += example.items()
    return given, start == "yes" or (start not in ("no", "cancelled") and not page.waits)


@router.get("/recommend")
@router.get("/api/recommend")
def moved(request: Request) -> Response:
    """The recommendation has moved to the page of all designs."""
    given = request.query_params.multi_items()
    words = urlencode(given if all(name == "data" for name, _ in given) else [("kind", "recommend"), *given])
    return RedirectResponse(f"{request.url.path.replace('recommend', 'design')}?{words}", 308)


@router.get("/files/{name}/{file}.{ending}")
def download(request: Request, name: str, file: str, ending: str) -> Response:
    """A table or a chart of a page's answer, as a file."""
    page = pages().get(name)
    if page is None:
        raise UnknownNameError("page", name, pages())
    query, _ = _query(request, page)
    service = service_of(request)
    question = page.question.from_query(query)
    outcome = service.ask(page, question, may_start=not came_from_elsewhere(request))
    if isinstance(outcome, Job):
        return error_page(request, 202, "the answer is still being computed. Try again in a moment.")
    if outcome.file and (file, ending) == (name, "html"):
        body: str | bytes = outcome.file
    elif ending in (*CHART_FORMATS, PAGE, PHONE):
        body = _image(request, lambda: service.chart(page, question, outcome, file, ending))
    else:
        body = outcome.table_bytes(file, ending)
    script, sandbox = "", "sandbox allow-downloads"
    if outcome.file and ending == "html":  # the report's one script runs, in an origin of its own
        script, sandbox = f"script-src {view_page.script_hash()}; ", f"{sandbox} allow-scripts"
    headers = {
        "Content-Security-Policy": f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; {script}"
        f"frame-ancestors 'none'; {sandbox}",
        "Content-Disposition": f'inline; filename="cranfield-{name}-{file}.{ending}"',
    }
    return Response(body, media_type=media_type(ending), headers=headers)


@router.get("/files/{name}/page/{file}.svg")
def on_page(request: Request, name: str, file: str) -> Response:
    """A chart of a page's answer, as the page shows it."""
    return download(request, name, file, PAGE)


@router.get("/files/{name}/phone/{file}.svg")
def narrow(request: Request, name: str, file: str) -> Response:
    """A chart of a page's answer, laid out for a narrow screen."""
    return download(request, name, file, PHONE)


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
    """List the datasets and take more files."""
    return _data_page(request)


def _data_page(request: Request, error: str = "", status: int = 200) -> Response:
    service = service_of(request)
    known = [(one, one.peek()) for one in service.store.datasets()]
    values = {"limits": service.limits, "known": known, "error": error, "describe": api.describe, "sample": SAMPLE}
    values |= {"removed": service.store.removed, "kept": service.store.kept}
    return render(request, "data.html", status, title="Data", **values)


@router.post("/data")
async def upload(request: Request) -> Response:
    """Take uploaded files and show the dataset."""
    try:
        dataset = await api.receive(request)
    except CranfieldError as error:
        return await run_in_threadpool(_data_page, request, on_upload(str(error)), api.status_of(error))
    return RedirectResponse(f"/data/{dataset.id}", 303)


@router.get("/data/{id}")
def dataset(request: Request, id: str) -> Response:
    """A dataset: its linked view, its files and their problems."""
    service, page = service_of(request), page_of(ViewForm)
    chosen = service.store[id]
    contents = service.read(chosen)
    values: dict[str, Any] = {"chosen": chosen, "contents": None, "data": id, "query": "", "cancelled": False}
    values |= {"result": None, "no_view": "", "describe": api.describe, "sample": SAMPLE, "told": page.told}
    if isinstance(contents, Job):
        values |= _working(request, contents)
    else:
        values |= {"contents": contents, "data": "" if contents.problem else id}
        if contents.scores is not None:
            values |= _view(request, page, id)
    return render(request, "dataset.html", title=chosen.title, **values)


def _view(request: Request, page: WebPage, id: str) -> dict[str, Any]:
    """The linked view of a dataset, or the job that prepares it, or why there is none."""
    given = request.query_params.multi_items()
    query = [("data", id), *((name, value) for name, value in given if name not in ("data", "start") and value)]
    values: dict[str, Any] = {"page": page, "form": Form(page, query), "query": urlencode(query)}
    asked = [(name, value) for name, value in query if name != "measure"]
    measures = [value for name, value in query if name == "measure"]
    values |= {"source": f"/api/view?{urlencode(asked)}", "first": measures[0] if measures else ""}
    try:
        return values | _answered(request, page, query)
    except CranfieldError as error:
        return values | {"no_view": _sentence(page.on_form(str(error)))}


@router.get("/static/view.js")
def view_script(request: Request) -> Response:
    """The script of the linked view."""
    return Response(view_page.script(), media_type="text/javascript; charset=utf-8")


@router.get("/static/view.css")
def view_style(request: Request) -> Response:
    """The style of the linked view."""
    return Response(view_page.style(), media_type="text/css; charset=utf-8")


@router.get("/static/tokens.css")
def tokens(request: Request) -> Response:
    """The colours and sizes that page, report and view share."""
    return Response(view_page.tokens(), media_type="text/css; charset=utf-8")


@router.post("/data/{id}/name")
async def rename(request: Request, id: str) -> Response:
    """Rename a dataset."""
    service = service_of(request)
    async with request.form(max_files=0, max_fields=5, max_part_size=service.limits.field) as form:
        service.store.rename(id, str(form.get("name") or ""))
    return RedirectResponse("/data", 303)


@router.post("/data/{id}/add")
async def add(request: Request, id: str) -> Response:
    """Add files to a dataset; the joint dataset replaces the old one."""
    service = service_of(request)
    old = service.store[id]
    made = await api.receive(request, to=old)
    if made is not old:
        service.remove(id)
    return RedirectResponse(f"/data/{made.id}", 303)


@router.post("/data/{id}/remove")
def remove(request: Request, id: str) -> Response:
    """Remove a dataset."""
    service_of(request).remove(id)
    return RedirectResponse("/data", 303)


@router.post("/data/{id}/restore")
def restore(request: Request, id: str) -> Response:
    """Undo the last removal."""
    service_of(request).store.restore(id)
    return RedirectResponse("/data", 303)


# ── work and questions ────────────────────────────────────────────────────────────────────────────────────────


@router.get("/jobs")
def jobs(request: Request) -> Response:
    """Running computations and past questions, latest first."""
    service = service_of(request)
    listed = service.jobs.listed()
    named = {"": "", **{one.id: one.title for one in service.store.datasets()}}
    asked = [(one, named[one.data]) for one in service.store.index.questions() if one.data in named]
    ahead = {job.id: service.jobs.ahead(job) for job in listed}
    return render(request, "jobs.html", title="Work", questions=asked, jobs=listed, ahead=ahead)


@router.post("/jobs/{id}/cancel")
def cancel(request: Request, id: str) -> Response:
    """Cancel a computation and return to its form."""
    api.find_job(request, id).cancel()
    back = request.query_params.get("back", "/")
    if not back.startswith("/") or back.startswith(("//", "/\\")):
        back = "/"  # only ever to this server
    return RedirectResponse(f"{back}{'&' if '?' in back else '?'}start=cancelled", 303)


@router.get("/api")
def api_page(request: Request) -> Response:
    """The API page, made from the OpenAPI description."""
    return render(request, "api.html", title="API", schema=request.app.openapi())
