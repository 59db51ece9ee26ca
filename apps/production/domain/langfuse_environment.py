"""The name of an environment, as a Langfuse takes it."""

import re

from apps.core.errors import BadInput
from apps.production.domain.exported_spans import OWN_ENVIRONMENT

_NAME = re.compile(r"(?!langfuse)[a-z0-9_-]{1,40}")


def read_environment(name: str) -> str:
    """`name`, or "" for all of a project's. Raises BadInput for one that no Langfuse has (it would find nothing), and
    for the one of what we send ourselves."""
    if name and not _NAME.fullmatch(name):
        raise BadInput(
            "An environment has up to 40 small letters, digits, - and _, and does not begin with langfuse.",
            code="bad_environment",
        )
    if name == OWN_ENVIRONMENT:
        raise BadInput(
            f"{OWN_ENVIRONMENT} holds what is sent from here: name the one of your agent.", code="bad_environment"
        )
    return name
