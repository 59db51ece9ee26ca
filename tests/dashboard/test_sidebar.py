"""The sidebar: nine places by question, what a tenant uses of them, and how much waits there for whoever looks."""

import re

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.calibration.models import LabellingItem, LabellingRound, Rater
from apps.calibration.queries.labelling import queue_for, round_state
from apps.calibration.queries.waiting_to_rate import rows_to_rate
from apps.catalog.domain.states import PersonaStatus
from apps.catalog.models import Persona
from apps.gates.models import GateFloor
from apps.runs.models import Conversation
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import make_run, signed_in
from tests.dashboard.test_pages import text_of

UNUSED = ("Floors", "Anchors", "WhatsApp", "Langfuse", "Snapshots", "Templates", "Saved views", "OTLP", "Webhook keys")
PLACES = [
    "Home", "Results", "Conversations", "Labelling", "Prompts", "Production", "Test set", "Usage", "Settings",
]  # fmt: skip
STANDS = {  # a page, and the place and tab that it stands under
    "/admin/": ("Home", "Home"),
    "/alerts/": ("Home", "Alerts"),
    "/admin/runs/testrun/": ("Results", "Runs"),
    "/runs/start/": ("Results", "Runs"),
    "/comparisons/": ("Results", "Comparisons"),
    "/labelling/": ("Labelling", "Labelling"),
    "/labelling/queues/new/": ("Labelling", "Queues"),
    "/workshop/": ("Prompts", "Drafts"),
    "/workshop/compare/": ("Prompts", "Prompts"),
    "/production/": ("Production", "Overview"),
    "/production/rollouts/": ("Prompts", "Rollouts"),
    "/admin/catalog/agent/": ("Test set", "Agents"),
    "/packs/": ("Test set", "Starter packs"),
    "/settings/list/": ("Settings", ""),
    "/settings/": ("Settings", ""),
}


def nav(client, page):
    found = re.search(r'<nav[^>]*aria-label="Pages of [^"]*".*?</nav>', client.get(page).content.decode(), re.S)
    return found[0] if found else ""


def tabs(client, page):
    return re.findall(r"<a[^>]*>\s*([^<]*?)\s*<", nav(client, page))


def sidebar(client, page):
    """The words of each place, with what waits there; the open one first in a pair."""
    html = client.get(page).content.decode()
    lines = re.findall(r"<li>\s*<a href=\"[^\"]*\" class=\"([^\"]*)\">(.*?)</a>", html, re.S)
    words = [
        " ".join(re.sub(r"<span class=\"material.*?</span>|<[^>]+>", " ", text, flags=re.S).split())
        for _, text in lines
    ]
    return [word for (classes, _), word in zip(lines, words, strict=True) if " active" in classes], words


def test_there_are_nine_places_in_the_order_of_the_questions(owner):
    assert sidebar(owner, "/usage/") == (["Usage"], PLACES)


@pytest.mark.parametrize("page", STANDS)
def test_a_page_stands_under_one_place_and_one_tab(owner, page):
    place, tab = STANDS[page]
    marked = re.findall(r'aria-current="true"\s*>([^<]*?)\s*<', nav(owner, page))
    assert (sidebar(owner, page)[0], marked) == ([place], [tab] if tab else [])


def test_settings_are_a_list_by_what_each_is_for_and_each_leads_back_to_it(owner):
    listed = text_of(owner.get("/settings/list/"))
    for words in ("API keys", "for pipelines and scripts", "People", "Audit trail", "who changed what"):
        assert words in listed
    assert "Alerts" not in listed.partition("Not used here yet")[0]
    assert tabs(owner, "/settings/list/") == []
    for page in ("/settings/", "/erasures/", "/admin/api/apikey/"):
        assert tabs(owner, page) == ["← All settings"]


def test_who_may_set_nothing_has_no_settings_in_the_sidebar(db):
    reader = signed_in("reader", "view_testrun")
    assert sidebar(reader, "/admin/runs/testrun/")[1] == ["Home", "Results"]
    assert "nothing for you to set" in text_of(reader.get("/settings/list/"))


def test_a_page_that_nobody_has_used_is_shown_where_somebody_stands_on_it(owner):
    floors = "/admin/gates/gatefloor/"
    assert "Floors" not in tabs(owner, "/trends/")
    assert "Floors" in tabs(owner, floors)


def test_first_use_brings_a_page_out(owner):
    with in_tenant("acme"):
        GateFloor.objects.create(agent="desk")
    assert "Floors" in tabs(owner, "/trends/")


def test_settings_and_the_palette_lead_to_what_is_not_used_yet(owner):
    settings = text_of(owner.get("/settings/list/")).partition("Not used here yet")[2]
    assert all(name in settings for name in UNUSED)
    assert "WhatsApp" in text_of(owner.get("/search/quick/?q=whatsapp"))


def test_settings_name_no_page_that_the_reader_may_not_open(db):
    reader = signed_in("budget", "change_budget")
    assert "Not used here yet" not in text_of(reader.get("/settings/list/"))


def queue(n, *, rater="", **fields):
    """A queue of n conversations, each wanted by one rater."""
    _, rows = make_run(n)
    made = LabellingRound.objects.create(
        name=f"queue of {n}",
        seed=1,
        raters_wanted=1,
        scale="five",
        criteria=[],
        assigned=[rater] if rater else [],
        **fields,
    )
    LabellingItem.objects.bulk_create(
        LabellingItem(round=made, conversation=row, position=at, language=row.language, why="random")
        for at, row in enumerate(rows)
    )
    return made


def counted(rater):
    sql, values = rows_to_rate(rater)
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return len(cursor.fetchall())


def test_what_waits_for_this_person_stands_beside_the_place_and_its_tab(owner, db):
    assert sidebar(owner, "/usage/")[1] == PLACES
    with in_tenant("acme"):
        queue(3)
        queue(2, rater="somebody-else")
    assert "Labelling 3 waiting" in sidebar(owner, "/usage/")[1]
    assert "Labelling 3 waiting" in " ".join(re.sub("<[^>]+>", " ", nav(owner, "/calibration/")).split())
    assert "waiting" not in " ".join(sidebar(signed_in("reader", "view_testrun"), "/admin/runs/testrun/")[1])


def test_the_number_is_the_length_of_the_persons_queue(db):
    with in_tenant("acme"):
        made = queue(4)
        for languages in ([], ["it"], ["SW"], ["en", "sw"]):
            Rater.objects.update_or_create(user="amina", defaults={"languages": languages})
            for language in ("", "mixed", "sw-KE", "it"):
                LabellingItem.objects.filter(round=made).update(language=language)
                expected = len(queue_for("amina", state=round_state(made)))
                assert counted("amina") == expected, (languages, language)


def test_home_says_elsewhere_what_it_last_found(owner, db):
    cache.clear()
    with in_tenant("acme"):
        _, rows = make_run(1)
        Persona.objects.update(status=PersonaStatus.PENDING_VALIDATION)
        assert Conversation.objects.count() == len(rows)
    assert "Home" in sidebar(owner, "/usage/")[1]
    home = text_of(owner.get("/admin/"))
    said = len(re.findall("Dismiss", home))
    assert said
    assert f"Home {said} waiting" in sidebar(owner, "/usage/")[1]


def test_all_of_it_costs_one_query(owner, db):
    owner.get("/settings/list/")
    with CaptureQueriesContext(connection) as asked:
        owner.get("/settings/list/")
    figures = [one["sql"] for one in asked if "LIMIT 100) w" in one["sql"]]
    assert len(figures) == 1
