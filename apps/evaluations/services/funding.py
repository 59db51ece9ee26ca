"""Money for judging: reserved by the lane's thread when it claims work, settled with the verdicts (docs/adr/0062)."""

import json
import uuid
from collections.abc import Container, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from apps.budgets.domain.allowance import Refused
from apps.budgets.domain.estimate import dearest, tokens_at_most
from apps.budgets.domain.sentences import SPENT_CODE
from apps.budgets.services.purse import next_try
from apps.budgets.services.reserving import NoMoney, Want
from apps.core.errors import RatibaError
from apps.evaluations.domain.prompt import DEFAULT_MAX_OUTPUT_TOKENS
from apps.evaluations.services.claiming import Owed
from apps.evaluations.services.judge import Judge
from apps.evaluations.services.questions import Plan
from apps.evaluations.services.storing import store_verdicts
from apps.evaluations.services.verdict import Verdict

QUESTIONS = 2  # the question and its one tighter repeat
FENCE_BYTES = 80  # what the prompt writes around each turn


def wants_of(
    owed: Sequence[Owed],
    judges: Mapping[uuid.UUID, Judge | RatibaError],
    plans: Mapping[uuid.UUID, Plan],
    kept: Container[str],
) -> list[Want]:
    """What these judgements may cost; nothing for questions whose answers are `kept`."""
    return [
        Want(
            id=one.judgement_id,
            usd=cost_at_most(judges[one.evaluation_id], one, plans.get(one.judgement_id), kept),
            run_id=one.run_id,
            pull_request=one.pull_request,
        )
        for one in owed
    ]


def cost_at_most(judge: Judge | RatibaError, owed: Owed, plan: Plan | None, kept: Container[str]) -> Decimal:
    """Dollars that one judgement may cost: every question of its plan and its tighter repeat, the panel's too, each by
    the dearer of model and fallback.

    0 for the offline rules, for unknown prices, and where the prompt cannot be made. Microseconds.
    """
    if isinstance(judge, RatibaError) or plan is None:
        return Decimal(0)
    try:
        around = judge.asking.prompt_bytes
    except RatibaError:
        return Decimal(0)
    output = int(judge.snapshot.parameters.get("max_output_tokens") or DEFAULT_MAX_OUTPUT_TOKENS)
    size = tokens_at_most(around + sum(_bytes(turn) for turn in owed.turns))
    total = Decimal(0)
    for question in plan.questions():
        if question.key is None or question.key not in kept:
            specs = [llm.spec for llm in (question.llm, question.fallback) if llm is not None]
            total += QUESTIONS * dearest(specs, input_tokens=size, output_tokens=output)
    return total


def wait_for_money(
    *, owed: Sequence[Owed], refused: Mapping[uuid.UUID, NoMoney], token: uuid.UUID, now: datetime
) -> None:
    """Put refused judgements back: they wait, for calls in flight or for somebody to raise the budget. One update."""
    waits = [
        Verdict(
            judgement_id=one.judgement_id,
            evaluation_id=one.evaluation_id,
            wait_until=next_try(no, now=now),
            waiting_for=no.sentence,
            error_code=SPENT_CODE if no.why is Refused.SPENT else "",
        )
        for one in owed
        if (no := refused.get(one.judgement_id)) is not None
    ]
    if waits:
        store_verdicts(verdicts=waits, now=now, token=token)


def _bytes(turn: Mapping[str, Any]) -> int:
    calls = turn.get("tool_calls")
    more = len(json.dumps(calls, ensure_ascii=False).encode()) if calls else 0
    return len(str(turn.get("content") or "").encode("utf-8", "replace")) + more + FENCE_BYTES
