"""One real conversation judged because somebody wants to know, beside the sample and never in its mean."""

import uuid
from datetime import datetime

from django.db import transaction

from apps.core.errors import Conflict, NotFound
from apps.core.subject import Subject
from apps.evaluations.requests.services.creating import choose
from apps.evaluations.requests.services.sampling import request_sample
from apps.production.conversations.models import ProductionConversation
from apps.production.sampling.domain.states import Phase, SamplingBasis
from apps.production.sampling.models import SampledConversation, SamplingRule
from apps.production.sampling.queries.settled_conversations import is_looked_at
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config


def pick_by_hand(*, conversation_id: uuid.UUID, by: str, now: datetime) -> uuid.UUID:
    """Request a judgement of a conversation by the first rule that fits; return its evaluation's id.
    The month's budget pays, not the share of sampling: a person asked for it.

    Safe to repeat: what a rule has judged is refused. Costs no model call: workers make it. Raises NotFound, Conflict
    (`wrong_phase`, `not_settled`, `no_rule`, `judged_already`, `judge_is_generator`). At most fifteen statements.
    """
    if workflow_config(current_slug()).phase < Phase.SAMPLING:
        raise Conflict("Real conversations are judged from phase 2 on: set it in the settings.", code="wrong_phase")
    row = ProductionConversation.objects.filter(conversation=conversation_id).select_related("conversation").first()
    if row is None:
        raise NotFound(f"there is no real conversation {conversation_id}")
    if row.settled_at is None or row.deleted_at is not None:
        reason = "its words were deleted" if row.deleted_at else "it still goes on"
        raise Conflict(f"This conversation cannot be judged: {reason}.", code="not_settled")
    with transaction.atomic():
        rule = _rule_for(conversation_id, row.settled_at)
        if SampledConversation.objects.filter(conversation=conversation_id, rule=rule).exists():
            raise Conflict(f"The rule {rule.name} has had it judged already.", code="judged_already")
        who = Subject(label=f"picked by {by}"[:100])
        evaluation_id = request_sample(
            chosen=choose(rule.evaluator_config),
            run_id=row.conversation.run_id,
            conversation_ids=[conversation_id],
            sample=f"picked {conversation_id}",
            triggered_by=by,
            now=now,
            subject=who,
        )
        SampledConversation.objects.create(
            rule=rule, conversation_id=conversation_id, evaluation_id=evaluation_id, basis=SamplingBasis.HAND_PICKED
        )
    return evaluation_id


def _rule_for(conversation_id: uuid.UUID, settled_at: datetime) -> SamplingRule:
    """Held, so that a window that is drawn meanwhile judges it once. Raises Conflict where no rule looks at it."""
    rules = SamplingRule.objects.select_for_update(of=("self",)).filter(enabled=True).order_by("name")
    for rule in rules:
        if is_looked_at(rule, conversation_id=conversation_id, since=settled_at):
            return rule
    raise Conflict(
        "No sampling rule looks at such conversations, so nobody says who judges it: add one under Production.",
        code="no_rule",
    )
