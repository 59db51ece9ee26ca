"""Certificates that end or are void, and judges that agree less with each other."""

from collections import defaultdict
from datetime import datetime, timedelta

from django.db import connection

from apps.alerts.domain.conditions import Condition, Rule
from apps.calibration.domain.agreement_with_people import CertificateVerdict
from apps.calibration.models import Certificate
from apps.evaluations.domain.states import EvaluationStatus
from apps.evaluations.models import Evaluation
from apps.statistics.drift import shift_between
from apps.statistics.sequential import ArmCell

SOON = timedelta(days=7)
FAR = 1.0  # points of ten that two judges may differ by on average

# The distance between judge and second judge, a conversation: in the last week and in the four before, per config.
_DISTANCES = """
WITH conversations AS (
  SELECT split_part(e.config_ref, '@', 1) AS config, j.judged_at >= %(week)s AS lately,
    avg(abs((o->>'score')::float - s.score)) AS apart
  FROM evaluations_criterionscore s JOIN evaluations_judgement j ON j.id = s.judgement_id
  JOIN evaluations_evaluation e ON e.id = j.evaluation_id, jsonb_array_elements(s.opinions) o
  WHERE j.judged_at >= %(since)s AND o->>'purpose' = 'cross_check' AND jsonb_typeof(o->'score') = 'number'
    AND s.score IS NOT NULL
  GROUP BY j.id, 1, 2
)
SELECT config, lately, count(*), sum(apart), sum(apart * apart) FROM conversations GROUP BY 1, 2
"""


def ending_certificates(now: datetime) -> list[Condition]:
    """Certified judges whose newest certificate ends within a week or has ended, and those whose judge has changed
    since: what it judged lately bears another fingerprint. Two queries."""
    newest: dict[str, Certificate] = {}
    for row in Certificate.objects.filter(issued_at__gte=now - timedelta(days=400)).order_by("-issued_at")[:200]:
        newest.setdefault(row.config_ref.rpartition("@")[0], row)
    lately = _fingerprints(now)
    conditions = list[Condition]()
    for config, row in newest.items():
        if row.verdict != CertificateVerdict.CERTIFIED:
            continue
        if config in lately and row.fingerprint not in lately[config]:
            why = f"The certificate of {row.config_ref} is void: its judge has changed."
            conditions.append(
                Condition(rule=Rule.CERTIFICATE, key=f"{row.pk} void", sentence=why, path="/calibration/")
            )
        elif row.valid_until <= now + SOON:
            verb = "has ended" if row.valid_until <= now else "ends"
            why = f"The certificate of {row.config_ref} {verb} on {row.valid_until:%-d %B %Y}."
            conditions.append(
                Condition(rule=Rule.CERTIFICATE, key=f"{row.pk} ends", sentence=why, path="/calibration/")
            )
    return conditions


def falling_agreement(now: datetime) -> list[Condition]:
    """Configs whose judge and second judge were a point or more apart in the last week, and surely half a point more
    than in the four weeks before (apps/statistics/drift.py: this is looked at every minute). One query over the scores
    of five weeks."""
    with connection.cursor() as cursor:
        cursor.execute(_DISTANCES, {"week": now - timedelta(days=7), "since": now - timedelta(days=35)})
        rows = cursor.fetchall()
    sides: dict[str, dict[bool, ArmCell]] = defaultdict(dict)
    for config, lately, n, total, squares in rows:
        sides[config][lately] = ArmCell(n=n, total=total, squares=squares)
    conditions = list[Condition]()
    for config, both in sorted(sides.items()):
        week, before = both.get(True, ArmCell()), both.get(False, ArmCell())
        shift = shift_between(before, week)
        if shift and shift.sure and shift.points > 0 and week.mean >= FAR:
            why = f"Two judges of {config} differ by {week.mean:.1f} points this week, and by {before.mean:.1f} before."
            conditions.append(Condition(rule=Rule.AGREEMENT, key=config, sentence=why, path="/calibration/"))
    return conditions


def _fingerprints(now: datetime) -> dict[str, set[str]]:
    rows = (
        Evaluation.objects.filter(status=EvaluationStatus.COMPLETED, ended_at__gte=now - timedelta(days=7))
        .exclude(judgements__fingerprint="")
        .values_list("config_ref", "judgements__fingerprint")
        .distinct()[:500]
    )
    found: dict[str, set[str]] = defaultdict(set)
    for ref, fingerprint in rows:
        if fingerprint:
            found[ref.rpartition("@")[0]].add(fingerprint)
    return found
