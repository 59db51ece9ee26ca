"""The monthly ritual: a round of conversations opens, people rate them, every rating is kept."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from apps.calibration.domain.label_sampling import SamplingReason, sample_for_labelling
from apps.calibration.models import HumanLabel, LabellingItem, LabellingRound, NonBlindLabel, Rater
from apps.calibration.queries.labelling import (
    candidates,
    find_item,
    find_round,
    languages_of,
    may_read,
    newest_evaluation,
    round_is_due,
    round_of_month,
)
from apps.calibration.services.rating_leases import refuse_beyond_wanted
from apps.calibration.services.remarks import add_blind_note
from apps.catalog.configs.queries.versions import published_configs, resolve_config
from apps.catalog.files.services.packs import load_pack
from apps.core.errors import BadInput, Conflict, NotFound, RatibaError
from apps.core.events import EventType, log_event
from apps.evaluations.figures.domain.rating_scale import read_scale
from apps.runs.models import Conversation
from apps.tenants.context import current_slug
from apps.tenants.domain.workflow_config import JUDGED_CRITERIA
from apps.tenants.queries import workflow_config

MAX_REASON = 4_000
THREE_RATINGS = "human-ratings"  # the config of the pack `labelling`
MAX_LANGUAGES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One rating as a person gave it; value None: they could not say."""

    value: float | None
    reason: str = ""


def open_round(*, now: datetime) -> uuid.UUID | None:
    """Open this month's round once its first Monday has come; None when there is nothing to do.

    Nothing judged lately: no round, and the next call looks again. Safe to repeat and to race: a constraint keeps one
    round a month, and the month is the seed, so every worker chooses the same conversations.
    """
    return _new_round(now=now) if round_is_due(now=now) else None


def open_round_now(*, now: datetime) -> uuid.UUID:
    """Open this month's round because a person asks for it, whatever the day. Safe to race.

    Raises Conflict: `round_is_open` where the month has one, `nothing_judged` where no conversation was judged lately
    that nobody rated."""
    made = None if round_of_month(now=now) else _new_round(now=now)
    if made is not None:
        return made
    if round_of_month(now=now):
        raise Conflict("This month's labelling round is open already.", code="round_is_open")
    raise Conflict(
        "No conversation was judged in the last two months that is still to be rated: judge a run first, then open a "
        "round.",
        code="nothing_judged",
    )


def _new_round(*, now: datetime) -> uuid.UUID | None:
    """Create this month's round with its sample. None where nothing was judged lately, or somebody was first."""
    settings = workflow_config(current_slug())
    config, conversations = candidates(now=now)
    month = now.date().replace(day=1)
    seed = month.year * 100 + month.month
    chosen = sample_for_labelling(conversations, seed=seed, size=settings.calibration_items)
    if not chosen:
        return None
    ref, criteria = _rated_monthly(settings.calibration_config, judged=config, now=now)
    try:
        with transaction.atomic():
            row = LabellingRound.objects.create(
                month=month,
                seed=seed,
                owner=settings.calibration_owner,
                raters_wanted=settings.calibration_raters,
                asks_notes=True,
                scale=settings.calibration_scale,
                config_ref=ref,
                criteria=[
                    {key: criterion[key] for key in ("name", "description", "scoring_guide")} for criterion in criteria
                ],
            )
            LabellingItem.objects.bulk_create(
                LabellingItem(
                    round=row, conversation_id=str(one.id), position=position, language=one.language[:20], why=why
                )
                for position, (one, why) in enumerate(chosen)
            )
    except IntegrityError:  # another worker was first
        return None
    log_event(EventType.LABELLING_OPENED, round=str(row.pk), conversations=len(chosen))
    return uuid.UUID(str(row.pk))


def _rated_monthly(config: str, *, judged: str, now: datetime) -> tuple[str, list[dict[str, Any]]]:
    """The criteria that people rate every month: the three ratings unless the tenant chose a config, or
    JUDGED_CRITERIA. Where the config of the three is not there, the pack that ships it is brought in."""
    if config == JUDGED_CRITERIA:
        return rated_by(None, judged=judged)
    if not config and THREE_RATINGS not in published_configs():
        load_pack("labelling", at=now)
    return rated_by(config or THREE_RATINGS, judged=judged)


def rated_by(config: str | None, *, judged: str) -> tuple[str, list[dict[str, Any]]]:
    """Return the criteria that people rate.

    They are those of the tenant's `calibration_config`, else those by which the conversations were judged (also where
    that config is gone: a month without labels would be worse). The round shows whose they are.
    """
    try:
        chosen = resolve_config(config) if config else None
    except RatibaError:
        chosen = None
    if chosen is not None:
        return chosen.ref, [criterion.as_json() for criterion in chosen.criteria]
    newest = newest_evaluation(judged)
    return newest.config_ref, newest.snapshot["criteria"]


def rate(*, item_id: int, rater: str, ratings: Mapping[str, Given], note: str = "") -> int:
    """Keep one person's ratings of one conversation, and in a `note` what went wrong; returns how many ratings were
    new or changed.

    Every criterion of the round must be there, with a value on its scale or None. Rating again corrects: a further
    revision, the earlier one is kept. Raises NotFound, BadInput (pointer /ratings/…), Conflict: `enough_raters` when as
    many people as wanted have rated it, `other_language` when the rater does not read it, `not_blind` when they have
    disagreed with its score; `ratings_complete` where a queue shows them side by side already, `queue_closed`,
    `not_assigned`. Safe to repeat.
    """
    with transaction.atomic():
        item = find_item(item_id)
        LabellingItem.objects.select_for_update().get(pk=item.pk)  # raters of one item are counted one after another
        _check(item.round, ratings)
        if not may_read(languages_of(rater), item.language):
            raise Conflict(
                _("This conversation is in %(language)s, which you did not name.") % {"language": item.language},
                code="other_language",
            )
        _refuse_who_has_seen(item, rater)
        earlier = {row.criterion: row for row in HumanLabel.objects.filter(item=item, rater=rater).order_by("revision")}
        others = HumanLabel.objects.filter(item=item).exclude(rater=rater).values("rater").distinct().count()
        refuse_beyond_wanted(item, rater, rated=bool(earlier), others=others)
        rows = [
            HumanLabel(
                item=item,
                rater=rater,
                criterion=name,
                value=rating.value,
                reason=rating.reason.strip(),
                revision=earlier[name].revision + 1 if name in earlier else 1,
            )
            for name, rating in ratings.items()
            if name not in earlier
            or (earlier[name].value, earlier[name].reason) != (rating.value, rating.reason.strip())
        ]
        HumanLabel.objects.bulk_create(rows)
        if note.strip():
            add_blind_note(item=item, text=note, author=rater)
    return len(rows)


def _refuse_who_has_seen(item: LabellingItem, rater: str) -> None:
    if NonBlindLabel.objects.filter(conversation=item.conversation_id, rater=rater).exists():
        raise Conflict(
            _(
                "You have said what you would score here after seeing the judge's score, so your rating would not be "
                "blind. Somebody else has to rate it."
            ),
            code="not_blind",
        )


def add_to_round(*, conversation_id: uuid.UUID, now: datetime) -> tuple[LabellingItem, bool]:
    """Put a conversation into the newest round; the item, and whether it is new. Safe to repeat and to race.

    The first one opens a round with what is sampled besides. Raises NotFound for a conversation that is not there;
    Conflict (`nothing_judged`) where there is no round and nothing to open one by.
    """
    conversation = Conversation.objects.filter(pk=conversation_id).only("pk", "language").first()
    if conversation is None:
        raise NotFound(f"There is no conversation {conversation_id}.")
    if not LabellingRound.objects.filter(month__isnull=False).exists():
        open_round_now(now=now)
    with transaction.atomic():
        row = LabellingRound.objects.select_for_update().filter(month__isnull=False).order_by("-month")[0]
        last = row.items.aggregate(last=Max("position"))["last"]
        return LabellingItem.objects.get_or_create(
            round=row,
            conversation=conversation,
            defaults={
                "position": 0 if last is None else last + 1,
                "language": conversation.language,
                "why": SamplingReason.REQUESTED,
            },
        )


def note_languages(*, rater: str, languages: Sequence[str]) -> list[str]:
    """Keep which languages a person reads; none means all. Safe to repeat. Raises BadInput for what is no language."""
    sorted_languages = sorted({language.strip().casefold() for language in languages if language.strip()})
    if len(sorted_languages) > MAX_LANGUAGES or any(
        not sorted_language.isalpha() or not 2 <= len(sorted_language) <= 8 for sorted_language in sorted_languages
    ):
        raise BadInput(
            _("Languages are written by their codes: sw, en, it."), code="bad_language", pointer="/languages"
        )
    Rater.objects.update_or_create(user=rater, defaults={"languages": sorted_languages})
    return sorted_languages


def note_models_reviewed(*, round_id: uuid.UUID, by: str, now: datetime) -> bool:
    """Write down that the pinned models were looked at this quarter. False when somebody had done so. Safe to repeat.

    Raises NotFound.
    """
    row = find_round(round_id)
    changed = LabellingRound.objects.filter(pk=row.pk, models_reviewed_at=None).update(
        models_reviewed_at=now, models_reviewed_by=by[:150]
    )
    return changed == 1


def _check(round_: LabellingRound, ratings: Mapping[str, Given]) -> None:
    names: list[Any] = [criterion["name"] for criterion in round_.criteria]
    points = read_scale(round_.scale).points
    for name in names:
        if name not in ratings:
            raise BadInput(
                _("%(criterion)s has no rating; where you cannot say, say so.") % {"criterion": name},
                code="missing",
                pointer=f"/ratings/{name}",
            )
    for name, rating in ratings.items():
        if name not in names:
            raise BadInput(f"{name} is not rated in this round.", pointer=f"/ratings/{name}")
        if rating.value is not None and rating.value not in points:
            raise BadInput(
                _("%(criterion)s: %(value)s is not on the scale %(scale)s.")
                % {"criterion": name, "value": f"{rating.value:g}", "scale": round_.scale},
                pointer=f"/ratings/{name}",
            )
        if len(rating.reason) > MAX_REASON:
            raise BadInput(
                _("%(criterion)s: the reason is longer than %(most)d characters.")
                % {"criterion": name, "most": MAX_REASON},
                pointer=f"/ratings/{name}",
            )
