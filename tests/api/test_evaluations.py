"""The evaluator webhook: taken in once, found again, watched."""

import json
import uuid
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from standardwebhooks.webhooks import Webhook

from apps.api.models import ApiKey, IdempotencyRecord, WebhookKey
from apps.api.services.idempotency import evict_cached
from apps.api.services.keys import add_webhook_key, revoke_key
from apps.connectors.signatures import new_secret
from apps.evaluations.models import Evaluation
from apps.runs.models import Conversation, TestRun
from apps.tenants.context import in_tenant
from tests.api.api_client import CONFIG, Door, conversation, evaluation, row_counts
from tests.shared_data import SHARED


def test_inline_conversations_become_a_run_and_an_evaluation(acme: Door) -> None:
    answer = acme.post("evaluations/", evaluation("c-1", "c-2", triggered_by="runner"))
    assert answer.status_code == 202, answer.content
    taken = answer.json()
    assert taken["status"] == "pending"
    assert taken["status_url"] == f"http://acme.localhost/api/v1/evaluations/{taken['id']}/status/"
    with in_tenant("acme"):
        row = Evaluation.objects.get()
        assert (str(row.id), str(row.run_id), row.triggered_by) == (taken["id"], taken["test_run_id"], "runner")
        assert list(Conversation.objects.values_list("external_id", flat=True)) == ["c-1", "c-2"]


def test_a_run_that_exists_can_be_evaluated_again_with_a_fixed_version(acme: Door) -> None:
    first = acme.post("evaluations/", evaluation()).json()
    again = acme.post("evaluations/", {"test_run_id": first["test_run_id"], "evaluator_config": f"{CONFIG}@1"})
    assert again.status_code == 202
    assert again.json()["test_run_id"] == first["test_run_id"]
    assert again.json()["id"] != first["id"]


def test_openai_messages_are_taken_for_turns(acme: Door) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "book", "arguments": '{"at": "10:00"}'}}
    messages = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [call], "mood": "cheerful"},
    ]
    body = {"evaluator_config": CONFIG, "conversations": [{"id": "m", "messages": messages}]}
    run = acme.post("evaluations/", body).json()["test_run_id"]
    found = acme.get(f"test-runs/{run}/conversations/").json()["results"][0]
    assert found["turns"][1]["mood"] == "cheerful"  # a field of the reader's own
    assert found["turns"][1]["tool_calls"] == [{"id": "1", "name": "book", "arguments": {"at": "10:00"}}]


def test_what_was_asked_for_can_be_read_back(acme: Door) -> None:
    taken = acme.post("evaluations/", evaluation()).json()
    found = acme.get(f"evaluations/{taken['id']}/").json()
    assert found["test_run_id"] == taken["test_run_id"]
    assert found["evaluator_config"] == f"{CONFIG}@1"
    assert found["status"] == "pending"
    assert found["weighted_score"] is None
    assert [one["name"] for one in found["criteria_snapshot"]] == ["warms_the_pot", "offers_milk"]
    judgements = acme.get(f"evaluations/{taken['id']}/judgements/").json()
    assert [one["status"] for one in judgements["results"]] == ["pending"]
    assert judgements["next"] is None


# --- Signatures -----------------------------------------------------------------------------------------------------
def test_the_standard_library_signs_to_us(acme: Door) -> None:
    answer = acme.signed("evaluations/", evaluation(), acme.secret)
    assert answer.status_code == 202, answer.content


def test_two_keys_are_live_while_rotating_and_a_revoked_one_is_not(acme: Door) -> None:
    with in_tenant("acme"):
        second = add_webhook_key()
    for secret in (acme.secret, second.secret):
        assert acme.signed("evaluations/", evaluation(), secret).status_code == 202
    with in_tenant("acme"):
        revoke_key(model=WebhookKey, key_id=second.id, now=datetime.now(UTC))
    assert acme.signed("evaluations/", evaluation(), acme.secret).status_code == 202
    assert acme.signed("evaluations/", evaluation(), second.secret).status_code == 401


@pytest.mark.parametrize(
    "change, code",
    [
        ({"at": timedelta(seconds=-301)}, "signature_expired"),
        ({"at": timedelta(seconds=330)}, "signature_expired"),  # whole seconds pass while the request is made
        ({"webhook_signature": "v1,AAAA"}, "signature_mismatch"),
        ({"webhook_signature": "nonsense"}, "signature_malformed"),
        ({"webhook_signature": "v1,a,b v1"}, "signature_mismatch"),
        ({"webhook_timestamp": "soon"}, "signature_malformed"),
        ({"webhook_id": "msg_other"}, "signature_mismatch"),
        ({"secret": new_secret()}, "signature_mismatch"),
    ],
)
def test_a_signature_that_is_old_or_wrong_is_401_and_changes_nothing(acme: Door, change: dict, code: str) -> None:
    before = row_counts("acme")
    given = dict(change)
    if "at" in given:
        given["at"] = datetime.now(UTC) + given["at"]
    answer = acme.signed("evaluations/", evaluation(), given.pop("secret", acme.secret), **given)
    if "webhook_id" in change:  # the signature was made for another id
        stamp = str(int(datetime.now(UTC).timestamp()))
        signature = Webhook(acme.secret).sign("msg_first", datetime.now(UTC), "{}")
        headers = {"webhook_id": "msg_other", "webhook_timestamp": stamp, "webhook_signature": signature}
        answer = Door("acme").post("evaluations/", "{}", **headers)
    assert (answer.status_code, answer.json()["code"]) == (401, code)
    assert answer["WWW-Authenticate"].startswith("Bearer")
    assert row_counts("acme") == before


def test_a_key_of_another_tenant_signs_nothing_here(acme: Door, beta: Door) -> None:
    assert acme.signed("evaluations/", evaluation(), beta.secret).status_code == 401
    assert Door("acme", beta.bearer).get("evaluations/").status_code == 401


def test_a_signature_is_for_posting_not_for_reading(acme: Door) -> None:
    signed = {"webhook_id": "m", "webhook_timestamp": "1", "webhook_signature": "v1,AA=="}
    answer = Door("acme").get("evaluations/", **signed)
    assert (answer.status_code, answer.json()["code"]) == (401, "signature_not_usable")


# --- Once -----------------------------------------------------------------------------------------------------
def test_the_same_key_and_body_get_the_stored_answer(acme: Door) -> None:
    first = acme.post("evaluations/", evaluation(), idempotency_key="k-1")
    assert "Idempotency-Replayed" not in first
    before = row_counts("acme")
    again = acme.post("evaluations/", evaluation(), idempotency_key='"k-1"')  # quoted, as the draft has it
    assert (again.status_code, again.json()) == (202, first.json())
    assert again["Idempotency-Replayed"] == "true"
    assert row_counts("acme") == before


def test_the_same_key_with_another_body_is_422(acme: Door) -> None:
    acme.post("evaluations/", evaluation(), idempotency_key="k-1")
    before = row_counts("acme")
    for body in (evaluation("c-2"), {"nonsense": 1}):
        answer = acme.post("evaluations/", body, idempotency_key="k-1")
        assert (answer.status_code, answer.json()["code"]) == (422, "key_reused")
    assert row_counts("acme") == before


def test_a_signed_message_sent_again_gets_the_stored_answer(acme: Door) -> None:
    first = acme.signed("evaluations/", evaluation(), acme.secret, id="msg_1")
    later = datetime.now(UTC) + timedelta(seconds=60)
    again = acme.signed("evaluations/", evaluation(), acme.secret, id="msg_1", at=later)
    assert again.json() == first.json()
    assert again["Idempotency-Replayed"] == "true"
    other = acme.signed("evaluations/", evaluation("c-2"), acme.secret, id="msg_1")
    assert other.status_code == 422


def test_a_captured_message_cannot_be_taken_elsewhere_or_under_a_new_key(acme: Door) -> None:
    acme.signed("evaluations/", evaluation(), acme.secret, id="msg_1")
    elsewhere = acme.signed("test-runs/", evaluation(), acme.secret, id="msg_1")
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (422, "key_reused")
    before = row_counts("acme")["evaluations.Evaluation"]
    renewed = acme.signed("evaluations/", evaluation(), acme.secret, id="msg_1", idempotency_key="fresh")
    assert renewed["Idempotency-Replayed"] == "true"
    assert row_counts("acme")["evaluations.Evaluation"] == before


def test_a_refused_request_leaves_its_key_free(acme: Door) -> None:
    before = row_counts("acme")
    assert acme.post("evaluations/", {"evaluator_config": CONFIG}, idempotency_key="k-1").status_code == 400
    assert row_counts("acme") == before
    assert acme.post("evaluations/", evaluation(), idempotency_key="k-1").status_code == 202


def test_a_key_is_the_callers_own_and_the_addresss_own(acme: Door) -> None:
    assert acme.post("evaluations/", evaluation(), idempotency_key="k-1").status_code == 202
    run = {"kind": "battle", "agent": "waiter", "scenarios": "all"}
    assert acme.post("test-runs/", run, idempotency_key="k-1").status_code == 202
    signed = acme.signed("evaluations/", evaluation("c-9"), acme.secret, idempotency_key="k-1")
    assert signed.status_code == 202


# --- Keys -----------------------------------------------------------------------------------------------------
def test_scopes_expiry_and_revocation(acme: Door) -> None:
    with in_tenant("acme"):
        key = ApiKey.objects.get()
    assert acme.get("evaluations/").status_code == 200

    def set(**fields: object) -> None:
        with in_tenant("acme"):
            ApiKey.objects.filter(pk=key.pk).update(**fields)

    set(may_write=False)
    assert acme.post("evaluations/", evaluation()).json()["code"] == "scope_missing"
    set(may_write=True, may_read=False)
    assert acme.get("evaluations/").status_code == 403
    assert acme.post("evaluations/", evaluation()).status_code == 202
    set(expires_at=datetime.now(UTC))
    assert acme.get("evaluations/").json()["code"] == "key_expired"
    set(expires_at=None, revoked_at=datetime.now(UTC))
    assert acme.get("evaluations/").json()["code"] == "key_revoked"


def test_last_use_is_written_once_a_minute(acme: Door) -> None:
    acme.get("evaluations/")
    with in_tenant("acme"):
        first = ApiKey.objects.get().last_used_at
    acme.get("evaluations/")
    with in_tenant("acme"):
        assert ApiKey.objects.get().last_used_at == first
        ApiKey.objects.update(last_used_at=first - timedelta(seconds=61))
    acme.get("evaluations/")
    with in_tenant("acme"):
        assert ApiKey.objects.get().last_used_at > first - timedelta(seconds=1)


def test_too_many_requests_of_one_key_are_told_when_to_come_back(acme: Door) -> None:
    with in_tenant("acme"):
        ApiKey.objects.update(requests_per_minute=3)
    statuses = [acme.get("evaluations/").status_code for _ in range(8)]  # a minute may turn in between
    assert 429 in statuses
    assert statuses.count(200) in range(3, 7)
    answer = next(one for one in (acme.get("evaluations/") for _ in range(8)) if one.status_code == 429)
    assert 1 <= int(answer["Retry-After"]) <= 60
    assert answer.json()["code"] == "throttled"
    assert acme.signed("evaluations/", evaluation(), acme.secret).status_code == 202, "another caller is not held up"


# --- Lists -----------------------------------------------------------------------------------------------------
def test_pages_lead_through_everything_forwards_and_back(acme: Door) -> None:
    taken = acme.post("evaluations/", evaluation(*(f"c-{n}" for n in range(7)))).json()
    address, forwards = f"evaluations/{taken['id']}/judgements/?limit=3", []
    while address:
        page = acme.get(address).json()
        forwards.append([one["conversation_id"] for one in page["results"]])
        last, address = page, page["next"]
    assert [len(ids) for ids in forwards] == [3, 3, 1]
    assert len({one for ids in forwards for one in ids}) == 7
    back = acme.get(last["previous"]).json()
    assert [one["conversation_id"] for one in back["results"]] == forwards[1]
    first = acme.get(back["previous"]).json()
    assert [one["conversation_id"] for one in first["results"]] == forwards[0]
    assert first["previous"] is None
    assert [one["conversation_id"] for one in acme.get(first["next"]).json()["results"]] == forwards[1]


def test_lists_are_newest_first(acme: Door) -> None:
    ids = [acme.post("evaluations/", evaluation(f"c-{n}")).json()["id"] for n in range(3)]
    assert [one["id"] for one in acme.get("evaluations/").json()["results"]] == ids[::-1]
    assert len(acme.get("test-runs/").json()["results"]) == 3


def test_nothing_is_there_for_an_id_nobody_has(acme: Door) -> None:
    for path in ("", "status/", "judgements/"):
        answer = acme.get(f"evaluations/{uuid.uuid4()}/{path}")
        assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


def test_a_cancelled_run_has_nothing_to_judge(acme: Door) -> None:
    run = acme.post("test-runs/", {"kind": "battle", "agent": "waiter", "scenarios": ["afternoon"]}).json()["id"]
    assert acme.post(f"test-runs/{run}/cancel/").status_code == 200
    answer = acme.post("evaluations/", {"test_run_id": run, "evaluator_config": CONFIG})
    assert (answer.status_code, answer.json()["code"]) == (409, "run_cancelled")
    with in_tenant("acme"):
        assert TestRun.objects.get().status == "cancelled"


def test_400_turns_and_500_conversations_are_taken(acme: Door) -> None:
    body = evaluation()
    body["conversations"] = [conversation("long", turns=400)] + [conversation(f"c-{n}", turns=1) for n in range(499)]
    assert acme.post("evaluations/", body).status_code == 202


VECTORS = SHARED / "data/conformance/standard-webhooks/vectors.json"


@pytest.mark.shared
def test_the_published_vectors_at_the_door(acme: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = json.loads(VECTORS.read_text())["cases"]
    assert len(cases) == 8
    for case in cases:
        with in_tenant("acme"):
            WebhookKey.objects.all().delete()
            WebhookKey.objects.create(secret=case["secret"])
        clock = SimpleNamespace(now=lambda case=case: datetime.fromtimestamp(case["now"], UTC))
        monkeypatch.setattr("apps.api.authentication.timezone", clock)
        headers = {name.replace("-", "_"): value for name, value in case["headers"].items()}
        answer = Door("acme").post("evaluations/", case["body"], **headers)
        expected = (400, "required") if case["valid"] else (401, answer.json()["code"])  # signed, but asks for nothing
        assert (answer.status_code, answer.json()["code"]) == expected, case["name"]


def test_an_answer_is_forgotten_after_a_day(acme: Door) -> None:
    first = acme.post("evaluations/", evaluation(), idempotency_key="k-1").json()
    with in_tenant("acme"):
        IdempotencyRecord.objects.update(expires_at=datetime.now(UTC))
    again = acme.post("evaluations/", evaluation("c-2"), idempotency_key="k-1")
    assert again.status_code == 202
    assert again.json()["id"] != first["id"]
    with in_tenant("acme"):
        assert IdempotencyRecord.objects.count() == 1
        assert evict_cached(now=datetime.now(UTC)) == 0
        assert evict_cached(now=datetime.now(UTC) + timedelta(hours=25)) == 1
