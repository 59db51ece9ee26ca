"""Gates are proven: each matches its own reply and no earlier one, or says that it does not."""

import json
import time
from collections import Counter
from typing import Any

import pytest

from apps.core.patterns import compile_pattern
from apps.runs.domain.gates import Strength
from apps.runs.goldens.domain.sensed_gates import proof, proven_gates
from tests.shared_data import SHARED


def session(*replies: str) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = []
    for reply in replies:
        turns += [{"role": "user", "content": "go on"}, {"role": "assistant", "content": reply}]
    return turns


def test_what_only_comes_again_later_is_unique_enough() -> None:
    turns = session(
        "## Brief\n\nPlease upload the brief.", "## Progress\n\nStill working.", "## Progress\n\nStill working."
    )
    first, second, third = proven_gates(turns)
    assert (first.strength, second.strength) == (Strength.UNIQUE, Strength.UNIQUE)
    assert third.strength is Strength.WEAK  # word for word as before: a person has to look
    for gate in (first, second):
        pattern = compile_pattern(gate.pattern or "")
        assert [
            pattern.found_in(turn["content"]) for turn in turns[: gate.position + 1] if turn["role"] == "assistant"
        ] == ([False] * (gate.position // 2) + [True])


def test_a_reply_with_nothing_to_hold_on_to_has_none() -> None:
    assert next(gate.strength for gate in proven_gates(session("42", "ok"))) is Strength.NONE


@pytest.mark.parametrize(
    "pattern, found",
    [
        ("second", Strength.UNIQUE),
        ("reply", Strength.WEAK),
        ("third", Strength.NONE),
        ("", Strength.NONE),
        (None, Strength.NONE),
        ("(", Strength.NONE),
    ],
)
def test_the_proof_of_a_pattern(pattern: str | None, found: Strength) -> None:
    assert proof(session("first reply", "second reply"), 3, pattern) is found


def test_a_slow_pattern_on_a_long_reply_is_none_in_bounded_time() -> None:
    turns = session("a" * 1_000_000, "b")
    started = time.perf_counter()
    assert proof(turns, 1, "(a|aa)+$b") is Strength.NONE
    assert time.perf_counter() - started < 5


@pytest.mark.shared
def test_real_sessions_have_no_gate_that_opens_too_early() -> None:
    """STAR and SGD, every seventh conversation of 435: all that is called unique opens for its own reply alone of those
    so far, in bounded time."""
    found: Counter[Strength] = Counter()
    lines = [line for path in sorted((SHARED / "data" / "service_dialogues").glob("*.jsonl"))
             for line in path.read_text(encoding="utf-8").splitlines()]  # fmt: skip
    for line in lines[::7]:
        turns = json.loads(line)["turns"]
        for gate in proven_gates(turns):
            if not turns[gate.position]["content"].strip():
                continue
            found[gate.strength] += 1
            if gate.strength is Strength.UNIQUE:
                assert proof(turns, gate.position, gate.pattern) is Strength.UNIQUE
    spoken = sum(found.values())
    print({strength.value: round(number / spoken, 3) for strength, number in found.items()}, spoken)
    assert found[Strength.UNIQUE] / spoken > 0.4  # the others hang on one word, or open for another reply too
    assert found[Strength.NONE] / spoken < 0.05
