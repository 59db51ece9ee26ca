"""The pages that compare: two evaluations, two conversations of one case, several evaluations beside each other."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from apps.core.errors import BadInput, NotFound
from apps.dashboard.page_access import READ, asks_for_part, may_ask_gate, show, staff_page
from apps.dashboard.results.queries.comparison import comparison_page
from apps.dashboard.results.queries.comparison_columns import columns_page
from apps.dashboard.results.queries.comparison_pair import pair_page
from apps.dashboard.results.queries.evaluators import evaluators_page
from apps.dashboard.templatetags.criterion_titles import titles_for

VIEW = "evaluations.view_evaluation"


@staff_page(VIEW)
def comparison(request: HttpRequest) -> HttpResponse:
    """Show the comparison of two evaluations: which is better, and for whom?"""
    query = {name: request.GET.get(name, "") for name in ("a", "b", "only")}
    now = "now" in request.GET or asks_for_part(request)
    page = comparison_page(**query, now=now, titles=titles_for(request))
    return show(request, "results/comparison", "Comparison", found=page, may_gate=may_ask_gate(request))


@staff_page(VIEW, "runs.view_conversation", methods=READ)
def pair(request: HttpRequest) -> HttpResponse:
    """The page of a pair of conversations: A's words, and B's words instead."""
    query = {name: request.GET.get(name, "") for name in ("a", "b", "right", "only")}
    try:
        page = pair_page(**query, titles=titles_for(request))
    except NotFound:
        raise
    except BadInput:
        return redirect(f"{reverse('comparison')}?a={query['a']}&b={query['b']}")
    return show(request, "results/comparison_pair", page.pair.name, found=page)


@staff_page(VIEW, "runs.view_conversation", methods=READ)
def columns(request: HttpRequest) -> HttpResponse:
    """Show the columns: how did each case fare from one evaluation to the next?"""
    page = columns_page(
        ids=request.GET.getlist("e"),
        prompts_of=request.GET.get("prompts_of", ""),
        replies="replies" in request.GET,
        number=request.GET.get("page", "1"),
        titles=titles_for(request),
    )
    answer = show(request, "results/comparison_columns", "Evaluations beside each other", found=page)
    answer.status_code = 400 if page.problem else 200
    return answer


@staff_page(VIEW, "runs.view_testrun", methods=READ)
def evaluators(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """Show the comparison of evaluators: which that judged this run shall be believed?"""
    page = evaluators_page(run_id, named=request.GET.getlist("e"), titles=titles_for(request))
    answer = show(request, "results/evaluators", "Evaluator configs compared", found=page)
    answer.status_code = 400 if page.problem and page.chosen else 200
    return answer
