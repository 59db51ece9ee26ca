"""The rules of personas and scenarios: what the validator's scores mean, who may play."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.states import PersonaStatus

PERSONA_CRITERIA = ("naturalness", "coherence", "testability")  # seed P11: 1–10 each
EQUAL_WEIGHTS: Mapping[str, float] = dict.fromkeys(PERSONA_CRITERIA, 1.0)
MAX_OVERRIDE_REASON = 2000  # characters
MAX_TURNS = 20  # contract: a battle's default


@dataclass(frozen=True, slots=True)
class PersonaVerdict:
    """The verdict from the validator's scores; `reason` is "" for a validated persona. `mean` is weighted, 1–10."""

    status: PersonaStatus
    mean: float
    reason: str


def judge_persona(
    scores: Mapping[str, float],
    *,
    threshold: float,
    weights: Mapping[str, float] = EQUAL_WEIGHTS,
    broken: Sequence[str] = (),
    reason: str = "",
) -> PersonaVerdict:
    """Validate a persona by its three scores and its probe dialogues.

    It is validated when the weighted mean of the scores reaches the threshold (seed: 7.0) and no dialogue broke a
    behaviour (`broken` names them), else rejected with a reason.

    Raises BadInput when a score is missing or outside 1–10: an unread score must not decide.
    """
    values = {
        name: checks.number(scores.get(name), checks.step("/scores", name), low=1, high=10) for name in PERSONA_CRITERIA
    }
    mean = sum(values[name] * weights[name] for name in values) / sum(weights[name] for name in values)
    faults = []
    if mean < threshold:
        weakest = min(values, key=lambda name: values[name])
        faults.append(
            f"mean {mean:.{_places(mean, threshold)}f} is below {threshold:g}; weakest: {weakest} {values[weakest]:g}"
        )
    if broken:
        faults.append(f"did not behave as written when tried out: {', '.join(broken)}")
    if not faults:
        return PersonaVerdict(PersonaStatus.VALIDATED, mean, "")
    why = "; ".join(faults)
    return PersonaVerdict(PersonaStatus.REJECTED, mean, f"{why}. {reason}".strip() if reason else why)


def _places(mean: float, threshold: float) -> int:
    """Decimals from which on the mean can be told from the threshold; one at least."""
    return next((places for places in (1, 2, 3) if round(mean, places) < threshold), 6)


def why_not_eligible(*, status: str, needs_release: bool, released: bool) -> str:
    """Say why a persona may not play in a battle; "" where it may (docs/adr/0126).

    The database holds the same rule as a column: Persona.may_play.
    """
    if status == PersonaStatus.VALIDATED and needs_release and not released:
        return "validated, but not released by a curator"
    return "" if status in (PersonaStatus.VALIDATED, PersonaStatus.APPROVED_OVERRIDE) else status.replace("_", " ")
