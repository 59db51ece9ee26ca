"""The short way answers as the long one does, or not at all; and it believes nothing that may have changed."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.api.models import ApiKey, IdempotencyRecord
from apps.api.short import status
from apps.api.short.door import answer
from apps.api.short.sent import Sent
from apps.catalog.models import Criterion, EvaluatorConfigVersion
from apps.catalog.services.connections import save_model_provider
from apps.catalog.services.versions import create_draft, publish
from apps.core import inserting, prepared
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.services import remembering
from apps.runs.models import Conversation, Turn
from apps.tenants import middleware
from apps.tenants.context import current_schema, in_tenant
from apps.tenants.models import Tenant
from apps.tenants.services import update_workflow_config
from ratiba_eval.short_way import _of_every_answer
from tests.api.door import CONFIG, Door, conversation, evaluation, row_counts
from tests.api.short import scope_of, short_get, short_post


@pytest.fixture(autouse=True)
def hosts_are_known(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The long way looks a tenant up, and is believed for a while; nothing else may be left from other tests."""
    settings.TENANT_LOOKUP_S = 60.0
    monkeypatch.setattr(middleware, "_lookups", {})
    monkeypatch.setattr(remembering, "_remembered", {})


@pytest.fixture
def known(acme: Door) -> Door:
    """A door whose host and key this process has seen."""
    assert acme.get("evaluations/").status_code == 200
    return acme


def taken(sent: Sent | None) -> dict[str, Any]:
    assert sent is not None
    assert sent.status == 202
    found: dict[str, Any] = json.loads(sent.body)
    return found


def headers_of(sent: Sent) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in (*sent.headers, *_of_every_answer(False))}


def same(sent: Sent | None, long: Any) -> None:
    assert sent is not None
    assert (sent.status, sent.body) == (long.status_code, long.content)
    ours = headers_of(sent)
    theirs = {name.lower(): value for name, value in long.items()}
    theirs.pop("vary", None)  # of a session that was looked at, for instance by the audit trail
    assert ours == theirs


def test_a_status_is_the_same_both_ways(known: Door) -> None:
    made = known.post("evaluations/", evaluation("c-1", "c-2")).json()
    for path in (f"evaluations/{made['id']}/status/", f"test-runs/{made['test_run_id']}/status/"):
        first = known.get(path)
        same(short_get(known, path), first)
        for match in (first["ETag"], f'"other", W/{first["ETag"]}', "*"):
            same(short_get(known, path, if_none_match=match), known.get(path, if_none_match=match))
        same(short_get(known, path, if_none_match='"other"'), first)


def test_a_post_writes_the_same_rows_both_ways(known: Door) -> None:
    body = evaluation("c-1", "c-2", triggered_by="ci", run_analyzer=True, use_cache=False)
    body["conversations"][0] |= {"labels": {"shop": "Mji Mpya ☕"}, "domain": "tea", "source": "phone"}
    long = known.post("evaluations/", body)
    short = short_post(known, body)
    ids = [long.json(), taken(short)]
    assert short is not None
    assert headers_of(short) == {name.lower(): value for name, value in long.items() if name.lower() != "vary"}
    assert ids[0].keys() == ids[1].keys()
    with in_tenant("acme"):
        one, other = (_rows(found) for found in ids)
    assert one == other
    assert known.client.get(ids[1]["status_url"], headers=known.headers({})).json()["status"] == "pending"


def _rows(found: dict[str, Any]) -> list[Any]:
    """Everything a post wrote, without ids and times."""
    own = ("id", "created_at", "progress_at", "started_at", "ended_at", "run_id", "conversation_id", "evaluation_id")
    evaluation = Evaluation.objects.get(pk=found["id"])
    conversations = Conversation.objects.filter(run=found["test_run_id"]).order_by("position")
    kinds = (
        [evaluation, evaluation.run],
        conversations,
        Turn.objects.filter(conversation__in=conversations).order_by("conversation__position", "position"),
        Judgement.objects.filter(evaluation=evaluation).order_by("conversation__position"),
    )
    plain = [
        {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if field.attname not in own}
        for rows in kinds
        for row in rows
    ]
    assert len(plain) == 2 + 2 + 4 + 2
    return plain


def test_one_statement_does_it(known: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    made = taken(short_post(known, evaluation()))
    asked: list[str] = []
    monkeypatch.setattr(prepared, "ask_prepared", _noting(asked, prepared.ask_prepared))
    monkeypatch.setattr(inserting, "ask_prepared", prepared.ask_prepared)
    monkeypatch.setattr(status, "ask_prepared", prepared.ask_prepared)
    with CaptureQueriesContext(connection) as by_django:
        taken(short_post(known, evaluation(), idempotency_key="one"))
        taken(short_post(known, evaluation("c-1", "c-2")))
        assert short_get(known, f"evaluations/{made['id']}/status/") is not None
    assert (len(asked), len(by_django)) == (3, 0)


def _noting(asked: list[str], real: Callable[..., Any]) -> Callable[..., Any]:
    def ask(sql: str, *given: Any, **more: Any) -> Any:
        asked.append(sql)
        return real(sql, *given, **more)

    return ask


def test_an_idempotency_key_works_across_both_ways(known: Door) -> None:
    body = evaluation()
    first = taken(short_post(known, body, idempotency_key="a"))
    before = row_counts("acme")
    assert short_post(known, body, idempotency_key="a") is None
    again = known.post("evaluations/", body, idempotency_key="a")
    assert (again.status_code, again.json(), again["Idempotency-Replayed"]) == (202, first, "true")
    other = known.post("evaluations/", evaluation("c-2"), idempotency_key="a")
    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    known.post("evaluations/", body, idempotency_key="b")
    assert short_post(known, body, idempotency_key="b") is None
    assert row_counts("acme")["evaluations.Evaluation"] == before["evaluations.Evaluation"] + 1
    assert taken(short_post(known, body, idempotency_key='"c"')), "quoted, as the draft has it"
    assert known.post("evaluations/", body, idempotency_key="c")["Idempotency-Replayed"] == "true"


def test_an_answer_that_may_be_forgotten_is_the_long_ways(known: Door) -> None:
    taken(short_post(known, evaluation(), idempotency_key="old"))
    with in_tenant("acme"):
        IdempotencyRecord.objects.update(expires_at=timezone.now())
    assert short_post(known, evaluation(), idempotency_key="old") is None
    assert "Idempotency-Replayed" not in known.post("evaluations/", evaluation(), idempotency_key="old")


KEY_CHANGES: dict[str, dict[str, Any]] = {
    "revoked": {"revoked_at": "2026-11-21T00:00:00Z"},
    "expired": {"expires_at": "2026-11-01T00:00:00Z"},
    "out of scope": {"may_read": False, "may_write": False},
    "limited": {"requests_per_minute": 7},
    "not used for a minute": {"last_used_at": "2026-11-01T00:00:00Z"},
    "another one": {"digest": "0" * 64},
}


@pytest.mark.parametrize("change", KEY_CHANGES.values(), ids=KEY_CHANGES.keys())
def test_a_key_that_is_not_what_it_was_opens_nothing(known: Door, change: dict[str, Any]) -> None:
    made = taken(short_post(known, evaluation()))
    with in_tenant("acme"):
        ApiKey.objects.update(**change)
    before = row_counts("acme")
    assert short_post(known, evaluation()) is None
    assert short_post(known, evaluation(), idempotency_key="x") is None
    assert short_get(known, f"evaluations/{made['id']}/status/") is None
    assert row_counts("acme") == before


def test_a_read_key_does_not_write_and_a_write_key_does_not_read(known: Door) -> None:
    made = taken(short_post(known, evaluation()))
    path = f"evaluations/{made['id']}/status/"
    with in_tenant("acme"):
        ApiKey.objects.update(may_write=False)
    assert short_post(known, evaluation()) is None
    assert short_get(known, path) is not None
    with in_tenant("acme"):
        ApiKey.objects.update(may_write=True, may_read=False)
    assert short_get(known, path) is None
    assert short_post(known, evaluation()) is not None


def _new_version() -> None:
    row = EvaluatorConfigVersion.objects.get(config__name=CONFIG)
    draft = create_draft(config=CONFIG, content={"criteria": row.criteria})
    publish(version_id=draft, at=timezone.now(), by="test")


CATALOG_CHANGES: dict[str, Callable[[], Any]] = {
    "a new version": _new_version,
    "a criterion taken out": lambda: Criterion.objects.order_by("name").first().delete(),  # type: ignore[union-attr]
    "a provider": lambda: save_model_provider(
        name="openai", kind="openai", base_url="http://127.0.0.1:9/", api_key="k"
    ),
    "the tenant's models": lambda: update_workflow_config(
        slug="acme", changes={"models": {"judge": {"provider": "openai", "model": "gpt-4o"}}}
    ),
}


@pytest.mark.parametrize("change", CATALOG_CHANGES.values(), ids=CATALOG_CHANGES.keys())
def test_what_a_config_means_is_asked_each_time(known: Door, change: Callable[[], Any]) -> None:
    taken(short_post(known, evaluation()))
    with in_tenant("acme"):
        change()
    before = row_counts("acme")
    assert short_post(known, evaluation()) is None
    assert row_counts("acme") == before
    middleware._lookups.clear()
    long = known.post("evaluations/", evaluation())
    short = short_post(known, evaluation())
    assert (short is not None) == (long.status_code == 202)
    if short is not None:
        with in_tenant("acme"):
            rows = [Evaluation.objects.get(pk=pk) for pk in (long.json()["id"], taken(short)["id"])]
        assert rows[0].config_ref == rows[1].config_ref
        assert rows[0].snapshot == rows[1].snapshot
        assert rows[0].options == rows[1].options


def test_tenants_stay_apart(known: Door, beta: Door) -> None:
    beta.get("evaluations/")
    ids = {door.tenant: taken(short_post(door, evaluation("same"), idempotency_key="same")) for door in (known, beta)}
    for door, other in ((known, beta), (beta, known)):
        own = ids[door.tenant]
        for path in (f"evaluations/{own['id']}/status/", f"test-runs/{own['test_run_id']}/status/"):
            assert short_get(door, path) is not None
            assert short_get(other, path) is None
        borrowed = Door(other.tenant, door.bearer)
        assert short_post(borrowed, evaluation()) is None
        with in_tenant(door.tenant):
            assert [str(pk) for pk in Evaluation.objects.values_list("pk", flat=True)] == [own["id"]]
    assert current_schema() == "public"


def test_a_limit_counts_both_ways_once(known: Door, settings: Any) -> None:
    made = taken(short_post(known, evaluation()))
    cache.clear()
    settings.API_REQUESTS_PER_MINUTE = 3
    path = f"evaluations/{made['id']}/status/"
    assert short_get(known, path) is not None
    assert known.get(path).status_code == 200
    assert short_get(known, path) is not None
    assert short_get(known, path) is None
    assert known.get(path).status_code == 429


ODD: dict[str, dict[str, Any]] = {
    "a query": {"query_string": b"x=1"},
    "a method": {"method": "HEAD"},
    "no such id": {"path": "/api/v1/evaluations/01a1fd8e-21a8-7fbc-b38a-41d2fa4d2fe9/status/"},
    "no id": {"path": "/api/v1/evaluations/x/status/"},
    "no host": {"headers": []},
}


@pytest.mark.parametrize("change", ODD.values(), ids=ODD.keys())
def test_what_is_unusual_goes_the_long_way(known: Door, change: dict[str, Any]) -> None:
    made = taken(short_post(known, evaluation()))
    scope = scope_of(known, "GET", f"evaluations/{made['id']}/status/")
    assert answer(dict(scope), b"") is not None
    assert answer(scope | change, b"") is None
    assert answer(scope | {"headers": [*scope["headers"], scope["headers"][1]]}, b"") is None, "a header twice"


BODIES: dict[str, Any] = {
    "no JSON": b"{",
    "not finite": b'{"evaluator_config": NaN}',
    "an unknown field": evaluation(colour="red"),
    "an unknown config": evaluation() | {"evaluator_config": "nobody"},
    "a run": {"evaluator_config": CONFIG, "test_run_id": "01a1fd8e-21a8-7fbc-b38a-41d2fa4d2fe9"},
    "nothing said": {"evaluator_config": CONFIG, "conversations": [conversation() | {"turns": []}]},
    "an id twice": evaluation("c", "c"),
    "a callback inside": evaluation(callback_url="http://127.0.0.1/"),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_what_is_refused_leaves_nothing(known: Door, body: Any) -> None:
    before = row_counts("acme")
    assert short_post(known, body) is None
    assert short_post(known, body, idempotency_key="r") is None
    assert row_counts("acme") == before


def test_other_media_signed_bodies_and_bad_keys_go_the_long_way(known: Door) -> None:
    body = evaluation()
    for headers in (
        {"content_type": "text/plain"},
        {"content_encoding": "gzip"},
        {"webhook_signature": "v1,x"},
        {"idempotency_key": "a key"},
        {"authorization": "Basic x"},
        {"host": "nobody.localhost"},
        {"host": "acme.localhost:1@evil"},
    ):
        assert short_post(known, body, **headers) is None
    with in_tenant("acme"):
        assert not Evaluation.objects.exists()


def test_behind_a_proxy_only_https_is_served(known: Door, settings: Any) -> None:
    settings.SECURE_PROXY_SSL_HEADER, settings.SECURE_SSL_REDIRECT = ("HTTP_X_FORWARDED_PROTO", "https"), True
    assert short_post(known, evaluation()) is None
    made = taken(short_post(known, evaluation(), x_forwarded_proto="https"))
    assert made["status_url"].startswith("https://acme.localhost/api/v1/")


def test_a_tenant_that_was_closed_is_not_served_longer_than_by_the_long_way(
    known: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1e9]
    monkeypatch.setattr(middleware, "monotonic", lambda: clock[0])
    known.get("evaluations/")
    assert short_post(known, evaluation()) is not None
    Tenant.objects.filter(slug="acme").update(suspended=True)
    clock[0] += 61
    assert short_post(known, evaluation()) is None
    assert known.get("evaluations/").status_code == 404
