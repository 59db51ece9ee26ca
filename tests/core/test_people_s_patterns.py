"""Regular expressions that people write are Python's, and stop."""

import contextlib
import subprocess
import sys
import time

import pytest

from apps.catalog.connections.domain.profile import parse_profile
from apps.catalog.scenarios.domain.assertions import parse_assertions
from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.scripted import ScriptedAgent
from apps.core.errors import BadInput
from apps.core.patterns import PatternProblem, compile_pattern
from apps.runs.goldens.domain.gates import check_gate_pattern


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


def nested(body, repeat, levels):
    return "(?:" * levels + body + f"){repeat}" * levels


RANGES = "".join(f"{chr(256 + 3 * n)}-{chr(257 + 3 * n)}" for n in range(300))
FILLS_THE_MEMORY = [
    nested("a", "{2}", 13), nested("a+", "{2}", 12), nested("ab", "{2,}", 11), nested("a", "{3,9}", 10),
    nested("a", "{2}?", 13), nested("ab", "+", 20), nested("ab", "{1,3}", 20),
    nested("a", "{2}+", 13), nested("(?=a)", "{2}b", 12), "(?:a{1000}){1000}",
    "(?>(?>a{1000}){1000})", "(a)(?(1)(?:(?:b{99}){99}){99}|c)", f"(?:[{RANGES}]b){{9000}}", "[ab]{60000}",
    nested("[ab]c" * 150, "{2}", 9),
]  # fmt: skip


@pytest.mark.parametrize("pattern", FILLS_THE_MEMORY)
def test_a_pattern_that_would_fill_the_memory_is_refused_by_every_door_before_it_is_written_out(pattern):
    started = time.process_time()
    doors = [
        lambda: parse_profile({"tool_patterns": [{"pattern": pattern, "tool": "t"}]}),
        lambda: parse_profile({"step_agent_patterns": [{"pattern": pattern, "step_agent": "t"}]}),
        lambda: check_gate_pattern(pattern, "/turns/1/wait_for_pattern"),
        lambda: parse_assertions([{"tool": "t", "arguments": {"a": pattern}, "match": "regex"}]),
        lambda: ScriptedAgent(AgentSpec(kind="scripted", address="", options={"rules": [{"when": pattern}]})),
    ]
    for door in doors:
        with pytest.raises(BadInput, match="repeats"):
            door()
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "pattern",
    [nested("a", "{10}", 3), r"(?:\d{3}[-.]){2}\d{4}", ".{2000,}", r"(?:\w{1,40}\s){1,300}", nested("ab", "{2}", 6),
     nested("ab", "{1,3}", 6), nested("ab", "?", 20) + "c", r"[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,63}"],
)  # fmt: skip
def test_repeats_that_people_write_are_taken(pattern):
    assert not compile_pattern(pattern).found_in("no")


def test_no_pattern_fills_the_memory_of_the_process_that_reads_it():
    source = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (600_000_000, 600_000_000))\n"
        "from apps.core.patterns import PatternProblem, compile_pattern\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "for levels in range(1, 40):\n"
        "    for repeat in ('+', '{1,3}', '{2}', '{3}', '{2,}', '{10}', '{31}', '{500}', '{900}', '{19000}'):\n"
        "        for body in ('a', 'a+', '[ab]c', '(a)', '(?:a|b)c', 'a{31}'):\n"
        "            text = '(?:' * levels + body + (')' + repeat) * levels\n"
        "            try: compile_pattern(text)\n"
        "            except PatternProblem: pass\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 100_000  # KB; one such pattern took 3 GB
