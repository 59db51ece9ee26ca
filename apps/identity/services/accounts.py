"""Turn a provider's answer about a person into their roles here."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import Group, User
from django.db import transaction

from apps.catalog.fields import Secret
from apps.core.events import EventType, log_event
from apps.identity.domain.groups import groups_in, roles_for, roles_to_hold
from apps.identity.models import IdentityProvider, ProviderAccount


def take_claims(
    *,
    user: User,
    key: str,
    provider: IdentityProvider,
    claims: Mapping[str, Any],
    access_token: str,
    refresh_token: str,
    now: datetime,
) -> frozenset[str]:
    """Give the account the roles of its groups and no others; → those roles. Safe to repeat; some eight queries.

    No claim makes anybody a superuser, and no e-mail leads to an account.
    """
    mapped = roles_for(groups_in(claims, provider.groups_claim), provider.group_roles)
    with transaction.atomic():
        account, _made = ProviderAccount.objects.select_for_update().get_or_create(
            user=user, defaults={"key": key, "asked_at": now, "answered_at": now}
        )
        held = frozenset(user.groups.values_list("name", flat=True))
        before = frozenset() if account.key != key else frozenset(account.roles)
        roles, withheld = roles_to_hold(
            mapped=mapped, given_before=before, held=held, withheld=frozenset(account.withheld)
        )
        account.key, account.roles, account.withheld = key, sorted(roles), sorted(withheld)
        account.access_token = Secret(access_token)
        account.refresh_token = Secret(refresh_token)
        account.asked_at = account.answered_at = now
        account.save()
        if roles != held:
            _hold(user, roles)
    return roles


def take_all_roles(*, account: ProviderAccount) -> None:
    """The account has no role until its provider answers again: what it had stands in no list of what it may do."""
    if not account.roles and not account.user.groups.exists():
        return
    with transaction.atomic():
        ProviderAccount.objects.filter(pk=account.pk).update(roles=[])
        _hold(account.user, ())


def _hold(user: User, roles: Iterable[str]) -> None:
    user.groups.set(Group.objects.filter(name__in=list(roles)))
    log_event(EventType.SIGN_IN_ROLES, user=user.pk, roles=sorted(roles))
