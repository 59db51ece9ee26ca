"""The body of a request that freezes anchors."""

from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import MaxLen

from apps.core.shapes import NOT_BLANK, WHOLE, Shape, Text
from apps.core.validation import validate


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorRequest(Shape):
    """`count` is 30 to 50. `evaluator_config` is a name, whose active version is frozen, or name@version."""

    evaluator_config: Annotated[Text, MaxLen(200), NOT_BLANK]
    count: Annotated[int, WHOLE] = 40


def read_anchor_request(body: Any) -> AnchorRequest:
    """Read the body of an anchor request. Raises BadInput with the field."""
    return validate(AnchorRequest, body)
