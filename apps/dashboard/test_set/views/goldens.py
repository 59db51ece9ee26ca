"""The page of a golden session, and what a curator does there; each button calls one service."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from apps.catalog.goldens.queries.versions import golden_version
from apps.catalog.goldens.services.versions import confirm_golden_session
from apps.catalog.models import GoldenSession
from apps.checks.services.golden_from_replay import golden_from_replay
from apps.core.errors import BadInput
from apps.dashboard.page_access import READ, show, staff_page, with_message
from apps.dashboard.test_set.domain.golden_sentences import approved_sentence, opened_sentence
from apps.dashboard.test_set.queries.golden import golden_page
from apps.evaluations.judging.services.golden_wrong import golden_was_wrong
from apps.runs.goldens.domain.edits import touched
from apps.runs.goldens.domain.gate_words import all_of, offered_words
from apps.runs.goldens.domain.pinned_tools import with_expected_calls
from apps.runs.goldens.services.accepted_wordings import accept_wordings, accept_wordings_of_run
from apps.runs.goldens.services.approval import approve_golden, reject_golden
from apps.runs.goldens.services.editing import edit_golden

SEE, CURATE, TALKS = "catalog.view_goldensession", "catalog.change_goldensession", "runs.view_conversation"


@staff_page(SEE, methods=READ)
def golden(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Show a golden session: is it right, and what does a replay wait for?"""
    return _page(request, session_id, number=_number(request.GET.get("version")))


@staff_page(SEE, CURATE, methods=("POST",))
def edit(request: HttpRequest, golden_version_id: uuid.UUID) -> HttpResponse:
    """Edit gate, tools and description of one turn, as a new version. POST only."""
    version = golden_version(golden_version_id)
    names = ("wait_for_pattern", "gate_timeout", "expected_tools", "description")
    typed = {name: request.POST.get(name, "") for name in names}
    position = _number(request.POST.get("position"))
    session_id = GoldenSession.objects.values_list("pk", flat=True).get(name=version.name)
    try:
        fields = _fields(version.document, position, typed) | _ticks(version.document, position, request)
        edits = {-1 if position is None else position: fields}
        made = edit_golden(version_id=golden_version_id, edits=edits, by=request.user.get_username())
    except BadInput as error:
        problem = {"position": position, "message": error.message, **typed}
        return _page(request, session_id, number=version.number, problem=problem, status=422)
    if made.number == version.number:
        messages.info(request, "Nothing differs: no version was made.")
    else:
        messages.success(request, f"Version {made.number} is a candidate: approve it, and it will be replayed.")
    return redirect(f"{reverse('golden', args=[session_id])}?version={made.number}#turn-{position}")


def _fields(document: Mapping[str, Any], position: int | None, typed: Mapping[str, str]) -> dict[str, Any]:
    """The fields of one turn that were changed in its form. Raises BadInput."""
    turns = with_expected_calls(document).get("turns") or ()
    turn = turns[position] if position is not None and position < len(turns) else {}
    changed: dict[str, Any] = {name: text.strip() for name, text in touched(turn, typed).items()}
    if "expected_tools" in changed:
        changed["expected_tools"] = [line.strip() for line in changed["expected_tools"].splitlines() if line.strip()]
    if "gate_timeout" in changed:
        changed["gate_timeout"] = _seconds(changed["gate_timeout"], position)
    return changed


def _ticks(document: Mapping[str, Any], position: int | None, request: HttpRequest) -> dict[str, str]:
    """The gate of one turn where other words were ticked than it asks for; a pattern typed by hand goes before."""
    offered = offered_words(with_expected_calls(document).get("turns") or ()).get(
        -1 if position is None else position, []
    )
    chosen, before = set(request.POST.getlist("must")), {word.text for word in offered if word.ticked}
    typed = request.POST.get("wait_for_pattern", "").strip()
    turn = document["turns"][position] if offered and position is not None else {}
    if "ticks" not in request.POST or chosen == before or touched(turn, {"wait_for_pattern": typed}):
        return {}
    return {"wait_for_pattern": all_of(offered, chosen)}


@staff_page(SEE, CURATE, methods=("POST",))
def approve(request: HttpRequest, golden_version_id: uuid.UUID) -> HttpResponse:
    """Approve a golden version: it is masked, and replayed from now on. POST only."""

    def keep() -> str:
        done = approve_golden(
            version_id=golden_version_id,
            by=request.user.get_username(),
            now=timezone.now(),
            test_data=request.POST.get("test_data") == "on",
            note=request.POST.get("note", "").strip() or None,
            keep=[int(one) for one in request.POST.getlist("keep") if _number(one) is not None],
        )
        for remark in done.notes:
            messages.warning(request, remark)
        return approved_sentence(done.number, replayed=done.replayed)

    return _done(request, golden_version_id, keep)


@staff_page(SEE, CURATE, methods=("POST",))
def retire(request: HttpRequest, golden_version_id: uuid.UUID) -> HttpResponse:
    """Retire a version: the one before it is in force again. POST only."""

    def keep() -> str:
        reject_golden(version_id=golden_version_id, now=timezone.now())
        return "Retired: it is not replayed any more."

    return _done(request, golden_version_id, keep)


@staff_page(SEE, CURATE, methods=("POST",))
def confirm(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Confirm that a golden session is right; its owner may change as well. POST only."""
    name = golden_page(session_id, number=None, other=None, now=timezone.now()).session.name
    owner = request.POST.get("owner")
    confirm_golden_session(
        name=name, by=request.user.get_username(), now=timezone.now(), owner=owner.strip() if owner else owner
    )
    messages.success(request, "Confirmed: it is right as it is.")
    return redirect("golden", session_id)


@staff_page(SEE, CURATE, TALKS, methods=("POST",))
def was_wrong(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Record that the golden session was wrong, not the agent. POST only."""

    def keep() -> str:
        golden_was_wrong(
            conversation_id=conversation_id,
            by=request.user.get_username(),
            reason=request.POST.get("reason", ""),
            now=timezone.now(),
        )
        return "The golden session is to blame: this replay counts in no share and no mean any more."

    return with_message(request, keep, reverse("conversation", args=[conversation_id]))


@staff_page(SEE, CURATE, TALKS, methods=("POST",))
def from_replay(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Make this replay the expected session; a failing one needs a reason. POST only."""

    def keep() -> str:
        done = golden_from_replay(
            conversation_id=conversation_id,
            by=request.user.get_username(),
            now=timezone.now(),
            reason=request.POST.get("reason", ""),
        )
        return f"Version {done.number} of the golden session is what was said here."

    return with_message(request, keep, reverse("conversation", args=[conversation_id]))


@staff_page(SEE, CURATE, TALKS, methods=("POST",))
def accept_wording(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Accept this reply: the gate at which the replay stopped opens for it too. POST only."""

    def keep() -> str:
        by = request.user.get_username()
        return opened_sentence(accept_wordings(conversation_ids=[conversation_id], by=by, now=timezone.now()))

    return with_message(request, keep, reverse("conversation", args=[conversation_id]))


@staff_page(SEE, CURATE, TALKS, methods=("POST",))
def accept_run_wordings(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """Accept the replies of all replays of a run in which only the words differ. POST only."""

    def keep() -> str:
        by = request.user.get_username()
        return opened_sentence(accept_wordings_of_run(run_id=run_id, by=by, now=timezone.now()))

    return with_message(request, keep, reverse("report", args=[run_id]))


def _page(
    request: HttpRequest, session_id: uuid.UUID, *, number: int | None, problem: Any = None, status: int = 200
) -> HttpResponse:
    other = _number(request.GET.get("with"))
    page = golden_page(session_id, number=number, other=other, now=timezone.now())
    response = show(request, "test_set/golden", page.session.name, found=page, problem=problem)
    response.status_code = status
    return response


def _done(request: HttpRequest, version_id: uuid.UUID, keep: Callable[[], str]) -> HttpResponse:
    version = golden_version(version_id)
    session_id = GoldenSession.objects.values_list("pk", flat=True).get(name=version.name)
    return with_message(request, keep, f"{reverse('golden', args=[session_id])}?version={version.number}")


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else None


def _seconds(text: str, position: int | None) -> float | None:
    if not text:
        return None
    try:
        return float(text.replace(",", "."))
    except ValueError:
        pointer = f"/turns/{position}/gate_timeout"
        raise BadInput(f"{pointer} must be seconds, not {text[:40]!r}", pointer=pointer) from None
