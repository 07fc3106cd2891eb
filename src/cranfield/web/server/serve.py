"""`serve`: bind, say where, and run until interrupted."""

from __future__ import annotations

import ipaddress
import os
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from cranfield.collection.teams import read_teams
from cranfield.core.errors import ArgumentError
from cranfield.core.files import expand
from cranfield.questions.serve.question import ServeQuestion
from cranfield.web.server.app import create_app
from cranfield.web.server.connections import Server
from cranfield.web.server.security import MB, OWN_HOSTS, Access, Limits


def serve(settings: ServeQuestion) -> None:
    """Run the page until interrupted; with files it opens with them."""
    access = access_for(settings.host, settings.allow_remote, settings.allow_origin or (), settings.token)
    files = expand(list(settings.files)) if settings.files else []
    teams = read_teams(settings.teams) if settings.teams is not None else None
    listener = bind(settings.host, settings.port)
    app = create_app(access, Limits(upload=settings.max_upload * MB), settings.keep)
    service, first = app.state.service, ""
    if files:
        dataset = service.store.adopt(files, teams, settings.documents)
        first = f"data/{dataset.id}"
        threading.Thread(target=service.prepare, args=[dataset], daemon=True).start()
    address = page_address(settings.host, listener.getsockname()[1], access.token, first)
    service.chart_worker.warm_up()
    sys.stderr.writelines(f"warning: {note}\n" for note in service.store.notes)
    sys.stderr.write(announcement(address, access.token, settings.keep))
    sys.stderr.flush()
    if settings.open_page:
        threading.Timer(0.5, webbrowser.open, [address]).start()
    try:
        Server(app).run(sockets=[listener])
    except KeyboardInterrupt:
        sys.stderr.write("\n")  # uvicorn has closed everything and passes the interrupt on
    if service.jobs.are_running():  # between two reports of progress; Python would wait for it
        sys.stderr.flush()
        os._exit(0)


def announcement(address: str, token: str | None, keep: Path | None = None) -> str:
    """Where the page is, and who can see what is on it.

    >>> print(announcement("http://127.0.0.1:8377/", None), end="")
    cranfield is at http://127.0.0.1:8377/
    (only this machine can reach it; Ctrl-C ends it and removes uploaded data)
    Other accounts on this machine can open it too. To keep them out, add --token.
    """
    where = "only this machine can reach it"
    if token:
        here = is_loopback(urlsplit(address).hostname or "")
        where = f"other {'accounts' if here else 'machines'} can reach it with this address only"
    data = "removes uploaded data" if keep is None else f"data stay in {keep}"
    text = f"cranfield is at {address}\n({where}; Ctrl-C ends it{' and' if keep is None else ';'} {data})\n"
    if token:
        text += (
            "Anyone with this address can see, use and remove all data on the page. Share it only with people you "
            "trust.\n"
        )
    else:
        text += "Other accounts on this machine can open it too. To keep them out, add --token.\n"
    return text


def access_for(host: str, allow_remote: bool, origins: Sequence[str] = (), token: bool = False) -> Access:
    """Who may ask a server on this address; `token` asks for one on this machine too.

    >>> access_for("0.0.0.0", False)
    Traceback (most recent call last):
    cranfield.ArgumentError: `host` 0.0.0.0 lets other machines connect. Add --allow-remote to allow that.
    """
    for origin in origins:
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.netloc or origin != f"{parts.scheme}://{parts.netloc}":
            raise ArgumentError(
                f"`allow_origin` must be a website's address without a path; got {origin!r}. Write https://example.org."
            )
    if is_loopback(host):
        made = secrets.token_urlsafe(24) if token else None
        return Access(OWN_HOSTS | {_in_header(host)}, made, frozenset(origins))
    if not allow_remote:
        raise ArgumentError(f"`host` {host} lets other machines connect. Add --allow-remote to allow that.")
    return Access(None, secrets.token_urlsafe(24), frozenset(origins))


def is_loopback(host: str) -> bool:
    """Whether an address leads to this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _in_header(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def bind(host: str, port: int) -> socket.socket:
    """A listening socket, or an error that says what to do."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or str(error)
        raise ArgumentError(
            f"cannot listen on {host} port {port}: {reason}. Choose another with --port, or --port 0 for any free one."
        ) from None


def page_address(host: str, port: int, token: str | None, first: str = "") -> str:
    """The address to open.

    >>> page_address("127.0.0.1", 8377, None), page_address("::", 80, "t")
    ('http://127.0.0.1:8377/', 'http://[::1]:80/?token=t')
    >>> page_address("127.0.0.1", 8377, None, "data/sample")
    'http://127.0.0.1:8377/data/sample'
    """
    shown = {"0.0.0.0": socket.gethostname(), "::": "::1"}.get(host, host)
    return f"http://{_in_header(shown)}:{port}/{first}" + (f"?token={token}" if token else "")
