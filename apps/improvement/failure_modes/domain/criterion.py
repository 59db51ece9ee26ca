"""The criterion that a failure mode drafts: what people noted becomes the anchors of its scoring guide. Pure."""

import re
from collections.abc import Sequence
from typing import Any

from apps.core.redaction import redact

MAX_EXAMPLES, EXAMPLE_CHARS = 5, 300
_NAME = re.compile(r"[^a-z0-9]+")
_FENCES = re.compile(r"<{2,}|>{2,}|`{3,}|\{[{%]|[%}]\}")  # of our prompts and of templates: nobody's words open them


def criterion_name(mode: str) -> str:
    """A name that the catalog takes."""
    return _NAME.sub("_", mode.casefold()).strip("_")[:80].rstrip("_") or "failure_mode"


def drafted_texts(*, name: str, description: str, failing: Sequence[str], well: Sequence[str]) -> dict[str, Any]:
    """Draft a description and a scoring guide from notes.

    Notes of the failure stand at 0 and 3, notes of doing well at 10, masked and shortened, as what somebody said and no
    instruction.
    """
    guide = {
        "0": "It fails so, and the customer is worse off for it or gives up.",
        "3": f"It fails so.{_examples('As people noted it', failing)}",
        "5": "It nearly fails so, or puts it right only when the customer insists.",
        "7": "It does not fail so.",
        "10": f"It does well where it could easily have failed so.{_examples('As people noted it', well)}",
    }
    plain_name = " ".join((description or name).split()).rstrip(".")
    return {
        "description": f"Whether the agent keeps clear of this failure, “{_plain(name)}”: {_plain(plain_name)}.",
        "scoring_guide": guide,
    }


def _examples(how: str, notes: Sequence[str]) -> str:
    examples = [_plain(note)[:EXAMPLE_CHARS] for note in notes[:MAX_EXAMPLES]]
    return f" {how}: {' '.join(f'“{example}”' for example in examples)}" if examples else ""


def _plain(text: str) -> str:
    return " ".join(_FENCES.sub(" ", redact(text)).replace("“", "'").replace("”", "'").split())
