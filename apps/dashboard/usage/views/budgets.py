"""Changing one budget from the page that shows it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.budgets.domain.dollars import read_dollars
from apps.budgets.domain.scopes import Scope, ScopeKind
from apps.budgets.services.limits import set_limit
from apps.core.errors import BadInput
from apps.dashboard.page_access import staff_page
from apps.evaluations.progress.services.resume import resume_after_budget_raise
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug


@staff_page("budgets.change_budget", methods=("POST",))
def change_budget(request: HttpRequest) -> HttpResponse:
    """Change the limit of a run, a pull request, a month or the tenant; empty: by the settings. POST only."""
    now, text = timezone.now(), request.POST.get("usd", "").strip().replace(",", ".")
    try:
        kind, _, name = request.POST.get("scope", "").partition(" ")
        scope = Scope(ScopeKind(kind), name[:200])
        set_limit(scope=scope, usd=read_dollars(text) if text else None)
    except ValueError:
        messages.error(request, "There is no such budget.")
    except BadInput as error:
        messages.error(request, error.message)
    else:
        resume_after_budget_raise(now=now)
        wake_workers_on_commit(current_slug())
        messages.success(request, f"{str(scope).capitalize()}: {f'{text} dollars' if text else 'as the settings say'}.")
    return redirect("usage")
