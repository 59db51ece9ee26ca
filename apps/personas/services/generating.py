"""Writing sets of personas: the slots of a grid that are still empty are asked for, what comes is taken or refused."""

import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings

from apps.budgets.domain.purpose import Purpose
from apps.budgets.domain.sentences import SPENT_CODE
from apps.budgets.services import CallFor
from apps.budgets.services.paid_question import PaidQuestion, PaidReply, twice
from apps.budgets.services.paid_rows import Delay, PaidRows, PaidTask
from apps.budgets.services.paid_work import do_paid_work
from apps.budgets.services.reservations import next_try
from apps.catalog.domain.states import PersonaOrigin, PersonaStatus
from apps.catalog.models import GeneratedPersona, Persona, PersonaGeneration
from apps.catalog.personas.domain.work import PersonaWorkStatus
from apps.catalog.personas.services.releasing import create_persona
from apps.core.events import EventType, log_event
from apps.core.question_secrets import fresh_nonce
from apps.jobs.domain.work_states import WorkStatus
from apps.jobs.services.leases import LeasedTable
from apps.personas.domain.generation_prompt import AT_ONCE, generation_request
from apps.personas.domain.generation_reply import WrittenPersona, WrittenPersonas, read_generation_reply
from apps.personas.domain.grid import PersonaSlot
from apps.personas.domain.model_limits import gave_up, next_ask
from apps.personas.domain.resemblance import TOO_ALIKE, Pairs, most_alike, pairs_of
from apps.personas.services.telling_apart import people_to_tell_apart
from apps.runs.services.model_roles import models_of
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

MAX_TRIES = 3  # of one slot
SLOTS_AT_ONCE = 24  # of one pass: some minutes at most
MODEL_AWAY = timedelta(seconds=30)


def generate_due(*, now: Callable[[], datetime], until: datetime) -> bool:
    """Write due personas until `until`; return whether some are due then.
    What was stored stays if a worker dies. Safe to race."""
    return do_paid_work(GenerationRows(), now=now, until=until).more


class GenerationRows(PaidRows[PersonaGeneration]):
    """Sets of personas. A pass asks once for slots that are empty, AT_ONCE in a question; each answer is stored as it
    comes. When no slot is left to be asked for, one question tells how many different people the set holds."""

    table = LeasedTable(
        table="catalog_personageneration", lease=timedelta(minutes=10), counter="attempts", also_set=", wait_code = ''"
    )
    doing = "writing them"
    rows_at_once = 1

    def load(self, ids: Sequence[uuid.UUID]) -> Sequence[PersonaGeneration]:
        return list(PersonaGeneration.objects.filter(pk__in=ids))

    def take_up(self, row: PersonaGeneration, now: datetime) -> PaidTask | None:
        slots = [PersonaSlot(**slot) for slot in row.slots]
        filled = set(row.made.values_list("slot", flat=True))
        tries = Counter(one["slot"] for one in row.refused)
        empty = [at for at in range(len(slots)) if at not in filled]
        todo = [at for at in empty if tries[at] < MAX_TRIES][:SLOTS_AT_ONCE]
        if todo:
            writing = _PersonaWriting(row=row, slots=slots)
            questions = writing.questions(todo, models_of(row.model))
            return PaidTask(
                questions=questions,
                receive=writing.store,
                finish=partial(self._after_pass, row, writing),
                waits_for_money=False,
            )
        missing = _missing(row, slots, empty)
        if (task := people_to_tell_apart(row, then=partial(self.end, row, error=missing))) is None:
            self.end(row, now, error=missing)
        return task

    def ended(self, row: PersonaGeneration, error: str) -> None:
        status = WorkStatus.FAILED if error else WorkStatus.COMPLETED
        log_event(EventType.PERSONAS_GENERATED, generation=str(row.pk), status=status.value, made=row.made.count())

    def _after_pass(
        self, row: PersonaGeneration, writing: "_PersonaWriting", replies: Any, now: datetime
    ) -> Delay | None:
        """Go on, wait, or give up on a model that has answered only 429 for too long."""
        since = (row.limited_since or now) if writing.limited and not writing.answered else None
        rounds = {"rounds": row.rounds + 1, "limited_since": since}
        until = writing.wait_until
        if since is not None and until is not None:
            minutes = workflow_config(current_slug()).agent_limit_minutes
            if why := gave_up(since=since, now=now, minutes=minutes):
                self.end(row, now, error=f"{row.made.count()} of {len(row.slots)} were written. {why}", **rounds)
                return None
            until = next_ask(until, since=since, minutes=minutes)
        wait = _wait(until, why=writing.why if until else "", code=writing.wait_code)
        return replace(wait, changes={**wait.changes, **rounds})


@dataclass(slots=True, kw_only=True)
class _PersonaWriting:
    """One pass: its questions, and what becomes of each answer."""

    row: PersonaGeneration
    slots: Sequence[PersonaSlot]
    existing: dict[str, Pairs] = field(init=False)
    names: set[str] = field(init=False)
    wait_until: datetime | None = None
    wait_code: str = ""
    why: str = ""
    limited: bool = False
    answered: bool = False
    _needs_release: bool = field(init=False)

    def __post_init__(self) -> None:
        rows = list(Persona.objects.values_list("name", "text", "spec", "status"))
        self.names = {name for name, *_ in rows}
        self.existing = {
            name: pairs_of(text, spec, name=name)
            for name, text, spec, status in rows
            if status != PersonaStatus.ARCHIVED
        }
        self._needs_release = workflow_config(current_slug()).persona_release

    def questions(self, todo: Sequence[int], models: Any) -> Mapping[tuple[int, ...], PaidQuestion[WrittenPersonas]]:
        why = {one["slot"]: one["why"] for one in self.row.refused}
        questions_by_slot = {}
        for start in range(0, len(todo), AT_ONCE):
            numbers = tuple(todo[start : start + AT_ONCE])
            questions_by_slot[numbers] = self._question(numbers, models, why)
        return questions_by_slot

    def _question(self, numbers: tuple[int, ...], models: Any, why: Mapping[int, str]) -> PaidQuestion[WrittenPersonas]:
        nonce, wanted = fresh_nonce(), {at: self.slots[at] for at in numbers}
        request = generation_request(
            slots=wanted,
            material=self.row.material,
            names=sorted(self.names),
            refused={at: why[at] for at in numbers if at in why},
            nonce=nonce,
            timeout_s=settings.MODEL_TIMEOUT_S * 3,  # four personas are a long answer
        )
        return PaidQuestion(
            requests=twice(request),
            read=lambda text: read_generation_reply(text, wanted, nonce=nonce),
            models=models,
            call_for=CallFor(purpose=Purpose.PERSONA_GENERATION),
        )

    def store(self, numbers: Any, reply: PaidReply[WrittenPersonas], now: datetime) -> None:
        """Take what can be taken, say why the rest was not."""
        self.answered = self.answered or reply.response is not None
        row = (
            PersonaGeneration.objects.select_for_update()
            .filter(pk=self.row.pk, lease_token=self.row.lease_token, status=PersonaWorkStatus.PENDING)
            .first()
        )
        if row is not None:
            refused = self._take(row, numbers, reply, now)
            row.refused = [*row.refused, *({"slot": at, "why": why} for at, why in sorted(refused.items()))]
            row.save(update_fields=["refused"])

    def _take(
        self, row: PersonaGeneration, numbers: tuple[int, ...], reply: PaidReply[WrittenPersonas], now: datetime
    ) -> dict[int, str]:
        if reply.value is None:
            return self._not_answered(numbers, reply, now)
        refused = dict(reply.value.refused)
        for written in reply.value.personas:
            pairs = pairs_of(written.text, written.spec, name=written.name)
            name, share = most_alike(pairs, self.existing)
            if share >= TOO_ALIKE:
                refused[written.slot] = f"it is too like {name!r} ({share:.2f} of the words in pairs)"
                continue
            self._create(row, written, pairs)
        return refused

    def _create(self, row: PersonaGeneration, written: WrittenPersona, pairs: Pairs) -> None:
        name = self._free_name(written.name)
        persona_id = create_persona(
            name=name,
            text=written.text,
            language=self.slots[written.slot].language,
            spec=written.spec,
            origin=PersonaOrigin.GENERATED,
            needs_release=self._needs_release,
        )
        GeneratedPersona.objects.create(generation=row, slot=written.slot, persona_id=persona_id)
        self.names.add(name)
        self.existing[name] = pairs

    def _free_name(self, name: str) -> str:
        number, free = 1, name
        while free in self.names:
            number += 1
            free = f"{name[:95]} {number}"
        return free

    def _not_answered(
        self, numbers: tuple[int, ...], reply: PaidReply[WrittenPersonas], now: datetime
    ) -> dict[int, str]:
        """A wait is no try; a model that is away is one, and is left in peace for a while."""
        if reply.refused is not None:
            self.wait_until, self.why = next_try(reply.refused, now=now), reply.error
            self.wait_code = SPENT_CODE
            return {}
        if (until := reply.limited_until(now)) is not None:
            self.wait_until, self.why, self.limited = until, reply.error, True
            return {}
        if not reply.model and self.wait_until is None:
            self.wait_until, self.why = now + MODEL_AWAY, reply.error
        return dict.fromkeys(numbers, reply.error[:300])


def _missing(row: PersonaGeneration, slots: Sequence[PersonaSlot], empty: Sequence[int]) -> str:
    if not empty:
        return ""
    why = {one["slot"]: one["why"] for one in row.refused}
    sentences = [f"{_cell(slots[at])}: {why.get(at, 'not asked for')}" for at in empty[:10]]
    more = f"; and {len(empty) - 10} more" if len(empty) > 10 else ""
    return f"{len(slots) - len(empty)} of {len(slots)} were written. Not written: {'; '.join(sentences)}{more}."


def _cell(slot: PersonaSlot) -> str:
    return f"{slot.language} × {slot.goal[:60]} × {slot.temper}"


def _wait(until: datetime | None, *, why: str, code: str) -> Delay:
    return Delay(until=until, why=why, changes={"wait_code": code, "attempts": 0})
