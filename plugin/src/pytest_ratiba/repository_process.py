"""A process for code of the repository at hand, a pull request's above all: it is given no secret of ours, and may run
by a Python, or as a user, of its own."""

import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

from pytest_ratiba.errors import ProjectError
from pytest_ratiba.processes import environment_of_the_agent

AGENT_PYTHON, AGENT_PREFIX = "RATIBA_AGENT_PYTHON", "RATIBA_AGENT_PREFIX"


def agent_prefix(folder: Path) -> list[str]:
    """The words of RATIBA_AGENT_PREFIX, which stand before every command that runs code of the repository: another user
    (`setpriv …`), a container. `{folder}` in them is the folder of the code."""
    return _words(AGENT_PREFIX, folder)


def agent_python(folder: Path) -> list[str]:
    """The words of RATIBA_AGENT_PYTHON, which start the Python of the agent's own environment, with pytest-ratiba in
    it; [] where it is our own."""
    return _words(AGENT_PYTHON, folder)


def site_folders(root: Path) -> list[Path]:
    """List the folders that hold the packages of the agent's Python.
    [] where that Python stands somewhere else, as in a container."""
    python = (agent_python(root) or [sys.executable])[0]
    if python == sys.executable:
        return [Path(sysconfig.get_path("purelib"))]
    return list(Path(python).parents[1].glob("lib/python*/site-packages")) if os.sep in python else []


def _words(name: str, folder: Path) -> list[str]:
    try:
        return [one.replace("{folder}", str(folder)) for one in shlex.split(os.environ.get(name, ""))]
    except ValueError as error:
        raise ProjectError(f"{name} is no command line: {error}") from error


def start_python(module: str, *arguments: str, folder: Path) -> "subprocess.Popen[str]":
    """A module of ours in such a process, spoken to by lines. Raises `ProjectError` where it does not start."""
    theirs, environment = agent_python(folder), environment_of_the_agent()
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # what stands there compiled was put there by somebody else
    if not theirs:
        here = str(Path(__file__).resolve().parents[1])
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (here, environment.get("PYTHONPATH"))))
    words = [*agent_prefix(folder), *(theirs or [sys.executable]), "-m", module, *arguments]
    try:
        return subprocess.Popen(
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            errors="backslashreplace",
        )
    except OSError as error:
        raise ProjectError(
            f"{' '.join(words[:3])} … does not start ({AGENT_PREFIX}, {AGENT_PYTHON}): {error}"
        ) from error
