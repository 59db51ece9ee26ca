"""The body of POST /prompts/ as plain data."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import MaxLen

from apps.api.domain.request_fields import Name
from apps.catalog.prompts.domain.texts import MAX_PROMPT_CHARS
from apps.core.shapes import NOT_BLANK, Flag, Keywords, Shape, Text, described

_REVISION = described("The commit it is of; without one a digest of the text.", pattern="^[A-Za-z0-9._-]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRequest(Shape):
    """A prompt of an agent, to be kept as a version."""

    name: Annotated[Name, Keywords({"pattern": r"^[A-Za-z0-9][A-Za-z0-9_-]*$"})]
    text: Annotated[Text, MaxLen(MAX_PROMPT_CHARS), NOT_BLANK]
    revision: Annotated[Text, MaxLen(40), _REVISION] = ""
    draft: Annotated[Flag, described("Record it without playing it: the version that is live stays so.")] = False
