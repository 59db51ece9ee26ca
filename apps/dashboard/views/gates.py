"""The page of one gate."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from apps.core.errors import BadInput, Conflict, NotFound
from apps.dashboard.queries.gate import gate_page
from apps.dashboard.views.page_access import READ, show, staff_page
from apps.gates.services.accepting import accept_changes


@staff_page("gates.view_pullrequestgate", methods=READ)
def gate(request: HttpRequest, gate_id: uuid.UUID) -> HttpResponse:
    """May this pull request pass, and why (not)?"""
    found = gate_page(gate_id)
    return show(request, "gate", f"Gate of {found.row.agent} {found.row.commit[:12]}", found=found)


@staff_page("gates.view_pullrequestgate", "gates.add_gateacceptance", methods=("POST",))
def accept(request: HttpRequest, gate_id: uuid.UUID) -> HttpResponse:
    """POST only: the signed-in person lets this commit be decided by its own versions of what decides."""
    note, seen = request.POST.get("note", "").strip(), request.POST.get("seen", "")
    try:
        accept_changes(gate_id, by=request.user.get_username(), seen=seen, note=note)
    except NotFound:
        raise
    except (BadInput, Conflict) as error:
        messages.error(request, error.message)
    else:
        messages.success(request, "Accepted for this commit. Run the gate's job again: its own versions decide then.")
    return redirect("gate", gate_id)
