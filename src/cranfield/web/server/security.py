"""Who may ask, and how much they may send: checked before anything else sees a request.

On loopback a page of another site could still reach the server through the visitor's own browser, so the Host and
the origin of every request are looked at: a foreign site can neither read answers (no shared origin, no foreign
host name pointing here) nor start work. On any other address every request must carry the token.

A link on another site may lead here, since people mail and publish addresses; such a visit is marked, and shows the
form without starting anything (`came_from_elsewhere`). A frame on another site gets nothing at all.
"""

from __future__ import annotations

import hmac
import json
import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cranfield.web.server.limits import Limits, megabytes

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
_READING = ("GET", "HEAD", "OPTIONS")
_FOREIGN = "another website asked; only this page itself may. Open the address directly."


def came_from_elsewhere(request: Request) -> bool:
    """Whether a link on another website led here: then nothing may be started by it."""
    return bool(getattr(request.state, "came_from_elsewhere", False))


def new_token() -> str:
    """A token nobody guesses."""
    return secrets.token_urlsafe(24)


@dataclass(frozen=True)
class Access:
    """Who may ask.

    Parameters
    ----------
    hosts : names the server answers to in the Host header; None for any (then there must be a token)
    token : what every request must carry; None on loopback
    origins : other websites that may call the API from a browser
    """

    hosts: frozenset[str] | None = OWN_HOSTS
    token: str | None = None
    origins: frozenset[str] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        if self.hosts is None and self.token is None:
            raise ValueError("a server that answers to any host needs a token")


class TooLarge(Exception):
    """More bytes than the server takes."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"the request is larger than {megabytes(limit)}; send less at once, or pack files as .gz or .zip."
        )


class Guard:
    """The outermost layer: refuses what must not come in, and puts the protective headers on what goes out."""

    def __init__(self, app: ASGIApp, access: Access, limits: Limits) -> None:
        self.app, self.access, self.limits = app, access, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, pass on, and dress the answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin", "")
        shared = origin in self.access.origins and scope["path"].startswith("/api")

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    if name not in headers:
                        headers[name] = value
                if shared:
                    headers["Access-Control-Allow-Origin"] = origin
                    headers["Cross-Origin-Resource-Policy"] = "cross-origin"
                    headers.append("Vary", "Origin")
            await send(message)

        refusal = self._refusal(scope, headers, shared)
        if refusal is not None:
            await refusal(scope, receive, send_with_headers)
            return
        by_link = not shared and _other_site(headers)
        scope["state"] = {**scope.get("state", {}), "came_from_elsewhere": by_link}
        limit = self.limits.upload if _takes_files(scope["path"]) else self.limits.field
        if scope["method"] == "HEAD":  # answered as GET is, without what it would send
            await self.app({**scope, "method": "GET"}, _counted(receive, limit), _without_body(send_with_headers))
            return
        await self.app(scope, _counted(receive, limit), send_with_headers)

    def _refusal(self, scope: Scope, headers: Headers, shared: bool) -> Response | None:
        host = headers.get("host", "")
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        if self.access.hosts is not None and name.lower() not in self.access.hosts:
            return _no(
                scope, 421, f"this server does not answer to the host {name[:80]!r}; open it by its own address."
            )
        if shared and scope["method"] == "OPTIONS":
            allowed = {
                "Access-Control-Allow-Methods": "GET, POST, DELETE",
                "Access-Control-Allow-Headers": "Authorization",
            }
            return Response(status_code=204, headers=allowed)
        if not shared and _other_site(headers) and not _is_followed_link(scope, headers):
            return _no(scope, 403, _FOREIGN)
        if self.access.token is not None:
            refused = self._without_token(scope, headers, self.access.token)
            if refused is not None:
                return refused
        limit = self.limits.upload if _takes_files(scope["path"]) else self.limits.field
        length = headers.get("content-length", "0")
        if not length.isdecimal():
            return _no(scope, 400, "the Content-Length header is no number.")
        if int(length) > limit:
            return _no(scope, 413, str(TooLarge(limit)))
        return None

    @staticmethod
    def _without_token(scope: Scope, headers: Headers, token: str) -> Response | None:
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        carried = [*given, bearer if scheme.lower() == "bearer" else "", _cookie(headers)]
        if not any(hmac.compare_digest(one.encode(), token.encode()) for one in carried):
            return _no(
                scope, 401, "this server asks for the token it printed when it started; open the address it printed."
            )
        if given and scope["method"] == "GET" and not scope["path"].startswith("/api"):
            # The token moves from the address, which gets copied and mailed, into a cookie, which does not.
            rest = urlencode([(name, value) for name, value in query if name != "token"])
            answer = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
            answer.set_cookie(COOKIE, token, httponly=True, samesite="strict")
            return answer
        if given:
            scope["query_string"] = urlencode([(n, v) for n, v in query if n != "token"]).encode()
        return None


def _takes_files(path: str) -> bool:
    """Whether files are sent to this address: as a dataset of their own, or to be added to one."""
    return path in UPLOAD_PATHS or (path.startswith("/data/") and path.endswith("/add"))


def _other_site(headers: Headers) -> bool:
    """Whether a page of another site is behind the request.

    Browsers say so in Sec-Fetch-Site, which no page can change; those that do not are told by the origin, or by the
    page the visitor comes from. Programs send none of the three.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("none", "same-origin")
    host = headers.get("host", "")
    source = headers.get("origin")
    if source is None and (page := headers.get("referer")):
        parts = urlsplit(page)
        source = f"{parts.scheme}://{parts.netloc}"
    return source not in (None, f"http://{host}", f"https://{host}")


def _is_followed_link(scope: Scope, headers: Headers) -> bool:
    """Whether the visitor follows a link to one of the pages, in the window itself and not in a frame of another."""
    address = scope["path"]
    return (
        scope["method"] in ("GET", "HEAD")
        and (address == "/api" or not address.startswith("/api"))
        and headers.get("origin") is None
        and headers.get("sec-fetch-mode", "navigate") == "navigate"
        and headers.get("sec-fetch-dest", "document") == "document"
    )


def _cookie(headers: Headers) -> str:
    try:
        cookies: SimpleCookie = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    return cookies[COOKIE].value if COOKIE in cookies else ""


def _no(scope: Scope, status: int, text: str) -> Response:
    if scope["path"].startswith("/api"):
        return Response(json.dumps({"error": text}), status, media_type="application/json")
    return PlainTextResponse(f"{text[0].upper()}{text[1:]}\n", status)


def _without_body(send: Send) -> Send:
    """The same answer, its headers alone."""

    async def headers_only(message: Message) -> None:
        await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

    return headers_only


def _counted(receive: Receive, limit: int) -> Receive:
    """The request's bytes, until there are too many: nothing is believed about lengths."""
    total = 0

    async def counted() -> Message:
        nonlocal total
        message: dict[str, Any] = dict(await receive())
        if message["type"] == "http.request":
            total += len(message.get("body", b""))
            if total > limit:
                raise TooLarge(limit)
        return message

    return counted
