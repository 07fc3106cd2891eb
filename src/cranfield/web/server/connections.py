"""Connections that end: every phase of a request has a time limit, and the server stops within seconds.

uvicorn limits only the time between two requests. A visitor who never ends a request, an upload or the reading of an
answer would hold the connection for ever. The server could then not stop.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD = 20.0
"""Seconds in which the head of a request must arrive, after the connection or the last answer."""
QUIET = 30.0
"""Seconds without a byte after which an upload, or the reading of an answer, counts as given up."""
LEAST_RATE = 1000.0
"""Bytes per second that an upload must reach on average, once it has lasted for `QUIET` seconds."""
MOST = 200
"""Connections at a time; a browser opens six. One more closes the one that has waited longest for a request."""
STOPPING = 3
"""Seconds that answers under way may take when the server stops."""
_LOOK = 1.0


class Connection(H11Protocol):
    """One connection, watched until it is closed."""

    def connection_made(self, transport: Any) -> None:
        """Begin to watch; make room if there are too many."""
        super().connection_made(transport)
        self._waits_since: float | None = self.loop.time()  # for the head of a request; None while one is under way
        self._begun = self._heard = self._read = self.loop.time()
        self._bytes = self._unread = 0
        # One that was aborted stays in the set until the loop comes round; many may begin before that.
        there = [one for one in self.connections if isinstance(one, Connection) and not one.transport.is_closing()]
        if len(there) > MOST:
            waiting = [one for one in there if one._waits_since is not None]
            min(waiting or [self], key=lambda one: one._waits_since or 0.0).transport.abort()
        self._watch = self.loop.call_later(_LOOK, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop watching."""
        self._watch.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Note that the visitor is there."""
        self._heard = self.loop.time()
        self._bytes += len(data)
        super().data_received(data)
        if self._waits_since is not None and self.cycle is not None and not self.cycle.response_complete:
            self._waits_since, self._begun, self._bytes = None, self._heard, 0

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._waits_since = self.loop.time()
        super().on_response_complete()

    def shutdown(self) -> None:
        """Answer the request; what was not yet sent in full is given up."""
        if self.cycle is not None and not self.cycle.response_complete and self.cycle.more_body:
            self.transport.abort()
        else:
            super().shutdown()

    def _look(self) -> None:
        if self._is_given_up(self.loop.time()):
            self.transport.abort()  # `close` would wait until the visitor has read what is left
        else:
            self._watch = self.loop.call_later(_LOOK, self._look)

    def _is_given_up(self, now: float) -> bool:
        unread = self.transport.get_write_buffer_size()
        if not unread or unread < self._unread:
            self._read = now
        self._unread = unread
        if unread:
            return now - self._read > QUIET
        if self._waits_since is not None:
            return now - self._waits_since > HEAD
        if not self.cycle.more_body or getattr(self.flow, "read_paused", False):  # it is our turn
            self._heard = now
            return False
        lasted = now - self._begun
        return now - self._heard > QUIET or (lasted > QUIET and self._bytes < LEAST_RATE * lasted)


class Server(uvicorn.Server):
    """A server of such connections."""

    def __init__(self, app: Any) -> None:
        super().__init__(
            uvicorn.Config(
                app, log_level="warning", access_log=False, server_header=False, timeout_keep_alive=int(HEAD),
                http=Connection, timeout_graceful_shutdown=STOPPING,
            )
        )  # fmt: skip

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End in a few seconds; that answers are cut off then is no news."""
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)
