# ruff: noqa: E501 - one line a turn
"""Small conversations in three languages: one that is well led, and changes that spoil one thing in it."""

from typing import Any

Turns = list[dict[str, Any]]
_SCRIPTS = {
    "en": (
        "u Good morning, can I book a pedicure?", "a Of course! Which day were you thinking of?",
        "u Wednesday please. How much is it?", "a A pedicure is KES 1,800. Which time on Wednesday would you prefer, 9:00 or 13:30?",
        "u 13:30 is perfect", "a Lovely. What name should I put down?",
        "u Beatrice", "a Thanks Beatrice, you're booked for a pedicure on Wednesday at 13:30. You can pay KES 1,800 by M-Pesa when you come.",
        "u Great, thank you. Bye!", "a See you on Wednesday, Beatrice. Have a lovely day!",
    ),
    "sw": (
        "u Habari za asubuhi, naomba kuweka miadi ya masaji", "a Karibu sana! Ungependa kuja siku gani?",
        "u Jumatano. Bei ni ngapi?", "a Masaji ni KES 2,200. Jumatano kuna nafasi saa tatu asubuhi au saa nane mchana, unapendelea ipi?",
        "u Saa nane mchana ni sawa", "a Vizuri. Naomba jina lako?",
        "u Naitwa Beatrice", "a Asante Beatrice, nimekuwekea Jumatano saa nane mchana. Utalipa KES 2,200 kwa M-Pesa ukifika.",
        "u Asante sana, kwaheri", "a Karibu tena Beatrice, tutaonana Jumatano. Siku njema!",
    ),
    "mixed": (
        "u Hi, nataka kubook pedicure please", "a Sawa, karibu! Ungependa kuja which day?",
        "u Wednesday iko poa. Ni how much?", "a Pedicure ni KES 1,800. On Wednesday tuko na 9:00am ama 1:30pm, which one inakufaa?",
        "u 1:30pm iko sawa for me", "a Poa, niandike jina gani please?",
        "u My name ni Beatrice", "a Asante Beatrice, uko booked Wednesday 1:30pm. Utalipa KES 1,800 na M-Pesa ukifika.",
        "u Thanks sana, bye", "a Karibu, see you Wednesday. Siku njema!",
    ),
}  # fmt: skip
LANGUAGES = tuple(_SCRIPTS)


def good(language: str) -> Turns:
    roles = {"u": "user", "a": "assistant"}
    return [{"role": roles[line[0]], "content": line[2:]} for line in _SCRIPTS[language]]


def replaced(language: str, changes: dict[int, str]) -> Turns:
    """The good conversation with the turns at these positions said differently."""
    turns = good(language)
    for position, text in changes.items():
        turns[position]["content"] = text
    return turns


def added(language: str, position: int, text: str, *more: int) -> Turns:
    """The good conversation with `text` before the agent's words at these positions."""
    turns = good(language)
    for at in (position, *more):
        turns[at]["content"] = f"{text} {turns[at]['content']}"
    return turns
