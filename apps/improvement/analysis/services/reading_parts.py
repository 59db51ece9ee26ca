"""Asking an analyzer: every part at once, then which findings of different parts are the same. No database."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from django.conf import settings

from apps.budgets.domain.estimate import Estimate, History, until_readable
from apps.budgets.services import CallFor
from apps.budgets.services.paid_question import UNREAD, Asking, PaidReply, first_readable, request_at_most, twice
from apps.connectors.errors import ConnectorError
from apps.connectors.llms.base import LLM, LLMRequest, LLMResponse, ModelSpec
from apps.core.question_secrets import fresh_nonce
from apps.evaluations.domain.parsing import ParseError, read_answer
from apps.evaluations.domain.warnings import ResultWarning, WarningCode
from apps.improvement.analysis.domain.findings import (
    ClaimedFinding,
    joined,
    read_claims,
    read_groups,
    share_a_criterion,
)
from apps.improvement.analysis.domain.prompt import join_request
from apps.improvement.prompt_templates.domain.texts import PromptTexts

AT_ONCE = 4  # questions in flight
Part = tuple[str, LLMRequest]  # its nonce, its question


@dataclass(slots=True, kw_only=True)
class PartReading:
    """The answers to the questions of one analysis, before they are written down. `failed` parts stand in `notes`."""

    claims: dict[str, ClaimedFinding] = field(default_factory=dict)
    opposed: list[list[str]] = field(default_factory=list)
    notes: list[ResultWarning] = field(default_factory=list)
    answered: LLMResponse | None = None
    failed: int = 0
    wait_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartsToRead:
    """The questions of one analysis, reserved for together (apps.budgets.services.paid_question.Payable)."""

    parts: Sequence[Part]
    joining: PromptTexts
    language: str
    criteria: Sequence[str]
    models: tuple[LLM, LLM | None]
    call_for: CallFor

    @property
    def specs(self) -> Sequence[ModelSpec]:
        return [llm.spec for llm in self.models if llm is not None]

    def at_most(self, history: History) -> Estimate:
        """Every part asked twice, and the joining question."""
        each = [request_at_most(request, self.specs, history) for _, request in self.parts]
        total = sum((until_readable([one, one]) for one in each), Estimate())
        return total + max(each, key=lambda estimate: estimate.usd)

    async def ask(self, asking: Asking) -> PaidReply[PartReading]:
        """Ask about every part, an unreadable answer once more, then join. Never raises for a model or a network.

        Costs a call a part, one more where there are several parts or two findings on one criterion (they may oppose
        each other), and repeats as the retry policy says.
        """
        calls = _PartCalls(self, asking)
        readings = await asyncio.gather(*(calls.part(pair, number) for number, pair in enumerate(self.parts, 1)))
        claims, reading = [claim for part in readings for claim in part], calls.reading
        reading.claims = {f"F{number}": claim for number, claim in enumerate(claims, start=1)}
        if reading.wait_s is None and len(claims) > 1 and (len(self.parts) > 1 or share_a_criterion(claims)):
            await calls.join()
        return PaidReply(value=reading, wait_s=reading.wait_s, response=reading.answered, calls=asking.calls)


class _PartCalls:
    def __init__(self, of: PartsToRead, asking: Asking) -> None:
        self.of, self.model = of, asking.model(*of.models)
        self.gate = asyncio.Semaphore(AT_ONCE)
        self.reading = PartReading()

    async def part(self, pair: Part, number: int) -> list[ClaimedFinding]:
        nonce, request = pair
        read = partial(read_claims, criteria=self.of.criteria, nonce=nonce)
        async with self.gate:
            reply = await first_readable(self.model, twice(request), read=read, call_for=self.of.call_for)
        self.reading.answered = reply.response or self.reading.answered
        if reply.wait_s is not None:
            self.reading.wait_s = reply.wait_s
        elif reply.value is None:
            self.reading.failed += 1
            why = reply.error.removeprefix(UNREAD)
            self._note(WarningCode.PART_UNREAD, f"Part {number} of {len(self.of.parts)} could not be analysed: {why}")
        return reply.value or []

    async def join(self) -> None:
        nonce = fresh_nonce()
        request = join_request(
            claims=self.reading.claims,
            language=self.of.language,
            texts=self.of.joining,
            nonce=nonce,
            timeout_s=settings.MODEL_TIMEOUT_S,
        )
        try:
            result = await self.model.ask(request, call_for=self.of.call_for)
            self.reading.answered = result.response
            self.reading.opposed, same = read_answer(
                result.response,
                lambda text: tuple(read_groups(text, kind, nonce=nonce) for kind in ("opposed", "same")),
            )
            self.reading.claims = joined(self.reading.claims, same)
        except (ConnectorError, ParseError) as error:
            self._note(WarningCode.FINDINGS_NOT_COMPARED, f"Findings could not be compared with each other: {error}")

    def _note(self, code: WarningCode, text: str) -> None:
        self.reading.notes.append(ResultWarning(code=code, text=text[:500]))
