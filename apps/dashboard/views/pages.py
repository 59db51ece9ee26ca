"""The pages. Each reads one question's answer and shows it."""

import uuid
from datetime import date, datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from apps.catalog.queries import published_versions
from apps.dashboard.queries.analysis import analysis_panel
from apps.dashboard.queries.bench import bench_of
from apps.dashboard.queries.conversation import conversation_page
from apps.dashboard.queries.evaluation import evaluation_page
from apps.dashboard.queries.home import HomeReader, home_page
from apps.dashboard.queries.labelling import labelling_page
from apps.dashboard.queries.production import production_panel
from apps.dashboard.queries.run import run_page
from apps.dashboard.queries.usage import usage_page
from apps.dashboard.templatetags.criterion_titles import titles_for
from apps.dashboard.views.analysis import ASK
from apps.dashboard.views.bench import LABEL, OPEN_ROUND, STEER
from apps.dashboard.views.candidates import PROMOTE
from apps.dashboard.views.page_access import may_ask_gate, show, staff_page
from apps.dashboard.views.production import PICK, RATE, SEE
from apps.evaluations.services.rerun import may_go_on_from_turn
from apps.identity.queries.provider import provider_of
from apps.reports.services.exporting import ExportFormat
from apps.runs.domain.kind_traits import traits_of
from apps.runs.domain.states import RunStatus
from apps.tenants.context import current_schema
from apps.tenants.domain.naming import PUBLIC
from apps.tenants.first_owner import owner_names


@staff_page("evaluations.view_evaluation")
def evaluation(request: HttpRequest, evaluation_id: uuid.UUID) -> HttpResponse:
    """Is the agent good, and can I believe it?"""
    found = evaluation_page(
        evaluation_id,
        state=request.GET.get("state", ""),
        number=request.GET.get("page", "1"),
        titles=titles_for(request),
    )
    return show(
        request,
        "evaluation",
        f"{found.evaluation.config_ref} on {found.evaluation.run}",
        found=found,
        formats=list(ExportFormat),
        panel=analysis_panel(evaluation_id),
        may_analyse=request.user.has_perm(ASK),
    )


@staff_page("runs.view_conversation")
def conversation(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Why this score?"""
    query = request.GET.dict()
    found = conversation_page(
        conversation_id,
        evaluation=query.get("evaluation", ""),
        attempt=query.get("attempt", ""),
        asked=query,
        titles=titles_for(request),
    )
    bench = bench_of(found, query=query.get("list", ""), reader=request.user.get_username())
    rights = {"label": LABEL, "round": OPEN_ROUND, "requeue": STEER}
    may = {verb: request.user.has_perm(permission) for verb, permission in rights.items()}
    may["promote"] = found.conversation.ended_at is not None and request.user.has_perm(PROMOTE)
    may["from_turn"] = request.user.has_perm("runs.add_testrun") and may_go_on_from_turn(found.conversation)
    may["try"] = request.user.has_perm("catalog.change_evaluatorconfigversion")
    may |= {"rate": request.user.has_perm(RATE), "pick": request.user.has_perm(PICK)}
    customer = production_panel(found.conversation) if request.user.has_perm(SEE) else None
    return show(request, "conversation", str(found.conversation), found=found, bench=bench, may=may, customer=customer)


@staff_page("runs.view_testrun")
def run(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """How far is it, and why is it not moving?"""
    found = run_page(run_id, now=timezone.now(), asked=request.GET.dict(), titles=titles_for(request))
    may_steer = request.user.has_perm("runs.change_testrun")
    may_judge = request.user.has_perm("evaluations.add_evaluation") and found.run.status != RunStatus.CANCELLED
    configs = published_versions() if may_judge else {}
    may_rerun = request.user.has_perm("runs.add_testrun") and not found.live and traits_of(found.run.kind).plays
    context = {
        "found": found,
        "may_steer": may_steer,
        "may_rerun": may_rerun,
        "may_gate": may_ask_gate(request) and traits_of(found.run.kind).baseline,
        "configs": configs,
        "formats": list(ExportFormat),
    }
    return show(request, "run", str(found.run), **context)


@staff_page("budgets.view_modelcall")
def usage(request: HttpRequest) -> HttpResponse:
    """What did it cost?"""
    now = timezone.now()
    return show(request, "usage", "Usage", found=usage_page(_month(request.GET.get("month"), now), now=now))


def home(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Unfold's callback for the admin's first page: what needs me? The platform's own host has no such page."""
    if current_schema() != PUBLIC and request.user.has_perm("runs.view_testrun"):
        reader = HomeReader(request.user.get_username(), request.user.has_perm)
        page = home_page(now=timezone.now(), titles=titles_for(request), reader=reader)
        context |= {"found": page, "title": "Home"}
    elif current_schema() != PUBLIC and not request.user.get_all_permissions():
        provider = provider_of(request.user.get_username())
        context |= {"without_role": True, "owners": owner_names(), "signed_in_by": provider, "title": "Home"}
    elif current_schema() != PUBLIC and request.user.has_perm(LABEL):
        context |= {"to_rate": labelling_page(user=request.user.get_username()).left, "title": "Home"}
    return context


def _month(text: str | None, now: datetime) -> date:
    if not text:
        return now.date()
    try:
        month = datetime.strptime(text, "%Y-%m").date()  # noqa: DTZ007 - a month has no zone
    except ValueError:
        raise Http404("A month is written 2026-11.") from None
    if not date.min.year < month.year < date.max.year:  # the page looks at the month before and the one after, too
        raise Http404("There was no such month.")
    return month
