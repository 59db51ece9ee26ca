"""The content of the pages of generated sets: the choices for a new set, and the progress of each set."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from apps.catalog.models import Agent, PersonaGeneration
from apps.catalog.personas.domain.work import PersonaWorkStatus
from apps.dashboard.domain.figures import many
from apps.dashboard.domain.sentences import Headline
from apps.personas.queries.generation_progress import generation_document

LATEST = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationChoices:
    """Names of agents, and the latest sets with how many personas each has."""

    agents: Sequence[str]
    latest: Sequence[PersonaGeneration]


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationPage:
    """Facts for the page of a generation.

    `found` is the set's document; `percent` of its steps (written, decided) are over.
    """

    headline: Headline
    found: Mapping[str, Any]
    percent: int


def generation_choices() -> GenerationChoices:
    """The choices in the form of a generated set. Two queries."""
    latest = PersonaGeneration.objects.select_related("agent").annotate(written=Count("made"))
    return GenerationChoices(
        agents=list(Agent.objects.order_by("name").values_list("name", flat=True)),
        latest=list(latest.defer("material", "refused").order_by("-id")[:LATEST]),
    )


def generation_page(generation_id: uuid.UUID) -> GenerationPage:
    """One set as its page shows it. Raises NotFound. Three queries."""
    document = generation_document(generation_id)
    decided = sum(not persona["open"] for persona in document["personas"])
    steps = (
        2 * document["wanted"]
        if document["status"] == PersonaWorkStatus.PENDING
        else document["wanted"] + document["written"]
    )
    return GenerationPage(
        headline=_headline(document, decided),
        found=document,
        percent=100 * (document["written"] + decided) // max(1, steps),
    )


def _headline(found: Mapping[str, Any], decided: int) -> Headline:
    counts = {name: n for name, n in found["counts"].items() if n}
    if not found["settled"]:
        text = f"{found['written']} of {found['wanted']} personas are written, {decided} have their verdict"
        waits = [
            f"{many(one['personas'], 'persona')} wait{'s' * (one['personas'] == 1)}: {one['why']}"
            for one in found["waits"]
        ]
        return Headline(text=text, but="; ".join(waits))
    states = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in counts.items())
    but = f"{many(len(found['not_written']), 'persona')} could not be written" if found["not_written"] else ""
    return Headline(
        text=f"{many(found['written'], 'persona')}: {states}" if states else "No persona was written", but=but
    )
