"""Nobody sees another tenant's rows: every address the resolver knows is asked with another tenant's ids and keys."""

import re
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import URLPattern, get_resolver

from apps.api.services.keys import add_api_key
from apps.catalog.models import Agent, PersonaGeneration, Scenario
from apps.catalog.prompts.services.recording import record_prompt_text
from apps.erasure.domain.subject import read_request
from apps.erasure.services.requests import request_erasure
from apps.gates.domain.gate_states import GateKind
from apps.gates.domain.policy import GatePolicy
from apps.gates.models import PullRequestGate, SnapshotReview
from apps.improvement.drafts.services.drafting import DraftSource, create_draft
from apps.improvement.models import Analysis, FixProposal, Optimization, Playground, PromptDraft, Trial
from apps.production.models import Promotion
from apps.production.rollouts.domain.request import RolloutRequest
from apps.production.rollouts.services.steering import start_rollout
from apps.runs.models import Conversation, PulledTurn
from apps.tenants.context import in_tenant
from apps.tenants.domain.rights import Right
from apps.tenants.domain.roles import KeyScope
from tests.api.api_client import Door, evaluation, row_counts
from tests.api.secret_rows import secret_rows
from tests.catalog.samples import NOW

PREFIX = "api/v1/"
PUBLIC = {
    "schema/", "docs/",  # describe the API, hold nothing of any tenant
    "feedback/whatsapp/",  # opened by Meta's signature over the raw bytes alone (test_whatsapp.py)
}  # fmt: skip
ELSEWHERE = "<path:rest>"
ID_OF = {
    "test-runs/": "test_run_id", "personas/generations/": "generation_id", "personas/": "persona_id",
    "gates/": "gate_id", "pulled-turns/": "pulled_id", "snapshots/": "snapshot_id",
    "drafts/": "draft_id", "proposals/": "proposal_id", "trials/": "trial_id",
    "scenarios/": "scenario_id", "promotions/": "promotion_id", "rollouts/": "rollout_id",
    "playground/": "playground_id", "optimizations/": "optimization_id",
    "erasures/": "erasure_id", "failure-modes/groupings/": "grouping_id", "failure-modes/": "mode_id",
    "review-queues/": "queue_id", "saved-views/": "view_id",
}  # fmt: skip
QUERIES = dict.fromkeys(("gates/baselines/", "gates/acceptances/"), "?agent=waiter&commit=abcdef0") | {
    "prompt-versions/compare/": "?versions=secret-1@1,secret-1@2",
    "prompts/<str:role>/resolve/": "?conversation_id=c",
    "search/": "?q=nothing",
}


def addresses() -> list[str]:
    """From the resolver itself: a new address without an expectation fails below."""
    resolver = next(one for one in get_resolver("ratiba_eval.urls").url_patterns if str(one.pattern) == PREFIX)
    assert all(isinstance(one, URLPattern) for one in resolver.url_patterns)
    return [str(one.pattern) for one in resolver.url_patterns]


ADDRESSES = [one for one in addresses() if one not in PUBLIC | {ELSEWHERE}]
METHODS = {
    "catalog/": ("get",),
    "catalog/import/": ("post",),
    "evaluations/": ("get", "post"),
    "evaluations/<uuid:id>/": ("get",),
    "evaluations/<uuid:id>/status/": ("get",),
    "evaluations/<uuid:id>/cancel/": ("post",),
    "evaluations/<uuid:id>/judgements/": ("get",),
    "evaluations/<uuid:id>/analyses/": ("get", "post"),
    "evaluations/<uuid:id>/comparison/<uuid:other>/": ("get",),
    "evaluations/<uuid:id>/reliability/": ("get",),
    "evaluations/<uuid:id>/slices/": ("get",),
    "failure-modes/": ("get", "post"),
    "failure-modes/groupings/": ("post",),
    "failure-modes/groupings/<uuid:id>/": ("get",),
    "failure-modes/<uuid:id>/": ("get",),
    **{
        f"failure-modes/<uuid:id>/{verb}/": ("post",)
        for verb in ("accept", "criterion", "fix", "merge", "notes", "reject", "rename")
    },
    "notes/": ("get", "post"),
    "review-queues/": ("get", "post"),
    "saved-views/": ("get", "post"),
    "saved-views/<uuid:id>/remove/": ("post",),
    "saved-views/<uuid:id>/share/": ("post",),
    "review-queues/<uuid:id>/": ("get",),
    "review-queues/<uuid:id>/ratings/": ("get",),
    **{f"review-queues/<uuid:id>/{verb}/": ("post",) for verb in ("assign", "close", "reopen", "resolve")},
    "search/": ("get",),
    "personas/generate/": ("post",),
    "personas/generate/forecast/": ("post",),
    "personas/generations/<uuid:id>/": ("get",),
    "personas/": ("get",),
    "personas/<uuid:id>/": ("get",),
    **{f"personas/<uuid:id>/{verb}/": ("post",) for verb in ("validate", "override", "release", "resubmit", "archive")},
    "gates/": ("get", "post"),
    "gates/<uuid:id>/": ("get",),
    "gates/<uuid:id>/junit/": ("get",),
    "gates/<uuid:id>/report/": ("get",),
    "gates/<uuid:id>/own-versions/": ("post",),
    "gates/<uuid:id>/acceptance/": ("post",),
    "gates/acceptances/": ("get",),
    "gates/baselines/": ("get",),
    "gates/floors/": ("get",),
    "trends/": ("get",),
    "production/anchors/": ("get", "post"),
    "production/state/": ("get",),
    "golden-sessions/": ("get", "post"),
    "feedback/": ("post",),
    "erasures/": ("post",),
    "erasures/<uuid:id>/": ("get",),
    "otlp/v1/traces": ("post",),
    "production/conversations/": ("post",),
    "promotions/": ("post",),
    "promotions/<uuid:id>/": ("get",),
    "scenarios/": ("get",),
    "scenarios/<uuid:id>/": ("get",),
    "scenarios/<uuid:id>/release/": ("post",),
    "scenarios/<uuid:id>/archive/": ("post",),
    "snapshots/": ("get", "post"),
    "snapshots/<uuid:id>/": ("get",),
    "prompts/": ("get", "post"),
    "drafts/": ("get", "post"),
    "drafts/combine/": ("post",),
    "proposals/": ("get", "post"),
    "proposals/<uuid:id>/": ("get",),
    "test-runs/<uuid:id>/evaluators/": ("get",),
    "test-runs/<uuid:id>/matrix/": ("get",),
    "playground/": ("post",),
    "playground/<uuid:id>/": ("get",),
    "drafts/<uuid:id>/": ("get",),
    "drafts/<uuid:id>/reject/": ("post",),
    "drafts/<uuid:id>/trials/": ("get", "post"),
    "drafts/<uuid:id>/release/": ("get", "post"),
    "prompt-templates/": ("get",),
    "optimizations/": ("get", "post"),
    "optimizations/<uuid:id>/": ("get",),
    "optimizations/<uuid:id>/matrix/": ("get",),
    **{f"optimizations/<uuid:id>/{verb}/": ("post",) for verb in ("combine", "prove", "cancel")},
    "trials/hold-out/": ("get", "post"),
    "trials/<uuid:id>/": ("get",),
    **{f"trials/<uuid:id>/{verb}/": ("post",) for verb in ("cancel", "lift")},
    "prompt-versions/compare/": ("get",),
    "prompts/routes/": ("get",),
    "prompts/<str:role>/resolve/": ("get",),
    "rollouts/": ("get", "post"),
    "rollouts/<uuid:id>/": ("get",),
    **{f"rollouts/<uuid:id>/{verb}/": ("post",) for verb in ("change", "try", "promote", "rollback", "stop")},
    **{f"pulled-turns/{what}/": ("post",) for what in ("lease", "<uuid:id>/extend", "<uuid:id>/reply")},
    "test-runs/": ("get", "post"),
    "test-runs/forecast/": ("post",),
    "test-runs/<uuid:id>/": ("get",),
    "test-runs/<uuid:id>/conversations/": ("get",),
    "test-runs/<uuid:id>/checks/": ("get", "post"),
    "test-runs/<uuid:id>/report/": ("get",),
    "test-runs/<uuid:id>/report/summary/": ("post",),
    "test-runs/<uuid:id>/status/": ("get",),
    **{
        f"test-runs/<uuid:id>/{verb}/": ("post",)
        for verb in ("pause", "resume", "cancel", "requeue", "reconcile", "rerun")
    },
}
PEOPLE_ONLY = {
    "gates/<uuid:id>/acceptance/", "drafts/<uuid:id>/release/", "trials/<uuid:id>/lift/",
    "rollouts/<uuid:id>/promote/", "saved-views/", "saved-views/<uuid:id>/share/", "saved-views/<uuid:id>/remove/",
}  # fmt: skip
PAIRS = [(address, method) for address in ADDRESSES for method in METHODS.get(address, ())]


def filled(address: str, taken: dict[str, str]) -> str:
    of = next((name for start, name in ID_OF.items() if address.startswith(start)), "id")
    found = address.replace("<uuid:id>", taken[of]).replace("<str:role>", "secret-1") + QUERIES.get(address, "")
    return found.replace("<uuid:other>", taken["other"])


def ask(door: Door, method: str, address: str, body: Any = None, **headers: str) -> Any:
    return door.get(address, **headers) if method == "get" else door.post(address, body, **headers)


def test_every_address_has_an_expectation() -> None:
    assert set(ADDRESSES) == set(METHODS)


def secret_draft() -> uuid.UUID:
    record_prompt_text(name="host", text="Say secret-1.", revision="a1")
    return create_draft(name="host", text="Say secret-1 slowly.", source=DraftSource(by="secret-1"))


def secret_proposal(evaluation_id: str, draft_id: uuid.UUID) -> FixProposal:
    analysis = Analysis.objects.create(evaluation_id=evaluation_id, findings=[{"title": "secret-1"}])
    line = PromptDraft.objects.get(pk=draft_id).line
    return FixProposal.objects.create(analysis=analysis, finding_number=1, line=line, requested_by="secret-1")


def secret_optimization(evaluation_id: str, draft_id: uuid.UUID) -> Optimization:
    line = PromptDraft.objects.get(pk=draft_id).line
    choices = {"evaluator_config": "tea-service@1", "agent": "secret-1", "personas": [], "repeats": 1, "seed": 0}
    return Optimization.objects.create(
        evaluation_id=evaluation_id, line=line, base=line.live, mode="surgical", wanted=1, status="failed",
        trial_choices=choices, error_message="secret-1", requested_by="secret-1",
    )  # fmt: skip


@pytest.fixture
def taken(acme: Door) -> dict[str, str]:
    other = acme.post("evaluations/", evaluation("secret-1")).json()["id"]
    persona = acme.get("personas/").json()["results"][0]["id"]
    with in_tenant("acme"):
        generation = str(PersonaGeneration.objects.create(agent=Agent.objects.get(), slots=[], status="completed").pk)
        gate = PullRequestGate.objects.create(
            agent="waiter", kind=GateKind.BLOCKING, commit="abcdef0", candidate_id=other,
            policy=GatePolicy().as_json(GateKind.BLOCKING),
            status="decided", decision="pass", sentence="secret-1", document={"exit_code": 0}, decided_at=NOW,
        )  # fmt: skip
        pulled = PulledTurn.objects.create(
            conversation=Conversation.objects.all()[0], agent=Agent.objects.get(), attempt=1, position=0, session="s",
            messages=[{"role": "user", "content": "secret-1"}], timeout_s=60, asked_at=NOW,
        )  # fmt: skip
        for number in "12":
            record_prompt_text(name="secret-1", text=f"Text {number}.", revision=number)
        snapshot = SnapshotReview.objects.create(
            scenario="secret-1", file="a.yaml", digest="0" * 64, played=[],
            divergence={"turn": None, "kind": "new", "sentence": "secret-1"},
        )  # fmt: skip
        draft = secret_draft()
        proposal = secret_proposal(other, draft)
        trial = Trial.objects.create(
            draft_id=draft, part="selection", status="failed", agent="secret-1", scenarios=["secret-1"],
            evaluator_config="tea-service@1", block_points=1.0, error_message="secret-1",
        )  # fmt: skip
        optimization = secret_optimization(other, draft)
        playground = Playground.objects.create(
            conversation=Conversation.objects.all()[0], agent=Agent.objects.get(), lines=[0], requested_by="secret-1"
        )
        reviewed = secret_rows(Conversation.objects.all()[0].pk)
        erasure = request_erasure(request=read_request({"phone": "+254712345678"}), requested_by="secret-1", now=NOW)
        rollout = start_rollout(
            RolloutRequest(role="secret-1", canary="secret-1@1", evaluator_config="tea-service"), by="secret-1", now=NOW
        )
        candidate = Scenario.objects.create(slug="secret-1", status="candidate", origin="production")
        promotion = Promotion.objects.create(
            conversation=Conversation.objects.all()[0], scenario=candidate, promoted_by="secret-1"
        )
    own = {
        **reviewed,
        "scenario_id": str(candidate.pk),
        "promotion_id": str(promotion.pk),
        "pulled_id": str(pulled.pk),
        "snapshot_id": str(snapshot.pk),
        "other": other,
        "persona_id": persona,
        "generation_id": generation,
        "gate_id": str(gate.pk),
        "draft_id": str(draft),
        "proposal_id": str(proposal.pk),
        "trial_id": str(trial.pk),
        "optimization_id": str(optimization.pk),
        "playground_id": str(playground.pk),
        "rollout_id": str(rollout),
        "erasure_id": str(erasure.pk),
    }
    return {**acme.post("evaluations/", evaluation("secret-1")).json(), **own}


def test_another_tenants_ids_are_404_everywhere(acme: Door, beta: Door, taken: dict[str, str]) -> None:
    before, leaks = row_counts("acme"), []
    for address, method in PAIRS:
        if "<uuid:id>" not in address:
            continue
        answer = ask(beta, method, filled(address, taken))
        nobodys = ask(beta, method, filled(address, {name: str(uuid.uuid4()) for name in taken}))
        same = re.sub(r"[0-9a-f-]{36}", "", answer.content.decode()) == re.sub(
            r"[0-9a-f-]{36}", "", nobodys.content.decode()
        )
        if (answer.status_code, same) != (403 if method == "post" and address in PEOPLE_ONLY else 404, True):
            leaks.append((address, method, answer.status_code))
    assert not leaks
    run = beta.post("evaluations/", {"evaluator_config": "tea-service", "test_run_id": taken["test_run_id"]})
    assert (run.status_code, run.json()["pointer"]) == (404, "/test_run_id")
    assert row_counts("acme") == before


def test_lists_hold_ones_own_only(acme: Door, beta: Door, taken: dict[str, str]) -> None:
    for address in ("evaluations/", "test-runs/"):
        assert beta.get(address).json()["results"] == []
        assert len(acme.get(address).json()["results"]) == 2


@pytest.mark.parametrize("kind", ["nobody", "another tenant's key", "another tenant's signature"])
def test_strangers_are_401_everywhere(acme: Door, beta: Door, taken: dict[str, str], kind: str) -> None:
    acme.get("evaluations/")
    before, leaks = row_counts("acme"), []
    for address, method in PAIRS:
        path = filled(address, taken)
        if kind == "another tenant's signature":
            answer = acme.signed(path, {}, beta.secret) if method == "post" else Door("acme").get(path)
        else:
            answer = ask(Door("acme", beta.bearer if kind != "nobody" else ""), method, path)
        if answer.status_code != 401 or "secret-1" in answer.content.decode():
            leaks.append((address, method, answer.status_code))
    assert not leaks
    assert row_counts("acme") == before


def test_a_read_only_key_changes_nothing(acme: Door, taken: dict[str, str]) -> None:
    with in_tenant("acme"):
        reader = Door("acme", add_api_key(scopes=["read"]).secret)
    reader.get("evaluations/")
    before = row_counts("acme")
    for address, method in PAIRS:
        expected = 200 if method == "get" and not address.startswith("erasures/") else 403
        assert ask(reader, method, filled(address, taken)).status_code == expected, address
    assert row_counts("acme") == before


# --- People -----------------------------------------------------------------------------------------------------
def signed_in(tenant: str, *permissions: str, staff: bool = True, superuser: bool = False) -> Door:
    door = Door(tenant)
    with in_tenant(tenant):
        user = User.objects.create_user(f"u{User.objects.count()}", is_staff=staff, is_superuser=superuser)
        for permission in permissions:
            room, name = permission.split(".")
            user.user_permissions.add(Permission.objects.get(content_type__app_label=room, codename=name))
        door.client.force_login(user)
    return door


def test_people_may_do_what_their_permissions_say(acme: Door, taken: dict[str, str]) -> None:
    read = [right for right in Right if KeyScope.READ in right.scopes or right is Right.READ_ERASURES]
    seen = {permission for right in read for permission in right.permissions}
    viewer = signed_in("acme", *seen)
    nobody = signed_in("acme")
    customer = signed_in("acme", "evaluations.view_evaluation", staff=False)
    for address, method in PAIRS:
        path = filled(address, taken)
        if method == "get":
            assert ask(viewer, method, path).status_code == 200, address
        elif not address.startswith("saved-views/"):  # everybody's own: test_saved_views.py
            assert ask(viewer, method, path).status_code == 403, address
        assert ask(nobody, method, path).status_code == 403, address
        assert ask(customer, method, path).status_code == 403, address


def test_a_session_is_good_for_its_own_tenant_only(acme: Door, beta: Door, taken: dict[str, str]) -> None:
    owner = signed_in("beta", *Right.READ_RUNS.permissions)
    assert owner.get("evaluations/").status_code == 200
    for address, method in PAIRS:
        answer = getattr(owner.client, method)(f"/api/v1/{filled(address, taken)}", headers={"host": "acme.localhost"})
        assert answer.status_code == 401, address


def test_a_person_who_posts_needs_the_csrf_token(acme: Door) -> None:
    writer = signed_in("acme", "evaluations.add_evaluation")
    assert writer.post("evaluations/", evaluation()).status_code == 202
    strict = Client(enforce_csrf_checks=True, headers={"host": "acme.localhost"})
    strict.cookies = writer.client.cookies
    answer = strict.post("/api/v1/evaluations/", "{}", content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (403, "csrf_failed")
    assert answer["Content-Type"] == "application/problem+json"


class StrictDoor(Door):
    """A browser: cookies only, and the CSRF check as it runs outside tests."""

    def __init__(self, signed_in: Door) -> None:
        super().__init__(signed_in.tenant)
        host = {"host": f"{self.tenant}.localhost"}
        self.client = Client(enforce_csrf_checks=True, headers=host, raise_request_exception=False)
        self.client.cookies = signed_in.client.cookies
        self.client.get("/admin/")
        self.token = "t" * 32
        self.client.cookies["csrftoken"] = self.token

    def headers(self, more: dict[str, str]) -> dict[str, str]:
        return {"x-csrftoken": self.token} | more


def test_whatever_the_schema_lets_be_posted_a_signed_in_person_may_post(acme: Door, taken: dict[str, str]) -> None:
    keyed = Door("acme", acme.bearer)
    person = StrictDoor(signed_in("acme", superuser=True))
    posts = [address for address, method in PAIRS if method == "post"]
    assert len(posts) >= 26
    for address in posts:
        answer = person.post(filled(address, taken), {"no-such-field": 1})
        by_key = keyed.post(filled(address, taken), {"no-such-field": 1})
        assert answer.status_code not in (401, 403, 415), (address, answer.content)
        told = "no_person" if address in PEOPLE_ONLY else answer.json().get("code")
        assert told == by_key.json().get("code"), (address, answer.content, by_key.content)
        bare = person.post(filled(address, taken), {}, x_csrftoken="")
        assert (bare.status_code, bare.json()["code"]) == (403, "csrf_failed"), address
        for form in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            refused = person.post(filled(address, taken), "a=1", media=form)
            assert (refused.status_code, refused.json()["code"]) == (415, "unsupported_media_type"), address
    assert person.post("evaluations/", evaluation("by-a-person")).status_code == 202
