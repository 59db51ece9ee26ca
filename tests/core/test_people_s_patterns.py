"""Regular expressions that people write are Python's, and stop."""

import contextlib
import time

import pytest

from apps.catalog.domain.profile import parse_profile
from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.scripted import ScriptedAgent
from apps.core.errors import BadInput
from apps.core.patterns import PatternProblem, compile_pattern


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*)*x", r"(\w+\s?)*$", "(?=(a+)+$)b"])
def test_a_pattern_that_would_run_for_ever_is_stopped(pattern):
    compiled = compile_pattern(pattern)
    started = time.process_time()
    with contextlib.suppress(PatternProblem):
        compiled.found_in("a" * 5_000 + "!")
    assert time.process_time() - started < 2


def test_ordinary_patterns_read_as_pythons_do():
    assert compile_pattern("creat.*case.*\\[S-\\d+\\]").found_in("I created the case [S-12]")
    assert compile_pattern("HELLO", ignore_case=True).found_in("hello")
    assert not compile_pattern("HELLO").found_in("hello")


@pytest.mark.parametrize("pattern", ["(", "a" * 1_001, "(" * 900, "a{99999999999999999999}", "(?P<x>a)(?P<x>b)"])
def test_a_pattern_at_fault_is_refused_at_its_field(pattern):
    with pytest.raises(BadInput) as caught:
        parse_profile({"tool_patterns": [{"pattern": pattern, "tool": "t"}]})
    assert caught.value.pointer == "/profile/tool_patterns/0/pattern"
    with pytest.raises(BadInput):
        ScriptedAgent(AgentSpec(kind="scripted", address="", options={"rules": [{"when": pattern, "say": "x"}]}))
