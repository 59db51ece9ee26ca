"""The example agent that is a prompt (examples/prompted), played here as the product plays it."""

import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import yaml

from apps.connectors.agents.base import AgentSession, AgentSpec, AgentTurn
from apps.connectors.agents.prompted import PromptedAgent
from apps.connectors.agents.prompted_session import stored_message
from apps.connectors.llms.base import ChatMessage, LLMRequest, LLMResponse
from evals.model import model_of_environment

CATALOG = Path(__file__).resolve().parents[1] / "examples" / "prompted" / "catalog.yaml"


async def reply(messages: Sequence[Mapping[str, Any]], context: Mapping[str, Any]) -> dict[str, Any]:
    """The next reply, with the tools it called. One model call, and one more for each round of tools."""
    options, prompt = _agent()
    model = model_of_environment(f"{options['provider']}:{options['model']}")
    async with httpx.AsyncClient() as client:

        async def ask(request: LLMRequest) -> LLMResponse:
            return await model.complete(request, client=client)

        spec = AgentSpec(kind="prompted", address="", options={**options, "prompt_text": prompt})
        said = [stored_message(ChatMessage(str(one["role"]), str(one["content"]))) for one in messages[:-1]]
        turn = AgentTurn(
            text=str(messages[-1]["content"]), session=AgentSession(state={"messages": said}),
            message_id=uuid.uuid4().hex,
        )  # fmt: skip
        answer = await PromptedAgent(spec, ask).send(turn, client=client)
    calls = [{"id": one.id, "name": one.name, "arguments": dict(one.arguments)} for one in answer.tool_calls]
    return {"content": answer.text, "tool_calls": calls}


def _agent() -> tuple[dict[str, Any], str]:
    catalog = yaml.safe_load(CATALOG.read_text())
    options = catalog["agents"][0]["options"]
    texts = [one["text"] for one in catalog["prompts"] if one["version"].partition("@")[0] == options["prompt"]]
    return options, texts[-1]
