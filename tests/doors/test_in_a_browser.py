"""Pages in headless chromium: none breaks its policy or logs an error, and axe-core finds nothing serious.

Skipped, saying so, where chromium or axe-core is missing: `npm install axe-core`, or RATIBA_AXE=path/to/axe.min.js.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.conftest import server  # noqa: F401 - the fixture
from tests.doors.browser import AXE, CHROMIUM, Proxy, look_at
from tests.doors.world import World, make_world

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium here"),
    pytest.mark.skipif(not AXE.exists(), reason=f"no axe-core at {AXE}: npm install axe-core, or set RATIBA_AXE"),
]

PAGES = {
    "sign-in": "/admin/login/",
    "home": "/admin/",
    "run": "/runs/{runs.testrun}/",
    "evaluation": "/evaluations/{evaluations.evaluation}/",
    "conversation": "/conversations/{runs.conversation}/",
    "usage": "/usage/",
    "list": "/admin/catalog/criterion/",
    "form": "/admin/catalog/agent/{catalog.agent}/change/",
    "person": "/admin/auth/user/{auth.user}/change/",
    "comparison": "/comparisons/",
    "calibration": "/calibration/",
    "labelling": "/labelling/",
    "start": "/runs/start/",
    "import": "/catalog/import/",
    "version": "/admin/catalog/evaluatorconfigversion/{catalog.evaluatorconfigversion}/change/",
    "trail": "/admin/audit/entry/",
    "change": "/admin/audit/entry/{audit.entry}/change/",
    "history": "/admin/catalog/agent/{catalog.agent}/history/",
}
OF_THE_PLATFORM = {
    "platform": "/admin/",
    "tenants": "/admin/tenants/tenant/",
    "tenant": "/admin/tenants/tenant/{public tenants.tenant}/change/",
    "host names": "/admin/tenants/tenant/{public tenants.tenant}/hosts/",
    "first owner": "/admin/tenants/tenant/{public tenants.tenant}/owner/",
    "workers": "/admin/health/",
}
FOREIGN = {"api docs": "/api/v1/docs/"}  # Swagger UI's own contrast is not ours to mend: the policy alone is looked at


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker) -> Iterator[World]:
    with django_db_blocker.unblock():
        yield make_world()
        django_db_setup.reset()


@pytest.fixture(scope="module")
def owner(world: World, server: str) -> Iterator[Proxy]:  # noqa: F811 - the fixture
    session = world.callers["owner"][0]["sessionid"].value
    proxy = Proxy(server, "acme.localhost", f"sessionid={session}")
    yield proxy
    proxy.shutdown()


@pytest.fixture(scope="module")
def operator(world: World, server: str) -> Iterator[Proxy]:  # noqa: F811 - the fixture
    session = world.callers["platform admin"][0]["sessionid"].value
    proxy = Proxy(server, "platform.localhost", f"sessionid={session}")
    yield proxy
    proxy.shutdown()


LOOKS = [(name, False) for name in [*PAGES, *FOREIGN]] + [(name, True) for name in PAGES]


@pytest.mark.parametrize("name, dark", LOOKS, ids=[f"{name}{', dark' * dark}" for name, dark in LOOKS])
def test_a_page_breaks_no_policy_logs_no_error_and_can_be_used(name, dark, owner, world, tmp_path: Path) -> None:
    path = {**PAGES, **FOREIGN}[name]
    for model, pk in world.rows.items():
        path = path.replace(f"{{{model}}}", str(pk))
    looked = look_at(f"{owner.address}{path}", tmp_path, dark=dark)
    assert looked["found"] == []
    if name in PAGES:
        assert looked["axe"] == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", OF_THE_PLATFORM)
def test_so_does_no_page_of_the_platform(name, dark, operator, world, tmp_path: Path) -> None:
    path = OF_THE_PLATFORM[name].replace("{public tenants.tenant}", str(world.rows["public tenants.tenant"]))
    looked = look_at(f"{operator.address}{path}", tmp_path, dark=dark)
    assert looked == {"found": [], "axe": []}
