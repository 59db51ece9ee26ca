"""A prompt as a page: its text, its versions, what changed."""

import uuid

from django.http import HttpRequest, HttpResponse

from apps.dashboard.queries.prompts import prompt_page
from apps.dashboard.views.page_access import READ, show, staff_page


@staff_page("catalog.view_promptversion", methods=READ)
def prompt(request: HttpRequest, prompt_id: uuid.UUID) -> HttpResponse:
    """What was the agent told, and what was changed in it?"""
    found = prompt_page(prompt_id, other=request.GET.get("with", ""))
    return show(request, "prompt", found.prompt.version, found=found)
