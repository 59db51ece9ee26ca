"""Asking for personas to be written, or to be validated: a row that a worker takes up."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from apps.catalog.configs.domain.snapshots import RoleModel
from apps.catalog.configs.queries.judges import model_in_force
from apps.catalog.domain.states import PersonaStatus
from apps.catalog.models import Agent, Persona, PersonaGeneration, PersonaValidation
from apps.catalog.personas.domain.work import PersonaWorkStatus
from apps.core.digest import sha256_hex
from apps.core.errors import BadInput, Conflict, NotFound
from apps.personas.domain.grid import slots_of_grid
from apps.personas.queries.past_feedback import past_feedback

GENERATOR, VALIDATOR = "persona_generator", "validator"
MAX_AT_ONCE = 200  # validations that one look enqueues


def request_generation(
    *, agent: str, languages: Any, goals: Any, tempers: Any = (), count: Any = None, requested_by: str
) -> uuid.UUID:
    """Have a set of personas written for an agent, one or more for each cell of language × goal × temper; the row's id.

    What the model will be told (the agent's profile, where past conversations lost points) and who is asked are frozen
    here. Raises BadInput: `unknown_agent`, a grid that cannot be (domain.grid), `no_model` where none is configured.
    At most seven queries. Each call asks for one set more.
    """
    slots = slots_of_grid(languages=languages, goals=goals, tempers=tempers, count=count)
    row = Agent.objects.filter(name=agent).defer("secrets").first()
    if row is None:
        known = ", ".join(Agent.objects.order_by("name").values_list("name", flat=True)[:20]) or "none yet"
        raise BadInput(f"There is no agent {agent!r}; there is: {known}.", code="unknown_agent", pointer="/agent")
    model = _model(GENERATOR, "write personas")
    made = PersonaGeneration.objects.create(
        agent=row,
        slots=[slot.as_json() for slot in slots],
        material={"agent": row.name, "profile": row.profile, "feedback": past_feedback(row.pk)},
        model=model.as_json(),
        requested_by=requested_by[:150],
    )
    return uuid.UUID(str(made.pk))


def request_validation(*, persona_id: uuid.UUID | str, requested_by: str) -> uuid.UUID:
    """Have a persona validated as it stands now; the row's id, the same while it is being done. At most five queries.

    Raises NotFound, Conflict (`not_pending`) where it does not wait for a validation, BadInput (`no_model`).
    """
    try:
        persona = Persona.objects.filter(pk=persona_id).first()
    except (ValueError, ValidationError):
        persona = None
    if persona is None:
        raise NotFound(f"There is no persona with the id {persona_id}.")
    if persona.status != PersonaStatus.PENDING_VALIDATION:
        raise Conflict(f"Persona {persona.name!r} is {persona.status}: it waits for no validation.", code="not_pending")
    model = _model(VALIDATOR, "validate personas")
    open_one = PersonaValidation.objects.filter(persona=persona, status=PersonaWorkStatus.PENDING)
    try:
        with transaction.atomic():
            row = open_one.first() or _owe(persona, model, requested_by)
    except IntegrityError:  # somebody asked at the same moment
        row = open_one.get()
    return uuid.UUID(str(row.pk))


def enqueue_validations() -> int:
    """Create the missing validation of each persona that waits for one; return how many.

    None after a failed one until somebody asks, or the persona is edited; none without a model. At most four queries
    and one for each new row. Safe to repeat and to race.
    """
    waiting = Persona.objects.filter(status=PersonaStatus.PENDING_VALIDATION).exclude(
        validations__status=PersonaWorkStatus.PENDING
    )
    personas = list(waiting.order_by("created_at")[:MAX_AT_ONCE])
    if not personas or (model := model_in_force(VALIDATOR)).provider == "offline":
        return 0
    done = _digests(personas)
    owed = 0
    for persona in personas:
        if digest_of(subject_of(persona)) in done.get(persona.pk, ()):
            continue
        try:
            with transaction.atomic():
                _owe(persona, model, "")
            owed += 1
        except IntegrityError:
            continue  # another worker was first
    return owed


def subject_of(persona: Persona) -> dict[str, Any]:
    """The part of a persona that is judged, as it stands in the row."""
    return {"name": persona.name, "language": persona.language, "text": persona.text, "spec": persona.spec}


def digest_of(subject: Mapping[str, Any]) -> str:
    """The digest of the subject that a validation is bound to."""
    return sha256_hex(dict(subject))


def _owe(persona: Persona, model: RoleModel, requested_by: str) -> PersonaValidation:
    subject = subject_of(persona)
    row: PersonaValidation = PersonaValidation.objects.create(
        persona=persona,
        digest=digest_of(subject),
        subject=subject,
        model=model.as_json(),
        requested_by=requested_by[:150],
    )
    return row


def _digests(personas: Sequence[Persona]) -> Mapping[Any, Collection[str]]:
    digests: dict[Any, set[str]] = {}
    rows = PersonaValidation.objects.filter(persona__in=personas).exclude(status=PersonaWorkStatus.SUPERSEDED)
    for persona_id, digest in rows.values_list("persona_id", "digest"):
        digests.setdefault(persona_id, set()).add(digest)
    return digests


def _model(role: str, task: str) -> RoleModel:
    model = model_in_force(role)
    if model.provider == "offline":
        raise BadInput(
            f"No model is configured that could {task}: the offline rules cannot. Set a model key (.env.example), or "
            f"choose a model for `{role}` in the tenant's settings.",
            code="no_model",
        )
    return model
