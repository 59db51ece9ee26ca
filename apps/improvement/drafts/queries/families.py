"""List the scenario families, the part of each, and the looks that the hold-out set has left."""

from dataclasses import dataclass

from django.db.models import Max

from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.drafts.domain.trial_states import TRIAL_OPEN
from apps.improvement.drafts.models import PromptDraft, Trial
from apps.improvement.holdout.domain.parts import Part
from apps.improvement.holdout.models import FamilyPart
from apps.improvement.holdout.queries.parts import families_of_scenarios
from apps.statistics.looks import LOOKS


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldOutSet:
    """The sealed families of now: `spent` looks are over, `in_use` more belong to trials that have not ended."""

    number: int
    families: int
    spent: int
    in_use: int

    @property
    def left(self) -> int:
        """Looks that a new trial could still take."""
        return LOOKS - self.spent - self.in_use


def hold_out_set() -> HoldOutSet:
    """The set that the next decision would be made on; a number that nobody drew yet where all are worn. Four
    queries."""
    drawn = FamilyPart.objects.filter(part=Part.HOLD_OUT)
    number = drawn.aggregate(last=Max("set_number"))["last"]
    if number is None:
        number = (FamilyPart.objects.aggregate(last=Max("set_number"))["last"] or 0) + 1
    looks = Trial.objects.filter(part=Part.HOLD_OUT, set_number=number)
    playable = families_of_scenarios()
    return HoldOutSet(
        number=number,
        families=sum(family in playable for family in drawn.values_list("family", flat=True)),
        spent=looks.filter(look__isnull=False).count(),
        in_use=looks.filter(status__in=TRIAL_OPEN).count(),
    )


def scenarios_sealed_for(prompt: str) -> list[str]:
    """Return the scenarios of hold-out families, where this prompt version is an unreleased draft.

    It plays them in trials alone. One query for what is no draft, else two more.
    """
    drafts = PromptDraft.objects.filter(version__version=prompt).exclude(status=DraftStatus.RELEASED)
    if not drafts.exists():
        return []
    families = set(FamilyPart.objects.filter(part=Part.HOLD_OUT).values_list("family", flat=True))
    return [slug for family, slugs in families_of_scenarios().items() if family in families for slug in slugs]
