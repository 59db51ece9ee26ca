"""The planted pull requests, each with what must come of it; and that a change asks for the right kind of gate."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.core.portable.changes.listed_paths import ListRefused, read_listed_paths
from apps.gates.domain.decision import decide_gate
from apps.gates.domain.gate_markdown import gate_markdown
from apps.gates.domain.gate_states import GateKind
from apps.gates.domain.losses import MetricOutcome
from apps.gates.domain.policy import GatePolicy
from apps.statistics.decision import Decision
from tests.gates.domain.test_escaping import MARKDOWN, gate
from tests.gates.planted import INJECTION, PLANTED, PlantedPullRequest, baseline, kind_by_names
from tests.gates.sides import BASE, played


@pytest.mark.parametrize("planted", PLANTED, ids=lambda one: one.name)
def test_each_comes_out_as_planted(planted: PlantedPullRequest) -> None:
    assert kind_by_names(planted.files) == planted.kind
    decision, why, exit_code, sentence = planted.decided()
    assert (decision, why, exit_code) == (planted.decision, planted.why, planted.exit_code), sentence


def test_one_language_is_named() -> None:
    planted = next(one for one in PLANTED if one.name == "worse in one language")
    found = decide_gate(candidate=planted.candidate(), baseline=baseline(), policy=GatePolicy(), base_commit=BASE)
    lost = {(one.metric, one.language) for one in found.metrics if one.outcome is MetricOutcome.LOSS}
    assert ("score", "sw") in lost
    assert not {("score", "en"), ("passed", "en")} & lost
    assert any(" in sw " in one.sentence for one in found.reasons)


def test_a_soft_tool_check_is_compared_and_found() -> None:
    planted = next(one for one in PLANTED if one.name == "worse only in tool use")
    policy = GatePolicy(soft_checks=("scenario_tools",))
    found = decide_gate(candidate=planted.candidate(), baseline=planted.baseline(), policy=policy, base_commit=BASE)
    (tools,) = [one for one in found.metrics if one.metric == "check:scenario_tools"]
    assert (tools.n, len(tools.lost), len(tools.gained)) == (40, 3, 0)
    assert found.decision is not Decision.FAIL


def test_an_injection_is_words() -> None:
    shown = gate_markdown(gate(INJECTION), address="https://x.test/gates/1/")
    inside = [child for token in MARKDOWN.parse(shown) for child in token.children or ()]
    assert not [one for one in inside if "evil" in str(one.attrGet("href"))]
    assert shown.count("</details>") == 2
    assert not [line for line in shown.splitlines() if line.startswith("::")]


@pytest.mark.parametrize(
    "files, kind",
    [
        (["apps/x.py"], GateKind.ADVISORY),
        (["docs/a.md", "apps/x.py"], GateKind.ADVISORY),
        (["docs/a.md", "apps/x.py", "agent/prompts/hello.txt"], GateKind.BLOCKING),
        (["agent/booking_fsm.py"], GateKind.BLOCKING),
        (["package.json"], GateKind.BLOCKING),
        (["prompts/README.md"], GateKind.BLOCKING),
        (["docs/fsm.md"], GateKind.ADVISORY),
    ],
)
def test_a_change_asks_for_its_kind_of_gate(files: list[str], kind: GateKind) -> None:
    assert kind_by_names(files) == kind


def test_changed_files_are_paths_inside_as_git_writes_them() -> None:
    listed = b'a.py\n\n "docs/b c.md" \n./x.py\n"prompts/\\303\\274.txt"\n'
    assert read_listed_paths(listed) == ["a.py", "docs/b c.md", "x.py", "prompts/ü.txt"]
    assert read_listed_paths(b"prompts/a\nb.txt\0docs/x\0") == ["prompts/a\nb.txt", "docs/x"]
    for bad in (b"/etc/passwd", b"a.py\n../x", b"ok\n\xff"):
        with pytest.raises(ListRefused) as refused:
            read_listed_paths(bad)
        assert refused.value.line == bad.count(b"\n") + 1
    for nothing in (b"", b" \n\n"):
        with pytest.raises(ListRefused, match="names no file"):
            read_listed_paths(nothing)


@given(shift=st.floats(-4, 4), seed=st.integers(0, 50))
@settings(max_examples=25, deadline=None)
def test_nothing_that_is_better_is_called_worse(shift: float, seed: int) -> None:
    """And what is far worse never passes."""
    before = played(20, lambda at, chance: 5 + chance.gauss(0, 0.3), seed, commit=BASE)
    after = played(20, lambda at, chance: 5 + shift + chance.gauss(0, 0.3), seed + 1000)
    found = decide_gate(candidate=after, baseline=before, policy=GatePolicy(), base_commit=BASE)
    if shift > 0.5:
        assert found.decision is Decision.PASS
    if shift < -1.5:
        assert found.decision is Decision.FAIL
