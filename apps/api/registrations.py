"""Register this room's parts when Django starts."""

from apps.core.events import EventType
from apps.evaluations.domain.states import EVALUATION_TERMINAL
from apps.jobs.deliveries import DeliveryKind, register_delivery
from apps.runs.domain.kind_traits import sql_list

# Ended evaluations whose asker has not been told how; of those that wait for their analysis, too.
UNTOLD = f"""
SELECT 1 FROM {{schema}}.evaluations_evaluation e
WHERE e.callback_url <> '' AND e.status IN {sql_list(sorted(EVALUATION_TERMINAL))} AND NOT EXISTS (
  SELECT 1 FROM {{schema}}.jobs_outbounddelivery d WHERE d.kind = 'callback' AND d.subject_id = e.id
    AND d.event = 'evaluation.' || e.status)
"""  # noqa: S608 - words of our own

register_delivery(
    DeliveryKind(
        name="callback",
        label="callback",
        work="callbacks",
        adapter="apps.api.services.callback_delivery.callback_adapter",
        enqueue="apps.api.services.callbacks.enqueue_callbacks",
        after="apps.api.services.idempotency.evict_cached",
        sent=EventType.CALLBACK_SENT,
        failed=EventType.CALLBACK_FAILED,
        freed_by=("evaluations_evaluation", "improvement_analysis", "api_webhookkey"),
        finds=(UNTOLD, "SELECT 1 FROM {schema}.api_idempotencyrecord WHERE expires_at <= %(now)s"),
        page="/admin/api/callback/",
    )
)
