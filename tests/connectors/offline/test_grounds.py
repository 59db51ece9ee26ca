"""Where the rules have nothing to go by, they give no full mark: a parrot leads nowhere, another trade has no score."""

from typing import Any

import pytest

from apps.offline.rules.judge import RULES, judge

CRITERIA = [{"name": rule, "offline_rule": rule, "offline_parameters": {}} for rule in RULES]
CUSTOMER = (
    "Hi, do you have a slot on Friday?",
    "At ten in the morning would be best. How much is it?",
    "My name is Asha, can I pay by M-Pesa?",
    "Thanks a lot, bye bye!",
)


def scores(agent: list[str], customer: tuple[str, ...] = CUSTOMER) -> dict[str, Any]:
    turns = [
        {"role": role, "content": text}
        for pair in zip(customer, agent, strict=True)
        for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    found = judge({"turns": turns, "criteria": CRITERIA, "language": "en"})["scores"]
    return {name: one["score"] for name, one in found.items()}


@pytest.mark.parametrize(
    "agent",
    [
        [*CUSTOMER],
        [f"You said: {text}" for text in CUSTOMER],
        [text.upper() for text in CUSTOMER],
        ["Polly wants a cracker."] * 4,
        ["ok"] * 4,
        [*CUSTOMER[:2], "One moment.", "Goodbye to you, Asha!"],
    ],
)
def test_an_agent_that_says_nothing_of_its_own_leads_nowhere_and_has_no_other_score(agent: list[str]) -> None:
    found = scores(agent)
    assert found.pop("flow") == 0
    assert set(found.values()) == {None}


def test_an_agent_that_takes_up_the_customers_words_in_an_answer_is_judged() -> None:
    agent = [
        "Yes, on Friday we have ten o'clock or noon. Which one suits you?",
        "Ten in the morning it is. It is KES 800. What is your name?",
        "Thank you, Asha. You can pay by M-Pesa to till 555123.",
        "Thanks, bye!",
    ]
    found = scores(agent)
    assert {"brevity", "flow", "invented_facts", "closing"} <= {name for name, one in found.items() if one is not None}


def test_in_a_trade_they_do_not_know_no_fault_in_bookings_is_no_merit() -> None:
    customer = ("My router blinks red.", "I did that twice.", "Now it is green.", "Bye bye!")
    agent = ["Please hold its button down.", "Is the light still red?", "Then the line is up again.", "Goodbye!"]
    found = scores(agent, customer)
    assert (found["flow"], found["invented_facts"]) == (None, None)
    assert found["brevity"] == 10
