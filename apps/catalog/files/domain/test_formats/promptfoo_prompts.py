"""The customer's words in a test of promptfoo: the variable that is their message, or the whole prompt where it is made
of several."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from apps.catalog.files.domain.test_formats.promptfoo_templates import Values, filled, named_in
from apps.core.chat_messages import chat_turns
from apps.core.conversation import TurnRole
from apps.core.errors import BadInput

_SPOKEN = ("question", "query", "input", "message", "user_message", "user_input", "user", "prompt", "text", "body")
_FILE = re.compile(r"^\s*\w+://|\.(?:txt|json|ya?ml|md|py|js|ts|csv)(?::\w+)?\s*$")
# Words to a model, not of a customer: who it is, what it is for.
_TO_A_MODEL = re.compile(
    r"\s*(?:you are|you're|act as|your task|your role|system:|as an? (?:ai|assistant))", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The first prompt of a file, as a template of the customer's words; "" where there is none that can be read.
    `notes` say what of the prompts is not read."""

    template: str = ""
    notes: tuple[str, ...] = ()


def prompt_of(prompts: Any) -> Prompt:
    """The prompt by which a test's variables are asked."""
    listed = prompts if isinstance(prompts, list) else [prompts] if prompts else []
    texts = [one.get("raw") or one.get("label") if isinstance(one, Mapping) else one for one in listed]
    first = texts[0] if texts and isinstance(texts[0], str) else ""
    notes = [f"{len(texts) - 1} further prompts: not read"] if len(texts) > 1 else []
    if first and _FILE.search(first):
        return Prompt(notes=(*notes, f"prompts: {first.strip()[:60]} is another file, which is not followed"))
    return Prompt(template=_customers_part(first), notes=tuple(notes))


def opening_of(prompt: Prompt, values: Values, asserted: Collection[str]) -> tuple[str, list[str]]:
    """The customer's first message, and what of the test is not said in it. `asserted` are the variables that asserts
    name. Raises BadInput where nothing says what the customer writes, or a template cannot be filled."""
    known = {name: value for name, value in values.items() if value.strip()}
    if not known:
        raise BadInput("no vars: nothing says what the customer writes")
    spoken = next((name for name in _SPOKEN if name in known), next(iter(known)) if len(known) == 1 else "")
    used = named_in(prompt.template) & known.keys()
    instructs = bool(_TO_A_MODEL.match(prompt.template))
    if len(used) > 1 and not instructs:
        return filled(prompt.template, values), [*prompt.notes, *_unsaid(known, {*used, *asserted})]
    if spoken:
        kinds_spoken, words = {spoken}, filled(known[spoken], values)
    else:
        kinds_spoken, words = set(known), "\n".join(f"{name}: {filled(value, values)}" for name, value in known.items())
    kinds_spoken |= named_in(known.get(spoken, ""))
    return words, [*prompt.notes, *_unsaid(known, {*kinds_spoken, *asserted})]


def _unsaid(known: Values, said: Collection[str]) -> Iterator[str]:
    yield from (f"vars/{name}: the customer does not say it" for name in known if name not in said)


def _customers_part(text: str) -> str:
    """Return the customer's last message of a prompt that is a list of chat messages; else all of it."""
    if not text.lstrip().startswith("["):
        return text
    try:
        messages = json.loads(text)
    except (ValueError, RecursionError):
        return text
    turns = [turn for message in messages for turn in chat_turns(message) if turn.role is TurnRole.USER]
    return turns[-1].text if turns else ""
