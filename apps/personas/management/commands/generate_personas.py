"""Command `generate_personas --agent A --languages en,sw --goals "…" --goals "…"`."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from django.core.management.base import CommandParser

from apps.core.actor import os_user
from apps.evaluations.management.progress_bar import ProgressBar
from apps.evaluations.progress.services.wait import Progress
from apps.jobs.wakeups import wake_workers_on_commit
from apps.personas.domain.grid import LANGUAGES, TEMPERS
from apps.personas.queries.generation_forecast import generation_forecast
from apps.personas.queries.generation_progress import generation_document
from apps.personas.services.requesting import request_generation
from apps.personas.services.waiting import wait_for_generation
from apps.tenants.commands import Exit, TenantCommand


class Command(TenantCommand):
    help = (
        "Have a model write personas for an agent, at least one for each language × goal × temper, and validate them. "
        "Exit code with --wait: 0 every persona was written and has its verdict, 1 some could not be written, 3 a "
        "model or the money is missing for the rest; 2 wrong use, or no model is configured."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--agent", required=True, help="whose customers they are: the agent's name")
        parser.add_argument("--languages", required=True, help=f"with commas between: {', '.join(LANGUAGES)}")
        parser.add_argument(
            "--goals", required=True, action="append", help="what they want; with ; between, or the option again"
        )
        parser.add_argument("--tempers", default="", help=f"with commas between; default: {', '.join(TEMPERS)}")
        parser.add_argument("--count", type=int, default=None, help="how many in all; default: one for each cell")
        parser.add_argument("--forecast", action="store_true", help="say what it would cost, and start nothing")
        parser.add_argument("--wait", action="store_true", help="follow until each has its verdict")
        parser.add_argument("--timeout", type=float, default=3600.0, help="seconds to wait at most; default 3600")

    def answer(self, *, tenant: str, agent: str, wait: bool, timeout: float, **options: Any) -> Any:
        grid = {
            "languages": _split(options["languages"], ","),
            "goals": [goal for given in options["goals"] for goal in _split(given, ";")],
            "tempers": _split(options["tempers"], ","),
            "count": options["count"],
        }
        forecast = generation_forecast(**grid)
        self.note(f"Forecast: {forecast.sentence}")
        if options["forecast"]:
            return {"forecast": forecast.as_json()}
        generation = request_generation(
            agent=agent,
            **grid,
            requested_by=os_user(),
        )
        wake_workers_on_commit(tenant, "persona_generation")
        if not wait:
            return generation_document(generation)
        document = _wait_with_progress(generation, timeout, note=self.note)
        return document, _code(document)

    def show(self, answer: Any) -> None:
        if "forecast" in answer:  # it was said beside the answer
            return
        states = ", ".join(f"{n} {state.replace('_', ' ')}" for state, n in answer["counts"].items() if n)
        self.stdout.write(f"generation {answer['id']}: {answer['written']} of {answer['wanted']} written")
        for persona in answer["personas"]:
            cell = f"{persona['language']} × {persona['goal']} × {persona['temper']}"
            self.stdout.write(f"  {persona['name']:<28}{persona['status'].replace('_', ' '):<20}{cell}")
            if persona["why"]:
                self.stdout.write(f"      {persona['why']}")
        for one in answer["not_written"] if answer["settled"] else ():
            self.stdout.write(f"  not written: {one['language']} × {one['goal']} × {one['temper']}: {one['why']}")
        self.stdout.write(states or "no persona yet")
        if people := answer["people"]:
            self.stdout.write(people["sentence"])
            for names in people["same"]:
                self.stdout.write(f"  the same person: {' and '.join(names)}")
        if answer["counts"]["validated"]:
            self.stdout.write("Validated ones wait for a curator's release, where the tenant's settings ask for it.")


def _wait_with_progress(generation: uuid.UUID, timeout: float, *, note: Callable[[str], None]) -> dict[str, Any]:
    """Follow the set; what it waits for is said whenever that changes."""
    sentences: list[str] = []
    with ProgressBar("personas") as bar:

        def show_progress(document: dict[str, Any]) -> None:
            decided = sum(not persona["open"] for persona in document["personas"])
            total = 2 * document["wanted"]
            waits = "; ".join(_wait_sentence(one) for one in document["waits"])
            if waits and waits != "".join(sentences[-1:]):
                note(f"{document['written']} of {document['wanted']} written, {decided} decided; waiting: {waits}")
                sentences.append(waits)
            bar.update(Progress(done=document["written"] + decided, total=total, ended=document["settled"]))

        return wait_for_generation(generation, on_progress=show_progress, timeout_s=timeout)


def _wait_sentence(one: Mapping[str, Any]) -> str:
    next_try = f", next try {one['next_try_at']}" if one["next_try_at"] else ""
    return f"{one['why']} ({one['personas']} persona{'' if one['personas'] == 1 else 's'}{next_try})"


def _code(document: dict[str, Any]) -> Exit:
    if document["not_written"]:
        return Exit.NO if document["written"] else Exit.UNMEASURABLE
    return Exit.UNMEASURABLE if document["counts"]["pending_validation"] else Exit.DONE


def _split(text: str, separator: str) -> list[str]:
    return [part.strip() for part in text.split(separator) if part.strip()]
