"""Test runs, their conversations and turns."""

from typing import Any

import pgtrigger
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import F, Q
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce

from apps.core.conversation import TurnPurpose
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.jobs.models import LeasedRow
from apps.runs.domain.run_plan import RunPlan
from apps.runs.domain.states import Blame, ConversationStatus, EndReason, Kind, RunStatus, SimulatorVerdict

_OVER = "('ended', 'failed', 'timeout', 'cancelled')"


class TestRun(Row):
    """One frozen plan and its conversations. Progress is counted from the conversations, never stored here.

    `plan` is everything the run depends on (agent connection without secrets, scenarios, persona texts, simulator
    model): editing the catalog later changes nothing here. `progress_at` is the last time any conversation moved.
    `agent` is None where the agent, or the way to reach it, came with the run and stands in the plan alone;
    `runner_seen_at` is when a runner last asked for turns of such a run.
    """

    __test__ = False

    kind = models.CharField(max_length=20, choices=choices(Kind))
    status = models.CharField(max_length=20, choices=choices(RunStatus), default=RunStatus.PENDING)
    name = models.CharField(max_length=200, blank=True)
    agent = models.ForeignKey(
        "catalog.Agent", null=True, blank=True, on_delete=models.PROTECT, related_name="runs", db_index=False
    )
    plan = models.JSONField(default=dict)
    subject = models.JSONField(default=dict, blank=True, db_default={})  # core.subject: who was tested
    triggered_by = models.CharField(max_length=100, blank=True)
    error_message = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    progress_at = models.DateTimeField(null=True)
    runner_seen_at = models.DateTimeField(null=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["status"], name="run_unfinished", condition=Q(status__in=["pending", "running", "paused"])
            ),
        ]

        triggers = [
            pgtrigger.ReadOnly(name="plan_is_frozen", fields=["plan", "kind"]),
            pgtrigger.ReadOnly(name="subject_is_frozen", fields=["subject"]),
        ]

    def __str__(self) -> str:
        return self.name or f"{self.kind} run {self.id}"

    @property
    def frozen_plan(self) -> RunPlan:
        """The plan as it is read; reading it twice costs twice."""
        return RunPlan.read(self.plan)


class Conversation(LeasedRow, Row):
    """One conversation of a run. `spec` says what is to be played (frozen); turns say what happened; `persona` is the
    row that a battle or probe plays, as frozen in `spec` (persona, persona_name, persona_spec); one that came with its
    run has no row, and `spec` says so (persona_of_run).

    `attempt` counts the times it was begun, from 1, and never goes back: it is part of every session and message id, so
    the agent cannot take one attempt for another; the turns of the last one are the conversation's. `losses` counts the
    workers lost since it was last reconciled. `simulator_verdict` says whether the simulated customer of the last
    attempt played its part (SimulatorReview has the reasons); while it is pending the conversation is not over for
    anybody: not for its run, its judges or its checks. `review_tries` counts the workers that began that verdict.
    `turn_in_flight` is the position of the turn that is being sent to the agent: written before it is sent, cleared
    with what came of it. Where it is empty, no turn is unaccounted for. `keep_until` is set for what real customers
    said and for nothing else: from then on turns may be deleted, and nobody moves it once the conversation is over.
    `words_of_attempt` is the attempt whose turns search finds (TurnWords); None before.
    """

    run = models.ForeignKey(TestRun, on_delete=models.PROTECT, related_name="conversations", db_index=False)
    position = models.PositiveIntegerField()
    external_id = models.CharField(max_length=200)
    kind = models.CharField(max_length=20, choices=choices(Kind))
    status = models.CharField(max_length=20, choices=choices(ConversationStatus), default=ConversationStatus.PENDING)
    blame = models.CharField(max_length=20, choices=choices(Blame), null=True, blank=True)  # noqa: DJ001 - null is "nobody"
    end_reason = models.CharField(max_length=20, choices=choices(EndReason), blank=True, default="", db_default="")
    persona: Any = models.ForeignKey(  # its index: conversation_of_persona
        "catalog.Persona", null=True, blank=True, on_delete=models.PROTECT, related_name="conversations", db_index=False
    )
    language = models.CharField(max_length=20, blank=True)
    domain = models.CharField(max_length=100, blank=True)
    source = models.CharField(max_length=200, blank=True)
    simulator_verdict = models.CharField(
        max_length=20, choices=choices(SimulatorVerdict), blank=True, default="", db_default=""
    )
    review_tries = models.PositiveSmallIntegerField(default=0, db_default=0)
    labels = models.JSONField(default=dict, blank=True)
    extra = models.JSONField(default=dict, blank=True)
    spec = models.JSONField(default=dict, blank=True)
    session = models.JSONField(default=dict, blank=True)
    attempt = models.PositiveIntegerField(default=0)
    losses = models.PositiveSmallIntegerField(default=0)
    turn_in_flight = models.PositiveIntegerField(null=True, blank=True)
    error_code = models.CharField(max_length=60, blank=True)
    error_message = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    keep_until = models.DateTimeField(null=True, blank=True)
    words_of_attempt = models.PositiveIntegerField(null=True, blank=True, editable=False)

    objects = StateQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "position"], name="one_conversation_per_position"),
            models.UniqueConstraint(fields=["run", "external_id"], name="one_conversation_per_external_id"),
        ]
        indexes = [
            models.Index(fields=["run", "status"], name="conversation_run_status"),
            # What a claim reads: each run's next ones in order, and all that are in flight.
            models.Index(
                fields=["run", "position"], name="conversation_due", condition=Q(status__in=["pending", "running"])
            ),
            # Lists of a run's conversations by what stands in their columns, window by window (dashboard's matrix).
            models.Index(F("run"), Coalesce("started_at", "created_at"), F("id"), name="conversation_by_date"),
            models.Index(fields=["run", "language", "id"], name="conversation_by_language"),
            models.Index(F("run"), KeyTextTransform("persona_name", "spec"), F("id"), name="conversation_by_persona"),
            models.Index(
                F("run"),
                Coalesce(KeyTextTransform("scenario", "spec"), KeyTextTransform("golden_session", "spec")),
                F("id"),
                name="conversation_by_scenario",
            ),
            models.Index(fields=["created_at"], name="simulator_review_due", condition=Q(simulator_verdict="pending")),
            models.Index(fields=["persona"], name="conversation_of_persona", condition=Q(persona__isnull=False)),
            models.Index(fields=["run"], name="conversation_playing", condition=Q(status="running")),
            models.Index(fields=["external_id"], name="conversation_by_name", opclasses=["varchar_pattern_ops"]),
            # What is over and cannot be found by search yet (services.word_index).
            models.Index(
                fields=["id"],
                name="conversation_words_due",
                condition=Q(status__in=["ended", "failed", "timeout", "cancelled"])
                & (Q(words_of_attempt__isnull=True) | ~Q(words_of_attempt=F("attempt"))),
            ),
            # What asserts something and is over: its checks are measured (checks.services.enqueue_checks).
            models.Index(
                fields=["id"],
                name="conversation_asserts",
                condition=Q(spec__has_key="assertions", status__in=["ended", "failed", "timeout", "cancelled"]),
            ),
        ]

        triggers = [
            pgtrigger.ReadOnly(name="labels_are_kept", fields=["labels"]),
            pgtrigger.Trigger(
                name="only_production_is_deleted",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert | pgtrigger.UpdateOf("keep_until", "kind"),  # type: ignore[no-untyped-call] # as below
                condition=pgtrigger.Condition("NEW.keep_until IS NOT NULL OR NEW.kind = 'production'"),
                func=f"""
                IF NEW.keep_until IS NOT NULL AND NEW.kind <> 'production' THEN
                    RAISE EXCEPTION 'only what real customers said is deleted (keep_until)';
                ELSIF TG_OP = 'UPDATE' AND OLD.status IN {_OVER}
                    AND (NEW.keep_until, NEW.kind) IS DISTINCT FROM (OLD.keep_until, OLD.kind)
                THEN
                    RAISE EXCEPTION 'until when a conversation that is over is kept cannot be changed (keep_until)';
                END IF;
                RETURN NEW;
                """,
            ),
            pgtrigger.Trigger(
                name="only_fit_personas_play",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert | pgtrigger.UpdateOf("spec", "persona_id", "kind"),  # type: ignore[no-untyped-call] # the stubs lack it
                condition=pgtrigger.Condition("NEW.kind = 'battle'"),
                func="""
                IF NEW.spec ? 'persona_of_run' THEN
                    IF NEW.persona_id IS NOT NULL THEN
                        RAISE EXCEPTION 'a persona that came with its run has no row (persona_id)';
                    END IF;
                ELSIF NEW.persona_id IS NULL AND (TG_OP = 'INSERT' AND NEW.status IN ('pending', 'running') OR EXISTS (
                    SELECT 1 FROM catalog_persona WHERE name = NEW.spec->>'persona_name' AND NOT may_play
                )) THEN
                    RAISE EXCEPTION 'a battle refers to the persona that plays it (persona_id)';
                ELSIF EXISTS (
                    SELECT 1 FROM catalog_persona WHERE id = NEW.persona_id
                    AND (NOT may_play OR name <> coalesce(NEW.spec->>'persona_name', name))
                ) THEN
                    RAISE EXCEPTION 'persona % (%) may not play', NEW.spec->>'persona_name', NEW.persona_id;
                END IF;
                RETURN NEW;
                """,
            ),
        ]

    def __str__(self) -> str:
        return self.external_id


class TurnQuerySet(models.QuerySet["Turn"]):
    """Turns, as they are read: who does not want the earlier attempts too begins with one of these."""

    def last_attempt(self) -> "TurnQuerySet":
        """The turns of the attempt that counts, nudges included."""
        return self.filter(attempt=F("conversation__attempt"))

    def transcript(self) -> "TurnQuerySet":
        """The turns that are judged, compared and exported: the last attempt without nudges. Turns are numbered within
        it."""
        return self.last_attempt().exclude(purpose=TurnPurpose.NUDGE)

    def attempts(self) -> "models.QuerySet[Turn, int]":
        """The attempts at which anything was said."""
        return self.values_list("attempt", flat=True).distinct()


class Turn(models.Model):
    """One message. `position` counts from 0 within an attempt at its conversation and is written once.

    Earlier attempts (lost workers) stay to be looked at; `attempt` is that of the conversation when it was said, 0
    where nothing was played.
    """

    id = models.BigAutoField(primary_key=True)
    conversation = models.ForeignKey(Conversation, on_delete=models.PROTECT, related_name="turns", db_index=False)
    attempt = models.PositiveIntegerField(default=0, db_default=0)
    position = models.PositiveIntegerField()
    purpose = models.CharField(max_length=10, choices=choices(TurnPurpose))
    role = models.CharField(max_length=10)
    content = models.TextField(blank=True)
    tool_calls = models.JSONField(default=list, blank=True)
    tool_call_id = models.CharField(max_length=200, blank=True)
    name = models.CharField(max_length=200, blank=True)
    ts = models.DateTimeField(null=True, blank=True)
    latency_ms = models.IntegerField(null=True, blank=True)
    attachments = models.JSONField(default=list, blank=True)
    extra = models.JSONField(default=dict, blank=True)

    objects = TurnQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["conversation", "attempt", "position"], name="one_turn_per_position"),
        ]

        triggers = [
            pgtrigger.Trigger(
                name="turn_is_final",
                when=pgtrigger.Before,
                operation=pgtrigger.Update | pgtrigger.Delete,
                func=f"""
                IF EXISTS (
                    SELECT 1 FROM runs_conversation WHERE id = OLD.conversation_id AND status IN {_OVER}
                    AND NOT (TG_OP = 'DELETE' AND kind = 'production' AND coalesce(keep_until <= now(), false))
                ) THEN
                    RAISE EXCEPTION 'a turn of a conversation that is over cannot be changed or deleted';
                END IF;
                IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
                RETURN NEW;
                """,  # noqa: S608 - words of our own
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position} {self.role}"


class TurnWords(models.Model):
    """Written by a worker when the turn's conversation is over (services.word_index): writing a turn costs nothing.

    Words follow their turn whoever changes it, the eraser too: the trigger `turn_words_follow` (migration 0016) is the
    database's own, and none that the eraser passes by.
    """

    turn: Any = models.OneToOneField(
        "runs.Turn", primary_key=True, on_delete=models.DO_NOTHING, related_name="words", db_constraint=False
    )
    words = SearchVectorField()

    class Meta:
        default_permissions = ()
        indexes = [GinIndex(fields=["words"], name="turn_words_found", gin_pending_list_limit=512)]

    def __str__(self) -> str:
        return f"words of turn {self.pk}"
