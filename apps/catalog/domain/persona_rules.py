"""The rules of personas and scenarios: what the validator's scores mean, and what a scenario may assert."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.states import PersonaStatus

PERSONA_CRITERIA = ("naturalness", "coherence", "testability")  # seed P11: 1–10 each
MAX_TURNS = 20  # contract: a battle's default


@dataclass(frozen=True, slots=True)
class PersonaVerdict:
    """What the validator's scores mean; `reason` is "" for a validated persona."""

    status: PersonaStatus
    mean: float
    reason: str


def judge_persona(scores: Mapping[str, float], *, threshold: float, reason: str = "") -> PersonaVerdict:
    """Validated when the mean of the three scores reaches the threshold (seed: 7.0), else rejected with a reason.

    Raises BadInput when a score is missing or outside 1–10: an unread score must not decide.
    """
    values = {
        name: checks.number(scores.get(name), checks.step("/scores", name), low=1, high=10) for name in PERSONA_CRITERIA
    }
    mean = sum(values.values()) / len(values)
    if mean >= threshold:
        return PersonaVerdict(PersonaStatus.VALIDATED, mean, "")
    weakest = min(values, key=lambda name: values[name])
    found = f"mean {mean:.1f} is below {threshold:g}; weakest: {weakest} {values[weakest]:g}"
    return PersonaVerdict(PersonaStatus.REJECTED, mean, f"{found}. {reason}".strip() if reason else found)


def parse_assertions(raw: Any, pointer: str = "/assertions") -> list[dict[str, Any]]:
    """The seed's [{"metric": name, "threshold"?: 0–1}]; a threshold keeps the metric's own scale (0–1 here, 0–10 of
    criteria are not assertions)."""
    result: list[dict[str, Any]] = []
    for index, item in enumerate(checks.listing(raw, pointer)):
        at = checks.step(pointer, index)
        data = checks.mapping(item, at)
        checks.only(data, ("metric", "threshold"), at)
        entry: dict[str, Any] = {"metric": checks.name(data.get("metric"), checks.step(at, "metric"))}
        if "threshold" in data:
            entry["threshold"] = checks.number(data["threshold"], checks.step(at, "threshold"), low=0, high=1)
        result.append(entry)
    return result
