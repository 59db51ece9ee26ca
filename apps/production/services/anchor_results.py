"""What a week's grading of the anchors came to: how far the judge moved, who else did, and which certificates are
void."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from apps.calibration.services.revocation import revoke_certificates
from apps.production.domain.anchor_test import BASELINE, judge_shift, mean_by_anchor, who_moved
from apps.production.domain.sampling_states import Mover
from apps.production.models import AnchorGrading, AnchorSet
from apps.production.queries.anchor_grades import anchor_grades, fingerprints_of, months_of, recent_numbers


def finish_week(row: AnchorSet, grading: AnchorGrading, *, now: datetime) -> dict[str, Any]:
    """The result as it is stored. A shift that is shown voids the certificates of this judge, in the caller's
    transaction. At most eight queries. Pure but for that; safe to repeat."""
    grades = anchor_grades(row)
    baseline_numbers = [n for n in grades if n <= BASELINE]
    week = grading.number
    shifts = {}
    for criterion in sorted({name for by_name in grades.values() for name in by_name}):
        before = mean_by_anchor([grades[n].get(criterion, {}) for n in baseline_numbers])
        found = judge_shift(before, grades.get(week, {}).get(criterion, {}))
        if found is not None:
            shifts[criterion] = found
    whole = shifts.pop("", None)
    months = months_of(row, now=now)
    if months is None:
        moved, why = None, "Who else moved is asked when two times four weeks have been sampled."
    else:
        before = mean_by_anchor([grades[n].get("", {}) for n in baseline_numbers])
        recent = mean_by_anchor([grades[n].get("", {}) for n in recent_numbers(grades, week)])
        moved = who_moved(judge_shift(before, recent), months.before, months.after)
        why = moved.why
    if whole is not None and whole.shown:
        reason = (
            f"The anchors show that the judge moved by {whole.value:+.1f} points "
            f"[{whole.low:+.1f}, {whole.high:+.1f}] by {now:%-d %B %Y}."
        )
        revoke_certificates(fingerprints=fingerprints_of(row), reason=reason, now=now)
    mover = moved.mover if moved else Mover.JUDGE if whole and whole.shown else Mover.NOT_ASKED
    return {
        "week": week - BASELINE,
        "shift": whole.as_json() if whole else None,
        "criteria": {name: one.as_json() for name, one in shifts.items()},
        "mover": mover.value,
        "why": why,
        "judge": moved.judge.as_json() if moved and moved.judge else None,
        "agent": moved.agent.as_json() if moved and moved.agent else None,
        "customers": moved.customers.as_json() if moved and moved.customers else None,
        "requests": [asdict(one) for one in months.requests] if months else [],
        "requests_counted": bool(months and months.with_requests),
    }
