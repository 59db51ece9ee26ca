"""The provider of this tenant."""

from django.conf import settings

from apps.connectors.addresses import OutboundPolicy
from apps.identity.models import IdentityProvider, ProviderAccount


def provider_in_use() -> IdentityProvider | None:
    """The tenant's provider, where it has one that is switched on. One query."""
    return IdentityProvider.objects.filter(enabled=True).first()


def provider_of(username: str) -> str:
    """The name of the provider that vouches for this account; "" for a local one. Two queries."""
    if not ProviderAccount.objects.filter(user__username=username).exists():
        return ""
    row = provider_in_use()
    return row.name if row else ""


def identity_policy() -> OutboundPolicy:
    """Return where a provider may be: the public internet, and the operator's private hosts.

    Replies up to 256 KiB: a discovery document or a person's claims are a few.
    """
    return OutboundPolicy(
        private_hosts=tuple(settings.PRIVATE_HOSTS), purpose="sign-in provider", max_response_bytes=256 * 1024
    )
