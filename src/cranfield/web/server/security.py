"""Limits, access control and size checks, before anything else sees a request.

On loopback, a page of another site could reach the server through the visitor's browser. Host and origin of every
request are therefore checked: a foreign site can neither read answers nor start work. On any other address, and with
``--token`` on loopback too, every request must carry the token.

A link on another site may lead here, since people mail addresses. Such a visit shows the form and starts nothing
(`came_from_elsewhere`). A frame on another site gets nothing.
"""

from __future__ import annotations

import hmac
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cranfield.core.defaults import MAX_UPLOAD_MB

Key = TypeVar("Key")
Value = TypeVar("Value")
MB = 1_000_000


@dataclass(frozen=True)
class Limits:
    """What one server takes and keeps.

    Parameters
    ----------
    upload : bytes of one request
    file : bytes of one file, decompressed
    store : bytes of all uploaded data together, decompressed
    files : files of one upload, those inside archives included
    datasets : uploads kept at a time
    awake : datasets whose runs stay in memory, those used last; the runs of others are read again when needed
    systems : systems of one dataset; the pairs of them grow with their square
    ratio : how many times larger an archive's member may be than its compressed bytes; text packs some 20 times
    field : bytes of a form field that is not a file
    jobs, waiting : long computations at a time, and how many more may wait
    results : finished computations kept for downloads and charts
    patience : seconds a request waits for a result before it shows progress instead
    """

    upload: int = MAX_UPLOAD_MB * MB
    file: int = 200 * MB
    store: int = 2_000 * MB
    files: int = 500
    datasets: int = 20
    awake: int = 4
    systems: int = 1_000
    ratio: int = 200
    field: int = 64_000
    jobs: int = 2
    waiting: int = 20
    results: int = 40
    patience: float = 1.0


def megabytes(size: int) -> str:
    """A size for people.

    >>> megabytes(256_000_000), megabytes(1_500)
    ('256 MB', '0.0015 MB')
    """
    return f"{size / MB:,.4g} MB"


class Recent(OrderedDict[Key, Value]):
    """The most recently used values, up to a limit.

    >>> recent = Recent(2)
    >>> for name in ("a", "b", "a", "c"):
    ...     recent.keep(name, name.upper())
    >>> list(recent)
    ['a', 'c']
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most, self._lock = most, threading.Lock()

    def keep(self, key: Key, value: Value) -> None:
        """Add a value; the least recent ones are dropped."""
        with self._lock:
            self[key] = value
            self.move_to_end(key)
            while len(self) > self._most:
                self.popitem(last=False)


COOKIE = "cranfield_token"
UPLOAD_PATHS = ("/data", "/api/data")
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}
OWN_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
_FOREIGN = "another website sent this request. Open the address directly."


def came_from_elsewhere(request: Request) -> bool:
    """Whether a link on another website led here: then nothing may be started by it."""
    return bool(getattr(request.state, "came_from_elsewhere", False))


@dataclass(frozen=True)
class Access:
    """Who may ask.

    Parameters
    ----------
    hosts : names the server answers to in the Host header; None for any (then there must be a token)
    token : what every request must carry; None where all accounts of this machine may ask
    origins : other websites that may call the API from a browser
    """

    hosts: frozenset[str] | None = OWN_HOSTS
    token: str | None = None
    origins: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.hosts is None and self.token is None:
            raise ValueError("a server that answers to any host needs a token")


class TooLarge(Exception):
    """More bytes than the server takes."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"the request is larger than {megabytes(limit)}. Send fewer files at once, or compress them (.gz, .zip)."
        )


class Guard:
    """The outermost layer: refuses what must not come in, and puts the protective headers on what goes out.

    Starlette's checks of hosts and origins are not used: they answer otherwise than our clients know it.
    """

    def __init__(self, app: ASGIApp, access: Access, limits: Limits) -> None:
        self.app, self.access, self.limits = app, access, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, pass on, and add the headers to the answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        origin = request.headers.get("origin", "")
        shared = origin in self.access.origins and scope["path"].startswith("/api")

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if shared:
                    headers["Access-Control-Allow-Origin"] = origin
                    headers["Cross-Origin-Resource-Policy"] = "cross-origin"
                    headers.append("Vary", "Origin")
            await send(message)

        limit = self.limits.upload if _takes_files(scope["path"]) else self.limits.field
        refusal = self._refusal(request, shared, limit)
        if refusal is not None:
            await refusal(scope, receive, send_with_headers)
            return
        by_link = not shared and _other_site(request)
        scope["state"] = {**scope.get("state", {}), "came_from_elsewhere": by_link}
        if scope["method"] == "HEAD":  # answered as GET is; the server leaves out the body
            scope = {**scope, "method": "GET"}
        await self.app(scope, _counted(receive, limit), send_with_headers)

    def _refusal(self, request: Request, shared: bool, limit: int) -> Response | None:
        host = request.headers.get("host", "")
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        if self.access.hosts is not None and name.lower() not in self.access.hosts:
            text = f"unknown host {name[:80]!r}. Open the address that the server printed."
            return _no(request, 421, text)
        if shared and request.method == "OPTIONS":
            allowed = {"Methods": "GET, POST, DELETE", "Headers": "Authorization"}
            return Response(None, 204, {f"Access-Control-Allow-{what}": names for what, names in allowed.items()})
        if not shared and _other_site(request) and not _is_followed_link(request):
            return _no(request, 403, _FOREIGN)
        if self.access.token is not None:
            refused = _without_token(request, self.access.token)
            if refused is not None:
                return refused
        length = request.headers.get("content-length", "0")
        if not length.isdecimal():
            return _no(request, 400, "the Content-Length header must be a number.")
        return _no(request, 413, str(TooLarge(limit))) if int(length) > limit else None


def _without_token(request: Request, token: str) -> Response | None:
    """The refusal of a request that does not carry the token; a redirection where its address does."""
    query = request.query_params.multi_items()
    rest = urlencode([(name, value) for name, value in query if name != "token"])
    given = [value for name, value in query if name == "token"]
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    carried = [*given, bearer if scheme.lower() == "bearer" else "", request.cookies.get(COOKIE, "")]
    if not any(hmac.compare_digest(one.encode(), token.encode()) for one in carried):
        text = "a token is required. Open the address that the server printed."
        return _no(request, 401, text)
    path = request.scope["path"]
    if given and request.method == "GET" and not path.startswith("/api"):
        # The token moves from the address, which gets copied and mailed, into a cookie, which does not.
        # A path that begins with two slashes would lead to another host.
        answer = RedirectResponse("/" + path.lstrip("/\\") + (f"?{rest}" if rest else ""), 303)
        answer.set_cookie(COOKIE, token, httponly=True, samesite="strict")
        return answer
    if given:
        request.scope["query_string"] = rest.encode()
    return None


def _takes_files(path: str) -> bool:
    """Whether files are sent to this address: as a dataset of their own, or to be added to one."""
    return path in UPLOAD_PATHS or (path.startswith("/data/") and path.endswith("/add"))


def _other_site(request: Request) -> bool:
    """Whether a page of another site is behind the request.

    Browsers say so in Sec-Fetch-Site, which no page can change; those that do not are told by the origin, or by the
    page the visitor comes from. Programs send none of the three.
    """
    headers = request.headers
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("none", "same-origin")
    host, source = headers.get("host", ""), headers.get("origin")
    if source is None and (page := headers.get("referer")):
        parts = urlsplit(page)
        source = f"{parts.scheme}://{parts.netloc}"
    return source not in (None, f"http://{host}", f"https://{host}")


def _is_followed_link(request: Request) -> bool:
    """Whether the visitor follows a link to one of the pages, in the window itself and not in a frame of another."""
    address, headers = request.scope["path"], request.headers
    return (
        request.method in ("GET", "HEAD")
        and (address == "/api" or not address.startswith("/api"))
        and headers.get("origin") is None
        and headers.get("sec-fetch-mode", "navigate") == "navigate"
        and headers.get("sec-fetch-dest", "document") == "document"
    )


def _no(request: Request, status: int, text: str) -> Response:
    if request.scope["path"].startswith("/api"):
        return JSONResponse({"error": text}, status)
    return PlainTextResponse(f"{text[0].upper()}{text[1:]}\n", status)


def _counted(receive: Receive, limit: int) -> Receive:
    """The request's bytes, until there are too many: nothing is believed about lengths."""
    total = 0

    async def counted() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > limit:
            raise TooLarge(limit)
        return message

    return counted
