"""The page of one gate."""

import uuid

from django.http import HttpRequest, HttpResponse

from apps.dashboard.queries.gate import gate_page
from apps.dashboard.views.page_access import READ, show, staff_page


@staff_page("gates.view_pullrequestgate", methods=READ)
def gate(request: HttpRequest, gate_id: uuid.UUID) -> HttpResponse:
    """May this pull request pass, and why (not)?"""
    found = gate_page(gate_id)
    return show(request, "gate", f"Gate of {found.row.agent} {found.row.commit[:12]}", found=found)
