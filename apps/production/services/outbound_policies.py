"""Set where this room may connect to."""

from django.conf import settings

from apps.connectors.addresses import OutboundPolicy


def graph_policy() -> OutboundPolicy:
    """Return where WhatsApp's messages go: the public internet.

    Private addresses are allowed where the operator allows them.
    """
    private = ("private",) if settings.ALLOW_PRIVATE_CALLBACKS else ()
    return OutboundPolicy(private_hosts=private, purpose="WhatsApp", max_response_bytes=64 * 1024)


def otlp_policy() -> OutboundPolicy:
    """Return where a receiver of OTLP may be: as a Langfuse."""
    return OutboundPolicy(private_hosts=tuple(settings.PRIVATE_HOSTS), purpose="OTLP")


def langfuse_policy() -> OutboundPolicy:
    """Return where a Langfuse may be: the public internet, and the private hosts that the operator names."""
    return OutboundPolicy(private_hosts=tuple(settings.PRIVATE_HOSTS), purpose="Langfuse")
