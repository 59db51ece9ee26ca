"""A real web server in front: large bodies are refused without being kept, however they are sent."""

from collections.abc import Iterator

import httpx
import pytest

from tests.api.door import evaluation, stock

MIB = 1024 * 1024


@pytest.fixture
def client(server: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server, headers={"host": "acme.localhost"}, timeout=20) as client:
        yield client


def test_six_mebibytes_are_413_in_problem_json(client: httpx.Client) -> None:
    answer = client.post("/api/v1/evaluations/", content=b"x" * 6 * MIB)
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_body_in_chunks_is_cut_off(client: httpx.Client) -> None:
    answer = client.post("/api/v1/evaluations/", content=(b"x" * MIB for _ in range(8)))
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


def test_what_fits_is_served_and_keys_work(client: httpx.Client, committed_db: None) -> None:
    bearer, _ = stock("acme")
    headers = {"authorization": f"Bearer {bearer}"}
    answer = client.post("/api/v1/evaluations/", json=evaluation(), headers=headers)
    assert answer.status_code == 202, answer.text
    status = client.get(httpx.URL(answer.json()["status_url"]).path, headers=headers)
    assert status.json()["status"] == "pending"
    chunked = client.post("/api/v1/evaluations/", content=iter([b"{}"]), headers=headers)
    assert chunked.status_code == 415, "no media type was named"


def test_addresses_outside_the_api_have_djangos_own_limits(client: httpx.Client) -> None:
    assert client.post("/admin/login/", content=b"x" * 6 * MIB).status_code != 413
