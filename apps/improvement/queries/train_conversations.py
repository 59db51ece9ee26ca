"""Which conversations a proposer may read: those whose scenario families are not kept for choosing or for the proof."""

from collections.abc import Collection

from apps.catalog.models import Scenario
from apps.evaluations.models import Evaluation
from apps.improvement.domain.trial_states import Part
from apps.improvement.queries.families import parts_of_families
from apps.runs.models import Conversation


def train_conversations(evaluation: Evaluation, names: Collection[str]) -> set[str]:
    """Of these conversations of an evaluation, those of train families, and those that no scenario was played in (real
    ones, imported ones). Three queries."""
    rows = Conversation.objects.filter(run_id=evaluation.run_id, external_id__in=names)
    played = dict(rows.values_list("external_id", "spec__scenario"))
    slugs = {slug for slug in played.values() if slug}
    families = {one.slug: one.family_name for one in Scenario.objects.filter(slug__in=slugs).only("slug", "family")}
    parts = parts_of_families()
    return {
        name for name, slug in played.items() if not slug or parts.get(families.get(slug, slug)) is Part.TRAIN
    }  # fmt: skip
