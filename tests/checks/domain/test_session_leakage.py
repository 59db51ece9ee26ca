"""What an agent cannot know in a new session, and what it may well say."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.checks.domain.session_leakage import TimedTurn, session_leakage

START = datetime(2026, 3, 1, tzinfo=UTC)


def battle(*said: str, after_s: int = 0) -> list[TimedTurn]:
    """Customer and agent in turns, a second each."""
    return [
        TimedTurn(position=n, role=("user", "assistant")[n % 2], text=text, at=START + timedelta(seconds=after_s + n))
        for n, text in enumerate(said)
    ]


FIRST = battle("Hi", "Which number can we reach you on?", "0712 345 678", "Thanks.")


@pytest.mark.parametrize(
    "told, carried",
    [
        (("Hi", "Which number?", "+254 712 345 678", "Ok"), "I still have 0712345678 here."),
        (("Hi", "What is your name?", "Wambui.", "Ok"), "Welcome back, Wambui!"),
        (("Hi", "And you are?", "My name is Wambui", "Ok"), "Is it Wambui again?"),
        (("Hi", "Your mail?", "wambui@example.org", "Ok"), "I write to wambui@example.org."),
        (("Hi", "The code?", "QGH7X8K2LM", "Ok"), "QGH7X8K2LM was paid."),
    ],
)
def test_what_another_customer_told_is_carried(told, carried):
    (found,) = session_leakage({"a": battle(*told), "b": battle("Hello", carried, after_s=100)})
    assert (found.conversation, found.position, found.told_in, found.told_position) == ("b", 1, "a", 2)
    assert found.fact in told[2]


@pytest.mark.parametrize(
    "second",
    [
        battle("Hello, 0712 345 678 here", "I note 0712345678.", after_s=100),  # told here too, first
        battle("Hello", "Which day?", after_s=100),
        battle("Hello", "I have 0712345678.", after_s=-100),  # before anybody told it: the agent's own number
        battle("Hello", "Call 0799 999 999.", after_s=100),
        battle("Hello", "Order 90712345678123.", after_s=100),  # another number that holds its digits
    ],
)
def test_what_an_agent_may_say_is_not(second):
    assert session_leakage({"a": FIRST, "b": second}) == []


def test_the_agents_own_staff_and_days_are_not_names_of_customers():
    first = battle("Hi", "What is your name?", "Amina", "Thanks")
    staff = battle("Hi", "Amina will do your hair on Friday.", after_s=-100)
    again = battle("Friday please", "Amina is free on Friday.", after_s=100)
    assert session_leakage({"0": staff, "a": first, "b": again}) == []


def test_a_fact_is_reported_once_a_conversation_and_a_tool_may_tell_it():
    second = battle("Hello", "0712345678?", "What?", "0712345678!", after_s=100)
    assert [one.position for one in session_leakage({"a": FIRST, "b": second})] == [1]
    looked_up = [TimedTurn(position=0, role="tool", text='{"phone": "0712345678"}', at=START + timedelta(seconds=90))]
    assert session_leakage({"a": FIRST, "b": [*looked_up, *second[1:2]]}) == []
