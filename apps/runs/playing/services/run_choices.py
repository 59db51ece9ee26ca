"""Read the choices of a run: names become rows, or the refusal says which name is wrong."""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, TypeVar

from apps.catalog.goldens.queries.versions import waiting_goldens
from apps.catalog.models import Persona
from apps.core.digest import sha256_hex
from apps.core.document_parsing import MAX_ID_LENGTH
from apps.core.errors import BadInput
from apps.core.languages import share_a_language
from apps.core.subject import Subject
from apps.runs.agents.services.run_agent import RunAgent
from apps.runs.domain.run_plan import PlannedAgent, RunPlan
from apps.runs.domain.states import Kind
from apps.runs.playing.services.run_rows import store_run
from apps.runs.services.prompts import subject_prompt

Played = TypeVar("Played")  # a scenario or a golden session


def store_planned(
    kind: Kind,
    agent: RunAgent,
    plan: RunPlan,
    conversations: Sequence[tuple[str, dict[str, Any]]],
    stagger_s: tuple[float, float],
    triggered_by: str,
    subject: Subject,
    now: datetime,
    personas: Mapping[str, Any] = MappingProxyType({}),
    name: str = "",
    of: Kind | None = None,
) -> uuid.UUID:
    """Store the run with the agent's frozen connection, prompt and stagger (its own, else `stagger_s`) in its plan."""
    frozen = agent.snapshot
    prompt = subject_prompt(
        subject, agent=agent.name, kind=frozen["kind"], options=frozen["options"], prompt=agent.prompt
    )
    stagger = frozen["stagger_s"] or stagger_s
    by = "" if agent.transport == frozen["kind"] else agent.transport
    plan = replace(
        plan,
        agent=PlannedAgent.read(frozen),
        stagger_s=tuple(stagger),
        transport=plan.transport or by,
        **prompt.as_json(),
    )
    return store_run(
        kind=kind,
        name=name or f"{kind.value} of {agent.name}",
        plan=plan.as_json(),
        conversations=conversations,
        triggered_by=triggered_by,
        now=now,
        agent_id=agent.row_id,
        subject=prompt.subject.as_json(),
        personas=personas,
        of=of,
    )


def personas_named(names: Sequence[str] | str) -> list[Persona]:
    """Return these personas, each once; "eligible": all that may play. `refuse_unfit` checks named ones."""
    if names == "eligible":
        personas = list(Persona.objects.eligible().order_by("name"))
        if not personas:
            raise BadInput("No persona may play yet.", code="persona_not_eligible", pointer="/personas")
        return personas
    if isinstance(names, str) or not names:
        raise BadInput('Name personas in a list, or say "eligible".', pointer="/personas")
    by_name = {persona.name: persona for persona in Persona.objects.filter(name__in=list(names))}
    refuse_unknown("personas", "persona", [name for name in names if name not in by_name])
    return [by_name[name] for name in dict.fromkeys(names)]


def refuse_other_languages(pairs: Sequence[tuple[str, str, Persona]]) -> None:
    """Refuse a persona that names another language than the scenario or session it plays.

    The pairs are (what is played, its language, who plays it). The customer would speak the language of what is played,
    and not be that persona. Raises BadInput (`persona_speaks_otherwise`).
    """
    for played, language, persona in pairs:
        if not share_a_language(language, persona.language):
            raise BadInput(
                f"Persona {persona.name} speaks {persona.language}, and {played} is in {language}: choose a persona of "
                "its language, or one without a language.",
                code="persona_speaks_otherwise",
                pointer="/personas",
                persona=persona.name,
                played=played,
            )


def sharing_a_language(
    pairs: Sequence[tuple[Played, Persona]], named: Callable[[Played], tuple[str, str]]
) -> tuple[list[tuple[Played, Persona]], list[dict[str, str]]]:
    """The pairs that share a language, and why the others are left out; `named` gives the name and the language of what
    is played. Raises as `refuse_other_languages` where none does."""
    fit, others = list[tuple[Played, Persona]](), list[dict[str, str]]()
    for played, persona in pairs:
        name, language = named(played)
        if share_a_language(language, persona.language):
            fit.append((played, persona))
        else:
            why = f"it is in {language}, and persona {persona.name} speaks {persona.language}"
            others.append({"scenario": name, "persona": persona.name, "why": why})
    if not fit:
        refuse_other_languages([(*named(played), persona) for played, persona in pairs])
    return fit, others


def refuse_unfit(personas: Iterable[Persona]) -> None:
    """Refuse the first persona that may not play. Raises BadInput (`persona_not_eligible`) with its state."""
    for persona in personas:
        if not persona.may_play:
            raise BadInput(
                f"Persona {persona.name!r} is {persona.why_not()} and may not play.",
                code="persona_not_eligible",
                pointer="/personas",
                persona=persona.name,
                status_now=persona.status,
            )


def numbered(name: str, repeat: int, repeats: int) -> str:
    """The conversation's id within its run; one that is too long is cut and told apart by a digest."""
    number = f"#{repeat}" if repeats > 1 else ""
    room = MAX_ID_LENGTH - len(number)
    return (name if len(name) <= room else f"{name[: room - 9]}~{sha256_hex(name)[:8]}") + number


def refuse_unknown_goldens(missing: Sequence[str]) -> None:
    """Refuse golden sessions without an approved version; say which wait for approval, and where.

    Raises as `refuse_unknown`. One query where one is missing.
    """
    waiting = waiting_goldens(missing) if missing else {}
    waiting_text = " ".join(
        f"Version {number} of {name!r} waits for approval: approve it in the browser (Test set → Golden sessions), or "
        "capture it again with --approve."
        for name, number in waiting.items()
    )
    refuse_unknown("golden_sessions", "golden session with an approved version", missing, more=waiting_text)


def refuse_unknown(field: str, thing: str, missing: Sequence[str], *, more: str = "") -> None:
    """Refuse missing names, naming all of them, and say `more`. Raises BadInput (`unknown_<field>`)."""
    if missing:
        raise BadInput(
            f"There is no {thing} named {', '.join(repr(name) for name in missing)}. {more}".strip(),
            code=f"unknown_{field}",
            pointer=f"/{field}",
            **{f"unknown_{field}": list(missing)},
        )


def check_counts(repeats: int, max_turns: int | None) -> None:
    """Refuse a count that is out of bounds. Raises BadInput."""
    if not 1 <= repeats <= 50:
        raise BadInput("repeats must be between 1 and 50.", pointer="/repeats")
    if max_turns is not None and not 1 <= max_turns <= 400:
        raise BadInput("max_turns must be between 1 and 400.", pointer="/max_turns")
