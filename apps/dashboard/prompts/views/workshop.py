"""The workshop: prompts with their drafts, the page on which one is written, and a draft with what became of it."""

import uuid
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.core.errors import BadInput, Conflict, NotFound
from apps.dashboard.page_access import READ, may_ask_gate, show, staff_page, with_message
from apps.dashboard.prompts.queries.draft import DraftForm, draft_form, draft_page, shown_reasons
from apps.dashboard.prompts.queries.workshop import prompt_names, workshop_page
from apps.dashboard.templatetags.criterion_titles import titles_for
from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.drafts.queries.documents import find_draft
from apps.improvement.drafts.queries.releases import commit_patch_of
from apps.improvement.drafts.services.drafting import DraftSource, create_draft, reject_draft
from apps.improvement.drafts.services.releasing_drafts import release_draft

SEE, WRITE, DECIDE = "improvement.view_promptdraft", "improvement.add_promptdraft", "improvement.change_promptdraft"
MAX_FILE_BYTES = 1024 * 1024


@staff_page(SEE, methods=READ)
def workshop(request: HttpRequest) -> HttpResponse:
    """Show the workshop: which prompt is being made better, and what is to be done next?"""
    return show(request, "prompts/workshop", "Drafts", found=workshop_page(titles=titles_for(request)))


@staff_page(SEE, WRITE)
def new_draft(request: HttpRequest) -> HttpResponse:
    """Show the live prompt for editing. POST stores it as a draft, or with `preview` shows the changes."""
    parameters = request.POST if request.method == "POST" else request.GET
    name, analysis, finding = (parameters.get(one, "") for one in ("prompt", "analysis", "finding"))
    if request.method != "POST" and not name:
        beside = urlencode({one: request.GET[one] for one in ("analysis", "finding") if request.GET.get(one)})
        return show(
            request, "prompts/draft_choose", "A draft", names=prompt_names(), beside=f"&{beside}" if beside else ""
        )
    if request.method != "POST":
        return _form(request, draft_form(name=name, analysis=analysis, finding=finding))
    note = request.POST.get("note", "")
    try:
        text = _text_of(request)
    except BadInput as error:
        form = draft_form(name=name, analysis=analysis, finding=finding, text=request.POST.get("text", ""), note=note)
        return _form(request, form, problem=error.message, status=422)
    form = draft_form(name=name, analysis=analysis, finding=finding, text=text, note=note)
    if "preview" in request.POST:
        return _form(request, form)
    return _keep(request, form, text)


@staff_page(SEE, methods=READ)
def draft(request: HttpRequest, draft_id: uuid.UUID) -> HttpResponse:
    """Show a draft: is it better, and may it be released?"""
    page = draft_page(draft_id, titles=titles_for(request))
    title = page.row.version.version if page.row.version_id else f"Refused draft of {page.row.line.name}"
    may = {"may": request.user.has_perm(DECIDE), "may_gate": may_ask_gate(request)}
    return show(request, "prompts/draft", title, found=page, **may)


@staff_page(SEE, methods=READ)
def draft_patch(request: HttpRequest, draft_id: uuid.UUID) -> HttpResponse:
    """The patch of a draft, as a file that `git am` turns into a commit and `git apply` takes."""
    row = find_draft(draft_id)
    if not row.version_id:
        raise NotFound("A refused draft is not handed over.")
    answer = HttpResponse(commit_patch_of(row, now=timezone.now()), content_type="text/x-patch; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{row.version.version.replace("@", "-")}.patch"'
    return answer


@staff_page(SEE, DECIDE, methods=("POST",))
def draft_release(request: HttpRequest, draft_id: uuid.UUID) -> HttpResponse:
    """Release a draft, with what the signed-in person says about it. POST only."""

    def keep() -> str:
        made = release_draft(
            draft_id,
            by=request.user.get_username(),
            reason=request.POST.get("reason", ""),
            acknowledged="acknowledged" in request.POST,
            now=timezone.now(),
        )
        return made.sentence

    return with_message(request, keep, "draft", draft_id)


@staff_page(SEE, DECIDE, methods=("POST",))
def draft_reject(request: HttpRequest, draft_id: uuid.UUID) -> HttpResponse:
    """Reject a draft for good, with the reason. POST only."""

    def keep() -> str:
        reason = request.POST.get("reason", "")
        reject_draft(draft_id, by=request.user.get_username(), reason=reason, now=timezone.now())
        return "Rejected. Your reason stands on its page."

    return with_message(request, keep, "draft", draft_id)


def _keep(request: HttpRequest, form: DraftForm, text: str) -> HttpResponse:
    source = DraftSource(
        by=request.user.get_username(),
        note=form.note,
        analysis_id=uuid.UUID(form.analysis_id) if form.analysis_id else None,
        finding_number=int(form.number) if form.number else None,
    )
    try:
        made = create_draft(name=form.line.name, text=text, source=source, base=request.POST.get("base", ""))
    except Conflict as error:
        return _form(request, form, problem=error.message, status=409)
    except BadInput as error:
        return _form(request, form, problem=error.message, status=422)
    row = find_draft(made)
    if row.status != DraftStatus.REFUSED:
        return redirect("draft", made)
    refused_form = replace(form, refusals=shown_reasons(row.text, row.stop_reasons), draft_id=str(made))
    return _form(request, refused_form, status=422)


def _form(request: HttpRequest, form: DraftForm, *, problem: str = "", status: int = 200) -> HttpResponse:
    answer = show(request, "prompts/draft_form", f"A draft of {form.line.name}", found=form, problem=problem)
    answer.status_code = status
    return answer


def _text_of(request: HttpRequest) -> str:
    """The file's text where one was chosen, else what stands in the field. Raises BadInput."""
    file: Any = request.FILES.get("file")
    if file is None:
        return str(request.POST.get("text", ""))
    if file.size > MAX_FILE_BYTES:
        raise BadInput(f"{file.name} is larger than 1 MiB: a prompt is text.", pointer="/file")
    try:
        return str(file.read().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInput(f"{file.name} is no text in UTF-8: save it so.", pointer="/file") from error
