"""Having personas written by a model: the grid is asked for by a form, workers fill it, a page shows how far it is."""

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from apps.core.errors import BadInput
from apps.core.whole_numbers import whole_number
from apps.dashboard.page_access import READ, show, staff_page
from apps.dashboard.test_set.queries.persona_generations import generation_choices, generation_page
from apps.jobs.wakeups import wake_workers_on_commit
from apps.personas.domain.grid import LANGUAGES, MAX_PERSONAS, TEMPERS
from apps.personas.domain.prompt_parts import LANGUAGES_IN_WORDS
from apps.personas.queries.generation_forecast import generation_forecast
from apps.personas.services.requesting import request_generation
from apps.tenants.context import current_slug

SEE, ASK = "catalog.view_persona", "catalog.add_persona"


@staff_page(SEE, ASK, "catalog.view_agent")
def generate_personas(request: HttpRequest) -> HttpResponse:
    """Show the start of a generation: for which agent, in which languages, with which goals and tempers?

    POST requests the set and opens its page.
    """
    problem, forecast = "", None
    if request.method == "POST":
        try:
            forecast = generation_forecast(**_grid(request)) if request.POST.get("then") == "forecast" else None
            generation = None if forecast else _request(request)
        except BadInput as error:
            problem = _without_pointer(error)
        if not problem and not forecast:
            wake_workers_on_commit(current_slug(), "persona_generation")
            return redirect("persona_generation", generation)
    return show(
        request,
        "test_set/generate_personas",
        "Have personas written",
        choices=generation_choices(),
        problem=problem,
        forecast=forecast,
        given=request.POST,
        languages=[(name, LANGUAGES_IN_WORDS[name]) for name in LANGUAGES],
        chosen=set(request.POST.getlist("language")) or {LANGUAGES[0]},
        tempers=", ".join(TEMPERS),
        most=MAX_PERSONAS,
    )


@staff_page(SEE, methods=READ)
def persona_generation(request: HttpRequest, generation_id: uuid.UUID) -> HttpResponse:
    """Show the page of a generation: how many are written, and what became of each?"""
    page = generation_page(generation_id)
    return show(
        request, "test_set/persona_generation", f"Personas for {page.found['agent']}", page=page, found=page.found
    )


def _without_pointer(error: BadInput) -> str:
    """The refusal with the field's name as the form has it."""
    pointer = error.pointer or ""
    named = pointer.strip("/").partition("/")[0].capitalize()
    return error.message.replace(f"{pointer}: ", f"{named}: ", 1) if pointer else error.message


def _request(request: HttpRequest) -> uuid.UUID:
    return request_generation(
        agent=request.POST.get("agent", ""),
        **_grid(request),
        requested_by=request.user.get_username(),
    )


def _grid(request: HttpRequest) -> dict[str, Any]:
    count = request.POST.get("count", "").strip()
    refusal = f"/count: must be a whole number, not {count[:20]!r}"
    return {
        "languages": request.POST.getlist("language"),
        "goals": [line.strip() for line in request.POST.get("goals", "").splitlines() if line.strip()],
        "tempers": [part.strip() for part in request.POST.get("tempers", "").split(",") if part.strip()],
        "count": whole_number(count, refusal, pointer="/count") if count else None,
    }
