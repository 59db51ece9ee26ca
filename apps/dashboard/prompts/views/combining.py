"""The page that makes one draft of several."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from apps.core.errors import BadInput, Conflict, NotFound
from apps.dashboard.page_access import show, staff_page
from apps.dashboard.prompts.queries.combining import combining_page
from apps.improvement.drafts.services.combining_drafts import combine_drafts as keep_combined

_CHOICE = "choice "


@staff_page("improvement.view_promptdraft", "improvement.add_promptdraft")
def combine_drafts(request: HttpRequest) -> HttpResponse:
    """Show the page that combines drafts: which changes fit together, and whose text wins a conflict.

    POST creates the combined draft, or with `preview` shows it.
    """
    parameters = request.POST if request.method == "POST" else request.GET
    drafts, back = parameters.getlist("d"), parameters.get("back", "")
    choices = {name.removeprefix(_CHOICE): parameters.get(name, "") for name in parameters if name.startswith(_CHOICE)}
    problem = ""
    try:
        if request.method == "POST" and "preview" not in parameters:
            try:
                made = keep_combined(drafts, by=request.user.get_username(), choices=choices)
            except Conflict as error:
                if error.code != "sections_conflict":
                    raise
                problem = error.message
            else:
                messages.success(request, "It is kept as a draft. Try it: fixes that help alone may hurt together.")
                return redirect("draft", made)
        page = combining_page(drafts, choices=choices, back=back, problem=problem)
    except NotFound:
        raise
    except (BadInput, Conflict) as error:
        messages.error(request, error.message)
        return redirect(f"{reverse('compare_prompts')}?{back}" if back else reverse("compare_prompts"))
    answer = show(request, "prompts/combine_drafts", "Winning fixes together", found=page)
    answer.status_code = 409 if problem else 200
    return answer
