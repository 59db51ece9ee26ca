"""An answer that was cut off is asked for with twice the room only where there is money for that, too."""

import asyncio
import uuid

from apps.budgets.domain.allowance import RefusalReason
from apps.budgets.domain.purpose import Purpose
from apps.budgets.domain.scopes import Scope, ScopeKind
from apps.budgets.services.ledger import CallFor, OpenCall
from apps.budgets.services.metered_model import MeteredModel, Unfunded
from apps.budgets.services.reserving import Refusal
from apps.connectors.llms.base import Finish, LLMRequest
from apps.connectors.retry import CallResult, RetryPolicy
from tests.connectors.test_retry import CLIENT, Scripted

SPENT = Refusal(why=RefusalReason.SPENT, scope=Scope(ScopeKind.TENANT), sentence="The budget is spent.")


def asked(*steps: str, money_for: int) -> tuple[CallResult, list[OpenCall], Scripted, MeteredModel]:
    rows: list[OpenCall] = []
    model = Scripted("openai", *steps)

    async def opener(call: object) -> None:
        assert isinstance(call, OpenCall)
        if len(rows) >= money_for:
            raise Unfunded(SPENT)
        rows.append(call)

    metered = MeteredModel(primary=model, fallback=None, policy=RetryPolicy(), client=CLIENT, opener=opener)
    made_for = CallFor(purpose=Purpose.SIMULATOR, conversation_id=uuid.UUID(int=7))
    result = asyncio.run(metered.ask(LLMRequest(system="s", messages=()), call_for=made_for))
    return result, rows, model, metered


def test_the_longer_call_is_a_question_of_its_own_for_the_budget() -> None:
    result, rows, model, _ = asked("length", "ok", money_for=2)
    assert (result.response.finish, model.rooms) == (Finish.STOP, [4096, 8192])
    assert [row.question is not None for row in rows] == [True, True]


def test_a_further_attempt_at_the_same_question_is_paid_by_what_was_reserved_for_it() -> None:
    _, rows, model, _ = asked("500", "ok", money_for=2)
    assert (model.rooms, [row.question is not None for row in rows]) == ([4096, 4096], [True, False])


def test_without_money_for_the_longer_call_the_answer_that_was_cut_off_stays() -> None:
    result, rows, model, metered = asked("length", "ok", money_for=1)
    assert (result.response.finish, model.rooms, len(rows)) == (Finish.LENGTH, [4096], 1)
    assert metered.calls[0].attempt.outcome == "ok"
