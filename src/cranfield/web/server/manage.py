"""Looking after the page: names of datasets, files added to them, removals undone, jobs, and questions asked."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from cranfield.web.server import api
from cranfield.web.server.api import service_of
from cranfield.web.server.data import Dataset
from cranfield.web.server.index import Asked
from cranfield.web.server.page import Page
from cranfield.web.server.service import Service

router = APIRouter()


def record_question(service: Service, page: Page, query: list[tuple[str, str]], dataset: Dataset | None) -> None:
    """Note a question that has an answer, by its address."""
    words = urlencode([(name, value) for name, value in query if value])
    service.store.index.ask(f"{page.address}?{words}", page.title, dataset.id if dataset is not None else "")


def asked(service: Service) -> list[tuple[Asked, str]]:
    """The questions asked, the last first, with the names of their data."""
    named = {one.id: one.title for one in service.store.datasets()}
    return [(one, named[one.data]) if one.data else (one, "") for one in service.store.index.questions()
            if not one.data or one.data in named]  # fmt: skip


@router.get("/jobs")
def jobs(request: Request) -> Response:
    """What the server works on, and what was asked."""
    from cranfield.web.server.views import render

    service = service_of(request)
    listed = service.jobs.listed()
    values: dict[str, Any] = {"jobs": listed, "ahead": {job.id: service.jobs.ahead(job) for job in listed}}
    return render(request, "jobs.html", title="Work", questions=asked(service), **values)


@router.post("/data/{id}/name")
async def rename(request: Request, id: str) -> Response:
    """Call a dataset otherwise."""
    service = service_of(request)
    async with request.form(max_files=0, max_fields=5, max_part_size=service.limits.field) as form:
        service.store.rename(id, str(form.get("name") or ""))
    return RedirectResponse("/data", 303)


@router.post("/data/{id}/add")
async def add(request: Request, id: str) -> Response:
    """A dataset of the old and the new files together, in place of the old one."""
    service = service_of(request)
    old = service.store[id]
    made = await api.receive(request, to=old)
    if made is not old:
        service.remove(id)
    return RedirectResponse(f"/data/{made.id}", 303)


@router.post("/data/{id}/restore")
def restore(request: Request, id: str) -> Response:
    """Undo the last removal."""
    service_of(request).store.restore(id)
    return RedirectResponse("/data", 303)
