"""Whether a model words a candidate's goal and persona: only where one is configured, and masking is clear."""

from apps.catalog.configs.queries.judges import OFFLINE, model_in_force
from apps.production.conversations.domain.promotion_states import DraftWork

WRITER = "persona_generator"  # the tenant's model that writes customers


def draft_work_of(*, blocked: bool) -> DraftWork:
    """PENDING where a model is to be asked. Nothing goes to a provider while a person has not cleared the masking. Two
    queries."""
    if blocked or model_in_force(WRITER).provider == OFFLINE.provider:
        return DraftWork.NONE
    return DraftWork.PENDING
