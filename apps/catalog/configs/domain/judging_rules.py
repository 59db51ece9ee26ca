"""Read how a version asks its judge and handles doubt; absent parameters keep their defaults.

They are not filled into a version's parameters, so that a version which says nothing keeps its fingerprint.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from apps.catalog.domain import field_readers as checks
from apps.core.errors import BadInput

ERROR_RATE = 0.05  # issue: re-grading turns pass into fail or back in no more than 5 % of the cases
MAX_REPEATS = 10


class PromptMode(StrEnum):
    """One question for all criteria, or one for each (docs/adr/0045)."""

    JOINT = "joint"
    PER_CRITERION = "per_criterion"


class PanelRule(StrEnum):
    """The rule for three judges' scores where the first one's is below its pass mark."""

    OFF = "off"
    MEDIAN = "median"
    MAJORITY = "majority"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingRules:
    """Rules of judging.

    `panel` None: nobody said, so it is the median where three judges are at hand. `evidence_below`: a score below it
    must carry an exact quote. `error_rate`: how often re-grading may turn pass into fail. `leave_out_fallback`: a
    fallback model's scores stay out of the headline mean.
    """

    repeats: int = 1
    asking: PromptMode = PromptMode.JOINT
    panel: PanelRule | None = None
    evidence_below: float | None = None
    error_rate: float = ERROR_RATE
    allow_same_model: bool = False
    leave_out_fallback: bool = False

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> "JudgingRules":
        """Read the rules from a version's parameters. Raises BadInput."""
        given = {name: parameters[name] for name in READERS if parameters.get(name) is not None}
        return cls(**{name: READERS[name](value, f"/parameters/{name}") for name, value in given.items()})


def _yes_or_no(value: Any, pointer: str) -> bool:
    if not isinstance(value, bool):
        raise BadInput(f"{pointer} must be true or false, not {value!r}", pointer=pointer)
    return value


READERS: dict[str, Any] = {
    "repeats": lambda value, at: checks.integer(value, at, low=1, high=MAX_REPEATS),
    "asking": lambda value, at: PromptMode(checks.one_of(value, list(PromptMode), at)),
    "panel": lambda value, at: PanelRule(checks.one_of(value, list(PanelRule), at)),
    "evidence_below": lambda value, at: checks.number(value, at, low=0, high=10),
    "error_rate": lambda value, at: checks.number(value, at, low=0.001, high=0.5),
    "allow_same_model": _yes_or_no,
    "leave_out_fallback": _yes_or_no,
}


def read_rules(parameters: Mapping[str, Any], pointer: str) -> dict[str, Any]:
    """Return the parameters that are rules of judging, checked, as plain JSON. Raises BadInput."""
    rules = {
        name: READERS[name](parameters[name], checks.step(pointer, name))
        for name in READERS
        if parameters.get(name) is not None
    }
    return {name: value.value if isinstance(value, StrEnum) else value for name, value in rules.items()}
