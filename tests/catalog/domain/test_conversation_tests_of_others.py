"""Tests that are conversations (Rasa, Botium, ADK): who says what stays as it is, and what cannot be held is told."""

import json

import pytest

from apps.catalog.files.domain.test_formats.collecting import Collected
from apps.catalog.files.domain.test_formats.registry import FORMATS
from apps.core.errors import BadInput


def read(source, text, file="tests.yml"):
    found = Collected(source=source, file=file)
    FORMATS[source].read(text, found)
    return found


def only(found):
    assert [row.became for row in found.rows] == ["scenario"]
    return next(iter(found.sections["scenarios"].values())), found.rows[0].left_out


STORY = """
version: "3.1"
stories:
- story: book a table
  steps:
  - user: |
      a table on [Friday](day) at [12:30]{"entity": "time"}
    intent: book
  - action: action_find_table
  - action: utter_offer
  - slot_was_set:
    - day: Friday
  - action: action_listen
  - user: yes
    intent: affirm
- story: intents alone
  steps:
  - intent: greet
  - action: utter_greet
- story: nothing
  steps: []
"""


def test_a_test_story_keeps_the_customers_words_without_their_marks_and_asks_for_its_actions():
    found = read("rasa", STORY)
    assert [row.became for row in found.rows] == ["scenario", "refused", "refused"]
    assert "intent 'greet' without the customer's words" in found.rows[1].why
    scenario = next(iter(found.sections["scenarios"].values()))
    assert scenario["turns"] == ["a table on Friday at 12:30", "yes", {"end": True}]
    assert scenario["assertions"] == [{"tool": "action_find_table"}]
    assert scenario["status"] == "draft"
    assert [note.partition(":")[0] for note in found.rows[0].left_out] == ["utter_offer", "steps/3"]


def test_an_end_to_end_test_of_rasa_asks_for_texts_patterns_and_actions():
    text = """
test_cases:
  - test_case: refund
    steps:
      - user: I want my money back
      - bot: Which order is it?
      - user: order 77
        assertions:
          - action_executed: action_refund
          - bot_uttered: {text_matches: "refund.*days"}
          - slot_was_set: [{name: order}]
      - utter: utter_bye
"""
    scenario, left_out = only(read("rasa", text))
    assert scenario["turns"] == ["I want my money back", "order 77", {"end": True}]
    assert scenario["assertions"] == [
        {"said": ["Which order is it?"]}, {"tool": "action_refund"}, {"said": ["refund.*days"], "match": "regex"},
    ]  # fmt: skip
    assert len(left_out) == 2


CONVO = """\
TC7 - opening hours

#begin
LOGIC_HOOK reset

#me
When are you open?

#bot
We are open from nine
BUTTONS Mon|Tue
!closed

#me
UTT_THANKS

#bot
$welcome
"""


def test_a_convo_keeps_its_words_and_names_what_botium_alone_knows():
    scenario, left_out = only(read("botium", CONVO, "hours.convo.txt"))
    assert scenario["goal"] == "TC7 - opening hours"
    assert scenario["turns"] == ["When are you open?", {"end": True}]
    assert scenario["assertions"] == [{"said": ["We are open from nine"]}, {"said": ["closed"], "forbidden": True}]
    assert len(left_out) == 4


def test_a_convo_without_a_customer_is_refused_with_its_line():
    found = read("botium", "hello\n\n#bot\nHi\n", "x.convo.txt")
    assert [(row.place, row.became) for row in found.rows] == [("line 3", "refused")]
    assert read("botium", "no sections here\n", "x.txt").rows == []


def case(said, uses=(), answer=""):
    final = {"role": "model", "parts": [{"text": answer}]} if answer else None
    tools = [{"name": name, "args": args, "id": "c1"} for name, args in uses]
    return {"invocation_id": "i", "user_content": {"role": "user", "parts": [{"text": said}]}, "final_response": final,
            "intermediate_data": {"tool_uses": tools, "intermediate_responses": []}}  # fmt: skip


def test_an_eval_set_of_adk_asks_for_tools_with_arguments_and_lets_a_judge_decide_the_answer():
    lamp = case("Turn on the lamp", [("set_device", {"id": "lamp", "on": True})], "Done.")
    value = {"eval_set_id": "home", "eval_cases": [
        {"eval_id": "lights", "conversation": [lamp, case("Thanks")]},
        {"eval_id": "empty", "conversation": []},
        {"eval_id": "picture", "conversation": [{"user_content": {"parts": [{"inline_data": {"data": "x"}}]}}]},
    ]}  # fmt: skip
    found = read("adk", json.dumps(value), "home.evalset.json")
    assert [row.became for row in found.rows] == ["scenario", "refused", "refused"]
    scenario = found.sections["scenarios"]["adk-lights"]
    assert scenario["turns"] == ["Turn on the lamp", "Thanks", {"end": True}]
    assert scenario["assertions"] == [{"tool": "set_device", "arguments": {"id": "lamp", "on": True}}]
    assert len(scenario["must_not"]) == len(found.sections["criteria"]) == 1


def test_the_older_test_file_of_adk_is_one_case():
    value = [{"query": "Roll a die", "expected_tool_use": [{"tool_name": "roll", "tool_input": {"sides": 6}}],
              "reference": "You rolled a four."}]  # fmt: skip
    scenario, _ = only(read("adk", json.dumps(value), "dice.test.json"))
    assert (scenario["turns"], scenario["assertions"]) == (
        ["Roll a die", {"end": True}], [{"tool": "roll", "arguments": {"sides": 6}}],
    )  # fmt: skip


@pytest.mark.parametrize("text", ["{}", '{"eval_cases": 3}', "7"])
def test_what_is_no_eval_set_is_told(text):
    with pytest.raises(BadInput, match="eval_cases"):
        read("adk", text, "x.json")
