"""The obedient model does what its prompt says, sees what a transcript shows, and the loop's catalog is made for it."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from apps.core.conversation import TurnRole, Utterance
from apps.evaluations.domain.parsing import parse_reply
from apps.evaluations.domain.prompt import judge_request
from apps.improvement.drafts.domain.guarded_text import GuardedText
from apps.improvement.drafts.domain.guards import guard_reasons
from apps.improvement.drafts.domain.states import DraftMode
from apps.improvement.optimizer.domain.fix_question import fix_request, read_fix, with_fix
from apps.improvement.prompt_templates.domain.built_in import built_in
from apps.runs.domain.simulator import read_simulator_reply, simulator_request
from examples.obedient_model.model import answer

CATALOG = Path(__file__).resolve().parents[2] / "examples" / "loop" / "catalog"
SALON = yaml.safe_load((CATALOG / "salon.yaml").read_text())
SCENARIOS = yaml.safe_load((CATALOG / "scenarios.yaml").read_text())["scenarios"]
LIVE = SALON["prompts"][0]["text"]
ASKS = LIVE.replace("book it.", "ask the customer to confirm them before you book.")
NAMES = ["confirms_before_booking", "answers_in_customers_language", "names_the_price"]


def agent(prompt, *said, seed=1, play=0):
    roles = ["user", "assistant"] * len(said)
    messages = [{"role": role, "content": text} for role, text in zip(roles, said, strict=False)]
    return answer({"messages": [{"role": "system", "content": prompt}, *messages]}, seed, play=play)


def asked(request):
    """The body that the connector would send."""
    messages = [{"role": "system", "content": request.system}, {"role": "user", "content": request.messages[0].content}]
    return {
        "messages": messages,
        "response_format": {"json_schema": {"name": request.schema_name, "schema": request.schema}},
    }


def scores(*said, language="en"):
    turns = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(said)]
    request = judge_request(
        criteria=[{"name": name, "description": "", "scoring_guide": {}} for name in NAMES], template="",
        parameters={}, turns=turns, nonce="n-1", salt="s1", language=language,
    )  # fmt: skip
    parsed = parse_reply(answer(asked(request), 1), NAMES, nonce="n-1", salt="s1")
    return {name: one["score"] if one else None for name, one in parsed.items()}


def customer(heard, *, goal="Book a haircut for Monday at 9:00.", language="en"):
    turns = [Utterance(role=TurnRole.USER, content="Hello"), Utterance(role=TurnRole.ASSISTANT, content=heard)]
    request = simulator_request(spec={"goal": goal, "persona": "x", "language": language}, turns=turns)
    return read_simulator_reply(answer(asked(request), 1))


WISH = "Hello, I would like a haircut on Monday at 9:00."


def test_it_books_at_once_unless_its_prompt_speaks_of_confirming():
    assert agent(LIVE, WISH).startswith("Booked: haircut on Monday at 9:00.")
    question = agent(ASKS, WISH)
    assert question.startswith("Shall I book haircut on Monday at 9:00?")
    assert agent(ASKS, WISH, question, "Yes, please.").startswith("Booked: haircut")


def test_a_sentence_that_forbids_confirming_is_obeyed_too():
    assert agent(f"{LIVE}\nDo not confirm anything.", WISH).startswith("Booked")


def test_it_asks_for_what_is_missing_and_books_what_was_said_last():
    assert agent(LIVE, "Hello, a haircut please") == "Which service, day and time would you like?"
    assert "Friday" in agent(LIVE, f"{WISH} No, rather Friday.")


@pytest.mark.parametrize(
    "wish, begins",
    [
        ("Habari, naomba kunyoa siku ya Jumanne saa 10:00.", "Nimekuwekea kunyoa siku ya Jumanne"),
        ("Buongiorno, vorrei barba per lunedì alle 9:00.", "Ho prenotato barba per lunedì"),
        ("Habari, I would like massage Friday at 14:00 please", "Sawa, iko booked: massage Friday"),
    ],
)
def test_it_writes_in_the_customers_language_only_when_told(wish, begins):
    assert agent(LIVE, wish).startswith(begins)
    assert agent(LIVE.replace("Write in the language of the customer.", ""), wish).startswith("Booked:")


def test_it_names_a_price_only_where_the_prompt_has_it():
    assert "KES 800" in agent(LIVE, WISH)
    assert "KES" not in agent(LIVE.replace("- haircut: KES 800\n", ""), WISH)


def test_it_forgets_a_rule_now_and_then_and_the_same_way_every_time():
    wishes = [f"Hello, I would like a haircut on Monday at {hour}:{minute:02}." for hour in range(8, 18)
              for minute in range(0, 60, 5)]  # fmt: skip
    forgot = [agent(ASKS, wish).startswith("Booked") for wish in wishes]
    assert 0.03 < sum(forgot) / len(forgot) < 0.16
    assert forgot == [agent(ASKS, wish).startswith("Booked") for wish in wishes]


def test_what_it_forgot_once_by_chance_it_mostly_remembers_when_it_is_played_again():
    wishes = [f"Hello, I would like a pedicure on Saturday at {hour}:{minute:02}." for hour in range(8, 18)
              for minute in range(0, 60, 5)]  # fmt: skip
    forgot = [wish for wish in wishes if agent(ASKS, wish).startswith("Booked")]
    again = [agent(ASKS, wish, play=1).startswith("Booked") for wish in forgot]
    assert forgot
    assert sum(again) / len(again) < 0.5


def test_it_understands_an_hour_in_words():
    assert agent(LIVE, "Hello, I want a pedicure on Saturday at eleven, please.").startswith(
        "Booked: pedicure on Saturday at 11:00."
    )


def test_the_customer_agrees_to_its_goal_and_to_nothing_else():
    assert customer("Shall I book haircut on Monday at 9:00?").message == "Yes, please."
    assert customer("Shall I book haircut on Friday at 9:00?").message == "No, I would like Monday at 9:00."
    assert customer("Booked: haircut on Monday at 9:00. See you then.").leaves.value == "goal_met"
    assert customer("Booked: haircut on Friday at 9:00. See you then.").leaves.value == "gave_up"


def test_the_judge_sees_whether_the_customer_was_asked():
    question, booked = "Shall I book haircut on Monday at 9:00?", "Booked: haircut on Monday at 9:00. See you then."
    assert scores(WISH, question, "Yes, please.", booked)["confirms_before_booking"] > 7
    assert scores(WISH, booked)["confirms_before_booking"] < 4
    assert scores(WISH, question)["confirms_before_booking"] is None


def test_the_judge_sees_language_and_price():
    swahili = "Habari, naomba kunyoa siku ya Jumanne saa 10:00."
    wrong = scores(swahili, "Booked: haircut on Tuesday at 10:00. See you then.", language="sw")
    right = scores(swahili, "Nimekuwekea kunyoa siku ya Jumanne saa 10:00. Karibu. Bei ni KES 800.", language="sw")
    assert wrong["answers_in_customers_language"] < 4 < 7 < right["answers_in_customers_language"]
    assert wrong["names_the_price"] < 4 < 7 < right["names_the_price"]


def test_the_catalog_has_forty_families_in_four_languages():
    families = Counter(one["family"] for one in SCENARIOS)
    assert sorted(families.values()) == [1] * 40
    assert Counter(one["language"] for one in SCENARIOS) == {"en": 14, "sw": 10, "mixed": 8, "it": 8}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one["id"])
def test_every_scenario_ends_as_its_customer_wants(scenario):
    """Played to its end by the prompt that asks first."""
    said, messages = [scenario["opening"]], []
    for _ in range(scenario["max_turns"]):
        reply = agent(ASKS, *said)
        turns = [Utterance(role=(TurnRole.USER, TurnRole.ASSISTANT)[at % 2], content=text)
                 for at, text in enumerate([*said, reply])]  # fmt: skip
        request = simulator_request(spec={**scenario, "persona": "x"}, turns=turns)
        heard = read_simulator_reply(answer(asked(request), 1))
        messages = [*said, reply]
        if heard.leaves:
            break
        said = [*messages, heard.message]
    wanted = re.search(r"\d{1,2}:\d{2}", scenario["goal"])
    assert wanted is not None
    assert wanted[0] in messages[-1], json.dumps(messages, ensure_ascii=False)


def test_as_an_author_it_gives_the_findings_section_one_sentence_more():
    finding = {"title": "confirms_before_booking fails", "section": "Booking", "suggestion": "Ask before you book."}
    nonce = "0123456789abcdef"
    request = fix_request(
        prompt=LIVE, finding=finding, subjects=[], texts=built_in("surgical", "en"), nonce=nonce, timeout_s=9
    )
    fix = read_fix(answer(asked(request), 1), prompt=LIVE, nonce=nonce)
    text = with_fix(LIVE, fix)
    assert "ask the customer to confirm them before you book." in text
    assert guard_reasons(GuardedText(live=LIVE, draft=text, mode=DraftMode.SURGICAL)) == []
    assert not agent(text, WISH).startswith("Booked")
