"""One battle that waits for a verdict on its simulated customer, and what is stored of the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor
from apps.budgets.services.paid_question import PaidReply
from apps.connectors.llms.base import LLM
from apps.core.digest import sha256_hex
from apps.evaluations.domain.parsing import without_salt
from apps.evaluations.judging.services.salts import process_salt
from apps.personas.domain.simulator_findings import SimulatorFinding, verdict_of
from apps.runs.domain.states import SimulatorVerdict
from apps.runs.models import Conversation
from apps.runs.playing.services.simulator_verdicts import ReviewOutcome

ReviewReply = PaidReply[tuple[SimulatorFinding, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class BattleToReview:
    """One battle as the coroutine sees it, and the models it is asked of (`primary` None: nobody is asked, `why`)."""

    spec: Mapping[str, Any]
    turns: Sequence[Mapping[str, Any]]
    found: Sequence[SimulatorFinding]
    call_for: CallFor
    primary: LLM | None
    fallback: LLM | None
    why: str
    nonce: str


def unread_battle(row: Conversation, why: str) -> BattleToReview:
    """One that cannot be read: nobody is asked about it."""
    call_for = CallFor(purpose=Purpose.SIMULATOR_REVIEW, run_id=row.run_id, conversation_id=row.pk)
    return BattleToReview(
        spec=row.spec,
        turns=(),
        found=(),
        call_for=call_for,
        primary=None,
        fallback=None,
        why=why,
        nonce="",
    )


def is_drawn(row: Conversation, plan: Mapping[str, Any]) -> bool:
    """Tell whether a model looks at this battle: by its id, so that the draw is the same whoever looks."""
    return int(sha256_hex(str(row.pk))[:8], 16) / 2**32 < float(plan.get("share", 1.0))


def review_outcome(battle: BattleToReview, answer: ReviewReply) -> ReviewOutcome:
    """The outcome of a review, as it is stored: the verdict from the findings of rules and model, or why there is
    none."""
    findings = (*battle.found, *(answer.value or ()))
    verdict = verdict_of(findings, asked=answer.value is not None)
    error = f"No model answered: {answer.error}" if answer.error and not answer.unusable else answer.error
    response, why = answer.response, error[:300] or battle.why
    return ReviewOutcome(
        verdict=verdict,
        findings=[finding.as_json() for finding in findings],
        reason=why if verdict is SimulatorVerdict.UNMEASURED else "",
        provider=response.provider if response else "",
        model=answer.model,
        cost_usd=answer.cost_usd,
        raw_reply=without_salt(response.text, process_salt()) if response and answer.unusable else "",
    )
