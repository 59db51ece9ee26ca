"""A conversation becomes a candidate scenario: masked, drafted, looked at once more, and waiting for a person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from apps.catalog.configs.queries.judges import OFFLINE, model_in_force
from apps.catalog.models import Scenario
from apps.catalog.personas.domain.near_duplicates import family_of
from apps.catalog.scenarios.domain.document import read_must_not
from apps.catalog.scenarios.services.releasing import create_candidate
from apps.core.errors import BadInput, Conflict, NotFound
from apps.core.events import EventType, log_event
from apps.core.identities import uuid_in
from apps.production.conversations.domain.promotion_states import DraftWork, SignalKind
from apps.production.conversations.models import Feedback, Promotion
from apps.production.privacy.domain.masked_conversation import MaskedConversation, as_rows
from apps.production.privacy.domain.residue_removal import without_quotes
from apps.production.privacy.domain.second_check import Residue
from apps.production.privacy.services.masking_for_tests import comment_of, document_of, mask_and_check, masking_scope
from apps.production.privacy.services.pseudonyms import conversation_named, pseudonyms
from apps.production.promotion.domain.candidate_draft import CandidateDraft, draft_candidate
from apps.production.promotion.queries.failed_criteria import ExpectationDraft, failed_expectations, passed_expectations
from apps.production.sampling.domain.surprise import Surprise
from apps.runs.models import Conversation
from apps.runs.prompt_of_conversation import prompt_of

WRITER = "persona_generator"  # the tenant's model that writes customers: it words goal and persona of a candidate
MAX_COMPARED = 300  # promotions that a new one may be a near duplicate of
_OVER = frozenset({"ended", "failed", "timeout", "cancelled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotedConversation:
    """`created` is False where it was a candidate, or a test, already; `blocked`: a person must look at the masking."""

    promotion_id: UUID
    scenario_id: UUID
    slug: str
    status: str
    created: bool
    blocked: bool
    must_not: Sequence[Mapping[str, Any]] = field(default=())

    def as_json(self) -> dict[str, Any]:
        return {
            "promotion_id": str(self.promotion_id),
            "scenario_id": str(self.scenario_id),
            "scenario": self.slug,
            "status": self.status,
            "created": self.created,
            "masking_blocked": self.blocked,
            "must_not": [dict(one) for one in self.must_not],
        }


def promote_conversation(
    *,
    conversation_id: UUID | str,
    by: str,
    now: datetime,
    must_not: Any = None,
    feedback: Sequence[UUID] = (),
    feedback_id: str = "",
    surprise: Surprise | None = None,
) -> PromotedConversation:
    """Make a conversation a candidate scenario; promoted again, it returns the same one. Race-safe.

    `conversation_id` is ours, or the one it was posted with. `must_not` is [{"criterion", "below"}]; None: what its
    newest judgement and its checks failed. `feedback` are its feedback rows that are the reason; `feedback_id` names
    one by its posted id. `surprise`: it went better, or worse, than usual; the criteria that a good one passed must
    hold again. Raises NotFound; BadInput (`nothing_said`, `unknown_vertical`, `unknown_criterion`, `unknown_feedback`);
    Conflict `not_ended`, `no_transcript` where its words were deleted, and `vertical_blocked` where nobody has decided
    yet what a vertical masks. At most 20 queries.
    """
    expectations = None if must_not is None else read_must_not(must_not)
    row = _conversation(conversation_id)
    if (known := Promotion.objects.select_related("scenario").filter(conversation=row).first()) is not None:
        return _answer(known, created=False)
    feedback = [*feedback, *_posted_feedback(row, feedback_id)]
    conversation, hits = mask_and_check(document_of(row), masking_scope())
    draft, drafted = _without(draft_candidate(conversation), hits), _expectations(row, surprise)
    signals = _signals(row, drafted, by=by if not feedback and surprise is None else "", surprise=surprise, now=now)
    with transaction.atomic():
        Conversation.objects.select_for_update(of=("self",)).filter(pk=row.pk).values_list("pk").first()
        if (known := Promotion.objects.select_related("scenario").filter(conversation=row).first()) is not None:
            return _answer(known, created=False)
        expected = drafted if expectations is None else ExpectationDraft(must_not=expectations)
        provenance = _provenance(row, feedback=feedback, by=by)
        scenario_id = _candidate(row, conversation, draft, expected=expected, provenance=provenance)
        made = _store(row, scenario_id, conversation, draft, hits=hits, signals=signals, by=by)
    _told(made, scenario_id)
    return _answer(made, created=True)


def _told(made: Promotion, scenario_id: UUID) -> None:
    conversation, scenario = str(made.conversation_id), str(scenario_id)
    log_event(EventType.CONVERSATION_PROMOTED, conversation=conversation, scenario=scenario, blocked=made.blocked)


def slug_of(conversation_id: UUID) -> str:
    """The id of the scenario that a conversation becomes."""
    return f"production_{conversation_id.hex[-12:]}"


def _conversation(conversation_id: UUID | str) -> Conversation:
    rows = Conversation.objects.select_related("run")
    row = None if (own := uuid_in(str(conversation_id))) is None else rows.filter(pk=own).first()
    if row is None and (named := conversation_named(str(conversation_id), pseudonyms())) is not None:
        row = rows.get(pk=named.conversation_id)
    if row is None:
        raise NotFound(f"There is no conversation {conversation_id}.", pointer="/conversation_id")
    if row.status not in _OVER:
        raise Conflict("This conversation is still going on: make it a test when it has ended.", code="not_ended")
    return row


def _posted_feedback(row: Conversation, feedback_id: str) -> list[UUID]:
    if not feedback_id:
        return []
    digest = pseudonyms().digest("feedback", feedback_id)
    pks = list(Feedback.objects.filter(conversation=row, id_digest=digest).values_list("pk", flat=True))
    if not pks:
        message = "This conversation has no feedback with that id."
        raise BadInput(message, code="unknown_feedback", pointer="/feedback_id")
    return pks


def _family(conversation: MaskedConversation) -> str:
    """The family of the most alike promotion, "" for a new one: it is named like its scenario. One query."""
    rows = Promotion.objects.select_related("scenario").order_by("-id")[:MAX_COMPARED]
    others = {
        row.scenario.family_name: [turn["content"] for turn in row.transcript if turn["role"] == "user"] for row in rows
    }
    return family_of(conversation.customer, others)


def _expectations(row: Conversation, surprise: Surprise | None) -> ExpectationDraft:
    good = surprise is not None and surprise.kind == SignalKind.SURPRISINGLY_GOOD
    return passed_expectations(row.pk) if good else failed_expectations(row.pk)


def _signals(
    row: Conversation, failed: ExpectationDraft, *, by: str, surprise: Surprise | None, now: datetime
) -> list[dict[str, Any]]:
    """Return the reasons for the promotion in words, and who chose it (`by`, "" where nobody did).

    Comments are masked already. One query.
    """
    signals = list[dict[str, Any]]()
    for feedback in Feedback.objects.filter(conversation=row).order_by("given_at")[:20]:
        kind = {"down": SignalKind.THUMBS_DOWN, "up": SignalKind.THUMBS_UP}.get(feedback.rating, SignalKind.COMMENT)
        signals.append({"kind": kind.value, "text": comment_of(feedback), "at": feedback.given_at.isoformat()})
    signals += ({"kind": SignalKind.FAILED_CRITERION.value, "text": text, "at": ""} for text in failed.sentences)
    if surprise is not None:
        signals.insert(0, {"kind": surprise.kind.value, "text": surprise.sentence, "at": now.isoformat()})
    if by:
        signals.append({"kind": SignalKind.BY_HAND.value, "text": f"by {by}", "at": now.isoformat()})
    return signals


def _provenance(row: Conversation, *, feedback: Sequence[UUID], by: str) -> dict[str, Any]:
    return {
        "feedback": [str(one) for one in feedback],
        "conversation_id": str(row.pk),
        "run_id": str(row.run_id),
        "prompt_version": prompt_of(row.pk),
        "by": by,
    }


def _without(draft: CandidateDraft, hits: Sequence[Residue]) -> CandidateDraft:
    """The catalog's trail keeps every wording for ever, so what nobody cleared yet is masked in goal and opening."""
    return replace(draft, goal=without_quotes(draft.goal, hits), opening=without_quotes(draft.opening, hits))


def _candidate(
    row: Conversation,
    conversation: MaskedConversation,
    draft: CandidateDraft,
    *,
    expected: ExpectationDraft,
    provenance: Mapping[str, Any],
) -> UUID:
    return create_candidate(
        slug=slug_of(row.pk),
        goal=draft.goal,
        opening=draft.opening,
        language=draft.language,
        must_not=expected.must_not,
        assertions=expected.assertions,
        family=_family(conversation),
        provenance=provenance,
    )


def _store(
    row: Conversation,
    scenario_id: UUID,
    conversation: MaskedConversation,
    draft: CandidateDraft,
    *,
    hits: Sequence[Residue],
    signals: Sequence[Mapping[str, Any]],
    by: str,
) -> Promotion:
    promotion: Promotion = Promotion.objects.create(
        conversation=row,
        scenario_id=scenario_id,
        transcript=list(as_rows(conversation)),
        signals=[dict(signal) for signal in signals],
        residues=[{"kind": hit.kind.value, "turn": hit.turn, "quote": hit.quote} for hit in hits],
        persona=draft.persona,
        draft_work=_draft_work_of(blocked=bool(hits)),
        promoted_by=by[:150],
    )
    return promotion


def _answer(row: Promotion, *, created: bool) -> PromotedConversation:
    scenario: Scenario = row.scenario
    return PromotedConversation(
        promotion_id=row.pk,
        scenario_id=scenario.pk,
        slug=scenario.slug,
        status=scenario.status,
        created=created,
        blocked=row.blocked,
        must_not=scenario.must_not,
    )


def _draft_work_of(*, blocked: bool) -> DraftWork:
    """PENDING where a model is to be asked. Nothing goes to a provider while a person has not cleared the masking. Two
    queries."""
    if blocked or model_in_force(WRITER).provider == OFFLINE.provider:
        return DraftWork.NONE
    return DraftWork.PENDING
