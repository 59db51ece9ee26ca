"""Read the personas that a model wrote: strict about each, and one that cannot be read never costs the others."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from apps.catalog.personas.domain.spec import PersonaSpec, read_persona_spec
from apps.core.errors import BadInput
from apps.core.json_hygiene import first_fault
from apps.evaluations.domain.parsing import ParseError
from apps.evaluations.domain.secret_keys import SecretKeys
from apps.personas.domain.generation_prompt import SCHEMA, SECRET_NAMES
from apps.personas.domain.grid import PersonaSlot
from apps.personas.domain.role_breaks import refuses_like_a_model

NAME_CHARS, TEXT_CHARS = 100, 4000
MIN_BEHAVIOURS = 1  # without a behaviour nothing of it could be checked


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPersona:
    """One persona as it was written; `spec` is the stored form."""

    slot: int
    name: str
    text: str
    spec: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPersonas:
    """Personas that a model wrote. `refused` says why a slot has none, for the model's next try and for people."""

    personas: tuple[WrittenPersona, ...]
    refused: Mapping[int, str]


def read_generation_reply(text: str, slots: Mapping[int, PersonaSlot], *, nonce: str) -> WrittenPersonas:
    """The personas of a reply, one a slot. A slot that is missing, written twice or cannot be read is refused with the
    reason. Raises ParseError where the reply holds no list of personas that carries the nonce. Linear."""
    objects = [one for one in _keys(nonce).read(text, nonce=nonce) if isinstance(one.get("personas"), list)]
    if len(objects) != 1:
        why = "the reply holds no personas with the nonce of its question" if not objects else "the reply answers twice"
        raise ParseError(why, raw=text)
    personas: dict[int, WrittenPersona] = {}
    refused: dict[int, str] = {}
    for item in objects[0]["personas"]:
        number = _number(item, slots)
        if number is None:
            continue  # a persona that nobody asked for
        if number in personas or number in refused:
            personas.pop(number, None)
            refused[number] = "it was written twice"
            continue
        try:
            personas[number] = _persona(item, number, slots[number])
        except BadInput as error:
            refused[number] = error.message[:300]
    for number in slots:
        if number not in personas and number not in refused:
            refused[number] = "the answer has no persona for it"
    return WrittenPersonas(personas=tuple(personas[number] for number in sorted(personas)), refused=refused)


def _keys(salt: str) -> SecretKeys:
    """The spec stays unread here: one that is odd costs its own slot alone."""
    written = {**SCHEMA["properties"]["personas"]["items"]["properties"], "spec": {}}
    shape = {"properties": {"nonce": {}, "personas": {"items": {"properties": written}}}}
    return SecretKeys(names=SECRET_NAMES, salt=salt, shape=shape)


def _number(item: Any, slots: Collection[int]) -> int | None:
    number = item.get("slot") if isinstance(item, Mapping) else None
    if isinstance(number, bool) or not isinstance(number, int | float) or number not in slots:
        return None
    return int(number)


def _persona(item: Mapping[str, Any], number: int, slot: PersonaSlot) -> WrittenPersona:
    if (fault := first_fault(item)) is not None:
        raise BadInput(f"{fault[0]} {fault[1]}")
    unknown = sorted(set(item) - {"slot", "name", "text", "spec"})
    if unknown:
        raise BadInput(f"/{unknown[0]}: is not known here")
    name, text = _words(item, "name", NAME_CHARS), _words(item, "text", TEXT_CHARS)
    if refusal := refuses_like_a_model(text):
        raise BadInput(f"/text: is a refusal and no portrait ({refusal.words!r})")
    raw = item.get("spec")
    if not isinstance(raw, Mapping):
        raise BadInput("/spec: must be an object")
    spec = read_persona_spec({**raw, "temper": slot.temper}, "/spec")
    _complete(spec)
    return WrittenPersona(slot=number, name=name, text=text, spec=spec.as_json())


def _complete(spec: PersonaSpec) -> None:
    if not spec.goal.text or not spec.goal.success:
        raise BadInput("/spec/goal: says what they want, and by what it shows that they have it")
    if spec.goal.text == spec.goal.success:
        raise BadInput("/spec/goal: what they want and by what it shows are the same words")
    if any(behaviour.instruction == behaviour.violation for behaviour in spec.behaviours):
        raise BadInput("/spec/behaviours: what they do and what breaks it are the same words")
    if len(spec.behaviours) < MIN_BEHAVIOURS:
        raise BadInput("/spec/behaviours: has none, so that nothing of it could be checked")


def _words(item: Mapping[str, Any], key: str, limit: int) -> str:
    value = item.get(key)
    text = " ".join(value.split()) if isinstance(value, str) and key == "name" else value
    if not isinstance(text, str) or not text.strip() or len(text) > limit:
        raise BadInput(f"/{key}: must be a text of 1 to {limit} characters")
    return text.strip()
