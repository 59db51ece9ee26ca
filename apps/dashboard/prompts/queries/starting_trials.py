"""The choices on the page that starts a trial."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from apps.catalog.models import Agent, Persona
from apps.evaluations.requests.queries.judging_choices import JudgingChoice, judging_choices
from apps.improvement.drafts.queries.documents import find_draft
from apps.improvement.drafts.queries.hold_out import HoldOutDocument, hold_out_document
from apps.improvement.models import PromptDraft


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialStartPage:
    """Facts for starting a trial of a draft."""

    draft: PromptDraft
    agents: Sequence[str]
    configs: Sequence[JudgingChoice]
    personas: Sequence[Persona]
    hold_out: HoldOutDocument


def trial_start_page(draft_id: uuid.UUID) -> TrialStartPage:
    """Return the form that starts a trial. Some fifteen queries. Raises NotFound."""
    draft = find_draft(draft_id)
    return TrialStartPage(
        draft=draft,
        agents=list(Agent.objects.order_by("name").values_list("name", flat=True)),
        configs=judging_choices(draft.line.agent.name if draft.line.agent else draft.line.name),
        personas=list(Persona.objects.filter(may_play=True).order_by("name").only("id", "name", "language")),
        hold_out=hold_out_document(),
    )
