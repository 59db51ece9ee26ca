"""The traces of an erased person are deleted in the team's Langfuse: asked for, looked for, and told on the receipt."""

import json
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.utils import timezone

from apps.catalog.models import OutsideConnection
from apps.erasure.domain.subject import ErasureRequest
from apps.erasure.models import Erasure
from apps.erasure.queries.receipts import erasure_document
from apps.erasure.services.requests import pay_erasures, request_erasure
from apps.jobs.deliveries import delivery_kind_of
from apps.jobs.models import OutboundDelivery
from apps.jobs.services.delivering import deliver_due
from apps.production.exports.domain.exported_spans import trace_of, trace_of_judgement
from apps.production.langfuse.services.delivery import send_again
from apps.production.langfuse.services.runs import enqueue_runs
from apps.production.models import LangfuseDeletion, LangfuseSource
from apps.runs.models import Conversation
from apps.runs.signals import words_deleted
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.loopback.langfuse import LangfuseProject, answer
from tests.production.langfuse_rows import langfuse_source
from tests.production.played_rows import judged, played
from tests.production.sampling_rows import NIGHT, arrived

NOW = NIGHT + timedelta(days=1)
PHONE = "0712 345 678"
TRACES = "/api/public/traces"


class DeletingProject(LangfuseProject):
    """`traces` are kept by id with their session, until they are asked to be deleted (and `deletes`)."""

    def __init__(self) -> None:
        super().__init__()
        self.traces: dict[str, str] = {}
        self.deletes = True
        self.more = {
            ("GET", "/api/public/v2/observations"): self._observations,
            ("DELETE", TRACES): self._delete,
        }

    def _observations(self, request: Request) -> Answer:
        query = parse_qs(urlsplit(request.path).query)
        trace, session = query.get("traceId", [""])[0], query.get("sessionId", [""])[0]
        found = [one for one, of in self.traces.items() if one == trace or (session and of == session)]
        shown = {"projectId": "p", "type": "SPAN", "startTime": "2026-11-24T10:00:00Z"}
        return answer({"data": [{"id": f"o-{one}", "traceId": one, **shown} for one in found], "meta": {}})

    def _delete(self, request: Request) -> Answer:
        for one in json.loads(request.body)["traceIds"] if self.deletes else ():
            self.traces.pop(one, None)
        return answer({"message": "Traces deleted successfully"})


@pytest.fixture
def langfuse(tenant: str, settings: Any, tmp_path: Any):
    settings.STATE_DIR, settings.LOG_DIR, settings.BASE_DIR = tmp_path, tmp_path / "log", tmp_path / "code"
    (tmp_path / "log").mkdir()
    project = DeletingProject()
    with LoopbackServer(project) as server:
        langfuse_source(server.url)
        yield project


def erase(now=NOW) -> Erasure:
    row = request_erasure(request=ErasureRequest(phone=PHONE), requested_by="amina", now=now)
    assert pay_erasures(now=lambda: now)
    row.refresh_from_db()
    return row


def deliver(now=NOW) -> None:
    deliver_due(now=lambda: now, kinds=[delivery_kind_of("langfuse_deliveries")])


def mine(id: str, **more: Any) -> Any:
    return arrived(id, at=NIGHT, customer={"phones": [PHONE], "names": []}, **more)


def state(row: Erasure) -> tuple[str, str | None]:
    (one,) = erasure_document(row.pk)["langfuse"]
    return one["state"], one["error"]


def test_traces_and_sessions_of_the_person_are_deleted_and_nobody_else_s(langfuse):
    mine("chat 1", trace_id="a" * 32)
    mine("session 9", source="langfuse")
    arrived("chat of another", at=NIGHT, trace_id="b" * 32)
    langfuse.traces = {"a" * 32: "", "c" * 32: "session 9", "d" * 32: "session 9", "b" * 32: ""}
    row = erase()
    assert state(row) == ("pending", None)
    deliver()
    assert (langfuse.traces, state(row)) == ({"b" * 32: ""}, ("asked", None))
    deliver(NOW + timedelta(minutes=16))
    assert state(row) == ("done", None)
    assert not LangfuseDeletion.objects.get().targets
    assert "a" * 32 not in json.dumps(erasure_document(row.pk))


def test_an_outage_costs_time_and_what_stays_there_is_told(langfuse):
    mine("chat 1", trace_id="a" * 32)
    langfuse.traces, langfuse.deletes = {"a" * 32: ""}, False
    langfuse.faults = [Answer(status=503)] * 3
    row = erase()
    for hour in range(40):
        deliver(NOW + timedelta(hours=hour))
    assert state(row) == ("asked", "traces are still there")
    for hour in range(40, 140):
        deliver(NOW + timedelta(hours=hour))
    assert state(row) == ("refused", "traces are still there")
    langfuse.deletes = True
    OutboundDelivery.objects.filter(event="ask").update(status="failed")
    send_again(now=NOW + timedelta(days=10))  # somebody mended the project, and saved the source
    for minute in (0, 1, 40):
        deliver(NOW + timedelta(days=10, minutes=minute))
    assert (langfuse.traces, state(row)) == ({}, ("done", None))


def test_a_key_that_may_not_delete_is_told(langfuse):
    mine("chat 1", trace_id="a" * 32)
    langfuse.faults = [Answer(status=403)]
    row = erase()
    deliver()
    assert state(row) == ("pending", f"the Langfuse at {LangfuseSource.objects.get().base_url} refused with status 403")


def test_a_session_whose_id_told_who_it_was_is_named_for_a_person_to_delete(langfuse):
    mine(f"wa {PHONE}", source="langfuse")
    row = erase()
    told, why = state(row)
    assert (told, why) == ("refused", "1 session had an id that was masked here: delete it there by hand")


def test_without_a_langfuse_or_anything_there_nothing_is_asked(langfuse):
    mine("chat 1")
    row = erase()
    assert erasure_document(row.pk)["langfuse"] == []
    LangfuseSource.objects.all().delete()
    mine("chat 2", trace_id="a" * 32)
    assert erasure_document(erase().pk)["langfuse"] == []


def test_a_source_that_was_removed_is_told(langfuse):
    mine("chat 1", trace_id="a" * 32)
    row = erase()
    LangfuseSource.objects.all().delete()
    deliver()
    assert state(row) == ("refused", "the Langfuse source was removed here")


def test_a_dry_run_asks_nothing(langfuse):
    mine("chat 1", trace_id="a" * 32)
    request_erasure(request=ErasureRequest(phone=PHONE, dry_run=True), requested_by="amina", now=NOW)
    pay_erasures(now=lambda: NOW)
    assert not LangfuseDeletion.objects.exists()


def test_what_we_sent_goes_there_too_when_the_words_time_is_over(langfuse, judge_config):
    LangfuseSource.objects.update(sends_runs_since=NIGHT)
    row = played(NOW)
    judgement = judged(row, judge_config, NOW)
    real = arrived("chat 1", at=NIGHT, trace_id="a" * 32)
    of_real = judged(Conversation.objects.get(pk=real), judge_config, NOW)
    enqueue_runs(now=NOW)
    deliver()
    sent = {trace for trace, _ in langfuse.spans}
    assert sent == {trace_of(row.pk, 1), trace_of_judgement(judgement.pk), trace_of_judgement(of_real.pk)}
    langfuse.traces = dict.fromkeys([*sent, "a" * 32], "")
    later = timezone.now() + timedelta(days=30)
    words_deleted.send(sender=None, conversation_ids=[row.pk, real])  # as whoever deletes expired words does
    deliver(later)
    assert set(langfuse.traces) == {"a" * 32}, "the agent's own trace is its team's to keep"
    deliver(later + timedelta(minutes=16))
    assert set(LangfuseDeletion.objects.values_list("status", flat=True)) == {"done"}


def test_a_source_that_leads_elsewhere_since_is_no_proof_that_the_traces_are_gone(langfuse) -> None:
    mine("chat 1", trace_id="a" * 32)
    langfuse.traces, langfuse.deletes = {"a" * 32: ""}, False
    erase()
    deliver()
    other = DeletingProject()
    with LoopbackServer(other) as server:
        OutsideConnection.objects.update(address=server.url)
        deliver(NOW + timedelta(minutes=16))
    row = LangfuseDeletion.objects.get()
    assert (row.status, "in the former one by hand" in row.error) == ("refused", True)
    assert row.targets.reveal()
    assert not other.requests
