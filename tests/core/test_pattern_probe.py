"""A pattern that could hold a worker for ever is refused where it is saved, in bounded time."""

import contextlib
import time

import pytest

from apps.core.pattern_probe import refuse_slow_pattern, slow_pattern_warning
from apps.core.patterns import PatternProblem, compile_pattern

HOSTILE = [
    "(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*)*x", r"(\w+\s?)*$", "(?=(a+)+$)b", r"^(([a-z])+.)+[A-Z]([a-z])+$",
    "(x+x+)+y", "([a-zA-Z0-9]+)*@", r"(\d+\s*)+kg", "foo(bar(b+)*)*z", "(?:a*)*b", "((a*)|b)*c", "(a?b?)*(a+)+c",
    r"(.*)\1{50}x", r"(?P<one>\w+)(?:-(?P=one))*!",
]  # fmt: skip
HARMLESS = [
    r"creat.*case.*\[S-\d+\]", r"(?:case\s+stages|(?:current|active)\s+stage)", r"\s+$", r"(?:\w+\s)+done",
    r"(?i)\bcampaign[\W_]{1,6}brief\b", r"(?is)(?=.*?\bhead\b)(?=.*?\btail\b)", r"(\d{3},)+\d{3}", "(?:ab)+", "x*y*z*",
    r"(\w+) \1", r"([-=])\1{5}",
]  # fmt: skip


@pytest.mark.parametrize("pattern", HOSTILE)
def test_hostile_patterns_are_refused_within_seconds(pattern):
    started = time.process_time()
    with pytest.raises(PatternProblem):
        refuse_slow_pattern(compile_pattern(pattern, ignore_case=True))
    assert time.process_time() - started < 3


@pytest.mark.parametrize("pattern", HARMLESS)
def test_ordinary_patterns_pass(pattern):
    refuse_slow_pattern(compile_pattern(pattern, ignore_case=True))


def test_a_reply_of_a_megabyte_is_bounded():
    pattern = compile_pattern(r"creat.*case.*\[S-\d+\]", ignore_case=True)
    reply = "creat case [S- " * 70_000
    started = time.process_time()
    with contextlib.suppress(PatternProblem):
        pattern.found_in(reply)
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "pattern", [r"(.+)\1x", r".*.*.*x", r"(?:\w+)(\w+)[a-z]+!", r"x|\d+\d*\d+y", r"(?P<a>a*)(?P=a)b"]
)
def test_what_is_only_slow_on_long_replies_is_warned_of(pattern):
    refuse_slow_pattern(compile_pattern(pattern))
    assert "cut short and finds nothing" in slow_pattern_warning(pattern)


@pytest.mark.parametrize("pattern", [*HARMLESS, r".*booked.*for.*", r"\w+\s+\w+\s+\w+", r"(\d)\1", r"a+b+c+"])
def test_patterns_that_people_write_are_not_warned_of(pattern):
    assert slow_pattern_warning(pattern) == ""
