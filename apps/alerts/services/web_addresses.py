"""Set where alerts may be posted to."""

from django.conf import settings

from apps.connectors.addresses import OutboundPolicy


def alert_policy() -> OutboundPolicy:
    """The public internet, and private addresses where the operator allows it for callbacks."""
    private = ("private",) if settings.ALLOW_PRIVATE_CALLBACKS else ()
    return OutboundPolicy(private_hosts=private, purpose="alert", max_response_bytes=64 * 1024)
