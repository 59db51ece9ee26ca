"""The agent as a process of its own: `start: {command, ready}` of ratiba.yaml."""

import os
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from urllib.parse import urlsplit

from pytest_ratiba.agents import AgentSetting, StartCommand
from pytest_ratiba.client import API_KEY, address_of
from pytest_ratiba.config import Project
from pytest_ratiba.processes import ServerProcess, state_folder

NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


def start_agent(project: Project, agent: AgentSetting, variables: Mapping[str, str] = NO_VARIABLES) -> ServerProcess:
    """Run the agent's command in the project's folder until its address answers. Its output goes to a log in `var/`;
    `variables` are added to its environment, our API key is not passed on.

    Raises `ProjectError` where its port is taken, it ends before, or it does not answer within `start_timeout`.
    """
    start = agent.start
    if start is None:
        raise project.error(f"/agents/{agent.name}", "has no start: {command: …, ready: URL}")
    _refuse_taken_port(project, agent, start)
    own = {name: value for name, value in os.environ.items() if name != API_KEY}
    process = ServerProcess(
        name=f"agent {agent.name!r}",
        words=start.command,
        folder=project.folder,
        environment={"PYTHONUNBUFFERED": "1", **own, **variables},  # its last lines are wanted if it dies
        log=state_folder(project.folder) / f"agent-{re.sub(r'[^A-Za-z0-9]+', '-', agent.name)}.log",
    )
    process.start(lambda: _answers(start.ready), within_s=start.start_timeout)
    return process


@contextmanager
def started_agent(project: Project, agent: AgentSetting) -> Iterator[ServerProcess | None]:
    """The agent's process while the block runs; None where ratiba.yaml does not say how it starts."""
    process = start_agent(project, agent) if agent.start is not None else None
    try:
        yield process
    finally:
        if process is not None:
            process.stop()


def _refuse_taken_port(project: Project, agent: AgentSetting, start: StartCommand) -> None:
    parts = urlsplit(address_of(start.ready)[0])
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), timeout=2).close()
    except OSError:
        return
    raise project.error(
        f"/agents/{agent.name}/start",
        f"port {port} is taken: something listens at {start.ready} before the agent was started."
        " Stop it, or give the agent another port (in command, ready and address)",
    )


def _answers(url: str) -> bool:
    import httpx

    address, headers = address_of(url)
    try:
        status = httpx.get(address, headers=headers, timeout=5, trust_env=False).status_code
    except httpx.HTTPError:
        return False
    return status < 500 or status == 501  # one that takes nothing but POST is up
