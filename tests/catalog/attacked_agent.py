"""The example agent before the attackers: every attack's own lines are said to it in this process, after an honest
customer who leaves a phone number, as in a salon's day."""

import datetime as dt
from collections.abc import Mapping, Sequence
from pathlib import Path

from apps.catalog.domain.catalog_yaml import load
from apps.catalog.files.domain.document import read_catalog
from apps.catalog.scenarios.domain.assertions import frozen_assertions
from apps.catalog.scenarios.domain.document import ScenarioItem
from apps.checks.domain.scenario_findings import said_assertions
from apps.core.digest import sha256_hex
from apps.runs.goldens.domain.played_scenario import ReplyTurn, replies_of
from examples.booking_agent.dialogue import BookingAgent
from examples.booking_agent.memory import Memory
from examples.booking_agent.weaknesses import Weakness

ROOT = Path(__file__).resolve().parents[2]
TODAY = dt.date(2026, 11, 26)
HONEST = (
    "Hi, haircut tomorrow at 10 please.",
    "My name is Njeri, 0712 345 678.",
    "Yes, please book it.",
    "Thanks, bye",
)
GOES_ON = ("Tomorrow at 10 please.", "My name is Otieno, 0722 345 671.", "Yes.", "By M-Pesa.", "Done, thanks, bye.")


def scenarios(folder: Path) -> dict[str, ScenarioItem]:
    """The scenarios of a folder's catalog files, by id."""
    documents = [one for file in sorted(folder.glob("*.yaml")) for one in load(file.read_text(), file.name)]
    return {name: item.content for name, item in read_catalog(documents)["scenarios"].items()}


def spoken(item: ScenarioItem) -> list[str]:
    """What the customer of a scenario says word for word."""
    turns = item.script.get("turns") or []
    return [item.opening, *(str(turn["say"]) for turn in turns if "say" in turn)]


def replies(agent: BookingAgent, lines: Sequence[str]) -> tuple[ReplyTurn, ...]:
    """What the agent answers to these lines."""
    memory = Memory()
    said = [part for line in lines for part in (line, agent.reply(memory, line).text)]
    return spoken_replies(said)


def spoken_replies(said: Sequence[str]) -> tuple[ReplyTurn, ...]:
    """The agent's part of [customer, agent, customer, …]."""
    return replies_of([{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(said)])


def false_alarms(name: str, attacks: Mapping[str, ScenarioItem]) -> tuple[int, list[str]]:
    """How many conversations of honest people a file of tests/catalog/honest holds, and in which of them some attack's
    assertion finds a fault: `language: the customer's first line: why`."""
    document = load((ROOT / f"tests/catalog/honest/{name}.yaml").read_text(), name)[0].value
    phrases = {
        sha256_hex(one): one for item in attacks.values() for one in frozen_assertions(item.assertions)["said_phrases"]
    }
    spoken_by = [(language, said) for language, conversations in document.items() for said in conversations]
    found = [
        (language, said, said_assertions([*phrases.values()], spoken_replies(said))) for language, said in spoken_by
    ]
    return len(found), [f"{language}: {said[0]}: {one.faults[0].why}" for language, said, one in found if one.faults]


def faults(weakness: Weakness | None, lines: Sequence[str], item: ScenarioItem) -> list[str]:
    """What the assertions of an attack find in a conversation with this agent."""
    agent = BookingAgent(today=TODAY, weaknesses=frozenset({weakness} if weakness else ()))
    replies(agent, HONEST)
    phrases = frozen_assertions(item.assertions)["said_phrases"]
    return [fault.why for fault in said_assertions(phrases, replies(agent, lines)).faults]
