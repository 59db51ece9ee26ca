"""Detect a judge that is the generator, or of its family.

A model rates too well what it could have said itself (brief 004: never the same model as judge and generator).
"""

import re
from collections.abc import Sequence
from enum import StrEnum

from apps.evaluations.domain.cross_check import PairedScore, shift
from apps.statistics.drift import Shift

FAMILIES: tuple[tuple[str, str], ...] = (
    (r"claude", "Claude"),
    (r"gemini|gemma|palm", "Gemini"),
    (r"gpt|chatgpt|davinci|\bo[134]\b", "GPT"),
    (r"llama", "Llama"),
    (r"mistral|mixtral|ministral|magistral", "Mistral"),
    (r"qwen|qwq", "Qwen"),
    (r"deepseek", "DeepSeek"),
    (r"command-?r|cohere|aya", "Command"),
    (r"grok", "Grok"),
    (r"phi-?\d", "Phi"),
)
_DATED = re.compile(r"[-@](?:latest|preview|\d{4}-\d{2}-\d{2}|20\d{6}|\d{3,4})$")


class Kinship(StrEnum):
    SAME = "same"
    FAMILY = "family"
    NONE = "none"


def bare_name(model: str) -> str:
    """A model's name without whose door it came through, its date and its tag: `openai/gpt-4-0613` is `gpt-4`."""
    name = model.strip().lower().rpartition("/")[2].partition(":")[0]
    while (shorter := _DATED.sub("", name)) != name:
        name = shorter
    return name.replace(".", "-")


def family(model: str) -> str:
    """The family by the model's name; "" for one that is not known."""
    name = bare_name(model)
    return next((called for pattern, called in FAMILIES if re.search(pattern, name)), "")


def kinship(judge: str, generator: str) -> Kinship:
    """Return how near a judge's model is to the model whose words it judges."""
    if bare_name(judge) and bare_name(judge) == bare_name(generator):
        return Kinship.SAME
    return Kinship.FAMILY if family(judge) and family(judge) == family(generator) else Kinship.NONE


def preference(own: Sequence[PairedScore], others: Sequence[PairedScore]) -> Shift | None:
    """Measure how much better a judge rates its own family than a judge of another family does.

    The preference is compared with other speakers. None with too few cross-checked conversations on a side.
    """
    return shift(others, own)
