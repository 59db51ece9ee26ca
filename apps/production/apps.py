"""The room's place in Django."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from django.apps import AppConfig

_PROMPT_SQL = "(SELECT p.prompt_version FROM production_productionconversation p WHERE p.conversation_id = c.id)"


class ProductionConfig(AppConfig):
    name = "apps.production"
    label = "production"

    def ready(self) -> None:
        from apps.calibration.customer_thumbs import register_thumbs  # noqa: PLC0415 - settings must be read first
        from apps.catalog.release_checks import register_release_check  # noqa: PLC0415 - settings must be read first
        from apps.core.listed_names import register_names  # noqa: PLC0415 - as above
        from apps.jobs.adapters import interactive_handlers  # noqa: PLC0415 - as above
        from apps.jobs.work import Work, register  # noqa: PLC0415 - as above
        from apps.runs.prompt_of_conversation import register_prompt_column  # noqa: PLC0415 - as above
        from apps.runs.signals import words_deleted  # noqa: PLC0415 - as above

        promotion = Work(
            name="promotion",
            label="weekly promotion",
            serve="apps.production.tasks.promote",
            queue="improvement",
            table="production_promotionround",
            every_s=60.0,
        )
        register(promotion)
        _register_keeping()
        _register_langfuse()
        _register_whatsapp()
        _register_comment_prompts()
        _register_traces()
        _register_rollouts()
        _register_watching()
        words_deleted.connect(_delete_sent_traces)
        interactive_handlers["langfuse_check"] = "apps.production.services.langfuse_check_job.run"
        register_release_check("masking", _refuse_unclear_masking)
        register_thumbs(_thumbs)
        register_prompt_column(_PROMPT_SQL)
        register_names(_names_here)


def _register_keeping() -> None:
    """The work that ends conversations, and deletes them."""
    from apps.jobs.work import Work, register  # noqa: PLC0415 - settings must be read first

    settling = Work(
        name="production_settling",
        label="real conversation that is over",
        serve="apps.production.tasks.settle",
        queue="improvement",
        table="production_productionconversation",
        pending="settled_at IS NULL",
        due=("settle_at",),
        every_s=60.0,
    )
    register(settling)
    retention = Work(
        name="production_retention",
        label="real conversation to be deleted",
        serve="apps.production.tasks.retain",
        queue="improvement",
        table="production_productionconversation",
        pending="deleted_at IS NULL",
        due=("keep_until",),
        every_s=60.0,
    )
    register(retention)


def _register_langfuse() -> None:
    """What a team's own Langfuse gets."""
    from apps.core.events import EventType  # noqa: PLC0415 - settings must be read first
    from apps.jobs.deliveries import DeliveryKind, register_delivery  # noqa: PLC0415 - as above

    langfuse = DeliveryKind(
        name="langfuse",
        label="delivery to a Langfuse",
        work="langfuse_deliveries",
        adapter="apps.production.services.langfuse_outbox.langfuse_adapter",
        sent=EventType.LANGFUSE_SENT,
        failed=EventType.LANGFUSE_FAILED,
        enqueue="apps.production.services.langfuse_outbox.enqueue_langfuse",
        at_once=20,  # of long conversations that is two seconds of masking, for which the control worker waits
    )
    register_delivery(langfuse)


def _register_whatsapp() -> None:
    """What Meta posts, and what is sent to customers."""
    from apps.core.events import EventType  # noqa: PLC0415 - settings must be read first
    from apps.jobs.deliveries import DeliveryKind, register_delivery  # noqa: PLC0415 - as above
    from apps.jobs.work import Work, register  # noqa: PLC0415 - as above

    questions = DeliveryKind(
        name="whatsapp_question",
        label="question to a customer",
        work="whatsapp_questions",
        adapter="apps.production.services.question_delivery.whatsapp_question_adapter",
        sent=EventType.QUESTION_SENT,
        failed=EventType.QUESTION_FAILED,
    )
    register_delivery(questions)
    posts = Work(
        name="whatsapp_posts",
        label="post of WhatsApp",
        serve="apps.production.tasks.work_through",
        queue="improvement",
        table="production_whatsapppost",
    )
    register(posts)
    recipients = Work(
        name="whatsapp_recipients",
        label="number that is to be forgotten",
        serve="apps.production.tasks.forget",
        queue="improvement",
        table="production_feedbackquestion",
        pending="recipient <> ''",
        due=("expires_at",),
        every_s=60.0,
    )
    register(recipients)


def _register_comment_prompts() -> None:
    """The question for the words of a comment that was announced."""
    from apps.core.events import EventType  # noqa: PLC0415 - settings must be read first
    from apps.jobs.deliveries import DeliveryKind, register_delivery  # noqa: PLC0415 - as above
    from apps.jobs.work import Work, register  # noqa: PLC0415 - as above

    prompts = DeliveryKind(
        name="whatsapp_prompt",
        label="question for a comment",
        work="whatsapp_prompts",
        adapter="apps.production.services.comment_prompts.whatsapp_prompt_adapter",
        sent=EventType.QUESTION_SENT,
        failed=EventType.QUESTION_FAILED,
    )
    register_delivery(prompts)
    prompted = Work(
        name="whatsapp_prompted",
        label="number of a comment that is to be forgotten",
        serve="apps.production.tasks.forget_prompts",
        queue="improvement",
        table="production_pendingcomment",
        pending="recipient <> ''",
        due=("closes_at",),
        every_s=60.0,
    )
    register(prompted)


def _register_traces() -> None:
    """Spans, until their conversations are over."""
    from apps.jobs.work import Work, register  # noqa: PLC0415 - settings must be read first

    spans = Work(
        name="trace_spans",
        label="span of a conversation",
        serve="apps.production.tasks.trace",
        queue="improvement",
        table="production_tracespan",
        pending="is_call AND taken_at IS NULL",
        due=("not_before",),
    )
    register(spans)
    forgotten = Work(
        name="trace_spans_forgotten",
        label="span that is to be forgotten",
        serve="apps.production.tasks.forget_traces",
        queue="improvement",
        table="production_tracespan",
        pending="true",
        due=("forget_at",),
        every_s=60.0,
    )
    register(forgotten)
    langfuse = Work(
        name="langfuse_poll",
        label="Langfuse to be read",
        serve="apps.production.tasks.poll_langfuse",
        queue="improvement",
        table="production_langfusesource",
        pending="enabled",
        due=("not_before",),
        every_s=60.0,
    )
    register(langfuse)


def _register_rollouts() -> None:
    """The work that looks at running canaries."""
    from apps.jobs.work import Work, register  # noqa: PLC0415 - settings must be read first

    rollout = Work(
        name="rollout",
        label="look at a canary",
        serve="apps.production.tasks.watch_rollouts",
        queue="improvement",
        table="production_rollout",
        pending="status = 'running'",
        due=("look_at",),
        every_s=15.0,
    )
    register(rollout)


def _register_watching() -> None:
    """The work that has real conversations judged, and asks the judge about its anchors."""
    from apps.jobs.work import Work, register  # noqa: PLC0415 - settings must be read first

    sampling = Work(
        name="sampling",
        label="sample of real conversations",
        serve="apps.production.tasks.draw",
        queue="improvement",
        table="production_samplingrule",
        pending="enabled",
        due=("due_at",),
        every_s=60.0,
    )
    register(sampling)
    anchors = Work(
        name="anchors",
        label="weekly grading of anchors",
        serve="apps.production.tasks.grade_anchors",
        queue="improvement",
        table="production_anchorset",
        pending="status = 'active'",
        every_s=60.0,
    )
    register(anchors)


def _thumbs(conversations: Collection[UUID]) -> Mapping[UUID, Sequence[bool]]:
    from apps.production.queries.overview import thumbs_of_conversations  # noqa: PLC0415 - tables are read then

    return thumbs_of_conversations(conversations)


def _delete_sent_traces(*, conversation_ids: Collection[UUID], **_: object) -> None:
    from django.utils import timezone  # noqa: PLC0415 - as below

    from apps.production.services.requesting_langfuse_deletion import (  # noqa: PLC0415 - tables are read then
        request_deletion_of_sent,
    )

    request_deletion_of_sent(conversations=conversation_ids, now=timezone.now())


def _refuse_unclear_masking(scenario_id: object) -> None:
    from apps.production.services.candidates import refuse_unclear_masking  # noqa: PLC0415 - tables are read then

    refuse_unclear_masking(scenario_id)


def _names_here(may_ask: bool) -> tuple[str, ...]:
    from apps.production.services.identity_list import names_here  # noqa: PLC0415 - tables are read then

    return names_here(may_ask)
