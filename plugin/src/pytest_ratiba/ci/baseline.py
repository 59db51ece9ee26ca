"""`ratiba-ci baseline`: play and judge the commit at HEAD, so that later pull requests find it.

A push to the default branch runs it. Exit 0 stored, 2 wrong configuration, 3 could not be played
or judged.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from pytest_ratiba.ci.asking import GateAsking
from pytest_ratiba.ci.init import LEAST_CASES
from pytest_ratiba.ci.play_watch import PlayWatch
from pytest_ratiba.ci.scope import project_change, refuse_uncommitted
from pytest_ratiba.ci.side import SideUnmeasurable
from pytest_ratiba.client import ServerError, client_of_environment
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.git import top_folder
from pytest_ratiba.portable.changes.matrix import GateNeed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this subcommand."""
    parser.add_argument("--agent", action="append", help="only this agent; may be given several times")


def run(options: argparse.Namespace) -> int:
    """See the module. A commit that is judged already costs nothing."""
    change = project_change(Path.cwd(), need=GateNeed.BLOCKING.value)
    unknown = next((name for name in options.agent or () if name not in change.agents), None)
    if unknown is not None:
        raise ProjectError(f"there is no agent {unknown!r}; there are {', '.join(change.agents)}")
    refuse_uncommitted(change.project.folder)
    client = client_of_environment()
    if client is None:
        raise ProjectError("RATIBA_URL and RATIBA_API_KEY name the server and its key; one is missing")
    watch = PlayWatch(root=top_folder(change.project.folder))
    watch.refuse_more_files(change.commit)
    scope = replace(change.scope, agents=tuple(options.agent or change.agents))
    asking = GateAsking(
        client=client,
        change=replace(change, scope=scope),
        watch=watch,
        pull_request="",
        title="",
        report=lambda line: print(line, file=sys.stderr, flush=True),
    )
    failed = False
    for agent in scope.agents:
        try:
            stored = asking.baseline_of(agent, change.commit)
        except (SideUnmeasurable, ServerError) as error:
            print(f"{agent}: could not be played: {error}", file=sys.stderr)
            return 3
        if watch.tampered:
            print(f"{agent}: this is no baseline: {'; '.join(watch.tampered[:5])}", file=sys.stderr)
            return 2
        n = len(stored["cases"])
        print(f"{agent} {change.commit[:12]}: evaluation {stored['evaluation']}, {n} case{'' if n == 1 else 's'}")
        if n < LEAST_CASES:
            print(f"{agent}: {_too_few(n)}", file=sys.stderr)
            failed = failed or n == 0
    return 3 if failed else 0


def _too_few(n: int) -> str:
    if n == 0:
        return (
            "no case was scored, so this is no baseline: does the judge's model answer? Look at the run's page, or "
            "ask `GET /api/v1/evaluations/{id}/` what each conversation lacks"
        )
    return f"of fewer than {LEAST_CASES} cases no gate can show a loss: write more scenarios"
