"""Decide whether a fallback model's judgements count in an evaluation's headline mean.

By default it does: a conversation is left out only where the fallback fails too. A version may leave it out
(`leave_out_fallback`). The answer is frozen with the evaluation when it is requested. An evaluation from before that
has none, and keeps the rule it was shown under: only what its version allowed (`allow_fallback_in_mean`).

Gates, pairs, trends and certificates never ask this: they keep to one fingerprint (law of one instrument).
"""

from collections.abc import Mapping
from typing import Any

OPTION = "fallback_in_mean"

COUNTS_SQL = """coalesce((e.options->>'fallback_in_mean')::boolean,
  (e.snapshot->'parameters'->>'allow_fallback_in_mean')::boolean, false)"""
"""The same rule in a statement that calls the evaluation `e`."""


def fallback_counts(options: Mapping[str, Any], snapshot: Mapping[str, Any]) -> bool:
    """The rule of an evaluation with these options and this snapshot. Pure."""
    chosen = options.get(OPTION)
    return bool(snapshot["parameters"].get("allow_fallback_in_mean") if chosen is None else chosen)


def by_fallback_sentence(snapshot: Mapping[str, Any], *, n: int, scored: int, counted: bool) -> str:
    """The words beside the mean: `12 of 240 by gemini-2.0-flash (the fallback), counted in the mean`; "" for none.
    Pure."""
    if not n:
        return ""
    behind = (snapshot["llm_config"].get("judge") or {}).get("fallback") or {}
    who = f"{behind['model']} (the fallback)" if behind.get("model") else "the fallback model"
    return f"{n:,} of {scored:,} by {who}, {'counted in' if counted else 'left out of'} the mean"
