"""The texts that ask the workshop's models: what one is, which placeholders it has, how it is filled in. Pure.

A text is data. Placeholders are replaced by name, once and from left to right: what is put in is never read again, and
no attribute, index or expression is. The keys of the answer are no part of it, since our parser relies on them.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from apps.catalog.domain.states import LANGUAGES
from apps.core.errors import BadInput

MAX_TEMPLATE_CHARS, MAX_TEMPLATE_NOTE = 12_000, 500
_PLACEHOLDER = re.compile(r"(?<!\{)\{([^{}]*)\}(?!\})")


class TemplatePurpose(StrEnum):
    """The purpose of a text: findings of a part of the conversations, which findings are the same, one fix, a draft
    that answers all findings, a draft that goes on from the one before."""

    ANALYZER = "analyzer"
    JOIN = "join"
    SURGICAL = "surgical"
    FULL = "full"
    REFLECTIVE = "reflective"


ANALYZER_PURPOSES = (TemplatePurpose.ANALYZER, TemplatePurpose.JOIN)
MEANS: Mapping[str, str] = {
    TemplatePurpose.ANALYZER: "finds what goes wrong in a part of the conversations",
    TemplatePurpose.JOIN: "says which findings are the same, and which oppose each other",
    TemplatePurpose.SURGICAL: "writes one fix for one finding",
    TemplatePurpose.FULL: "writes a draft that answers all findings",
    TemplatePurpose.REFLECTIVE: "goes on from the draft before that helped",
}
_SYSTEM: Mapping[str, tuple[str, ...]] = {TemplatePurpose.ANALYZER: ("language",), TemplatePurpose.JOIN: ("language",)}
_ASK: Mapping[str, tuple[str, ...]] = {TemplatePurpose.ANALYZER: ("nonce", "labels", "criteria")}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTexts:
    """One version of a text.

    `system` says who the model is and what holds, `ask` stands behind the data, and the keys of the answer follow it.
    `version` is `built-in N`, or the number of a tenant's own.
    """

    purpose: str
    language: str
    version: str
    system: str
    ask: str

    def as_json(self) -> dict[str, str]:
        """The texts as a row stores them, whole. A question stays explained when another version is in force."""
        return asdict(self)


def texts_from_json(found: Mapping[str, Any]) -> PromptTexts:
    """Read the JSON that `as_json` made."""
    return PromptTexts(**{name: str(found[name]) for name in ("purpose", "language", "version", "system", "ask")})


def placeholders_of(purpose: str) -> dict[str, tuple[str, ...]]:
    """Field -> the placeholders that it must have, and the only ones that it may."""
    return {"system": _SYSTEM.get(purpose, ()), "ask": _ASK.get(purpose, ("nonce",))}


def check_texts(*, purpose: str, language: str, system: str, ask: str) -> None:
    """Refuse texts of a template that cannot be used.

    Raises BadInput with the field at fault: `unknown_purpose`, `unknown_language`, `empty`, `too_long`,
    `unknown_placeholders`, `missing_placeholders`; the last two name them.
    """
    if purpose not in set(TemplatePurpose):
        raise BadInput(f"Use one of {', '.join(TemplatePurpose)}.", code="unknown_purpose", pointer="/purpose")
    if language not in LANGUAGES:
        raise BadInput(f"Use one of {', '.join(LANGUAGES)}.", code="unknown_language", pointer="/language")
    for (field, wanted), text in zip(placeholders_of(purpose).items(), (system, ask), strict=True):
        _check_length(field, text)
        there = _PLACEHOLDER.findall(text)
        if unknown := list(dict.fromkeys(name for name in there if name not in wanted)):
            raise BadInput(
                f"Nobody fills in {_names(unknown)}: {_may(wanted)} A variable of an agent's prompt has two braces.",
                code="unknown_placeholders",
                pointer=f"/{field}",
            )
        if missing := [name for name in wanted if name not in there]:
            raise BadInput(
                f"{_names(missing)} must stand in it: {'; '.join(_WHY[name] for name in missing)}.",
                code="missing_placeholders",
                pointer=f"/{field}",
            )


_WHY = {
    "nonce": "{nonce} names the fences around what is data",
    "labels": "{labels} says which conversations are asked about",
    "criteria": "{criteria} says which criteria count",
    "language": "{language} is the language that people read the answer in",
}


def reason_language(snapshot: Mapping[str, Any]) -> str:
    """The language that a frozen evaluator version wants reasons in, which is the one people read."""
    return str(snapshot["parameters"].get("reason_language") or "en")


def fill_in(text: str, values: Mapping[str, str]) -> str:
    """The text with each placeholder replaced; what is put in is not looked at again, and unknown ones stay."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)


def _check_length(field: str, text: str) -> None:
    if not text.strip():
        raise BadInput("It must say something.", code="empty", pointer=f"/{field}")
    if len(text) > MAX_TEMPLATE_CHARS:
        message = f"It has {len(text)} characters; {MAX_TEMPLATE_CHARS} are the most."
        raise BadInput(message, code="too_long", pointer=f"/{field}")


def _names(names: list[str]) -> str:
    return ", ".join("{" + name[:40] + "}" for name in names[:5])


def _may(wanted: tuple[str, ...]) -> str:
    return f"only {_names(list(wanted))} may stand here." if wanted else "no placeholder may stand here."
