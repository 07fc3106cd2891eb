"""Whatever the API's own description allows, and what it does not: no answer is a server error."""

from __future__ import annotations

import io
import warnings
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from cranfield.web.app import create_app
from cranfield.web.limits import MB, Limits
from cranfield.web.security import OWN_HOSTS, Access
from web_page import scores

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of packages behind it
    schemathesis = pytest.importorskip(
        "schemathesis", reason="schemathesis is not installed; pip install 'cranfield[dev]'"
    )

app = create_app(Access(OWN_HOSTS | {"testserver"}), Limits(upload=2 * MB, datasets=3, patience=20.0))
app.state.service.jobs.limits = Limits(waiting=10**6)
KNOWN = app.state.service.store.add([("past.AP.csv", io.BytesIO(scores(topics=8).encode()), 1)]).id
CHECKS = [
    schemathesis.checks.not_a_server_error,
    schemathesis.checks.status_code_conformance,
    schemathesis.checks.content_type_conformance,
    schemathesis.checks.response_schema_conformance,
]


async def standing(scope: Any, receive: Any, send: Any) -> None:
    """The application without its end: the client starts and ends it with every request, data and all."""
    if scope["type"] == "lifespan":
        for stage in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{stage}.complete"})
    else:
        await app(scope, receive, send)


schema = schemathesis.openapi.from_asgi("/api/openapi.json", standing)
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Any:
    yield
    app.state.service.close()


@schema.parametrize()
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_request_is_a_server_error(case: Any) -> None:
    # Half of the questions are about data that exists, with few resamples: else most would end at the first check.
    every = 10 if case.path == "/api/report" else 2  # a report takes a process of its own
    if isinstance(case.query, dict) and "data" in case.query and len(str(case.query)) % every == 1:
        case.query["data"] = KNOWN
        case.query |= {"resamples": 50} if case.path != "/api/design" else {}
        case.query |= {"splits": 2} if case.path in ("/api/replicates", "/api/report") else {}
    case.call_and_validate(checks=CHECKS)
