"""The page of one gate."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.core.errors import BadInput, Conflict, NotFound
from apps.core.identities import uuids_among
from apps.dashboard.page_access import READ, show, staff_page
from apps.dashboard.results.queries.gate import gate_page
from apps.dashboard.templatetags.criterion_titles import titles_for
from apps.gates.services.accepting import accept_changes
from apps.gates.services.gate_of_run import ask_gate_of_run, play_gate_again
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug

SEE, ASK, PLAY = "gates.view_pullrequestgate", "gates.add_pullrequestgate", "runs.add_testrun"


@staff_page(SEE, ASK, PLAY, "runs.view_testrun", methods=("POST",))
def ask(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """Request a gate for what this run played, against run `baseline`. POST only.
    Without `baseline` against the live prompt, which is played first if it has not been."""
    (baseline,) = uuids_among([request.POST.get("baseline", "")]) or (None,)
    by = str(request.user.get_username())
    try:
        gate_id = ask_gate_of_run(run_id=run_id, baseline_run=baseline, by=by, now=timezone.now())
    except NotFound:
        raise
    except (BadInput, Conflict) as error:
        messages.error(request, error.message)
        return redirect("run", run_id)
    if gate_id.played:
        messages.info(request, "What is live plays the same cases first. The gate is decided when that is judged.")
    wake_workers_on_commit(current_slug(), "playing", "judging", "gates")
    return redirect("gate", gate_id.gate_id)


@staff_page(SEE, ASK, PLAY, methods=("POST",))
def play_again(request: HttpRequest, gate_id: uuid.UUID) -> HttpResponse:
    """Play the cases that the gate names again on both sides, and ask the gate once more. POST only."""
    try:
        new_gate = play_gate_again(gate_id=gate_id, by=str(request.user.get_username()), now=timezone.now())
    except NotFound:
        raise
    except (BadInput, Conflict) as error:
        messages.error(request, error.message)
        return redirect("gate", gate_id)
    wake_workers_on_commit(current_slug(), "playing", "judging", "gates")
    return redirect("gate", new_gate.gate_id)


@staff_page(SEE, methods=READ)
def gate(request: HttpRequest, gate_id: uuid.UUID) -> HttpResponse:
    """Show a gate: may this pull request pass, and why (not)?"""
    page = gate_page(gate_id, titles=titles_for(request))
    return show(request, "results/gate", f"Gate of {page.row.agent} {page.row.commit[:12]}", found=page)


@staff_page(SEE, "gates.add_gateacceptance", methods=("POST",))
def accept(request: HttpRequest, gate_id: uuid.UUID) -> HttpResponse:
    """Let the signed-in person accept this commit's own versions of what decides its gate. POST only."""
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
