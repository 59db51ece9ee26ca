"""What tests of verdicts start from: a loopback customer, a loopback reviewer, and one lane of verdicts at a time."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from apps.budgets.services.metered_run import model_client
from apps.budgets.services.paid_work import PaidWork
from apps.catalog.connections.services.storing import save_model_provider
from apps.jobs.worker_loop import LoopLimits, LoopReport, run_worker_loop
from apps.personas.services.simulator_review import ReviewRows
from apps.runs.models import Conversation, SimulatorReview
from tests.loopback.http_server import Answer, Request
from tests.loopback.providers import ModelProvider
from tests.runs.stage import NOW, battles, make_agent, make_scenarios, play
from tests.secret_answers import as_asked

_NONCE = re.compile(r'nonce\\": \\"(\w+)')
CUSTOMER = {"provider": "customer", "model": "customer-model"}
REVIEWER = {"provider": "reviewer", "model": "reviewer-model"}
REVIEW = {"mode": "on", "share": 1.0, "model": REVIEWER}
BYE = json.dumps({"message": "I have all day. Bye", "done": True, "reason": "gave_up"})
KEPT = json.dumps({"nonce": "<the nonce>", "findings": []})


def fault(**more: Any) -> str:
    """A review that proves a fault in what BYE says."""
    found = {
        "kind": "broke", "behaviour": "", "turn": 2, "quote": "I have all day", "why": "It was in a hurry.",
        "should_have": "Hurry.", "critical": True,
    } | more  # fmt: skip
    return json.dumps({"nonce": "<the nonce>", "findings": [found]})


class Reviewer(ModelProvider):
    """Puts the question's nonce and its secret keys into what it was told to say."""

    def _handle(self, request: Request) -> Answer:
        answer, asked = super()._handle(request), request.body.decode()
        secrets = {"<the nonce>": _NONCE.findall(asked)[-1]}
        for key, name in as_asked(asked, {"kind": "kind", "critical": "critical"}).items():
            secrets[f'\\"{name}\\"'] = f'\\"{key}\\"'
        for plain, secret in secrets.items():
            answer = replace(answer, body=answer.body.replace(plain.encode(), secret.encode()))
        return answer


@contextmanager
def models(review: str = KEPT) -> Iterator[tuple[ModelProvider, ModelProvider]]:
    """The model that plays the customer (BYE for ever) and the one that reviews it."""
    with ModelProvider(BYE) as customer, Reviewer(review) as reviewer:
        for name, server in (("customer", customer), ("reviewer", reviewer)):
            save_model_provider(
                name=name, kind="openai", base_url=server.base_url("openai"), api_key="not-a-key",
                options={"price_provider": "openai"},
            )  # fmt: skip
        yield customer, reviewer


def reviewed_battles(count: int = 1, *, review: Any = REVIEW, opening: str = "Hi, braids please.", **more: Any) -> UUID:
    """A run of battles whose customer takes leave in its second message, not yet played."""
    make_agent("Which day?", "Goodbye.")
    make_scenarios(count, opening=opening)
    return battles(simulator=CUSTOMER, simulator_review=review, **more)


def review(now: Callable[[], datetime] | datetime = NOW, *, work: PaidWork[Any] | None = None) -> LoopReport:
    """One lane reaches the verdicts that are due at this time, and waits for nothing."""
    clock = now if callable(now) else lambda: now
    return run_worker_loop(
        work=work or PaidWork(ReviewRows(), now=clock),
        limits=LoopLimits(concurrency=4, linger_for=timedelta(0)),
        client=model_client,
        now=clock,
    )


def play_and_review(rounds: int = 3, now: datetime = NOW) -> None:
    for _ in range(rounds):
        play(now)
        review(now)


def verdicts(run: UUID) -> list[tuple[str, str, int]]:
    """(status, verdict, attempt) of each conversation in order."""
    rows = Conversation.objects.filter(run_id=run).order_by("position")
    return list(rows.values_list("status", "simulator_verdict", "attempt"))


def stored(run: UUID) -> list[tuple[int, str]]:
    """(attempt, verdict) of every review, in order."""
    rows = SimulatorReview.objects.filter(conversation__run_id=run).order_by("conversation__position", "attempt")
    return list(rows.values_list("attempt", "verdict"))
