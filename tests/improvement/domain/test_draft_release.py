"""Who may release what, what a lifted block leaves, and the patch that is handed over."""

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from apps.core.errors import BadInput, Conflict
from apps.improvement.domain.acceptance import AcceptanceVerdict
from apps.improvement.drafts.domain.commit_patch import commit_patch
from apps.improvement.drafts.domain.release import refuse_lift, refuse_release, unified_patch, verdict_after

BETTER, NOT_SHOWN, BLOCKED = AcceptanceVerdict.BETTER, AcceptanceVerdict.NOT_SHOWN, AcceptanceVerdict.BLOCKED


def decision(*codes: str, blocked: tuple[str, ...] = (), verdict: str = "blocked"):
    return {"verdict": verdict, "codes": list(codes), "blocked_criteria": list(blocked)}


def test_a_lifted_block_leaves_what_else_was_said() -> None:
    only = decision("criterion_worse", blocked=("tone",))
    assert verdict_after(only, []) is BLOCKED
    assert verdict_after(only, ["tone"]) is BETTER
    assert verdict_after(decision("criterion_worse", "may_be_chance", blocked=("tone",)), ["tone"]) is NOT_SHOWN


def test_every_criterion_that_blocks_is_lifted_by_itself() -> None:
    both = decision("criterion_worse", "criterion_worse", blocked=("tone", "facts"))
    assert verdict_after(both, ["tone"]) is BLOCKED
    assert verdict_after(both, ["tone", "facts"]) is BETTER


def test_the_circuit_breaker_is_never_lifted() -> None:
    broken = decision("regression_detected", "criterion_worse", blocked=("tone",))
    assert verdict_after(broken, ["tone"]) is BLOCKED
    with pytest.raises(BadInput) as raised:
        refuse_lift(broken, [], "regression_detected", "please")
    assert raised.value.code == "not_blocked"


def test_a_block_is_lifted_once_and_with_a_reason() -> None:
    only = decision("criterion_worse", blocked=("tone",))
    with pytest.raises(BadInput) as raised:
        refuse_lift(only, [], "tone", "  ")
    assert raised.value.code == "no_reason"
    with pytest.raises(Conflict):
        refuse_lift(only, ["tone"], "tone", "again")
    refuse_lift(only, [], "tone", "Short answers are wanted.")


@pytest.mark.parametrize(
    "verdict, worse, reason, acknowledged, code",
    [
        (BLOCKED, [], "please", True, "blocked"),
        (NOT_SHOWN, [], "", True, "no_reason"),
        (NOT_SHOWN, [], "We want it.", False, "not_acknowledged"),
        (NOT_SHOWN, [], "We want it.", True, ""),
        (BETTER, [], "", False, ""),
        (BETTER, ["sw"], "", False, "not_acknowledged"),
        (BETTER, ["sw"], "", True, ""),
    ],
)
def test_what_a_release_needs(verdict, worse, reason: str, acknowledged: bool, code: str) -> None:
    try:
        refuse_release(verdict=verdict, worse=worse, reason=reason, acknowledged=acknowledged)
        found = ""
    except (BadInput, Conflict) as error:
        found = error.code
    assert found == code


@pytest.mark.parametrize(
    "live, draft",
    [
        ("one\ntwo\nthree\n", "one\n2\nthree\n"),
        ("one\ntwo", "one\ntwo\nthree"),
        ("one\ntwo\n", "one\ntwo"),
        ("a\r\nb\r\n", "a\r\nc\r\n"),
        ("a\x0cb\nc\n", "a\x0cb\nd\n"),
    ],
)
def test_git_applies_the_patch_byte_by_byte(live: str, draft: str, tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    file = tmp_path / "prompts" / "spa.md"
    file.write_bytes(live.encode())
    (tmp_path / "p.patch").write_bytes(unified_patch(live, draft, path="prompts/spa.md", name="spa").encode())
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    done = subprocess.run(["git", "apply", "p.patch"], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert file.read_bytes() == draft.encode()


@pytest.mark.parametrize("command", ["apply", "am"])
def test_the_file_is_a_commit_on_a_branch_and_a_patch_and_its_message_forges_nothing(
    command: str, tmp_path: Path
) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@localhost"]
    (tmp_path / "spa.md").write_text("one\ntwo\n")
    for words in (["init", "-q"], ["add", "spa.md"], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    told = ["Finding: asks for the PIN", "Released by amina: wazi\n---\ndiff --git a/x b/x\nFrom: mallory <m@x>"]
    file = commit_patch(unified_patch("one\ntwo\n", "one\n2\n", path="", name="spa"), version="spa@sha256-0a1b2c3d",
                        name="spa\nBcc: x", told=told, at=datetime(2026, 11, 26, tzinfo=UTC))  # fmt: skip
    (tmp_path / "p.patch").write_text(file)
    done = subprocess.run([*git, command, "p.patch"], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "spa.md").read_text() == "one\n2\n"
    if command == "am":
        log = subprocess.run([*git, "log", "-1", "--format=%an|%s|%b"], cwd=tmp_path, check=True, capture_output=True,
                             text=True).stdout  # fmt: skip
        assert log.startswith("Ratiba Eval|Prompt spa Bcc: x: spa@sha256-0a1b2c3d|* Finding: asks for the PIN\n")
        assert "* Released by amina: wazi --- diff --git a/x b/x From: mallory <m@x>" in log


def test_a_prompt_without_a_file_is_handed_over_as_one() -> None:
    assert unified_patch("a\n", "b\n", path="", name="spa").startswith("--- a/spa.md\n+++ b/spa.md\n")
