"""Cases that changed for one cause: told once, with their number, instead of row by row. Pure."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.gates.domain.gate_states import CaseChange
from apps.gates.domain.metric_titles import criterion_title

MIN_ALIKE = 4  # fewer are read faster as rows
MIN_COMMON, SHARE = 3, 0.75  # of the lost cases, that the headline speaks of one cause
_NUMBER = re.compile(r"\d+(?:[.:,]\d+)*")
_LOST = (CaseChange.LOST, CaseChange.WORSE)
Case = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseGroup:
    """Cases of a gate's document that are alike, the worst first; one alone where none is like it."""

    cause: str
    cases: Sequence[Case]


def case_cause(case: Case) -> str:
    """Return the cause of a case's change, as other cases may have it too.

    It is what fails in it, else the criterion that moved; "" where nobody knows.
    """
    if case["why"]:
        return _NUMBER.sub("…", case["why"].partition(";")[0].rstrip("."))
    moved = case.get("said")
    return _title(moved) if moved and moved["criterion"] else ""


def case_groups(cases: Sequence[Case]) -> list[CaseGroup]:
    """All of them, in the order of their first case; lost and worse ones together. What has no cause in common stands
    alone."""
    groups_by_cause: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        change = CaseChange.LOST if case["change"] in _LOST else case["change"]
        groups_by_cause.setdefault((change, case_cause(case)), []).append(case)
    groups = list[CaseGroup]()
    for (_, cause), alike in groups_by_cause.items():
        if cause and len(alike) >= MIN_ALIKE:
            groups.append(CaseGroup(cause=cause, cases=alike))
        else:
            groups += [CaseGroup(cause=cause, cases=[one]) for one in alike]
    order = {id(case): at for at, case in enumerate(cases)}
    return sorted(groups, key=lambda group: order[id(group.cases[0])])


def common_cause(gate: Mapping[str, Any], *, shown: int) -> str:
    """ "In 9 of 9 cases that got worse: price said 8.9 to 2.4."; "" where those of the first `shown` have no cause in
    common, or none got worse."""
    lost = [case for case in gate["cases"][:shown] if case["change"] in _LOST]
    causes = Counter(cause for case in lost if (cause := case_cause(case)))
    if gate["decision"] not in ("fail", "undecided") or not causes:
        return ""
    ((cause, n),) = causes.most_common(1)
    if n < MIN_COMMON or n < SHARE * len(lost):
        return ""
    moved = moved_words([case for case in lost if case_cause(case) == cause])
    return f"In {n} of {len(lost)} cases that got worse: {cause}{moved}."


def moved_words(cases: Sequence[Case]) -> str:
    """ " 8.9 to 2.4", the means of the criterion that is the cause; "" where it is none."""
    if any(case["why"] for case in cases):
        return ""
    pairs = [(case["said"]["before"], case["said"]["after"]) for case in cases]
    means = [[one for one in side if one is not None] for side in zip(*pairs, strict=True)]
    return "" if not all(means) else " " + " to ".join(f"{sum(side) / len(side):.1f}" for side in means)


def _title(said: Mapping[str, Any]) -> str:
    return str(said.get("title") or criterion_title(said["criterion"], {}))
