"""A rollout request as a form sends it: read once, for the forecast and for the start. Pure."""

from collections.abc import Mapping

from apps.core.errors import BadInput
from apps.core.whole_numbers import whole_number
from apps.production.rollouts.domain.request import RolloutRequest


def read_rollout(post: Mapping[str, str]) -> RolloutRequest:
    """Read a form's fields. Raises BadInput naming the field."""
    if not post.get("canary"):
        raise BadInput("Choose a canary.", pointer="/canary")
    return RolloutRequest(
        role=post.get("role", ""),
        canary=post["canary"],
        percentage=read_whole(post.get("percentage", "5"), "percentage"),
        hours=read_whole(post.get("hours", "24"), "hours"),
        evaluator_config=post.get("config", ""),
        beside_others="beside_others" in post,
    )


def read_whole(text: str, name: str) -> int:
    """A field that holds a whole number. Raises BadInput."""
    return whole_number(text, f"{name.capitalize()} is a whole number, not {text[:20]!r}.", pointer=f"/{name}")
