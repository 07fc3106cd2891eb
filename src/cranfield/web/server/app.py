"""`create_app`: page and API over one service, with readable errors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from cranfield import __version__
from cranfield.core.errors import CranfieldError, UnknownNameError
from cranfield.core.files import no_memory, reason
from cranfield.web.server import api, views
from cranfield.web.server.page import pages
from cranfield.web.server.security import HEADERS, Access, Guard, Limits, TooLarge
from cranfield.web.server.service import Service
from cranfield.web.server.store import MovedData

STATIC = Path(__file__).parents[1] / "static"
BUG = "the server failed unexpectedly; its log says why. Your data are safe. Go back and try again."
DISK = "The server cannot use its disk. Free some space or check the directory, then try again."
_STATUS = {
    404: "no page at this address. Use the links above.",
    405: "this address does not accept this method.",
}


def create_app(access: Access | None = None, limits: Limits | None = None, keep: Path | None = None) -> FastAPI:
    """The whole application; its data and its jobs end with it, unless the data have a directory to be kept in."""
    access, limits = access or Access(), limits or Limits()
    service = Service(limits, keep)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            service.close()

    app = FastAPI(
        title="cranfield",
        version=__version__,
        description="Design and analyse test collections: how many topics you need, and which systems really differ.",
        docs_url=None,  # the usual documentation page fetches its scripts from elsewhere; /api has our own
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},  # nothing leaves here
    )
    app.state.service = service
    app.include_router(api.questions())
    app.include_router(api.router)
    app.include_router(views.questions(), include_in_schema=False)
    app.include_router(views.router, include_in_schema=False)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_middleware(Guard, access=access, limits=limits)
    _handle_errors(app)
    return app


def _handle_errors(app: FastAPI) -> None:
    async def known(request: Request, error: Exception) -> Response:
        if isinstance(error, MovedData) and request.method in ("GET", "HEAD") and not _is_api(request):
            where = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            return RedirectResponse(where.replace(error.id, error.now), 307)
        return _error_response(request, api.status_of(error), str(error))

    async def plain(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 400
        detail = _STATUS.get(status, str(getattr(error, "detail", "")))
        address = request.url.path.removeprefix("/api")
        if status == 404 and address != request.url.path:
            detail = str(UnknownNameError("address", address, [one.address for one in pages().values()]))
        return _error_response(request, status, detail)

    async def unfit(request: Request, error: Exception) -> Response:
        wrong = error.errors() if isinstance(error, RequestValidationError) else []
        names = ", ".join(str(one["loc"][-1]) for one in wrong)
        return _error_response(
            request, 422, f"{names or 'the request'}: missing or invalid. See /api for the parameters."
        )

    async def gone(request: Request, error: Exception) -> Response:
        return Response(None, 400)  # which nobody reads: the sender of an upload went away

    async def full(request: Request, error: Exception) -> Response:
        why = no_memory() if isinstance(error, MemoryError) else f"{reason(cast('OSError', error))}. {DISK}"
        return _error_response(request, 507, why)

    async def unknown(request: Request, error: Exception) -> Response:
        response = _error_response(request, 500, BUG)
        for name, value in HEADERS.items():  # this answer is made outside of what puts them on all others
            response.headers.setdefault(name, value)
        return response

    handlers: dict[type[Exception], Any] = {
        CranfieldError: known,
        TooLarge: known,
        HTTPException: plain,
        RequestValidationError: unfit,
    }
    handlers |= {ClientDisconnect: gone, OSError: full, MemoryError: full}
    for kind, handler in {**handlers, Exception: unknown}.items():
        app.add_exception_handler(kind, handler)


def _is_api(request: Request) -> bool:
    return request.url.path.startswith("/api")


def _error_response(request: Request, status: int, text: str) -> Response:
    return JSONResponse({"error": text}, status) if _is_api(request) else views.error_page(request, status, text)
