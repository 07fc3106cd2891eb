"""``cranfield serve``: the local page."""

from __future__ import annotations

from typing import Annotated

import typer

from cranfield.defaults import HOST, MAX_UPLOAD_MB, PORT


def command(
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = PORT,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; any but this machine's own needs --allow-remote.")
    ] = HOST,
    allow_remote: Annotated[
        bool,
        typer.Option("--allow-remote", help="Let other machines ask; every request must carry the token printed."),
    ] = False,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option("--allow-origin", metavar="ORIGIN", help="A website whose pages may call the API; repeatable."),
    ] = None,
    max_upload: Annotated[
        int, typer.Option("--max-upload", metavar="MB", min=1, help="Largest upload taken at once.")
    ] = MAX_UPLOAD_MB,
) -> None:
    """Design and analyse a collection in the browser. Nothing leaves this machine.

    Uploaded files lie in a private temporary directory that is removed when the server ends (Ctrl-C).

    Example: cranfield serve --open
    """
    from importlib.util import find_spec

    from cranfield.errors import ArgumentError

    missing = [name for name in ("fastapi", "uvicorn", "python_multipart") if find_spec(name) is None]
    if missing:
        raise ArgumentError(
            f"the page needs {', '.join(missing)}, not installed here. Run: pip install 'cranfield[web]'"
        )
    from cranfield.web.server.serve import serve

    serve(
        host=host,
        port=port,
        open_page=open_page,
        allow_remote=allow_remote,
        origins=allow_origin or [],
        max_upload_mb=max_upload,
    )
