"""How many of the example agent's sentences do the offline rules recognise, voice by voice?

    python -m benchmarks.wordings_heard

Every wording that a rule has to know by its words is put to the rules on its own: farewells, "that time is gone",
answers to a mood, what a question asks for, invented memories, demands for money or a PIN. The first voice was written
beside the rules, the second without knowing them; the difference says how far the word lists carry. No network, no
model, no database; a second.
"""

from collections.abc import Callable

from apps.connectors.llms.offline_rules.invented_facts import _claims
from apps.connectors.llms.offline_rules.payment_safety import _findings
from apps.connectors.llms.offline_rules.transcript import Turn
from examples.booking_agent.wordings.voices import VOICES, Voice, Wordings

Heard = Callable[[Turn], bool]


def tag(name: str) -> Heard:
    return lambda turn: turn.has(name)


ROWS: tuple[tuple[str, str, Heard], ...] = (
    ("farewell", "goodbye goodbye_open see_you", tag("agent.farewell")),
    ("time or day gone", "taken full", tag("agent.unavailable")),
    ("haste met", "feel_hurry", tag("agent.ack_hurry")),
    ("anger met", "feel_upset", tag("agent.ack_mood")),
    ("mistrust met", "feel_trust", tag("agent.ack_trust")),
    ("indecision met", "feel_unsure", tag("agent.ack_choice")),
    ("money worry met", "feel_budget discount", tag("agent.ack_price")),
    ("asks the service", "ask_service", tag("ask.service")),
    ("asks the day", "ask_day", tag("ask.day")),
    ("asks the name", "ask_name", tag("ask.name")),
    ("asks how to pay", "ask_payment", tag("ask.pay")),
    ("fault: memory", "memory", lambda turn: bool(_claims(turn))),
    ("fault: pushy", "pushy", lambda turn: bool(_findings(turn, agreed=False, amount=True))),
)
FACTS = {
    "vocative": ", Amina", "weekday": "Friday", "day": "Friday 6 March", "time": "10:00am", "price": "KES 1,000",
    "slots": "9:00am or 10:00am", "service": "manicure",
}  # fmt: skip


def count(voice: Wordings, purposes: str, heard: Heard) -> tuple[int, int]:
    """(recognised, all) over the three languages."""
    texts = [
        text.format(**FACTS)
        for language, bank in voice.natural.items()
        for purpose in purposes.split()
        for text in bank.get(purpose, voice.faults[language].get(purpose, ()))
    ]
    return sum(heard(Turn(0, "assistant", text)) for text in texts), len(texts)


def main() -> int:
    print(f"{'':<18}" + "".join(f"{voice.value:>10}" for voice in Voice))
    for name, purposes, heard in ROWS:
        found = [count(VOICES[voice], purposes, heard) for voice in Voice]
        print(f"{name:<18}" + "".join(f"{f'{hits}/{total}':>10}" for hits, total in found))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
