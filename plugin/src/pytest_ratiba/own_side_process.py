"""Assertions of the agent's own side, checked in a process for code of the repository: what they name is imported
there, and nowhere beside our key.

    python -m pytest_ratiba.own_side_process FOLDER

reads assertions and outcomes as lines of standard input and writes answers to standard output; what a check prints goes
to the error output. Modules are those of FOLDER.
"""

import base64
import json
import os
import pickle
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_ratiba.assertions.outcome import ScenarioOutcome
from pytest_ratiba.outcomes import CaseUnmeasurable
from pytest_ratiba.own_side import AssertionAnswer, check_here
from pytest_ratiba.repository_process import start_python

if TYPE_CHECKING:
    import subprocess

STOP_S = 5.0


@dataclass(kw_only=True)
class OwnSideProcesses:
    """One process for each folder that assertions stand in: modules of a pull request never meet those of its merge
    base. Started when first needed; `close` ends them."""

    _processes: "dict[Path, subprocess.Popen[str]]" = field(default_factory=dict)

    def check(self, assertions: Sequence[Mapping[str, Any]], outcome: ScenarioOutcome) -> list[AssertionAnswer]:
        """As `check_here`. Raises `CaseUnmeasurable` where the process ends or says something else."""
        process = self._process(outcome.folder)
        # Only we write here; what comes back is words of the repository's code, and is read as such.
        line = base64.b64encode(pickle.dumps((list(assertions), outcome))).decode()
        try:
            assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 - it was given both
            process.stdin.write(line + "\n")
            process.stdin.flush()
            answers = [_answer(one) for one in json.loads(process.stdout.readline())]
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise CaseUnmeasurable(f"the process that checks assertions gave no answer: {error}") from error
        if len(answers) != len(assertions):
            raise CaseUnmeasurable("the process that checks assertions answered something else")
        return answers

    def close(self) -> None:
        """Safe to repeat."""
        for process in self._processes.values():
            process.kill()
            process.wait(STOP_S)
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
        self._processes.clear()

    def _process(self, folder: Path) -> "subprocess.Popen[str]":
        if folder not in self._processes:
            self._processes[folder] = start_python("pytest_ratiba.own_side_process", str(folder), folder=folder)
        return self._processes[folder]


def _answer(raw: Mapping[str, Any]) -> AssertionAnswer:
    return AssertionAnswer(wrong=tuple(str(one) for one in raw["wrong"]), unusable=str(raw["unusable"]))


def main(folder: str) -> int:
    """See the module."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace")
    os.dup2(2, 1)
    sys.path.insert(0, folder)
    while line := sys.stdin.readline():
        assertions, outcome = pickle.loads(base64.b64decode(line))  # noqa: S301 - of the process that started this one
        answers.write(json.dumps([asdict(one) for one in _checked(assertions, outcome)]) + "\n")
        answers.flush()
    return 0


def _checked(assertions: Sequence[Mapping[str, Any]], outcome: ScenarioOutcome) -> list[AssertionAnswer]:
    """A check that raises something else than AssertionError is unusable, as one that cannot be imported."""
    found = []
    for assertion in assertions:
        try:
            found += check_here([assertion], outcome)
        except BaseException as error:  # the check is the user's
            found.append(AssertionAnswer(unusable=f"{type(error).__name__}: {error}"))
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
