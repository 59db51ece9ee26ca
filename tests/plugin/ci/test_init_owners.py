"""`ratiba-ci init`: who looks at a change of what decides, or a plain word that nobody has to."""

from pathlib import Path

import pytest

from pytest_ratiba.ci.main import main


def init(folder: Path, *more: str) -> str:
    (folder / ".github").mkdir(exist_ok=True)
    assert main(["init", "--gate", "--folder", str(folder), *more]) == 0
    path = folder / ".github" / "CODEOWNERS"
    return path.read_text() if path.exists() else ""


def test_the_owner_owns_workflow_rule_prompts_and_scenarios(tmp_path: Path) -> None:
    owners = init(tmp_path, "--owner", "@team")
    for path in ("/.github/", "/ratiba.yaml", "/pyproject.toml", "/prompts/", "/tests/eval/"):
        assert f"{path} @team" in owners.splitlines()


def test_whoever_owns_everything_owns_these_too(tmp_path: Path) -> None:
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github" / "CODEOWNERS").write_text("* @all @others\n/docs/ @writers\n")
    assert "/ratiba.yaml @all @others" in init(tmp_path).splitlines()


def test_without_an_owner_it_says_that_it_wrote_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert init(tmp_path) == ""
    assert "No CODEOWNERS was written" in capsys.readouterr().out


def test_owners_that_are_written_already_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    owners = init(tmp_path, "--owner", "@team")
    capsys.readouterr()
    assert init(tmp_path) == owners
    said = capsys.readouterr().out
    assert "kept     " + str(tmp_path / ".github" / "CODEOWNERS") in said
    assert "No CODEOWNERS" not in said


def test_it_says_what_the_gate_needs_besides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    init(tmp_path)
    assert "name an `evaluator_config:` of your server in ratiba.yaml, and write 8 scenarios" in capsys.readouterr().out
