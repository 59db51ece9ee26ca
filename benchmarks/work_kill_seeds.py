"""Rows of every kind of work for `benchmarks.work_kills`: what they share is made once, the rest before each kill."""

import gzip
import json
import uuid
from collections import Counter
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from hashlib import md5
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.utils import timezone
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from apps.alerts.models import AlertChannel, AlertRound
from apps.alerts.services.channels import add_channel
from apps.alerts.services.telling import tell
from apps.api.services.callbacks import enqueue_callbacks
from apps.api.services.keys import add_webhook_key
from apps.calibration.domain.labels import HumanRating, LabelledItem, LabelSet
from apps.calibration.services.certification import request_calibration
from apps.calibration.services.remarks import add_note
from apps.catalog.connections.services.storing import save_agent, save_model_provider
from apps.catalog.models import ModelProvider, Persona, PromptVersion, Scenario
from apps.core.errors import Conflict
from apps.core.timestamps import format_timestamp
from apps.erasure.domain.subject import read_request
from apps.erasure.models import Erasure, RetentionRound
from apps.erasure.services.requests import request_erasure
from apps.evaluations.figures.domain.rating_scale import read_scale
from apps.evaluations.models import Evaluation
from apps.evaluations.requests.services.creating import request_evaluation
from apps.gates.domain.policy import GatePolicy
from apps.gates.services.requesting import GateQuestion, request_gate
from apps.improvement.analysis.services.enqueue_analyses import request_analysis
from apps.improvement.drafts.domain.trial_choices import TrialChoices
from apps.improvement.drafts.services.drafting import DraftSource, create_draft
from apps.improvement.drafts.services.requesting_trials import request_trial
from apps.improvement.failure_modes.services.requesting_groupings import MIN_NOTES, request_grouping
from apps.improvement.holdout.domain.parts import Part
from apps.improvement.models import Analysis
from apps.improvement.optimizer.domain.choices import OptimizationChoices
from apps.improvement.optimizer.services.requesting_optimizations import request_optimization
from apps.improvement.optimizer.services.requesting_proposals import FixQuestion, request_proposal
from apps.improvement.playground.domain.answers import PlaygroundChoices
from apps.improvement.playground.services.requesting import request_playground
from apps.jobs.models import OutboundDelivery
from apps.jobs.services.outbound import SLOW
from apps.personas.services.requesting import request_generation
from apps.production import models as production_rows
from apps.production.intake.services.conversations import take_conversation
from apps.production.intake.services.feedback import take_feedback
from apps.production.langfuse.services.outbox import enqueue_langfuse
from apps.production.otlp.services.delivery import enqueue_otlp
from apps.production.traces.services.receiving import take_export
from apps.production.whatsapp.services.posts import work_through_posts
from apps.reports.run_reports.services.requesting_summaries import request_summary
from apps.runs.agents.services.provider_check_job import request_provider_check
from apps.runs.models import Conversation, TestRun
from apps.runs.playing.services.starting import start_battles
from apps.tenants.context import current_slug
from apps.tenants.services import update_workflow_config
from tests.catalog.samples import add_persona
from tests.evaluations.bench import document, make_config
from tests.improvement.optimization_rows import LIVE, make_parts
from tests.improvement.test_analysing import judged_run
from tests.improvement.trial_rows import make_line
from tests.production import rollout_rows
from tests.production.langfuse_rows import langfuse_source, otlp_receiver
from tests.production.whatsapp_samples import press, webhook

MODELS = ("stub", "customer", "reviewer", "analyst", "optimizer", "personas", "speaker", "writer")
ROLES = {
    "judge": "writer",
    "simulator": "personas",
    "analyzer": "analyst",
    "optimizer": "optimizer",
    "persona_generator": "personas",
    "validator": "personas",
}
SETTINGS = {
    "max_concurrent_battles": 6,
    "watchdog_minutes": 600,
    "phase": 2,
    "keep_played_days": 30,
    "budget_pull_request_usd": None,
    "budget_month_usd": None,
}
DAY = timedelta(days=1)
SPANS = Path("tests/production/otlp/genai.binpb.gz")
NEEDED: Counter[str] = Counter()  # of kinds whose rows come to be, or go, by the work itself
LANGFUSE_ROWS: list[dict[str, Any]] = []  # what the project of the Langfuse holds
ORIGIN, AMINA = "https://acme.example", "amina"


def furnish(url: str) -> None:
    """Models, agents, a judge, a prompt, channels, sources. In the tenant, whose schema is dropped at the end."""
    now, later = timezone.now(), timezone.now() + 365 * DAY
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE drill_slow (id uuid PRIMARY KEY)")
    chosen = {role: {"provider": name, "model": f"{name}-model"} for role, name in ROLES.items()}
    update_workflow_config(slug=current_slug(), changes={"models": chosen, **SETTINGS})
    judged_run(MIN_NOTES + 1, 2)
    for row in judged():
        add_note(conversation_id=row.pk, text="No price", author=AMINA)
    make_line(text=LIVE)
    make_config(name="kills", url=f"{url}/stub/v1", weights={"flow": 1.0, "facts": 1.0})
    for name in MODELS:
        save_model_provider(name=name, kind="openai", base_url=f"{url}/{name}/v1", api_key="not-a-key")
    save_agent(name="bot", kind="http", address=f"{url}/agent/agent", stagger_s=(0, 0), timeout_s=60)
    make_parts(2)
    Scenario.objects.update(max_turns=3)
    add_persona("Neema", status="validated", text="Likes it short.", language="en")
    add_webhook_key(name="callbacks")
    desk = {"phone_number_id": "111", "access_token": "t", "graph_url": f"{url}/graph", "asks": True}
    production_rows.WhatsAppAccount.objects.create(name="desk", **desk)
    for name, sends in (("sink", {"sends_since": now, "sends_runs_since": now}), ("project", {})):
        langfuse_source(f"{url}/{name}", name=name, not_before=later, **sends)
    otlp_receiver(f"{url}/collector", sends_since=now)
    addresses = {"email": "amina@acme.example", "slack": f"{url}/slack/x", "webhook": f"{url}/alerts/x"}
    for kind, address in addresses.items():
        add_channel(name=kind, kind=kind, address=address, origin=ORIGIN, by=AMINA, now=now)
    rollout_rows.role("reception")
    rollout_rows.start("reception", evaluator_config="kills")


def judged() -> list[Conversation]:
    """Those of the evaluation that was judged from the start."""
    return list(Conversation.objects.filter(run__kind="imported", external_id__startswith="c-").order_by("position"))


def said(id: str, at: datetime, **more: Any) -> uuid.UUID:
    """A real conversation that came in then."""
    turns = [{"role": "user", "content": id, "ts": at.isoformat()}, {"role": "assistant", "content": "Karibu"}]
    return take_conversation(raw={"id": id, "turns": turns, **more}, now=at).conversation_id


def as_slow(kind: str) -> None:
    """Every other new delivery stands behind a receiver that was too slow."""
    fresh = OutboundDelivery.objects.filter(kind=kind, status="pending", attempts=0, lease_token=None)
    some = list(fresh.exclude(waiting_for=SLOW).order_by("-created_at").values_list("pk", flat=True))[::2]
    OutboundDelivery.objects.filter(pk__in=some).update(waiting_for=SLOW)
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO drill_slow VALUES (%s) ON CONFLICT DO NOTHING", [[one] for one in some])


def completed(now: datetime, **more: Any) -> Evaluation:
    """An evaluation that has ended, of a run of its own."""
    was, over = Evaluation.objects.earliest("created_at"), {"status": "completed", "ended_at": now, "progress_at": now}
    run = TestRun.objects.create(kind="imported", **over)
    of = {"config_version": was.config_version, "config_ref": was.config_ref, "snapshot": was.snapshot}
    return Evaluation.objects.create(run=run, **of, **over, **more)


def judging(url: str, wave: int, now: datetime) -> None:
    """Judged, told by a callback, compared with people, and decided on by a gate."""
    names = [f"w{wave}-{n}" for n in range(3)]
    documents = [document(name, f"Hello #key={name}", "Welcome") for name in names]
    told = {"callback_url": f"{url}/callbacks/x"}
    asked = request_evaluation(config="kills", documents=documents, now=now, **told).evaluation_id
    items = [LabelledItem(id=name, language="en", ratings={"flow": (HumanRating(value=7),)}) for name in names]
    labels = LabelSet(scales={"flow": read_scale("0-10")}, items=tuple(items))
    request_calibration(labels=labels, evaluation_id=asked, now=now)
    request_gate(GateQuestion(agent="booking", commit=f"{wave:040x}", candidate=asked), GatePolicy())
    completed(now, **told)
    enqueue_callbacks(now=now)
    as_slow("callback")


def playing(url: str, wave: int, now: datetime) -> None:
    """Two battles, which are reviewed, checked, found and sent on besides; a button; a persona."""
    Scenario.objects.create(
        slug=f"play-{wave}",
        family="played",
        persona=Persona.objects.get(name="Neema"),
        goal="A haircut.",
        opening=f"Hi {wave}",
        assertions=[{"metric": "GlossarySourceMetric", "threshold": 0.8}],
    )
    review = {"mode": "on", "share": 1.0, "model": {"provider": "reviewer", "model": "m"}}
    start_battles(
        agent="bot",
        scenarios=[f"play-{wave}"],
        simulator={"provider": "customer", "model": "m"},
        max_turns=6,
        repeats=2,
        stagger_s=(0, 0),
        now=now,
        simulator_review=review,
    )
    provider = ModelProvider.objects.create(name=f"p{wave}", kind="openai", base_url=f"{url}/checked/v1", api_key="k")
    request_provider_check(provider_id=provider.pk, model="m", requested_by=AMINA, now=now)
    grid = {"languages": ["en"], "goals": [f"goal {wave}"], "tempers": ["a"], "count": 1}
    request_generation(agent="bot", **grid, requested_by=AMINA)


def improving(url: str, wave: int, now: datetime) -> None:
    """An analysis, a proposal, a playground, a grouping of notes, a trial, an optimization, a summary."""
    evaluation, rows = Evaluation.objects.earliest("created_at"), judged()
    request_analysis(evaluation_id=evaluation.pk, now=now)
    found = {
        "title": "It asks for the PIN",
        "criteria": ["first"],
        "section": "Payment",
        "suggestion": "Never ask.",
        "conversations": [rows[0].external_id],
        "n": 1,
        "evidence": [],
        "doubts": [],
    }
    analysis = Analysis.objects.create(evaluation=evaluation, status="completed", findings=[found], ended_at=now)
    live = (PromptVersion.objects.filter(name="greeting").earliest("created_at").version,)
    request_playground(PlaygroundChoices(conversation_id=rows[0].pk, agent="booker", versions=live), by=AMINA)
    text = LIVE.replace("nothing of hours", f"that it opens at {wave}")
    draft = create_draft(name="greeting", text=text, source=DraftSource(by=AMINA))
    fix = FixQuestion(analysis_id=analysis.pk, finding_number=1, name="greeting")
    named = {"name": "greeting", "evaluator_configs": ("kills",), "drafts": 1}
    for ask in (
        partial(request_proposal, fix, now=now),
        partial(request_trial, draft, TrialChoices(evaluator_config="kills", part=Part.SELECTION), now=now),
        partial(request_optimization, OptimizationChoices(evaluation_id=evaluation.pk, **named), now=now),
        request_grouping,
        partial(request_summary, run_id=rows[0].run_id),
    ):
        with suppress(Conflict), transaction.atomic():  # that of a wave before is not done
            ask(by=AMINA)


def production(url: str, wave: int, now: datetime) -> None:
    """Real conversations that settle, are deleted, promoted, sampled, assigned to arms and sent on."""
    said(f"settle-{wave}", now - DAY / 12)
    said(f"keep-{wave}", now - 21 * DAY, ended=True)
    for rating, trace in (("up", wave), ("down", wave + 1000)):
        rated = said(f"{rating}-{wave}", now, ended=True, trace_id=f"{trace:032x}")
        take_feedback(body={"id": f"{rating}-{wave}", "conversation_id": str(rated), "rating": rating}, now=now)
    rounds = production_rows.PromotionRound.objects
    rounds.update_or_create(status="pending", defaults={"since": now - DAY, "not_before": now})
    window = now.replace(hour=0, minute=0, second=0, microsecond=0) - DAY
    said(f"drawn-{wave}", window + DAY / 24, ended=True, channel=f"web{wave}")
    drawn = {"rate": 1.0, "channel": f"web{wave}", "drawn_until": window}
    production_rows.SamplingRule.objects.create(name=f"rule {wave}", evaluator_config="kills", **drawn)
    for n, version in enumerate((rollout_rows.STABLE, rollout_rows.CANARY)):
        prompt = version.replace("greeting", "reception")
        said(f"arm-{wave}-{n}", now, ended=True, prompt_version=prompt, caller=rollout_rows.CALLERS[n])
    production_rows.Rollout.objects.filter(status="running").update(look_at=now)
    graded = completed(now)
    anchors = production_rows.AnchorSet.objects.create(
        run=graded.run, evaluator_config=f"kills@{wave + 100}", anchors=2, made_by=AMINA, not_before=now
    )
    production_rows.AnchorGrading.objects.create(anchor_set=anchors, number=1, evaluation=graded)
    enqueue_langfuse(now=now)
    enqueue_otlp(now=now)
    as_slow("langfuse")
    as_slow("otlp")


def customers(url: str, wave: int, now: datetime) -> None:
    """Questions to customers, what they pressed, and numbers that are to be forgotten: nothing was sent to them."""
    asked = {}
    for phone in (f"2547{wave:04}{n:04}" for n in range(6)):
        more = {"channel": "whatsapp", "customer": {"phones": [phone]}, "language": "en"}
        asked[phone] = said(f"asked-{phone}", now, ended=True, **more)
    as_slow("whatsapp_question")
    at = {"timestamp": str(int(now.timestamp()))}
    pressed = [press(str(id), "comment", **at, **{"from": phone}) for phone, id in asked.items()]
    for n in range(3):  # of what these three pressed, one prompt is quick, one slow, one is never sent
        production_rows.WhatsAppPost.objects.create(digest=f"d{wave}-{n}", body=json.dumps(webhook(pressed[n])))
    work_through_posts(now=lambda: now, until=now + timedelta(seconds=9))
    as_slow("whatsapp_prompt")
    ids = list(asked.values())
    for kind, model, id, ends in (
        ("whatsapp_prompt", production_rows.PendingComment, ids[2], "closes_at"),
        ("whatsapp_question", production_rows.FeedbackQuestion, ids[5], "expires_at"),
    ):
        late = model.objects.filter(conversation=id)
        OutboundDelivery.objects.filter(kind=kind, subject_id__in=late.values_list("pk", flat=True)).delete()
        late.update(**{ends: now})
    production_rows.WhatsAppPost.objects.create(digest=f"d{wave}-3", body=json.dumps(webhook(pressed[3])))


def traces(url: str, wave: int, now: datetime) -> None:
    """Spans of a conversation, one that is to be forgotten, one more conversation in the Langfuse."""
    old = {"trace_id": f"{wave:032x}", "span_id": "0" * 16, "is_call": False}
    production_rows.TraceSpan.objects.create(**old, not_before=now, forget_at=now)
    message = ExportTraceServiceRequest.FromString(gzip.decompress(SPANS.read_bytes()))
    for span in (one for group in message.resource_spans for scope in group.scope_spans for one in scope.spans):
        span.trace_id = md5(span.trace_id + bytes([wave]), usedforsecurity=False).digest()
        for one in span.attributes:
            if one.key in ("gen_ai.conversation.id", "session.id"):
                one.value.string_value = f"trace-{wave}"
    take_export(body=message.SerializeToString(), media="application/x-protobuf", encoding="", now=now)
    at = dict.fromkeys(("startTime", "endTime"), format_timestamp(now))
    seen = {"type": "GENERATION", "parentObservationId": None, "input": "Habari", "output": "Karibu", **at}
    LANGFUSE_ROWS.append({"id": f"o-{wave}", "traceId": f"t-{wave}", "sessionId": f"read-{wave}", **seen})
    production_rows.LangfuseSource.objects.filter(name="project").update(not_before=now)
    NEEDED.update(("trace_spans", "trace_spans_forgotten", "langfuse_poll"))


def privacy(url: str, wave: int, now: datetime) -> None:
    """A person to be erased, and words that were kept long enough."""
    phone, old = f"2541{wave:08}", now - 31 * DAY
    said(f"erased-{wave}", now, ended=True, customer={"phones": [phone]})
    request_erasure(request=read_request({"phone": phone}), requested_by=AMINA, now=now)
    run = TestRun.objects.create(kind="battle", status="completed", plan={}, ended_at=old, progress_at=old)
    Conversation.objects.create(run=run, position=0, external_id="old", kind="battle", status="ended", spec={})
    RetentionRound.objects.update_or_create(pk=1, defaults={"due_at": now})


def alerts(url: str, wave: int, now: datetime) -> None:
    """A run that failed, and two messages to each channel, of which one has a slow receiver."""
    TestRun.objects.create(kind="battle", status="failed", plan={}, progress_at=now, ended_at=now)
    NEEDED.update(("alerts",))
    AlertRound.objects.update(not_before=now)
    for channel in AlertChannel.objects.all():
        for _ in range(2):
            tell(alerts=[], origin=ORIGIN, now=now, channels=[channel], trial=True)
        as_slow(f"alert_{channel.kind}")


def seed(url: str, wave: int) -> None:
    """Rows of every kind. In the tenant."""
    for rows in (judging, playing, improving, production, customers, traces, privacy, alerts):
        with transaction.atomic():
            rows(url, wave, timezone.now())


def hurry() -> None:
    """The second look of an erasure comes after a quarter of an hour: now."""
    Erasure.objects.filter(status="erased", lease_token=None).update(not_before=timezone.now())
