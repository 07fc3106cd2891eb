"""The JSON API: the questions of the pages, as addresses with typed parameters."""

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

from cranfield.collection import FileCheck
from cranfield.defaults import MissingPolicy
from cranfield.errors import ArgumentError, CranfieldError, DataError, UnknownNameError
from cranfield.labels import positions
from cranfield.settings import Setting
from cranfield.settings.base import MOST_VALUES
from cranfield.web.server.data import SAMPLE, Contents, Dataset
from cranfield.web.server.jobs import Job
from cranfield.web.server.page import Page, pages
from cranfield.web.server.service import Service
from cranfield.web.server.store import Upload


class Envelope(BaseModel):
    """An answer: as the command line's JSON, with the page's headline, further tables, and how to get it elsewhere."""

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
    """A computation that is still going on (ask the same address again), or how it ended."""

    job: str
    title: str
    state: str
    done: int
    total: int
    stage: str = Field(description="what it is doing now, where its steps have names")
    share: float
    ahead: int
    error: str = ""
    data: str = ""  # the dataset being read, after an upload


class Problem(BaseModel):
    """What is wrong, in words."""

    error: str


class JobList(BaseModel):
    """Computations that wait, run or have ended."""

    jobs: list[JobStatus]


class DataStatus(BaseModel):
    """A dataset: what its files hold, and what is wrong with them."""

    id: str
    name: str
    kind: str
    measures: list[str]
    files: list[dict[str, Any]] = Field(description="path, kind, topics, systems, rows, notes, problems, error")
    warnings: list[str]
    problem: str


class Rankings(BaseModel):
    """Ranked lists of one topic: for each system its first documents, each with its grade."""

    topic: str
    systems: list[str]
    lists: list[list[list[Any]]]


class DataList(BaseModel):
    """The ids and names of all datasets."""

    datasets: list[dict[str, str]]


_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem} for status in (400, 401, 403, 404, 409, 413, 421, 422, 503)
}
_JOB: dict[int | str, dict[str, Any]] = {202: {"model": JobStatus, "description": "Not done yet; ask again."}}
ANSWERS = {**_JOB, **_PROBLEMS}
UPLOAD = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["files"],
                    "properties": {
                        "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
                        "missing": {"type": "string", "enum": ["error", "zero", "drop-topic"]},
                        "lenient": {"type": "string", "enum": ["true", "false"]},
                    },
                }
            }
        },
    }
}
router = APIRouter(prefix="/api")


def service_of(request: Request) -> Service:
    """The service behind the application."""
    return cast(Service, request.app.state.service)


def job_status(service: Service, job: Job) -> dict[str, Any]:
    """A job as the API and the page's script see it."""
    return JobStatus(
        job=job.id,
        title=job.title,
        state=job.state,
        done=job.done,
        total=job.total,
        share=job.share,
        stage=job.stage,
        ahead=service.jobs.ahead(job),
        error=str(job.error or ""),
    ).model_dump()


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


def _asking(page: Page) -> Callable[[Request], Response]:
    def ask(request: Request) -> Response:
        from cranfield.web.server.app import status_of

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
    usual = f" Unless given: {one.usual}." if one.usual else ""
    return {
        "name": one.spelling, "in": "query", "required": one.required, "description": one.help + usual, "schema": schema
    }  # fmt: skip


# ── data ──────────────────────────────────────────────────────────────────────────────────────────────────────


@router.get("/data", response_model=DataList, tags=["data"], responses=_PROBLEMS)
def datasets(request: Request) -> Response:
    """All datasets; `sample` is always there."""
    listed = [{"id": one.id, "name": one.name} for one in service_of(request).store.datasets()]
    return JSONResponse({"datasets": listed})


@router.post(
    "/data", status_code=201, response_model=DataStatus, tags=["data"], responses=ANSWERS, openapi_extra=UPLOAD
)
async def upload(request: Request) -> Response:
    """Upload score files, or runs with their qrels file; plain, .gz, .bz2, .xz, .zst or .zip."""
    dataset = await receive(request)
    return await run_in_threadpool(_data_status, request, dataset, 201)


@router.get("/data/{id}", response_model=DataStatus, tags=["data"], responses=ANSWERS)
def dataset(request: Request, id: str) -> Response:
    """What a dataset holds, file by file."""
    return _data_status(request, service_of(request).store[id], 200)


@router.get("/data/{id}/rankings", response_model=Rankings, tags=["data"], responses=ANSWERS)
def ranked_lists(request: Request, id: str, topic: str, system: Annotated[list[str], Query()]) -> Response:
    """What systems retrieved first for a topic, with the grade of every document (null: not judged)."""
    from cranfield.present.view.rankings import rankings

    dataset = service_of(request).store[id]
    dataset.require_valid()
    runs = {run.system: run for run in dataset.runs()}
    positions("topic", [topic], dataset.matrix().topics)
    positions("system", system[:10], list(runs))
    return JSONResponse(rankings(dataset.qrels(), [runs[name] for name in system[:10]], topic))


@router.delete("/data/{id}", status_code=204, tags=["data"], responses=_PROBLEMS)
def remove(request: Request, id: str) -> Response:
    """Remove a dataset and everything computed from it."""
    service_of(request).remove(id)
    return Response(status_code=204)


async def receive(request: Request, to: Dataset | None = None) -> Dataset:
    """The dataset in an upload form, joined `to` another where there is one; all it holds is closed again."""
    service = service_of(request)
    limits = service.limits
    async with request.form(max_files=limits.files, max_fields=20, max_part_size=limits.field) as form:
        uploads: list[Upload] = [
            (part.filename or "", part.file, part.size or 0)
            for _, part in form.multi_items()
            if isinstance(part, UploadFile)
        ]
        missing, lenient = str(form.get("missing") or ""), str(form.get("lenient") or "")
        if missing and missing not in get_args(MissingPolicy):
            raise ArgumentError(f"`missing` must be error, zero or drop-topic; got {missing[:60]!r}.")
        policy = cast(MissingPolicy, missing) if missing else None
        easy = lenient.lower() in ("true", "on", "1", "yes")
        if to is not None:
            if to.id == SAMPLE:
                raise DataError("the sample collection stays as it is; drop your files as data of their own.")
            policy, easy = to.missing, to.lenient
        return await run_in_threadpool(service.store.add, uploads, missing=policy, lenient=easy, to=to)


def _data_status(request: Request, dataset: Dataset, status: int) -> Response:
    service = service_of(request)
    contents = service.read(dataset)
    place = {"Location": f"/api/data/{dataset.id}"}
    if isinstance(contents, Job):
        return JSONResponse({**job_status(service, contents), "data": dataset.id}, 202, place)
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
    size = (
        f"{first.n_topics} topics × {first.n_systems} systems" if first else f"{len(contents.collections)} collections"
    )
    return f"{'runs with judgments' if contents.has_runs else 'scores'}: {size}"


# ── jobs ──────────────────────────────────────────────────────────────────────────────────────────────────────


@router.get("/jobs", response_model=JobList, tags=["jobs"], responses=_PROBLEMS)
def jobs(request: Request) -> Response:
    """All computations that are known, the last asked first."""
    service = service_of(request)
    return JSONResponse({"jobs": [job_status(service, one) for one in service.jobs.listed()]})


@router.get("/jobs/{id}", response_model=JobStatus, tags=["jobs"], responses=_PROBLEMS)
def job(request: Request, id: str) -> Response:
    """How far a computation is."""
    return JSONResponse(job_status(service_of(request), find_job(request, id)))


@router.delete("/jobs/{id}", response_model=JobStatus, tags=["jobs"], responses=_PROBLEMS)
def cancel(request: Request, id: str) -> Response:
    """Cancel a computation; it stops at its next step."""
    service = service_of(request)
    job = find_job(request, id)
    service.jobs.cancel(job)
    return JSONResponse(job_status(service, job))


class MissingJob(UnknownNameError):
    """A job that is not known any more."""


def find_job(request: Request, id: str) -> Job:
    """The job of this id."""
    job = service_of(request).jobs.find(id)
    if job is None:
        raise MissingJob("job", id, [])
    return job
