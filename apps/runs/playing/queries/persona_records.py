"""The record of a persona's battles: their number, and how often its simulated customer spoilt one."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from apps.runs.conversations.models import Conversation
from apps.runs.domain.states import INVALID, Blame, Kind, SimulatorVerdict
from apps.runs.playing.models import SimulatorReview


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaRecord:
    """The record of a persona's battles. `battles` are conversations; one may have been played more than once, so
    `reviewed` and `invalid` count attempts whose simulated customer was reviewed. `unusable` battles stayed invalid."""

    battles: int = 0
    unusable: int = 0
    reviewed: int = 0
    invalid: int = 0

    @property
    def invalid_share(self) -> float | None:
        """The share of invalid battles; None where nothing was reviewed: that is no clean record."""
        return self.invalid / self.reviewed if self.reviewed else None


def persona_records(ids: Iterable[Any]) -> dict[Any, PersonaRecord]:
    """{persona id: record}, also of those that have not played. Two queries whatever the number."""
    wanted = list(ids)
    battles = (
        Conversation.objects.filter(persona_id__in=wanted, kind=Kind.BATTLE, ended_at__isnull=False)
        .values("persona_id")
        .annotate(played=Count("id"), unusable=Count("id", filter=Q(blame=Blame.SIMULATOR)))
        .order_by()
    )
    measured = [*INVALID, SimulatorVerdict.KEPT]
    reviews = (
        SimulatorReview.objects.filter(conversation__persona_id__in=wanted, verdict__in=measured)
        .values("conversation__persona_id")
        .annotate(reviewed=Count("id"), invalid=Count("id", filter=Q(verdict__in=INVALID)))
        .order_by()
    )
    played = {battle["persona_id"]: (battle["played"], battle["unusable"]) for battle in battles}
    judged = {review["conversation__persona_id"]: (review["reviewed"], review["invalid"]) for review in reviews}
    records = {}
    for pk in wanted:
        count, unusable = played.get(pk, (0, 0))
        reviewed, invalid = judged.get(pk, (0, 0))
        records[pk] = PersonaRecord(battles=count, unusable=unusable, reviewed=reviewed, invalid=invalid)
    return records
