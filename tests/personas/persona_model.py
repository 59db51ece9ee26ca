"""A model on loopback that writes, rates, plays and checks personas as a script says, in OpenAI's true wire format.

It proves plumbing only. Faults are planted by words in what it writes: it rates badly what it finds them in, and plays
badly whoever is told to.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.loopback.http_server import Answer, Request
from tests.loopback.providers import ModelProvider
from tests.secret_answers import as_asked

NONCE = re.compile(r'"nonce": "(\w+)"')
SLOT = re.compile(r"- slot (\d+): writes (.+?); goal: (.+?); temper: (\w+)")
CUSTOMER_TURN = re.compile(r"^\[(\d+)\] user: (.*)$", re.M)
PORTRAIT = re.compile(r'^\{"persona": .*\}$', re.M)
FAULTS = {
    "CARICATURE": ("naturalness", "A cartoon of one trait: nobody shouts every sentence."),
    "CONTRADICTION": ("coherence", "A retired woman of 19 excludes itself."),
    "UNTESTABLE": ("testability", "Nothing of it can be seen in a chat."),
}
WORDS = (
    "market",
    "river",
    "bicycle",
    "teacher",
    "nurse",
    "shop",
    "evening",
    "braids",
    "lunch",
    "church",
    "phone",
    "uncle",
    "salary",
    "bus",
    "rain",
    "garden",
    "tailor",
    "tea",
    "cousin",
    "wedding",
    "clinic",
    "football",
    "office",
    "neighbour",
    "driver",
    "farm",
    "school",
    "radio",
    "kitchen",
    "letter",
    "stairs",
    "window",
    "paint",
    "song",
)
PLAYERS = {  # what a player says who is none, whatever it is asked
    "SAYS AI": "As an AI language model I have no hair to be cut.",
    "ITALIAN": "Vorrei prenotare un appuntamento per venerdì mattina, grazie.",
    "SWAHILI": "Naomba miadi ya kusuka nywele kesho asubuhi tafadhali sana",
    "AGENT": "Hello! How can I assist you today?",
    "ECHO": "Sure. Which day and time would suit you, and is there anything I should know?",
    "REFUSES": "I'm sorry, but I can't assist with that request.",
}
PLAYS_BADLY = "Yes, take any time, I do not mind the price."

Written = dict[str, Any]


def persona(slot: int, *, fault: str = "", name: str = "", seed: int | None = None) -> Written:
    """One good persona, unlike those of other slots; with `fault`, the word that the rating finds."""
    chance = random.Random(slot if seed is None else seed)
    story = " ".join(chance.choice(WORDS) for _ in range(30))
    spec = {
        "demographics": {"age": str(20 + slot), "work": "shop", "place": "Nairobi"},
        "code_mixing": "",
        "temper": "whatever",
        "goal": {"text": f"A haircut at {8 + slot % 9} with {chance.choice(WORDS)}", "success": "A time is confirmed"},
        "knowledge": {"knows": [f"the {chance.choice(WORDS)} near it"], "does_not_know": ["the price"]},
        "behaviours": [
            {"name": "price first", "instruction": f"asks the price before the {chance.choice(WORDS)}",
             "violation": "accepts a time before any price was named"},
        ],
        "patience": 1 + slot % 5,
        "typing": ["short"],
        "hidden_constraints": [],
        "never": [f"sends a {chance.choice(WORDS)}"],
    }  # fmt: skip
    return {"slot": slot, "name": name or f"Persona {slot}", "text": f"{story} {fault}".strip(), "spec": spec}


class PersonaModel(ModelProvider):
    """`write(slot, asked)` makes what is written for a slot, None for nothing; `asked` counts how often it was asked
    before. `prompts` holds every question by the name of its schema."""

    def __init__(self, write: Callable[[int, int], Written | None] | None = None) -> None:
        super().__init__()
        self.write = write or (lambda slot, asked: persona(slot))
        self.asked: Counter[int] = Counter()
        self.prompts: list[tuple[str, str]] = []
        self.on_rating: Callable[[], None] = lambda: None

    def asked_for(self, name: str) -> list[str]:
        return [prompt for schema, prompt in self.prompts if schema == name]

    def _handle(self, request: Request) -> Answer:
        body = json.loads(request.body)
        name = body["response_format"]["json_schema"]["name"]
        system, prompt = (message["content"] for message in body["messages"])
        self.prompts.append((name, prompt))
        nonce = NONCE.findall(prompt)
        answers = {
            "same_people": self._same,
            "personas": self._personas,
            "persona_rating": self._rating,
            "probe_verdict": self._verdict,
        }
        self.key = f"score_{nonce[-1]}" if nonce else "score"
        said = answers[name](prompt) if name in answers else self._customer(system, prompt)
        self.text = json.dumps({"nonce": nonce[-1], **as_asked(prompt, said)} if nonce else said)
        return super()._handle(request)

    def _personas(self, prompt: str) -> dict[str, Any]:
        found = []
        for number in (int(match[0]) for match in SLOT.findall(prompt)):
            one = self.write(number, self.asked[number])
            self.asked[number] += 1
            found += [one] if one else []
        return {"personas": found}

    def _same(self, prompt: str) -> dict[str, Any]:
        """Who is the same person, by who they are and what they want."""
        people: dict[str, list[int]] = {}
        for line in PORTRAIT.findall(prompt):
            told = json.loads(line)
            people.setdefault(json.dumps([told["who"], told["wants"]]), []).append(told["persona"])
        return {"same": [places for places in people.values() if len(places) > 1]}

    def _rating(self, prompt: str) -> dict[str, Any]:
        self.on_rating()
        scores = {
            name: {self.key: 8, "reason": f"Good {name}."} for name in ("naturalness", "coherence", "testability")
        }
        for fault, (criterion, reason) in FAULTS.items():
            if fault in prompt:
                scores[criterion] = {self.key: 1, "reason": reason}
        return {"scores": scores}

    def _customer(self, system: str, prompt: str) -> dict[str, Any]:
        turn = prompt.count('"from": "business"')
        if "PLAYS BADLY" in system and turn:
            return {"message": PLAYS_BADLY, "done": False, "reason": ""}
        played = next((text for mark, text in PLAYERS.items() if f"PLAYER {mark}" in system), "")
        if played and turn:
            return {"message": f"{played} {turn}", "done": False, "reason": ""}
        return {
            "message": f"And what does it cost? ({turn})",
            "done": turn >= 3,
            "reason": "goal_met" if turn >= 3 else "",
        }

    def _verdict(self, prompt: str) -> dict[str, Any]:
        wrong = [(int(turn), text) for turn, text in CUSTOMER_TURN.findall(prompt) if text == PLAYS_BADLY]
        turn, quote = wrong[0] if wrong else (0, "")
        outcome = {"outcome": "violated" if wrong else "kept", "reason": "by its rubric", "turn": turn, "quote": quote}
        return {"behaviours": [{"behaviour": 0, **outcome}]}
