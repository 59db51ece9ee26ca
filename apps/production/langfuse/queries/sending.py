"""Say in a sentence how far sending to a Langfuse, or to a receiver of OTLP, is."""

from django.db.models import Count, Q

from apps.core.plurals import many
from apps.jobs.domain.delivery_states import GIVEN_UP, DeliveryStatus
from apps.jobs.models import OutboundDelivery
from apps.production.langfuse.models import LangfuseSource


def sending_sentence(source: LangfuseSource) -> str:
    """Say what waits, what was given up, and why the last attempt failed. Two queries, none where nothing is sent
    there."""
    if source.sends_since is None and source.sends_runs_since is None and not source.publishes_prompts:
        return "nothing is sent there"
    return progress_of("langfuse")


def progress_of(kind: str) -> str:
    """The progress of all deliveries of a kind. Two queries."""
    rows = OutboundDelivery.objects.filter(kind=kind).exclude(status=DeliveryStatus.DELIVERED)
    counts = rows.aggregate(
        waiting=Count("pk", filter=Q(status=DeliveryStatus.PENDING)), ended=Count("pk", filter=Q(status__in=GIVEN_UP))
    )
    if not counts["waiting"] and not counts["ended"]:
        return "all that was to be sent is there"
    last = rows.exclude(last_error="").order_by("-last_attempt_at").values_list("last_error", flat=True).first()
    parts = [f"{many(counts['waiting'], 'delivery', 'deliveries')} waiting"] if counts["waiting"] else []
    parts += [f"{counts['ended']:,} given up (saving this form tries them again)"] if counts["ended"] else []
    return "; ".join([*parts, *([f"the last attempt: {last}"] if last else [])])
