"""Read Rasa's test stories (`stories:`) and end-to-end tests (`test_cases:`) → scenarios.

Stories have `user:` texts. The customer's words are fixed, custom actions are tools that must be called, texts of the
bot are words that it must say.

Texts of `utter_…` stand in a domain file that is not read, so they are told as left out.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from apps.catalog.domain.catalog_yaml import YamlDocument, load
from apps.catalog.files.domain.test_formats.collecting import Collected, ImportedCase
from apps.core.errors import BadInput

_ENTITY = re.compile(r"\[([^\[\]]+)\](?:\([^()]*\)|\{[^{}]*\})")  # [Friday](day), [Friday]{"entity": "day"}
_OWN_ACTIONS = re.compile(
    r"action_(?:listen|restart|session_start|back|unlikely_intent|default_\w+|deactivate_loop|two_stage_fallback|"
    r"extract_slots|send_text|revert_fallback_events)\Z"
)
_NAMES = {"stories": "story", "test_cases": "test_case"}


def read(text: str, into: Collected) -> None:
    """Every story and test case of the file. Raises BadInput for YAML that is none."""
    for document in load(text, into.file, foreign=True):
        for place, name, steps in _stories(document):
            try:
                into.take(place, _case(name, steps))
            except BadInput as error:
                into.refuse(place, error.message, name)


def _stories(document: YamlDocument) -> Iterator[tuple[str, str, Any]]:
    value = document.value if isinstance(document.value, Mapping) else {}
    for section, key in _NAMES.items():
        rows = value.get(section)
        for number, row in enumerate(rows if isinstance(rows, list) else []):
            named = row if isinstance(row, Mapping) else {}
            yield f"line {document.line(f'/{section}/{number}')}", str(named.get(key) or ""), named.get("steps")


def _case(name: str, steps: Any) -> ImportedCase:
    if not isinstance(steps, list) or not steps:
        raise BadInput("it has no steps")
    case = ImportedCase(key=name, goal=name)
    for number, step in enumerate(steps):
        if not isinstance(step, Mapping):
            raise BadInput(f"steps/{number} is no step")
        _step(case, step, f"steps/{number}")
    if not case.lines:
        raise BadInput("no step has the customer's words (`user:`): a training story names intents alone")
    return case


def _step(case: ImportedCase, step: Mapping[str, Any], place: str) -> None:
    if isinstance(words := step.get("user"), str):
        case.lines.append(_ENTITY.sub(r"\1", words).strip())
    elif "intent" in step:
        raise BadInput(f"{place} has the intent {str(step['intent'])[:60]!r} without the customer's words")
    elif isinstance(uttered := step.get("bot"), str):
        case.assertions.append({"said": [uttered.strip()]})
    elif isinstance(action := step.get("action"), str):
        _action(case, action)
    else:
        case.left_out.append(f"{place}: {', '.join(map(str, step))[:80]} is not seen from outside")
    for assertion in step.get("assertions") or ():
        _assertion(case, assertion, place)


def _action(case: ImportedCase, action: str) -> None:
    if action.startswith("utter_"):
        case.left_out.append(f"{action}: its text stands in the domain file: assert the words that it says")
    elif not _OWN_ACTIONS.match(action):
        case.assertions.append({"tool": action})


def _assertion(case: ImportedCase, one: Any, place: str) -> None:
    if isinstance(one, Mapping) and isinstance(one.get("action_executed"), str):
        _action(case, one["action_executed"])
        return
    uttered = one.get("bot_uttered") if isinstance(one, Mapping) else None
    if isinstance(uttered, Mapping) and isinstance(uttered.get("text_matches"), str):
        case.assertions.append({"said": [uttered["text_matches"]], "match": "regex"})
        return
    what = ", ".join(map(str, one)) if isinstance(one, Mapping) else str(one)
    case.left_out.append(f"{place}: the assertion {what[:80]} is not seen from outside")
