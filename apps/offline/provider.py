"""The provider that asks no model: rules that are written down (docs/offline-rules.md), named as such in every report.

It reads only `request.facts`: task "judge" is answered by the rules, "simulate" by a rule-driven customer, "analyse"
and "join_findings" by counting what fails. The answer is JSON text in the shape a model is asked for, so everything
after it is the same. It never uses the network. Usage is an estimate, one token per four characters of the prompt and
of the answer; the cost is 0.
"""

import json
import time
from decimal import Decimal

import httpx

from apps.connectors.errors import RemoteRefusal
from apps.connectors.llms.base import Finish, LLMRequest, LLMResponse, ModelSpec
from apps.core.usage import Usage
from apps.offline.rules import VERSION
from apps.offline.rules.analyst import analyse, join_findings
from apps.offline.rules.customer import next_message
from apps.offline.rules.judge import judge

MODEL = f"offline-rules@{VERSION}"
CHARS_PER_TOKEN = 4
_TASKS = {"judge": judge, "simulate": next_message, "analyse": analyse, "join_findings": join_findings}


class Offline:
    """Rules behind the model protocol. `spec.model` is free: the answer always names the rules and their version."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec

    async def complete(self, request: LLMRequest, *, client: httpx.AsyncClient) -> LLMResponse:
        """See base.LLM.complete. Raises RemoteRefusal for a task there are no rules for. No network, no cost; a few
        milliseconds. Safe to repeat: the same facts always give the same answer."""
        started = time.perf_counter()
        task = str(request.facts.get("task") or "")
        if task not in _TASKS:
            raise RemoteRefusal(
                f"The offline provider has rules for {', '.join(_TASKS)}, not for {task or 'free text'!r}."
            )
        text = json.dumps(_TASKS[task](request.facts), ensure_ascii=False)
        length = len(request.system) + sum(len(message.content) for message in request.messages)
        return LLMResponse(
            text=text,
            finish=Finish.STOP,
            provider=self.spec.label,
            model=MODEL,
            usage=Usage(input_tokens=length // CHARS_PER_TOKEN, output_tokens=len(text) // CHARS_PER_TOKEN),
            cost_usd=Decimal(0),
            latency_ms=round((time.perf_counter() - started) * 1000),
        )
