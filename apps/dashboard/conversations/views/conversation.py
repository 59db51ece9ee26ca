"""The page of a conversation."""

import uuid

from django.http import HttpRequest, HttpResponse

from apps.dashboard.conversations.queries.annotation import annotation_of
from apps.dashboard.conversations.queries.conversation import conversation_page
from apps.dashboard.conversations.queries.customers import production_panel
from apps.dashboard.conversations.views.annotation import LABEL, OPEN_ROUND, PROMOTE, STEER
from apps.dashboard.conversations.views.customers import PICK, RATE, SEE
from apps.dashboard.page_access import show, staff_page
from apps.dashboard.templatetags.criterion_titles import titles_for
from apps.evaluations.progress.services.rerun import may_go_on_from_turn


@staff_page("runs.view_conversation")
def conversation(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Show the page of a conversation: why this score?"""
    query = request.GET.dict()
    page = conversation_page(
        conversation_id,
        evaluation=query.get("evaluation", ""),
        attempt=query.get("attempt", ""),
        asked=query,
        titles=titles_for(request),
    )
    annotation = annotation_of(page, query=query.get("list", ""), reader=request.user.get_username())
    rights = {"label": LABEL, "round": OPEN_ROUND, "requeue": STEER}
    may = {verb: request.user.has_perm(permission) for verb, permission in rights.items()}
    may["promote"] = page.conversation.ended_at is not None and request.user.has_perm(PROMOTE)
    may["from_turn"] = request.user.has_perm("runs.add_testrun") and may_go_on_from_turn(page.conversation)
    may["try"] = request.user.has_perm("catalog.change_evaluatorconfigversion")
    may |= {"rate": request.user.has_perm(RATE), "pick": request.user.has_perm(PICK)}
    customer = production_panel(page.conversation) if request.user.has_perm(SEE) else None
    return show(
        request,
        "conversations/conversation",
        str(page.conversation),
        found=page,
        annotation=annotation,
        may=may,
        customer=customer,
    )
