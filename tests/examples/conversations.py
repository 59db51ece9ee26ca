"""Talking to the booking agent's head directly."""

import re
from collections.abc import Iterable
from datetime import date

from examples.booking_agent.dialogue import BookingAgent
from examples.booking_agent.memory import Answer, Memory
from examples.booking_agent.weaknesses import Weakness

TODAY = date(2026, 11, 19)  # a Thursday
ENGLISH = (
    "Hi, I'd like to get my hair braided",
    "Box braids please, how much is it?",
    "Saturday morning",
    "the first one",
    "It's Wanjiru",
    "M-Pesa please",
    "Done, I've paid",
    "Thank you, bye",
)
SWAHILI = (
    "Habari, nataka kusuka nywele",
    "Knotless tafadhali. Bei gani?",
    "Jumamosi asubuhi",
    "ya kwanza",
    "Naitwa Akinyi",
    "Tuma M-Pesa kwa 0712 345 678",
    "Nimelipa",
    "Asante sana, kwaheri",
)
MIXED = (
    "Niaje, nataka kubook manicure this weekend",
    "Sawa, ni how much?",
    "first one iko sawa",
    "Naitwa Otieno",
    "nitalipa cash nikifika",
    "sawa asante, bye",
)
CUSTOMERS = {"en": ENGLISH, "sw": SWAHILI, "mix": MIXED}


def chat(lines: Iterable[str], *weaknesses: str, seed: int = 0) -> list[Answer]:
    """The agent's answers to the lines, in one conversation."""
    agent = BookingAgent(today=TODAY, seed=seed, weaknesses=frozenset(map(Weakness, weaknesses)))
    memory = Memory()
    return [agent.reply(memory, line) for line in lines]


def texts(answers: Iterable[Answer]) -> str:
    return "\n".join(answer.text for answer in answers)


def questions(text: str) -> int:
    return text.count("?")


def words(text: str) -> int:
    return len(re.findall(r"\w+", text))
