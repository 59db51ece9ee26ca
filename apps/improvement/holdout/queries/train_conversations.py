"""Choose the conversations that a proposer may read.

Their scenario families are not kept for choosing or for the proof.
"""

import uuid
from collections.abc import Collection

from apps.catalog.models import Scenario
from apps.evaluations.models import Evaluation
from apps.improvement.holdout.domain.parts import Part
from apps.improvement.holdout.queries.parts import parts_of_families
from apps.runs.models import Conversation


def train_conversations(evaluation: Evaluation, names: Collection[str]) -> set[str]:
    """Return the conversations of train families, and those in which no scenario was played.

    The latter are real or imported. Three queries.
    """
    parts = parts_of_families()
    placed = families_of_conversations(evaluation.run_id, names)
    return {name for name, family in placed.items() if not family or parts.get(family) is Part.TRAIN}


def families_of_conversations(run_id: uuid.UUID, names: Collection[str]) -> dict[str, str]:
    """Conversation -> the family of the scenario that was played in it as it is now, "" where none was. Two queries."""
    rows = Conversation.objects.filter(run_id=run_id, external_id__in=names)
    played = dict(rows.values_list("external_id", "spec__scenario"))
    slugs = {slug for slug in played.values() if slug}
    families = {
        scenario.slug: scenario.family_name
        for scenario in Scenario.objects.filter(slug__in=slugs).only("slug", "family")
    }
    return {name: families.get(slug, slug) if slug else "" for name, slug in played.items()}
