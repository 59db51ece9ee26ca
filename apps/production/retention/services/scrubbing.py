"""Candidates whose masking nobody cleared in time: what the second check found in them goes with the conversation."""

from typing import Any

from apps.catalog.models import Scenario
from apps.production.conversations.domain.promotion_states import SignalKind
from apps.production.conversations.models import Promotion
from apps.production.privacy.domain.residue_removal import without_quotes, without_residues
from apps.production.privacy.domain.second_check import Residue, ResidueKind

_COMMENTED = frozenset({SignalKind.THUMBS_DOWN, SignalKind.THUMBS_UP, SignalKind.COMMENT})


def scrub_promotion(row: Promotion) -> None:
    """Keep the masked words alone.

    Quotes of what masking may have left are forgotten. Where no person cleared them, they are masked in transcript,
    goal, opening and persona too. Of arguments of tools the digests stay alone. What was cleared, or was clean, stays
    as it is; comments of customers go with the conversation. Three statements. Safe to repeat.
    """
    signals = [signal | {"text": ""} if signal["kind"] in _COMMENTED else signal for signal in row.signals]
    if signals != row.signals:
        Promotion.objects.filter(pk=row.pk).update(signals=signals)
    quoted = [residue for residue in row.residues if "quote" in residue]
    if not quoted:
        return
    changes: dict[str, Any] = {
        "residues": [{name: residue[name] for name in ("kind", "turn")} for residue in row.residues]
    }
    if row.blocked:
        residues = [
            Residue(kind=ResidueKind(residue["kind"]), turn=residue["turn"], quote=residue["quote"])
            for residue in quoted
        ]
        roles = [turn["role"] for turn in row.transcript]
        texts = without_residues([turn["content"] for turn in row.transcript], residues, speakers=roles)
        changes["transcript"] = [
            {"role": turn["role"], "content": text, **_digests_alone(turn)}
            for turn, text in zip(row.transcript, texts, strict=True)
        ]
        changes["persona"], changes["draft_note"] = without_quotes(row.persona, residues), ""
        scenario = row.scenario
        goal, opening = without_quotes(scenario.goal, residues), without_quotes(scenario.opening, residues)
        if (goal, opening) != (scenario.goal, scenario.opening):
            Scenario.objects.filter(pk=scenario.pk).update(goal=goal, opening=opening)
    Promotion.objects.filter(pk=row.pk).update(**changes)


def _digests_alone(turn: dict[str, Any]) -> dict[str, Any]:
    calls = turn.get("tool_calls") or []
    stripped_calls = [
        call | {"arguments": {n: v for n, v in call["arguments"].items() if n != "masked"}} for call in calls
    ]
    return {"tool_calls": stripped_calls} if stripped_calls else {}
