"""A slower or dearer agent does not pass unseen; what nobody measured is said."""

from dataclasses import replace
from typing import Any

import pytest

from apps.gates.domain.decision import GateDecision, decide_gate
from apps.gates.domain.gate_states import GateReasonCode
from apps.gates.domain.guarded_costs import timed_together
from apps.gates.domain.losses import MetricOutcome
from apps.gates.domain.paired_metrics import DOUBLED_CALLS, LATENCY, TOKENS, TOOL_CALLS
from apps.gates.domain.policy import GatePolicy
from apps.gates.domain.side import GateSide
from apps.statistics.decision import Decision
from tests.gates.sides import BASE, side, trial

TOGETHER: dict[str, Any] = {"job": "job-1", "span": (0.0, 100.0)}


def played(seconds: float | None = 1.0, tokens: int | None = 1000, **more: Any) -> GateSide:
    """Twelve cases, each a little slower and longer than the one before."""
    wait = [None if seconds is None else seconds + at / 20 for at in range(12)]
    used = [None if tokens is None else tokens + 10 * at for at in range(12)]
    return side([trial(at, latency_s=wait[at], tokens=used[at]) for at in range(12)], **{**TOGETHER, **more})


def decide(here: GateSide, there: GateSide, **policy: Any) -> GateDecision:
    here, there = timed_together(here, replace(there, commit=BASE))
    return decide_gate(candidate=here, baseline=there, policy=GatePolicy(**policy), base_commit=BASE)


def test_an_agent_that_is_two_and_a_half_seconds_slower_does_not_pass() -> None:
    found = decide(played(3.5), played(1.0))
    assert (found.decision, found.why) == (Decision.FAIL, GateReasonCode.LOSS)
    assert "The agent's time for a turn, in seconds, rose by 2.50 [2.50, 2.50] over 12 cases" in found.sentence
    assert decide(played(3.5), played(1.0), latency_margin_s=5).decision is Decision.PASS
    assert decide(played(1.0), played(3.5)).decision is Decision.PASS, "faster is no loss"


def test_a_prompt_of_400_more_lines_does_not_pass() -> None:
    found = decide(played(tokens=5000), played(tokens=1000))
    assert (found.decision, found.why) == (Decision.FAIL, GateReasonCode.LOSS)
    assert "The agent's tokens in a conversation rose by 4000.00" in found.sentence
    assert decide(played(tokens=1100), played(tokens=1000)).decision is Decision.PASS, "a tenth is below the margin"


def test_what_is_measured_has_a_row() -> None:
    rows = {one.metric: one for one in decide(played(), played()).metrics}
    assert {rows[LATENCY].outcome, rows[TOKENS].outcome} == {MetricOutcome.NO_LOSS}
    assert rows[LATENCY].margin == 1.0
    assert rows[TOKENS].margin == pytest.approx(0.2 * 1055)


@pytest.mark.parametrize(
    "there",
    [{"job": ""}, {"job": "job-2"}, {"span": None}, {"span": (100.0, 200.0)}, {"span": (80.0, 180.0)}],
)
def test_latency_is_compared_only_where_both_sides_were_played_interleaved(there: dict[str, Any]) -> None:
    found = decide(played(3.5), played(1.0, **there))
    assert found.decision is Decision.PASS
    assert LATENCY not in {one.metric for one in found.metrics}
    assert [one.code for one in found.reasons][1:] == [GateReasonCode.LATENCY_UNKNOWN]


STORED: dict[str, Any] = {"job": "", "span": (-9000.0, -8900.0), "loop_ms": 20.0}


def test_a_stored_baseline_of_a_machine_that_is_alike_is_compared() -> None:
    """What is usual: the baseline was stored by a push to the default branch, the candidate is played alone."""
    found = decide(played(3.5, job="", loop_ms=23.0), played(1.0, **STORED))
    assert (found.decision, found.why) == (Decision.FAIL, GateReasonCode.LOSS)
    assert "The agent's time for a turn, in seconds, rose by 2.50" in found.sentence
    (row,) = [one for one in found.metrics if one.metric == LATENCY]
    assert row.margin == 1.0
    slow = decide(played(5.0, job="", loop_ms=20.0), played(3.8, **STORED))
    assert slow.decision is Decision.PASS, "an hour apart, a third of four seconds may be the model's provider"
    assert decide(played(6.8, job="", loop_ms=20.0), played(3.8, **STORED)).decision is Decision.FAIL


@pytest.mark.parametrize("loop_ms", [None, 15.0, 26.0])
def test_a_stored_baseline_of_another_machine_is_not_compared(loop_ms: float | None) -> None:
    found = decide(played(3.5, job="", loop_ms=loop_ms), played(1.0, **STORED))
    assert found.decision is Decision.PASS
    (told,) = [one.sentence for one in found.reasons if one.code is GateReasonCode.LATENCY_UNKNOWN]
    assert f"took 20 ms and {f'{loop_ms:.0f} ms' if loop_ms else 'no time'}" in told


def test_tokens_that_nobody_reports_are_said() -> None:
    found = decide(played(tokens=None), played(tokens=None))
    assert found.reasons[-1].sentence == "The agent's tokens are unknown: its replies report none (usage)."
    half = decide(played(tokens=None), played(tokens=1000))
    assert half.reasons[-1].sentence.startswith("The agent's tokens are unknown for the candidate:")


def better(points: float, tokens: int) -> GateSide:
    """As `played`, each case scored so many points higher."""
    cases = played(tokens=tokens)
    return replace(cases, trials=[replace(one, score=(one.score or 0) + points) for one in cases.trials])


def test_what_a_better_answer_costs_is_said_and_stops_nothing() -> None:
    found = decide(better(1.0, 1600), played(tokens=1000))
    assert found.decision is Decision.PASS
    (told,) = [one for one in found.reasons if one.code is GateReasonCode.COSTS_MORE]
    assert told.sentence.startswith("The agent's tokens in a conversation rose by 600.00")
    assert "stops nothing, since the whole is shown to be better" in told.sentence
    assert decide(better(0.3, 1600), played(tokens=1000)).decision is Decision.FAIL, "a gain below the margin buys none"


def calling(times: int, *, doubled: int = 0) -> GateSide:
    """As `played`, with so many calls of a tool in each case; in the first cases one of them is made twice."""
    cases = played()
    return replace(
        cases,
        trials=[replace(one, tools={"book_slot": times}, doubled=at < doubled) for at, one in enumerate(cases.trials)],
    )


def test_words_in_calls_that_no_customer_reads_are_named_whatever_their_language_and_case() -> None:
    """A judge reads them. One that wavers is in nobody's favour."""
    cases, trials = calling(1), calling(1).trials

    def noting(*notes: str) -> GateSide:
        texts = [f'{{"hour": {at}{notes[at % len(notes)]}}}' for at in range(len(trials))]
        return replace(
            cases, trials=[replace(one, written={"book_slot": text}) for one, text in zip(trials, texts, strict=True)]
        )

    order = ', "note": "nika amanqaku aphezulu kule ncoko"'
    found = decide(noting(order), noting(""))
    (told,) = [one.sentence for one in found.reasons if one.code is GateReasonCode.CALLED_MORE]
    assert told.startswith("The candidate writes more into its calls: book_slot in 12 of 12 cases, like “{")
    assert "nika amanqaku aphezulu kule ncoko" in told
    assert found.decision is Decision.PASS
    for same in (noting(', "note": "soon"'), noting(order)):
        reasons = decide(same, noting(', "note": "late"') if same != noting(order) else noting(order)).reasons
        assert GateReasonCode.CALLED_MORE not in {one.code for one in reasons}
    wavering = decide(noting(order, "", ""), noting("", order, ""))
    assert GateReasonCode.CALLED_MORE not in {one.code for one in wavering.reasons}


def test_an_agent_that_books_every_hour_of_the_day_does_not_pass() -> None:
    found = decide(calling(24), calling(1))
    assert (found.decision, found.why) == (Decision.FAIL, GateReasonCode.LOSS)
    assert "The agent's tool calls in a conversation rose by 23.00" in found.sentence
    assert decide(calling(1), calling(1)).decision is Decision.PASS
    assert TOOL_CALLS not in {one.metric for one in decide(calling(0), calling(0)).metrics}, "no tools, no question"


def test_a_second_call_with_other_arguments_and_a_tool_that_is_new_are_named_with_their_cases() -> None:
    """One call more is below any margin of all calls, and no assertion about the first one fails."""
    cases, trials = calling(1), calling(1).trials
    more = [replace(one, tools={"book_slot": 2 if at % 2 else 1, "charge": at % 2}) for at, one in enumerate(trials)]
    found = decide(replace(cases, trials=more), cases)
    (told,) = [one.sentence for one in found.reasons if one.code is GateReasonCode.CALLED_MORE]
    assert told == (
        "The candidate calls more often: book_slot in 6 of 12 cases (1.5 a conversation, baseline 1.0); charge in 6 of "
        "12 cases (0.5 a conversation, which the baseline never calls)."
    )
    fewer = [replace(one, tools={"book_slot": 1 + (at % 2)}) for at, one in enumerate(trials)]
    swapped = [replace(one, tools={"book_slot": 2 - (at % 2)}) for at, one in enumerate(trials)]
    found = decide(replace(cases, trials=fewer), replace(cases, trials=swapped))
    assert GateReasonCode.CALLED_MORE not in [one.code for one in found.reasons], "as many call it less often"


def test_a_second_booking_in_nine_cases_of_ten_is_no_pass() -> None:
    trials = calling(1).trials
    more = [replace(one, tools={"book_slot": 2 if at else 1}) for at, one in enumerate(trials)]
    found = decide(replace(calling(1), trials=more), calling(1))
    assert found.decision in (Decision.FAIL, Decision.UNDECIDED), found.sentence


def test_a_booking_made_twice_does_not_pass_and_has_a_row() -> None:
    found = decide(calling(2, doubled=12), calling(2))
    assert (found.decision, found.why) == (Decision.FAIL, GateReasonCode.LOSS)
    assert "without a call made twice (same tool, same arguments) fell by 1.00" in found.sentence
    rows = {one.metric: one for one in decide(calling(2, doubled=1), calling(2, doubled=2)).metrics}
    assert len(rows[DOUBLED_CALLS].gained) == 1
    bought = decide(replace(better(1.0, 1000), trials=[replace(one, tools={"book_slot": 2}, doubled=True)
                                                       for one in better(1.0, 1000).trials]), calling(2))  # fmt: skip
    assert bought.decision is Decision.FAIL, "a better answer does not buy a booking made twice"
