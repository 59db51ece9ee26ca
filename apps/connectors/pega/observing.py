"""Observations of a conversation's case at a moment: its progress, and the step agents that worked in it. Pure.

Step agents are run by the case, not by the chat, and no role shows them (brief 004). Beside the agent's own
words there are three signs: fields that are filled in, fields of the assignment before, and steps that are done and
named after what did them.
"""

import re
from collections.abc import Sequence
from typing import Any

from apps.connectors.pega.insight import PegaConversation
from apps.connectors.pega.stages import CaseStage, Visited

FIELD_PREFILL, PREVIOUS_ASSIGNMENT, STAGES = "field_prefill", "previous_assignment", "stages"
_STEP_AGENT = re.compile(r"\b(?:agents?|auto|automat\w{1,9}|gen-?ai|kb|knowledge base)\b", re.IGNORECASE)


def case_of(conversation: PegaConversation, stages: Sequence[CaseStage] | None, status: str) -> dict[str, Any] | None:
    """Return the case of a conversation; None where it has none, or where it is still being created.

    A case is {"id", "status", "stages": [{"name", "status": completed|active|future}]}. `status` is the case's own: the
    view's is the conversation's.
    """
    if not conversation.case_key or stages is None:
        return None
    shown = [{"name": stage.name, "status": stage.visited.value} for stage in stages]
    return {"id": conversation.case_key, "status": status, "stages": shown}


def step_agents_of(conversation: PegaConversation, stages: Sequence[CaseStage] | None) -> dict[str, list[str]]:
    """{source: names}, sources without any left out. A filled field's name stands for the agent that filled it."""
    steps = [step.name for stage in stages or () for step in stage.steps if step.visited is Visited.COMPLETED]
    by_source = {
        FIELD_PREFILL: [field.name for field in conversation.prefills],
        PREVIOUS_ASSIGNMENT: [field.name for field in conversation.earlier_prefills],
        STAGES: [name for name in steps if _STEP_AGENT.search(name)],
    }
    return {source: list(dict.fromkeys(names)) for source, names in by_source.items() if names}
