"""A real web server in front: what is too large is refused unkept, and a rush opens few connections."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.db import connection

from tests.api.api_client import evaluation, stock

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


def backends() -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return {pid for (pid,) in cursor.fetchall()}


def test_a_rush_waits_its_turn_and_opens_few_connections(client: httpx.Client, committed_db: None) -> None:
    bearer, _ = stock("acme")
    headers = {"authorization": f"Bearer {bearer}"}

    def post(number: int) -> Any:
        key = {"idempotency-key": f"rush-{number}"}
        return client.post("/api/v1/evaluations/", json=evaluation(), headers=headers | key)

    with ThreadPoolExecutor(40) as pool:
        statuses = Counter(answer.status_code for answer in pool.map(post, range(120)))
    assert statuses == {202: 120}
    assert len(backends()) <= settings.WEB_THREADS
