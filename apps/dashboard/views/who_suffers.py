"""Who suffers from what: personas and languages against criteria."""

import uuid

from django.http import HttpRequest, HttpResponse

from apps.dashboard.queries.who_suffers import who_suffers_page
from apps.dashboard.templatetags.criterion_titles import titles_for
from apps.dashboard.views.page_access import READ, show, staff_page


@staff_page("evaluations.view_evaluation", methods=READ)
def who_suffers(request: HttpRequest, evaluation_id: uuid.UUID) -> HttpResponse:
    """For whom is the agent bad, and at what?"""
    found = who_suffers_page(evaluation_id, titles=titles_for(request))
    return show(request, "who_suffers", f"Who suffers in {found.evaluation.config_ref}", found=found)
