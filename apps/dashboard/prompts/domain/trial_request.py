"""A trial request as a form sends it: read once, for the forecast and for the start. Pure."""

from decimal import Decimal, InvalidOperation
from typing import Any

from apps.core.errors import BadInput
from apps.core.whole_numbers import whole_number
from apps.improvement.drafts.domain.trial_choices import MAX_REPEATS, TrialChoices
from apps.improvement.holdout.domain.parts import Part

_MAX_USD = Decimal(1_000_000)


def read_trial(post: Any) -> TrialChoices:
    """Read a form's fields (a QueryDict). Raises BadInput naming the field."""
    if not post.get("config"):
        raise BadInput("Choose who judges.", pointer="/config")
    if post.get("part", Part.HOLD_OUT) not in set(Part):
        raise BadInput(f"There is no part {post['part'][:20]!r}.", pointer="/part")
    return TrialChoices(
        evaluator_config=post["config"],
        part=Part(post.get("part", Part.HOLD_OUT)),
        personas=tuple(post.getlist("persona")),
        repeats=read_repeats(post.get("repeats", "1")),
        agent=post.get("agent", ""),
        budget_usd=read_budget(post.get("budget", "")),
    )


def read_repeats(text: str) -> int:
    """Read the number of repeats. Raises BadInput."""
    refusal = f"Repeats is a number from 1 to {MAX_REPEATS}."
    return whole_number(text, refusal, pointer="/repeats", least=1, most=MAX_REPEATS)


def read_budget(text: str) -> Decimal | None:
    """Dollars; None where nothing is written. Raises BadInput."""
    if not text.strip():
        return None
    try:
        amount = Decimal(text.strip())
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or not 0 <= amount <= _MAX_USD:
        raise BadInput("At most is a number of dollars, or empty.", pointer="/budget")
    return amount
