"""The typed fields of a Langfuse project: its environment, and the prompts that are read from it."""

import re

from apps.catalog.domain.field_readers import name
from apps.core.errors import BadInput
from apps.production.exports.domain.exported_spans import OWN_ENVIRONMENT

MAX_PROMPTS = 20  # each costs a request every five minutes
_NAME = re.compile(r"(?!langfuse)[a-z0-9_-]{1,40}")


def read_environment(named: str) -> str:
    """Return the environment `named`, or "" for all of a project's.

    Raises BadInput for one that no Langfuse has (it would find nothing), and for the one of the traces that we send
    ourselves.
    """
    if named and not _NAME.fullmatch(named):
        raise BadInput(
            "An environment has up to 40 small letters, digits, - and _, and does not begin with langfuse.",
            code="bad_environment",
        )
    if named == OWN_ENVIRONMENT:
        raise BadInput(
            f"{OWN_ENVIRONMENT} holds what is sent from here: name the one of your agent.", code="bad_environment"
        )
    return named


def read_names(text: str) -> list[str]:
    """Names of prompts, one a line, each once. Raises BadInput for one that no prompt can have, and for too many."""
    names = list(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
    if len(names) > MAX_PROMPTS:
        raise BadInput(f"At most {MAX_PROMPTS} prompts can be read from a Langfuse.", code="too_many_prompts")
    return [name(one, f"/reads/{n}") for n, one in enumerate(names)]
