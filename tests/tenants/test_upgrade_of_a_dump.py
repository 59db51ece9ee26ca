"""A database is never refused: dumps of earlier commits, with rows in every table, are upgraded as an operator would.

What the old code answered stands beside each dump; the upgraded database is asked the same. To add a commit:
python tests/tenants/dumps/make.py REF
"""

import io
import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.contrib import admin
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from apps.catalog.models import Agent, ModelProvider
from apps.evaluations.models import Evaluation
from apps.evaluations.requests.services.judge_here import judge_here
from apps.tenants.context import in_tenant
from apps.tenants.models import Tenant
from tests.tenants.dumps import answers
from tests.tenants.dumps.comparing import differences, figures_of_evaluations
from tests.tenants.dumps.make import FIELD_KEY
from tests.tenants.dumps.restoring import changed_rows, columns_in_the_way, insert_as_before, own_connection, restored

DUMPS = sorted((Path(__file__).parent / "dumps").glob("*.sql.xz"))
SECRET = "made-up-secret-of-the-dump"  # as filling.py has it
# Columns whose stored value an upgrade changes on purpose.
WRITTEN_BY_AN_UPGRADE = {"tenants_tenant": {"schema_key"}}
# What is answered otherwise since, and why: (part of the address, part of the difference).
SAID_OTHERWISE = (
    ("/judgements/", "/raw_reply:  is now"),  # it was shown for replies that could not be read alone
    ("/api/v1/gates/", "undecided: passs."),  # a typing error of before
    ("/reliability/", "/more_than_others is not said"),  # a claim that was not corrected for how many cells there are
    ("/report/", "/differences"),  # told of a replay; a call that the golden session shows is no further one now
    ("/report/", "/digest:"),  # of the report as this code writes it, which has more fields
)


@dataclass(frozen=True, slots=True)
class UpgradedDump:
    path: Path
    before: dict[str, Any]
    counts: dict[str, int]
    changed: dict[str, int]
    answer: dict[str, Any]


@pytest.fixture(scope="module", params=DUMPS, ids=lambda path: path.name.partition(".")[0])
def upgraded(request, django_db_setup, django_db_blocker) -> Iterator[UpgradedDump]:
    beside = request.param.with_name(request.param.name.replace(".sql.", ".json."))
    key, settings.FIELD_KEY = settings.FIELD_KEY, FIELD_KEY
    try:
        with django_db_blocker.unblock(), restored(request.param):
            out = io.StringIO()
            call_command("upgrade", "--json", stdout=out, stderr=io.StringIO())
            yield UpgradedDump(
                path=request.param,
                before=json.loads(lzma.decompress(beside.read_bytes())),
                counts=answers.counts(),
                changed=changed_rows(WRITTEN_BY_AN_UPGRADE),
                answer=json.loads(out.getvalue()),
            )
    finally:
        settings.FIELD_KEY = key


def test_the_upgrade_migrates_every_tenant_and_opens_it(upgraded):
    assert upgraded.answer == {"public_migrated": True, "tenants_migrated": 2, "broken": {}}
    assert set(Tenant.objects.values_list("ready", flat=True)) == {True}
    out = io.StringIO()
    call_command("upgrade", "--json", stdout=out, stderr=io.StringIO())
    assert json.loads(out.getvalue()) == {"public_migrated": False, "tenants_migrated": 0, "broken": {}}


def test_the_dump_has_a_row_in_every_table_and_none_is_lost_or_changed(upgraded):
    before = upgraded.before["counts"]
    assert not [name for name, rows in before.items() if rows == 0 and not name.startswith("t_unfinished.")]
    assert not upgraded.changed
    assert not {name for name, rows in before.items() if upgraded.counts.get(name, -1) < rows - _ASKED.get(name, 0)}


# What asking the old code wrote after the dump was made: a sign-in for each tenant.
_ASKED = {f"t_{tenant}.{table}": 1 for tenant in answers.TENANTS for table in ("django_session", "auth_user")}


def test_secrets_are_read_with_the_key_they_were_written_with(upgraded):
    with in_tenant("demo"):
        assert Agent.objects.get(name="booking").secrets["token"] == SECRET
        provider = ModelProvider.objects.get()
    assert provider.api_key.reveal() == SECRET


@pytest.mark.parametrize("tenant", answers.TENANTS)
def test_api_and_pages_answer_as_the_old_code_did(upgraded, tenant, monkeypatch):
    at = datetime.fromisoformat(upgraded.before["asked_at"])
    monkeypatch.setattr(timezone, "now", lambda: at)
    client = answers.client_of(tenant)
    said = upgraded.before["answers"][tenant]
    figures = figures_of_evaluations(said)  # what else stands on a page may go: a page is for people
    wrong = [
        f"{address} {difference}"
        for address, before in said.items()
        for difference in differences(_of(before, figures), answers.answer_to(client, address))
        if not any(part in address and words in difference for part, words in SAID_OTHERWISE)
    ]
    assert not wrong, "\n".join(wrong[:40])


def _of(answer: dict[str, Any], figures: set[str]) -> dict[str, Any]:
    """The answer with those figures alone."""
    return answer | ({"figures": [one for one in answer["figures"] if one in figures]} if "figures" in answer else {})


def test_the_admin_opens_lists_and_rows_of_the_old_code(upgraded):
    client = answers.client_of("demo")
    wrong = []
    with in_tenant("demo"):
        rows = {model: model._default_manager.order_by("pk").first() for model in admin.site._registry}
    for model, row in rows.items():
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        paths = [reverse(f"{name}_changelist")] + ([reverse(f"{name}_change", args=[row.pk])] if row else [])
        wrong += [(path, status) for path in paths if (status := client.get(path).status_code) not in (200, 302)]
    assert not wrong


def test_an_evaluation_the_old_code_left_is_ended_by_the_new(upgraded):
    with in_tenant("unfinished"):
        judge_here(
            evaluation_id=Evaluation.objects.get().pk, slots=1, concurrency=4, now=lambda: datetime.now(UTC),
            on_progress=lambda _: None, timeout_s=30,
        )  # fmt: skip
        found = Evaluation.objects.get()
        assert found.status == "completed"
        assert set(found.judgements.values_list("status", flat=True)) == {"scored"}


def test_old_code_could_go_on_writing_while_others_are_upgraded(upgraded):
    assert not columns_in_the_way()
    assert insert_as_before(upgraded.path) == upgraded.before["counts"]["t_demo.runs_turn"]


def test_a_column_that_old_code_cannot_leave_out_is_named(upgraded):
    table = "ALTER TABLE t_demo.runs_agentthrottle"
    with own_connection() as on:
        on.execute(f"{table} ADD COLUMN newer integer NOT NULL DEFAULT 1; {table} ALTER COLUMN newer DROP DEFAULT")
    try:
        assert columns_in_the_way() == [
            "t_demo.runs_agentthrottle.newer is new, and has no default in the database (db_default)"
        ]
        with pytest.raises(psycopg.errors.NotNullViolation):
            insert_as_before(upgraded.path)
    finally:
        with own_connection() as on:
            on.execute(f"{table} DROP COLUMN newer")


def test_a_difference_is_what_is_not_said_any_more():
    before = {"status": 200, "json": {"rows": [{"id": 1}, {"id": 2}], "text": "a\nb"}, "figures": ["9.5", "12 of 12"]}
    assert not differences(before, {**before, "figures": ["1 %", "12 of 12", "9.5"], "more": 1})
    said = {"rows": [{"id": 1}, {"id": 3}], "text": "a\nc\nd"}
    assert differences(before, {**before, "json": said}) == ["/json/rows/1/id: 2 is now 3", "/json/text: b is gone"]
    assert not differences({"sentence": "a"}, {"sentence": "b"})
    assert differences({"sentence": "a"}, {"sentence": ""})
    assert differences(before, {**before, "figures": ["9.5"]}) == ["/figures: 12 of 12 is gone"]
    assert differences(before, {"status": 404, "json": {"rows": []}}) == [
        "/figures is not said",
        "/status: 200 is now 404",
        "/json/text is not said",
        "/json/rows: [{'id': 1}, {'id': 2}] is now []",
    ]
