"""Conversations that wait for a person before they become tests."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from apps.dashboard.page_access import READ, show, staff_page, with_message
from apps.dashboard.production.queries.candidates import candidate_inbox_page, candidate_page
from apps.dashboard.templatetags.criterion_titles import titles_for
from apps.production.promotion.services import candidates as service

SEE, DECIDE = "production.view_promotion", "production.change_promotion"
RELEASE = "catalog.change_scenario"


@staff_page(SEE, methods=READ)
def candidates(request: HttpRequest) -> HttpResponse:
    """Show the inbox of candidates: which conversations wait to become tests?"""
    return show(request, "production/candidates", "Candidates", found=candidate_inbox_page(titles=titles_for(request)))


@staff_page(SEE, methods=READ)
def candidate(request: HttpRequest, promotion_id: uuid.UUID) -> HttpResponse:
    """The page of a candidate: the conversation, the reason why it is here, and what must not happen again."""
    page = candidate_page(promotion_id, titles=titles_for(request))
    may = request.user.has_perms((DECIDE, RELEASE))
    return show(request, "production/candidate", page.row.scenario.slug, found=page, may=may)


@staff_page(DECIDE, RELEASE, methods=("POST",))
def forbid(request: HttpRequest, promotion_id: uuid.UUID) -> HttpResponse:
    """Add a must-not: a criterion with its mark, or a metric with its threshold. POST only."""
    posted = request.POST

    def keep() -> str:
        if metric := posted.get("metric", ""):
            service.require_metric(promotion_id=promotion_id, metric=metric, threshold=posted.get("threshold", ""))
        else:
            service.forbid_score(
                promotion_id=promotion_id, criterion=posted.get("criterion", ""), below=posted.get("below", "")
            )
        return "Saved: it fails in a gate when that happens again."

    return with_message(request, keep, "candidate", promotion_id)


@staff_page(DECIDE, RELEASE, methods=("POST",))
def allow_again(request: HttpRequest, promotion_id: uuid.UUID) -> HttpResponse:
    """Remove a criterion or a metric from the must-nots. POST only."""

    def keep() -> str:
        criterion, metric = request.POST.get("criterion", ""), request.POST.get("metric", "")
        service.drop_expectation(promotion_id=promotion_id, criterion=criterion, metric=metric)
        return "Taken away."

    return with_message(request, keep, "candidate", promotion_id)


@staff_page(DECIDE, RELEASE, methods=("POST",))
def clear(request: HttpRequest, promotion_id: uuid.UUID) -> HttpResponse:
    """Record that, by the signed-in person, the transcript identifies nobody. POST only."""

    def keep() -> str:
        service.clear_masking(promotion_id=promotion_id, by=request.user.get_username(), now=timezone.now())
        return "Cleared. Your name stands beside it."

    return with_message(request, keep, "candidate", promotion_id)


@staff_page(DECIDE, RELEASE, methods=("POST",))
def release(request: HttpRequest, promotion_id: uuid.UUID) -> HttpResponse:
    """Release a candidate, for runs of all scenarios and for gates. POST only."""

    def keep() -> str:
        service.release_candidate(promotion_id=promotion_id, by=request.user.get_username(), now=timezone.now())
        return "Released: it is played from now on, with made-up names and numbers in the place of the masked ones."

    return with_message(request, keep, "candidate", promotion_id)


@staff_page(DECIDE, RELEASE, methods=("POST",))
def archive(request: HttpRequest, promotion_id: uuid.UUID) -> HttpResponse:
    """Archive a candidate or test; with `alike`, the others of its group in its place. POST only."""

    def keep() -> str:
        if request.POST.get("alike"):
            return f"Archived {service.archive_alike(promotion_id=promotion_id)} that are like this one; it stays."
        service.archive_candidate(promotion_id=promotion_id)
        return "Archived: it is not played."

    return with_message(request, keep, "candidate", promotion_id)
