"""Does the offline judge mean something? Each weakness of the example agent against the same battles without it.

    python -m benchmarks.weaknesses [--battles 12] [--seed 0] [--weakness NAME …] [--phrase-set held_out]
                                  [--show DIR]

Starts `examples.booking_agent` as it is shipped, once per weakness and once without, and plays the same customers
(language × temper × seed, all by the offline simulator) against each over A2A. Every conversation is judged by the
offline rules. Printed is the mean difference per weakness (row) and criterion (column), over the battles scored on both
sides. Exit 1 unless every weakness lowers its own criterion by at least 2 points
and moves each other criterion's mean by less than 0.5. No network beyond loopback, no model, no database; about a
minute.
"""

import argparse
import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import httpx

from apps.connectors.agents.base import AgentSession, AgentSpec, AgentTurn
from apps.connectors.agents.registry import agent_for
from apps.connectors.llms.base import LLMRequest, ModelSpec
from apps.offline.provider import Offline
from apps.offline.rules.judge import RULES
from examples.booking_agent.phrase_sets import PhraseSet

OWN = {
    "two_questions": "one_question",
    "long_winded": "brevity",
    "robotic": "natural_tone",
    "robotic_swahili": "natural_tone",
    "never_closes": "closing",
    "loses_thread": "flow",
    "ignores_persona": "persona_fit",
    "invents_slot": "slot_confirmation",
    "remembers_before": "invented_facts",
    "pushy_payment": "payment_safety",
    "ignores_price": "price_clarity",
}
"""Weakness -> the rule whose criterion it is made to lower."""
LANGUAGES = ("en", "sw", "mixed")
ONLY_IN = {"robotic_swahili": ("sw", "mixed")}
"""A weakness that by its name shows in some languages only is judged on those."""
MIN_DROP, MAX_DRIFT = 2.0, 0.5
MAX_TURNS = 40
TEMPERS = (
    "An ordinary customer.",
    "A customer who is short of time and in a hurry.",
    "A suspicious customer, afraid of scams.",
    "An indecisive customer.",
    "A price-sensitive customer, a student on a budget.",
    "A customer who was let down before and is upset about it.",
)
WISHES = (
    "service: braids\nday: Friday\ntime: 10 am\nprice: ask",
    "service: manicure\nday: Saturday\ntime: 2 pm\nprice: ask",
    "service: haircut\nday: Thursday\ntime: 11:30 am\nprice: ask",
    "service: massage\nday: Tuesday\ntime: 3 pm\nprice: ask",
)
WISHES_SW = (
    "huduma: kusuka nywele\nsiku: Ijumaa\nsaa: saa nne asubuhi\nbei: uliza",
    "huduma: manicure\nsiku: Jumamosi\nsaa: saa nane mchana\nbei: uliza",
    "huduma: kukata nywele\nsiku: Alhamisi\nsaa: saa tano na nusu asubuhi\nbei: uliza",
    "huduma: masaji\nsiku: Jumanne\nsaa: saa tisa mchana\nbei: uliza",
)
CRITERIA = [{"name": rule, "offline_rule": rule, "offline_parameters": {}, "description": ""} for rule in RULES]
LLM = Offline(ModelSpec(provider="offline", model="rules"))


@dataclass(frozen=True, slots=True)
class Customer:
    """One customer, the same for every weakness."""

    language: str
    seed: int

    @property
    def facts(self) -> dict[str, Any]:
        wishes = WISHES_SW if self.language == "sw" else WISHES
        return {
            "task": "simulate",
            "persona": TEMPERS[self.seed % len(TEMPERS)],
            "goal": wishes[(self.seed // 2) % len(wishes)],
            "language": self.language,
            "seed": self.seed,
        }


@contextmanager
def agent(weakness: str | None, seed: int, phrase_set: str) -> Iterator[str]:
    """The example agent in a process of its own; yields its address."""
    command = [
        sys.executable,
        "-m",
        "examples.booking_agent",
        "--port",
        "0",
        "--today",
        "2026-03-02",
        "--seed",
        str(seed),
        "--phrase-set",
        phrase_set,
    ]
    command += ["--weakness", weakness] if weakness else []
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline() if process.stdout else ""
        found = re.search(r"http://\S+", line)
        if not found:
            raise SystemExit(f"the example agent did not start: {line!r}")
        yield found[0].rstrip("/.,")
    finally:
        process.terminate()
        process.wait(10)


async def ask(facts: Mapping[str, Any], client: httpx.AsyncClient) -> dict[str, Any]:
    answer = await LLM.complete(LLMRequest(system="", messages=(), facts=facts), client=client)
    return dict(json.loads(answer.text))


async def battle(customer: Customer, address: str, client: httpx.AsyncClient) -> list[dict[str, Any]]:
    """Play one conversation to its end, as the runs do: the last word gets its answer."""
    connector = agent_for(AgentSpec(kind="a2a", address=address))
    session, turns, done = AgentSession(), list[dict[str, Any]](), False
    while not done and len(turns) < MAX_TURNS:
        says = await ask({**customer.facts, "turns": turns}, client)
        done = says["done"]
        turns.append({"role": "user", "content": says["message"]})
        name = f"{customer.language}-{customer.seed}-{len(turns)}"
        turn = AgentTurn(text=says["message"], session=session, message_id=name)
        reply = await connector.send(turn, client=client)
        session = reply.session
        for spoken in reply.tool_turns(at=None):
            calls = [
                {"id": call.id, "name": call.name, "arguments": dict(call.arguments)} for call in spoken.tool_calls
            ]
            turns.append({"role": spoken.role.value, "content": spoken.content, "tool_calls": calls})
        turns.append({"role": "assistant", "content": reply.text})
        done = done or reply.ended
    return turns


async def play(weakness: str | None, battles: int, seed: int, phrase_set: str) -> dict[Customer, list[dict[str, Any]]]:
    customers = [Customer(language, number) for language in LANGUAGES for number in range(seed, seed + battles)]
    with agent(weakness, seed, phrase_set) as address:
        async with httpx.AsyncClient(timeout=30) as client:
            return {customer: await battle(customer, address, client) for customer in customers}


async def judged(turns: list[dict[str, Any]], client: httpx.AsyncClient) -> dict[str, float | None]:
    reply = await ask({"task": "judge", "language": "en", "criteria": CRITERIA, "turns": turns}, client)
    return {name: score["score"] for name, score in reply["scores"].items()}


Scores = dict[Customer, dict[str, float | None]]


async def scores(played: dict[Customer, list[dict[str, Any]]]) -> Scores:
    async with httpx.AsyncClient() as client:
        return {customer: await judged(turns, client) for customer, turns in played.items()}


def difference(plain: Scores, weak: Scores, rule: str, languages: tuple[str, ...]) -> float | None:
    """Mean of weak minus plain, over the battles where both have a score."""
    pairs = [
        (plain[c][rule], weak[c][rule])
        for c in plain
        if c.language in languages and plain[c][rule] is not None and weak[c][rule] is not None
    ]
    return fmean(float(b or 0) - float(a or 0) for a, b in pairs) if pairs else None


def mean(found: Scores, rule: str) -> float | None:
    values = [value for score in found.values() if (value := score[rule]) is not None]
    return fmean(values) if values else None


def report(plain: Scores, weak: dict[str, Scores]) -> bool:
    """Print the table; True when the goal is met."""
    rules, met = list(RULES), True
    print(" " * 17 + " ".join(f"{rule[:9]:>9}" for rule in rules))
    print(f"{'(none: mean)':<17}" + " ".join(_cell(mean(plain, rule), "") for rule in rules))
    for weakness, found in weak.items():
        own, cells = OWN[weakness], []
        languages = ONLY_IN.get(weakness, LANGUAGES)
        for rule in rules:
            value = difference(plain, found, rule, languages)
            good = value is None or abs(value) < MAX_DRIFT
            if rule == own:
                good = value is not None and value <= -MIN_DROP
            met = met and good
            cells.append(_cell(value, ("*" if rule == own else " ") if good else "!"))
        print(f"{weakness:<17}" + " ".join(cells))
    for weakness in weak:
        parts = [(lang, difference(plain, weak[weakness], OWN[weakness], (lang,))) for lang in LANGUAGES]
        print(f"own criterion of {weakness:<16} " + "  ".join(f"{lang} {_cell(v, '').strip()}" for lang, v in parts))
    print("* own criterion; ! misses the goal; goal", "met" if met else "missed")
    return met


def _cell(value: float | None, mark: str) -> str:
    return f"{'–' if value is None else format(value, '+.2f') if mark else format(value, '.2f')}{mark}".rjust(9)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--battles", type=int, default=12, help="battles per language (default 12)")
    parser.add_argument("--seed", type=int, default=0, help="first customer and the agent's seed (default 0)")
    parser.add_argument("--weakness", action="append", choices=sorted(OWN), help="only these (default all)")
    parser.add_argument("--phrase-set", choices=list(PhraseSet), default="baseline", help="the agent's phrases")
    parser.add_argument("--show", type=Path, help="write the conversations into this folder, a file a weakness")
    options = parser.parse_args()
    started = time.monotonic()
    names: list[str | None] = [None, *(options.weakness or OWN)]
    found: dict[str | None, Scores] = {}
    for name in names:
        played = asyncio.run(play(name, options.battles, options.seed, options.phrase_set))
        found[name] = asyncio.run(scores(played))
        if options.show:
            options.show.mkdir(parents=True, exist_ok=True)
            rows = [
                {"id": f"{c.language}-{c.seed}", "language": c.language, "turns": t, "scores": found[name][c]}
                for c, t in played.items()
            ]
            text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
            (options.show / f"{name or 'none'}.jsonl").write_text(text + "\n")
        said = [sum(turn["role"] == "user" for turn in turns) for turns in played.values()]
        print(
            f"{name or 'no weakness'}: {len(played)} battles of {fmean(said):.1f} customer messages, max {max(said)}",
            file=sys.stderr,
        )
    plain = found[None]
    met = report(plain, {name: scores for name, scores in found.items() if name})
    print(f"{options.battles} battles per language, {time.monotonic() - started:.0f} s")
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
