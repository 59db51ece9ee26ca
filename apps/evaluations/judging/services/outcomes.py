"""Store the outcomes of judging, one for each conversation, as plain data.

A batch is written in one statement, so that a score is stored whole, once, or not at all.
"""

import json
import re
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

from apps.audit.domain.masking_rules import at_rest
from apps.budgets.domain.allowance import RefusalReason
from apps.budgets.domain.sentences import SPENT_CODE
from apps.budgets.services import LedgerCall, record_calls
from apps.budgets.services.ledger import drop_unused
from apps.budgets.services.reservations import next_try
from apps.budgets.services.reserving import Refusal, release
from apps.budgets.services.response_cache import NewCacheEntry, put_cached
from apps.core.redaction import redact
from apps.evaluations.domain.states import JudgementStatus, ScoreStatus
from apps.evaluations.judging.domain.aggregation import CriterionVerdict
from apps.evaluations.judging.services.leases import ClaimedJudgement
from apps.evaluations.models import CriterionScore, Judgement

PROGRESS_EVERY = timedelta(seconds=2)

_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")

_STORE = """
WITH v AS (
  SELECT * FROM jsonb_to_recordset(%(verdicts)s::jsonb) AS x(
    id uuid, status text, weighted_score float8, fingerprint text, provider text, model text, by_fallback boolean,
    from_cache boolean, latency jsonb, raw_reply text, error_code text, error_message text, passing boolean)
), done AS (
  UPDATE evaluations_judgement j SET
    status = v.status, weighted_score = v.weighted_score, fingerprint = v.fingerprint, provider = v.provider,
    model = v.model, by_fallback = v.by_fallback, from_cache = v.from_cache, latency = v.latency,
    raw_reply = v.raw_reply, error_code = v.error_code, error_message = v.error_message, judged_at = %(now)s,
    late = (e.status IN ('timeout', 'cancelled')),
    second_chances = CASE WHEN v.passing THEN j.second_chances ELSE 0 END,
    lease_token = NULL, lease_expires_at = NULL, not_before = NULL, waiting_for = ''
  FROM v, evaluations_evaluation e
  WHERE j.id = v.id AND j.status = 'pending' AND e.id = j.evaluation_id
  RETURNING j.id, j.conversation_id
), must AS (
  SELECT done.id, m.one->>'criterion' AS criterion, max((m.one->>'below')::float8) AS mark
  FROM done JOIN runs_conversation c ON c.id = done.conversation_id
  CROSS JOIN LATERAL jsonb_array_elements(coalesce(c.spec->'must_not', '[]')) AS m(one) GROUP BY 1, 2
), written AS (
  INSERT INTO evaluations_criterionscore
    (judgement_id, criterion, position, status, unscored_reason, score, scale, weight, pass_mark, reason, evidence,
     answers, standard_error, opinions, must_reach)
  SELECT s.judgement_id, s.criterion, s.position, s.status, s.unscored_reason, s.score, '0-10', s.weight, s.pass_mark,
    s.reason, s.evidence, s.answers, s.standard_error, s.opinions, must.mark
  FROM jsonb_to_recordset(%(scores)s::jsonb) AS s(
    judgement_id uuid, criterion text, position int2, status text, unscored_reason text, score float8, weight float8,
    pass_mark float8, reason text, evidence jsonb, answers int2, standard_error float8, opinions jsonb)
  JOIN done ON done.id = s.judgement_id LEFT JOIN must ON must.id = done.id AND must.criterion = s.criterion
)
SELECT id FROM done
"""

_WAIT = """
UPDATE evaluations_judgement j SET not_before = w.not_before, waiting_for = w.waiting_for,
  attempts = greatest(j.attempts - w.begun::int, 0), error_code = w.error_code, lease_token = NULL,
  lease_expires_at = NULL
FROM jsonb_to_recordset(%(waits)s::jsonb)
  AS w(id uuid, not_before timestamptz, waiting_for text, error_code text, begun boolean)
WHERE j.id = w.id AND j.status = 'pending' AND (%(token)s::uuid IS NULL OR j.lease_token = %(token)s)
"""

_PROGRESS = """
UPDATE evaluations_evaluation SET progress_at = %(now)s, started_at = coalesce(started_at, %(now)s),
  status = CASE status WHEN 'pending' THEN 'running' ELSE status END
WHERE id = ANY(%(ids)s) AND status IN ('pending', 'running')
  AND (status = 'pending' OR progress_at IS NULL OR progress_at <= %(now)s::timestamptz - interval '2 seconds')
"""

_STARTED = """
UPDATE evaluations_evaluation SET status = 'running', started_at = coalesce(started_at, %(now)s)
WHERE id = ANY(%(ids)s) AND status = 'pending'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementOutcome:
    """The end of one attempt at a judgement. With `wait_until` it is no end: the model limits us, or (not even `begun`)
    there is no money; try again then.

    `passing`: the error may be gone when it is tried again. `answers` are kept with it, so that what was paid for is
    not asked again; `from_cache` when nobody had to be asked, `reasked` when a reply could not be used as it was.
    """

    judgement_id: uuid.UUID
    evaluation_id: uuid.UUID
    status: JudgementStatus = JudgementStatus.PENDING
    scores: tuple[CriterionVerdict, ...] = ()
    weighted_score: float | None = None
    fingerprint: str = ""
    provider: str = ""
    model: str = ""
    by_fallback: bool = False
    latency: Mapping[str, Any] = field(default_factory=dict)
    raw_reply: str = ""
    error_code: str = ""
    error_message: str = ""
    passing: bool = False
    wait_until: datetime | None = None
    waiting_for: str = ""
    begun: bool = True
    calls: tuple[LedgerCall, ...] = ()
    from_cache: bool = False
    reasked: bool = False
    answers: tuple[NewCacheEntry, ...] = ()

    def as_row(self) -> dict[str, Any]:
        return {
            "id": str(self.judgement_id),
            "status": self.status.value,
            "weighted_score": self.weighted_score,
            "fingerprint": self.fingerprint,
            "provider": self.provider[:100],
            "model": self.model[:120],
            "by_fallback": self.by_fallback,
            "from_cache": self.from_cache,
            "latency": dict(self.latency),
            "error_code": self.error_code[:60],
            "passing": self.passing,
            **at_rest(Judgement._meta.db_table, {"raw_reply": self.raw_reply, "error_message": self.error_message}),
        }

    def score_rows(self) -> Iterator[dict[str, Any]]:
        """Rows of the scores. What a judge wrote or quoted is masked here, after its quotes were checked against the
        conversation: no phone stands in a reason, whether or not the tenant stores conversations masked."""
        for position, score in enumerate(self.scores):
            yield {
                "judgement_id": str(self.judgement_id),
                "criterion": score.criterion,
                "position": position,
                "status": (ScoreStatus.UNSCORED if score.score is None else ScoreStatus.SCORED).value,
                "unscored_reason": score.unscored_reason.value if score.unscored_reason else "",
                "score": score.score,
                "weight": score.weight,
                "pass_mark": score.pass_mark,
                "answers": score.answers,
                "standard_error": score.standard_error,
                **at_rest(
                    CriterionScore._meta.db_table,
                    {"reason": score.reason, "evidence": list(score.evidence), "opinions": list(score.opinions)},
                ),
            }

    def as_wait(self) -> dict[str, Any]:
        return {
            "id": str(self.judgement_id),
            "not_before": self.wait_until.isoformat() if self.wait_until else None,
            "waiting_for": self.waiting_for[:200],
            "begun": self.begun,
            "error_code": self.error_code[:60],
        }


def save_outcomes(
    *,
    verdicts: Sequence[JudgementOutcome],
    now: datetime,
    token: uuid.UUID | None = None,
    reserved: bool = True,
    unused: Collection[uuid.UUID] = (),
) -> int:
    """Store a batch in one transaction; returns how many judgements were still owed (the others came twice).

    Judgements, criterion scores, kept answers and ledger are written together or not at all. Safe to repeat: a
    judgement that is no longer pending is left alone and calls carry their own ids. `token` is the worker's lease: a
    wait is noted only while the lease is still its own, or it would take the judgement out of another worker's hands.
    `unused` are ledger rows that were opened for calls nobody made.
    At most four statements, whatever the size; three more where anything was paid.
    """
    ended = [verdict for verdict in verdicts if verdict.wait_until is None]
    waits = [verdict for verdict in verdicts if verdict.wait_until is not None]
    stored = 0
    with transaction.atomic(), connection.cursor() as cursor:
        if ended:
            cursor.execute(
                _STORE,
                {
                    "now": now,
                    "verdicts": _json([verdict.as_row() for verdict in ended]),
                    "scores": _json([row for verdict in ended for row in verdict.score_rows()]),
                },
            )
            stored = cursor.rowcount
        if waits:
            cursor.execute(_WAIT, {"waits": _json([verdict.as_wait() for verdict in waits]), "token": token})
        put_cached(answers=[answer for verdict in verdicts for answer in verdict.answers], now=now, cursor=cursor)
        drop_unused(ids=unused, cursor=cursor)
        record_calls(calls=[call for verdict in verdicts for call in verdict.calls], cursor=cursor)
        if reserved and token is not None:
            release(holder=token, ids=[verdict.judgement_id for verdict in verdicts], cursor=cursor)
    return stored


def note_progress(*, evaluation_ids: Sequence[uuid.UUID], now: datetime) -> None:
    """Say that these evaluations had a result (for the watchdog and for pages). One statement, at most every 2 s per
    row; none
    for nothing."""
    if not evaluation_ids:
        return
    with connection.cursor() as cursor:
        cursor.execute(_PROGRESS, {"now": now, "ids": list(evaluation_ids)})


def note_started(*, evaluation_ids: Sequence[uuid.UUID], now: datetime) -> None:
    """Say that work on these evaluations began, though nothing came of it yet. One statement; none for nothing."""
    if not evaluation_ids:
        return
    with connection.cursor() as cursor:
        cursor.execute(_STARTED, {"now": now, "ids": list(evaluation_ids)})


def defer_unfunded(
    *, claimed: Sequence[ClaimedJudgement], refused: Mapping[uuid.UUID, Refusal], token: uuid.UUID, now: datetime
) -> None:
    """Put refused judgements back: they wait, for calls in flight or for somebody to raise the budget. One update."""
    waits = [
        JudgementOutcome(
            judgement_id=judgement.judgement_id,
            evaluation_id=judgement.evaluation_id,
            wait_until=next_try(no, now=now),
            waiting_for=no.sentence,
            error_code="" if no.why is RefusalReason.PROMISED else SPENT_CODE,
            begun=False,
        )
        for judgement in claimed
        if (no := refused.get(judgement.judgement_id)) is not None
    ]
    if waits:
        save_outcomes(verdicts=waits, now=now, token=token)


def mask_evidence(evidence: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Checked quotes with the floor over their words."""
    return [{**one, "quote": redact(str(one.get("quote") or ""))} for one in evidence]


def _json(value: Any) -> str:
    """JSON that PostgreSQL takes: a NUL or half a surrogate pair in a model's reply must not lose the whole batch."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    if "\\u0000" in text:  # the pattern looks at every character, and there is hardly ever one
        text = _NUL.sub(r"\1\\ufffd", text)
    return text.encode("utf-8", "replace").decode("utf-8")
