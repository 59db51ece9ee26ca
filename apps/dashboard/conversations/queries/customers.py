"""The facts known about a real customer's conversation, beside its words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.production.models import Feedback, ProductionConversation, Promotion, SampledConversation
from apps.production.sampling.domain.states import Phase, SamplingBasis
from apps.production.sampling.queries.overview import (
    feedback_of,
)
from apps.runs.domain.kind_traits import traits_of
from apps.runs.models import Conversation
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionPanel:
    """Panel beside a real conversation: feedback on it, the end of keeping, and its test.

    `judged_for` says why it was judged, "" where it was not; then `may_be_picked` whether a person may.
    """

    row: ProductionConversation
    feedback: Sequence[Feedback]
    promotion: Promotion | None
    judged_for: str = ""
    may_be_picked: bool = False


_JUDGED_FOR: Mapping[str, str] = {
    SamplingBasis.SHARE: "It was drawn by chance for the sample of its window, and judged.",
    SamplingBasis.FLOOR: "It was drawn by chance for the sample of its window, and judged.",
    SamplingBasis.THUMBS_DOWN: "It is judged for its thumbs-down, apart from the sample.",
    SamplingBasis.SURPRISING: "It is judged for what is surprising in it, apart from the sample.",
    SamplingBasis.HAND_PICKED: "Somebody picked it to be judged, apart from the sample.",
}


def production_panel(conversation: Conversation) -> ProductionPanel | None:
    """Return the panel; None for a conversation that did not come from a real customer.

    None costs no query, the panel four.
    """
    if not traits_of(conversation.kind).endless:
        return None
    row = (
        ProductionConversation.objects.select_related("conversation__promotion__scenario")
        .filter(conversation=conversation)
        .first()
    )
    if row is None:
        return None
    promotion = getattr(row.conversation, "promotion", None)
    basis = SampledConversation.objects.filter(conversation=conversation).values_list("basis", flat=True).first() or ""
    may_be_picked = (
        not basis
        and row.settled_at is not None
        and row.deleted_at is None
        and workflow_config(current_slug()).phase >= Phase.SAMPLING
    )
    return ProductionPanel(
        row=row,
        feedback=feedback_of(conversation.pk),
        promotion=promotion,
        judged_for=_JUDGED_FOR.get(basis, ""),
        may_be_picked=may_be_picked,
    )
