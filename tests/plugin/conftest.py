"""What the plugin does inside pytest is tested in a pytest of its own, in a folder of its own.

`user_project`  a folder as a user's repository: `write(name, text)`, `pytest(*arguments)`, `command(*arguments)`
"""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class UserProject:
    """A folder beside nothing of ours; what runs in it sees the plugin and no variable of this session."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)
    timeout_s: float = 120

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
        # Plugins of our own development environment cost five seconds a start.
        ours = {"PYTHONPATH": str(ROOT / "plugin" / "src"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        return kept | ours | self.variables

    def pytest(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self._run(*self._pytest(*arguments))

    def started(self, *arguments: str) -> "subprocess.Popen[str]":
        """A pytest that goes on by itself; the caller ends it."""
        return subprocess.Popen(
            self._pytest(*arguments),
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _pytest(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "pytest", "-p", "pytest_ratiba.entry", "--rootdir", ".", *arguments]

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        program = "import sys; from pytest_ratiba.ci.main import main; sys.exit(main())"
        return self._run(sys.executable, "-c", program, *arguments)

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=self.timeout_s,
            check=False,
        )


@pytest.fixture
def user_project(tmp_path: Path) -> UserProject:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return UserProject(folder=folder)
