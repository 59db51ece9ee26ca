"""The pages: what they say, who may open them, and what they cost."""

import re
import uuid
from decimal import Decimal

import pgtrigger
import pytest
from django.test.utils import CaptureQueriesContext

from apps.runs.models import Conversation
from apps.tenants.connection import connection
from apps.tenants.context import in_tenant
from tests.catalog.samples import add_persona
from tests.dashboard.conftest import make_evaluation, make_run, signed_in


def text_of(answer):
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


@pytest.fixture
def measured(db):
    with in_tenant("acme"):
        run, rows = make_run(4)
        evaluation = make_evaluation(run, rows, states=["parse_error"])
        return run, rows, evaluation


def test_the_evaluation_page_answers_in_its_first_line(owner, measured):
    _run, rows, evaluation = measured
    answer = owner.get(f"/evaluations/{evaluation.pk}/")
    text = text_of(answer)
    assert "The booking agent scores 7.0 ± 3.7 on 3 conversations" in text
    assert "1 conversation could not be parsed: review" in text
    assert "not enough labels yet" in text
    assert "Nobody has compared this judge with people." in text
    html = answer.content.decode()
    assert html.index(rows[3].external_id) < html.index(rows[1].external_id)  # worst first
    assert "?state=parse_error" in html


def test_offline_rules_are_named_as_such(owner, measured):
    run, rows, _ = measured
    with in_tenant("acme"):
        offline = make_evaluation(run, rows, provider="offline")
    assert "offline rules, no model was asked" in text_of(owner.get(f"/evaluations/{offline.pk}/"))


def test_what_could_not_be_parsed_can_be_reviewed(owner, measured):
    _, rows, evaluation = measured
    text = text_of(owner.get(f"/evaluations/{evaluation.pk}/?state=parse_error"))
    assert "the reply is no JSON" in text
    assert rows[0].external_id in text
    assert rows[1].external_id not in text
    text = text_of(owner.get(f"/conversations/{rows[0].pk}/?evaluation={evaluation.pk}"))
    assert "not JSON" in text
    assert "parse error" in text


def test_a_page_polls_while_it_runs_and_not_after(owner, measured):
    run, rows, evaluation = measured
    with in_tenant("acme"):
        running = make_evaluation(run, rows, states=["pending"] * 2, status="running")
    part = owner.get(f"/evaluations/{running.pk}/", headers={"HX-Request": "true"}).content.decode()
    assert "hx-trigger" in part
    assert "<html" not in part
    assert "2 of 4 conversations judged" in part
    ended = owner.get(f"/evaluations/{evaluation.pk}/", headers={"HX-Request": "true"}).content.decode()
    assert "hx-trigger" not in ended


def test_evidence_is_marked_in_its_turn_and_linked_without_script(owner, measured):
    _, rows, evaluation = measured
    html = owner.get(f"/conversations/{rows[3].pk}/?evaluation={evaluation.pk}").content.decode()
    assert re.search(r'<mark data-marks="q1-0 q0-0">Kesho saa tano</mark>', html)
    assert 'href="#turn-1"' in html
    assert 'id="turn-1"' in html
    assert "1.9 s" in html


def test_what_people_wrote_is_text_and_pages_bring_no_script_of_their_own(owner, measured):
    run, rows, evaluation = measured
    for page in (f"/conversations/{rows[3].pk}/", f"/evaluations/{evaluation.pk}/", f"/runs/{run.pk}/", "/usage/"):
        ours = owner.get(page).content.decode().split('<div class="rb" ')[1].split('id="modal')[0]
        assert "<b>kusukwa" not in ours
        assert "style=" not in ours.split("<script")[0]
        assert not re.search(r"\son\w+=", ours.split("</main")[0].split("x-data")[0])


def test_the_run_page_tells_what_it_waits_for_and_has_its_buttons(owner, measured):
    with in_tenant("acme"):
        run, _ = make_run(5, status="running", conversation_status="pending")
    text = text_of(owner.get(f"/runs/{run.pk}/"))
    assert "0 of 5 battles done" in text
    assert "5 queued" in text
    assert "Pause" in text
    assert "5 unfinished conversations will be dropped" in text
    assert "Cancel the run" in text
    assert "Resume" not in text


def test_buttons_call_services_and_tell_who_was_too_late(owner, measured, monkeypatch):
    with in_tenant("acme"):
        run, _ = make_run(2, status="running", conversation_status="pending")
    assert owner.get(f"/runs/{run.pk}/pause/").status_code == 405
    text = text_of(owner.post(f"/runs/{run.pk}/pause/", follow=True))
    assert "Paused: 0 of 2 battles done" in text
    assert "Resume" in text
    assert "cannot be paused" in text_of(owner.post(f"/runs/{run.pk}/pause/", follow=True))
    assert "0 of 2 battles done" in text_of(owner.post(f"/runs/{run.pk}/resume/", follow=True))
    assert "Cancelled" in text_of(owner.post(f"/runs/{run.pk}/cancel/", follow=True))
    assert "Repaired" in text_of(owner.post(f"/runs/{run.pk}/reconcile/", follow=True))
    assert owner.post(f"/runs/{run.pk}/explode/").status_code == 404


def test_home_says_what_needs_somebody(owner, measured):
    from apps.catalog.models import Persona  # noqa: PLC0415 - apps are loaded by pytest-django

    with in_tenant("acme"):
        Persona.objects.create(name="Otieno", text="Haggles.")
        add_persona("Grace", needs_release=True)
        make_run(1, status="paused", conversation_status="pending", name="Battles of Monday")
    text = text_of(owner.get("/admin/"))
    assert "1 persona waits for validation" in text
    assert "1 validated persona not released" in text
    assert "Battles of Monday is paused" in text
    assert "1 reply of the judge could not be parsed" in text or "things need you" in text


def test_empty_pages_say_what_to_do_first(owner):
    assert "Say how your agent is reached" in text_of(owner.get("/admin/"))
    assert "No model was called" in text_of(owner.get("/usage/"))
    with in_tenant("acme"):
        run, _ = make_run(0)
        evaluation = make_evaluation(run, [])
    assert "This run has no conversations" in text_of(owner.get(f"/runs/{run.pk}/"))
    assert "This evaluation has no conversations" in text_of(owner.get(f"/evaluations/{evaluation.pk}/"))


def test_every_page_begins_with_a_way_to_its_content(owner, measured):
    evaluation = measured[2]
    for page in ("/admin/", "/usage/", f"/evaluations/{evaluation.pk}/", "/admin/runs/testrun/", "/admin/evaluations/"):
        html = owner.get(page).content.decode()
        assert re.search(r"<body.*?<a\b[^>]*>", html, re.S)[0].endswith('<a class="rb-skip" href="#content">'), page
        assert 'id="content"' in html


def test_the_header_shows_names_as_they_are(owner, measured):
    from apps.catalog.models import Criterion, EvaluatorConfig  # noqa: PLC0415 - apps are loaded by then

    with in_tenant("acme"):
        criterion = Criterion.objects.create(name="heshima_ya_mteja", kind="domain", domain="tea")
        config = EvaluatorConfig.objects.first() or EvaluatorConfig.objects.create(name="tea-service")
    for page, name, kind in (
        (f"/admin/catalog/criterion/{criterion.pk}/change/", criterion.name, "Criteria"),
        (f"/admin/catalog/evaluatorconfig/{config.pk}/change/?details=1", config.name, "Evaluator configs"),
    ):
        words = [part.strip() for part in text_of(owner.get(page)).split("chevron_right")]
        assert any(part.endswith(kind) for part in words), words[:4]
        assert any(part.startswith(name) for part in words), words[:4]


def test_a_budget_of_nothing_is_not_near_its_end(owner):
    from apps.budgets.domain.scopes import Scope, ScopeKind  # noqa: PLC0415 - apps are loaded by pytest-django
    from apps.budgets.services.limits import set_limit  # noqa: PLC0415 - see above

    with in_tenant("acme"):
        set_limit(scope=Scope(ScopeKind.TENANT), usd=Decimal(0))
    text = text_of(owner.get("/usage/"))
    assert "nothing may be spent" in text
    assert "near its end" not in text
    assert "whole budget is $0.00: nothing may be spent" in text_of(owner.get("/admin/"))


def test_a_run_with_failed_conversations_carries_a_mark_in_every_list(owner, measured):
    with in_tenant("acme"):
        run, _ = make_run(2, conversation_status="failed", name="Battles of Tuesday")
    assert "2 failed" in text_of(owner.get("/admin/"))
    html = owner.get("/admin/runs/testrun/").content.decode()
    assert f"run__id__exact={run.pk}&amp;status__in=failed,timeout" in html
    rows = owner.get(f"/admin/runs/conversation/?run__id__exact={run.pk}&status__in=failed,timeout")
    assert rows.context["cl"].result_count == 2


def test_usage_of_another_month_can_be_shared(owner):
    assert "February 2026" in text_of(owner.get("/usage/?month=2026-02"))
    for never in ("soon", "9999-12", "0001-01"):
        assert owner.get(f"/usage/?month={never}").status_code == 404


LISTS = ("/admin/runs/testrun/", "/admin/runs/conversation/", "/admin/evaluations/evaluation/")


@pytest.mark.parametrize("address", [*LISTS, "/admin/budgets/modelcall/"])
def test_lists_are_history(owner, measured, address):
    assert owner.get(address).status_code == 200
    assert owner.get(f"{address}add/").status_code == 403


def test_a_filter_offers_what_new_rows_hold_and_what_is_asked_for(owner, measured, monkeypatch):
    monkeypatch.setattr("apps.dashboard.history_lists.RECENT", 1)
    _run, rows, _ = measured
    with in_tenant("acme"):
        Conversation.objects.filter(pk=rows[0].pk).update(language="it")
        Conversation.objects.exclude(pk=rows[0].pk).update(language="sw")
    assert "language=it" not in owner.get("/admin/runs/conversation/").content.decode()
    asked = owner.get("/admin/runs/conversation/?language=it").content.decode()
    assert "language=it" in asked
    assert "language=sw" in asked
    assert rows[0].external_id in asked


def test_a_filter_that_a_list_does_not_know_is_named(owner, measured):
    page = owner.get("/admin/runs/testrun/?colour=red", follow=True)
    assert "This list has no filter for colour=red" in text_of(page)
    assert "has no filter" not in text_of(owner.get("/admin/runs/testrun/?kind__exact=battle", follow=True))


def test_a_row_of_a_list_opens_its_page(owner, measured):
    run, *_ = measured
    answer = owner.get(f"/admin/runs/testrun/{run.pk}/change/")
    assert answer.status_code == 302
    assert answer.url == f"/runs/{run.pk}/"


def addresses(run, rows, evaluation):
    return (
        f"/runs/{run.pk}/",
        f"/evaluations/{evaluation.pk}/",
        f"/conversations/{rows[0].pk}/",
        "/usage/",
    )


def test_strangers_sign_in_and_members_need_the_permission(owner, measured, client):
    viewer = signed_in("viewer", "view_testrun", "view_evaluation", "view_conversation", "view_modelcall")
    nobody = signed_in("nobody")
    customer = signed_in("customer", "view_testrun", staff=False)
    for page in addresses(*measured):
        assert client.get(page, headers={"host": "acme.localhost"}).status_code == 302
        assert viewer.get(page).status_code == 200
        assert nobody.get(page).status_code == 403
        assert customer.get(page).status_code == 302
    run = measured[0]
    assert viewer.post(f"/runs/{run.pk}/reconcile/").status_code == 403
    assert "Reconcile" not in viewer.get(f"/runs/{run.pk}/").content.decode()
    assert nobody.get("/admin/").status_code == 200


def test_another_tenants_rows_are_not_there(measured):
    neighbour = signed_in("neighbour", host="beta.localhost", superuser=True)
    run, rows, evaluation = measured
    for page in addresses(run, rows, evaluation)[:3]:
        assert neighbour.get(page).status_code == 404
    assert neighbour.post(f"/runs/{run.pk}/cancel/").status_code == 404
    assert neighbour.get(f"/evaluations/{uuid.uuid4()}/").status_code == 404


def test_a_form_without_its_token_is_refused(measured):
    from django.test import Client  # noqa: PLC0415 - only here

    strict = signed_in("strict", superuser=True)
    client = Client(enforce_csrf_checks=True, headers={"host": "acme.localhost"})
    client.cookies = strict.cookies
    assert client.post(f"/runs/{measured[0].pk}/cancel/").status_code == 403


def queries_of(client, page):
    client.get(page)  # what is kept for the process is read once
    with CaptureQueriesContext(connection) as caught:
        assert client.get(page).status_code == 200
    return sum(not query["sql"].startswith("SET search_path") for query in caught.captured_queries)


def test_every_page_costs_the_same_queries_at_3_and_at_60_rows(owner):
    costs = {}
    for n in (3, 60):
        with in_tenant("acme"):
            run, rows = make_run(n, name=f"run of {n}")
            evaluation = make_evaluation(run, rows)
            for extra in range(0 if n == 3 else 12):
                more, _ = make_run(2, name=f"more {extra}")
                make_evaluation(more, _)
        pages = {
            "run": f"/runs/{run.pk}/",
            "evaluation": f"/evaluations/{evaluation.pk}/",
            "conversation": f"/conversations/{rows[0].pk}/",
            "usage": "/usage/",
            "home": "/admin/",
            **{address: address for address in LISTS},
        }
        costs[n] = {name: queries_of(owner, page) for name, page in pages.items()}
    assert costs[3] == costs[60]
    assert max(costs[60].values()) <= 32, costs[60]


def test_a_judgement_in_which_no_criterion_applies_says_so(owner):
    with in_tenant("acme"):
        made = make_run(1)
        evaluation = make_evaluation(*made)
        with pgtrigger.ignore():
            evaluation.judgements.update(weighted_score=None)
    shown = text_of(owner.get(f"/conversations/{made[1][0].pk}/?evaluation={evaluation.pk}"))
    assert "no criterion applies to it" in shown
    assert "Ask for an evaluation" not in shown


def test_a_customers_conversation_is_judged_by_a_sample_and_not_by_an_evaluation_of_its_run(owner):
    with in_tenant("acme"):
        _run, rows = make_run(1)
        with pgtrigger.ignore():
            type(rows[0]).objects.filter(pk=rows[0].pk).update(kind="production")
    shown = text_of(owner.get(f"/conversations/{rows[0].pk}/"))
    assert "where the sample draws it" in shown
