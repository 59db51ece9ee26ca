"""The background of a conversation; a judge sees it only where its version or a criterion asks for it.

A template or a criterion's text asks by naming a variable, `{{ persona }}`. Values are data: they stand fenced before
the transcript, or neutralised where a template places them.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from apps.evaluations.domain.transcript import neutralised

NAMES = ("persona", "goal", "agent_profile")
UNKNOWN = "not known"
_VARIABLE = re.compile(r"\{\{\s*(persona|goal|agent_profile)\s*\}\}")


def named_variables(criteria: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The variables that the criteria's texts name. Pure."""
    texts = (
        text
        for criterion in criteria
        for text in (criterion.get("description"), *(criterion.get("scoring_guide") or {}).values())
    )
    return frozenset(name for text in texts for name in _VARIABLE.findall(str(text or "")))


def with_labels(criterion: Mapping[str, Any]) -> dict[str, Any]:
    """The criterion with each variable as the label under which its value stands: `[persona]`."""
    guide = {mark: _labelled(text) for mark, text in (criterion.get("scoring_guide") or {}).items()}
    labelled = {**criterion, "description": _labelled(criterion.get("description") or "")}
    return {**labelled, "scoring_guide": guide} if guide else labelled


def with_values(text: str, background: Mapping[str, Any]) -> str:
    """The text as a person reads it: each variable as what the conversation says, `not known` where it says nothing."""
    return _VARIABLE.sub(lambda found: str(background.get(found[1]) or UNKNOWN), text)


def values(background: Mapping[str, Any], *, nonce: str) -> dict[str, str]:
    """Every variable as text that can end no fence; `not known` where the conversation says nothing."""
    return {name: _text(background.get(name), nonce) for name in NAMES}


def block(background: Mapping[str, Any], names: Iterable[str], *, nonce: str) -> str:
    """The fenced values of these variables; empty for none."""
    sorted_names = sorted(names)
    if not sorted_names:
        return ""
    texts = values(background, nonce=nonce)
    lines = [f"[{name}] " + texts[name].replace("\n", "\n    ") for name in sorted_names]
    return "\n".join([f"<<<BACKGROUND {nonce}>>>", *lines, f"<<<END BACKGROUND {nonce}>>>"])


def _labelled(text: str) -> str:
    return _VARIABLE.sub(r"[\1]", text)


def _text(value: Any, nonce: str) -> str:
    if value in (None, "", {}):
        return UNKNOWN
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    return neutralised(text, nonce=nonce)
