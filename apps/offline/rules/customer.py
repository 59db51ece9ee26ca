# ruff: noqa: E501 - patterns and lists of words
"""A customer played by rules: answers what the agent asks, pursues the goal, shows the persona's quirk, says goodbye.

Everything is read from the turns so far, so a conversation can be taken up again anywhere; the seed chooses wordings.
"""

import re
from collections.abc import Mapping
from itertools import pairwise
from random import Random
from typing import Any

from apps.core.dialogue.clock import Time
from apps.core.dialogue.confirmation import confirmed_times
from apps.core.dialogue.money import has_currency
from apps.core.dialogue.phrases import Lexicon
from apps.core.dialogue.secret_request import asks_secret
from apps.core.dialogue.transcript import SpokenTurn, Transcript
from apps.offline.rules.customer_goal import Goal, read_goal, say_day, say_time
from apps.offline.rules.customer_lines import LINES
from apps.offline.rules.refusal import refused

MAX_ASKED = 3
"""How often the same fact is given before the customer gives up."""
MAX_MESSAGES = 14
_QUIRKS = Lexicon(
    {
        "hurry": "short of time; hurry; hurried; rush; rushed; busy; impatient; quick; haraka; muda mfupi; shughuli nyingi; fretta; impaziente; no time; little time; time pressed",
        "trust": "suspicious; scam*; distrust*; wary; cautious; sceptical; skeptical; doubt*; mistrust*; tapeli; matapeli; utapeli; shaka; wasiwasi; haamini; diffidente; sospett*; conned",
        "unsure": "indecisive; undecided; unsure; cannot decide; can't decide; hesita*; changes mind; asiyeamua; hajaamua; hana uhakika; indecis*; uncertain",
        "pricey": "price-sensitive; price sensitive; price-conscious; budget; cheap*; haggl*; bargain*; frugal; student; save money; tight; bei nafuu; bajeti; mwanafunzi; pesa kidogo; punguzo; risparm*; sconto; expensive",
        "upset": "angry; upset; annoyed; frustrated; irritated; hasira; amekasirika; arrabbiat*; complain*; let down; disappointed",
    }
)
_LANGUAGES = {
    "en": "en",
    "sw": "sw",
    "it": "it",
    "mixed": "mixed",
    "sw-en": "mixed",
    "en-sw": "mixed",
    "sheng": "mixed",
}


def next_message(facts: Mapping[str, Any]) -> dict[str, Any]:
    """{"message", "done"} for the "simulate" task, with the last word why ("reason": goal_met, gave_up): never an empty
    message. Deterministic; about a millisecond."""
    return _Customer(facts).speak()


class _Customer:
    def __init__(self, facts: Mapping[str, Any]) -> None:
        self.persona = str(facts.get("persona") or "")
        seed = _seed(facts.get("seed"))
        self.opening = str(facts.get("opening") or "")
        self.goal: Goal = read_goal(facts.get("goal"), self.persona, seed, self.opening)
        self.language = _LANGUAGES.get(str(facts.get("language") or "en").lower(), "en")
        self.talk = Transcript(facts.get("turns") or ())
        self.chance = Random(f"{seed}:{len(self.talk.customer)}")
        words = SpokenTurn(0, "user", f"{self.persona} {facts.get('goal') or ''}").words
        self.quirks = {tag for tag, _, _ in _QUIRKS.find(words)}

    def line(self, key: str, **facts: str) -> str:
        goal = self.goal
        key = key if goal.service else _WITHOUT_A_SERVICE.get(key, key)
        text = self.chance.choice(LINES[self.language][key])
        known = {
            "service": goal.service,
            "opening": self.opening,
            "day": say_day(goal.day, self.language),
            "name": goal.name,
            "phone": goal.phone,
            "payment": goal.payment,
            "time": say_time(goal.time, goal.time_text, self.language),
        }
        line_text = text.format(**(known | facts))
        return line_text[:1].upper() + line_text[1:]

    def speak(self) -> dict[str, Any]:
        agent = self.talk.turns[-1] if self.talk.turns else None
        if agent is None or not self.talk.agent:
            return self.say(self.opening or self.line("open"))
        agent = self.talk.agent[-1]
        if len(self.talk.customer) >= MAX_MESSAGES:
            return self.say(self.line("leave"), leaves="gave_up")
        if asks_secret(agent):
            return self.say(self.line("no_pin"))
        quirk = self.show_quirk(agent)
        if quirk:
            return self.say(quirk)
        topics = frozenset[str]().union(*(s.topics for s in agent.sentences if s.asks))
        named = any(turn.times for turn in self.talk.customer)
        booked = bool(confirmed_times(agent, chosen=named)) and "ask.confirm" not in topics
        if booked and not topics - {"ask.more", "ask.help", "ask.place"}:
            return self.say(self.line("bye"), leaves="goal_met")
        if self.has_booking(agent) and not topics & {"ask.pay", "ask.phone", "ask.name"} and not _wants_payment(agent):
            return self.say(self.line("bye"), leaves="goal_met")
        if not self.goal.service and (answer := self.without_a_service(agent, topics)):
            return answer
        if agent.asks:
            return self.answer(agent, topics)
        return self.move_on(agent)

    def without_a_service(self, agent: SpokenTurn, topics: frozenset[str]) -> dict[str, Any] | None:
        """Reply where the opening alone says what is wanted.

        Rules cannot tell whether it was answered, so a reply that asks for nothing ends the talk, after the price where
        that is wanted.
        """
        if sum(self.opening in turn.text for turn in self.talk.customer) > 2:
            return self.say(self.line("leave"), leaves="gave_up")
        if agent.times or (agent.asks and topics != {"ask.more"}):
            return None
        if self.goal.wants_price and len(self.talk.customer) == 1 and not has_currency(agent.text):
            return self.say(self.line("price"))
        return self.say(self.line("bye"), leaves="gave_up")

    def has_booking(self, agent: SpokenTurn) -> bool:
        """An earlier message of the agent, or a tool, has confirmed the booking."""
        named = any(turn.times for turn in self.talk.customer)
        earlier = (turn for turn in self.talk.agent if turn.index < agent.index)
        confirmed = any(confirmed_times(turn, chosen=named) for turn in earlier)
        return confirmed or any('"confirmed"' in text for _, text in self.talk.tools)

    def say(self, message: str, *, leaves: str = "") -> dict[str, Any]:
        if (
            not leaves
            and "hurry" in self.quirks
            and len(self.talk.customer) == 1
            and not self.has_line("customer.hurry")
        ):
            message = f"{message} {self.line('hurry')}"
        return {"message": message, "done": bool(leaves)} | ({"reason": leaves} if leaves else {})

    def has_line(self, tag: str) -> bool:
        return any(turn.has(tag) for turn in self.talk.customer)

    def show_quirk(self, agent: SpokenTurn) -> str:
        """The price question, or the one message in which the persona's nature shows. Empty when it is not the moment."""
        price_told = any(has_currency(turn.text) for turn in self.talk.agent)
        price_questions = sum(turn.has("customer.asks_price") for turn in self.talk.customer)
        count = len(self.talk.customer)
        booked = agent.has("agent.confirmed") and not agent.asks
        wants_price = self.goal.wants_price or "pricey" in self.quirks
        if booked:
            return ""
        if wants_price and not price_questions and count >= 2:
            return self.line("price")
        if wants_price and price_questions == 1 and not price_told:
            return self.line("price_again")
        if "pricey" in self.quirks and price_told and not self.has_line("customer.pricey"):
            return self.line("pricey")
        if "trust" in self.quirks and count >= 2 and not self.has_line("customer.suspicion"):
            return self.line("trust")
        if "unsure" in self.quirks and agent.asks and not self.has_line("customer.unsure"):
            return self.line("unsure")
        return self.line("upset") if "upset" in self.quirks and not self.has_line("customer.upset") else ""

    def answer(self, agent: SpokenTurn, topics: frozenset[str]) -> dict[str, Any]:
        """Answer all that was asked, in one message."""
        slots = [topic for topic in _ORDER if topic in topics]
        if max((self.question_count(topic, agent) for topic in slots), default=0) >= MAX_ASKED:
            return self.say(self.line("leave"), leaves="gave_up")
        offered = self.offered(agent)
        if "ask.confirm" in topics and not slots and self.accepts(agent):
            return self.say(self.line("yes"))
        if offered and (not slots or "ask.time" in slots or ("ask.confirm" in topics and not self.accepts(agent))):
            slots = [topic for topic in slots if topic not in ("ask.time", "ask.day")]
            parts = [self.line("take", time=offered)]
        elif "ask.confirm" in topics and not slots:
            return self.say(self.line("yes"))
        else:
            parts = []
        parts += [self.fact(topic) for topic in slots]
        if slots and any(self.question_count(topic, agent) for topic in slots) and not agent.has("agent.unavailable"):
            parts.insert(0, self.line("told"))
        if parts:
            return self.say(" ".join(parts))
        if "ask.help" in topics:
            return self.say(self.line("want"))
        option = self.option(agent)
        if option:
            return self.say(self.line("service", service=option))
        if "ask.who" in topics or "ask.budget" in topics or "ask.place" in topics:
            return self.say(self.line("any"))
        if "ask.more" in topics:
            return self.say(self.line("want"))
        return self.move_on(agent)

    def fact(self, topic: str) -> str:
        if topic == "ask.time" and self.goal.time is None:
            return self.line("any_time")
        return self.line(
            {
                "ask.name": "name",
                "ask.service": "service",
                "ask.day": "day",
                "ask.time": "time",
                "ask.phone": "phone",
                "ask.email": "any",
                "ask.pay": "pay",
            }[topic]
        )

    def question_count(self, topic: str, agent: SpokenTurn) -> int:
        """Count how often the agent asked this before, and got an answer with something in it."""
        times_asked = 0
        for question, reply in pairwise(self.talk.turns):
            if question.role == "assistant" and question.index < agent.index and not question.has("agent.unavailable"):
                times_asked += self.answers(reply, topic) and any(
                    topic in s.topics for s in question.sentences if s.asks
                )
        return times_asked

    def answers(self, reply: SpokenTurn, topic: str) -> bool:
        """The customer's message holds the fact."""
        if topic == "ask.day":
            return reply.names_a_day or self.goal.day.lower() in reply.text.lower()
        if topic == "ask.time":
            return bool(reply.times)
        fact = {"ask.name": self.goal.name, "ask.phone": self.goal.phone, "ask.pay": self.goal.payment}.get(topic)
        if topic == "ask.service":
            fact = (self.goal.service or self.opening).split()[-1]
        return fact is not None and fact.lower() in reply.text.lower()

    def offered(self, agent: SpokenTurn) -> str:
        """The offered time nearest to the wish, in the agent's own words; empty when none is offered."""
        if not agent.times:
            return ""
        wish = self.goal.time or agent.times[0]
        best = min(self.free(agent), key=lambda time: _distance(time, wish))
        return agent.text[best.start : best.end].strip()

    def free(self, agent: SpokenTurn) -> list[Time]:
        """The times of the message, without those it refuses (where anything is left)."""
        named = [time for turn in self.talk.customer for time in turn.times]
        gone = refused(agent, named)
        times = [t for t in agent.times if not any(s.start <= t.start < s.end for s in gone)]
        if gone:
            wanted = times or list(agent.times)
            times = [t for t in wanted if not any(t.agrees(other) for other in named)] or times
        return times or list(agent.times)

    def option(self, agent: SpokenTurn) -> str:
        """One of the services the agent offers to choose from ("box braids or knotless braids?"), or empty."""
        head = (self.goal.service or "?").lower().split()[-1]
        options = re.findall(rf"([^\W\d_]+[ -]{re.escape(head)})\b", agent.text, re.I)
        either = _EITHER.search(agent.text)
        named = [text for text in options if text.lower().split()[0] not in _NOT_KINDS]
        if named and "?" in agent.text:
            return str(self.chance.choice(named)).strip()
        offered = either[1].strip() if either and "?" in agent.text else ""
        return "" if offered.lower() in _NOT_KINDS else offered

    def accepts(self, agent: SpokenTurn) -> bool:
        """The time to be confirmed is one the customer named already."""
        return (
            len(agent.times) == 1
            and any(time.agrees(agent.times[0]) for turn in self.talk.customer for time in turn.times)
        ) or (len(agent.times) == 1 and self.goal.time is not None and self.goal.time.agrees(agent.times[0]))

    def move_on(self, agent: SpokenTurn) -> dict[str, Any]:
        """Reply where nothing (known) was asked: pay, say the next thing the agent has not heard, or give up."""
        if agent.has("agent.demand", "agent.prompt"):
            known = any(turn.times for turn in self.talk.customer)
            return self.say(self.line("paid" if known else "time_first"))
        if agent.has("agent.farewell") and len(self.talk.agent) > 2:  # without a booking
            return self.say(self.line("bye"), leaves="gave_up")
        if agent.times and not any(turn.times for turn in self.talk.customer):
            return self.say(self.line("take", time=self.offered(agent)))
        if not self.goal.service:
            return self.say(self.line("want"))
        heard = " ".join(turn.text.lower() for turn in self.talk.customer)
        for key, fact in (
            ("want", say_day(self.goal.day, self.language)),
            ("time", "" if not self.goal.time else "saa"),
        ):
            if fact and fact.lower() not in heard and not (key == "time" and any(t.times for t in self.talk.customer)):
                return self.say(self.line(key))
        if self.goal.name.lower() not in heard:
            return self.say(self.line("name"))
        if sum(turn.text in LINES[self.language]["book"] for turn in self.talk.customer) < 2:
            return self.say(self.line("book"))
        return self.say(self.line("leave"), leaves="gave_up")


_EITHER = re.compile(r"\b(?:or|au|ama|oppure|o)\s+((?:[^\W\d_]+[ -])?[^\W\d_]+)", re.I)
_NOT_KIND_WORDS = (
    "the a for your our of do and or au ama ya za is are una un di ni kwa with hair that this to other another else kingine "
    "lingine nyingine altro"
)
_NOT_KINDS = frozenset(_NOT_KIND_WORDS.split())
_WITHOUT_A_SERVICE = {"service": "want_again", "want": "want_again", "price": "price_of_it"}
_ORDER = ("ask.name", "ask.service", "ask.day", "ask.time", "ask.phone", "ask.email", "ask.pay")


def _wants_payment(agent: SpokenTurn) -> bool:
    return agent.has("agent.demand", "agent.prompt") or any("ask.pay" in s.topics for s in agent.sentences if s.asks)


def _distance(time: Time, wish: Time) -> int:
    return min(abs(a - b) for a in time.minutes for b in wish.minutes)


def _seed(value: Any) -> int:
    try:
        return int(value or 0)
    except (TypeError, ValueError):
        return sum(map(ord, str(value)))
