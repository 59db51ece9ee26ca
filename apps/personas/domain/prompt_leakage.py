"""Tell whether a message recites the customer's part, goal and patience, instead of playing it."""

import re
from collections.abc import Mapping
from typing import Any

from apps.personas.domain.role_breaks import Said
from apps.runs.playing.domain.loops import normal

RUN_WORDS = 8  # of the persona's description, in a row
GOAL_SHARE = 0.6  # of the goal's longer words
_SHORT = 4  # letters: a word of fewer says nothing about a goal
_GOAL = re.compile(
    r"\b(?:my|the|your) (?:goal|objective|task|mission) (?:here |today |now |in this (?:conversation|chat) )?(?:is|"
    r"was)\b|"
    r"\bgoal\s*:|\blengo langu (?:ni|leo)\b|\bil mio (?:obiettivo|scopo) è\b",
    re.IGNORECASE,
)
_PATIENCE = re.compile(
    r"\b(?:my |the )?patience(?: level)?\b|\b(?:subira|uvumilivu) (?:yangu|wangu)\b|\bla mia pazienza\b|"
    r"\bloses? patience\b|"
    r"\bgives? up (?:at the first obstacle|after|if|when)\b",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"\bpatience(?: level)?\s*(?:is|of|:|=)?\s*(?:very |quite |rather )?(?:low|medium|moderate|high|limited|endless|"
    r"\d)|"
    r"\b\d ?(?:of|/|out of) ?(?:5|10)\b|\bgives? up after (?:\d+|two|three|four|five) |\bpatience for (?:\d+|two|"
    r"three|four|five)\b|"
    r"\b(?:subira|uvumilivu) (?:yangu|wangu) (?:ni|una|ina) (?:ndogo|mdogo|kubwa|mkubwa|\d)|"
    r"\bla mia pazienza è (?:bassa|limitata|media|alta|poca|\d)",
    re.IGNORECASE,
)
_ANOTHER = ("she he her his him you your they their customer persona", "wewe yeye", "lei lui suo sua")
_OF_ANOTHER = frozenset(word for words in _ANOTHER for word in words.split())


def leaked_prompt_in(text: str, spec: Mapping[str, Any]) -> Said | None:
    """The words that recite, None for a message that plays. It decides where the part's own measure of patience stands
    beside the goal, or the description of somebody ("she", "you") is repeated word for word. Pure."""
    if run := _run_of(text, _descriptions(spec)):
        return Said(run, _of_another(run))
    if (run := _run_of(text, [str(spec.get("goal") or "")])) and _of_another(run):
        return Said(run, True)
    patience = _PATIENCE.search(text)
    named = _GOAL.search(text)
    if patience is None or not (named or _tells_goal(text, spec)):
        return None
    return Said(text[:200], named is not None and _MEASURED.search(text) is not None)


def _descriptions(spec: Mapping[str, Any]) -> list[str]:
    """The descriptions of the person, without their wishes: those a customer does say."""
    behaviours = (spec.get("persona_spec") or {}).get("behaviours") or ()
    return [str(spec.get("persona") or ""), *(str(behaviour.get("instruction") or "") for behaviour in behaviours)]


def _of_another(run: str) -> bool:
    return not _OF_ANOTHER.isdisjoint(run.split())


def _run_of(text: str, descriptions: list[str]) -> str:
    words = normal(text).split()
    known = [f" {normal(description)} " for description in descriptions]
    for at in range(len(words) - RUN_WORDS + 1):
        run = " ".join(words[at : at + RUN_WORDS])
        if any(f" {run} " in one for one in known):
            return run
    return ""


def _tells_goal(text: str, spec: Mapping[str, Any]) -> bool:
    goal = {word for word in normal(str(spec.get("goal") or "")).split() if len(word) >= _SHORT}
    return len(goal) > 1 and len(goal & set(normal(text).split())) >= GOAL_SHARE * len(goal)
