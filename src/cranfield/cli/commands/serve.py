"""``cranfield serve``: the local page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.errors import ArgumentError, with_extra

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.settings.files import ServeSettings


def run(settings: ServeSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Serve the page until interrupted."""
    from importlib.util import find_spec

    missing = [name for name in ("fastapi", "uvicorn", "python_multipart") if find_spec(name) is None]
    if missing:
        raise ArgumentError(f"the page needs {', '.join(missing)}, not installed here. Run: {with_extra('web')}")
    from cranfield.web.server.serve import serve

    serve(
        host=settings.host,
        port=settings.port,
        open_page=settings.open_page,
        allow_remote=settings.allow_remote,
        origins=settings.allow_origin or [],
        max_upload_mb=settings.max_upload,
        files=settings.files,
        teams=settings.teams,
        keep=settings.keep,
    )
