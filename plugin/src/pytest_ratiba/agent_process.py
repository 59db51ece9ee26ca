"""The agent as a process of its own: `start: {command, ready}` of ratiba.yaml."""

import re
import socket
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from urllib.parse import urlsplit

from pytest_ratiba.agents import AgentSetting, StartCommand
from pytest_ratiba.client import address_of
from pytest_ratiba.config import Project
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.processes import ServerProcess, environment_of_the_agent, state_folder
from pytest_ratiba.repository_process import agent_prefix

NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


def start_agent(project: Project, agent: AgentSetting, variables: Mapping[str, str] = NO_VARIABLES) -> ServerProcess:
    """Run the agent's command in the project's folder until its address answers. Its output goes to a log in `var/`;
    `variables` are added to its environment, no secret of ours is passed on.

    Raises `ProjectError` where its port is taken, it ends before, or it does not answer within `start_timeout`.
    """
    start = agent.start
    if start is None:
        raise project.error(f"/agents/{agent.name}", "has no start: {command: …, ready: URL}")
    _refuse_taken_port(project, agent, start)
    process = ServerProcess(
        name=f"agent {agent.name!r}",
        words=(*agent_prefix(project.folder), *start.command),
        folder=project.folder,
        # its last lines are wanted, and what lies compiled beside its files is not its own
        environment={
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            **environment_of_the_agent(),
            **variables,
        },
        log=state_folder(project.folder) / f"agent-{re.sub(r'[^A-Za-z0-9]+', '-', agent.name)}.log",
    )
    process.start(lambda: _answers(start.ready), within_s=start.start_timeout)
    return process


class AgentProcesses:
    """The agents of one session that ratiba.yaml says how to start: each is started at its first use, once."""

    def __init__(
        self,
        variables: Callable[[], Mapping[str, str]] = lambda: NO_VARIABLES,
        *,
        elsewhere: Callable[[AgentSetting], None] | None = None,
    ) -> None:
        """`variables`, asked for once, lead a process to the recorder; none: model calls are not recorded. `elsewhere`
        asks another process of this session to start one, which also stops it."""
        self._variables, self._elsewhere = cache(variables), elsewhere
        self._processes: dict[str, ServerProcess | ProjectError] = {}

    def need(self, project: Project, agent: AgentSetting) -> None:
        """Start the agent where it has a command and does not run. Raises `ProjectError`, the same one again too."""
        if agent.start is None:
            return
        if self._elsewhere is not None:
            self._elsewhere(agent)
            return
        if agent.name not in self._processes:
            try:
                self._processes[agent.name] = start_agent(project, agent, self._variables())
            except ProjectError as error:
                self._processes[agent.name] = error
        started = self._processes[agent.name]
        if isinstance(started, ProjectError):
            raise started

    def are_recorded(self, agent: AgentSetting) -> bool:
        """Whether the model calls of this agent's process go to a recorder."""
        return agent.start is not None and bool(self._variables())

    def ended(self, agent: AgentSetting) -> str:
        """ "" while the agent's process runs, or is none of ours; else how it ended, with its last lines."""
        started = self._processes.get(agent.name)
        return started.ended() if isinstance(started, ServerProcess) else ""

    def output(self, agent: AgentSetting) -> str:
        """The last lines that the agent's process printed; "" where it is none of ours."""
        started = self._processes.get(agent.name)
        return started.output() if isinstance(started, ServerProcess) else ""

    def stop(self) -> None:
        """End all of them."""
        for started in self._processes.values():
            if isinstance(started, ServerProcess):
                started.stop()


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
