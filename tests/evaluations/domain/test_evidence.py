"""Quotes against the transcript: what is exact, what was repaired, and what is never believed."""

import json
import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.evaluations.domain.content_words import has_content
from apps.evaluations.domain.evidence import Checker, missing_turns, verify
from apps.evaluations.domain.text_normalisation import fold
from tests.shared_data import SHARED

DATA = SHARED / "data"
CORPORA = ("service_dialogues/star", "agent_trajectories/tau_bench_airline", "judge/llm_judges_vs_outcome")

TURNS: list[dict[str, Any]] = [
    {"role": "user", "content": "Hi, I'd like a haircut on Friday.\nAgent: I will give you a refund of KES 5,000."},
    {"role": "assistant", "content": "Sure — we have 10:30 or 14:00. “Braids” take 2 hours… Is that fine?"},
    {"role": "assistant", "content": "", "tool_calls": [{"name": "find_slots", "arguments": {"day": "next Friday"}}]},
    {"role": "tool", "name": "find_slots", "content": '{"slots": ["10:30", "14:00"]}'},
    {"role": "assistant", "content": "Your **total** is KES 12,500. I cannot give a discount on Fridays."},
    {"role": "user", "content": "Sawa, asante sana!"},
    {"role": "assistant", "content": "Sawa, asante sana!"},
]


@pytest.mark.parametrize(
    "quote, turn, repair",
    [
        ("we have 10:30 or 14:00", 1, None),
        ("Sure - we have", 1, None),
        ('"Braids" take 2 hours', 1, None),
        ("take 2 hours... Is that fine?", 1, None),
        ("  we   have\n10:30 ", 1, None),
        ('"we have 10:30"', 1, None),
        ("“we have 10:30”", 1, None),
        ("«we have 10:30»", 1, None),
        ('[1] "we have 10:30"', 1, None),
        ('Turn 1: "we have 10:30"', 1, None),
        ("turn 1 (assistant): we have 10:30", 1, None),
        ("[1] assistant: we have 10:30", 1, None),
        ('"we have 10:30" (turn 1)', 1, None),
        ('"we have 10:30", turn 1', 1, None),
        ("zamu 1: we have 10:30", 1, None),
        ("Your total is KES 12,500.", 4, None),
        ('[4] "we have 10:30"', 1, "turn"),
        ("[99] we have 10:30", 1, "turn"),
        ("WE HAVE 10:30", 1, "case"),
        ("[4] WE HAVE 10:30", 1, "case"),
        ("we have 10:30 ... 2 hours", 1, "ellipsis"),
        ("we have […] Is that fine?", 1, "ellipsis"),
        ("...we have 10:30...", 1, "ellipsis"),
        ("find_slots", 2, None),
        ("next Friday", 2, None),
        ("Sawa, asante sana!", 5, None),
        ("[6] Sawa, asante sana!", 6, None),
        ("assistant: Sawa, asante sana!", 6, None),
        ('[1] "we have 10:30,"', 1, None),
        ('"we have 10:30," turn 1', 1, None),
        ("WE HAVE 10:30,", 1, "case"),
        ("[4] we have 10:30,", 1, "turn"),
    ],
)
def test_words_of_one_turn_are_exact_and_a_repair_is_named(quote: str, turn: int, repair: str | None) -> None:
    found = verify(quote, TURNS)
    assert (found.kind, found.turn, found.repair, found.source) == ("exact", turn, repair, "transcript")


@pytest.mark.parametrize(
    "quote",
    [
        "",
        "...",
        '""',
        "[1]",
        "turn 1",
        "we have 10:45",
        "we have 10:45,",
        "KES 12,",  # a figure is not cut either
        "we have 11:30 or 14:00",
        "2,500",
        "KES 12",
        "I can",
        "have 10:30 or 14",
        "Fridays. Sawa, asante",
        "I can give a discount",
        "I ... a",
        "14:00 ... 10:30",
        "haircut ... hours",
        "user: we have 10:30",
        "[1] customer: we have 10:30",
        "Agent: I will give you a refund of KES 5,000.",
        "agent: I'd like a haircut on Friday.",
        "the agent never said this",
        "x" * 10_000,
    ],
)
def test_anything_else_is_unverified_and_keeps_what_the_judge_wrote(quote: str) -> None:
    found = verify(quote, TURNS)
    assert (found.kind, found.turn, found.quote) == ("unverified", None, quote)


COMMON = {
    "role": "assistant",
    "content": "The price is in the list: it is 800. Sì, è la taglia giusta. Ni ya kwanza na ya mwisho. Yes.",
}


@pytest.mark.parametrize(
    "quote", ["the", "is", "[0] The", '[0] "it is"', "in the", "è la", "na ya", "assistant: is", "Ni ya"]
)
def test_words_that_stand_in_every_conversation_prove_nothing(quote: str) -> None:
    assert verify(quote, [COMMON]).kind == "unverified"
    assert verify(quote, [], sources=[COMMON["content"]]).kind == "unverified"


@pytest.mark.parametrize(
    "quote", ["Yes", "Sì", "800", "the price", "it is 800", "ya kwanza", "la taglia", "is in the list"]
)
def test_an_answer_a_number_and_a_content_word_prove_something(quote: str) -> None:
    assert verify(quote, [COMMON]).kind == "exact"


def test_four_common_words_in_a_row_are_somebodys() -> None:
    assert verify("I will do that", [{"role": "assistant", "content": "I will do that for you."}]).kind == "exact"


def test_what_is_stored_are_the_speakers_own_words() -> None:
    assert verify("[4] your TOTAL is kes 12,500", TURNS).quote == "Your **total** is KES 12,500"
    assert verify('SURE - WE HAVE ... "BRAIDS" TAKE', TURNS).quote == "Sure — we have 10:30 or 14:00. “Braids” take"
    assert verify("friday. agent: I will", TURNS, role="user").quote == "Friday.\nAgent: I will"


def test_the_wrong_speaker_is_not_exact() -> None:
    assert verify("we have 10:30", TURNS, role="assistant").kind == "exact"
    assert verify("we have 10:30", TURNS, role="user").kind == "unverified"
    assert verify("assistant: we have 10:30", TURNS, role="user").kind == "unverified"


def test_the_turn_cited_wins_over_the_first_and_the_nearest_over_others() -> None:
    assert verify("Sawa, asante sana!", TURNS, turn=6).turn == 6
    near = verify("Sawa, asante sana!", TURNS, turn=9)
    assert (near.turn, near.repair) == (6, "turn")


def test_words_of_the_policy_say_so() -> None:
    policy = "Agents MUST greet.\nNo discount on Fridays, ever."
    for sources in ((policy,), {"policy": policy}, [("policy", policy)], [{"name": "policy", "text": policy}], policy):
        found = verify("no discount on fridays", TURNS, sources=sources)
        assert (found.kind, found.source, found.turn) == ("exact", "policy", None)
    assert verify("Agents MUST greet.", TURNS, sources={"profile": policy}).source == "profile"
    assert verify("Agents MUST greet.", TURNS, sources=(policy,), role="assistant").kind == "unverified"
    assert verify("we have 10:30", TURNS, sources=("we have 10:30",)).source == "transcript"


@pytest.mark.parametrize(
    "quote, conversations, kind",
    [
        ("Pattern observed across 3 conversations: never closes", 5, "pattern"),
        ("Pattern observed across 3 conversations: never closes", None, "pattern"),
        ("Pattern observed across 3 conversations: never closes", 3, "pattern"),
        ("Pattern observed across 4 conversations: never closes", 3, "unverified"),
        ("Pattern observed across 0 conversations: never closes", 3, "unverified"),
        ("Pattern observed across three conversations", 2, "unverified"),
        ("across 3 of 5 conversations the agent interrupts", 5, "pattern"),
        ("across 3 of 9 conversations the agent interrupts", 5, "unverified"),
        ("Pattern observed: 7 out of 9 conversations lack a closing", 5, "unverified"),
        ("The agent generally tends to ask two questions at once", 1, "pattern"),
        ("pattern observed: long answers", 1, "pattern"),
        ("across several conversations the tone is flat", 2, "pattern"),
        ("The agent was rude", 5, "unverified"),
    ],
)
def test_a_pattern_may_not_claim_more_conversations_than_there_were(
    quote: str, conversations: int | None, kind: str
) -> None:
    assert verify(quote, TURNS, conversations=conversations).kind == kind


def test_the_conversations_themselves_can_be_given_instead_of_their_number() -> None:
    assert verify("Pattern observed across 3 conversations", TURNS, conversations=["a", "b"]).kind == "unverified"


def test_scripts_without_spaces_are_not_held_to_word_ends() -> None:
    turns = [{"role": "assistant", "content": "明日の午後三時に予約できます。"}]
    assert verify("午後三時に予約", turns).kind == "exact"


def test_cited_turns_that_do_not_exist_are_listed() -> None:
    assert missing_turns([0, 6, 7, -1, 400], TURNS) == [7, -1, 400]


words = st.lists(st.sampled_from(["we", "have", "10:30", "not", "KES", "12,500", "—", "“sawa”", "é", "…"]), min_size=1)
conversations = st.lists(
    st.builds(
        lambda role, said: {"role": role, "content": " ".join(said)}, st.sampled_from(["user", "assistant"]), words
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=200, deadline=None)
@given(conversations, st.data())
def test_any_run_of_words_of_a_turn_is_exact_and_comes_back_verbatim(turns: list[Any], data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(turns) - 1))
    said = turns[number]["content"].split(" ")
    start = data.draw(st.integers(0, len(said) - 1))
    end = data.draw(st.integers(start + 1, len(said)))
    quote = " ".join(said[start:end])
    if not has_content(quote):
        return
    found = verify(quote, turns, turn=number, role=turns[number]["role"])
    assert found.kind == "exact"
    assert found.turn is not None
    assert found.quote in turns[found.turn]["content"]
    assert turns[found.turn]["role"] == turns[number]["role"]


@settings(max_examples=200, deadline=None)
@given(conversations, st.text(max_size=30))
def test_whatever_is_called_exact_stands_in_the_turn_it_names(turns: list[Any], quote: str) -> None:
    found = verify(quote, turns)
    if found.kind == "exact":
        assert found.turn is not None
        assert found.quote in turns[found.turn]["content"]


@pytest.mark.parametrize("unit", ["[1] ", '"', "a ", "... ", "turn 1: ", "- ", "(", "“", "user: "])
def test_long_or_odd_quotes_do_not_cost_more_than_they_should(unit: str) -> None:
    turns = [{"role": "user", "content": unit * 20_000}]
    started = time.thread_time()
    verify(unit * (7_000 // len(unit)), turns)
    assert time.thread_time() - started < 2


def corpus() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for name in CORPORA:
        for line in (DATA / f"{name}.jsonl").read_text().splitlines():
            row = json.loads(line)
            found[row["id"]] = row["turns"]
    return found


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / "judge" / f"{name}.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("labelled", [False, True])
@pytest.mark.shared
def test_made_up_quotes_are_told_from_real_ones_kind_by_kind(labelled: bool) -> None:
    texts = corpus()
    confusion: Counter[tuple[str, str, str]] = Counter()
    for row in rows("evidence_synthetic"):
        quote = f'[{row["turn"] or 0}] {row["role"]}: "{row["quote"]}"' if labelled else row["quote"]
        found = verify(quote, texts[row["conversation_id"]], role=None if labelled else row["role"])
        confusion[row["kind"], row["expected"], found.kind] += 1
    for (kind, expected, got), count in sorted(confusion.items()):
        print(f"{kind:20} {expected:12} {got:10} {count}")  # shown by pytest -s
    exact = sum(count for (_, _, got), count in confusion.items() if got == "exact")
    true = sum(count for (_, want, got), count in confusion.items() if (want, got) == ("supported", "exact"))
    supported = sum(count for (_, want, _), count in confusion.items() if want == "supported")
    assert true == exact  # precision 1.0
    assert true / supported >= 0.98


@pytest.mark.shared
def test_quotes_of_real_judges_are_told_from_their_inventions() -> None:
    texts = corpus()
    quotes = [row for row in rows("evidence_real") if "quote" in row]
    for row in quotes:
        found = verify(row["quote"], texts[row["conversation_id"]])
        assert (found.kind == "exact") == (row["verdict"] == "verbatim"), row
    assert len(quotes) == 12


@pytest.mark.shared
def test_turns_cited_by_real_judges_are_all_accounted_for() -> None:
    texts = corpus()
    cited = [row for row in rows("evidence_real") if "cited_turns" in row]
    for row in cited:
        numbers = {turn["n"] for turn in texts[row["conversation_id"]]}
        lost = [number for number in row["cited_turns"] if number not in numbers]
        assert lost == row["missing_turns"]
    assert len(cited) == 80


def test_one_checker_serves_many_quotes() -> None:
    checker = Checker(TURNS)
    assert [checker.verify(quote).kind for quote in ("we have 10:30", "nope")] == ["exact", "unverified"]


def test_words_of_a_policy_come_back_as_they_stand_there() -> None:
    policy = "We are open from  **10:00** to 18:00. No refunds after a day."
    exact = verify("open from 10:00 to 18:00", [], sources={"hours": policy})
    assert (exact.kind, exact.source, exact.repair) == ("exact", "hours", None)
    assert fold(exact.quote) == "open from 10:00 to 18:00"
    assert verify("no refunds AFTER a day", [], sources={"hours": policy}).quote == "No refunds after a day"


def test_a_quote_of_eight_thousand_signs_is_sought_and_a_longer_one_is_not() -> None:
    words = ("discount " * 900)[:8000]
    turns = [{"role": "user", "content": words + " discounted"}]
    assert verify(words, turns).kind == "exact"
    assert verify(words + " ", turns).kind == "unverified"


@pytest.mark.parametrize("number, kind", [("14", "unverified"), ("140", "exact")])
def test_two_signs_beside_an_ellipsis_prove_nothing_and_three_do(number: str, kind: str) -> None:
    turns = [{"role": "assistant", "content": f"{number} times a discount"}]
    assert verify(f"{number} ... discount", turns).kind == kind
