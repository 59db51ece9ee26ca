"""Two stocked tenants and a door to each. Everything is rolled back."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection

from tests.api.api_client import Door, stock
from tests.databases import url_of


@pytest.fixture(autouse=True)
def empty_cache() -> Iterator[None]:
    """Throttles and knocks count in it."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def acme(db: None) -> Door:
    door = Door("acme")
    door.bearer, door.secret = stock("acme")
    return door


@pytest.fixture
def beta(db: None) -> Door:
    door = Door("beta")
    door.bearer, door.secret = stock("beta")
    return door


@pytest.fixture(scope="module")
def server(django_db_setup, django_db_blocker) -> Iterator[str]:
    """The address of a real web server on this process's database; what it is to see must be committed."""
    with django_db_blocker.unblock():
        address = url_of(connection.settings_dict)
    with web_server(address) as (url, _):
        yield url


@contextmanager
def web_server(database_url: str) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """A real web server on this database: its address, and its process."""
    argv = [sys.executable, "-m", "ratiba_eval.web", "--port", "0"]
    own = {"DATABASE_URL": database_url, "SECRET_KEY": settings.SECRET_KEY, "RATIBA_FIELD_KEY": settings.FIELD_KEY}
    process = subprocess.Popen(argv, env=os.environ | own, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    port = next(found[1] for line in process.stdout if (found := re.search(r"http://127\.0\.0\.1:(\d+)", line)))
    try:
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.terminate()
        process.communicate(timeout=10)
