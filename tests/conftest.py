"""The shared test database, and the rules every test runs under.

One template database per set of migrations is built once and kept (two tenants in it: acme, beta); each process
clones its own from it in some 100 ms, so several test runs may go on at once in one checkout.

`tenant`        inside acme, in a transaction that is rolled back: the default for whatever needs rows
`other_tenant`  the slug of beta, for what must not be seen
`fresh_tenant`  the slug of a new tenant with committed data, dropped at the end (`--keep-tenant` keeps it where the
test failed) `committed_db`  real commits in this process's database, which is cloned anew afterwards
`database_url`  the address of this process's database, for the environment of a worker or a web server
"""

import gc
import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from ratiba_eval.logs import JsonLinesFile
from tests.databases import TestDatabase, url_of

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job: programs of tests would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)


pytest_plugins = ["tests.shared_data", "tests.tiers"]
# A machine with more to do than processors draws slowly: that says nothing about a property.
hypothesis_settings.register_profile("ratiba", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("ratiba")
_FAILED = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--keep-tenant", action="store_true", help="keep the fresh tenant of a failed test, and print its schema"
    )


def pytest_configure(config: pytest.Config) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # sign-in is not what is slow here
    settings.TENANT_LOOKUP_S = 0.0  # tests roll tenants back
    settings.MIDDLEWARE = ["tests.page_markup.PageMarkup", *settings.MIDDLEWARE]
    folder = Path(tempfile.mkdtemp(prefix="ratiba-test-log-"))
    config.add_cleanup(partial(shutil.rmtree, folder, ignore_errors=True))
    for handler in logging.getLogger().handlers:
        if isinstance(handler, JsonLinesFile):
            handler.path = folder / handler.path.name
    _watch_the_network()
    _scan_static_files_once()


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Hundreds of MB of modules and tests stay till the end: garbage is looked for in what tests make alone."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


def _scan_static_files_once() -> None:
    """Each test client builds the middleware anew, and whitenoise then looks at every static file: 60 ms a client."""
    from whitenoise.middleware import WhiteNoiseMiddleware  # noqa: PLC0415 - only once the suite is configured

    scan, found = WhiteNoiseMiddleware.add_files_from_finders, {}

    def add_files_from_finders(self) -> None:
        if self.static_prefix not in found:
            scan(self)
            found[self.static_prefix] = dict(self.files)
        self.files.update(found[self.static_prefix])

    WhiteNoiseMiddleware.add_files_from_finders = add_files_from_finders


# --- No network inside a transaction ----------------------------------------------------------------------------------
def transaction_of_ours() -> bool:
    """Whether this thread is inside a transaction that the code under test opened (not the one around the test)."""
    return any(not getattr(block, "_from_testcase", False) for block in getattr(connection, "atomic_blocks", ()))


_watching = threading.local()


def _watch_the_network() -> None:
    """Law 10, for every test: a socket or httpx raises inside a transaction. libpq's own sockets are not Python's."""

    def on_event(event: str, arguments: tuple[object, ...]) -> None:
        if event == "socket.connect" and not getattr(_watching, "busy", False):
            _refuse_in_transaction(f"connect to {arguments[1]!r}")

    sys.addaudithook(on_event)
    import httpx  # noqa: PLC0415 - only once the suite is configured

    for owner in (httpx.Client, httpx.AsyncClient):
        sent = owner.send

        def send(self, request, *args, _sent=sent, **kwargs):
            _refuse_in_transaction(f"{request.method} {request.url.host}")
            return _sent(self, request, *args, **kwargs)

        owner.send = send


def _refuse_in_transaction(what: str) -> None:
    _watching.busy = True  # asking the connection may itself open one
    try:
        inside = transaction_of_ours()
    finally:
        _watching.busy = False
    if inside:
        raise RuntimeError(f"network inside a transaction: {what}")


# --- Databases --------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="session")
def django_db_setup(django_test_environment, django_db_blocker, request) -> Iterator[TestDatabase]:
    worker = getattr(request.config, "workerinput", {}).get("workerid", "main")
    with django_db_blocker.unblock():
        database = TestDatabase.make(worker)
        yield database
        database.drop()


@pytest.fixture
def database_url(django_db_setup) -> str:
    return url_of(connection.settings_dict)


@pytest.fixture(autouse=True)
def schema_is_restored() -> Iterator[None]:
    """A test that leaves its schema behind would run the next one in it."""
    yield
    left = getattr(connection, "schema_name", "public")
    if left != "public":
        connection.set_schema_to_public()
        pytest.fail(f"the test left schema {left!r} behind")


@pytest.fixture(autouse=True)
def nobody_is_listed(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Identity lists are read once in seconds, tests roll back: only those that ask for `identity_list` read one."""
    if "identity_list" not in request.fixturenames:
        monkeypatch.setattr("apps.core.listed_names._sources", [])


@pytest.fixture
def identity_list() -> Iterator[None]:
    from apps.production.privacy.services import identity_list as read  # noqa: PLC0415 - as below

    read._read.clear()
    yield
    read._read.clear()


@pytest.fixture
def tenant(db) -> Iterator[str]:
    from apps.tenants.context import in_tenant  # noqa: PLC0415 - apps are loaded once pytest-django has set them up

    with in_tenant("acme") as slug:
        yield slug


@pytest.fixture
def other_tenant(db) -> str:
    return "beta"


@pytest.fixture
def committed_db(django_db_setup, django_db_blocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        yield
        django_db_setup.reset()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        item.stash[_FAILED] = True
    return report


@pytest.fixture
def fresh_tenant(django_db_setup, django_db_blocker, request) -> Iterator[str]:
    from apps.tenants import services  # noqa: PLC0415 - see `tenant`

    with django_db_blocker.unblock():
        made = services.add_ephemeral_tenant(
            label=f"{os.environ.get('PYTEST_XDIST_WORKER', 'main')}-{request.node.name}"
        )
        yield made.slug
        if request.config.getoption("--keep-tenant") and request.node.stash.get(_FAILED, False):
            django_db_setup.keep = True
            print(f"\nkept: schema {made.schema_name} in database {connection.settings_dict['NAME']}")
            return
        services.delete_tenant(slug=made.slug)
