"""Sides of a gate as plain data, for tests and for the simulation in benchmarks."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from apps.gates.domain.side import CheckFact, GateSide, GateTrial, JudgedAs
from apps.statistics.decision import Decision

BASE, HEAD = "b" * 40, "c" * 40
JUDGE = "f" * 64
MARK = 6.0
Score = Callable[[int, random.Random], float]


def language_of(number: int) -> str:
    """Every fourth case is in Swahili."""
    return "sw" if number % 4 == 0 else "en"


def trial(number: int, score: float | None = 8.0, **more: Any) -> GateTrial:
    """A trial of case `number`, scored and passing from 6 on."""
    facts: dict[str, Any] = {
        "digest": f"{number:064x}",
        "case": f"case-{number}",
        "conversation": f"conversation-{number}",
        "language": language_of(number),
        "judged": JudgedAs.NOT_JUDGED if score is None else JudgedAs.SCORED,
        "score": score,
        "criteria": {} if score is None else {"flow": score, "facts": score},
        "passed": None if score is None else score >= MARK,
    }
    return GateTrial(**{**facts, **more})


def side(trials: Sequence[GateTrial], **more: Any) -> GateSide:
    """A completed evaluation of the candidate, by one judge without a certificate."""
    facts: dict[str, Any] = {
        "evaluation": "e", "commit": HEAD, "fingerprint": JUDGE, "certified": {"flow": False, "facts": False},
        "quotes": {"exact": len(trials)},
    }  # fmt: skip
    return GateSide(trials=trials, **{**facts, **more})


def played(cases: int, score: Score, seed: int, *, repeats: int = 1, **more: Any) -> GateSide:
    """A run of so many cases by an agent that samples."""
    chance = random.Random(seed)
    return side(
        [trial(at, min(10.0, max(0.0, score(at, chance)))) for _ in range(repeats) for at in range(cases)], **more
    )


def checked(
    outcome: str, *, score: float | None = None, measured_by: str = "", reason: str = "", fact: bool = False
) -> CheckFact:
    return CheckFact(outcome=Decision(outcome), score=score, measured_by=measured_by, reason=reason, fact=fact)


def with_checks(number: int, checks: Mapping[str, CheckFact], **more: Any) -> GateTrial:
    """A conversation that was checked and not judged."""
    passed = all(one.outcome is not Decision.FAIL for one in checks.values())
    return trial(number, None, checks=checks, passed=passed, **more)
