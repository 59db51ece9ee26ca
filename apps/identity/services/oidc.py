"""allauth's OpenID Connect as this product uses it: one provider a tenant, PKCE, no e-mail, nothing kept that is not
needed."""

from typing import Any

import requests
from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers.base.constants import AuthError
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.contrib.auth import login as django_login
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from apps.connectors.requests_session import guarded_session
from apps.core.events import EventType, log_event
from apps.identity.domain.freshness import DEADLINE_S
from apps.identity.domain.names import account_name, issuer_key, shown_name
from apps.identity.models import IdentityProvider
from apps.identity.queries.provider import identity_policy, provider_in_use
from apps.identity.services.accounts import take_claims
from apps.identity.services.discovery import read_discovery

# Whatever a hostile or broken provider answers ends in one of these.
PROVIDER_FAULTS = (requests.RequestException, OAuth2Error, KeyError, TypeError, ValueError, AttributeError)


def refuse(request: HttpRequest, *, reason: str, status: int = 403) -> HttpResponse:
    """The page that says why somebody could not sign in by the provider."""
    log_event(EventType.SIGN_IN_REFUSED, reason=reason)
    provider = provider_in_use()
    context = {"reason": reason, "provider": provider, "title": "You are not signed in", "site_title": "Ratiba Eval"}
    answer = render(request, "identity/refused.html", context, status=status)
    answer["Cache-Control"] = "no-store"
    return answer


def app_of(row: IdentityProvider) -> SocialApp:
    """The tenant's row as allauth reads it; never saved. PKCE is on."""
    settings = {
        "server_url": row.issuer,
        "oauth_pkce_enabled": True,
        "scope": row.scopes.split(),
        "fetch_userinfo": True,
    }
    return SocialApp(
        provider="openid_connect",
        provider_id=issuer_key(row.issuer),
        name=row.name,
        client_id=row.client_id,
        secret=row.client_secret.reveal() if row.client_secret else "",
        settings=settings,
    )


class OidcAdapter(OpenIDConnectOAuth2Adapter):
    """Reads the discovery document strictly, and lets nothing of the person into allauth's tables but the `sub`."""

    @property
    def openid_config(self) -> dict[str, Any]:
        if not hasattr(self, "_openid_config"):
            self._openid_config = read_discovery(self.get_provider().app.settings["server_url"])
        return self._openid_config

    def complete_login(self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any) -> SocialLogin:
        login = super().complete_login(request, app, token, **kwargs)
        userinfo: dict[str, Any] = login.account.extra_data
        claims, id_token = userinfo.get("userinfo"), userinfo.get("id_token")
        if not isinstance(claims, dict) or not isinstance(id_token, dict):
            raise OAuth2Error("the provider gave no id token, or no claims")
        if not claims.get("sub") or claims["sub"] != id_token.get("sub"):
            raise OAuth2Error("id token and userinfo speak of two people")  # OpenID Connect Core 1.0 §5.3.2
        login.claims = claims
        login.account.extra_data = {}
        login.email_addresses = []
        return login


class ProviderSignIn(DefaultSocialAccountAdapter):
    """SOCIALACCOUNT_ADAPTER. Accounts are found by provider and `sub` alone."""

    def list_apps(self, request: HttpRequest, provider: Any = None, client_id: Any = None) -> list[SocialApp]:
        row = provider_in_use()
        app = app_of(row) if row else None
        return [app] if app and provider in (None, app.provider_id) else []

    def get_requests_session(self) -> requests.Session:
        return guarded_session(identity_policy(), deadline_s=DEADLINE_S)

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return True

    def is_auto_signup_allowed(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return True

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """A known account: its roles become those of its groups of now, before it is signed in."""
        if sociallogin.is_existing:
            if not sociallogin.user.is_active:
                reason = "An owner of this tenant has switched your account off."
                raise ImmediateHttpResponse(refuse(request, reason=reason))
            _take(sociallogin, sociallogin.user)

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        """A first login: an account of its own, without a password or an address."""
        account = sociallogin.account
        name = account_name(key=account.provider, sub=account.uid, claims=sociallogin.claims)
        user = User(username=name, first_name=shown_name(sociallogin.claims), is_staff=True)
        user.set_unusable_password()
        sociallogin.user = user
        sociallogin.save(request)
        _take(sociallogin, user)
        return user

    def on_authentication_error(self, request: HttpRequest, provider: Any, **kwargs: Any) -> None:
        cancelled = kwargs.get("error") == AuthError.CANCELLED
        reason = "You cancelled it there." if cancelled else "The provider did not confirm who you are."
        raise ImmediateHttpResponse(refuse(request, reason=reason))


def _take(sociallogin: SocialLogin, user: User) -> None:
    row = provider_in_use()
    if row is None:
        raise OAuth2Error("the provider was switched off meanwhile")
    take_claims(
        user=user,
        key=sociallogin.account.provider,
        provider=row,
        claims=sociallogin.claims,
        access_token=sociallogin.token.token,
        refresh_token=sociallogin.token.token_secret,
        now=timezone.now(),
    )


class LocalAccounts(DefaultAccountAdapter):
    """ACCOUNT_ADAPTER. Local accounts are made by owners, and sign in on the page of their own."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def is_safe_url(self, url: str | None) -> bool:
        """Accept this tenant's own host alone: another tenant's is another house."""
        host = self.request.get_host() if self.request else ""
        return bool(host) and url_has_allowed_host_and_scheme(url or "", {host}, self.request.is_secure())

    def login(self, request: HttpRequest, user: User) -> None:
        django_login(request, user, backend="django.contrib.auth.backends.ModelBackend")

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """allauth sends no mail from here."""

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """The pages say themselves who is signed in."""
