"""The scenario families, and the part of each."""

from apps.catalog.models import Scenario
from apps.improvement.holdout.domain.parts import Part
from apps.improvement.holdout.models import FamilyPart


def families_of_scenarios() -> dict[str, list[str]]:
    """family -> the scenarios of it that may be played, both in the order of their names. One query."""
    families: dict[str, list[str]] = {}
    for scenario in Scenario.objects.playable().only("slug", "family").order_by("slug"):
        families.setdefault(scenario.family_name, []).append(scenario.slug)
    return dict(sorted(families.items()))


def parts_of_families() -> dict[str, Part]:
    """family -> its part, of every family that was ever placed. One query."""
    return {family: Part(part) for family, part in FamilyPart.objects.values_list("family", "part")}
