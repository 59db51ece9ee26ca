"""Layer 1: every file `*.fsm.yaml` is a suite, and each of its checks a test."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

_COVERAGE = pytest.StashKey[dict[str, str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "layer1: the state machine, prompts and tools; no model, no network")
    config.stash[_COVERAGE] = {}


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "FsmFile | None":
    if file_path.name.endswith(".fsm.yaml"):
        return FsmFile.from_parent(parent, path=file_path)
    return None


class FsmFile(pytest.File):
    """One suite."""

    def collect(self) -> Iterable[pytest.Item]:
        from pytest_ratiba.errors import ProjectError
        from pytest_ratiba.fsm.items import covered, tests_of
        from pytest_ratiba.fsm.suite import read_suite
        from pytest_ratiba.plugin import project_of

        try:
            suite = read_suite(self.path, project_of(self.config))
            if suite.transcripts:
                self.config.stash[_COVERAGE][f"{self.path.name}: {suite.chart.name}"] = str(covered(suite))
            for name, check in tests_of(suite):
                yield FsmItem.from_parent(self, name=name, check=check)
        except ProjectError as error:
            raise self.CollectError(str(error)) from error


class FsmItem(pytest.Item):
    """One check of a suite."""

    def __init__(self, *, check: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.check = check
        self.add_marker("layer1")

    def runtest(self) -> None:
        problems = self.check()
        if problems:
            raise FsmProblem("\n".join(problems))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, FsmProblem):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.path.name}: {self.name}"


class FsmProblem(AssertionError):
    """A check found a fault; the message is shown as it is, without a traceback."""


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for name, percentage in config.stash.get(_COVERAGE, {}).items():
        terminalreporter.write_line(f"ratiba fsm: {name}: {percentage}")
