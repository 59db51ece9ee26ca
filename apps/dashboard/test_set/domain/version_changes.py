"""The changes in a draft, in few words, and the reasons that may still speak against publishing it."""

from collections.abc import Mapping, Sequence
from typing import Any

from apps.catalog.configs.domain.diff import DiffLine, FieldChange, VersionDiff
from apps.dashboard.domain.figures import many
from apps.dashboard.domain.sentences import Headline

ENOUGH_TRIED = 3  # conversations; the least that the button tries
MOVED = 1.0  # points on the 0-10 scale from which a criterion is said to have moved
MAX_MOVED = 3


def change_words(line: DiffLine | None) -> str:
    """Say a change in words: `weight 1 → 1.5`; `new`, `taken out`, `unchanged`.

    "" where neither version has it. Pure.
    """
    if line is None:
        return ""
    match line.change:
        case FieldChange.SAME:
            return "unchanged"
        case FieldChange.ADDED:
            return "new"
        case FieldChange.REMOVED:
            return "taken out"
    old, new = (dict(_part(part) for part in side.split(", ")) for side in (line.old, line.new))
    names = [*new, *(name for name in old if name not in new)]
    return ", ".join(_moved(name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name))


def _part(text: str) -> tuple[str, str]:
    name, _, value = text.rpartition(" ")
    return (name, value) if name else (value, "yes")


def _moved(name: str, old: str | None, new: str | None) -> str:
    if old is None:
        return f"now {name}" if new == "yes" else f"{name} {new}"
    if new is None:
        return f"no longer {name}"
    return f"{name} {old} → {new}"


def change_count(diff: VersionDiff) -> int:
    """Count the differences; the prompt counts once."""
    lines = (*diff.criteria, *diff.models, *diff.parameters)
    return sum(line.change is not FieldChange.SAME for line in lines) + bool(diff.template)


def draft_headline(
    *, ref: str, number: int, before: int | None, changes: int, criteria: int, tried: int, stale: bool, judge: str
) -> Headline:
    """Return the headline of a draft.

    `judge` is "", "passed", "failed" or "unknown": the judge's result on known answers. Pure.
    """
    if before is None:
        text = f"{ref} is the first version: a draft with {many(criteria, 'criterion', 'criteria')}"
    elif changes:
        text = f"Draft @{number} of {ref.rpartition('@')[0]}: {many(changes, 'change')} against @{before}"
    else:
        text = f"Draft @{number} of {ref.rpartition('@')[0]}: the same as @{before} so far"
    if not criteria:
        but = "it judges nothing yet: tick criteria and save"
    elif judge == "failed":
        but = "its judge was found below the floor"
    elif tried and stale:
        but = "changed since it was tried"
    elif tried < ENOUGH_TRIED:
        but = "not tried enough to publish yet" if tried else "not tried yet"
    else:
        but = ""
    return Headline(text=f"{text}," if but else text, but=but)


def moved_words(here: Mapping[str, Any], beside: Mapping[str, Any] | None, titles: Mapping[str, str]) -> list[str]:
    """The criteria that moved most between two dry runs of one conversation, or that are new; worst first. Pure."""
    if here["error"]:
        return [here["error"]]
    old = {} if beside is None else beside["criteria"]
    words: list[tuple[float, str]] = []
    for name, one in here["criteria"].items():
        title, score = titles.get(name, name), one["score"]
        before = old.get(name, {}).get("score") if name in old else None
        if name not in old and beside is not None:
            words.append((score if score is not None else 10.0, f"{title}: {_scored(one)}"))
        elif score is not None and before is not None and abs(score - before) >= MOVED:
            words.append((score - before, f"{title}: {before:g} → {score:g}"))
    if words:
        return [text for _, text in sorted(words)][:MAX_MOVED]
    return [] if beside is not None else _lowest(here, titles)


def _lowest(here: Mapping[str, Any], titles: Mapping[str, str]) -> list[str]:
    scored: Sequence[tuple[str, Any]] = [
        item
        for item in here["criteria"].items()
        if item[1]["score"] is not None and item[1]["score"] < item[1]["pass_mark"]
    ]
    scored = sorted(scored, key=lambda item: item[1]["score"])
    return [f"{titles.get(name, name)}: {_scored(one)}" for name, one in scored[:MAX_MOVED]]


def _scored(one: Mapping[str, Any]) -> str:
    if one["score"] is None:
        return "not applicable"
    return f"{one['score']:g}, “{one['quote'][:80]}”" if one["quote"] else f"{one['score']:g}"
