"""Name the reason why a model stopped, in our words and in those of any provider."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any


class Finish(StrEnum):
    """Reason why the model stopped. Everything but ERROR is a result, never a reason to repeat the call."""

    STOP = "stop"
    LENGTH = "length"
    CONTEXT = "context"  # question and answer together are more than the model can hold
    REFUSAL = "refusal"
    BLOCKED = "blocked"
    TOOL = "tool"
    ERROR = "error"


# Words that servers of any kind use for an answer that was refused or held back: a proxy passes on what the model
# behind it said, in that model's words.
_NO_ANSWER: Mapping[str, Finish] = MappingProxyType(
    {
        "refusal": Finish.REFUSAL,
        "content_filter": Finish.BLOCKED,
        "content_filtered": Finish.BLOCKED,
        "guardrail_intervened": Finish.BLOCKED,
        "safety": Finish.BLOCKED,
        "recitation": Finish.BLOCKED,
        "language": Finish.BLOCKED,
        "blocklist": Finish.BLOCKED,
        "prohibited_content": Finish.BLOCKED,
        "spii": Finish.BLOCKED,
        "image_safety": Finish.BLOCKED,
    }
)


def finish_of(reason: Any, own: Mapping[str, Finish]) -> Finish:
    """Return the finish that a provider's stop reason stands for.

    It is found by the provider's own words, else by those for a refusal or a filter in any provider's; ERROR for one
    that nobody knows.
    """
    return own.get(str(reason)) or _NO_ANSWER.get(str(reason).lower(), Finish.ERROR)
