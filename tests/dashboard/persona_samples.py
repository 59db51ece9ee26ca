"""Personas with everything in them, and a few of each state."""

from datetime import UTC, datetime
from typing import Any

from tests.catalog.samples import SCORES, add_persona

SPEC: dict[str, Any] = {
    "demographics": {"age": "34", "work": "accountant in Upper Hill"},
    "code_mixing": "English, with Swahili greetings",
    "temper": "hurried",
    "goal": {"text": "A haircut before Friday noon.", "success": "Day and hour are confirmed."},
    "knowledge": {"knows": ["her usual stylist is Achieng"], "does_not_know": ["the price of today"]},
    "behaviours": [
        {
            "name": "answers only what is asked",
            "instruction": "Answers in one short message without greetings.",
            "violation": "She greets, or adds what nobody asked for.",
        },
        {
            "name": "leaves when it takes long",
            "instruction": "Says she will call another salon after the third needless question.",
            "violation": "She goes on patiently after a third needless question.",
        },
    ],
    "patience": 2,
    "typing": ["short", "typos"],
    "hidden_constraints": ["pays by M-Pesa only"],
    "never": ["gives a PIN"],
}
VALIDATION = {
    "weighted": 8.25,
    "threshold": 7.0,
    "weights": {"naturalness": 2.0, "coherence": 1.0, "testability": 1.0},
    "reasons": {"naturalness": "Reads like a person who has no time.", "coherence": "Work, haste and goal fit."},
    "model": "gemini-2.5-pro",
    "probes": [{"probe": "difficult", "verdict": "kept", "behaviours": []}],
}
AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def a_cast():
    """One persona of each state; the ids by name."""
    from apps.catalog.models import Persona  # noqa: PLC0415 - apps are loaded by pytest-django

    portrait = "Wanjiru, 34, accountant in Upper Hill. She writes between two meetings, in short messages."
    rows = [
        add_persona("Wanjiru Short-of-Time", text=portrait, language="en", spec=SPEC),
        add_persona("Otieno", text="Haggles over every shilling.", needs_release=True, origin="generated"),
        add_persona("Kevo", text="Niaje! Anaandika Sheng na vifupisho.", status="rejected", language="mixed"),
        add_persona("Achieng", text="Cannot decide.", status="approved_override"),
        add_persona("Mwangi", text="Was cheated once.", status="pending_validation"),
        add_persona("Fatuma", text="Muuguzi kutoka Eastleigh.", status="archived", language="sw"),
    ]
    Persona.objects.filter(pk=rows[0].pk).update(validation=VALIDATION, scores={**SCORES, "naturalness": 9.0})
    return {row.name: row.pk for row in rows}
