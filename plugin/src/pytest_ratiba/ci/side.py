"""One side of a gate: cases of one project played by the agent of one working tree, in a process of its own.

A process of its own, because two versions of the same Python agent cannot be imported into one.

    python -m pytest_ratiba.ci.side --cases FOLDER --agent-folder FOLDER --agent NAME --out FILE …

writes {"test_run", "evaluation"} to FILE. Exit 0, 2 wrong configuration, 3 could not be played.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pytest_ratiba.agents import chosen_agent
from pytest_ratiba.client import RatibaClient, ServerError, named_server
from pytest_ratiba.collecting import all_scenarios
from pytest_ratiba.config import read_project
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.outcomes import CaseUnmeasurable
from pytest_ratiba.playing import Player
from pytest_ratiba.processes import sigterm_interrupts

STALL_S = 300.0
STOP_S = 30.0
LAYER = 4
INTERRUPTED = 130


class SideUnmeasurable(Exception):
    """The cases could not be played; the sentence says why."""


@dataclass(frozen=True, kw_only=True)
class SideRequest:
    """What is played: the cases of `cases`, by the agent as it stands in `agent_folder`."""

    cases: Path
    agent_folder: Path
    agent: str
    scenarios: tuple[str, ...]
    repeats: int = 1
    pull_request: str = ""
    budget_usd: float | None = None


@dataclass(frozen=True, kw_only=True)
class PlayedSide:
    """A run and its evaluation on the server."""

    test_run: str
    evaluation: str


def play_side(request: SideRequest) -> PlayedSide:
    """Play in a new process and wait for it. Raises `SideUnmeasurable`, or `ProjectError` for a wrong configuration.

    Costs the agent's, the simulated customer's and the judge's calls for every case and repeat.
    """
    with TemporaryDirectory(prefix="ratiba-side-") as folder:
        out = Path(folder) / "side.json"
        words = [
            *(sys.executable, "-m", "pytest_ratiba.ci.side"),
            *("--cases", str(request.cases), "--agent-folder", str(request.agent_folder)),
            *("--agent", request.agent, "--repeats", str(request.repeats), "--pull-request", request.pull_request),
            *(() if request.budget_usd is None else ("--budget-usd", str(request.budget_usd))),
            *("--out", str(out)),
            *request.scenarios,
        ]
        env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (_own_path(), os.environ.get("PYTHONPATH"))))}
        code = _run(words, folder=request.agent_folder, environment=env)
        answer: dict[str, Any] = json.loads(out.read_text()) if out.exists() else {}
    if code == 0 and answer.get("evaluation"):
        return PlayedSide(test_run=answer["test_run"], evaluation=answer["evaluation"])
    what = answer.get("error") or f"the process that plays ended with {code}"
    if code == 2:
        raise ProjectError(what)
    raise SideUnmeasurable(what)


def _run(words: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> int:
    """The exit code. Where this process is interrupted the other gets the time to stop its agent and its run."""
    with (
        sigterm_interrupts(),
        subprocess.Popen(
            words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, start_new_session=True
        ) as process,
    ):
        try:
            return process.wait()
        except BaseException:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=STOP_S)
            process.kill()
            raise


def main(arguments: Sequence[str] | None = None) -> int:
    """See the module."""
    parser = argparse.ArgumentParser(prog="python -m pytest_ratiba.ci.side")
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--agent-folder", type=Path, required=True)
    parser.add_argument("--agent", required=True)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--pull-request", default="")
    parser.add_argument("--budget-usd", type=float)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("scenarios", nargs="+")
    options = parser.parse_args(arguments)
    try:
        with sigterm_interrupts():
            answer = _play(options)
    except KeyboardInterrupt:
        return _failed(options.out, "it was interrupted", INTERRUPTED)
    except ProjectError as error:
        return _failed(options.out, str(error), 2)
    except (CaseUnmeasurable, ServerError, ImportError) as error:
        return _failed(options.out, str(error), 3)
    options.out.write_text(json.dumps(answer))
    return 0


def _play(options: argparse.Namespace) -> dict[str, str]:
    wanted, tree = read_project(options.cases), read_project(options.agent_folder)
    agent = chosen_agent(tree, options.agent)
    judged = {key: wanted.sections[key] for key in ("evaluator_config", "metrics") if key in wanted.sections}
    project = replace(tree, sections={**tree.sections, **judged})
    every = all_scenarios(wanted)
    chosen = [case for case in every.scenarios if case.id in set(options.scenarios)]
    server = named_server()
    if server is None:
        raise ProjectError("RATIBA_URL and RATIBA_API_KEY name the server and its key; one is missing")
    client = RatibaClient(server.url, server.api_key)
    player = Player(client=client, project=project, api_key=server.api_key, stall_s=STALL_S, sections=every.sections)
    more: dict[str, Any] = {"repeats": options.repeats} if options.repeats > 1 else {}
    more |= {"pull_request": options.pull_request} if options.pull_request else {}
    more |= {"budget_usd": options.budget_usd} if options.pull_request and options.budget_usd is not None else {}
    try:
        played = player.play_scenarios(chosen, agent=agent.name, layer=LAYER, options=more)
    finally:
        player.processes.stop()
        player.close()
    if not played.evaluation_id:
        raise ProjectError("the run was not judged: name an evaluator_config in ratiba.yaml")
    return {"test_run": str(played.report["test_run_id"]), "evaluation": played.evaluation_id}


def _failed(out: Path, message: str, code: int) -> int:
    out.write_text(json.dumps({"error": message}))
    return code


def _own_path() -> str:
    return str(Path(__file__).resolve().parents[2])


if __name__ == "__main__":
    sys.exit(main())
