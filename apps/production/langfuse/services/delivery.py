"""The outbox's adapter for a team's Langfuse: ratings and scores of its conversations, by the ids of its own traces.

Bodies are built from rows when they are sent, of masked texts; a day's outage costs time alone, and a repeated attempt
changes nothing, since each score has one id.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from apps.audit.masked_rows import masked_rows
from apps.connectors.outbound import outbound_client
from apps.connectors.tracing.langfuse.address import LangfuseAddress
from apps.connectors.tracing.langfuse.scores import send_scores
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.models import CriterionScore, Judgement
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.jobs.domain.delivery_states import GIVEN_UP, DeliveryStatus
from apps.jobs.models import OutboundDelivery
from apps.jobs.services.outbound import DueDelivery, PreparedDelivery, outcome_of
from apps.production.conversations.models import Feedback, ProductionConversation
from apps.production.intake.domain.posted_document import LANGFUSE
from apps.production.langfuse.domain.scores import GivenRating, ScoredThing, feedback_score, judge_scores
from apps.production.langfuse.models import LangfuseSource
from apps.production.langfuse.services.connection import address_of
from apps.production.services.outbound_policies import langfuse_policy
from apps.tenants.context import current_slug

KIND, RATED, JUDGED = "langfuse", "user_feedback", "scores"
AT_ONCE = 500
LATE = timedelta(hours=1)  # longer than any transaction
STALE = timedelta(hours=6)
# What customers (not the team) and judges said since somebody switched sending on, of conversations that the Langfuse
# knows, and is not owed yet. What was read from there is not sent back.
_OWED = """
INSERT INTO jobs_outbounddelivery (id, created_at, kind, subject_id, event, status, attempts, not_before, waiting_for,
  last_error)
SELECT gen_random_uuid(), %(now)s, 'langfuse', o.subject, o.event, 'pending', 0, %(now)s, '', '' FROM (
  SELECT f.id AS subject, 'user_feedback' AS event FROM production_feedback f
  JOIN production_productionconversation p ON p.conversation_id = f.conversation_id
  JOIN runs_conversation c ON c.id = f.conversation_id
  WHERE f.created_at >= %(since)s AND f.channel <> 'langfuse' AND f.given_by = '' AND p.deleted_at IS NULL
    AND (p.trace_id <> '' OR (c.source = 'langfuse' AND %(sessions)s))
  UNION ALL
  SELECT j.id, 'scores' FROM evaluations_evaluation e
  JOIN evaluations_judgement j ON j.evaluation_id = e.id
  JOIN production_productionconversation p ON p.conversation_id = j.conversation_id
  JOIN runs_conversation c ON c.id = j.conversation_id
  WHERE greatest(e.progress_at, e.ended_at) >= %(since)s AND j.status = 'scored' AND j.judged_at >= %(since)s
    AND p.deleted_at IS NULL
    AND (p.trace_id <> '' OR (c.source = 'langfuse' AND %(sessions)s))
) o WHERE NOT EXISTS (
  SELECT 1 FROM jobs_outbounddelivery d WHERE d.kind = 'langfuse' AND d.subject_id = o.subject AND d.event = o.event
) LIMIT %(most)s
ON CONFLICT DO NOTHING
"""


def receiving_source() -> LangfuseSource | None:
    """Return the Langfuse project that results are sent to; None where nobody switched sending on. One query."""
    return LangfuseSource.objects.filter(enabled=True, sends_since__isnull=False).first()


def enqueue_scores(*, now: datetime) -> int:
    """Create a delivery for each rating and judgement that has none; return how many.

    Safe to repeat and to race. Three statements, one where nothing is sent to Langfuse.
    """
    source = receiving_source()
    if source is None or source.sends_since is None:
        return 0
    since = enqueue_from(source.sends_since, source.scores_enqueued_until)
    with connection.cursor() as cursor:
        cursor.execute(_OWED, {"now": now, "since": since, "most": AT_ONCE, "sessions": _one_source()})
        enqueued = int(cursor.rowcount)
    if moves_on(enqueued, source.scores_enqueued_until, now):
        LangfuseSource.objects.filter(pk=source.pk).update(scores_enqueued_until=now)
    return enqueued


def enqueue_from(since: datetime, until: datetime | None) -> datetime:
    """Return the time from which rows may have no delivery yet, so that a look does not grow with the source's age.

    At `until` all rows had one, except those that were written before it and committed after it.
    """
    return since if until is None else max(since, until - LATE)


def moves_on(enqueued: int, until: datetime | None, now: datetime) -> bool:
    """Tell whether to store the time of a look that found `enqueued` rows.

    A look that found AT_ONCE rows is not stored, since more may be left. A look that found none is stored only where
    the stored time is missing or older than STALE, since each write keeps a tenant awake.
    """
    return enqueued < AT_ONCE and (enqueued > 0 or until is None or now - until > STALE)


def send_again(kind: str = KIND, *, now: datetime) -> int:
    """Make deliveries that were given up due once more, from the start of their schedule.

    A key was wrong, or an address did not answer, and a person mended the source. One statement.
    """
    rows = OutboundDelivery.objects.filter(kind=kind, status__in=GIVEN_UP)
    return int(rows.update(status=DeliveryStatus.PENDING, attempts=0, not_before=now))


def _one_source() -> bool:
    """A session is known by its project alone: with several, nobody says which one it was read from. One query."""
    return LangfuseSource.objects.count() == 1


class LangfuseScoresAdapter:
    """Prepares and sends. Eight queries, however many are due: conversations are read once for ratings and scores."""

    def prepare(
        self, due: Sequence[DueDelivery], now: Callable[[], datetime]
    ) -> Sequence[PreparedDelivery | DeliveryOutcome]:
        source = receiving_source()
        if source is None:
            return [DeliveryOutcome(delivered=False, refused=True, error="nothing is sent to a Langfuse") for _ in due]
        address = address_of(source)
        ratings = Feedback.objects.in_bulk([delivery.subject_id for delivery in due if delivery.event == RATED])
        scored = Judgement.objects.select_related("evaluation").filter(status=JudgementStatus.SCORED)
        judgements = scored.in_bulk([delivery.subject_id for delivery in due if delivery.event == JUDGED])
        rated = {row.conversation_id for row in ratings.values()}
        things = _things(rated | {row.conversation_id for row in judgements.values()})
        bodies = {**_ratings(due, ratings, things), **_judgements(due, judgements, things)}
        return [_prepared(address, source, bodies.get(delivery.id)) for delivery in due]

    def client(self) -> Any:
        return outbound_client(langfuse_policy())


langfuse_scores_adapter = LangfuseScoresAdapter()


def _prepared(
    address: LangfuseAddress, source: LangfuseSource, scores: Sequence[Mapping[str, Any]] | None
) -> PreparedDelivery | DeliveryOutcome:
    if not scores:
        return DeliveryOutcome(delivered=False, refused=True, error="there is nothing to say of it any more")
    placed = [{**score, **({"environment": source.environment} if source.environment else {})} for score in scores]

    async def send(client: Any, within_s: float) -> DeliveryOutcome:
        return outcome_of(await send_scores(client, address, placed, within_s=within_s))

    return PreparedDelivery(receiver=address.base_url, send=send)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    """A conversation as the Langfuse knows it."""

    thing: ScoredThing
    prompt_version: str


_Things = Mapping[uuid.UUID, _Scored]


def _ratings(
    due: Sequence[DueDelivery], rows: Mapping[uuid.UUID, Feedback], things: _Things
) -> dict[uuid.UUID, list[dict[str, Any]]]:
    of = {row.conversation_id for row in rows.values() if row.conversation_id in things}
    by_customer: dict[uuid.UUID, list[Feedback]] = {}
    feedbacks = Feedback.objects.filter(conversation__in=of, given_by="").order_by("given_at", "pk") if of else ()
    for each in masked_rows(feedbacks):  # masked when they came, but for who is on the list of names since then
        by_customer.setdefault(each.conversation_id, []).append(each)
    ratings = {}
    for delivery in due:
        row = rows.get(delivery.subject_id)
        if row is None or row.conversation_id not in things:
            continue
        given = by_customer.get(row.conversation_id, [])
        score = feedback_score(
            things[row.conversation_id].thing,
            row.conversation_id,
            [GivenRating(rating=each.rating, comment=each.comment) for each in given],
            first_at=min(given, key=lambda one: one.pk).given_at if given else row.given_at,
        )
        ratings[delivery.id] = [score] if score else []
    return ratings


def _judgements(
    due: Sequence[DueDelivery], rows: Mapping[uuid.UUID, Judgement], things: _Things
) -> dict[uuid.UUID, list[dict[str, Any]]]:
    scores: dict[uuid.UUID, list[CriterionScore]] = {}
    criterion_scores = CriterionScore.objects.filter(judgement__in=rows, score__isnull=False).order_by("criterion")
    for score in masked_rows(criterion_scores.defer("evidence", "opinions")):
        scores.setdefault(score.judgement_id, []).append(score)
    judgements = {}
    for delivery in due:
        row = rows.get(delivery.subject_id)
        if row is None or row.conversation_id not in things or row.judged_at is None:
            continue
        own, of = scores.get(row.pk, []), things[row.conversation_id]
        judgements[delivery.id] = judge_scores(
            of.thing,
            row.pk,
            config=row.evaluation.config_ref,
            weighted=row.weighted_score,
            criteria={each.criterion: each.score for each in own if each.score is not None},
            reasons={each.criterion: each.reason for each in own},
            judged_at=row.judged_at,
            metadata={
                "tenant_id": current_slug(),
                "conversation_id": str(row.conversation_id),
                "prompt_version": of.prompt_version,
                "evaluator_config": row.evaluation.config_ref,
                "evaluation_id": str(row.evaluation_id),
                "judge": row.fingerprint,
            },
        )
    return judgements


def _things(conversations: set[uuid.UUID]) -> dict[uuid.UUID, _Scored]:
    """The object in the Langfuse of each conversation; conversations whose words were deleted are left out. Two
    queries."""
    rows = ProductionConversation.objects.filter(conversation__in=conversations, deleted_at__isnull=True)
    fields = ("trace_id", "external_id", "prompt_version", "conversation__source")
    scored_things, sessions = {}, _one_source()
    for row in rows.select_related("conversation").only(*fields):
        if row.trace_id:
            thing = ScoredThing(trace_id=row.trace_id)
        elif sessions and row.conversation.source == LANGFUSE:
            thing = ScoredThing(session_id=row.external_id)
        else:
            continue
        scored_things[row.conversation_id] = _Scored(thing=thing, prompt_version=row.prompt_version)
    return scored_things
