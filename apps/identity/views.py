"""The two addresses of a sign-in by the provider."""

from typing import cast

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.identity.services.oidc import PROVIDER_FAULTS, OidcAdapter, refuse

_FAULT = "The sign-in provider did not answer as it should. Try again; if it stays so, tell an owner of this tenant."


@never_cache
def sign_in(request: HttpRequest, provider_id: str) -> HttpResponse:
    """POST: begin. The browser is led on by a page, since a form of ours may lead to our own host alone (CSP)."""
    if request.method != "POST":
        return redirect(settings.LOGIN_URL)
    where = request.POST.get("next", "")
    inside = url_has_allowed_host_and_scheme(where, {request.get_host()}, request.is_secure())
    try:
        provider = get_adapter().get_provider(request, provider=provider_id)
        provider.get_oauth2_adapter = lambda request: OidcAdapter(request, provider_id)
        answer = provider.redirect(request, process="login", next_url=where if inside else settings.LOGIN_REDIRECT_URL)
    except SocialApp.DoesNotExist as error:
        raise Http404("This tenant has no such sign-in provider.") from error
    except ImmediateHttpResponse as refused:
        answer = refused.response
    except PROVIDER_FAULTS:
        return refuse(request, reason=_FAULT, status=502)
    if answer.status_code != 302:
        return cast(HttpResponse, answer)
    return render(request, "identity/leading_on.html", {"address": answer["Location"], "name": provider.app.name})


@never_cache
@require_safe
def callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Answer where the provider sends the browser back; allauth checks state and PKCE."""
    try:
        return cast(HttpResponse, OAuth2CallbackView.adapter_view(OidcAdapter(request, provider_id))(request))
    except SocialApp.DoesNotExist as error:
        raise Http404("This tenant has no such sign-in provider.") from error
    except PROVIDER_FAULTS:
        return refuse(request, reason=_FAULT, status=502)
