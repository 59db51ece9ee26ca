"""The offline rules on wordings nobody wrote for them: real human dialogues, spoiled with other real sentences.

    python -m benchmarks.real_faults [--data ../shared/data] [--limit 435]

Takes STAR and SGD conversations (human agents, English) and spoils each in one way, mechanically, with sentences from
other conversations of the same corpora (Italian ones from Xpersona for the wrong language). Prints the mean difference
per fault and rule over the conversations scored both times. Exit 1 unless each fault lowers its own rule by 2 points or
more. Four faults have no real sentences to be made from (stiffness, invented memories, payment, price) and are left to
`benchmarks.weaknesses`. No network, no model; about ten seconds.
"""

import argparse
import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from apps.connectors.llms.offline_rules.confirmation import confirmed_times
from apps.connectors.llms.offline_rules.judge import RULES, apply_rule
from apps.connectors.llms.offline_rules.questions import SLOTS
from apps.connectors.llms.offline_rules.transcript import Transcript, Turn

Turns = list[dict[str, Any]]
_CLOCK = re.compile(r"\b(\d{1,2})(:\d{2})?(?=\s?[ap]m\b)")


class Material:
    """Real agent sentences to spoil conversations with."""

    def __init__(self, conversations: list[Turns], italian: list[str], chance: Random) -> None:
        self.chance = chance
        self.italian = italian
        self.questions: list[str] = []
        self.stories: list[str] = []
        for turns in conversations:
            for raw in turns:
                turn = Turn(0, "assistant", raw.get("content") or "") if raw["role"] == "assistant" else None
                if turn is None or not turn.words:
                    continue
                if turn.asks == 1 and len(turn.words) < 14 and any(s.topics & SLOTS for s in turn.sentences):
                    self.questions.append(turn.text)
                elif turn.asks == 0 and 14 < len(turn.words) < 40 and not turn.times:
                    self.stories.append(turn.text)


def said(turns: Turns, test: Callable[[Turn], bool]) -> Iterator[tuple[int, Turn]]:
    """(position, message) of the agent's messages that pass `test`."""
    for at, raw in enumerate(turns):
        if raw["role"] == "assistant" and (raw.get("content") or "").strip():
            turn = Turn(at, "assistant", raw["content"])
            if test(turn):
                yield at, turn


def two_things(turns: Turns, material: Material) -> None:
    """Every second asking message gets another conversation's question behind it."""
    for number, (at, turn) in enumerate(said(turns, lambda t: t.asks == 1)):
        if number % 2 == 0:
            turns[at]["content"] = f"{turn.text} {material.chance.choice(material.questions)}"


def wordy(turns: Turns, material: Material) -> None:
    """Every second message gets three long statements of other conversations behind it."""
    for number, (at, turn) in enumerate(said(turns, lambda _: True)):
        if number % 2 == 0:
            turns[at]["content"] = " ".join([turn.text, *material.chance.sample(material.stories, 3)])


def asked_again(turns: Turns, material: Material) -> None:
    """Questions that were answered are asked once more instead of what was said later, twice."""
    asked = [at for at, _ in said(turns, lambda t: t.asks == 1 and bool(t.sentences[-1].topics & SLOTS))]
    later = [at for at, _ in said(turns, lambda t: t.asks == 0 and not t.has("agent.farewell"))]
    for number, at in enumerate(asked[:3]):
        free = [other for other in later if other > at + 3 + number]
        if free:
            turns[free[0]]["content"] = turns[at]["content"]
            later.remove(free[0])


def no_end(turns: Turns, material: Material) -> None:
    """What the agent says after the customer's farewell becomes another conversation's question."""
    leave = Transcript(turns).farewell_at
    for at, _ in said(turns, lambda t: leave is not None and t.index > leave):
        turns[at]["content"] = material.chance.choice(material.questions)


def other_time(turns: Turns, material: Material) -> None:
    """Confirmed times are moved by three hours and three quarters."""
    named = any(turn.times for turn in Transcript(turns).customer)
    for at, turn in said(turns, lambda t: bool(confirmed_times(t, chosen=named))):
        turns[at]["content"] = _CLOCK.sub(lambda m: f"{(int(m[1]) + 2) % 12 + 1}:45", turn.text)


def wrong_language(turns: Turns, material: Material) -> None:
    """Every second message is an Italian one."""
    for number, (at, _) in enumerate(said(turns, lambda t: len(t.words) > 3)):
        if number % 2 == 0:
            turns[at]["content"] = material.chance.choice(material.italian)


FAULTS: dict[str, tuple[Callable[[Turns, Material], None], str]] = {
    "two things": (two_things, "one_question"),
    "wordy": (wordy, "brevity"),
    "asked again": (asked_again, "flow"),
    "no end": (no_end, "closing"),
    "other time": (other_time, "slot_confirmation"),
    "wrong language": (wrong_language, "persona_fit"),
}


def scores(turns: Turns) -> dict[str, float | None]:
    transcript = Transcript(turns)
    return {rule: apply_rule(rule, transcript, {}, "en").score for rule in RULES}


def load(path: Path, limit: int) -> list[Turns]:
    with path.open() as lines:
        return [json.loads(line)["turns"] for _, line in zip(range(limit), lines, strict=False)]


def differences(
    conversations: list[Turns], spoil: Callable[[Turns, Material], None], material: Material
) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {rule: [] for rule in RULES}
    for turns in conversations:
        spoiled = copy.deepcopy(turns)
        spoil(spoiled, material)
        if spoiled == turns:
            continue
        before, after = scores(turns), scores(spoiled)
        for rule in RULES:
            a, b = before[rule], after[rule]
            if a is not None and b is not None:
                found[rule].append(b - a)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[1].parent / "shared" / "data")
    parser.add_argument("--limit", type=int, default=435)
    options = parser.parse_args()
    services = options.data / "service_dialogues"
    if not services.is_dir():
        print(f"skipped: no conversations at {services}")
        return 0
    conversations = [*load(services / "sgd_services.jsonl", 160), *load(services / "star.jsonl", 275)][: options.limit]
    italian = [t["content"] for turns in load(options.data / "multilingual" / "xpersona_it.jsonl", 50) for t in turns]
    material = Material(conversations, [text for text in italian if len(text.split()) > 5], Random(4))
    print(" " * 15 + "    n " + " ".join(f"{rule[:9]:>9}" for rule in RULES))
    met = True
    for name, (spoil, own) in FAULTS.items():
        found = differences(conversations, spoil, material)
        cells = [f"{fmean(v):+.2f}{'*' if rule == own else ' '}" if v else "–" for rule, v in found.items()]
        met = met and bool(found[own]) and fmean(found[own]) <= -2
        print(f"{name:<15}{len(found[own]):>5} " + " ".join(f"{cell:>9}" for cell in cells))
    print("* own rule; goal (own rule falls by 2)", "met" if met else "missed")
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
