"""A replay waits, looks again and nudges before it gives up, and never sends more than it must."""

import asyncio

import pytest

from apps.runs.goldens.domain.gate_keeping import BUFFER_S, MAX_NUDGES, NUDGE, GateKeeper, GateState, in_words


class Agent:
    """An agent whose transcript and replies to nudges are given; its clock is what was slept."""

    def __init__(self, *, transcript=None, nudged=()):
        self.transcript, self.nudged = transcript, list(nudged)
        self.slept, self.sent = 0.0, []

    async def sleep(self, seconds):
        self.slept += seconds

    async def look_again(self):
        return None if self.transcript is None else self.transcript(self.slept)

    async def nudge(self, words):
        self.sent.append(words)
        return self.nudged.pop(0) if self.nudged else "Still working."


def keep(agent, reply, *, word="approved", reply_s=1.0, golden_s=10.0):
    keeper = GateKeeper(
        is_open=lambda text: word in text, nudge=agent.nudge, look_again=agent.look_again, sleep=agent.sleep
    )
    return asyncio.run(keeper.keep(reply, reply_s=reply_s, golden_s=golden_s))


def test_a_reply_that_shows_it_opens_the_gate_at_once():
    agent = Agent()
    found = keep(agent, "The campaign is approved.")
    assert (found.state, found.nudges, agent.slept, agent.sent) == (GateState.MATCHED, 0, 0.0, [])


def test_what_the_transcript_shows_later_opens_it_without_a_word():
    agent = Agent(transcript=lambda slept: "Working … approved." if slept >= 6 else "Working …")
    found = keep(agent, "Working …")
    assert (found.state, found.nudges, agent.sent, found.waited_s) == (GateState.WAITED, 0, [], 6.0)


def test_the_passive_wait_is_what_the_golden_took_and_five_seconds():
    agent = Agent(transcript=lambda _: "Working …", nudged=["approved"])
    found = keep(agent, "Working …", reply_s=4.0, golden_s=30.0)
    assert found.state is GateState.NUDGED
    assert found.waited_s == pytest.approx(30.0 - 4.0 + BUFFER_S)


@pytest.mark.parametrize("reply_s, golden_s", [(50.0, 30.0), (1.0, None)])
def test_a_reply_slower_than_the_golden_or_an_unknown_time_waits_five_seconds(reply_s, golden_s):
    agent = Agent(nudged=["approved"])
    assert keep(agent, "…", reply_s=reply_s, golden_s=golden_s).waited_s == pytest.approx(BUFFER_S)


def test_where_no_transcript_is_kept_the_agent_gets_its_time_and_then_one_nudge():
    agent = Agent(nudged=["It is approved now."])
    found = keep(agent, "Working …")
    assert (found.state, found.nudges, agent.sent) == (GateState.NUDGED, 1, [NUDGE])
    assert agent.slept == pytest.approx(14.0)


def test_after_three_nudges_nothing_more_is_sent():
    agent = Agent(transcript=lambda _: "Something else.")
    found = keep(agent, "Something else.")
    assert (found.state, found.nudges, agent.sent) == (GateState.DESYNC, MAX_NUDGES, [NUDGE] * MAX_NUDGES)


def test_what_comes_in_parts_opens_the_gate_together():
    agent = Agent(nudged=["ap", "approved"])
    assert keep(agent, "…").nudges == 2


def test_a_sensed_pattern_is_told_in_words_and_any_other_as_it_is():
    sensed = r"(?i)(?:\bapprove[\W_]{1,6}these\b|\baudience\b)"
    assert in_words(sensed) == '"approve these" or "audience"'
    assert in_words(r"(?is:\bslot\b|\A(?=.*?\bslot\b)(?=.*?\bfree\b))|(?i:\bat ten\b)") == (
        '"slot" or "at ten"'
    )  # a gate that was opened for a further wording
    assert in_words(r"^a+$") == repr(r"^a+$")


def test_a_choice_of_cues_is_told_without_what_another_way_opens_already():
    both = r"\A(?=.*?\b{}\b)(?=.*?\b{}\b)"
    pattern = "(?is)" + "|".join([r"\bbooked\b", both.format("booked", "party"), both.format("request", "party")])
    assert in_words(pattern) == '"booked" or "request" with "party"'
