"""Golden conversations: a changed one fails until a person accepted it at a terminal, and nothing else accepts."""

import os
import pty
import select
import subprocess
import sys
import time

import pytest

TEST = """
    TURNS = [{{"role": "user", "content": "Habari, simu yangu ni 0712 345 678"}},
             {{"role": "assistant", "content": "{reply}",
              "tool_calls": [{{"name": "slots", "arguments": {{"day": 2}}}}]}}]

    def test_booking(conversation_snapshot):
        conversation_snapshot(TURNS, "booking", language="sw")
"""
PROGRAM = "import sys; from pytest_ratiba.ci.main import main; sys.exit(main())"


def review(project, *answers: str, **variables: str) -> tuple[int, str]:
    """`ratiba-ci snapshots review` at a terminal of its own, which types the answers when it is asked."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "snapshots", "review"], cwd=project.folder, stdin=follower, stdout=follower,
        stderr=follower, env=project.environment() | variables,
    )  # fmt: skip
    os.close(follower)
    shown, waiting, deadline = b"", list(answers), time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([leader], [], [], 0.2)[0]:
            try:
                shown += os.read(leader, 65536)
            except OSError:
                break
            if shown.endswith(b"[q]uit: ") and waiting:
                os.write(leader, waiting.pop(0).encode() + b"\n")
        elif process.poll() is not None:
            break
    os.close(leader)
    return process.wait(30), shown.decode()


def play(project, reply: str, *arguments: str):
    project.write("test_it.py", TEST.format(reply=reply))
    return project.pytest("-q", *arguments)


@pytest.fixture
def accepted(user_project):
    """A project with one accepted conversation."""
    done = play(user_project, "Karibu")
    assert done.returncode == 1
    assert "nobody has accepted this conversation yet" in done.stdout
    code, shown = review(user_project, "a")
    assert code == 0, shown
    assert play(user_project, "Karibu").returncode == 0
    return user_project


def file_of(project):
    return project.folder / "tests/eval/snapshots/booking.yaml"


def test_a_changed_conversation_fails_until_a_person_accepts_it(accepted):
    before = file_of(accepted).read_text()
    assert "0712" not in before
    done = play(accepted, "Kwaheri")
    assert done.returncode == 1
    assert "booking differs in turn 1" in done.stdout
    assert "other words: 'Karibu' became 'Kwaheri'" in done.stdout
    assert "1 snapshots wait for a person" in done.stdout
    assert accepted.command("snapshots", "list").returncode == 1
    code, shown = review(accepted, "s")
    assert (code, file_of(accepted).read_text()) == (1, before)
    assert "-  content: Karibu" in shown
    assert "+  content: Kwaheri" in shown
    code, _ = review(accepted, "a")
    assert code == 0
    assert "Kwaheri" in file_of(accepted).read_text()
    assert play(accepted, "Kwaheri").returncode == 0
    assert accepted.command("snapshots", "list").returncode == 0


def test_nothing_accepts_without_a_person(accepted):
    before = file_of(accepted).read_text()
    play(accepted, "Kwaheri")
    for words in (("review",), ("review", "--yes"), ("review", "--accept"), ("accept",)):
        assert accepted.command("snapshots", *words).returncode == 2
    for variable in ("CI", "GITHUB_ACTIONS", "GITLAB_CI"):
        code, shown = review(accepted, "a", **{variable: "true"})
        assert code == 2
        assert "not in CI" in shown
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "snapshots", "review"], cwd=accepted.folder, env=accepted.environment(),
        input="a\n", capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert "at a terminal" in done.stderr
    assert file_of(accepted).read_text() == before


def test_refused_means_the_accepted_one_stays_and_stale_is_not_accepted(accepted):
    before = file_of(accepted).read_text()
    play(accepted, "Kwaheri")
    assert review(accepted, "r")[0] == 0
    assert file_of(accepted).read_text() == before
    play(accepted, "Kwaheri")
    file_of(accepted).write_text(before.replace("Karibu", "Karibuni"))
    code, shown = review(accepted, "a")
    assert code == 1
    assert "changed since" in shown
    assert "Karibuni" in file_of(accepted).read_text()


def test_what_a_model_said_does_not_steer_the_terminal(user_project):
    play(user_project, "\\x1b[2J\\x1b]0;owned\\x07 sawa")
    _, shown = review(user_project, "s")
    assert "\x1b[2J" not in shown
    assert "\x1b]0;" not in shown


def test_nor_does_it_in_the_words_of_a_failure(user_project):
    lines = [
        "import pytest", "from pytest_ratiba.outcomes import CaseUnmeasurable", "",
        "def test_failing(ratiba_project):", "    pytest.fail('said: \\x1b[2J\\u202e', pytrace=False)", "",
        "def test_raising(ratiba_project):", "    raise CaseUnmeasurable('said: \\x1b[2J\\u202e')",
    ]  # fmt: skip
    user_project.write("test_words.py", "\n".join(lines))
    done = user_project.pytest("-q", "test_words.py")
    assert done.stdout.count("said: \ufffd[2J\ufffd") >= 2, done.stdout
    assert "\u202e" not in done.stdout
    assert "\x1b[2J" not in done.stdout


def test_moments_and_ids_may_move_and_unused_files_are_named_for_whole_suites_only(accepted):
    other = accepted.folder / "tests/eval/snapshots/gone.yaml"
    other.write_text("id: gone\nturns: [{role: user, content: Habari}]\n")
    assert "snapshot that no test asked for: tests/eval/snapshots/gone.yaml" in play(accepted, "Karibu").stdout
    assert "no test asked for" not in play(accepted, "Karibu", "-k", "booking").stdout
    assert "no test asked for" not in play(accepted, "Karibu", "test_it.py::test_booking").stdout
    done = play(accepted, "Karibu", "-n", "2", "-p", "xdist")
    assert "tests/eval/snapshots/gone.yaml" in done.stdout, done.stdout
    assert "booking.yaml" not in done.stdout


def test_a_file_that_is_no_conversation_is_told(accepted):
    file_of(accepted).write_text("id: booking\nturns: [{role: user, contents: x}]\n")
    done = play(accepted, "Karibu")
    assert "booking.yaml: turn 0: unknown key 'contents'" in done.stdout
