"""Where messages of WhatsApp may be sent."""

from django.conf import settings

from apps.connectors.addresses import OutboundPolicy


def graph_policy() -> OutboundPolicy:
    """The public internet, and private addresses where the operator allows them."""
    private = ("private",) if settings.ALLOW_PRIVATE_CALLBACKS else ()
    return OutboundPolicy(private_hosts=private, purpose="WhatsApp", max_response_bytes=64 * 1024)
