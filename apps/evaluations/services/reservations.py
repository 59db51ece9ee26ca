"""Money for judging: reserved by the lane's thread when it claims work, settled with the verdicts (docs/adr/0062)."""

import json
import uuid
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any

from apps.budgets.domain.allowance import Refused
from apps.budgets.domain.estimate import Estimate, History, PriceState, cost_at_most, max_cost, tokens_at_most
from apps.budgets.domain.purpose import Purpose
from apps.budgets.domain.sentences import SPENT_CODE
from apps.budgets.services import OpenCall
from apps.budgets.services.reservations import next_try
from apps.budgets.services.reserving import Refusal, ReservationRequest
from apps.core.errors import RatibaError
from apps.evaluations.domain.prompt import DEFAULT_MAX_OUTPUT_TOKENS
from apps.evaluations.services.call_plan import CallPlan, PlannedCall
from apps.evaluations.services.judge import Judge
from apps.evaluations.services.leases import ClaimedJudgement
from apps.evaluations.services.outcome import JudgementOutcome
from apps.evaluations.services.save_outcomes import save_outcomes

QUESTIONS = 2  # the question and its one tighter repeat
FENCE_BYTES = 80  # what the prompt writes around each turn
AHEAD = 8  # rows opened before a judgement begins: as many as it asks at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Funding:
    """What one judgement may cost at most, and the ledger rows of its first calls."""

    request: ReservationRequest
    first: Mapping[PlannedCall, OpenCall] = field(default_factory=dict)


def funding_of(
    owed: ClaimedJudgement,
    judge: Judge | RatibaError,
    plan: CallPlan | None,
    *,
    kept: Container[str] = (),
    history: History,
) -> Funding:
    """Every question of its plan and its tighter repeat, the panel's too, each by the dearer of model and fallback.

    Nothing for questions whose answers are `kept`, for the offline rules, and where the prompt cannot be made.
    Microseconds.
    """
    total, first = Estimate(), {}
    size = _tokens(owed, judge) if plan is not None else None
    if size is not None and plan is not None and isinstance(judge, Judge):
        output = int(judge.snapshot.parameters.get("max_output_tokens") or DEFAULT_MAX_OUTPUT_TOKENS)
        asked = [one for one in plan.questions() if one.key is None or one.key not in kept]
        for one in asked:
            specs = [llm.spec for llm in (one.llm, one.fallback) if llm is not None]
            worst = max_cost(specs, input_tokens=size, output_tokens=output, history=history)
            total += worst.times(QUESTIONS)
        certain = set(plan.certain())
        for one in islice((one for one in asked if one in certain and one.llm.spec.provider != "offline"), AHEAD):
            each = cost_at_most(one.llm.spec, input_tokens=size, output_tokens=output, history=history)
            known = each.usd if each.price is PriceState.KNOWN else None
            spec = one.llm.spec
            first[one] = OpenCall(
                made_for=owed.pays(one.purpose), provider=spec.label, model=spec.model, estimate_usd=known
            )
    return Funding(request=_request(owed, total), first=first)


def _request(owed: ClaimedJudgement, total: Estimate) -> ReservationRequest:
    paid_as = owed.pays(Purpose.JUDGE)
    return ReservationRequest(
        id=owed.judgement_id,
        usd=total.usd,
        run_id=paid_as.run_id,
        pull_request=paid_as.pull_request,
        price=total.price,
        unpriced=total.unpriced,
    )


def _tokens(owed: ClaimedJudgement, judge: Judge | RatibaError) -> int | None:
    if isinstance(judge, RatibaError):
        return None
    try:
        around = judge.asking.prompt_bytes
    except RatibaError:
        return None
    return tokens_at_most(around + sum(_bytes(turn) for turn in owed.turns))


def defer_unfunded(
    *, owed: Sequence[ClaimedJudgement], refused: Mapping[uuid.UUID, Refusal], token: uuid.UUID, now: datetime
) -> None:
    """Put refused judgements back: they wait, for calls in flight or for somebody to raise the budget. One update."""
    waits = [
        JudgementOutcome(
            judgement_id=one.judgement_id,
            evaluation_id=one.evaluation_id,
            wait_until=next_try(no, now=now),
            waiting_for=no.sentence,
            error_code="" if no.why is Refused.PROMISED else SPENT_CODE,
            begun=False,
        )
        for one in owed
        if (no := refused.get(one.judgement_id)) is not None
    ]
    if waits:
        save_outcomes(verdicts=waits, now=now, token=token)


def _bytes(turn: Mapping[str, Any]) -> int:
    calls = turn.get("tool_calls")
    more = len(json.dumps(calls, ensure_ascii=False).encode()) if calls else 0
    return len(str(turn.get("content") or "").encode("utf-8", "replace")) + more + FENCE_BYTES
