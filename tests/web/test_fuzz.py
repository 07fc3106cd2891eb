"""Whatever the API's own description allows, and what it does not: no answer is a server error."""

from __future__ import annotations

import io
import warnings
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import support
from cranfield.web.server.app import create_app
from cranfield.web.server.security import MB, OWN_HOSTS, Access, Limits
from web_page import HERE, Client, scores

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
schema.config.phases.coverage.enabled = support.THOROUGH  # thousands of requests at the limits of every parameter
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Any:
    yield
    app.state.service.close()


@schema.parametrize()
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_request_is_a_server_error(case: Any) -> None:
    # Half of the questions are about data that exists, with few resamples: else most would end at the first check.
    every = 10 if case.path == "/api/report" else 2  # a report takes a process of its own
    if isinstance(case.query, dict) and "data" in case.query and len(str(case.query)) % every == 1:
        case.query["data"] = KNOWN
        case.query |= {"resamples": 50} if case.path != "/api/design" else {}
        case.query |= {"trials": 10, "topics": 20} if case.path.startswith("/api/simulate") else {}
        case.query |= {"pilots": 2} if case.path == "/api/simulate/design" else {}
        case.query |= {"splits": 2} if case.path in ("/api/replicates", "/api/report") else {}
    case.call_and_validate(checks=CHECKS)


def powers_of_ten(low: int, high: int) -> st.SearchStrategy[str]:
    return st.floats(low, high).map(lambda power: f"{10**power:.6g}")


@given(
    kind=st.sampled_from(["anova", "ttest", "interval"]),
    find=st.sampled_from(["", "topics", "min_diff", "power", "systems", "width"]),
    variance=powers_of_ten(-9, 9),
    systems=st.sampled_from(["2", "3", "10", "1000", "999999"]),
    min_diff=powers_of_ten(-9, 9),
    width=powers_of_ten(-9, 9),
    topics=st.sampled_from(["2", "3", "50", "999999"]),
    power=st.sampled_from(["0.000001", "0.05", "0.8", "0.999999"]),
    alpha=st.sampled_from(["0.000000001", "0.05", "0.5", "0.999999"]),
    published=st.booleans(),
    two_sample=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_every_design_is_answered_or_refused_in_words(**drawn: Any) -> None:
    question = {name: str(value).lower() for name, value in drawn.items()}
    with Client(standing, base_url=HERE) as client:
        answer = client.get("/api/design", params=question)
        page = client.get("/design", params=question)
    assert answer.status_code in (200, 400), answer.text
    assert page.status_code == answer.status_code
    body = answer.json()  # JSON has no NaN and no infinity
    assert body["rows"] if answer.status_code == 200 else body["error"]
