"""What a request costs in statements, held; and that sharing a connection mixes no tenants."""

from django.db import connection

from apps.api.models import ApiKey
from apps.evaluations.models import Evaluation
from apps.runs.models import Conversation
from apps.tenants.context import in_tenant
from tests.api.api_client import Door, evaluation
from tests.catalog.samples import questions

# Looking up the tenant is one of each: tests do not keep it (tests/conftest.py); a server asks once a second.
# Of a post, one asks whether the tenant stores masked.
POST, POST_WITH_KEY, REPLAYED, POLL = 5, 8, 4, 3


def statements(ask, status: int) -> int:
    with questions() as asked:
        answer = ask()
    assert answer.status_code == status, answer.content
    return len(asked)


def test_posts_and_polls_cost_few_statements_whatever_their_size(acme: Door) -> None:
    taken = acme.post("evaluations/", evaluation()).json()  # the version is read once in a process
    many = evaluation(*(f"c-{n}" for n in range(300)))
    for body in (evaluation(), many):
        assert statements(lambda body=body: acme.post("evaluations/", body), 202) == POST
    for key, body in (("one", evaluation()), ("many", many)):
        keyed = lambda body=body, key=key: acme.post("evaluations/", body, idempotency_key=key)  # noqa: E731 - a call
        assert statements(keyed, 202) == POST_WITH_KEY
        assert statements(keyed, 202) == REPLAYED
    for path in (f"evaluations/{taken['id']}/status/", f"test-runs/{taken['test_run_id']}/status/"):
        assert statements(lambda path=path: acme.get(path), 200) == POLL


def test_two_tenants_taking_turns_on_one_connection_never_cross(acme: Door, beta: Door) -> None:
    """Same external ids, same config name, same Idempotency-Key; refusals and roll-backs in between."""
    backend = connection.connection
    taken: dict[str, list[str]] = {"acme": [], "beta": []}
    for turn in range(4):
        for door in (acme, beta):
            answer = door.post("evaluations/", evaluation("c-1"), idempotency_key=f"same-{turn}")
            assert answer.status_code == 202, answer.content
            assert "Idempotency-Replayed" not in answer
            taken[door.tenant].append(answer.json()["id"])
            unknown = {"evaluator_config": "nobody", "conversations": evaluation()["conversations"]}
            assert door.post("evaluations/", unknown, idempotency_key=f"refused-{turn}").status_code == 404
    assert connection.connection is backend, "one connection served both"
    for door, other in ((acme, beta), (beta, acme)):
        with in_tenant(door.tenant):
            assert {str(pk) for pk in Evaluation.objects.values_list("pk", flat=True)} == set(taken[door.tenant])
            assert Conversation.objects.count() == 4
        for id in taken[door.tenant]:
            assert door.get(f"evaluations/{id}/status/").status_code == 200
            assert other.get(f"evaluations/{id}/status/").status_code == 404
            assert other.get(f"evaluations/{id}/").status_code == 404


def test_a_key_that_was_revoked_is_refused_by_the_next_request(acme: Door) -> None:
    assert acme.get("evaluations/").status_code == 200
    with in_tenant("acme"):
        ApiKey.objects.update(revoked_at="2026-11-21T00:00:00Z")
    answer = acme.get("evaluations/")
    assert (answer.status_code, answer.json()["code"]) == (401, "key_revoked")
