"""Fill the demo database of any commit until no table is empty. Runs under that commit's own code (make.py).

Everything is made up. Where a service of the old code does the work it is called; rows that only a model, a runner or
a scrape would leave behind are written with the old models. A second tenant is left in the middle of its work.
"""

import os
import tempfile
import uuid
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
    django.setup(set_prefix=False)

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.test import Client

from apps.api.services.callbacks import enqueue_callbacks
from apps.api.services.keys import add_api_key, add_webhook_key
from apps.budgets.domain.scopes import Scope, ScopeKind
from apps.budgets.models import CachedResponse, ModelCall, Reservation
from apps.budgets.services.accounts import recount
from apps.budgets.services.limits import set_limit
from apps.calibration.domain.labels import HumanRating, LabelledItem, LabelSet
from apps.calibration.models import HumanLabel, LabellingItem
from apps.calibration.services.certification import certify, request_calibration
from apps.calibration.services.labelling import Given, note_languages, open_round, rate
from apps.calibration.services.remarks import add_note, disagree
from apps.catalog.files.services.importing import import_catalog
from apps.catalog.files.services.packs import load_pack
from apps.catalog.goldens.services.versions import store_golden_version
from apps.catalog.models import (
    Agent,
    EvaluatorConfigVersion,
    GeneratedPersona,
    GoldenSession,
    JudgeCheck,
    ModelProvider,
    Persona,
    PersonaGeneration,
    PersonaValidation,
)
from apps.catalog.prompts.services.recording import record_prompt_text
from apps.core.attached_files import AttachedFile
from apps.core.conversation import ConversationDocument
from apps.core.document_parsing import parse_document
from apps.core.subject import Subject
from apps.evaluations.figures.domain.rating_scale import read_scale
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.evaluations.requests.services.creating import request_evaluation
from apps.evaluations.requests.services.judge_here import judge_here
from apps.gates.domain.gate_states import GateKind
from apps.gates.domain.policy import GatePolicy
from apps.gates.domain.posted_snapshot import PostedSnapshot
from apps.gates.domain.snapshot_states import SnapshotAnswer
from apps.gates.models import PullRequestGate
from apps.gates.services.deciding import decide_due_gates
from apps.gates.services.requesting import GateQuestion, request_gate
from apps.gates.services.snapshot_reviews import answer_snapshot, post_snapshot
from apps.improvement.analysis.services.analysing import pay_analyses
from apps.improvement.analysis.services.enqueue_analyses import request_analysis
from apps.improvement.models import Analysis
from apps.jobs.models import InteractiveJob
from apps.runs.chat_files.services.json_lines import json_of, lines_of
from apps.runs.imports.services.importing import import_documents
from apps.runs.models import Conversation, PulledTurn, SimulatorReview, TestRun
from apps.tenants.context import in_public, in_tenant
from apps.tenants.models import ModelCoolDown, Tenant, TenantMetrics
from apps.tenants.services import add_tenant
from apps.tenants.sign_in import take_try

DEMO, UNFINISHED = "demo", "unfinished"
SECRET = "made-up-secret-of-the-dump"
CONFIG = "booking-quality"
TEA = """
criteria:
  - name: warms_the_pot
    domain: tea
    texts:
      en: {description: The pot is warmed first., scoring_guide: {0: never, 3: hardly, 5: half, 7: mostly, 10: always}}
  - name: offers_milk
    domain: tea
    texts:
      en: {description: Milk is offered., scoring_guide: {0: never, 3: hardly, 5: half, 7: mostly, 10: always}}
evaluator_configs:
  - name: tea-service
    versions:
      - number: 1
        status: published
        criteria: {core: [], domain: [warms_the_pot, offers_milk], weights: {offers_milk: 2}, blocking: [warms_the_pot]}
        llm_config: {judge: {provider: offline, model: offline-rules}}
"""
# Judgements as models leave them: status, whether by the fallback, the blocking criterion, the other; None is null.
MIXED = (
    ("scored", False, 9.0, 9.0),
    ("scored", True, 4.0, 3.0),
    ("scored", False, None, 8.0),
    ("scored", False, 2.0, 9.0),
    ("parse_error", False, None, None),
    ("model_error", False, None, None),
)
SAMPLES = Path("examples/conversations/salon.jsonl")
HEAD, BASE = "1" * 40, "2" * 40
TURNS = [
    {"role": "user", "content": "Is there a place on Saturday?"},
    {"role": "assistant", "content": "Yes, at ten. Shall I book it?"},
]


def clock() -> datetime:
    return datetime.now(UTC)


def people(schema: str) -> None:
    """Users, groups, rights of one's own, a session and a line of the admin's log; for public and for tenants."""
    user = User.objects.create_user("made-up-person", email="person@example.com", is_staff=True, is_superuser=True)
    group, _made = Group.objects.get_or_create(name="night shift")
    group.permissions.add(Permission.objects.order_by("pk")[0])
    user.groups.add(group)
    user.user_permissions.add(Permission.objects.order_by("pk")[1])
    kind = ContentType.objects.get_for_model(User)
    LogEntry.objects.create(user=user, content_type=kind, object_id=str(user.pk), object_repr="x", action_flag=CHANGE)
    Client(headers={"host": f"{schema}.localhost"}).force_login(user)


def public_rows() -> None:
    people("platform")
    now = clock()
    take_try(schema="public", username="nobody", address="192.0.2.1", now=now)
    ModelCoolDown.objects.create(key="0" * 24, provider="openai", model="made-up", since=now, until=now, strikes=1)
    for tenant in Tenant.objects.exclude(schema_name="public"):
        TenantMetrics.objects.get_or_create(tenant=tenant, defaults={"mark": "a scrape's", "figures": {}})


def judged(run: TestRun, **more: object) -> Evaluation:
    """An evaluation of this run by the offline rules, ended."""
    asked = request_evaluation(config=CONFIG, run_id=run.pk, now=clock(), triggered_by="made up", **more)
    judge_here(
        evaluation_id=asked.evaluation_id, slots=1, concurrency=4, now=clock, on_progress=lambda _: None, timeout_s=120
    )
    return Evaluation.objects.get(pk=asked.evaluation_id)


def keys_and_requests(run: TestRun) -> None:
    """Keys, an answer kept for its idempotency key, and a callback that waits in the outbox."""
    key = add_api_key(name="made-up key").secret
    add_webhook_key(name="made-up webhook key")
    posted = Client(headers={"host": f"{DEMO}.localhost", "authorization": f"Bearer {key}"}).post(
        "/api/v1/evaluations/",
        {"evaluator_config": CONFIG, "test_run_id": str(run.pk), "callback_url": "https://example.com/ratiba"},
        content_type="application/json",
        headers={"idempotency-key": "made-up-1"},
    )
    assert posted.status_code in (200, 201, 202), posted.content
    judge_here(
        evaluation_id=uuid.UUID(posted.json()["id"]), slots=1, concurrency=4, now=clock,
        on_progress=lambda _: None, timeout_s=120,
    )  # fmt: skip
    assert enqueue_callbacks(now=clock())


def money(run: TestRun, evaluation: Evaluation) -> None:
    """A ledger of calls, budgets with what was spent, a reservation and a kept answer."""
    pull_request = "made-up/repository#1"
    for number, conversation in enumerate(run.conversations.order_by("position")[:6]):
        ModelCall.objects.create(
            purpose="judge", provider="made-up provider", requested_model="made-up-1", model="made-up-1", outcome="ok",
            status=200, input_tokens=900 + number, output_tokens=120, cost_usd=Decimal("0.00125"), latency_ms=800,
            run_id=run.pk, evaluation_id=evaluation.pk, conversation_id=conversation.pk, pull_request=pull_request,
        )  # fmt: skip
    scopes = [Scope(ScopeKind.RUN, str(run.pk)), Scope(ScopeKind.PULL_REQUEST, pull_request)]
    for scope in scopes:
        set_limit(scope=scope, usd=Decimal(5))
    recount(scopes)
    Reservation.objects.create(
        id=uuid.uuid4(), holder=uuid.uuid4(), budgets=[], usd=Decimal("0.5"), expires_at=clock() - timedelta(hours=1)
    )
    CachedResponse.objects.create(
        key=bytes(32), body="0\n{}", cost_usd=Decimal("0.001"), created_at=clock(), last_used_at=clock()
    )


def mixed_evaluation() -> None:
    """What offline rules never leave: scores by a fallback, nulls, an unreadable reply, a model that failed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "tea.yaml")
        file.write_text(TEA)
        import_catalog(paths=[file], at=clock())
    documents = [parse_document({"id": f"mixed-{n}", "language": "en", "turns": TURNS}) for n in range(len(MIXED))]
    run = import_documents(documents=documents, name="Mixed", triggered_by="made up", now=clock())
    evaluation = request_evaluation(config="tea-service", run_id=run, now=clock()).evaluation_id
    Judgement.objects.filter(evaluation=evaluation).delete()
    rows = Conversation.objects.filter(run=run).order_by("position")
    for row, (status, fallback, blocking, other) in zip(rows, MIXED, strict=True):
        scores = {} if status != "scored" else {"warms_the_pot": blocking, "offers_milk": other}
        known = [(score, weight) for score, weight in zip(scores.values(), (1, 2), strict=False) if score is not None]
        judgement = Judgement.objects.create(
            evaluation_id=evaluation, conversation=row, status=status, by_fallback=fallback, second_chances=0,
            weighted_score=sum(one * weight for one, weight in known) / sum(by for _, by in known) if known else None,
            fingerprint=("7" if fallback else "8") * 64, judged_at=clock(),
            raw_reply="" if scores else "no numbers here", error_code="" if scores else status, model="made-up-1",
        )  # fmt: skip
        CriterionScore.objects.bulk_create(
            CriterionScore(
                judgement=judgement, criterion=name, position=at, status="unscored" if score is None else "scored",
                unscored_reason="not_applicable" if score is None else "", score=score, weight=1 + at, pass_mark=6,
                reason="as made up", evidence=[{"quote": "at ten", "turn": 1, "kind": "exact"}],
            )
            for at, (name, score) in enumerate(scores.items())
        )  # fmt: skip
    Evaluation.objects.filter(pk=evaluation).update(status="completed", started_at=clock(), ended_at=clock())


def labels_of_people(evaluation: Evaluation) -> None:
    """A round with ratings, remarks, and a calibration with its certificate."""
    assert open_round(now=clock())
    item = LabellingItem.objects.select_related("round").order_by("position")[0]
    note_languages(rater="made-up-person", languages=["sw", "en", "it", "fr", "de", "es"])
    given = {one["name"]: Given(value=None, reason="cannot say") for one in item.round.criteria}
    rate(item_id=item.pk, rater="made-up-person", ratings=given)
    assert HumanLabel.objects.exists()
    score = CriterionScore.objects.filter(judgement__evaluation=evaluation, status="scored").order_by("id")[0]
    conversation = score.judgement.conversation_id
    disagree(
        evaluation_id=evaluation.pk, conversation_id=conversation, criterion=score.criterion, value=3.0,
        reason="It never named the price.", rater="made-up-person",
    )  # fmt: skip
    add_note(conversation_id=conversation, text="Ask the salon.", author="made-up-person")
    scores = CriterionScore.objects.filter(judgement__evaluation=evaluation, criterion=score.criterion)
    rows = scores.select_related("judgement__conversation").order_by("id")
    items = tuple(
        LabelledItem(
            id=row.judgement.conversation.external_id,
            language=row.judgement.conversation.language,
            ratings={
                score.criterion: (HumanRating(value=max(0, round(row.score or 0) - place % 2), rater="made-up-person"),)
            },
        )
        for place, row in enumerate(rows)
    )
    labels = LabelSet(items=items, scales={score.criterion: read_scale("0-10")})
    started = request_calibration(labels=labels, evaluation_id=evaluation.pk, now=clock(), asked_by="made-up-person")
    certify(calibration_id=started.calibration_id, now=clock())


def catalog_rows() -> None:
    """What the offline demo has none of: a provider with a key, prompts, files, work for personas, a judge's check."""
    ModelProvider.objects.create(
        name="made-up-provider", kind="openai", base_url="https://example.com/v1", api_key=SECRET,
        options={"timeout_s": 90},
    )  # fmt: skip
    Agent.objects.filter(name="booking").update(secrets={"token": SECRET})
    record_prompt_text(name="booking", text="You book hair cuts. Name the price first.", revision="1" * 12)
    file = AttachedFile(name="price-list.txt", content=b"Cut: 10", media_type="text/plain")
    store_golden_version(
        name="made-up-golden", agent="booking", document={"id": "made-up-golden", "turns": TURNS},
        files={file.sha256: file}, note="a candidate",
    )  # fmt: skip
    assert GoldenSession.objects.filter(versions__status="approved").exists()
    persona = Persona.objects.filter(may_play=True).order_by("name")[0]
    generation = PersonaGeneration.objects.create(
        agent=Agent.objects.get(name="booking"), slots=[{"language": "sw", "goal": "book", "temper": "calm"}],
        status="completed", ended_at=clock(),
    )  # fmt: skip
    GeneratedPersona.objects.create(persona=persona, generation=generation, slot=0)
    PersonaValidation.objects.create(
        persona=persona, digest="3" * 64, subject={"name": persona.name, "language": "", "text": "", "spec": {}},
        status="completed", rating={"scores": {}, "reasons": {}, "model": "made-up-1"}, ended_at=clock(),
    )  # fmt: skip
    version = EvaluatorConfigVersion.objects.filter(config__name=CONFIG).order_by("-number")[0]
    JudgeCheck.objects.create(version=version, judge_digest="4" * 64, passed=True, figures={"repeatable": 1.0})
    InteractiveJob.objects.create(
        kind="judge_check", subject_id=version.pk, status="completed", answer={}, requested_at=clock(),
        ended_at=clock(), requested_by="made-up-person",
    )  # fmt: skip


def play_rows(battles: TestRun) -> None:
    """What a runner and the review of the simulator leave behind."""
    for conversation in battles.conversations.order_by("position")[:2]:
        SimulatorReview.objects.create(
            conversation=conversation, attempt=conversation.attempt, verdict="kept", reviewed_at=clock()
        )
    PulledTurn.objects.create(
        conversation=battles.conversations.order_by("position")[0], agent=battles.agent, attempt=1, position=0,
        session="made-up-session", timeout_s=60, asked_at=clock(), state="delivered", answered_at=clock(),
        reply_digest="5" * 64,
    )  # fmt: skip


def samples(number: int) -> list[ConversationDocument]:
    return [parse_document(json_of(line)) for _at, line in list(lines_of(SAMPLES))[:number]]


def measured_gate() -> None:
    """A gate that has both sides: the same conversations, as two commits of the agent held them."""
    sides = {}
    for commit in (BASE, HEAD):
        subject = Subject(agent="booking", commit=commit)
        run = import_documents(
            documents=samples(12), name=f"Of {commit[:7]}", triggered_by="made up", now=clock(), subject=subject
        )
        sides[commit] = judged(TestRun.objects.get(pk=run)).pk
    both = GateQuestion(
        agent="booking", commit=HEAD, base_commit=BASE, candidate=sides[HEAD], baseline=sides[BASE], title="No change"
    )  # fmt: skip
    request_gate(both, GatePolicy(), requested_by="made-up key")


def gates_and_readings(battles: TestRun, first: Evaluation) -> None:
    """Three gates that are decided and one that waits; snapshots that wait and that are answered; an analysis."""
    second = judged(battles, run_analyzer=True, how={"use_cache": False})
    question = GateQuestion(
        agent="booking", commit=HEAD, base_commit=BASE, candidate=second.pk, baseline=first.pk,
        pull_request="made-up/repository#1", title="Name the price first", budget_usd=Decimal(2),
    )  # fmt: skip
    request_gate(question, GatePolicy(), requested_by="made-up key")
    alone = GateQuestion(agent="booking", commit=HEAD, candidate=second.pk, kind=GateKind.ADVISORY)
    request_gate(alone, GatePolicy(), requested_by="made-up key")
    measured_gate()
    assert decide_due_gates(now=clock()) == 3
    assert PullRequestGate.objects.filter(decision="pass").exists()
    request_gate(alone, GatePolicy(), requested_by="made-up key")
    for name in ("price", "weekend"):
        document = parse_document({"id": name, "language": "en", "turns": TURNS})
        review = post_snapshot(
            PostedSnapshot(
                scenario=name, file=f"golden/{name}.yaml", digest="6" * 64, base_digest="", played=document,
                accepted=None, agent="booking", commit=HEAD,
            )
        )  # fmt: skip
        if name == "price":
            answer_snapshot(review, SnapshotAnswer.ACCEPT, by="made-up-person", now=clock(), note="as agreed")
    request_analysis(evaluation_id=second.pk, now=clock())
    pay_analyses(now=clock)
    conversation = str(battles.conversations.order_by("position")[0].pk)
    finding = {
        "title": "The price comes late", "criteria": ["chiarezza_prezzo"], "section": "workflow", "n": 1, "claimed": 1,
        "suggestion": "Name the price with the time.", "conversations": [conversation], "support": "exact",
        "evidence": [], "doubts": [],
    }  # fmt: skip
    Analysis.objects.create(evaluation=second, status="completed", findings=[finding], read=1, failing=1, parts=1)


def fill_demo() -> None:
    """No table of the tenant `demo` stays empty."""
    people(DEMO)
    battles = TestRun.objects.filter(kind="battle").order_by("created_at")[0]
    imported = TestRun.objects.filter(kind="imported").order_by("created_at")[0]
    catalog_rows()
    play_rows(battles)
    first = Evaluation.objects.filter(run=battles).order_by("created_at")[0]
    gates_and_readings(battles, first)
    keys_and_requests(TestRun.objects.filter(kind="replay").order_by("created_at")[0])
    money(battles, first)
    mixed_evaluation()
    labels_of_people(Evaluation.objects.filter(run=imported).order_by("created_at")[0])


def fill_unfinished() -> None:
    """A tenant whose evaluation nobody has begun: the upgraded code has to end it."""
    load_pack(at=clock(), by="made up")
    run = import_documents(documents=samples(4), name="Not judged yet", triggered_by="made up", now=clock())
    request_evaluation(config=CONFIG, run_id=run, now=clock(), triggered_by="made up")
    assert Conversation.objects.count() == 4


def main() -> None:
    with in_public():
        add_tenant(slug=UNFINISHED, name="Unfinished", vertical="spa")
    with in_tenant(UNFINISHED):
        fill_unfinished()
    with in_tenant(DEMO):
        fill_demo()
    with in_public():
        public_rows()
    call_command("check")


if __name__ == "__main__":
    main()
