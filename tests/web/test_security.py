"""Who may ask and how much they may send."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from cranfield.core.errors import ArgumentError
from cranfield.web.server.app import create_app
from cranfield.web.server.security import HEADERS, Access, Limits
from cranfield.web.server.serve import access_for, announcement
from web_page import HERE, Client, scores

FOREIGN = "another website sent this request. Open the address directly."


@pytest.fixture(scope="module")
def remote() -> Iterator[Client]:
    """A server for other machines, with a token."""
    access = Access(None, "secret", frozenset({"https://track.example"}))
    with Client(create_app(access), base_url="http://lab.example", follow_redirects=False) as asked:
        yield asked


def test_every_answer_carries_the_protective_headers(client: Client) -> None:
    for address in ("/", "/design", "/static/page.css", "/api/data", "/nowhere", "/api/nowhere"):
        answer = client.get(address)
        for name in HEADERS:
            assert name in answer.headers, (address, name)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


def test_pages_fetch_nothing_from_elsewhere(client: Client) -> None:
    for address in ("/", "/design", "/data", "/compare", "/api", "/nowhere"):
        page = client.get(address).text
        assert re.findall(r"(?:src|href|action)=\"(?:https?:)?//", page) == []
        assert " style=" not in page
        assert " onclick=" not in page


def test_a_foreign_host_name_gets_nothing(client: Client) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example:8377", "localhost.evil.example", ""):
        answer = client.get("/api/data", headers={"host": host})
        assert answer.status_code == 421
    for host in ("localhost", "localhost:8377", "127.0.0.1:99", "[::1]:8377"):
        assert client.get("/api/data", headers={"host": host}).status_code == 200


def test_other_websites_can_neither_send_nor_start_anything(client: Client) -> None:
    files = {"files": ("a.csv", scores())}
    for headers in (
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ):
        answer = client.post("/api/data", files=files, headers=headers)
        assert (answer.status_code, answer.json()) == (403, {"error": FOREIGN})
        assert client.post("/jobs/1/cancel", headers=headers).status_code == 403
        assert client.delete("/api/data/sample", headers=headers).status_code == 403
    image = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert client.get("/compare?data=sample", headers=image).status_code == 403
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("/design", headers=link).status_code == 200
    own = {"origin": HERE, "sec-fetch-site": "same-origin"}
    assert client.post("/api/data", files=files, headers=own).status_code == 201


LINK = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
REPORT = "/report?data=sample&resamples=100&start=yes"


@pytest.fixture
def fresh() -> Iterator[Client]:
    """A server nobody has asked anything."""
    with Client(create_app(limits=Limits(patience=0.0)), base_url=HERE, follow_redirects=False) as asked:
        yield asked


def jobs(client: Client) -> list[str]:
    return [job.title for job in client.app.state.service.jobs._jobs.values()]  # type: ignore[attr-defined]


@pytest.mark.parametrize("frame", ["iframe", "frame", "embed", "object"])
def test_a_frame_on_another_site_gets_nothing(fresh: Client, frame: str) -> None:
    for site in ("cross-site", "same-site"):
        headers = {**LINK, "sec-fetch-site": site, "sec-fetch-dest": frame}
        for address in (REPORT, "/", "/compare?data=sample", "/files/compare/systems.csv?data=sample", "/api"):
            answer = fresh.get(address, headers=headers)
            assert (answer.status_code, FOREIGN[1:] in answer.text) == (403, True)
    assert jobs(fresh) == []


@pytest.mark.parametrize(
    "headers",
    [
        LINK,
        {**LINK, "sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site"},
        {"referer": "https://evil.example/page"},
        {"referer": "http://127.0.0.1:1/"},
        {"referer": "http://127.0.0.1.evil.example/"},
    ],
)
def test_a_link_on_another_site_starts_nothing(fresh: Client, headers: dict[str, str]) -> None:
    for address in (REPORT, "/compare?data=sample", "/replicates?data=sample&start=yes", "/reliability?data=sample"):
        answer = fresh.get(address, headers=headers)
        assert answer.status_code == 200
        assert "A link on another website led here, so nothing was started." in answer.text
        assert "data-job=" not in answer.text
    file = fresh.get("/files/compare/pairs.csv?data=sample", headers=headers)
    assert file.status_code == 403
    assert "nothing was started" in file.text
    assert fresh.get("/api/compare?data=sample", headers=headers).status_code == 403
    assert jobs(fresh) == []
    assert "nothing was started" not in fresh.get("/design?variance=0.05&systems=5&min_diff=0.1", headers=headers).text


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"},
        {"sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"},
        {"referer": f"{HERE}/report"},
        {"sec-fetch-site": "same-origin", "referer": "https://evil.example/"},
    ],
)
def test_the_page_itself_and_a_typed_address_start_work(fresh: Client, headers: dict[str, str]) -> None:
    answer = fresh.get("/compare?data=sample", headers=headers)
    assert answer.status_code == 200
    assert len(jobs(fresh)) == 1


def test_a_link_shows_what_is_known_already(client: Client) -> None:
    address = "/compare?data=sample&resamples=150"
    assert "nothing was started" in client.get(address, headers=LINK).text
    own = client.get(address)
    assert client.get(address, headers=LINK).text == own.text


def test_no_answer_may_be_framed(client: Client) -> None:
    for address in ("/", "/design", "/nowhere", "/api/data", "/files/compare/pairs.csv?data=sample&resamples=150"):
        headers = client.get(address).headers
        assert headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_every_request_from_elsewhere_must_carry_the_token(remote: Client) -> None:
    said = "A token is required. Open the address that the server printed.\n"
    for address in ("/", "/static/page.css", "/design", "/data"):
        assert (remote.get(address).status_code, remote.get(address).text) == (401, said)
    for address in ("/api/data", "/api/openapi.json"):
        assert remote.get(address).status_code == 401
    assert remote.post("/data", files={"files": ("a.csv", scores())}).status_code == 401
    for wrong in ("", "Secret", "secret ", "sécret"):
        assert remote.get("/api/data", params={"token": wrong}).status_code == 401
    assert remote.get("/api/data", headers={"authorization": "Bearer secret"}).status_code == 200
    assert remote.get("/api/data", headers={"authorization": "Basic secret"}).status_code == 401
    assert remote.get("/api/data?token=secret").status_code == 200
    assert remote.get("/api/design?token=secret&variance=0.05&systems=5&min_diff=0.1").status_code == 200


def test_the_token_moves_from_the_address_into_a_cookie(remote: Client) -> None:
    answer = remote.get("/design?kind=ttest&token=secret&power=0.9")
    assert (answer.status_code, answer.headers["location"]) == (303, "/design?kind=ttest&power=0.9")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert remote.get("/design").status_code == 200
    remote.cookies.clear()
    assert remote.get("/design").status_code == 401


@pytest.mark.parametrize("path", ["//evil.example/", "///evil.example/a", "/\\evil.example/", "//evil.example//data"])
def test_the_token_never_leads_to_another_host(remote: Client, path: str) -> None:
    answer = remote.get(f"http://lab.example{path}?token=secret")
    assert answer.status_code == 303
    assert re.match(r"/(?![/\\])", answer.headers["location"]), answer.headers["location"]
    remote.cookies.clear()


def test_other_accounts_of_the_machine_are_kept_out_by_a_token() -> None:
    access = access_for("127.0.0.1", False, (), True)
    with Client(create_app(access), base_url=HERE) as asked:
        assert asked.get("/api/data").status_code == 401
        assert asked.get(f"/data?token={access.token}").status_code == 200
    told = announcement("http://127.0.0.1:8377/?token=t", "t")
    assert "other accounts can reach it with this address only" in told
    assert "add --token" in announcement("http://127.0.0.1:8377/", None)


def test_a_named_website_may_call_the_api_and_nothing_else(remote: Client) -> None:
    track = {"origin": "https://track.example", "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"}
    key = {"authorization": "Bearer secret"}
    answer = remote.get("/api/data", headers=track | key)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, "https://track.example")
    assert remote.options("/api/data", headers=track).status_code == 204
    assert remote.get("/api/data", headers=track).status_code == 401
    assert remote.post("/data", headers=track | key).status_code == 403
    other = {**track, "origin": "https://other.example"}
    assert remote.get("/api/data", headers=other | key).status_code == 403


def test_too_much_is_refused_whatever_its_length_says(client: Client) -> None:
    told = "the request is larger than 5 MB. Send fewer files at once, or compress them (.gz, .zip)."
    answer = client.post("/api/data", headers={"content-length": str(10**9), "content-type": "multipart/form-data"})
    assert (answer.status_code, answer.json()) == (413, {"error": told})

    def endless() -> Iterator[bytes]:
        yield b'--x\r\ncontent-disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'
        for _ in range(200):
            yield b"0" * 100_000

    kind = {"content-type": "multipart/form-data; boundary=x"}
    answer = client.post("/api/data", content=endless(), headers=kind)
    assert (answer.status_code, answer.json()) == (413, {"error": told})
    answer = client.post("/data", content=endless(), headers=kind)
    assert answer.status_code == 413
    assert told[1:] in answer.text


def test_a_huge_field_and_odd_forms_are_refused(client: Client) -> None:
    answer = client.post("/api/data", files={"files": ("a.csv", scores())}, data={"missing": "x" * 1_000_000})
    assert (answer.status_code, answer.json()) == (400, {"error": "Part exceeded maximum size of 62KB."})
    many = [("files", (f"{i}.csv", b"x")) for i in range(41)]
    assert client.post("/api/data", files=many).status_code == 400
    assert (
        client.post("/api/data", content=b"nonsense", headers={"content-type": "multipart/form-data"}).status_code
        == 400
    )
    assert client.post("/api/data", json={"files": []}).status_code == 400
    answer = client.post("/api/data", files={"files": ("a.csv", scores())}, data={"missing": "guess"})
    assert answer.json() == {"error": "`missing` must be error, zero or drop-topic; got 'guess'."}
    assert client.post("/jobs/1/cancel", content=b"x" * 100_000).status_code == 413


def test_only_this_machine_unless_that_is_meant() -> None:
    for host in ("127.0.0.1", "localhost", "::1", "127.1.2.3"):
        assert access_for(host, False).token is None
    for host in ("0.0.0.0", "::", "192.168.1.4", "lab.example"):
        with pytest.raises(ArgumentError) as caught:
            access_for(host, False)
        assert str(caught.value) == f"`host` {host} lets other machines connect. Add --allow-remote to allow that."
        access = access_for(host, True)
        assert access.hosts is None
        assert len(access.token or "") >= 32
    with pytest.raises(ArgumentError) as caught:
        access_for("127.0.0.1", False, ["https://a.example/path"])
    assert str(caught.value) == (
        "`allow_origin` must be a website's address without a path; got 'https://a.example/path'. Write https://example.org."
    )


def test_head_is_answered_like_get_without_a_body(client: Client, remote: Client) -> None:
    for address in (
        "/",
        "/design",
        "/data",
        "/compare?data=sample&resamples=150",
        "/api",
        "/api/data",
        "/static/page.css",
    ):
        head, whole = client.head(address), client.get(address)
        assert (head.status_code, head.content) == (whole.status_code, b"")
        assert head.headers["content-type"] == whole.headers["content-type"]
        assert head.headers["content-length"] == str(len(whole.content))
        assert head.headers["x-frame-options"] == "DENY"
    assert client.head("/nowhere").status_code == 404
    assert remote.head("/design").status_code == 401


def test_who_holds_the_address_is_told_what_it_opens() -> None:
    assert "can see, use and remove all data on the page" in announcement("http://lab.example/?token=t", "t")
    assert "all data" not in announcement("http://127.0.0.1:8377/", None)


def test_no_server_answers_to_all_without_a_token() -> None:
    with pytest.raises(ValueError, match="a server that answers to any host needs a token"):
        Access(None, None)


def test_data_goes_with_the_server() -> None:
    app = create_app(limits=Limits())
    with Client(app, base_url=HERE) as asked:
        asked.post("/api/data", files={"files": ("a.csv", scores())})
        place = app.state.service.store.path
        assert place.is_dir()
    assert not place.exists()


def test_cancelling_leads_back_to_this_server_only(client: Client) -> None:
    service = client.app.state.service  # type: ignore[attr-defined]
    for back, led in [
        ("/compare?data=x", "/compare?data=x&start=cancelled"),
        ("//evil.example", "/?start=cancelled"),
        ("https://e.x", "/?start=cancelled"),
    ]:
        job = service.jobs.ask(back, "t", lambda progress: None)
        job.wait(10)
        answer = client.post(f"/jobs/{job.id}/cancel", params={"back": back})
        assert (answer.status_code, answer.headers["location"]) == (303, led)
