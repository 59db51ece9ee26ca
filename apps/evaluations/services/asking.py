"""Asking a judge about one conversation: one call for all criteria, at most one tighter repeat, no database."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from apps.budgets.models import Purpose
from apps.budgets.services import CallFor, LedgerCall
from apps.catalog.domain.snapshots import ConfigSnapshot
from apps.connectors.errors import ConnectorError, RateLimited
from apps.connectors.llms.base import LLM, Attempt, LLMRequest
from apps.connectors.retry import Asked, RetryPolicy, ask
from apps.core.conversation import ConversationDocument
from apps.evaluations.domain import evidence, fingerprint, latency, parsing, prompt, scoring
from apps.evaluations.domain.states import JudgementStatus, UnscoredReason
from apps.evaluations.services.claiming import Owed
from apps.evaluations.services.verdict import CriterionVerdict, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Everything a judgement of one evaluation depends on, made once per lane."""

    snapshot: ConfigSnapshot
    primary: LLM
    fallback: LLM | None
    policy: RetryPolicy
    timeout_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reply:
    """A reply read: usable scores by criterion, and which criteria it failed to score properly."""

    asked: Asked
    scores: Mapping[str, Any]
    missing: tuple[str, ...]


async def judge_conversation(*, owed: Owed, judge: Judge, nonce: str, client: Any, now: Any) -> Verdict:
    """Judge one conversation. Never raises for what a model or a network does: that becomes the verdict.

    Costs one model call; a second one when the reply was unusable or left criteria out; more on failures, as the
    retry policy says. Repeating it pays again: the caller holds the lease.
    """
    return await _Judging(owed=owed, judge=judge, nonce=nonce, client=client, now=now).run()
