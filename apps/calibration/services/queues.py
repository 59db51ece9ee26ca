"""Review queues: conversations that a filter matched, rated blindly by so many people each."""

import random
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction

from apps.calibration.domain.label_sampling import SamplingReason
from apps.calibration.domain.queue_sizes import MAX_ITEMS, MAX_RATERS
from apps.calibration.models import HumanLabel, LabellingItem, LabellingRound, LabelResolution
from apps.calibration.queries.labelling import find_item, find_round, newest_evaluation_of_all
from apps.calibration.queries.labels import latest_labels
from apps.calibration.queries.raters import people_who
from apps.calibration.services.labelling import rated_by
from apps.core.errors import BadInput, Conflict, NotFound
from apps.core.events import EventType, log_event
from apps.evaluations.figures.domain.rating_scale import read_scale
from apps.runs.models import Conversation
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

RATE = "calibration.add_humanlabel"  # the permission
MAX_REASON = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRequest:
    """A request for a queue. `matched` are the conversations of a filter, in its order.
    `source` names the filter for people; `whole`: none is missing. `at_random` draws `size` by lot, else the first."""

    name: str
    matched: Sequence[uuid.UUID]
    source: Mapping[str, str]
    size: int
    raters: int
    at_random: bool
    whole: bool = True
    assigned: Sequence[str] = ()
    config: str = ""


def make_queue(*, asked: QueueRequest, by: str, seed: int) -> uuid.UUID:
    """Make a queue of these conversations for raters, who rate by the criteria of `config`, else of the newest
    evaluation; return its id. Some six queries.
    Raises BadInput (pointer /name, /size, /raters, /config; `unknown_rater`; `too_many` where a random sample would not
    represent what the filter finds), Conflict `nothing_matched`, `nothing_judged`.
    """
    name = _checked_name(asked)
    chosen = list(dict.fromkeys(asked.matched))
    matched = len(chosen)
    if asked.at_random:
        chosen = random.Random(seed).sample(chosen, min(asked.size, matched))
    languages = dict(Conversation.objects.filter(pk__in=chosen[: asked.size]).values_list("pk", "language"))
    ref, criteria = rated_by(asked.config or None, judged=newest_evaluation_of_all())
    if not criteria:
        raise Conflict(f"{ref} has no criteria to rate by: name another evaluator config.", code="no_criteria")
    with transaction.atomic():
        row = LabellingRound.objects.create(
            name=name,
            source={**asked.source, "matched": matched},
            at_random=asked.at_random,
            asks_notes=True,
            assigned=sorted(set(asked.assigned)),
            made_by=by[:150],
            owner=by[:150],
            seed=seed,
            raters_wanted=asked.raters,
            scale=workflow_config(current_slug()).calibration_scale,
            config_ref=ref,
            criteria=[
                {key: criterion[key] for key in ("name", "description", "scoring_guide")} for criterion in criteria
            ],
        )
        LabellingItem.objects.bulk_create(
            LabellingItem(
                round=row, conversation_id=id, position=n, language=languages[id][:20], why=SamplingReason.FILTERED
            )
            for n, id in enumerate(one for one in chosen[: asked.size] if one in languages)
        )
    log_event(EventType.LABELLING_OPENED, round=str(row.pk), conversations=len(languages))
    return uuid.UUID(str(row.pk))


def _checked_name(request: QueueRequest) -> str:
    """The name, where everything that was asked for can be."""
    name = request.name.strip()
    if not 1 <= len(name) <= 100:
        raise BadInput("A queue's name is 1 to 100 characters.", code="required", pointer="/name")
    if not 1 <= request.size <= MAX_ITEMS:
        raise BadInput(f"A queue holds 1 to {MAX_ITEMS} conversations.", code="out_of_range", pointer="/size")
    if not 1 <= request.raters <= MAX_RATERS:
        raise BadInput(f"1 to {MAX_RATERS} people rate each.", code="out_of_range", pointer="/raters")
    if not request.matched:
        raise Conflict("The filter matches no conversation: choose another one.", code="nothing_matched")
    if request.at_random and not request.whole:
        raise BadInput(
            f"This filter is longer than {len(request.matched)} conversations, so a lot drawn from it would not stand "
            "for it: filter further, or take the first.",
            code="too_many",
            pointer="/at_random",
        )
    _refuse_who_may_not_rate(request.assigned)
    if request.assigned and len(set(request.assigned)) < request.raters:
        raise BadInput(
            f"{request.raters} people are to rate each conversation: name as many, or nobody for whoever may rate.",
            code="too_few",
            pointer="/assigned",
        )
    return name


def _refuse_who_may_not_rate(named: Sequence[str]) -> None:
    if named and (unknown := set(named) - set(people_who(RATE))):
        raise BadInput(f"{min(unknown)} may not rate here.", code="unknown_rater", pointer="/assigned")


def close_queue(*, round_id: uuid.UUID, closed: bool, now: datetime) -> LabellingRound:
    """End a queue, or open it again; its ratings stay. Raises NotFound; Conflict for a month's round."""
    row = find_round(round_id)
    if row.month:
        raise Conflict("A month's round ends with its month.", code="not_a_queue")
    LabellingRound.objects.filter(pk=row.pk).update(closed_at=now if closed else None)
    return row


def assign_queue(*, round_id: uuid.UUID, raters: Sequence[str]) -> LabellingRound:
    """Give a queue to these people, or with none to whoever may rate. What was rated stays. Raises NotFound, BadInput,
    Conflict for a month's round."""
    row = find_round(round_id)
    if row.month:
        raise Conflict("A month's round is for whoever may rate.", code="not_a_queue")
    named = sorted({rater.strip() for rater in raters})
    if "" in named:
        raise BadInput(
            "A rater has a name; name nobody for whoever may rate.", code="unknown_rater", pointer="/assigned"
        )
    _refuse_who_may_not_rate(named)
    if named and len(named) < row.raters_wanted:
        raise BadInput(f"{row.raters_wanted} people rate each conversation: name as many.", pointer="/assigned")
    LabellingRound.objects.filter(pk=row.pk).update(assigned=named)
    return row


def resolve(*, item_id: int, criterion: str, value: float | None, reason: str, by: str) -> bool:
    """Say what counts where raters differ; False where somebody said it before. Safe to race.

    Raises NotFound; BadInput for a value off the scale or without a reason; Conflict `not_complete` while a rating is
    missing (whoever resolves has seen the others'), `no_disagreement`.
    """
    item = find_item(item_id)
    if item.round.month:
        raise NotFound("A month's round has no resolutions.")
    if criterion not in {one["name"] for one in item.round.criteria}:
        raise NotFound(f"{criterion} is not rated in this queue.")
    if value is not None and value not in read_scale(item.round.scale).points:
        raise BadInput(f"{value:g} is not on the scale {item.round.scale}.", pointer="/value")
    if not reason.strip() or len(reason) > MAX_REASON:
        raise BadInput(f"Say why, in 1 to {MAX_REASON} characters.", code="required", pointer="/reason")
    rated = HumanLabel.objects.filter(item=item).values("rater").distinct().count()
    if rated < item.round.raters_wanted:
        raise Conflict("A rating is still missing, and it has to be blind.", code="not_complete")
    values = {label.value for label in latest_labels(HumanLabel.objects.filter(item=item, criterion=criterion))}
    if len(values) < 2:
        raise Conflict("All raters said the same of it: there is nothing to resolve.", code="no_disagreement")
    try:
        with transaction.atomic():
            LabelResolution.objects.create(
                item=item, criterion=criterion, value=value, reason=reason.strip(), resolved_by=by[:150]
            )
    except IntegrityError:
        return False
    return True
