"""Register the parts of this room when Django starts."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.dispatch import receiver
from django.utils import timezone

from apps.calibration.feedback_source import register_thumbs
from apps.catalog.connections.services.outside_kinds import register_outside_kind
from apps.catalog.release_checks import register_release_check
from apps.core.events import EventType
from apps.core.listed_names import register_names
from apps.jobs.adapters import interactive_handlers
from apps.jobs.deliveries import DeliveryKind, register_delivery
from apps.jobs.work import Work, register
from apps.production.langfuse.services.connection import LANGFUSE
from apps.production.langfuse.services.requesting_deletion import request_deletion_of_sent
from apps.production.otlp.services.connection import OTLP
from apps.production.privacy.services.identity_list import names_here
from apps.production.promotion.queries.release_refusals import refuse_unclear_masking
from apps.production.sampling.queries.overview import thumbs_of_conversations
from apps.runs.prompt_of_conversation import register_prompt_column
from apps.runs.signals import words_deleted

_PROMPT_SQL = "(SELECT p.prompt_version FROM production_productionconversation p WHERE p.conversation_id = c.id)"

ROUND_LACKING = """
SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM {schema}.production_promotionround WHERE status = 'pending')
  AND (EXISTS (SELECT 1 FROM {schema}.production_feedback)
    OR EXISTS (SELECT 1 FROM {schema}.production_sampledconversation))
"""

register(
    Work(
        name="promotion",
        label="weekly promotion",
        serve="apps.production.tasks.promote",
        table="production_promotionround",
        every_s=60.0,
        finds=(ROUND_LACKING,),
    ),
    Work(
        name="production_settling",
        label="real conversation that is over",
        serve="apps.production.tasks.settle",
        table="production_productionconversation",
        pending="settled_at IS NULL",
        due=("settle_at",),
        every_s=60.0,
        finds=(
            "SELECT 1 FROM {schema}.production_productionconversation "
            "WHERE settled_at IS NULL AND keep_until <= %(now)s",
        ),
    ),
    Work(
        name="production_retention",
        label="real conversation to be deleted",
        serve="apps.production.tasks.retain",
        table="production_productionconversation",
        pending="deleted_at IS NULL",
        due=("keep_until",),
        every_s=60.0,
        finds=tuple(
            f"SELECT 1 FROM {{schema}}.production_{table}"  # noqa: S608 - words of our own
            for table in ("whatsapppost", "whatsappcontact", "pendingcomment")  # for how long, the tenant says
        ),
    ),
    Work(
        name="whatsapp_posts",
        label="post of WhatsApp",
        serve="apps.production.tasks.work_through",
        table="production_whatsapppost",
    ),
    Work(
        name="whatsapp_recipients",
        label="number that is to be forgotten",
        serve="apps.production.tasks.forget",
        table="production_feedbackquestion",
        pending="recipient <> ''",
        due=("expires_at",),
        every_s=60.0,
    ),
    Work(
        name="whatsapp_prompted",
        label="number of a comment that is to be forgotten",
        serve="apps.production.tasks.forget_prompts",
        table="production_pendingcomment",
        pending="recipient <> ''",
        due=("closes_at",),
        every_s=60.0,
    ),
    Work(
        name="trace_spans",
        label="span of a conversation",
        serve="apps.production.tasks.trace",
        table="production_tracespan",
        pending="is_call AND taken_at IS NULL",
        due=("not_before",),
    ),
    Work(
        name="trace_spans_forgotten",
        label="span that is to be forgotten",
        serve="apps.production.tasks.forget_traces",
        table="production_tracespan",
        pending="true",
        due=("forget_at",),
        every_s=60.0,
    ),
    Work(
        name="langfuse_poll",
        label="Langfuse to be read",
        serve="apps.production.tasks.poll_langfuse",
        table="production_langfusesource",
        pending="enabled",
        due=("not_before",),
        every_s=60.0,
    ),
    Work(
        name="rollout",
        label="look at a canary",
        serve="apps.production.tasks.watch_rollouts",
        table="production_rollout",
        pending="status = 'running'",
        due=("look_at",),
        every_s=15.0,
    ),
    Work(
        name="sampling",
        label="sample of real conversations",
        serve="apps.production.tasks.draw",
        table="production_samplingrule",
        pending="enabled",
        due=("due_at",),
        every_s=60.0,
    ),
    Work(
        name="anchors",
        label="weekly grading of anchors",
        serve="apps.production.tasks.grade_anchors",
        table="production_anchorset",
        pending="status = 'active'",
        every_s=60.0,
    ),
)
register_delivery(
    DeliveryKind(
        name="langfuse",
        label="delivery to a Langfuse",
        work="langfuse_deliveries",
        adapter="apps.production.langfuse.services.outbox.langfuse_adapter",
        sent=EventType.LANGFUSE_SENT,
        failed=EventType.LANGFUSE_FAILED,
        enqueue="apps.production.langfuse.services.outbox.enqueue_langfuse",
        finds=("SELECT 1 FROM {schema}.production_langfusesource WHERE enabled",),
        page="/admin/production/langfusesource/",
        at_once=20,  # of long conversations that is two seconds of masking, for which the control worker waits
    ),
    DeliveryKind(
        name="otlp",
        label="delivery to a receiver of OTLP",
        work="otlp_deliveries",
        adapter="apps.production.otlp.services.delivery.otlp_adapter",
        sent=EventType.OTLP_SENT,
        failed=EventType.OTLP_FAILED,
        enqueue="apps.production.otlp.services.delivery.enqueue_otlp",
        finds=("SELECT 1 FROM {schema}.production_otlpreceiver WHERE enabled",),
        page="/admin/production/otlpreceiver/",
        at_once=20,  # as to a Langfuse
    ),
    DeliveryKind(
        name="whatsapp_question",
        label="question to a customer",
        work="whatsapp_questions",
        adapter="apps.production.whatsapp.services.question_delivery.whatsapp_question_adapter",
        sent=EventType.QUESTION_SENT,
        failed=EventType.QUESTION_FAILED,
        page="/admin/production/whatsappaccount/",
    ),
    DeliveryKind(
        name="whatsapp_prompt",
        label="question for a comment",
        work="whatsapp_prompts",
        adapter="apps.production.whatsapp.services.comment_prompts.whatsapp_prompt_adapter",
        sent=EventType.QUESTION_SENT,
        failed=EventType.QUESTION_FAILED,
        page="/admin/production/whatsappaccount/",
    ),
)
register_outside_kind(LANGFUSE)
register_outside_kind(OTLP)
interactive_handlers["outside_check"] = "apps.production.otlp.services.check_job.run"
register_release_check("masking", refuse_unclear_masking)
register_thumbs(thumbs_of_conversations)
register_prompt_column(_PROMPT_SQL)
register_names(names_here)


@receiver(words_deleted)
def _delete_sent_traces(*, conversation_ids: Collection[UUID], **_: Any) -> None:
    request_deletion_of_sent(conversations=conversation_ids, now=timezone.now())
