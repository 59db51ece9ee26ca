"""A pooler that would mix tenants is found by itself and refused; one that keeps sessions apart is used."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from django.conf import settings
from django.db import OperationalError, connection
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from apps.tenants import session_probe
from apps.tenants.context import in_tenant
from apps.tenants.domain.sessions import MIXED, SessionLook, sessions_belong
from apps.tenants.errors import SessionsMixed
from apps.tenants.session_probe import probe
from tests.api.api_client import Door, evaluation, stock
from tests.api.conftest import web_server
from tests.databases import url_of
from tests.loopback.pgbouncer import connect, needs_pgbouncer, pgbouncer

MIXING: dict[str, dict[str, Any]] = {
    "one server connection": {"pool_mode": "transaction", "default_pool_size": 1},
    "many server connections": {"pool_mode": "transaction", "default_pool_size": 20},
    "many that are lent in turn": {"pool_mode": "transaction", "default_pool_size": 20, "server_round_robin": 1},
    "emptied after each transaction": {"pool_mode": "transaction", "server_reset_query_always": 1},
    "statement mode": {"pool_mode": "statement"},
}


def look(client: int, backend: int, marker: str | None) -> SessionLook:
    return SessionLook(client=client, backend=backend, marker=marker)


# --- the decision -----------------------------------------------------------------------------------------------------
@given(st.lists(st.integers(0, 1), max_size=12))
def test_clients_that_always_meet_their_own_sessions_pass(order: list[int]) -> None:
    own = [look(0, 10, "a"), look(1, 11, "b")]
    assert sessions_belong([*own, *(own[client] for client in order)])


@given(st.integers(0, 11), st.sampled_from([look(0, 10, None), look(0, 10, "b"), look(0, 12, "a"), look(1, 10, "a")]))
def test_one_look_that_differs_refuses_wherever_it_comes(place: int, other: SessionLook) -> None:
    looks = [look(0, 10, "a"), look(1, 11, "b")] * 6
    looks.insert(place, other)
    assert not sessions_belong(looks)


def test_two_clients_of_one_server_process_are_refused_though_each_reads_its_own() -> None:
    assert not sessions_belong([look(0, 10, "a"), look(1, 10, "b")])


def test_one_client_alone_proves_nothing() -> None:
    assert not sessions_belong([])
    assert not sessions_belong([look(0, 10, "a"), look(0, 10, "a")])


# --- real servers -----------------------------------------------------------------------------------------------------
def direct() -> Any:
    given = connection.get_connection_params()
    return psycopg.connect(**{name: given[name] for name in ("host", "port", "user", "dbname") if given.get(name)},
                           autocommit=True)  # fmt: skip


def test_postgres_itself_is_proven_by_four_statements(db: None) -> None:
    looks = probe(direct)
    assert sessions_belong(looks)
    assert len(looks) == 4


@needs_pgbouncer
@pytest.mark.parametrize("name", MIXING)
def test_a_pooler_that_shares_sessions_is_found(db: None, name: str) -> None:
    with pgbouncer(**MIXING[name]) as at:
        assert not sessions_belong(probe(partial(connect, at))), "its first clients"
        with _busy(at, clients=6 if MIXING[name].get("default_pool_size") != 1 else 0):
            for _ in range(20):
                assert not sessions_belong(probe(partial(connect, at))), "among others"


@needs_pgbouncer
@pytest.mark.parametrize("more", [{}, {"server_round_robin": 1}, {"server_reset_query_always": 1}], ids=str)
def test_session_mode_passes(db: None, more: dict[str, Any]) -> None:
    with pgbouncer(pool_mode="session", **more) as at, _busy(at, clients=6):
        for _ in range(20):
            assert sessions_belong(probe(partial(connect, at)))


@contextmanager
def _busy(at: Path, *, clients: int) -> Iterator[None]:
    """Other clients that take and give back sessions all the time."""
    over = False

    def work() -> None:
        with connect(at) as client:
            while not over:
                client.execute("SELECT pg_sleep(0.001)")

    with ThreadPoolExecutor(max(1, clients)) as pool:
        threads = [pool.submit(work) for _ in range(clients)]
        try:
            yield
        finally:
            over = True
            for one in threads:
                one.result(timeout=20)


# --- every door -------------------------------------------------------------------------------------------------------
@contextmanager
def through(at: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process's connection goes through the pooler, as in a process that has connected to nothing yet."""
    connection.close()
    monkeypatch.setattr(session_probe, "_proven", {})
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", str(at))
        patch.setitem(connection.settings_dict, "PORT", "6432")
        yield
        connection.close()


@needs_pgbouncer
def test_readyz_and_every_query_refuse_with_one_sentence(committed_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with pgbouncer(pool_mode="transaction") as at, through(at, monkeypatch):
        for _ in range(2):
            with pytest.raises(SessionsMixed, match="pool_mode = session"):
                connection.ensure_connection()
            assert connection.connection is None
        answer = Client().get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["checks"]["database"] == MIXED


@needs_pgbouncer
def test_a_pooler_is_proven_again_after_a_minute(committed_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with pgbouncer(pool_mode="session") as at, through(at, monkeypatch):
        connection.ensure_connection()
        connection.close()
    (address,) = session_probe._proven
    with pgbouncer(pool_mode="transaction") as at, through(at, monkeypatch):
        known = (str(at), *address[1:])
        monkeypatch.setattr(session_probe, "_proven", {known: time.monotonic() + 60})
        connection.ensure_connection()  # within the minute
        connection.close()
        monkeypatch.setattr(session_probe, "_proven", {known: time.monotonic()})
        with pytest.raises(SessionsMixed):
            connection.ensure_connection()


def test_djangos_own_pool_is_proven_once(committed_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg_pool")
    connection.close()
    monkeypatch.setattr(session_probe, "_proven", {})
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "OPTIONS", {**connection.settings_dict["OPTIONS"], "pool": True})
        for slug in ("acme", "beta", "acme"):
            with in_tenant(slug), connection.cursor() as cursor:
                cursor.execute("SELECT current_schema()")
                assert cursor.fetchone() == (f"t_{slug}",)
            connection.close()
        connection.close_pool()
    assert len(session_probe._proven) == 1


def test_no_second_connection_is_no_proof(committed_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**_: Any) -> Any:
        raise psycopg.OperationalError("sorry, too many clients already")

    connection.close()
    monkeypatch.setattr(session_probe, "_proven", {})
    with monkeypatch.context() as patch:
        patch.setattr("apps.tenants.session_probe.psycopg.connect", refused)
        with pytest.raises(OperationalError, match="too many clients"):
            connection.ensure_connection()
        assert connection.connection is None
    connection.ensure_connection()


def _own(url: str) -> dict[str, str]:
    return {"DATABASE_URL": url, "SECRET_KEY": settings.SECRET_KEY, "RATIBA_FIELD_KEY": settings.FIELD_KEY}


@needs_pgbouncer
@pytest.mark.parametrize(
    "mode, program",
    [
        ("transaction", ("-m", "ratiba_eval.web", "--port", "0")),
        ("statement", ("-m", "ratiba_eval.web", "--port", "0")),
        ("transaction", ("-m", "celery", "-A", "ratiba_eval.celery", "worker", "-Q", "control", "--pool", "solo")),
        ("transaction", ("manage.py", "start_run", "--tenant", "acme")),
        ("statement", ("manage.py", "upgrade")),
        ("transaction", ("manage.py", "migrate")),
    ],
    ids=["web-transaction", "web-statement", "worker", "start_run", "upgrade", "migrate"],
)
def test_web_workers_and_commands_do_not_start(committed_db: None, mode: str, program: tuple[str, ...]) -> None:
    with pgbouncer(pool_mode=mode) as at:
        url = url_of(connection.settings_dict | {"HOST": str(at), "PORT": "6432"})
        env = os.environ | _own(url) | {"CELERY_SKIP_CHECKS": "1"}
        done = subprocess.run([sys.executable, *program], env=env, cwd=settings.BASE_DIR, capture_output=True,
                              text=True, timeout=60, check=False)  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert done.stderr.strip().splitlines()[-1] == f"ratiba: {MIXED}"
    assert "Traceback" not in done.stderr


@needs_pgbouncer
def test_two_tenants_behind_session_mode_get_their_own_and_nothing_else(committed_db: None) -> None:
    doors = {slug: Door(slug, stock(slug)[0]) for slug in ("acme", "beta")}
    runs = {
        slug: door.post("evaluations/", evaluation(*(f"{slug}-{n}" for n in range(3)))).json()["test_run_id"]
        for slug, door in doors.items()
    }
    with pgbouncer(pool_mode="session", max_client_conn=100) as at:
        url = url_of(connection.settings_dict | {"HOST": str(at), "PORT": "6432"})
        with web_server(url) as (server, _), httpx.Client(base_url=server, timeout=30) as client:

            def read(number: int) -> tuple[str, int, list[str]]:
                slug = ("acme", "beta")[number % 2]
                answer = client.get(
                    f"/api/v1/test-runs/{runs[slug]}/conversations/",
                    headers={"Host": f"{slug}.localhost", "Authorization": f"Bearer {doors[slug].bearer}"},
                )
                rows = answer.json().get("results", ()) if answer.status_code == 200 else ()
                return slug, answer.status_code, [row["conversation_id"] for row in rows]

            with ThreadPoolExecutor(6) as six:
                answers = list(six.map(read, range(90)))
    assert {status for _, status, _ in answers} == {200}
    for slug, _, names in answers:
        assert sorted(names) == [f"{slug}-{n}" for n in range(3)]


def test_a_process_proves_an_address_once(committed_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    connection.close()
    monkeypatch.setattr(session_probe, "_proven", {})
    looks: list[int] = []

    def counted(connect: Any) -> Any:
        found = probe(connect)
        looks.append(len(found))
        return found

    monkeypatch.setattr(session_probe, "probe", counted)
    for _ in range(3):
        with in_tenant("acme"), connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        connection.close()
    assert looks == [4]
