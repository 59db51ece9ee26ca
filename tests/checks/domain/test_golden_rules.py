"""The checks of a golden session that go by rule."""

import asyncio
from dataclasses import replace

import pytest

from apps.catalog.scenarios.domain.expected_arguments import ArgumentMatch
from apps.checks.domain.golden_latency import latency_finding
from apps.checks.domain.golden_tools import differences, tool_findings
from apps.checks.metrics.base import Case, MetricError, NotApplicable
from apps.checks.metrics.registry import METRICS
from apps.runs.goldens.domain.checks import GOLDEN_CHECKS
from apps.runs.goldens.domain.replayed import ReplayedConversation, ReplayedTurn, ToolUse, expected_tools


def turn(*, expected=(), used=(), at=0, **more):
    tools = tuple(one if isinstance(one, ToolUse) else ToolUse(name=one) for one in used)
    return ReplayedTurn(
        position=at, sent="", golden_reply="", at=at, tools=tools,
        expected_tools=expected_tools(expected), **more,
    )  # fmt: skip


def use(name, status="", **arguments):
    return ToolUse(name=name, arguments=arguments, status=status)


def measured(name, *turns, **more):
    replay = ReplayedConversation(golden="g", transport="agentx", turns=turns, **more)
    return asyncio.run(METRICS[name].measure(Case(id="c", turns=(), replay=replay), None))


def test_every_check_of_a_golden_session_is_there():
    assert set(GOLDEN_CHECKS) <= set(METRICS)


# --- Tools ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "expected, actual, found",
    [
        ("+254712345678", "0712 345 678", []),  # one number, written otherwise
        ("+254712345678", "+254 7** *** 678", []),  # as a tenant that masks has stored it
        ("+254712345678", "+254712995678", ["$.p is another value than the expected one; masked, both read "]),
        ("+254712345678", "0712345679", ["$.p is '0712345679' (expected '+254712345678')"]),
        ("0712", "712", ["$.p is '712' (expected '0712')"]),  # no phones
        ("Call 0712345678", "Call +254712345678", ["$.p is another value than the expected one; masked, both read "]),
        ("0712345678", 712345678, ["$.p is 712345678 (expected '0712345678')"]),  # a text is no number
    ],
)
@pytest.mark.parametrize("match", [ArgumentMatch.EXACT, ArgumentMatch.SUBSET])
def test_phones_are_compared_by_value_and_masked_ones_are_told_apart_in_words(expected, actual, found, match):
    told = list(differences({"p": expected}, {"p": actual}, match=match))
    assert len(told) == len(found)
    assert all(one.startswith(start) for one, start in zip(told, found, strict=True))


def test_a_missing_tool_fails_in_the_seeds_words_and_a_further_one_is_told():
    found = measured("tool_invocations_match_golden", turn(expected=["search", "book"], used=["search", "pay"]))
    assert found.score == 0.5
    assert found.reason == "Missing tools {book}. Got: {pay, search} Called in addition: pay."


def test_a_plain_name_may_be_called_in_another_turn():
    assert measured("tool_invocations_match_golden", turn(expected=["book"]), turn(used=["book"], at=2)).score == 1.0


@pytest.mark.parametrize(
    "entry, used, fault",
    [
        ({"name": "book", "arguments": {"day": "mon"}}, use("book", day="tue"), "$.day is 'tue' (expected 'mon')"),
        ({"name": "book", "arguments": {"a": {"b": [1, 2]}}}, use("book", a={"b": [1, 3]}), "$.a.b[1] is 3"),
        ({"name": "book", "arguments": {"day": "mon"}}, use("book"), "$.day is missing"),
        ({"name": "book", "arguments": {"x": 1}, "match": "exact"}, use("book", x=1, y=2), "$.y is not in the golden"),
        ({"name": "book", "arguments": {"x": "^a+$"}, "match": "regex"}, use("book", x="b"), "match '^a+$'"),
        ({"name": "book", "status": "ok"}, use("book", status="error"), "status error, expected ok"),
        ({"name": "book", "forbidden": True}, use("book"), "is forbidden here and was called"),
        ({"name": "book", "arguments": {"x": 1}}, use("other"), "book was not called in this turn"),
        ({"name": "book", "arguments": {"x": 1}}, ToolUse(name="book"), "not shown by this transport"),
    ],
)  # fmt: skip
def test_the_failure_prints_where_the_arguments_differ(entry, used, fault):
    found = tool_findings([turn(expected=[entry], used=[used], at=4)])
    ((at, why, _),) = found.faults
    assert at == 4
    assert fault in why


@pytest.mark.parametrize(
    "entry, used",
    [
        ({"name": "book", "arguments": {"x": 1}}, use("book", x=1, y=2)),
        ({"name": "book", "arguments": {"x": "^a+$"}, "match": "regex"}, use("book", x="aaa")),
        ({"name": "book", "forbidden": True}, use("other")),
    ],
)
def test_what_was_expected_holds(entry, used):
    assert tool_findings([turn(expected=[entry], used=[used])]).faults == ()


def test_one_fitting_call_of_several_is_enough():
    used = [use("book", x=2), use("book", x=1)]
    assert tool_findings([turn(expected=[{"name": "book", "arguments": {"x": 1}}], used=used)]).faults == ()


def test_order_counts_where_it_is_asked_for():
    entries = [{"name": "search", "order": True}, {"name": "book", "order": True}]
    assert tool_findings([turn(expected=entries, used=["search", "book"])]).faults == ()
    assert len(tool_findings([turn(expected=entries, used=["book", "search"])]).faults) == 1


def test_true_is_not_one():
    assert list(differences({"x": 1}, {"x": True}, match=ArgumentMatch.SUBSET))


def test_nothing_expected_does_not_apply():
    with pytest.raises(NotApplicable):
        measured("tool_invocations_match_golden", turn(used=["book"]))


BOOKED = {"name": "book", "arguments": {"service": "braids"}, "match": "subset", "left_out": ["slot_id"]}


def test_a_call_that_the_golden_session_shows_twice_is_needed_twice():
    found = tool_findings([turn(expected=[BOOKED, BOOKED], used=[use("book", service="braids")])])
    assert [one.why for one in found.faults] == ["book was called once in this turn, expected 2 times."]
    assert (found.met, found.expected) == (1, 2)


def test_each_expected_call_has_one_of_its_own_whatever_their_order():
    loose = {"name": "book", "arguments": {}, "left_out": []}
    used = [use("book", service="braids", slot_id="S-9"), use("book", service="cut")]
    assert tool_findings([turn(expected=[loose, BOOKED], used=used)]).faults == ()


def test_names_are_counted_over_the_session():
    found = measured(
        "tool_invocations_match_golden", turn(expected=["search"]), turn(expected=["search"], used=["search"])
    )
    assert (found.score, found.reason) == (0.5, "search was called once, in the golden session 2 times.")


def test_a_captured_call_whose_arguments_nobody_shows_is_held_by_its_name_and_says_so():
    found = measured("tool_invocations_match_golden", turn(expected=[BOOKED], used=[ToolUse(name="book")]))
    assert found.score == 1.0
    assert "its arguments are not shown: book" in found.reason
    assert "Missing" not in found.reason


# --- Figures ----------------------------------------------------------------------------------------------------------
def said(golden, now, position=0, **more):
    return ReplayedTurn(position=position, number=position + 1, sent="How much?", golden_reply=golden, reply=now,
                        at=position, **more)  # fmt: skip


@pytest.mark.parametrize(
    "golden, now, score",
    [
        ("Braids cost KES 1,500 on 3 May 2026 at 14:30.", "At 2:30 pm on 2026-05-03, for Ksh 1500.", 1.0),
        ("Braids cost KES 1,500.", "Braids cost KES 1,800.", 0.0),
        ("See you on 3 May 2026.", "See you on 4 May 2026.", 0.0),
        ("We open at 9:00.", "We open at 10:00.", 0.0),
        ("It costs 500/= and the other 900/=.", "It costs 900/= and the other 500/=.", 0.0),
        ("Braids cost KES 1,500.", "Braids are our best offer.", 1.0),  # left out is no other figure
        ("Your booking BK-100 costs KES 20.", "Your booking BK-200 costs KES 20.", 1.0),  # ids change
    ],
)
def test_a_figure_that_became_another_one_fails_by_rule(golden, now, score):
    assert measured("figures_match_golden", said(golden, now)).score == score


def test_a_time_that_the_customer_named_decides_on_every_day():
    booked = said("Booked for Saturday 21 November at 11:30 am.", "Booked for Saturday 28 November at 12:30 pm.")
    asked = replace(booked, sent="Saturday at 11:30 please")
    with pytest.raises(NotApplicable, match="those of the day it was recorded"):
        measured("figures_match_golden", replace(booked, sent="Saturday please"), dates_move=False)
    assert measured("figures_match_golden", asked, dates_move=False).score == 0.0
    kept = replace(asked, reply="Booked for Saturday 28 November at 11:30 am.")
    assert measured("figures_match_golden", kept, dates_move=False).score == 1.0


def test_dates_of_the_day_it_was_recorded_decide_nothing_and_money_does():
    turns = said("Saturday 21 November at 9:00, KES 4,500.", "Saturday 28 November at 10:00, KES 4,500.")
    found = measured("figures_match_golden", turns, dates_move=False)
    assert (found.score, "same figures" in found.reason) == (1.0, False)
    assert "Dates and times are not held" in found.reason  # the page shows under it what moved, as does the sentence
    assert "became" in found.reason
    assert measured("figures_match_golden", turns).score == 0.0
    dearer = said("Saturday 21 November, KES 4,500.", "Saturday 28 November, KES 5,500.")
    assert measured("figures_match_golden", dearer, dates_move=False).score == 0.0
    hours = said("We open at 9:00.", "We open at 10:00.")
    assert measured("figures_match_golden", hours, dates_move=False).score == 0.0


def test_figures_without_a_golden_one_do_not_apply_and_a_lost_replay_is_no_pass():
    with pytest.raises(NotApplicable):
        measured("figures_match_golden", said("Welcome!", "Hello!"))
    lost = said("It costs KES 5.", "Pardon?", position=1, gate="desync")
    with pytest.raises(MetricError):
        measured("figures_match_golden", said("It costs KES 5.", "It costs KES 5."), lost)
    wrong = said("It costs KES 5.", "It costs KES 6.")
    assert measured("figures_match_golden", wrong, lost).score == 0.5  # half of the replies that name figures


# --- Latency ----------------------------------------------------------------------------------------------------------
def timed(*pairs):
    return [turn(at=2 * n, latency_s=now, golden_latency_s=golden) for n, (now, golden) in enumerate(pairs)]


def test_three_times_slower_in_all_turns_fails_by_the_total():
    found = latency_finding(timed((6, 2), (9, 3), (3, 1)))
    assert (found.decision, found.turn) == ("fail", None)
    assert "18.0 s in all, 6.0 s in the golden session" in found.reason


def test_one_turn_of_four_times_fails_at_that_turn():
    found = latency_finding(timed((1, 10), (40, 9)))
    assert (found.decision, found.turn) == ("fail", 2)


def test_a_quicker_and_a_little_slower_agent_passes():
    assert latency_finding(timed((1, 2), (2.2, 2))).decision == "pass"


@pytest.mark.parametrize("seconds, decision", [(29, "pass"), (31, "fail")])
def test_thirty_seconds_where_the_golden_has_no_time(seconds, decision):
    assert latency_finding(timed((seconds, None))).decision == decision


@pytest.mark.parametrize(
    "repeats, decision",
    [((10, 10.5, 9.8, 10.1), "pass"), ((30, 31, 29, 30), "fail"), ((6, 40, 12, 30), "undecided")],
)
def test_repeats_are_tested_and_not_counted_one_by_one(repeats, decision):
    assert latency_finding(timed((6, 5), (4, 5)), repeats_s=repeats).decision == decision


def test_an_agent_that_takes_less_than_a_second_is_not_measured_by_our_machine():
    assert latency_finding(timed((0.5, 0.05), (0.45, 0.1))).decision == "pass"
    assert latency_finding(timed((1.6, 0.05), (0.1, 0.1))).decision == "fail"


@pytest.mark.parametrize("load, decision", [(None, "fail"), (1.0, "fail"), (1.6, "undecided")])
def test_a_busy_machine_of_ours_leaves_it_undecided(load, decision):
    turns = [turn(at=0, latency_s=40, golden_latency_s=9, host_load=load), turn(at=2, latency_s=1, golden_latency_s=9)]
    found = latency_finding(turns)
    assert (found.decision, "machine was busy" in found.reason) == (decision, decision == "undecided")
    assert latency_finding([turn(at=0, latency_s=1, golden_latency_s=9, host_load=9.0)]).decision == "pass"


def test_without_a_time_nothing_is_measured():
    with pytest.raises(MetricError, match="no turn of this replay was timed"):
        measured("latency_regression", turn())


# --- Cases and step agents --------------------------------------------------------------------------------------------
def stages(**statuses):
    return [{"name": name, "status": status} for name, status in statuses.items()]


DONE = {"id": "C-1", "status": "Resolved", "stages": stages(Intake="completed", Send="completed")}
HALF = {"id": "C-2", "status": "Open", "stages": stages(Intake="completed", Send="active")}


def test_a_case_that_stopped_half_way_fails_and_the_stage_is_named():
    found = measured("case_lifecycle", turn(), golden_case=DONE, case=HALF, sees_cases=True)
    assert found.reason == "The stage 'Send' was not completed. The case is Open; it was Resolved."
    assert measured("case_lifecycle", turn(), golden_case=DONE, case={**DONE, "id": "C-9"}, sees_cases=True).score == 1
    assert measured("case_lifecycle", turn(), golden_case=DONE, case=None, sees_cases=True).score == 0


def test_a_transport_that_cannot_look_leaves_the_case_unmeasured():
    with pytest.raises(MetricError, match="transport agentx cannot look at cases"):
        measured("case_lifecycle", turn(), golden_case=DONE)
    with pytest.raises(NotApplicable):
        measured("case_lifecycle", turn(), sees_cases=True)


def test_a_step_agent_may_be_seen_in_the_words_or_in_the_case():
    line = turn(expected_step_agents=("Audience", "Content"), step_agents=("Audience",))
    assert measured("step_agents_detected", line, step_agents=("Content",)).score == 1.0
    with pytest.raises(MetricError, match="transport agentx cannot look for Prefill in the case"):
        measured("step_agents_detected", turn(), expected_step_agents=("Prefill",))
    assert measured("step_agents_detected", turn(), expected_step_agents=("Prefill",), sees_cases=True).score == 0
    found = measured("step_agents_detected", line)
    assert (found.score, "Not seen: Content." in found.reason) == (0.5, True)


def test_a_tool_of_which_only_the_golden_calls_may_stand_fails_where_it_is_called_once_more():
    expected = [{"name": "book", "arguments": {"hour": 9}, "only": True}]
    right = measured("tool_invocations_match_golden", turn(expected=expected, used=[use("book", hour=9)]))
    assert right.score == 1
    twice = measured(
        "tool_invocations_match_golden",
        turn(expected=expected, used=[use("book", hour=9)]), turn(used=[use("book", hour=10)], at=2),
    )  # fmt: skip
    assert twice.score == 0
    assert "book was called 2 times, and only once is asserted." in twice.reason


def test_a_golden_call_that_says_how_often_fails_where_it_is_called_once_more_or_less():
    expected = [{"name": "book", "arguments": {"hour": 9}, "times": 2}]
    for often, score in ((2, 1), (1, 0), (3, 0)):
        found = measured("tool_invocations_match_golden", turn(expected=expected, used=[use("book", hour=9)] * often))
        assert (found.score == 1) is (score == 1), (often, found.reason)


def test_calls_that_stand_in_a_golden_session_and_are_not_held_are_counted_in_the_reason():
    shown = turn(golden_calls=(ToolUse(name="book"), ToolUse(name="pay")))
    with pytest.raises(NotApplicable, match="2 calls stand in the golden session and none is held to"):
        measured("tool_invocations_match_golden", shown)
