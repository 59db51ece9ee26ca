"""The marks that a judge must reach on conversations with known answers before a version with it may be published."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.catalog.configs.domain.judging_rules import READERS
from apps.core.digest import sha256_hex

VALID_FLOOR = 0.95  # share of conversations with a usable answer, the tighter repeat included
CUT_CEILING = 0.05  # share of answers that ended before their end
_NOT_ASKED = frozenset({*READERS, "allow_fallback_in_mean"})
AGREEMENT_FLOOR = 0.8  # share of known answers it gives; a coin gives half of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of a judge's check, shares of 0 to 1. `conversations` of `planned` were asked about. `without_nonce`:
    replies that did not carry the nonce of their question, `without_key`: that named no number by the secret key they
    were told; both were asked for again. `seconds` is the median of one answer; `cost_usd` of all, None where a price
    is unknown."""

    conversations: int
    valid: float
    first_time: float
    cut: float
    without_nonce: float
    agreement: float
    by_language: Mapping[str, float]
    wrong: tuple[str, ...]
    seconds: float
    cost_usd: float | None
    without_key: float = 0.0
    by_criterion: Mapping[str, float] = field(default_factory=dict)
    planned: int = 0

    def shortfalls(self) -> list[str]:
        """Every floor that was missed, in words; none means that the judge may be used."""
        shortfalls_found = []
        if self.valid < VALID_FLOOR:
            shortfalls_found.append(f"{self.valid:.0%} of its replies can be used, {VALID_FLOOR:.0%} are needed")
        if self.cut > CUT_CEILING:
            shortfalls_found.append(f"{self.cut:.0%} of its replies were cut off, at most {CUT_CEILING:.0%} may be")
        if self.agreement < AGREEMENT_FLOOR:
            shortfalls_found.append(
                f"{self.agreement:.0%} of the known answers were given, {AGREEMENT_FLOOR:.0%} are needed"
            )
            shares = (*self.by_language.items(), *self.by_criterion.items())
            low = ", ".join(f"{name} {share:.0%}" for name, share in shares if share < AGREEMENT_FLOOR)
            shortfalls_found.append(f"below that are {low}")
        if shortfalls_found and self.conversations < self.planned:
            shortfalls_found.append(
                f"stopped after {self.conversations} of {self.planned} conversations: the others could not have lifted "
                "it to the floor"
            )
        return shortfalls_found


def out_of_reach(*, known: int, wrong: int, conversations: int, unusable: int) -> bool:
    """Tell whether a floor is missed however the rest is answered: what is asked then costs and changes nothing.

    `known` answers in all `conversations`; `wrong` answers and `unusable` replies so far. Stopping there is curtailed
    sampling (Dodge and Romig, 1929): every judge gets the verdict that all questions would have given.
    """
    return (known - wrong) / known < AGREEMENT_FLOOR or (conversations - unusable) / conversations < VALID_FLOOR


def judge_digest(*, server: Mapping[str, Any], model: str, template: str, parameters: Mapping[str, Any]) -> str:
    """Return 64 hex digits of what makes a judge.

    It is the server (name, address, options), the model, the prompt, and the parameters that reach it. How often it is
    asked, and what becomes of its scores, makes no other.
    """
    judge_parameters = {name: value for name, value in parameters.items() if name not in _NOT_ASKED}
    return sha256_hex({"server": dict(server), "model": model, "template": template, "parameters": judge_parameters})
