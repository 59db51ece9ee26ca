"""The section `agents:` (or `agent:` for the only one): how the agent under test is reached.

agents:
  concierge:
    callable: "concierge.agent:reply"      # async def reply(messages, context) in this repository
    prompts: [prompts/*.md]                # what the gate watches
    fsm: concierge/fsm.yaml
  shop: {address: "https://shop.example/a2a", kind: a2a}
  helpdesk: {}                           # the server's agent of that name, as it stands there
  legacy:                                  # start: has it started, waited for and stopped
    address: "http://127.0.0.1:9000/chat"
    kind: http
    tool_calls: "$.tool_calls"             # where in an answer they are; so are reply and ended
    start: {command: "npm start", ready: "http://127.0.0.1:9000/", start_timeout: 120}
"""

import importlib
import inspect
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from pytest_ratiba.config import Project

ONLY = "agent"  # the name of an agent that stands under `agent:`
START_TIMEOUT_S, MAX_START_TIMEOUT_S = 90.0, 3600.0
_PATHS = ("reply", "ended", "tool_calls")  # of an answer over http, as the options of the server's own agents
_KEYS = ("name", "callable", "address", "kind", "start", "prompts", "fsm", *_PATHS)


class AgentProtocolName(StrEnum):
    """These are the names of the protocols by which an agent with an address is spoken to."""

    A2A = "a2a"
    HTTP = "http"
    AGENTX = "agentx"


@dataclass(frozen=True, kw_only=True)
class StartCommand:
    """A start command tells how the agent's own server starts.
    `command` is the command as words, `ready` a URL that answers no server error once the server is up,
    `start_timeout` the seconds that the start may take."""

    command: tuple[str, ...]
    ready: str
    start_timeout: float = START_TIMEOUT_S


@dataclass(frozen=True, kw_only=True)
class AgentSetting:
    """One agent under test: `callable` (`package.module:name`), or what answers at `address`; with neither it is the
    server's agent of that name, as it stands there."""

    name: str
    callable: str = ""
    address: str = ""
    kind: AgentProtocolName = AgentProtocolName.A2A
    start: StartCommand | None = None
    prompts: tuple[str, ...] = ()
    fsm: str = ""
    paths: tuple[tuple[str, str], ...] = ()  # where the reply, the end and the tool calls are in an answer over http


def read_agents(project: Project) -> dict[str, AgentSetting]:
    """Every agent by name, in the order of the file; {} where none is configured. Raises `ProjectError`."""
    single = project.mapping("agent")
    several = project.mapping("agents")
    if single and several:
        raise project.error("/agent", "stands beside /agents; write it as one of them")
    if single:
        name = single.get("name", ONLY)
        return {_text(project, "/agent/name", name): _agent(project, "/agent", str(name), single)}
    return {name: _agent(project, f"/agents/{name}", name, value) for name, value in several.items()}


def chosen_agent(project: Project, name: str = "") -> AgentSetting:
    """The agent of that name, or the only one; a name that is not configured is that of an agent of the server. Raises
    `ProjectError` naming those there are."""
    agents = read_agents(project)
    if not agents and not name:
        raise project.error(
            "/agent",
            'no agent is configured; add: agent: {callable: "your_module:your_function"}, or name one of the server: '
            "agent: {name: booking}",
        )
    if not name and len(agents) == 1:
        return next(iter(agents.values()))
    if not name:
        raise project.error(
            "/agents", f"there are several agents: say which with --agent; there are {', '.join(agents)}"
        )
    return agents.get(name) or AgentSetting(name=name)


def load_callable(project: Project, agent: AgentSetting) -> Callable[..., Any]:
    """Imports the function that answers for the agent. The project's folder is importable, and where the module stands
    in its `src`, or above the project, that folder is.

    Raises `ProjectError` where the module or the name is missing, or where it does not take (messages, context).
    """
    pointer = f"/agents/{agent.name}/callable"
    module_name, _, attribute = agent.callable.partition(":")
    for folder in reversed([project.folder, *_folders_of(module_name, project.folder)]):
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not (module_name == error.name or module_name.startswith(f"{error.name}.")):
            raise  # the agent's own import fails: its traceback says where
        raise project.error(pointer, f"there is no module {module_name!r} in {project.folder}") from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise project.error(pointer, f"{module_name} has no {attribute!r}")
        found = getattr(found, part)
    if not callable(found):
        raise project.error(pointer, f"{agent.callable} is no function")
    try:
        inspect.signature(found).bind([], {})
    except (TypeError, ValueError) as error:
        raise project.error(pointer, f"{agent.callable} must take (messages, context): {error}") from error
    return found  # type: ignore[no-any-return]


def _folders_of(module_name: str, folder: Path) -> list[Path]:
    """The nearest folder that holds the module's package: of this tree, whatever is installed."""
    name = module_name.partition(".")[0]
    for above in (folder, *folder.parents):
        for place in (above, above / "src"):
            if (place / name).is_dir() or (place / f"{name}.py").is_file():
                return [place]
    return []


def refuse_installed(project: Project, agent: AgentSetting) -> None:
    """Raises `ProjectError` where the agent's module is none of this tree: an installed one is the same for every
    commit, and a gate would hold it against itself."""
    module = sys.modules[agent.callable.partition(":")[0]]
    place = Path(module.__file__ or "").resolve()
    tree = next(iter(_folders_of(module.__name__, project.folder)), project.folder).resolve()
    if not place.is_relative_to(tree):
        raise project.error(
            f"/agents/{agent.name}/callable",
            f"{module.__name__} is imported from {place}, and not from {project.folder}: it is installed, so it is the "
            "same on both sides of a gate. Name a module that stands in this repository",
        )


def _agent(project: Project, pointer: str, name: str, value: Any) -> AgentSetting:
    if value is None:
        value = {}
    if not isinstance(value, dict):
        raise project.error(pointer, "must be a mapping: a callable, an address, or neither for the server's agent")
    project.refuse_unknown(pointer, value, _KEYS)
    has = [key for key in ("callable", "address") if value.get(key)]
    if len(has) > 1:
        raise project.error(pointer, "has a callable and an address: one of them")
    for key in ("kind", "start") if "address" not in has else ():
        if key in value:
            raise project.error(f"{pointer}/{key}", "is about an address, and there is none")
    function = _text(project, f"{pointer}/callable", value.get("callable", ""))
    if function and not all(function.partition(":")):
        raise project.error(f"{pointer}/callable", f"{function!r} is not written package.module:function")
    kind = value.get("kind", AgentProtocolName.A2A.value)
    if kind not in list(AgentProtocolName):
        raise project.error(f"{pointer}/kind", f"is one of {', '.join(AgentProtocolName)}, not {kind!r}")
    paths = tuple((key, _text(project, f"{pointer}/{key}", value[key])) for key in _PATHS if key in value)
    if paths and kind != AgentProtocolName.HTTP:
        raise project.error(f"{pointer}/{paths[0][0]}", "says where to look in an answer of kind http")
    prompts = value.get("prompts", [])
    if not isinstance(prompts, list) or not all(isinstance(prompt, str) for prompt in prompts):
        raise project.error(f"{pointer}/prompts", "must be a list of patterns of files")
    return AgentSetting(
        name=name,
        callable=function,
        address=_text(project, f"{pointer}/address", value.get("address", "")),
        kind=AgentProtocolName(kind),
        start=_start(project, f"{pointer}/start", value["start"]) if "start" in value else None,
        prompts=tuple(prompts),
        fsm=_text(project, f"{pointer}/fsm", value.get("fsm", "")),
        paths=paths,
    )


def _start(project: Project, pointer: str, value: Any) -> StartCommand:
    if not isinstance(value, Mapping):
        raise project.error(pointer, "must be {command: …, ready: URL, start_timeout: seconds}")
    project.refuse_unknown(pointer, value, ("command", "ready", "start_timeout"))
    command = value.get("command")
    words = shlex.split(command) if isinstance(command, str) else command
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise project.error(f"{pointer}/command", "must be a command line or a list of words")
    ready = _text(project, f"{pointer}/ready", value.get("ready", ""))
    if not ready.startswith(("http://", "https://")):
        raise project.error(f"{pointer}/ready", "must be the http(s) address that answers once the agent may be used")
    timeout = value.get("start_timeout", START_TIMEOUT_S)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout <= MAX_START_TIMEOUT_S:
        raise project.error(f"{pointer}/start_timeout", f"must be seconds above 0, at most {MAX_START_TIMEOUT_S:g}")
    return StartCommand(command=tuple(words), ready=ready, start_timeout=float(timeout))


def _text(project: Project, pointer: str, value: Any) -> str:
    if not isinstance(value, str):
        raise project.error(pointer, "must be a text")
    return value
