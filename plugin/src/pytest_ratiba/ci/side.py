"""One side of a gate: cases of one project played by the agent of one working tree, in a process of its own.

A process of its own, because two versions of the same Python agent cannot be imported into one.

    python -m pytest_ratiba.ci.side --cases FOLDER --agent-folder FOLDER --agent NAME --out FILE …

writes {"test_run", "evaluation"} to FILE. Exit 0, 2 wrong configuration, 3 could not be played, 4 the agent's own code
does not start.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from pytest_ratiba.agents import chosen_agent
from pytest_ratiba.ci.deciding import judged_of
from pytest_ratiba.ci.machine_speed import loop_ms
from pytest_ratiba.ci.played_cases import merged
from pytest_ratiba.ci.side_key import hand_key, started_with_channel, take_key
from pytest_ratiba.client import RatibaClient, ServerError, named_server
from pytest_ratiba.collecting import all_scenarios
from pytest_ratiba.config import read_project
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.outcomes import CaseUnmeasurable
from pytest_ratiba.own_side_process import OwnSideProcesses
from pytest_ratiba.playing import Player
from pytest_ratiba.processes import (
    adopt_orphans,
    end_descendants,
    environment_of_the_agent,
    forget_our_secrets,
    hide_from_neighbours,
    sigterm_interrupts,
)

STALL_S = 300.0
STOP_S = 30.0
LAYER = 4
NOT_STARTED, INTERRUPTED = 4, 130
_BEGIN = "import sys; sys.path.insert(0, {own!r}); from pytest_ratiba.ci.side import main; sys.exit(main())"


class SideUnmeasurable(Exception):
    """The cases could not be played; the sentence says why. `by_agent`: its own code ends before it answers, or
    stands in the baseline's way."""

    def __init__(self, sentence: str, *, by_agent: bool = False) -> None:
        super().__init__(sentence)
        self.by_agent = by_agent


@dataclass(frozen=True, kw_only=True)
class SideRequest:
    """A side request names the cases to play, `cases`, and the folder of the agent, `agent_folder`.
    `before` is the project of the merge base: a case that stood there is played as it stood. `judged` are
    evaluator_config and metrics; `versions` is a digest of the versions of `judged` and the cases. `commit` is the
    commit of the agent's files, "" where git is asked; `beside` is the commit that a baseline is played for,
    `after_change` tells whether code of that commit had run before, and `other_files` tells whether files that are
    none of the commit's lie beside."""

    cases: Path
    agent_folder: Path
    agent: str
    scenarios: tuple[str, ...]
    repeats: int = 1
    commit: str = ""
    beside: str = ""
    after_change: bool = False
    other_files: bool = False
    versions: str = ""
    pull_request: str = ""
    budget_usd: float | None = None
    before: Path | None = None
    judged: Mapping[str, Any] | None = None  # None: those of `cases`


@dataclass(frozen=True, kw_only=True)
class PlayedSide:
    """A run and its evaluation on the server."""

    test_run: str
    evaluation: str


def play_sides(requests: Sequence[SideRequest]) -> list[PlayedSide]:
    """Play each in a new process, all at the same time and as one job, and wait for them.

    What slows the machine down slows them all down. Raises `SideUnmeasurable`, or `ProjectError` for a wrong
    configuration, of the first that fails.

    Costs the agent's, the simulated customer's and the judge's calls for every case and repeat.
    """
    job = uuid4().hex if len(requests) > 1 else ""
    with TemporaryDirectory(prefix="ratiba-side-") as folder:
        outs = [Path(folder) / f"side-{number}.json" for number in range(len(requests))]
        codes = _run([(_words(one, out, job), one.agent_folder) for one, out in zip(requests, outs, strict=True)])
        answers: list[dict[str, Any]] = [json.loads(out.read_text()) if out.exists() else {} for out in outs]
    return [_played(code, answer) for code, answer in zip(codes, answers, strict=True)]


def _words(request: SideRequest, out: Path, job: str) -> list[str]:
    return [  # -I: no module of the agent's folder, and nothing of PYTHONPATH, stands before ours
        *(sys.executable, "-I", "-c", _BEGIN.format(own=_own_path())),
        *("--cases", str(request.cases), "--agent-folder", str(request.agent_folder)),
        *("--agent", request.agent, "--repeats", str(request.repeats), "--pull-request", request.pull_request),
        *(() if request.judged is None else ("--judged", json.dumps(dict(request.judged)))),
        *(() if request.before is None else ("--before", str(request.before))),
        *(() if request.budget_usd is None else ("--budget-usd", str(request.budget_usd))),
        *(("--job", job) if job else ()),
        *(("--versions", request.versions) if request.versions else ()),
        *(("--commit", request.commit) if request.commit else ()),
        *(("--beside", request.beside) if request.beside else ()),
        *(("--after-change", "yes") if request.after_change else ()),
        *(("--other-files", "yes") if request.other_files else ()),
        *("--out", str(out)),
        *request.scenarios,
    ]


def _played(code: int, answer: Mapping[str, Any]) -> PlayedSide:
    if code == 0 and answer.get("evaluation"):
        return PlayedSide(test_run=answer["test_run"], evaluation=answer["evaluation"])
    what = answer.get("error") or _ended(code)
    if code == 2:
        raise ProjectError(what)
    raise SideUnmeasurable(what, by_agent=code == NOT_STARTED)


def _ended(code: int) -> str:
    """A process that left no word of its own, in a sentence."""
    if code >= 0:
        return f"the process that plays ended with {code}; what it said stands above"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    memory = ", as where memory runs out" if name == "SIGKILL" else ""
    return f"the process that plays was ended from outside ({name}{memory}): run the job again"


def _run(commands: Sequence[tuple[Sequence[str], Path]]) -> list[int]:
    """The exit codes. Where this process is interrupted the others get the time to stop their agents and runs."""
    env = environment_of_the_agent()
    processes: list[subprocess.Popen[bytes]] = []
    with sigterm_interrupts():
        try:
            channels = []
            for words, folder in commands:
                process, channel = started_with_channel(list(words), folder=str(folder), environment=env)
                processes.append(process)
                channels.append(channel)
            for channel in channels:
                hand_key(channel, os.environ)
            return [process.wait() for process in processes]
        except BaseException:
            for process in processes:
                process.terminate()
            for process in processes:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=STOP_S)
                process.kill()
                process.wait()
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
    parser.add_argument("--before", type=Path)
    parser.add_argument("--judged", type=json.loads)
    parser.add_argument("--job", default="")
    parser.add_argument("--versions", default="")
    parser.add_argument("--commit", default="")
    parser.add_argument("--beside", default="")
    parser.add_argument("--after-change", default="")
    parser.add_argument("--other-files", default="")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("scenarios", nargs="+")
    options = parser.parse_args(arguments)
    hide_from_neighbours()
    adopt_orphans()
    os.environ.update(take_key())
    try:
        with sigterm_interrupts():
            answer = _play(options)
    except KeyboardInterrupt:
        return _failed(options.out, "it was interrupted", INTERRUPTED)
    except ProjectError as error:
        return _failed(options.out, str(error), 2)
    except (CaseUnmeasurable, ServerError) as error:
        return _failed(options.out, str(error), 3)
    except ImportError as error:
        return _failed(options.out, str(error), NOT_STARTED)
    options.out.write_text(json.dumps(answer))
    return 0


def _play(options: argparse.Namespace) -> dict[str, str]:
    wanted, tree = read_project(options.cases), read_project(options.agent_folder)
    agent = chosen_agent(tree, options.agent)
    others = {key: value for key, value in tree.sections.items() if key not in ("evaluator_config", "metrics")}
    project = replace(tree, sections={**others, **(judged_of(wanted) if options.judged is None else options.judged)})
    every = all_scenarios(wanted)
    if options.before is not None:
        every = merged(all_scenarios(read_project(options.before)), every)
    chosen = [case for case in every.scenarios if case.id in set(options.scenarios)]
    server = named_server()
    if server is None:
        raise ProjectError("RATIBA_URL and RATIBA_API_KEY name the server and its key; one is missing")
    forget_our_secrets()
    own_side = OwnSideProcesses()
    client = RatibaClient(server.url, server.api_key)
    player = Player(
        client=client,
        project=project,
        api_key=server.api_key,
        stall_s=STALL_S,
        sections=every.sections,
        apart=True,
        check=own_side.check,
        commit=options.commit,
        marks={name: getattr(options, name) for name in ("job", "versions", "beside", "after_change", "other_files")}
        | {"loop_ms": f"{loop_ms():.1f}"},
        case_folders=tuple(one for one in (options.before, options.cases) if one is not None),
    )
    try:
        played = player.play_scenarios(chosen, agent=agent.name, layer=LAYER, options=_run_options(options))
    finally:
        player.processes.stop()
        own_side.close()
        player.close()
        end_descendants()
    if not played.evaluation_id:
        raise ProjectError("the run was not judged: name an evaluator_config in ratiba.yaml")
    return {"test_run": str(played.report["test_run_id"]), "evaluation": played.evaluation_id}


def _run_options(options: argparse.Namespace) -> dict[str, Any]:
    more: dict[str, Any] = {"repeats": options.repeats} if options.repeats > 1 else {}
    more |= {"pull_request": options.pull_request} if options.pull_request else {}
    return more | (
        {"budget_usd": options.budget_usd} if options.pull_request and options.budget_usd is not None else {}
    )


def _failed(out: Path, message: str, code: int) -> int:
    out.write_text(json.dumps({"error": message}))
    return code


def _own_path() -> str:
    return str(Path(__file__).resolve().parents[2])


if __name__ == "__main__":
    sys.exit(main())
