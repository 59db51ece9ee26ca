"""Trying a model provider: asked for by a button, done by a worker, shown when it has answered."""

import uuid

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.catalog.models import ModelProvider
from apps.core.errors import BadInput, Conflict, NotFound
from apps.dashboard.page_access import show, staff_page
from apps.jobs.queries.interactive import interactive_job
from apps.jobs.wakeups import wake_workers_on_commit
from apps.runs.agents.services.provider_check_job import KIND, QUESTION, request_provider_check
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

ASK = "runs.add_testrun"


@staff_page("catalog.view_modelprovider")
def check_provider(request: HttpRequest, provider_id: uuid.UUID) -> HttpResponse:
    """The provider's check: its model's answer to one question. POST queues the question."""
    row = ModelProvider.objects.defer("api_key").filter(pk=provider_id).first()
    if row is None:
        raise NotFound(f"There is no model provider {provider_id}.")
    if request.method == "POST":
        if not request.user.has_perm(ASK):
            raise PermissionDenied(ASK)
        try:
            request_provider_check(
                provider_id=provider_id,
                model=request.POST.get("model", ""),
                now=timezone.now(),
                requested_by=request.user.get_username(),
            )
        except (BadInput, Conflict) as error:
            messages.warning(request, error.message)
        else:
            wake_workers_on_commit(current_slug(), "interactive")
        return redirect("check_provider", provider_id)
    job = interactive_job(kind=KIND, subject_id=provider_id)
    models = _models_of(row)
    chosen = job.arguments.get("model", "") if job else next(iter(models), "")
    return show(
        request,
        "settings/check_provider",
        f"Test of {row.name}",
        provider=row,
        job=job,
        models=models,
        chosen=chosen,
        question=QUESTION,
    )


def _models_of(row: ModelProvider) -> list[str]:
    """Models that this provider is known to have: those with a declared price, and those the tenant's roles name."""
    roles = workflow_config(current_slug()).models.values()
    named = [one.model for role in roles for one in (role, role.fallback) if one and one.provider == row.name]
    return list(dict.fromkeys(name for name in [*named, *(row.options.get("prices") or {})] if name not in ("", "*")))
