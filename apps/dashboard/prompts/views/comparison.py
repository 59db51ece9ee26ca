"""Versions of a prompt beside each other, and the pairs behind a cell."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from apps.core.errors import BadInput, NotFound
from apps.dashboard.page_access import READ, show, staff_page
from apps.dashboard.prompts.queries.comparison import prompt_comparison_page
from apps.dashboard.prompts.queries.pairs import prompt_pairs_page
from apps.dashboard.templatetags.criterion_titles import titles_for

SEE = ("evaluations.view_evaluation", "catalog.view_promptversion")


@staff_page(*SEE, methods=READ)
def compare_prompts(request: HttpRequest) -> HttpResponse:
    """Show the comparison of prompts: which version is better, and what did it cost elsewhere?"""
    page = prompt_comparison_page(
        name=request.GET.get("prompt", ""),
        first=request.GET.get("first", ""),
        versions=request.GET.getlist("v"),
        config=request.GET.get("config", "").strip(),
        beside=request.GET.get("with", ""),
        titles=titles_for(request),
    )
    answer = show(request, "prompts/compare_prompts", "Versions of a prompt", found=page)
    answer.status_code = 400 if page.problem else 200
    return answer


@staff_page(*SEE, "runs.view_conversation", methods=READ)
def prompt_pairs(request: HttpRequest) -> HttpResponse:
    """The page of a matrix's cell: the same cases played with two prompt versions, in pairs."""
    query = request.GET
    try:
        page = prompt_pairs_page(
            first=query.get("first", ""),
            versions=query.getlist("v"),
            of=query.get("of", ""),
            criterion=query.get("criterion", "overall"),
            config=query.get("config", "").strip(),
            number=query.get("n", "1"),
            titles=titles_for(request),
        )
    except NotFound:
        raise
    except BadInput:
        return redirect(f"{reverse('compare_prompts')}?{query.urlencode()}")
    return show(request, "prompts/pairs", f"Pairs of {page.other.prompt.version}", found=page)
