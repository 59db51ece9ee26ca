"""Measure how alike two personas are, by their words: a measure that people can follow, no model.

Two personas are compared by their pairs of neighbouring words: the number of pairs that both have, divided by the
number that either has (Jaccard's index), 0 to 1. Names, numbers and letter case say nothing: the same customer under
another name is the same customer. A translation is not found.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

# Of the personas that are shipped, no two reach 0.12; one with its name, age and town changed keeps 0.7 and more.
TOO_ALIKE = 0.6

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
Pairs = frozenset[tuple[str, str]]


def pairs_of(text: str, spec: Mapping[str, Any], *, name: str = "") -> Pairs:
    """The pairs of neighbouring words of a persona: its text, goal, behaviours, knowledge and limits."""
    own = {word.lower() for word in _WORD.findall(name)}
    pairs: set[tuple[str, str]] = set()
    for part in _parts(text, spec):
        words = [word.lower() for word in _WORD.findall(part) if word.lower() not in own]
        pairs.update(pairwise(words))
        if len(words) == 1:
            pairs.add((words[0], ""))
    return frozenset(pairs)


def resemblance(pairs: Pairs, other: Pairs) -> float:
    """0 (nothing in common) to 1 (the same words); 0 where either says nothing."""
    either = len(pairs | other)
    return len(pairs & other) / either if pairs and other else 0.0


def most_alike(new: Pairs, existing: Mapping[str, Pairs]) -> tuple[str, float]:
    """The name of the persona that is most like the new one, and how much; ("", 0.0) where there is none."""
    likenesses = [(resemblance(new, pairs), name) for name, pairs in existing.items()]
    share, name = max(likenesses, default=(0.0, ""))
    return name, share


def _parts(text: str, spec: Mapping[str, Any]) -> Iterable[str]:
    yield text
    goal = spec.get("goal") or {}
    yield from (str(goal.get(key) or "") for key in ("text", "success"))
    yield from (str(behaviour.get("instruction") or "") for behaviour in spec.get("behaviours") or ())
    knowledge = spec.get("knowledge") or {}
    lists = [knowledge.get(key) for key in ("knows", "does_not_know")]
    for listed in (*lists, spec.get("hidden_constraints"), spec.get("never")):
        yield from (str(one) for one in listed or ())
