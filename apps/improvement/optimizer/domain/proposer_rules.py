"""Decide whether a model may propose a fix: the one that judges it may not. Pure."""

import re
from collections.abc import Mapping
from typing import Any

from apps.core.errors import BadInput, Conflict

MAX_REASON = 2_000
_FAMILY = re.compile(r"[a-z]+")
OFFLINE = "offline"


def proposer_warnings(
    proposer: Mapping[str, Any], judge: Mapping[str, Any], *, reason: str, by: str
) -> list[dict[str, str]]:
    """The warnings about this pair: [{"code", "text"}].

    Raises Conflict (`judge_proposes`) where the proposer is the judge and nobody says why it may be all the same, and
    BadInput (`no_model`) where no model is configured.
    """
    models = {(one["provider"], one["model"]) for one in _pair(proposer)}
    if any(provider == OFFLINE for provider, _ in models):
        message = "No model proposes here: choose one for the role optimizer in the settings, or write a draft."
        raise BadInput(message, code="no_model")
    if len(reason) > MAX_REASON:
        message = f"A reason has {MAX_REASON} characters at most."
        raise BadInput(message, code="too_long", pointer="/override_reason")
    judges = {(one["provider"], one["model"]) for one in _pair(judge)}
    if models & judges:
        if not reason.strip():
            raise Conflict(
                f"{proposer['model']} judges too, and would write for itself: choose another model for the role "
                "optimizer in the settings, or say why it may be all the same (override_reason).",
                code="judge_proposes",
            )
        text = f"The judge's own model proposed it: {by} allowed it, {reason.strip()}"
        return [{"code": "judge_proposes", "text": text}]
    families = {family_of_model(model) for _, model in models} & {family_of_model(model) for _, model in judges}
    if families:
        text = f"Proposer and judge are of one family ({', '.join(sorted(families))}): they may like the same words."
        return [{"code": "same_family", "text": text}]
    return []


def family_of_model(model: str) -> str:
    """Return the first letters of a model's name: gemini for `models/gemini-2.5-flash`."""
    match = _FAMILY.search(model.rpartition("/")[2].casefold())
    return match.group() if match else model


def _pair(role: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [role, role["fallback"]] if role.get("fallback") else [role]
