"""Pages in headless chromium: none breaks its policy or logs an error, and axe-core finds nothing in our markup.

Skipped, saying so, only where no chromium is installed; axe-core comes with the development requirements.
"""

from collections.abc import Iterator

import pytest

from tests.api.conftest import server  # noqa: F401 - the fixture
from tests.doors.browser import CHROMIUM, Chromium, violations
from tests.doors.world import World, make_world

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here")

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
    "version": "/configs/{catalog.evaluatorconfigversion}/",
    "publishing": "/configs/{catalog.evaluatorconfigversion}/publish/",
    "packs": "/packs/",
    "settings": "/settings/",
    "prompt": "/prompts/{catalog.promptversion}/",
    "agent's test": "/agents/{catalog.agent}/check/",
    "new key": "/admin/api/apikey/add/",
    "trail": "/admin/audit/entry/",
    "change": "/admin/audit/entry/{audit.entry}/change/",
    "parts": "/design/",
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
def chromium(server: str) -> Iterator[Chromium]:  # noqa: F811 - the fixture
    browser = Chromium(server)
    yield browser
    browser.close()


def session_of(world: World, caller: str) -> str:
    return world.callers[caller][0]["sessionid"].value


def filled(path: str, world: World) -> str:
    for model, pk in world.rows.items():
        path = path.replace(f"{{{model}}}", str(pk))
    return path


LOOKS = [(name, False) for name in [*PAGES, *FOREIGN]] + [(name, True) for name in PAGES]


@pytest.mark.parametrize("name, dark", LOOKS, ids=[f"{name}{', dark' * dark}" for name, dark in LOOKS])
def test_a_page_breaks_no_policy_logs_no_error_and_can_be_used(name, dark, chromium, world) -> None:
    path = filled({**PAGES, **FOREIGN}[name], world)
    session = session_of(world, "owner")
    work = violations if name in PAGES else str
    found, complaints = chromium.visit("acme.localhost", path, work, session=session, dark=dark)
    assert complaints == []
    if name in PAGES:
        assert found == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", OF_THE_PLATFORM)
def test_so_does_no_page_of_the_platform(name, dark, chromium, world) -> None:
    path = filled(OF_THE_PLATFORM[name], world)
    session = session_of(world, "platform admin")
    assert chromium.visit("platform.localhost", path, violations, session=session, dark=dark) == ([], [])
