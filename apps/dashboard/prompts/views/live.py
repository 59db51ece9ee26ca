"""A prompt as a page: its text, its versions, what changed."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from apps.catalog.prompts.services.recording import make_live
from apps.dashboard.page_access import READ, show, staff_page
from apps.dashboard.prompts.queries.live import prompt_page


@staff_page("catalog.view_promptversion", methods=READ)
def prompt(request: HttpRequest, prompt_id: uuid.UUID) -> HttpResponse:
    """The page of a prompt: the agent's instructions, and the changes made to them."""
    page = prompt_page(prompt_id, other=request.GET.get("with", ""))
    return show(request, "prompts/live", page.prompt.version, found=page)


@staff_page("catalog.view_promptversion", "catalog.change_promptline", methods=("POST",))
def prompt_live(request: HttpRequest, prompt_id: uuid.UUID) -> HttpResponse:
    """Make a version live: it is played wherever none is named. POST only."""
    version = prompt_page(prompt_id, other="").prompt.version
    if make_live(version=version, by=request.user.get_username()):
        messages.success(request, f"{version} is live: it is played where nobody names a version.")
    return redirect("prompt", prompt_id)
