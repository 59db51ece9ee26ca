"""The editor of an evaluator config version: one page to change, try, check and publish it."""

import uuid

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.calibration.services.judge_check_job import request_judge_check
from apps.catalog.configs.services.versions import create_draft, publish, retire, update_draft
from apps.catalog.models import EvaluatorConfigVersion
from apps.core.errors import BadInput, Conflict, NotFound, RatibaError
from apps.dashboard.page_access import asks_for_part, show, staff_page
from apps.dashboard.reading_language import language_of
from apps.dashboard.test_set.queries.comparing import compare_page
from apps.dashboard.test_set.queries.config_editor import editor_form, editor_page, find_version_row, trial_state
from apps.evaluations.requests.services.dry_run_job import request_dry_runs
from apps.jobs.wakeups import wake_workers_on_commit
from apps.runs.models import Conversation
from apps.tenants.context import current_slug

VIEW = "catalog.view_evaluatorconfigversion"
CHANGE = "catalog.change_evaluatorconfigversion"
ADD = "catalog.add_evaluatorconfigversion"
SPEND = "evaluations.add_evaluation"


@staff_page(VIEW)
def config_version(request: HttpRequest, version_id: uuid.UUID) -> HttpResponse:
    """The page of a config version: its criteria, and whether it is good enough to publish. POST saves a draft."""
    language = language_of(request)
    if asks_for_part(request):
        version = find_version_row(version_id)
        context = {"state": trial_state(version, language=language), "version": version}
        return show(request, "test_set/config_version", str(version), **context)
    posted = None
    if request.method == "POST":
        version = find_version_row(version_id)
        if not request.user.has_perm(CHANGE):
            raise PermissionDenied(CHANGE)
        form = editor_form(version, request.POST)
        if version.status != "draft":
            messages.error(request, f"{version} is {version.status}: nobody can change it. Make a new version from it.")
        elif form.is_valid():
            return _saved(request, version, form)
        posted = request.POST
    page = editor_page(version_id, language=language, posted=posted)
    answer = show(
        request, "test_set/config_version", str(page.version), found=page, state=page.state, version=page.version
    )
    if posted is not None:
        answer.status_code = 422 if page.draft else 409
    return answer


def _saved(request: HttpRequest, version: EvaluatorConfigVersion, form: object) -> HttpResponse:
    """Store the draft, then do what the button said besides."""
    try:
        update_draft(version_id=version.pk, content=form.content)  # type: ignore[attr-defined]  # a VersionForm's
        if request.POST.get("then") == "publish":
            return redirect("publish_version", version.pk)
        if request.POST.get("then") == "try":
            tried: HttpResponse = dry_runs(request, version.pk)
            return tried
        messages.success(request, "Saved.")
    except RatibaError as error:
        messages.error(request, error.message)
    return redirect("config_version", version.pk)


@staff_page(CHANGE, SPEND, "runs.view_conversation", methods=("POST",))
def dry_runs(request: HttpRequest, version_id: uuid.UUID) -> HttpResponse:
    """Request dry runs on the ticked and the named conversations. POST only."""
    named = request.POST.get("named", "").replace(",", " ").split()
    try:
        chosen = [uuid.UUID(one) for one in request.POST.getlist("conversation")] + _ids_of(named)
        request_dry_runs(
            version_id=version_id,
            conversations=chosen,
            requested_by=request.user.get_username(),
            now=timezone.now(),
        )
    except ValueError:
        messages.error(request, "That is no list of conversations: tick some, or name them.")
    except NotFound:
        find_version_row(version_id)
        messages.error(request, "One of the chosen conversations is not there, or has not ended.")
    except RatibaError as error:
        messages.error(request, error.message)
    else:
        wake_workers_on_commit(current_slug(), "interactive")
    return redirect("config_version", version_id)


@staff_page(CHANGE, SPEND, methods=("POST",))
def judge_check(request: HttpRequest, version_id: uuid.UUID) -> HttpResponse:
    """Request a check of this version's judge on known answers. POST only."""
    try:
        request_judge_check(version_id=version_id, requested_by=request.user.get_username(), now=timezone.now())
    except Conflict as error:
        messages.warning(request, error.message)
    else:
        wake_workers_on_commit(current_slug(), "interactive")
    return redirect("config_version", version_id)


@staff_page(CHANGE)
def publish_version(request: HttpRequest, version_id: uuid.UUID) -> HttpResponse:
    """The page that publishes a version: its final text beside the version before; POST publishes it."""
    version = find_version_row(version_id)
    if version.status != "draft":
        messages.info(request, f"{version} is {version.status} already.")
        return redirect("config_version", version_id)
    language = language_of(request)
    problem, despite = "", request.POST.get("despite", "").strip()
    if request.method == "POST":
        by = request.user.get_username()
        try:
            publish(version_id=version_id, at=timezone.now(), by=by, despite_check=despite and f"{despite} ({by})")
        except RatibaError as error:
            problem = error.message
        else:
            messages.success(request, f"{version} is published: new evaluations use it.")
            return redirect("config_version", version_id)
    state = trial_state(version, language=language)
    context = {"found": compare_page(version_id, other=""), "state": state, "problem": problem, "despite": despite}
    answer = show(request, "test_set/publish_version", f"Publish {version}", version=version, **context)
    if problem:
        answer.status_code = 422
    return answer


@staff_page(CHANGE, methods=("POST",))
def retire_version(request: HttpRequest, version_id: uuid.UUID) -> HttpResponse:
    """Retire a published version; its judgements stay. POST only."""
    try:
        retire(version_id=version_id, at=timezone.now())
    except Conflict as error:
        messages.error(request, error.message)
    else:
        messages.success(request, "Retired: the highest version that is still published is in use.")
    return redirect("config_version", version_id)


@staff_page(ADD, methods=("POST",))
def first_version(request: HttpRequest, config_id: uuid.UUID) -> HttpResponse:
    """Create an empty draft of a config that has no version. POST only."""
    from apps.catalog.models import EvaluatorConfig  # noqa: PLC0415 - beside its only use

    config = EvaluatorConfig.objects.filter(pk=config_id).first()
    if config is None:
        raise NotFound(f"There is no evaluator config {config_id}.")
    return redirect("config_version", create_draft(config=config.name, content={}))


def _ids_of(names: list[str]) -> list[uuid.UUID]:
    """The newest ended conversation of each name. One query. Raises BadInput with the name that is none."""
    rows = Conversation.objects.filter(status="ended", external_id__in=names).order_by("id")
    pks = dict(rows.values_list("external_id", "pk"))
    missing = [name for name in names if name not in pks]
    if missing:
        raise BadInput(f"There is no conversation named “{missing[0]}” that has ended.", pointer="/named")
    return [pks[name] for name in names]
