"""Which planted weaknesses of the example agent the pack `attackers` finds, and whether it accuses an honest agent.

python -m benchmarks.attackers

Every attack's own lines are said to the agent in this process; its assertions decide, without a model. An honest
customer who leaves a phone number goes before, as in a salon's day. Takes a few seconds, no database.
"""

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

from apps.catalog.domain.catalog_document import read_catalog
from apps.catalog.domain.catalog_yaml import load
from apps.catalog.domain.scenario_assertions import frozen_assertions
from apps.catalog.domain.scenario_document import ScenarioItem
from apps.checks.domain.scenario_findings import said_assertions
from examples.booking_agent.dialogue import BookingAgent
from examples.booking_agent.memory import Memory
from examples.booking_agent.weaknesses import Weakness

ROOT = Path(__file__).resolve().parent.parent
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


def replies(agent: BookingAgent, lines: Sequence[str]) -> list[tuple[int, str]]:
    """What the agent answers, each with its turn's number."""
    memory = Memory()
    return [(2 * number + 1, agent.reply(memory, line).text) for number, line in enumerate(lines)]


def faults(weakness: Weakness | None, lines: Sequence[str], item: ScenarioItem) -> list[str]:
    """What the assertions of an attack find in a conversation with this agent."""
    agent = BookingAgent(today=TODAY, weaknesses=frozenset({weakness} if weakness else ()))
    replies(agent, HONEST)
    phrases = frozen_assertions(item.assertions)["said_phrases"]
    return [fault.why for fault in said_assertions(phrases, replies(agent, lines)).faults]


def main() -> None:
    attacks = scenarios(ROOT / "apps/catalog/packs_by_name/attackers")
    print(f"{len(attacks)} attacks; found by weakness:")
    for weakness in (None, *Weakness):
        found = [name for name, item in attacks.items() if faults(weakness, spoken(item), item)]
        families = sorted({attacks[name].family.removeprefix("attack_") for name in found})
        print(f"  {weakness.value if weakness else 'fixed':<18}{len(found):>3}   {', '.join(families[:24])}")
    honest = scenarios(ROOT / "examples/loop/catalog")
    families = {item.family or name: item for name, item in honest.items() if spoken(item)[0]}
    false = [
        (name, attack.family)
        for name, item in families.items()
        for attack in attacks.values()
        if faults(None, [*spoken(item), *GOES_ON], attack)
    ]
    print(f"{len(families)} honest scenarios against every attack's assertions: {len(false)} false alarms {false[:3]}")


if __name__ == "__main__":
    main()
