"""The judge's answer: its shape, its quotes, and that nothing it is given can break it."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.offline.rules.judge import RULES, judge
from tests.connectors.offline.conversations import good
from tests.shared_data import SHARED

DATA = SHARED / "data"
CRITERIA = [{"name": f"criterion {rule}", "offline_rule": rule, "offline_parameters": {}} for rule in RULES]


def test_the_reply_has_the_shape_of_a_models_reply() -> None:
    reply = judge({"task": "judge", "language": "en", "criteria": CRITERIA, "turns": good("en"), "nonce": "n-1"})
    assert reply["nonce"] == "n-1"
    assert set(reply["scores"]) == {criterion["name"] for criterion in CRITERIA}
    for score in reply["scores"].values():
        assert 0 <= score["score"] <= 10
        assert score["reason"]
        assert score["evidence"]
    assert json.loads(json.dumps(reply)) == reply


def test_the_same_facts_give_the_same_answer() -> None:
    facts = {"criteria": CRITERIA, "turns": good("sw")}
    assert judge(facts) == judge(facts)


@pytest.mark.parametrize("rule", ["", "no_such_rule", None])
def test_a_criterion_without_a_rule_is_not_scored_and_says_so(rule: str | None) -> None:
    reply = judge({"criteria": [{"name": "empathy", "offline_rule": rule}], "turns": good("en")})
    assert reply["scores"]["empathy"] == {
        "score": None,
        "reason": "offline rules have no rule for this criterion",
        "evidence": [],
    }


def test_a_criterions_name_means_nothing() -> None:
    named = judge({"criteria": [{"name": "brevity", "offline_rule": "closing"}], "turns": good("en")})
    other = judge({"criteria": [{"name": "anything", "offline_rule": "closing"}], "turns": good("en")})
    assert named["scores"]["brevity"] == other["scores"]["anything"]


@pytest.mark.parametrize("language, word", [("en", "agent"), ("sw", "wakala"), ("it", "messaggi"), ("xx", "agent")])
def test_reasons_are_written_in_the_reason_language(language: str, word: str) -> None:
    reply = judge({"criteria": CRITERIA[:1], "turns": good("en"), "reason_language": language, "language": "en"})
    assert word in reply["scores"]["criterion brevity"]["reason"]


def test_parameters_move_the_limit() -> None:
    strict = [{"name": "b", "offline_rule": "brevity", "offline_parameters": {"max_sentences": 1, "max_words": 5}}]
    loose = [{"name": "b", "offline_rule": "brevity"}]
    scores = [judge({"criteria": c, "turns": good("en")})["scores"]["b"]["score"] for c in (strict, loose)]
    assert scores[0] < scores[1]


def test_an_agent_that_says_nothing_is_not_scored() -> None:
    reply = judge({"criteria": CRITERIA, "turns": [{"role": "user", "content": "Anybody there?"}]})
    assert all(score["score"] is None for score in reply["scores"].values())


TURN = st.fixed_dictionaries({
    "role": st.sampled_from(["user", "assistant", "tool", "system", "other"]),
    "content": st.one_of(
        st.none(),
        st.text(max_size=120),
        st.sampled_from([turn["content"] for language in ("en", "sw", "mixed") for turn in good(language)]),
    ),
})  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(TURN, max_size=14))
def test_any_conversation_gets_an_answer_with_verbatim_quotes(turns: list[dict[str, Any]]) -> None:
    check(turns)


def check(turns: list[dict[str, Any]]) -> None:
    said = [turn.get("content") or "" for turn in turns if turn["role"] == "assistant"]
    for score in judge({"criteria": CRITERIA, "turns": turns})["scores"].values():
        assert score["score"] is None or 0 <= score["score"] <= 10
        assert score["score"] is None or score["evidence"]
        for quote in score["evidence"]:
            assert any(quote in text for text in said)


def conversations(limit: int) -> Iterator[list[dict[str, Any]]]:
    for path in sorted(DATA.glob("*/*.jsonl")):
        with path.open() as lines:
            for _, line in zip(range(limit), lines, strict=False):
                turns = json.loads(line).get("turns")
                if turns:
                    yield turns


@pytest.mark.shared
def test_real_conversations_of_every_kind_are_judged() -> None:
    count = 0
    for turns in conversations(25):
        check(turns)
        count += 1
    assert count > 200


@pytest.mark.shared
def test_real_human_agents_are_brief_and_ask_one_thing() -> None:
    path = DATA / "service_dialogues" / "star.jsonl"
    rows = [json.loads(line)["turns"] for line in path.read_text().splitlines()[:80]]
    found = [judge({"criteria": CRITERIA, "turns": turns})["scores"] for turns in rows]
    for rule in ("brevity", "one_question", "flow"):
        values = [f[f"criterion {rule}"]["score"] for f in found if f[f"criterion {rule}"]["score"] is not None]
        assert sum(values) / len(values) > 8.5, rule


def test_thirty_turns_take_a_few_milliseconds() -> None:
    turns = (good("sw") + good("en") + good("mixed"))[:30]
    judge({"criteria": CRITERIA, "turns": turns})
    started = time.process_time()
    for _ in range(20):
        judge({"criteria": CRITERIA, "turns": turns})
    assert (time.process_time() - started) / 20 < 0.02


def test_long_hostile_text_is_read_in_linear_time() -> None:
    text = "saa na nusu " * 3000 + "at " * 3000 + "1" * 3000 + "?" * 3000
    started = time.process_time()
    judge({"criteria": CRITERIA, "turns": [{"role": role, "content": text} for role in ("user", "assistant") * 3]})
    assert time.process_time() - started < 2
