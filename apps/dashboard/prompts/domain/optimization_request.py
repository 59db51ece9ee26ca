"""An optimization request as a form sends it: read once, for the forecast and for the start. Pure."""

import uuid
from typing import Any

from apps.core.whole_numbers import whole_number
from apps.dashboard.prompts.domain.trial_request import read_budget, read_repeats
from apps.improvement.optimizer.domain.choices import OptimizationChoices
from apps.improvement.optimizer.domain.modes import MODES


def read_optimization(evaluation_id: uuid.UUID, post: Any) -> OptimizationChoices:
    """Read a form's fields (a QueryDict). Raises BadInput naming the field."""
    drafts = post.get("drafts", "").strip()
    number = whole_number(drafts, "Drafts is a whole number.", pointer="/drafts", most=999) if drafts else None
    mode = post.get("mode", "surgical")
    return OptimizationChoices(
        evaluation_id=evaluation_id,
        mode=mode,
        drafts=number if _several(mode) else None,
        evaluator_configs=tuple(one for one in post.getlist("config") if one),
        name=post.get("prompt", ""),
        agent=post.get("agent", ""),
        personas=tuple(post.getlist("persona")),
        repeats=read_repeats(post.get("repeats", "1")),
        budget_usd=read_budget(post.get("budget", "")),
        override_reason=post.get("override_reason", ""),
    )


def _several(mode: str) -> bool:
    """Tell whether somebody may say how many drafts this mode writes.

    One that there is not is refused later, by name.
    """
    return mode in MODES and MODES[mode].most > 1
