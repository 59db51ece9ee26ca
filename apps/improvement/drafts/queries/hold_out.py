"""The hold-out sets as the API and the pages show them: families counted, looks told, no conversation named."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated

from apps.core.documents import Count, Document, Id, Moment, counted, one_of
from apps.core.plurals import many
from apps.core.shapes import described
from apps.core.timestamps import format_if_known
from apps.improvement.domain.acceptance import LEAST_FAMILIES, AcceptanceVerdict
from apps.improvement.drafts.models import Trial
from apps.improvement.drafts.queries.draft_status import verdict_of_trial
from apps.improvement.drafts.queries.families import hold_out_set
from apps.improvement.holdout.domain.parts import Part
from apps.improvement.holdout.models import FamilyPart
from apps.improvement.holdout.queries.parts import families_of_scenarios, parts_of_families
from apps.improvement.holdout.queries.placement import next_placement
from apps.statistics.looks import LOOKS


class HoldOutSetLook(Document):
    look: Count
    trial: Id
    draft: Id
    verdict: Annotated[str, one_of(AcceptanceVerdict)] | None
    sentence: str
    ended_at: Moment | None


class HoldOutSetDocument(Document):
    set: Count
    families: Count
    sealed: Annotated[Count, described("That no look and no opened page has sent to train.")]
    looks: Sequence[HoldOutSetLook]


class HoldOutDocument(Document, component="HoldOut"):
    set: Count
    families: Count
    least: Count
    needed: Annotated[Count, described("More families, before a gain can be proven.")]
    looks: Count
    spent: Count
    in_use: Count
    left: int
    parts: Annotated[Mapping[str, int], counted(Part)]
    drawable: Annotated[Count, described("Families of the selection that no trial has played.")]
    sentence: str
    sets: Sequence[HoldOutSetDocument]


class HoldOutDrawn(Document, component="HoldOutDrawn"):
    drawn: Count
    hold_out: HoldOutDocument


def hold_out_document() -> HoldOutDocument:
    """The set of now with its looks, the sets before it, how many families each part has and how many more are needed.

    Families that were released since the last trial are counted where the next one places them. Twelve queries.
    """
    current = hold_out_set()
    playable, placed = families_of_scenarios(), parts_of_families()
    coming = next_placement().placement
    stands = {**placed, **coming.parts, **dict.fromkeys(coming.spent, Part.TRAIN)}
    parts = {part.value: sum(stands[one] == part for one in playable) for part in Part}
    families = parts[Part.HOLD_OUT.value]
    drawable = len(untried_families())
    return HoldOutDocument(
        set=current.number,
        families=families,
        least=LEAST_FAMILIES,
        needed=max(0, LEAST_FAMILIES - families),
        looks=LOOKS,
        spent=current.spent,
        in_use=current.in_use,
        left=current.left,
        parts=parts,
        drawable=drawable,
        sentence=_sentence(families, current.left, current.number, drawable),
        sets=_sets(),
    )


def untried_families() -> list[str]:
    """Return the families that a new hold-out may be drawn from, in the order in which they were placed.

    They are of the selection, may be played, no trial has played them, and they share no scenario with another family.
    Four queries.
    """
    playable = families_of_scenarios()
    tried = {slug for scenarios in Trial.objects.values_list("scenarios", flat=True) for slug in scenarios}
    followed = FamilyPart.objects.exclude(follows="").values_list("follows", flat=True)
    rows = FamilyPart.objects.filter(part=Part.SELECTION, family__in=playable, follows="").exclude(family__in=followed)
    untried = rows.order_by("id").values_list("family", flat=True)
    return [family for family in untried if not tried & set(playable[family])]


def _sentence(families: int, left: int, number: int, drawable: int) -> str:
    missing = LEAST_FAMILIES - families
    if missing > 0:
        sentence = f"{many(families, 'family is', 'families are')} sealed, {LEAST_FAMILIES} are needed to prove a gain"
        if drawable >= missing:
            return f"{sentence}: draw new families."
        return f"{sentence}: release scenarios of {missing - drawable} more families."
    if left < 1:
        return f"All {LOOKS} looks at hold-out set {number} are spent or in use."
    return f"{many(families, 'family is', 'families are')} sealed; {left} of {LOOKS} looks at set {number} are left."


def _sets() -> list[HoldOutSetDocument]:
    """Every set that was ever drawn, the newest first. Two queries."""
    families: dict[int, int] = defaultdict(int)
    sealed: dict[int, int] = defaultdict(int)
    for number, part in FamilyPart.objects.exclude(set_number=0).values_list("set_number", "part"):
        families[number] += 1
        sealed[number] += part == Part.HOLD_OUT
    looks: dict[int, list[HoldOutSetLook]] = defaultdict(list)
    for trial in Trial.objects.filter(look__isnull=False).order_by("set_number", "look"):
        looks[trial.set_number].append(_look(trial))
    return [
        HoldOutSetDocument(set=number, families=families[number], sealed=sealed[number], looks=looks[number])
        for number in sorted(families | looks, reverse=True)
    ]


def _look(trial: Trial) -> HoldOutSetLook:
    return HoldOutSetLook(
        look=trial.look or 0,
        trial=str(trial.pk),
        draft=str(trial.draft_id),
        verdict=verdict_of_trial(trial).value if trial.decision else None,
        sentence=trial.sentence or trial.error_message,
        ended_at=format_if_known(trial.ended_at),
    )
