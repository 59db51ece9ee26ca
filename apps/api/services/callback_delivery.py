"""The adapter of callbacks (apps.jobs.services.outbound): one signed Standard Webhooks POST for each event.

The body is built when it is sent. The webhook-id is the delivery's, so it never changes.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime

from apps.api.queries.keys import live_webhook_keys
from apps.api.services.callbacks import callback_body
from apps.api.services.submissions import callback_policy
from apps.connectors.callbacks import CallbackOutcome, post_callback
from apps.connectors.outbound import outbound_client
from apps.evaluations.models import Evaluation
from apps.jobs.models import message_id
from apps.jobs.services.outbound import DueDelivery

NO_KEY = "there is no webhook key to sign with: make one under Webhook keys"
_Post = tuple[str, str, bytes]  # address, webhook-id, body


def send_callbacks(due: Sequence[DueDelivery], now: Callable[[], datetime]) -> Sequence[CallbackOutcome]:
    """Post all of them at the same time, each within 15 s. Success is 2xx alone. Without a key they wait, and say why.

    Two queries, and some seven for each evaluation.
    """
    secrets = [key.secret.reveal() for key in live_webhook_keys(now=now())]
    if not secrets:
        return [CallbackOutcome(delivered=False, error=NO_KEY) for _ in due]
    ids = [one.subject_id for one in due]
    rows = {row.pk: row for row in Evaluation.objects.filter(pk__in=ids).only("id", "callback_url", "ended_at")}
    posts = [
        (rows[one.subject_id].callback_url, message_id(one.id), callback_body(rows[one.subject_id], one.event, now()))
        for one in due
    ]
    return asyncio.run(_post(posts, secrets, now))


async def _post(posts: Sequence[_Post], secrets: Sequence[str], now: Callable[[], datetime]) -> list[CallbackOutcome]:
    async with outbound_client(callback_policy()) as client:
        return await asyncio.gather(*(post_callback(url, id, body, secrets, client, now()) for url, id, body in posts))
