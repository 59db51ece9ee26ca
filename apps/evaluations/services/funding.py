"""Money for judging: reserved by the lane's thread when it claims work, settled with the verdicts (docs/adr/0062)."""

import json
import uuid
from collections.abc import Callable, Container, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from apps.budgets.domain.allowance import Refused
from apps.budgets.domain.estimate import dearest, tokens_at_most
from apps.budgets.domain.sentences import SPENT_CODE
from apps.budgets.services.reserving import NoMoney, Want, extend, reserve, settle
from apps.core.errors import RatibaError
from apps.evaluations.domain.prompt import DEFAULT_MAX_OUTPUT_TOKENS
from apps.evaluations.services.asking import Judge
from apps.evaluations.services.claiming import Owed
from apps.evaluations.services.storing import store_verdicts
from apps.evaluations.services.verdict import Verdict

QUESTIONS = 2  # the question and its one tighter repeat
FENCE_BYTES = 80  # what the prompt writes around each turn
NO_HURRY = timedelta(days=365)  # a raise ends the wait, not the time
_IN_FLIGHT = timedelta(seconds=1)


class Purse:
    """What one lane was promised. Work that costs nothing never asks."""

    def __init__(self, *, holder: uuid.UUID, now: Callable[[], datetime]) -> None:
        self.holder = holder
        self.now = now
        self.hold_until: datetime | None = None
        self.cross_check_allowed = True
        self._promised = False

    def fund(
        self, owed: Sequence[Owed], judges: Mapping[uuid.UUID, Judge | RatibaError], paid: Container[uuid.UUID]
    ) -> dict[uuid.UUID, NoMoney]:
        """Which of these judgements cannot be paid, and why. `paid` ones need nothing: their answers are kept.

        After a refusal because of calls in flight, `hold_until` says when to ask again. Costs what `reserve` costs.
        """
        now = self.now()
        wants = [
            Want(
                id=one.judgement_id,
                usd=Decimal(0) if one.judgement_id in paid else cost_at_most(judges[one.evaluation_id], one),
                run_id=one.run_id,
                pull_request=one.pull_request,
            )
            for one in owed
        ]
        decided = reserve(holder=self.holder, wants=wants, now=now)
        self._promised = self._promised or any(want.usd for want in wants)
        self.cross_check_allowed = not decided.in_danger
        self.hold_until = now + _IN_FLIGHT if _any_in_flight(decided.refused) else None
        return dict(decided.refused)

    def holding(self) -> bool:
        """Whether what is left of a budget is promised, so that claiming more would be for nothing."""
        return self.hold_until is not None and self.now() < self.hold_until

    def keep(self) -> None:
        """The heartbeat; nothing where nothing was promised."""
        if self._promised:
            extend(holder=self.holder, now=self.now())

    def give_back(self) -> None:
        """The lane ends: what was promised and not asked is free again."""
        if self._promised:
            settle(holder=self.holder)


def cost_at_most(judge: Judge | RatibaError, owed: Owed) -> Decimal:
    """Dollars that one judgement may cost: question and tighter repeat, by the dearer of model and fallback.

    0 for the offline rules, for unknown prices, and where the prompt cannot be made. Microseconds.
    """
    if isinstance(judge, RatibaError) or judge.primary.spec.provider == "offline":
        return Decimal(0)
    try:
        around = judge.asking.prompt_bytes
    except RatibaError:
        return Decimal(0)
    output = int(judge.snapshot.parameters.get("max_output_tokens") or DEFAULT_MAX_OUTPUT_TOKENS)
    specs = [llm.spec for llm in (judge.primary, judge.fallback) if llm is not None]
    size = tokens_at_most(around + sum(_bytes(turn) for turn in owed.turns))
    return QUESTIONS * dearest(specs, input_tokens=size, output_tokens=output)


def wait_for_money(
    *, owed: Sequence[Owed], refused: Mapping[uuid.UUID, NoMoney], token: uuid.UUID, now: datetime
) -> None:
    """Put refused judgements back: they wait, for calls in flight or for somebody to raise the budget. One update."""
    waits = []
    for one in owed:
        no = refused[one.judgement_id]
        spent = no.why is Refused.SPENT
        waits.append(
            Verdict(
                judgement_id=one.judgement_id,
                evaluation_id=one.evaluation_id,
                wait_until=(no.until or now + NO_HURRY) if spent else now + _IN_FLIGHT,
                waiting_for=no.sentence,
                error_code=SPENT_CODE if spent else "",
            )
        )
    if waits:
        store_verdicts(verdicts=waits, now=now, token=token)


def _any_in_flight(refused: Mapping[uuid.UUID, NoMoney]) -> bool:
    return any(no.why is Refused.PROMISED for no in refused.values())


def _bytes(turn: Mapping[str, Any]) -> int:
    calls = turn.get("tool_calls")
    more = len(json.dumps(calls, ensure_ascii=False).encode()) if calls else 0
    return len(str(turn.get("content") or "").encode("utf-8", "replace")) + more + FENCE_BYTES
