"""The project's own Python agent as the `model_callback` of DeepEval's ConversationSimulator."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pytest_ratiba.agents import chosen_agent, load_callable
from pytest_ratiba.config import read_project
from pytest_ratiba.deepeval.library import deepeval_module, tool_calls
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.replies import Observed, reply_body


def model_callback(
    agent: str | Callable[..., Any] = "", *, folder: Path | None = None, context: Mapping[str, Any] | None = None
) -> Callable[..., Any]:
    """`async (input, turns, thread_id) -> Turn` for `ConversationSimulator(model_callback=…)`. Loads DeepEval.

    `agent` is the name of one of ratiba.yaml (searched from `folder` upwards, default: here), the only one without a
    name, or the function itself. It gets the conversation and a context with `conversation_id`, and `context` beside.
    The callback raises `AgentReplyError` for what is no reply. Raises `ProjectError` for an agent with an address.
    """
    from pytest_ratiba.callable_agent import agent_reply

    module = deepeval_module("test_case")
    answer = agent if callable(agent) else _function(agent, folder or Path.cwd())

    async def callback(input: str, turns: list[Any], thread_id: str) -> Any:
        messages = [{"role": turn.role, "content": turn.content} for turn in turns]
        if not messages or messages[-1] != {"role": "user", "content": input}:
            messages.append({"role": "user", "content": input})
        told = {"language": "", "scenario": "", **(context or {}), "conversation_id": thread_id}
        body = reply_body(Observed().take(await agent_reply(answer, messages, told)))
        calls = tool_calls(module, body["tool_calls"])
        return module.Turn(role="assistant", content=body["content"], tools_called=calls)

    return callback


def _function(name: str, folder: Path) -> Callable[..., Any]:
    project = read_project(folder)
    setting = chosen_agent(project, name)
    if not setting.callable:
        raise ProjectError(
            f"agent {setting.name!r} has an address; the simulator's callback needs a Python function",
            where=str(project.source or folder),
        )
    return load_callable(project, setting)
