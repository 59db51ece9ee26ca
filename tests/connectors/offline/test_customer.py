"""The rule-driven customer: answers, pursues the goal, keeps its secrets, and comes to an end."""

from typing import Any

import pytest

from apps.core.dialogue.transcript import SpokenTurn
from apps.offline.rules.customer import next_message
from apps.offline.rules.customer_goal import read_goal

GOAL = "service: box braids\nday: Friday\ntime: 10 am\nname: Wambui\nphone: 0712 000 111\nprice: ask\npayment: M-Pesa"


def facts(*said: str, **more: Any) -> dict[str, Any]:
    """The facts after these turns; the customer begins, then they take turns."""
    turns = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(said)]
    return {
        "task": "simulate",
        "persona": "An ordinary customer.",
        "goal": GOAL,
        "language": "en",
        "turns": turns,
        "seed": 3,
    } | more


def says(*said: str, **more: Any) -> str:
    return str(next_message(facts(*said, **more))["message"])


def test_the_scenarios_opening_comes_first() -> None:
    assert next_message(facts(opening="Hi there!")) == {"message": "Hi there!", "done": False}


def test_without_an_opening_the_customer_asks_for_the_service() -> None:
    assert "box braids" in says()


@pytest.mark.parametrize(
    "question, answer",
    [
        ("Which day would you like?", "Friday"),
        ("What time suits you?", "10 am"),
        ("What's your name, please?", "Wambui"),
        ("Which phone number can we reach you on?", "0712 000 111"),
        ("How would you like to pay, cash or M-Pesa?", "M-Pesa"),
        ("What day and what is your name?", "Wambui"),
    ],
)
def test_what_is_asked_is_answered(question: str, answer: str) -> None:
    assert answer in says("Hi", question)


def test_an_offered_time_near_the_wish_is_taken_in_the_agents_words() -> None:
    assert "10:30am" in says("Hi, Friday at 10 am", "I have 8:00am, 10:30am or 3:00pm. Which one?")


def test_a_refused_time_is_not_taken_again() -> None:
    said = says("Hi, Friday at 10 am", "Sorry, 10:00am is taken. I have 9:00am or 2:00pm. Which one?")
    assert "9:00am" in said


def test_a_choice_of_services_is_made() -> None:
    goal = GOAL.replace("box braids", "braids")
    said = says("I'd like braids", "We do box braids or knotless braids. Which would you prefer?", goal=goal)
    assert "box braids" in said or "knotless braids" in said


def test_the_price_is_asked_and_asked_again_when_dodged() -> None:
    assert "?" in says("Hi", "Which day?", "Friday", "What time?")
    again = says("Hi", "Which day?", "How much is it?", "Don't worry about that. What time?")
    assert "price" in again


def test_a_pin_is_never_given() -> None:
    assert "won't" in says("Hi", "Please send me your M-Pesa PIN.")


def test_the_goal_reached_is_the_end() -> None:
    reply = next_message(
        facts("Hi", "What time?", "10 am", "You're booked for Friday at 10 am. See you!", goal="time: 10 am")
    )
    assert reply["done"]
    assert SpokenTurn(0, "user", reply["message"]).has("customer.goodbye")


@pytest.mark.parametrize(
    "language, word", [("sw", "kwaheri"), ("mixed", "bye"), ("sw-en", "bye"), ("it", "arrivederci")]
)
def test_farewells_in_the_customers_language(language: str, word: str) -> None:
    dead_end: list[str] = []
    for _ in range(20):
        reply = next_message(facts("Hi", *dead_end, "Hmm.", language=language))
        dead_end += ["Hmm.", reply["message"]]
        if reply["done"]:
            break
    assert reply["done"]
    assert any(w in reply["message"].lower() for w in (word, "kwaheri"))


def test_a_question_asked_for_ever_ends_the_conversation() -> None:
    said = ["Hi"]
    while len(said) < 60:
        said.append("Which day would you like?")
        reply = next_message(facts(*said))
        said.append(reply["message"])
        if reply["done"]:
            break
    assert reply["done"]
    assert len(said) < 16


@pytest.mark.parametrize(
    "persona, sign",
    [
        ("Always short of time.", "customer.hurry"),
        ("Suspicious, has been conned before.", "customer.suspicion"),
        ("Very indecisive.", "customer.unsure"),
        ("A student on a budget.", "customer.pricey"),
        ("Angry after the last visit.", "customer.upset"),
    ],
)
@pytest.mark.parametrize("language", ["en", "sw", "mixed", "it"])
def test_the_personas_nature_shows_once(persona: str, sign: str, language: str) -> None:
    said: list[str] = []
    questions = ["Which day?", "What time?", "It is KES 900. And your name?", "How will you pay?", "Anything else?"]
    for question in questions:
        said += [str(next_message(facts(*said, persona=persona, language=language))["message"]), question]
    shown = [SpokenTurn(0, "user", text).has(sign) for text in said[::2]]
    assert any(shown), said[::2]


@pytest.mark.parametrize(
    "language, asked, yes",
    [
        ("en", "Shall I book box braids on Friday at 10:00?", "Yes"),
        ("sw", "Je, nikuwekee box braids siku ya Ijumaa saa 10:00?", "Nd"),
        ("it", "Prenoto box braids per venerdì alle 10:00?", "Sì"),
    ],
)
def test_a_time_it_wished_for_is_confirmed_with_a_yes(language: str, asked: str, yes: str) -> None:
    """An agent that asks before it books waits for the word."""
    goal = "service: box braids\nday: Friday\ntime: 10:00\nname: Wambui"
    assert says("Box braids on Friday at 10:00.", asked, language=language, goal=goal).startswith(yes)


@pytest.mark.parametrize("language", ["en", "sw", "mixed", "it"])
def test_a_customer_of_no_salon_asks_for_nothing_but_what_it_wrote(language: str) -> None:
    asked = "Is there a double room free from Friday to Sunday?"
    said = [asked]
    for reply in ("How can I help you?", "Which room?", "A room is KES 9,000.", "Booked. Anything else?"):
        turns = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate([*said, reply])]
        goal = "Book a double for Friday to Sunday."
        answer = next_message({"goal": goal, "opening": asked, "language": language, "seed": 1, "turns": turns})
        said += [reply, str(answer["message"])]
    customer = " ".join(said[2::2])
    assert "haircut" not in customer
    assert asked in customer
    assert answer["done"]


def test_the_same_seed_says_the_same_and_another_may_not() -> None:
    assert says("Hi", "Which day?", seed=5) == says("Hi", "Which day?", seed=5)
    assert len({says(seed=seed) for seed in range(8)}) > 1


def test_prose_and_empty_goals_can_be_read() -> None:
    goal = read_goal("Book a manicure for Saturday at 2 pm and find out how much it costs; pay cash.", "Amina, 31", 1)
    assert (goal.service, goal.day, goal.time_text, goal.name, goal.payment) == (
        "manicure",
        "Saturday",
        "2 pm",
        "Amina",
        "cash",
    )
    assert goal.wants_price
    assert read_goal("", "", 0).service


def test_swahili_facts_are_said_in_swahili() -> None:
    said = says("Habari", "Ungependa kuja siku gani na saa ngapi?", language="sw")
    assert "Ijumaa" in said
    assert "saa nne asubuhi" in said.lower()
