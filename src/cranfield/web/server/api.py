"""The JSON API: one address per question, with typed parameters."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any, cast, get_args

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import Response

from cranfield.collection.check import FileCheck
from cranfield.core.defaults import MissingPolicy
from cranfield.core.errors import ArgumentError, CranfieldError, DataError, UnknownNameError
from cranfield.core.labels import plural, positions
from cranfield.core.options import MOST_VALUES, QueryError, Setting
from cranfield.reports.view.topic import rankings
from cranfield.web.server.data import SAMPLE, Contents, Dataset, InvalidData
from cranfield.web.server.page import WebPage, pages
from cranfield.web.server.security import TooLarge
from cranfield.web.server.service import Busy, Job, NotStarted, Service
from cranfield.web.server.store import MissingData, Upload


class Envelope(BaseModel):
    """An answer: the command line's JSON, with headline, further tables, and the same as command and Python."""

    schema_version: int = Field(alias="schema")
    command: str
    signature: str
    settings: dict[str, Any]
    rows: list[dict[str, Any]]
    warnings: list[str]
    headline: str
    tables: dict[str, list[dict[str, Any]]]
    command_line: list[str]
    python: list[str]


class JobStatus(BaseModel):
    """State of a computation. Request the same address again until it is done."""

    job: str
    title: str
    state: str
    done: int
    total: int
    stage: str = Field(description="current step, if steps have names")
    share: float
    ahead: int
    error: str = ""
    data: str = ""  # the dataset being read, after an upload


class Problem(BaseModel):
    """An error message."""

    error: str


class JobList(BaseModel):
    """Computations, waiting, running or finished."""

    jobs: list[JobStatus]


class DataStatus(BaseModel):
    """Contents of a dataset and problems in its files."""

    id: str
    name: str
    kind: str
    measures: list[str]
    files: list[dict[str, Any]] = Field(description="path, kind, topics, systems, rows, notes, problems, error")
    warnings: list[str]
    problem: str


class Rankings(BaseModel):
    """Ranked lists of one topic: the top documents of each system, with grades."""

    topic: str
    systems: list[str]
    lists: list[list[list[Any]]]
    there: list[list[int | None]] | None = None
    titles: dict[str, str] | None = None


class DataList(BaseModel):
    """Ids and names of all datasets."""

    datasets: list[dict[str, str]]


class MissingJob(UnknownNameError):
    """No job has this id."""


_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem} for status in (400, 401, 403, 404, 409, 413, 421, 422, 503)
}
ANSWERS = {202: {"model": JobStatus, "description": "Still computing; request again."}, **_PROBLEMS}
_FILES = {"type": "array", "items": {"type": "string", "format": "binary"}}
_MISSING = {"type": "string", "enum": list(get_args(MissingPolicy))}
_LENIENT = {"type": "string", "enum": ["true", "false"]}
_FORM = {"files": _FILES, "missing": _MISSING, "lenient": _LENIENT}
_SENT = {"multipart/form-data": {"schema": {"type": "object", "required": ["files"], "properties": _FORM}}}
UPLOAD = {"requestBody": {"required": True, "content": _SENT}}
_STATUSES: dict[type[Exception] | tuple[type[Exception], ...], int] = {
    (MissingData, MissingJob): 404,
    NotStarted: 403,
    Busy: 503,
    QueryError: 422,
    TooLarge: 413,
    InvalidData: 409,
}
router = APIRouter(prefix="/api")


def service_of(request: Request) -> Service:
    """The service behind the application."""
    return cast(Service, request.app.state.service)


def status_of(error: Exception) -> int:
    """The status of one of our own errors."""
    return next((status for kinds, status in _STATUSES.items() if isinstance(error, kinds)), 400)


def job_status(service: Service, job: Job, **more: str) -> dict[str, Any]:
    """A job as the API and the page's script see it."""
    where: dict[str, Any] = {"done": job.done, "total": job.total, "share": job.share, "stage": job.stage, **more}
    where |= {"ahead": service.jobs.ahead(job), "error": str(job.error or "")}
    return JobStatus(job=job.id, title=job.title, state=job.state, **where).model_dump()


# ── questions ─────────────────────────────────────────────────────────────────────────────────────────────────


def questions() -> APIRouter:
    """An address for every page."""
    made = APIRouter(prefix="/api", tags=["questions"])
    for page in pages().values():
        made.add_api_route(
            page.address, _asking(page), name=page.name, description=page.brief, response_model=Envelope,
            responses=ANSWERS, openapi_extra={"parameters": [_parameter(one) for one in page.parameters]},
        )  # fmt: skip
    return made


def _asking(page: WebPage) -> Callable[[Request], Response]:
    def ask(request: Request) -> Response:
        service = service_of(request)
        try:
            outcome = service.ask(page, page.question.from_query(request.query_params.multi_items()))
        except CranfieldError as error:
            return JSONResponse({"error": page.words(error)}, status_of(error))
        if isinstance(outcome, Job):
            return JSONResponse(job_status(service, outcome), 202)
        return JSONResponse(outcome.to_dict())

    return ask


_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def _parameter(one: Setting) -> dict[str, Any]:
    """A setting as OpenAPI describes a parameter."""
    value: dict[str, Any] = {"type": _TYPES.get(one.kind, "string")}
    if one.choices is not None:
        value["enum"] = list(one.choices)
    elif one.kind is str:
        value |= {"minLength": 1, "maxLength": 200}
    value |= {name: bound for name, bound in (("minimum", one.least), ("maximum", one.most)) if bound is not None}
    schema = {"type": "array", "items": value, "maxItems": MOST_VALUES} if one.several else value
    if not one.required and one.default is not None:
        schema["default"] = list(one.default) if one.several else one.default
    usual = f" Default: {one.usual}." if one.usual else ""
    return {
        "name": one.spelling, "in": "query", "required": one.required, "description": one.help + usual, "schema": schema
    }  # fmt: skip


# ── data ──────────────────────────────────────────────────────────────────────────────────────────────────────


@router.get("/data", response_model=DataList, tags=["data"], responses=_PROBLEMS)
def datasets(request: Request) -> Response:
    """List all datasets; `sample` always exists."""
    listed = [{"id": one.id, "name": one.name} for one in service_of(request).store.datasets()]
    return JSONResponse({"datasets": listed})


@router.post(
    "/data", response_model=DataStatus, status_code=201, tags=["data"], responses=ANSWERS, openapi_extra=UPLOAD
)
async def upload(request: Request) -> Response:
    """Upload score files, or runs with their qrels file; plain, .gz, .bz2, .xz, .zst or .zip."""
    dataset = await receive(request)
    return await run_in_threadpool(_data_status, request, dataset, 201)


@router.get("/data/{id}", response_model=DataStatus, tags=["data"], responses=ANSWERS)
def dataset(request: Request, id: str) -> Response:
    """Contents of a dataset, file by file."""
    return _data_status(request, service_of(request).store[id], 200)


@router.get("/data/{id}/rankings", response_model=Rankings, tags=["data"], responses=ANSWERS)
def ranked_lists(request: Request, id: str, topic: str, system: Annotated[list[str], Query()]) -> Response:
    """Top documents of systems for a topic, with grades (null: unjudged)."""
    dataset = service_of(request).store[id]
    dataset.require_valid()
    runs = {run.system: run for run in dataset.runs()}
    positions("topic", [topic], dataset.matrix().topics)
    positions("system", system[:10], list(runs))
    shown = [runs[name] for name in system[:10]]
    return JSONResponse(rankings(dataset.qrels(), shown, topic, titles=dataset.titles()))


@router.delete("/data/{id}", status_code=204, tags=["data"], responses=_PROBLEMS)
def remove(request: Request, id: str) -> Response:
    """Remove a dataset and everything computed from it."""
    service_of(request).remove(id)
    return Response(status_code=204)


async def receive(request: Request, to: Dataset | None = None) -> Dataset:
    """Make a dataset of an upload form, with the files of `to` if given."""
    store, limits = service_of(request).store, service_of(request).limits
    async with request.form(max_files=limits.files, max_fields=20, max_part_size=limits.field) as form:
        parts = [part for _, part in form.multi_items() if isinstance(part, UploadFile)]
        uploads: list[Upload] = [(part.filename or "", part.file, part.size or 0) for part in parts]
        missing, lenient = str(form.get("missing") or ""), str(form.get("lenient") or "")
        if missing and missing not in get_args(MissingPolicy):
            raise ArgumentError(f"`missing` must be error, zero or drop-topic; got {missing[:60]!r}.")
        policy = cast(MissingPolicy, missing) if missing else None
        easy = lenient.lower() in ("true", "on", "1", "yes")
        if to is not None:
            if to.id == SAMPLE:
                raise DataError("the sample collection cannot be changed. Upload your files as a new dataset.")
            policy, easy = to.missing, to.lenient
        return await run_in_threadpool(store.add, uploads, missing=policy, lenient=easy, to=to)


def _data_status(request: Request, dataset: Dataset, status: int) -> Response:
    service = service_of(request)
    contents = service.read(dataset)
    place = {"Location": f"/api/data/{dataset.id}"}
    if isinstance(contents, Job):
        return JSONResponse(job_status(service, contents, data=dataset.id), 202, place)
    body = DataStatus(
        id=dataset.id,
        name=dataset.name,
        kind="runs" if contents.has_runs else "scores",
        measures=dataset.measures(),
        files=[_file(check) for check in contents.checks],
        warnings=list(contents.warnings),
        problem=contents.problem,
    )
    return JSONResponse(json.loads(body.model_dump_json()), status, place)


def _file(check: FileCheck) -> dict[str, Any]:
    plain = {name.removeprefix("n_"): value for name, value in vars(check).items()}
    return {**plain, "path": str(check.path), "notes": list(check.notes)}


def describe(contents: Contents) -> str:
    """One sentence about a dataset."""
    first = next(iter(contents.scores.values()), None) if contents.scores else None
    size = f"{first.n_topics} topics × {first.n_systems} systems" if first else None
    kind = "runs with judgments" if contents.has_runs else "scores"
    return f"{kind}: {size or plural(len(contents.names), 'collection')}"


# ── jobs ──────────────────────────────────────────────────────────────────────────────────────────────────────


@router.get("/jobs", response_model=JobList, tags=["jobs"], responses=_PROBLEMS)
def jobs(request: Request) -> Response:
    """List computations, latest first."""
    service = service_of(request)
    return JSONResponse({"jobs": [job_status(service, one) for one in service.jobs.listed()]})


@router.get("/jobs/{id}", response_model=JobStatus, tags=["jobs"], responses=_PROBLEMS)
def job(request: Request, id: str) -> Response:
    """Progress of a computation."""
    return JSONResponse(job_status(service_of(request), find_job(request, id)))


@router.delete("/jobs/{id}", response_model=JobStatus, tags=["jobs"], responses=_PROBLEMS)
def cancel(request: Request, id: str) -> Response:
    """Cancel a computation; it stops at its next step."""
    job = find_job(request, id)
    job.cancel()
    return JSONResponse(job_status(service_of(request), job))


def find_job(request: Request, id: str) -> Job:
    """The job of this id."""
    job = service_of(request).jobs.find(id)
    if job is None:
        raise MissingJob("job", id, [])
    return job
