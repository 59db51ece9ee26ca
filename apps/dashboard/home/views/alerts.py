"""Alerts: what is wrong, who is told, and which rules are on; channels and rules are owners'."""

import uuid
from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.alerts.domain.conditions import Rule
from apps.alerts.registrations import CHANNELS
from apps.alerts.services import channels as service
from apps.core.errors import BadInput, Conflict, NotFound
from apps.dashboard.home.queries.alerts import alerts_page
from apps.dashboard.page_access import READ, show, staff_page
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug

SEE, ADD, CHANGE = "alerts.view_alert", "alerts.add_alertchannel", "alerts.change_alertchannel"


@staff_page(SEE, methods=READ)
def alerts(request: HttpRequest) -> HttpResponse:
    """The page of alerts: the present problems, and the people who are told of them."""
    return _page(request)


@staff_page(ADD, methods=("POST",))
def add_channel(request: HttpRequest) -> HttpResponse:
    """Add a channel for alerts. POST only."""
    given = {name: request.POST.get(name, "") for name in ("name", "kind", "address")}
    try:
        made = service.add_channel(**given, origin=_origin(request), by=request.user.get_username(), now=timezone.now())
    except (BadInput, Conflict) as error:
        return _page(
            request, given=given, problem=error.message, field=(getattr(error, "pointer", "") or "").strip("/")
        )
    wake_workers_on_commit(current_slug(), "alerts")
    return _page(request, made=made)


@staff_page(CHANGE, methods=("POST",))
def change_channel(request: HttpRequest, channel_id: uuid.UUID) -> HttpResponse:
    """Test a channel, switch it on or off, or remove it. POST only."""

    def done() -> str:
        match request.POST.get("do", ""):
            case "try":
                service.try_channel(channel_id=channel_id, origin=_origin(request), now=timezone.now())
                for kind in CHANNELS:
                    wake_workers_on_commit(current_slug(), f"alerts_by_{kind}")
                return "A test message is on its way."
            case "on" | "off" as verb:
                service.switch_channel(channel_id=channel_id, enabled=verb == "on")
                return f"It is {verb}."
            case "remove":
                service.remove_channel(channel_id=channel_id)
                return "It was taken away."
        raise BadInput("try, on, off or remove", code="bad_option", pointer="/do")

    return _said(request, done)


@staff_page(CHANGE, methods=("POST",))
def rules(request: HttpRequest) -> HttpResponse:
    """Set which alert rules are on. POST only."""

    def done() -> str:
        ticked = set(request.POST.getlist("rule"))
        if unknown := sorted(ticked - {rule.value for rule in Rule}):
            raise BadInput(f"There is no rule {unknown[0]!r}; nothing was changed.", pointer="/rule")
        service.set_rules(enabled=ticked)
        return "Saved."

    return _said(request, done)


def _said(request: HttpRequest, done: Callable[[], str]) -> HttpResponse:
    try:
        messages.success(request, done())
    except NotFound:
        raise
    except (BadInput, Conflict) as error:
        messages.error(request, error.message)
    return redirect("alerts")


def _page(request: HttpRequest, **more: object) -> HttpResponse:
    answer = show(
        request, "home/alerts", "Alerts", found=alerts_page(now=timezone.now()), may=request.user.has_perm(ADD), **more
    )
    answer.status_code = 422 if more.get("problem") else 200
    return answer


def _origin(request: HttpRequest) -> str:
    return request.build_absolute_uri("/").rstrip("/")
