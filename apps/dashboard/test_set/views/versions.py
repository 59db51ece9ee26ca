"""Pages of an evaluator config version: try it on a conversation, compare it, start a new one from it."""

import uuid

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from apps.catalog.configs.services.versions import new_version_from
from apps.core.errors import RatibaError
from apps.dashboard.page_access import READ, asks_for_part, show, staff_page
from apps.dashboard.test_set.queries.comparing import compare_page


@staff_page("catalog.change_evaluatorconfigversion", "runs.view_conversation")
def try_version(request: HttpRequest, version_id: uuid.UUID) -> HttpResponse:
    """The page of a dry run: the judge's prompt and, after a POST, its answer. A dry run costs one judgement and stores
    none."""
    # The network client comes with these: 0.2 s of every command and web process, for one page.
    from apps.dashboard.test_set.queries.dry_run import result_page, trial_page  # noqa: PLC0415 - see above
    from apps.evaluations.requests.services.dry_running import dry_run  # noqa: PLC0415 - see above

    query = request.POST if request.method == "POST" else request.GET
    language = query.get("language", "")
    page = trial_page(
        version_id, conversation=query.get("conversation", ""), language=language if language in LANGUAGES else ""
    )
    context = {"found": page, "languages": LANGUAGES, "result": None, "failure": ""}
    if request.method == "POST" and page.trial is not None:
        if not request.user.has_perm("evaluations.add_evaluation"):
            raise PermissionDenied("evaluations.add_evaluation")
        try:
            context["result"] = result_page(page.trial, dry_run(page.trial, now=timezone.now))
        except RatibaError as error:
            context["failure"] = error.message
        if asks_for_part(request):
            return render(request, "dashboard/test_set/parts/trial_result.html", context)
    return show(request, "test_set/try", f"Try {page.version}", **context)


@staff_page("catalog.view_evaluatorconfigversion", methods=READ)
def compare_versions(request: HttpRequest, version_id: uuid.UUID) -> HttpResponse:
    """The page of two config versions: their differences, and the scores that stay comparable."""
    page = compare_page(version_id, other=request.GET.get("with", ""))
    return show(request, "test_set/compare_versions", f"{page.newer} compared", found=page)


@staff_page("catalog.add_evaluatorconfigversion", methods=("POST",))
def new_version(request: HttpRequest, version_id: uuid.UUID) -> HttpResponse:
    """Create a draft with the same content, and open it for editing. POST only."""
    draft = new_version_from(version_id=version_id)
    messages.success(request, "A new draft with the same content: change it, try it, publish it.")
    return redirect("config_version", draft)


LANGUAGES = {"en": "English", "sw": "Swahili", "it": "Italian"}
