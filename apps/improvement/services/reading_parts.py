"""Asking an analyzer: every part at once, then which findings of different parts are the same. No database."""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from apps.budgets.domain.estimate import History
from apps.budgets.services import CallFor, LedgerCall
from apps.budgets.services.metered_model import MeteredModel, Opener
from apps.connectors.errors import ConnectorError, RateLimited
from apps.connectors.llms.base import LLM, LLMRequest
from apps.connectors.retry import CallResult, RetryPolicy
from apps.evaluations.domain.parsing import ParseError, answer_text
from apps.evaluations.domain.warnings import ResultWarning, WarningCode
from apps.improvement.domain.analysis import ClaimedFinding, joined, read_claims, read_groups, share_a_criterion
from apps.improvement.domain.analysis_prompt import join_request

AT_ONCE = 4  # questions in flight
Part = tuple[str, LLMRequest]  # its nonce, its question


@dataclass(slots=True, kw_only=True)
class PartReading:
    """What the questions of one analysis came to, before it is written down. `failed` parts stand in `notes`."""

    claims: dict[str, ClaimedFinding] = field(default_factory=dict)
    opposed: list[list[str]] = field(default_factory=list)
    notes: list[ResultWarning] = field(default_factory=list)
    calls: list[LedgerCall] = field(default_factory=list)
    answered: CallResult | None = None
    failed: int = 0
    wait: RateLimited | None = None


async def read_parts(
    parts: Sequence[Part],
    *,
    criteria: Sequence[str],
    primary: LLM,
    fallback: LLM | None,
    call_for: CallFor,
    client: Any,
    opener: Opener,
    history: History,
    retries: RetryPolicy,
) -> PartReading:
    """Ask about every part, an unreadable answer once more, then join. Never raises for a model or a network.

    Costs a call a part, one more where there are several parts or two findings on one criterion (they may oppose each
    other), and repeats as the retry policy says.
    """
    asking = _PartCalls(primary, fallback, client, call_for, opener, history, retries)
    found = await asyncio.gather(
        *(asking.part(pair, number, len(parts), criteria) for number, pair in enumerate(parts, 1))
    )
    claims = [claim for part in found for claim in part]
    asking.reading.claims = {f"F{number}": claim for number, claim in enumerate(claims, start=1)}
    if asking.reading.wait is None and len(claims) > 1 and (len(parts) > 1 or share_a_criterion(claims)):
        await asking.join()
    return asking.reading


class _PartCalls:
    def __init__(
        self,
        primary: LLM,
        fallback: LLM | None,
        client: Any,
        call_for: CallFor,
        opener: Opener,
        history: History,
        retries: RetryPolicy,
    ) -> None:
        self.primary, self.fallback, self.client, self.call_for = primary, fallback, client, call_for
        self.opener, self.history, self.retries = opener, history, retries
        self.gate = asyncio.Semaphore(AT_ONCE)
        self.reading = PartReading()

    async def part(self, pair: Part, number: int, of: int, criteria: Sequence[str]) -> list[ClaimedFinding]:
        nonce, request = pair
        try:
            try:
                return read_claims(await self._send(request), criteria=criteria, nonce=nonce)
            except ParseError:  # one repeat, as with a judge
                return read_claims(await self._send(request), criteria=criteria, nonce=nonce)
        except RateLimited as error:
            self.reading.wait = error
        except (ConnectorError, ParseError) as error:
            self.reading.failed += 1
            self._note(WarningCode.PART_UNREAD, f"Part {number} of {of} could not be analysed: {error}")
        return []

    async def join(self) -> None:
        nonce = secrets.token_hex(8)
        request = join_request(claims=self.reading.claims, nonce=nonce, timeout_s=settings.MODEL_TIMEOUT_S)
        try:
            text = await self._send(request)
            self.reading.opposed = read_groups(text, "opposed", nonce=nonce)
            self.reading.claims = joined(self.reading.claims, read_groups(text, "same", nonce=nonce))
        except (ConnectorError, ParseError) as error:
            self._note(WarningCode.FINDINGS_NOT_COMPARED, f"Findings could not be compared with each other: {error}")

    def _note(self, code: WarningCode, text: str) -> None:
        self.reading.notes.append(ResultWarning(code=code, text=text[:500]))

    async def _send(self, request: LLMRequest) -> str:
        metered = MeteredModel(
            primary=self.primary, fallback=self.fallback, policy=self.retries, client=self.client,
            opener=self.opener, history=self.history, calls=self.reading.calls,
        )  # fmt: skip
        async with self.gate:
            result = await metered.ask(request, call_for=self.call_for)
        self.reading.answered = result
        return answer_text(result.response)
