"""The function under test in a process of its own, which is given no secret of ours: what a gate plays is the code of a
pull request.

    python -m pytest_ratiba.callable_process FOLDER AGENT

reads turns as lines of JSON from standard input and writes replies to standard output; what the function prints goes to
the error output. With a section `environment:` each conversation's tenant is made here, too, and a reply names its
schema's address, so that assertions can look into it.
"""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

from pytest_ratiba.agents import AgentSetting, chosen_agent, load_callable, refuse_installed
from pytest_ratiba.callable_agent import CallableAgent, agent_reply
from pytest_ratiba.config import Project, read_project
from pytest_ratiba.environment.conversations import AgentTenants, ConversationTenants
from pytest_ratiba.environment.tenant import SchemaConnections
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.replies import Observed
from pytest_ratiba.repository_process import start_python

STOP_S = 5.0
TENANTS_S = 30.0  # more, for schemas that are dropped at the end
_SETTING, _IMPORT = "setting", "import"


class CallableProcess(CallableAgent):
    """Answers leased turns as CallableAgent does, by a function in another process. It is started here."""

    def __init__(self, project: Project, agent: AgentSetting) -> None:
        """Raises `ProjectError` for a function that is not there, ImportError where its module cannot be imported."""
        super().__init__(self._asked)
        self._turns: dict[int, Future[Any]] = {}
        self._lock, self._number = threading.Lock(), 0
        self._stop_s = STOP_S + (TENANTS_S if project.mapping("environment") else 0.0)
        self._process = start_python(
            "pytest_ratiba.callable_process", str(project.folder), agent.name, folder=project.folder
        )
        started = self._line()
        if started.get("problem"):
            self._process.wait()
            raise (ProjectError if started["kind"] == _SETTING else ImportError)(started["problem"])
        threading.Thread(target=self._read, name=f"ratiba-{agent.name}-replies", daemon=True).start()

    async def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            await asyncio.to_thread(self._process.wait, self._stop_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    async def _asked(self, messages: list[dict[str, Any]], context: Mapping[str, Any]) -> Any:
        answer: Future[Any] = Future()
        with self._lock:
            self._number += 1
            number = self._number
            self._turns[number] = answer
            if self._process.poll() is not None or self._process.stdin is None:
                raise RuntimeError(f"the agent's process ended with {self._process.poll()}")
            turn = {"number": number, "messages": messages, "context": dict(context)}
            self._process.stdin.write(json.dumps(turn, default=str) + "\n")
            self._process.stdin.flush()
        said = await asyncio.wrap_future(answer)
        if said.get("schema"):
            conversation = str(context.get("conversation_id") or "")
            self.observed.setdefault(conversation, Observed()).connect = SchemaConnections(url=str(said["schema"]))
        return said["reply"]

    def _line(self) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout is not None else ""
        try:
            found: dict[str, Any] = json.loads(line)
        except ValueError:
            return {"problem": f"the agent's process ended with {self._process.wait()}", "kind": _IMPORT}
        return found

    def _read(self) -> None:
        """In a thread: hands replies to those who wait, until the process has ended."""
        while "problem" not in (found := self._line()):
            answer = self._turns.pop(found["number"], None)
            if answer is not None and "error" in found:
                answer.set_exception(RuntimeError(found["error"]))
            elif answer is not None:
                answer.set_result(found)
        for answer in list(self._turns.values()):
            answer.set_exception(RuntimeError(found["problem"]))


def main(folder: str, name: str) -> int:
    """See the module."""
    replies = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    lock = threading.Lock()

    def tell(**words: Any) -> None:
        line = memoryview(f"{json.dumps(words)}\n".encode("utf-8", "backslashreplace"))
        with lock, suppress(BrokenPipeError):  # who asked is gone: it was killed, and nobody listens
            while line:
                line = line[replies.write(line) :]

    try:
        project, tenants = read_project(Path(folder)), AgentTenants()
        function = load_callable(project, agent := chosen_agent(project, name))
        refuse_installed(project, agent)
        apart = tenants.open(project, name, function)
    except ProjectError as error:
        tell(problem=str(error), kind=_SETTING)
        return 2
    except BaseException as error:  # the module is the user's
        tell(problem=f"{type(error).__name__}: {error}", kind=_IMPORT)
        return 3
    tell(ready=True)
    try:
        asyncio.run(_serve(function, apart, tell))
    finally:
        tenants.close()
    return 0


async def _serve(function: Callable[..., Any], tenants: ConversationTenants | None, tell: Callable[..., None]) -> None:
    tasks = set()
    while line := await asyncio.to_thread(sys.stdin.readline):
        task = asyncio.create_task(_answer(function, tenants, json.loads(line), tell))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


async def _answer(
    function: Callable[..., Any],
    tenants: ConversationTenants | None,
    turn: dict[str, Any],
    tell: Callable[..., None],
) -> None:
    context = turn["context"]
    conversation = str(context.get("conversation_id") or "")
    try:
        async with AsyncExitStack() as stack:
            own: dict[str, Any] = {}
            if tenants is not None:
                own = await stack.enter_async_context(tenants.turn(conversation, context))
            reply = await agent_reply(function, turn["messages"], {**context, **own})
        schema = tenants.url_of(conversation) if tenants is not None else ""
        tell(number=turn["number"], reply=reply, schema=schema)
    except (Exception, SystemExit) as error:  # the function is the user's: its failure is the turn's outcome
        tell(number=turn["number"], error=f"{type(error).__name__}: {error}"[:2000])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
