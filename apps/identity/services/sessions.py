"""A session of an account that a provider vouches for is looked at again while it lasts."""

from datetime import datetime
from enum import StrEnum

from allauth.socialaccount.models import SocialAccount
from django.db.models import Q

from apps.identity.domain.freshness import Answer, is_due, is_past_grace
from apps.identity.domain.names import issuer_key
from apps.identity.models import IdentityProvider, ProviderAccount
from apps.identity.queries.provider import provider_in_use
from apps.identity.services.accounts import take_all_roles, take_claims
from apps.identity.services.discovery import ask_about


class SessionState(StrEnum):
    """The state of a session after the provider was asked."""

    GOOD = "good"
    WITHOUT_ROLES = "without roles"
    OVER = "over"


def look_again(*, user_id: int, now: datetime) -> SessionState:
    """Ask the provider about the account when that is due, and give it the roles of its groups of now.

    Two queries where nothing is due. One request at a time asks: the others go on with what is known, which is younger
    than five minutes. Safe to repeat.
    """
    account = ProviderAccount.objects.select_related("user").filter(user_id=user_id).first()
    provider = provider_in_use()
    if account is None or provider is None or account.key != issuer_key(provider.issuer):
        return SessionState.OVER
    if is_due(now=now, answered_at=account.answered_at, asked_at=account.asked_at) and _claim(account, now):
        answer = _ask(account, provider, now)
        if answer is Answer.REFUSED:
            take_all_roles(account=account)
            return SessionState.OVER
        if answer is Answer.GROUPS:
            return SessionState.GOOD
    if is_past_grace(now=now, answered_at=account.answered_at):
        take_all_roles(account=account)
        return SessionState.WITHOUT_ROLES
    return SessionState.GOOD


def _claim(account: ProviderAccount, now: datetime) -> bool:
    """True for the one request that asks."""
    same = Q(pk=account.pk, asked_at=account.asked_at)
    return ProviderAccount.objects.filter(same).update(asked_at=now) == 1


def _ask(account: ProviderAccount, provider: IdentityProvider, now: datetime) -> Answer:
    sub = SocialAccount.objects.filter(user_id=account.user_id, provider=account.key).values_list("uid", flat=True)
    about = ask_about(
        issuer=provider.issuer,
        client=(provider.client_id, provider.client_secret.reveal() if provider.client_secret else ""),
        sub=sub.first() or "",
        access_token=account.access_token.reveal() if account.access_token else "",
        refresh_token=account.refresh_token.reveal() if account.refresh_token else "",
    )
    if about.answer is Answer.GROUPS:
        take_claims(
            user=account.user,
            key=account.key,
            provider=provider,
            claims=about.claims,
            access_token=about.access_token,
            refresh_token=about.refresh_token,
            now=now,
        )
    return about.answer
