"""A gate that opens for a further wording of its reply. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from apps.core.errors import BadInput
from apps.core.patterns import MAX_PATTERN_CHARS, compile_pattern
from apps.runs.domain.gates import sense

_FLAGS = re.compile(r"\(\?([aiLmsux]+)\)")


def with_variant(turns: Sequence[Mapping[str, Any]], position: int, *, reply: str) -> str:
    """Widen the pattern of the gate at `position` (an assistant turn), so that it opens for `reply` too.

    It is or'd with what is sensed from the reply; it stays the same where it opens already. Raises BadInput where the
    reply has nothing to hold on to (`nothing_to_hold`), or the pattern would grow past its limit (`too_many_variants`).
    """
    pattern = str(turns[position].get("wait_for_pattern") or "")
    if pattern and compile_pattern(pattern).found_in(reply):
        return pattern
    number = sum(turn.get("role") == "user" for turn in turns[:position])
    turns_said = [{**turn, "content": reply} if at == position else turn for at, turn in enumerate(turns)]
    sensed = next(gate.pattern for gate in sense(turns_said) if gate.position == position)
    if sensed is None:
        raise BadInput(
            f"“{reply.strip()[:80]}” has no word that its gate could hold on to: write the gate of turn {number}",
            code="nothing_to_hold",
        )
    both = f"{_scoped(pattern)}|{_scoped(sensed)}" if pattern else sensed
    if len(both) > MAX_PATTERN_CHARS:
        raise BadInput(
            f"The gate of turn {number} would have {len(both):,} characters with one more wording, the limit is "
            f"{MAX_PATTERN_CHARS:,}: write it anew",
            code="too_many_variants",
        )
    return both


def _scoped(pattern: str) -> str:
    """The pattern with its leading flags on itself alone: `(?i)a` → `(?i:a)`."""
    match = _FLAGS.match(pattern)
    return f"(?{match[1]}:{pattern[match.end() :]})" if match else f"(?:{pattern})"
