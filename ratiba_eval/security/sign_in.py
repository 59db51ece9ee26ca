"""The brake on guessing passwords, at the sign-in pages of both hosts."""

import logging
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.core.events import EventType, log_event
from apps.tenants.context import current_schema
from apps.tenants.sign_in import forgive, take_try


class SignInMiddleware:
    """Inside the tenant. Touches nothing but a POST to the sign-in page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method != "POST" or request.path != settings.LOGIN_URL:
            return self.get_response(request)
        who = {
            "schema": current_schema(),
            "username": request.POST.get("username", ""),
            "address": address_of(request),
        }
        wait_s = take_try(**who, now=timezone.now())
        if wait_s:
            log_event(EventType.REQUEST_REFUSED, level=logging.WARNING, code="too_many_sign_ins", wait_s=wait_s)
            return _refuse(request, wait_s)
        response = self.get_response(request)
        if response.status_code == 302:
            forgive(**who, now=timezone.now())
        return response


def address_of(request: HttpRequest) -> str:
    """The caller's address: what our own proxy saw, where there is one; what others wrote before it is not believed."""
    forwarded = request.headers.get("x-forwarded-for", "")
    if settings.SECURE_PROXY_SSL_HEADER and forwarded:
        return forwarded.rsplit(",", 1)[-1].strip()[:64]
    return str(request.META.get("REMOTE_ADDR", ""))


def _refuse(request: HttpRequest, wait_s: int) -> HttpResponse:
    minutes = -(-wait_s // 60)
    words = f"{wait_s} seconds" if wait_s < 120 else f"{minutes} minutes"
    context = {"wait": words, "back": settings.LOGIN_URL, "title": "Too many tries", "site_title": "Ratiba Eval"}
    answer = render(request, "ratiba_eval/too_many_sign_ins.html", context, status=429)
    answer["Retry-After"] = str(wait_s)
    answer["Cache-Control"] = "no-store"
    return answer
