"""Mark the sessions that are looked at again."""

from typing import Any

from django.http import HttpRequest

from apps.identity.models import ProviderAccount
from apps.tenants.context import current_schema
from apps.tenants.domain.naming import PUBLIC

MARK = "provider_account"  # a session of an account that a provider vouches for, however it signed in


def mark_session(sender: Any, request: HttpRequest, user: Any, **_: Any) -> None:
    """Mark the session after every sign-in of a tenant, by password too.

    An owner may have set one for an account of the provider.
    """
    if current_schema() != PUBLIC and ProviderAccount.objects.filter(user_id=user.pk).exists():
        request.session[MARK] = user.pk
