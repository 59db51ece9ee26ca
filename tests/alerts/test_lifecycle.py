"""When people are told of what is wrong, and how often: minute by minute, without a database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.alerts.domain.channels import mail_addresses, web_address
from apps.alerts.domain.conditions import Condition, Rule, Severity
from apps.alerts.domain.lifecycle import AlertState, after_look, key_of, to_tell, to_tell_over
from apps.alerts.domain.wording import Message, MessageLine
from apps.core.errors import BadInput

START = datetime(2026, 11, 23, 9, tzinfo=UTC)


def wrong(key: str = "a", rule: Rule = Rule.RUN_STUCK, severity: Severity = Severity.WARNING) -> Condition:
    return Condition(rule=rule, key=key, sentence=f"{key} is stuck.", severity=severity)


class Watch:
    """Looks once a minute, as workers do."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], AlertState] = {}
        self.messages: list[list[str]] = []
        self.over: list[list[str]] = []
        self.last: datetime | None = None
        self.last_over: datetime | None = None
        self.minute = 0

    def look(self, *found: Condition, times: int = 1) -> "Watch":
        for _ in range(times):
            now = START + timedelta(minutes=self.minute)
            self.known |= after_look(self.known, found, now=now)
            told = to_tell(list(self.known.values()), last_message=self.last, now=now)
            if told:
                self.messages.append([one.condition.key for one in told])
                self.last = now
                for one in told:
                    self.known[key_of(one.condition)] = replace(one, told_at=now)
            over = to_tell_over(list(self.known.values()), last_message=self.last_over, now=now)
            if over:
                self.over.append([one.condition.key for one in over])
                self.last_over = now
                for one in over:
                    self.known[key_of(one.condition)] = replace(one, over_told_at=now)
            self.minute += 1
        return self

    @property
    def open(self) -> int:
        return sum(one.open for one in self.known.values())


def test_an_outage_of_an_hour_is_one_message_and_is_over_after_a_calm_quarter() -> None:
    watch = Watch().look(times=5).look(wrong(), times=60)
    assert (watch.messages, watch.open) == ([["a"]], 1)
    watch.look(times=14)
    assert watch.open == 1
    watch.look(times=2)
    assert (watch.messages, watch.open) == ([["a"]], 0)


def test_what_lasted_and_was_told_is_told_once_to_be_over_an_hour_after_it_was_seen() -> None:
    watch = Watch().look(wrong(rule=Rule.BUDGET), times=5).look(times=59)
    assert (watch.messages, watch.over, watch.open) == ([["a"]], [], 0)
    watch.look(times=24 * 60)
    assert (watch.messages, watch.over) == ([["a"]], [["a"]])


def test_what_happened_and_what_nobody_was_told_of_is_never_told_to_be_over() -> None:
    assert Watch().look(wrong(), times=5).look(times=24 * 60).over == []
    assert Watch().look(wrong(rule=Rule.BUDGET)).look(times=24 * 60).over == []


def test_a_message_holds_nothing_that_this_look_did_not_see() -> None:
    watch = Watch().look(wrong("a"), times=3).look(wrong("a"), wrong("b"), times=10).look(wrong("a"), times=20)
    assert watch.messages == [["a"]]


def test_a_figure_that_flaps_for_a_day_is_one_message() -> None:
    watch = Watch()
    for _ in range(36):
        watch.look(wrong(), times=20).look(times=20)
    assert (watch.minute, len(watch.messages)) == (24 * 60, 1)
    assert watch.known["run_stuck", "a"].times == 36


def test_one_that_flaps_every_minute_for_a_week_is_one_message() -> None:
    watch = Watch()
    for minute in range(7 * 24 * 60):
        watch.look(*([wrong()] if minute % 2 else []))
    assert len(watch.messages) == 1


def test_a_week_without_anything_is_no_message() -> None:
    assert Watch().look(times=7 * 24 * 60).messages == []


def test_twenty_rules_at_once_are_one_message_the_worst_first() -> None:
    many = [wrong(f"k{n:02}", severity=Severity.CRITICAL if n == 7 else Severity.WARNING) for n in range(20)]
    watch = Watch().look(*many, times=60)
    assert [len(one) for one in watch.messages] == [20]
    assert watch.messages[0][0] == "k07"


def test_what_begins_minute_by_minute_is_told_in_few_messages() -> None:
    watch = Watch()
    for n in range(60):
        watch.look(*[wrong(f"k{i:02}") for i in range(n + 1)])
    assert len(watch.messages) == 4
    assert len({key for one in watch.messages for key in one}) == sum(map(len, watch.messages))


def test_what_is_right_again_before_anybody_was_told_tells_nobody() -> None:
    assert Watch().look(wrong()).look(times=60).messages == []


def test_the_same_thing_two_days_later_is_told_again() -> None:
    watch = Watch().look(wrong(), times=10).look(times=2 * 24 * 60).look(wrong(), times=10)
    assert len(watch.messages) == 2


@given(st.lists(st.booleans(), max_size=200))
def test_nothing_is_told_twice_within_a_day_and_nothing_open_is_forgotten(pattern) -> None:
    watch = Watch()
    for present in pattern:
        watch.look(*([wrong()] if present else []))
    assert len(watch.messages) <= 1
    if pattern and pattern[-1]:
        assert watch.open == 1


def test_a_message_says_the_first_twenty_and_counts_the_rest() -> None:
    line = MessageLine(rule="budget", severity="critical", sentence="The month\nis spent.", url="https://a/usage/")
    message = Message(id="msg_1", tenant="spa", lines=[line] * 20, url="https://a/alerts/", count=23, seen_at=START)
    assert message.subject == "[spa] 23 alerts: The month\nis spent."
    assert message.text.endswith(
        "… and 3 more alerts\n\nSeen at 09:00 UTC on 23 November 2026.\nAll alerts: https://a/alerts/"
    )


@pytest.mark.parametrize("text", ["", "amina", "a@b", "a@b.c\r\nBcc: x@y.z", "a@b.example, <c>"])
def test_what_is_no_mail_address_is_refused(text) -> None:
    if "\r" in text:
        assert "\r" not in "".join(mail_addresses("a@b.c\r\nx@y.z"))
        with pytest.raises(BadInput):
            mail_addresses(text)
        return
    with pytest.raises(BadInput):
        mail_addresses(text)


@pytest.mark.parametrize(
    "text", ["", "hooks.example.org", "ftp://x.example/", "https://user:pw@x.example/", "https://"]
)
def test_what_is_no_web_address_is_refused(text) -> None:
    with pytest.raises(BadInput):
        web_address(text)
