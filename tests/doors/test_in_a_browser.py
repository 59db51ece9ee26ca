"""Pages in headless chromium: none breaks its policy or logs an error, and axe-core finds nothing in our markup.

Skipped, saying so, only where no chromium is installed; axe-core comes with the development requirements.
"""

import re
from collections.abc import Iterator

import pytest

from apps.dashboard.navigation import _PLACES
from apps.production.conversations.domain.ratings import Rating
from apps.production.intake.services.conversations import take_conversation
from apps.production.intake.services.feedback import rate_conversation
from apps.runs.models import Conversation
from apps.tenants.context import in_tenant
from tests.api.conftest import server  # noqa: F401 - the fixture
from tests.dashboard.matrix_samples import mixed_evaluation
from tests.dashboard.prompt_samples import make_prompt_matrix
from tests.dashboard.test_comparison_doors import CASES, played
from tests.doors.addresses import all_addresses
from tests.doors.browser import CHROMIUM, NARROW, WIDE, Chromium, violations
from tests.doors.expectations import expected
from tests.doors.queue_rows import make_disputed_queue
from tests.doors.world import DOCUMENT, MARK, NOW, World, make_world
from tests.improvement.trial_rows import decided_row

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here")

PAGES = {
    "sign-in": "/admin/login/",
    "home": "/admin/",
    "run": "/runs/{runs.testrun}/",
    "evaluation": "/evaluations/{evaluations.evaluation}/",
    "conversation": "/conversations/{runs.conversation}/",
    "usage": "/usage/",
    "saved views": "/views/",
    "search": "/search/?q=kesho",
    "list": "/admin/catalog/criterion/",
    "form": "/admin/catalog/agent/{catalog.agent}/change/",
    "person": "/admin/auth/user/{auth.user}/change/",
    "comparison": "/comparisons/",
    "trends": "/trends/",
    "calibration": "/calibration/",
    "labelling": "/labelling/",
    "start": "/runs/start/",
    "start of replays": "/runs/start/?kind=replay",
    "import": "/catalog/import/",
    "version": "/configs/{catalog.evaluatorconfigversion}/",
    "publishing": "/configs/{catalog.evaluatorconfigversion}/publish/",
    "packs": "/packs/",
    "try your agent": "/try/",
    "settings": "/settings/",
    "list of settings": "/settings/list/",
    "prompt": "/prompts/{catalog.promptversion}/",
    "prompts compared": "/workshop/compare/?first={live prompt}&v={draft prompt}&v={unplayed prompt}",
    "pairs of prompts": "/workshop/compare/pairs/?first={live prompt}&v={draft prompt}&of={draft prompt}",
    "agent's test": "/agents/{catalog.agent}/check/",
    "Langfuse's test": "/langfuse/{production.langfusesource}/check/",
    "receiver's test": "/otlp/{production.otlpreceiver}/check/",
    "provider's test": "/providers/{catalog.modelprovider}/check/",
    "new key": "/admin/api/apikey/add/",
    "trail": "/admin/audit/entry/",
    "change": "/admin/audit/entry/{audit.entry}/change/",
    "history": "/admin/catalog/agent/{catalog.agent}/history/",
    "matrix": "/evaluations/{judged}/matrix/",
    "matrix of a criterion": "/evaluations/{judged}/matrix/?criterion=tone&having=fail",
    "matrix's menu": "/evaluations/{judged}/matrix/filters/",
    "cell": "/evaluations/{judged}/matrix/{judged conversation}/?criterion=tone",
    "slices": "/evaluations/{judged}/slices/",
    "judged evaluation": "/evaluations/{judged}/",
    "judged run": "/runs/{judged run}/",
    "bench": "/conversations/{judged conversation}/?evaluation={judged}",
    "model calls of a conversation": "/conversations/{judged conversation}/calls/",
    "analysis": "/evaluations/{judged}/analysis/",
    "report": "/runs/{runs.testrun}/report/",
    "summary of a report": "/runs/{runs.testrun}/report/summary/",
    "compared": "/comparisons/?a={before}&b={after}&now=1",
    "pair": "/comparisons/pair/?a={before}&b={after}&right={after conversation}",
    "columns": "/comparisons/?cases=1&e={before}&e={after}",
    "gate": "/gates/{gates.pullrequestgate}/",
    "production": "/production/",
    "real conversation": "/conversations/{real conversation}/",
    "candidates": "/production/candidates/",
    "anchors": "/production/anchors/",
    "candidate": "/production/candidates/{production.promotion}/",
    "rollouts": "/production/rollouts/",
    "rollout": "/production/rollouts/{production.rollout}/",
    "rollout to be started": "/production/rollouts/start/?role={mark}line",
    "alerts": "/alerts/",
    "erasures": "/erasures/",
    "erasure": "/erasures/{erasure.erasure}/",
    "names to be masked": "/production/people/import/",
    "tests of other tools": "/catalog/import-from/",
    "prompt to be improved": "/evaluations/{evaluations.evaluation}/improve/",
    "optimization": "/workshop/optimizations/{improvement.optimization}/",
    "workshop": "/workshop/",
    "draft to be written": "/workshop/new/?prompt={mark}line",
    "draft": "/workshop/drafts/{improvement.promptdraft}/",
    "trial": "/workshop/trials/{improvement.trial}/",
    "decided trial": "/workshop/trials/{decided trial}/",
    "draft to be tried": "/workshop/drafts/{improvement.promptdraft}/trials/new/",
    "evaluators": "/comparisons/?run={judged run}",
    "playground to be asked": "/workshop/playground/new/?conversation={judged conversation}",
    "failure modes": "/failure-modes/",
    "failure mode": "/failure-modes/{improvement.failuremode}/",
    "playground": "/workshop/playground/{improvement.playground}/",
    "queues": "/labelling/queues/",
    "queue": "/labelling/queues/{queue}/",
    "queue to be made": "/labelling/queues/new/",
    "snapshots": "/snapshots/",
    "snapshot": "/snapshots/{gates.snapshotreview}/",
    "golden session": "/goldens/{catalog.goldensession}/",
    "personas": "/admin/catalog/persona/",
    "personas to be written": "/personas/generate/",
    "set of personas": "/personas/generations/{catalog.personageneration}/",
    "persona": "/personas/{catalog.persona}/",
    "persona's form": "/admin/catalog/persona/{catalog.persona}/change/",
    "capture": "/agents/{catalog.agent}/capture/",
    "import of conversations": "/conversations/import/",
    "try": "/configs/{catalog.evaluatorconfigversion}/try/",
    "versions compared": "/configs/{catalog.evaluatorconfigversion}/compare/",
}
OF_THE_PLATFORM = {
    "platform": "/admin/",
    "tenants": "/admin/tenants/tenant/",
    "tenant": "/admin/tenants/tenant/{public tenants.tenant}/change/",
    "host names": "/admin/tenants/tenant/{public tenants.tenant}/hosts/",
    "first owner": "/admin/tenants/tenant/{public tenants.tenant}/owner/",
    "workers": "/admin/health/",
}
# Answered as files, or as pages above with a row that only labelling makes (tests/dashboard/test_calibration_pages.py);
# what the dialog of Ctrl+K holds, and the former address of the slices.
OTHERWISE = re.compile(
    r"export/|patch/|<str:name>|human_labelled|<int:item_id>|<uuid:certificate_id>|search/quick/|who-suffers/"
)
FOREIGN = {"api docs": "/api/v1/docs/"}  # Swagger UI's own contrast is not ours to mend: the policy alone is looked at


# Of the sidebar those that are no line of PAGES: lists of the admin, by the words of their tabs.
IN_SIDEBAR = {page.title: page.link() for place in _PLACES for page in place.pages if page.link() not in PAGES.values()}


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker) -> Iterator[World]:
    with django_db_blocker.unblock():
        found = make_world()
        with in_tenant("acme"):
            judged, rows = mixed_evaluation(12)
            trial = decided_row(found.rows["improvement.promptdraft"])
            before, after = played("before", CASES), played("after", CASES, text="b", score=6.0)
            real = take_conversation(raw={**DOCUMENT, "id": "real", "ended": True, "channel": "web"}, now=NOW)
            rate_conversation(
                conversation_id=real.conversation_id, rating=Rating.DOWN, comment="Not that", by="owner", now=NOW
            )
            changed = Conversation.objects.filter(run=after.run_id).values_list("pk", flat=True)[0]
            prompts = make_prompt_matrix(6)
            queue = make_disputed_queue(rows)
            long_queue = make_disputed_queue(rows[3:6], criteria=("tone", "closing", "payment_safety"))
        found.rows |= {
            "mark": MARK,
            "live prompt": prompts["live"], "draft prompt": prompts["Ask less"],
            "unplayed prompt": prompts["Swahili greeting"],
            "judged": judged.pk, "judged run": judged.run_id, "judged conversation": rows[0].pk,
            "before": before.pk, "after": after.pk, "after conversation": changed,
            "real conversation": real.conversation_id,
            "decided trial": trial.pk, "queue": queue, "long queue": long_queue,
        }  # fmt: skip
        yield found
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


@pytest.mark.parametrize("name", [*PAGES, *FOREIGN])
def test_a_page_breaks_no_policy_logs_no_error_and_can_be_used_light_and_dark(name, chromium, world) -> None:
    path = filled({**PAGES, **FOREIGN}[name], world)
    work = violations if name in PAGES else str
    found, complaints = chromium.visit("acme.localhost", path, work, session=session_of(world, "owner"))
    assert complaints == []
    if name in PAGES:
        assert found == []


def test_a_click_on_a_point_rates_whichever_criterion_was_at_hand(chromium, world) -> None:
    def rated(page) -> str:
        for question in page.locator("#cal-form fieldset").all():
            question.locator(".cal-points label").nth(3).click()
        return page.locator("#cal-progress").inner_text()

    path, session = filled("/labelling/?queue={long queue}", world), session_of(world, "owner")
    for size in (WIDE, NARROW):
        found, complaints = chromium.visit("acme.localhost", path, rated, session=session, size=size)
        assert (found.partition(":")[0], complaints) == ("all rated", [])


@pytest.mark.parametrize("name", IN_SIDEBAR)
def test_so_does_no_list_of_the_sidebar(name, chromium, world) -> None:
    session = session_of(world, "owner")
    assert chromium.visit("acme.localhost", IN_SIDEBAR[name], violations, session=session) == ([], [])


def test_every_page_that_is_read_is_looked_at() -> None:
    """A new page of the window needs a line above; of the lists the sidebar tells itself."""
    shown = re.compile(
        "|".join(re.sub(r"\\{[^}]*\\}", "[^/]+", re.escape(path.partition("?")[0])) for path in PAGES.values())
    )
    missing = [
        one.route
        for one in all_addresses()
        if one.host == "tenant" and not one.route.startswith(("admin/", "api/"))
        and (rule := expected(one)) is not None and 200 in rule.get_is and not OTHERWISE.search(one.route)
        and not shown.fullmatch("/" + re.sub("<[^>]*>", "x", one.route))
    ]  # fmt: skip
    assert not missing, " ".join(missing)


@pytest.mark.parametrize("name", OF_THE_PLATFORM)
def test_so_does_no_page_of_the_platform(name, chromium, world) -> None:
    path = filled(OF_THE_PLATFORM[name], world)
    session = session_of(world, "platform admin")
    assert chromium.visit("platform.localhost", path, violations, session=session) == ([], [])
