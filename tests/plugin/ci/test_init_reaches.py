"""`ratiba-ci init`: two files to begin with, for an agent as it is reached; the rest by --gate."""

from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from pytest_ratiba.ci.main import main
from pytest_ratiba.config import FILE

FIRST = Path("tests/eval/conversations/scenarios/first.yaml")


def init(folder: Path, *more: str) -> dict:
    assert main(["init", "--folder", str(folder), *more]) == 0
    return yaml.safe_load((folder / FILE).read_text())


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "options", [("--address", "salon"), ("--callable", "agent"), ("--address", "http://x", "--on-server")]
)
def test_what_is_no_address_and_no_function_writes_nothing(tmp_path: Path, options: tuple[str, ...]) -> None:
    with suppress(SystemExit):  # two ways at once are argparse's to refuse
        assert main(["init", "--folder", str(tmp_path), *options]) == 2
    assert not files_in(tmp_path)


def test_a_server_is_started_and_is_no_function(tmp_path: Path) -> None:
    written = init(
        tmp_path, "--agent", "salon", "--address", "http://127.0.0.1:9000/chat", "--kind", "http", "--reply", "$.text",
        "--start", "npm start",
    )  # fmt: skip
    assert written["agents"]["salon"] == {
        "address": "http://127.0.0.1:9000/chat",
        "kind": "http",
        "reply": "$.text",
        "start": {"command": "npm start", "ready": "http://127.0.0.1:9000/"},
        "prompts": ["prompts/**"],
    }
    assert files_in(tmp_path) == {FILE, str(FIRST)}
    assert yaml.safe_load((tmp_path / FIRST).read_text())["assertions"] == [{"ended": "script_ended"}]


def test_an_agent_that_the_server_knows_is_named_alone(tmp_path: Path) -> None:
    assert init(tmp_path, "--agent", "helpdesk", "--on-server")["agents"] == {"helpdesk": {"prompts": ["prompts/**"]}}


def test_a_function_brings_its_file_and_its_tools_are_asserted(tmp_path: Path) -> None:
    assert init(tmp_path)["agents"]["agent"]["callable"] == "agent:reply"
    assert files_in(tmp_path) == {FILE, "agent.py", str(FIRST)}
    assertions = yaml.safe_load((tmp_path / FIRST).read_text())["assertions"]
    assert {"tool": "charge_card", "forbidden": True} in assertions


def test_the_gate_comes_later_and_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "gate" not in init(tmp_path, "--address", "http://127.0.0.1:9000/")
    assert "ratiba-ci init --gate" in capsys.readouterr().out
    written = init(tmp_path, "--gate")
    assert written["gate"]["margin"] == 0.5
    assert written["agents"]["agent"]["address"] == "http://127.0.0.1:9000/"
    assert "agent.py" not in files_in(tmp_path)
    assert {".gitignore", ".github/workflows/eval-on-prompt-change.yml"} <= files_in(tmp_path)
    assert "/.venv/" in (tmp_path / ".gitignore").read_text()
    assert init(tmp_path, "--gate") == written
    assert "which has a gate" in capsys.readouterr().out
