"""A persona as data: who they are, what they want and know, how they behave, and what they never do.

Stored as JSON beside the free text, in its shortest form: what is not given is not there, `{}` is a persona of its text
alone. A behaviour is a pair: the instruction makes the persona, the rubric of its violation checks it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Annotated, Any

from annotated_types import Interval, MaxLen

from apps.core.errors import BadInput
from apps.core.json_hygiene import first_fault
from apps.core.shapes import NOT_BLANK, WHOLE, Check, Shape, Text
from apps.core.validation import validate

MAX_ENTRIES = 20  # of any list: more than a simulator's prompt bears


class Typing(StrEnum):
    """How somebody writes in a chat."""

    SHORT = "short"
    TYPOS = "typos"
    VOICE_NOTE = "voice_note"
    SEVERAL_MESSAGES = "several_messages"


TYPING_WORDS: Mapping[Typing, str] = {
    Typing.SHORT: "in short messages",
    Typing.TYPOS: "with typing mistakes",
    Typing.VOICE_NOTE: "as in a voice note written down, in long spoken sentences",
    Typing.SEVERAL_MESSAGES: "in several messages one after the other",
}
PATIENCE_WORDS: Mapping[int, str] = {
    1: "gives up at the first obstacle",
    2: "gives up soon",
    3: "puts up with as much as most people",
    4: "is patient",
    5: "never loses patience",
}


def _once(items: Any) -> Any:
    for index, item in enumerate(items):
        if item in items[:index]:
            raise BadInput("stands twice", pointer=f"/{index}")
    return items


def _named_once(behaviours: Any) -> Any:
    names = [behaviour.name for behaviour in behaviours]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise BadInput(f"{name!r} stands twice", pointer=f"/{index}/name")
    return behaviours


_Line = Annotated[Text, MaxLen(500), NOT_BLANK, Check(str.strip)]
_Word = Annotated[Text, MaxLen(60), NOT_BLANK, Check(str.strip)]
_Value = Annotated[Text, MaxLen(200), NOT_BLANK, Check(str.strip)]
_Lines = Annotated[tuple[_Line, ...], MaxLen(MAX_ENTRIES)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaGoal(Shape):
    """The persona's goal, and the sign that it is reached."""

    text: Annotated[Text, MaxLen(1000), Check(str.strip)] = ""
    success: Annotated[Text, MaxLen(1000), Check(str.strip)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaKnowledge(Shape):
    """The persona's knowledge: answers they can give when asked, and things they do not know."""

    knows: _Lines = ()
    does_not_know: _Lines = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaBehaviour(Shape):
    """One behaviour of a persona: its instruction (told to the simulator), and the sign of its violation (asked of the
    checker)."""

    name: _Word
    instruction: _Line
    violation: _Line


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaSpec(Shape):
    """The structured persona; every part may be absent. `patience` is 1 (none) to 5 (endless)."""

    demographics: Annotated[Mapping[_Word, _Value], MaxLen(MAX_ENTRIES)] = field(default_factory=dict)
    code_mixing: Annotated[Text, MaxLen(300), Check(str.strip)] = ""
    temper: Annotated[Text, MaxLen(60), Check(str.strip)] = ""
    goal: PersonaGoal = PersonaGoal()
    knowledge: PersonaKnowledge = PersonaKnowledge()
    behaviours: Annotated[tuple[PersonaBehaviour, ...], MaxLen(MAX_ENTRIES), Check(_named_once)] = ()
    patience: Annotated[int, Interval(ge=1, le=5), WHOLE] | None = None
    typing: Annotated[tuple[Typing, ...], Check(_once)] = ()
    hidden_constraints: _Lines = ()
    never: _Lines = ()

    def as_json(self) -> dict[str, Any]:
        """The stored form: what is empty is left out, so that equal personas are equal bytes."""
        shortest: dict[str, Any] = _shortest(asdict(self))
        return shortest

    def portrait(self) -> str:
        """The words a simulator plays, one fact a line; "" where nothing is given. Rubrics are not in it: who plays
        must not know by what it is checked."""
        writes = ", ".join(TYPING_WORDS[one] for one in self.typing)
        lines = [
            "; ".join(f"{name}: {value}" for name, value in self.demographics.items()),
            _labelled("Mixes languages", self.code_mixing),
            _labelled("Temper", self.temper),
            f"Patience: {PATIENCE_WORDS[self.patience]} ({self.patience} of 5)." if self.patience else "",
            _labelled("Wants", self.goal.text),
            _labelled("Is content when", self.goal.success),
            _listed("Knows", self.knowledge.knows),
            _listed("Does not know", self.knowledge.does_not_know),
            _listed("How they behave", [behaviour.instruction for behaviour in self.behaviours]),
            f"Writes {writes}." if writes else "",
            _listed("Holds, and says only when it comes to that", self.hidden_constraints),
            _listed("Never does", self.never),
        ]
        return "\n".join(line for line in lines if line)


def read_persona_spec(raw: Any, pointer: str = "") -> PersonaSpec:
    """Untyped data (YAML, a form, a model's answer) as a persona. None counts as {}.

    Raises BadInput at the first thing that is wrong; its pointer begins with `pointer`.
    """
    if raw in (None, {}):
        return PersonaSpec()
    if (fault := first_fault(raw, pointer=pointer)) is not None:
        raise BadInput(f"{fault[0].lstrip('/')} {fault[1]}", pointer=fault[0])
    return validate(PersonaSpec, raw, pointer=pointer)


def played_words(text: str, spec: Mapping[str, Any]) -> str:
    """The text about a persona for the simulator: its free text, then the additions of its structured part."""
    return "\n\n".join(part for part in (text.strip(), read_persona_spec(spec).portrait()) if part)


def _labelled(what: str, words: str) -> str:
    return f"{what}: {words}" if words else ""


def _listed(what: str, items: Sequence[str]) -> str:
    return "\n".join([f"{what}:", *(f"- {item}" for item in items)]) if items else ""


def _shortest(value: Any) -> Any:
    if isinstance(value, Mapping):
        shortened = {key: _shortest(item) for key, item in value.items()}
        return {key: item for key, item in shortened.items() if item not in ("", None, [], {})}
    if isinstance(value, list | tuple):
        return [_shortest(item) for item in value]
    return value.value if isinstance(value, StrEnum) else value
