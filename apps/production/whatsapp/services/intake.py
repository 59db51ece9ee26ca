"""The webhook's own part: answer Meta's subscription, and store what it signed. Workers read it."""

import hashlib
import hmac
from datetime import datetime

from apps.catalog.fields import Secret
from apps.core.errors import BadInput
from apps.core.events import EventType, log_event
from apps.jobs.wakeups import wake_workers_on_commit
from apps.production.whatsapp.domain.signature import signed_by
from apps.production.whatsapp.models import WhatsAppAccount, WhatsAppPost
from apps.tenants.context import current_slug

WORK = "whatsapp_posts"
MAX_BYTES = 3 * 1024 * 1024  # Meta's own bound of a webhook
WRONG_SIGNATURE = "wrong_signature"


def challenge_answer(*, mode: str, token: str, challenge: str) -> str | None:
    """The answer that proves to Meta that this address is ours; None where the token is no account's. One query."""
    given = token.encode("utf-8", "surrogatepass")
    known = [row.verify_token.reveal() for row in WhatsAppAccount.objects.exclude(verify_token="").only("verify_token")]
    matches = [hmac.compare_digest(one.encode(), given) for one in known]
    return challenge if mode == "subscribe" and any(matches) and challenge else None


def store_post(*, body: bytes, signature: str, now: datetime) -> None:
    """Store one signed POST, encrypted and unread. Two statements, and no worker is waited for.

    Raises BadInput (`wrong_signature`) where no account's app secret signed exactly these bytes, and then stores
    nothing; BadInput (`body_too_large`, `invalid_json`). Safe to repeat: the same bytes are one row."""
    if len(body) > MAX_BYTES:
        raise BadInput(f"The body is larger than {MAX_BYTES} bytes.", code="body_too_large")
    rows = WhatsAppAccount.objects.exclude(app_secret="").only("app_secret")
    if not signed_by([row.app_secret.reveal() for row in rows], body=body, header=signature):
        log_event(EventType.REQUEST_REFUSED, code=WRONG_SIGNATURE)
        raise BadInput("No WhatsApp account of this tenant signed this body.", code=WRONG_SIGNATURE)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput("The body is not UTF-8.", code="invalid_json") from None
    post = WhatsAppPost(created_at=now, digest=hashlib.sha256(body).hexdigest(), body=Secret(text))
    WhatsAppPost.objects.bulk_create([post], ignore_conflicts=True)
    wake_workers_on_commit(current_slug(), WORK)
