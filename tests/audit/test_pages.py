"""The trail as its readers see it: list, one change side by side, a row's own history, a file."""

import csv
import io

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from apps.api.services.keys import add_api_key
from apps.audit.domain.comparing import compare, plain_cell
from apps.audit.models import Entry
from apps.catalog.models import Agent, Criterion, Persona, Scenario
from apps.core.actor import acting
from apps.runs.models import TestRun
from apps.tenants.context import in_tenant
from tests.catalog.samples import criterion_fields, questions


def signed_in(role: str) -> Client:
    client = Client(headers={"host": "acme.localhost"})
    with in_tenant("acme"):
        user = User.objects.create_user(f"the-{role}", is_staff=True)
        user.groups.set(Group.objects.filter(name=role))
        client.force_login(user)
    return client


@pytest.fixture
def auditor(db) -> Client:
    return signed_in("auditor")


@pytest.fixture
def changed(db) -> Criterion:
    with in_tenant("acme"), acting("user amina"):
        row = Criterion.objects.create(name="polite", **criterion_fields())
        row.domain = "<b>coffee</b>"
        row.save()
    return row


def test_the_list_says_who_did_what_to_which_row(auditor: Client, changed: Criterion) -> None:
    page = auditor.get("/admin/audit/entry/?table=catalog_criterion").content.decode()
    assert page.count("user amina") >= 2
    for words in ("polite", "~ changed", "+ added", "domain", "Audit trail"):
        assert words in page


def test_a_change_is_shown_before_beside_after_and_escaped(auditor: Client, changed: Criterion) -> None:
    with in_tenant("acme"):
        entry = Entry.objects.latest("id")
    page = auditor.get(f"/admin/audit/entry/{entry.pk}/change/").content.decode()
    assert "tea" in page
    assert "&lt;b&gt;coffee&lt;/b&gt;" in page
    assert "<b>coffee" not in page


def test_a_row_that_is_pointed_to_is_called_by_its_name(auditor: Client) -> None:
    with in_tenant("acme"):
        aunt = Persona.objects.create(name="shangazi", text="Chai.")
        Scenario.objects.create(slug="evening", persona=aunt)
        entry = Entry.objects.latest("id")
    page = auditor.get(f"/admin/audit/entry/{entry.pk}/change/").content.decode()
    assert "shangazi" in page


def test_a_rows_own_history_is_its_trail_for_readers_of_the_trail_alone(auditor: Client, changed: Criterion) -> None:
    path = f"/admin/catalog/criterion/{changed.pk}/history/"
    assert "user amina" in auditor.get(path).content.decode()
    assert "user amina" not in signed_in("viewer").get(path).content.decode()


def test_a_persons_history_tells_of_their_roles(auditor: Client) -> None:
    with in_tenant("acme"), acting("user owner"):
        amina = User.objects.create_user("amina")
        amina.groups.set(Group.objects.filter(name="curator"))
    page = auditor.get(f"/admin/auth/user/{amina.pk}/history/").content.decode()
    assert "amina → curator" in page


def test_the_file_holds_what_the_list_shows_and_no_formula(auditor: Client, changed: Criterion) -> None:
    with in_tenant("acme"), acting("user amina"):
        Agent.objects.create(name="=1+1", address="http://x/")
    answer = auditor.get("/admin/audit/entry/export/?by=user")
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [row["what"] for row in rows] == ["polite", "polite", "'=1+1"]
    assert rows[1]["before"] == '{"domain": "tea"}'


def test_the_list_costs_the_same_for_few_and_many(auditor: Client, changed: Criterion) -> None:
    counts = []
    for more in (0, 200):
        with in_tenant("acme"):
            Criterion.objects.bulk_create(Criterion(name=f"c{more}-{n}", **criterion_fields()) for n in range(more))
        with questions() as asked:
            assert auditor.get("/admin/audit/entry/").status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1]


# --- Who it is, at each door --------------------------------------------------------------------------------------
def test_a_person_a_key_and_a_command_are_named(db, capsys) -> None:
    from django.core.management import call_command  # noqa: PLC0415 - apps are loaded by pytest-django

    owner = signed_in("owner")
    with in_tenant("acme"):
        run = TestRun.objects.create(kind="battle", name="r", status="running")
        key = add_api_key().secret
    owner.post(f"/runs/{run.pk}/pause/")
    machine = Client(headers={"host": "acme.localhost", "authorization": f"Bearer {key}"})
    assert machine.post(f"/api/v1/test-runs/{run.pk}/resume/", content_type="application/json").status_code == 200
    call_command("cancel_run", str(run.pk), "--tenant", "acme")
    with in_tenant("acme"):
        who = list(Entry.objects.filter(table_name="runs_testrun").order_by("id").values_list("actor", flat=True))
    assert who[0] == "user the-owner"
    assert who[1].startswith(f"key {key[:6]}")
    assert key not in who[1]
    assert who[2].startswith("command cancel_run by ")


def test_an_admin_form_names_its_user_without_one_more_question(db) -> None:
    owner = signed_in("owner")
    with in_tenant("acme"):
        agent = Agent.objects.create(name="waiter", kind="http", address="http://x/")
    form = {"name": "waitress", "kind": "http", "address": "http://x/", "options": "{}", "timeout_s": "60"}
    answer = owner.post(f"/admin/catalog/agent/{agent.pk}/change/", form)
    assert answer.status_code == 302, answer.content.decode()[:3000]
    with in_tenant("acme"):
        entry = Entry.objects.get(table_name="catalog_agent", action="changed")
    assert (entry.actor, entry.before, entry.after) == (
        "user the-owner", {"name": "waiter"}, {"name": "waitress"},
    )  # fmt: skip


# --- Rules --------------------------------------------------------------------------------------------------------
def test_values_are_put_into_words() -> None:
    found = compare(
        {"id": 1, "is_staff": False, "note": "", "agent_id": "7"},
        {"id": 1, "is_staff": True, "note": None, "agent_id": "8", "options": {"b": 1}},
        text=lambda column, value: {"7": "waiter"}.get(value) if column == "agent_id" else None,
    )
    assert [(line.field, line.before, line.after) for line in found] == [
        ("agent", "waiter", "8"),
        ("is staff", "no", "yes"),
        ("note", "empty", "empty"),
        ("options", "–", '{\n  "b": 1\n}'),
    ]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx"])
def test_a_spreadsheet_is_given_text(text: str) -> None:
    assert plain_cell(text) == f"'{text}"
    assert plain_cell(f"a{text}") == f"a{text}"
