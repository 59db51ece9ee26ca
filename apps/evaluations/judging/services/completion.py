"""Ending evaluations: derived from rows, committed alone, by compare-and-set."""

import json
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Exists, OuterRef, Q

from apps.budgets.domain.sentences import SPENT_CODE
from apps.connectors.llms.answers import CUT_OFF
from apps.core.errors import Conflict, NotFound
from apps.core.events import EventType, log_event
from apps.core.plurals import many
from apps.evaluations.domain.fallback_rule import COUNTS_SQL
from apps.evaluations.domain.parsing import NO_ANSWER_CODES
from apps.evaluations.domain.samples import WHOLE_SQL
from apps.evaluations.domain.states import EVALUATION_ACTIVE, NOTHING_SCORED, EvaluationStatus, JudgementStatus
from apps.evaluations.figures.services.figures import store_each
from apps.evaluations.judging.domain.circuit_breaker import STOPPED
from apps.evaluations.models import Evaluation, Judgement
from apps.runs.domain.kind_traits import JUDGEABLE, sql_list
from apps.runs.domain.states import RUN_TERMINAL, RunStatus
from apps.runs.models import TestRun
from apps.runs.playing.services.control import WATCHDOG_MESSAGE, cancel_run

_KINDS = sql_list(JUDGEABLE)
# Whether the headline mean is of anything: what is said of it elsewhere (queries.aggregates) is asked here first.
_IN_MEAN = f"""EXISTS (SELECT 1 FROM evaluations_judgement j JOIN runs_conversation c ON c.id = j.conversation_id
    WHERE j.evaluation_id = e.id AND j.status = 'scored' AND j.weighted_score IS NOT NULL
      AND (NOT j.by_fallback OR {COUNTS_SQL}) AND c.blame IS DISTINCT FROM 'golden')"""  # noqa: S608 - constants
_ALL_BY_FALLBACK = f"""NOT {COUNTS_SQL} AND EXISTS (SELECT 1 FROM evaluations_judgement j
    WHERE j.evaluation_id = e.id AND j.status = 'scored' AND j.weighted_score IS NOT NULL AND j.by_fallback)"""  # noqa: S608 - constants
_DONE = f"""
SELECT e.id, r.status,
  (SELECT count(*) FROM evaluations_judgement j WHERE j.evaluation_id = e.id AND j.status = 'scored') AS scored,
  {_IN_MEAN} AS any_score,
  (SELECT j.error_message FROM evaluations_judgement j
    WHERE j.evaluation_id = e.id AND j.status IN ('model_error', 'parse_error') ORDER BY j.judged_at LIMIT 1) AS error,
  {_ALL_BY_FALLBACK} AS left_out
FROM evaluations_evaluation e JOIN runs_testrun r ON r.id = e.run_id
WHERE e.status IN ('pending', 'running') AND r.status = ANY(%(run_terminal)s)
  AND NOT EXISTS (SELECT 1 FROM evaluations_judgement j WHERE j.evaluation_id = e.id AND j.status = 'pending')
  AND NOT ({WHOLE_SQL} AND EXISTS (SELECT 1 FROM runs_conversation c WHERE c.run_id = e.run_id AND c.kind IN {_KINDS}
    AND NOT EXISTS (SELECT 1 FROM evaluations_judgement j WHERE j.evaluation_id = e.id AND j.conversation_id = c.id)))
"""  # noqa: S608 - put together of constants
# What ended in an error that may be gone by now, where all the rest is done.
_SECOND_CHANCE = f"""
UPDATE evaluations_judgement j SET status = 'pending', second_chances = j.second_chances - 1, attempts = 0,
  judged_at = NULL, error_code = '', not_before = NULL, waiting_for = ''
FROM evaluations_evaluation e JOIN runs_testrun r ON r.id = e.run_id
WHERE j.evaluation_id = e.id AND j.status IN ('parse_error', 'model_error') AND j.second_chances > 0
  AND j.error_code <> ALL(%(lasting)s)
  AND NOT EXISTS (SELECT 1 FROM evaluations_judgement o WHERE o.evaluation_id = e.id AND o.error_code = %(stopped)s)
  AND e.status IN ('pending', 'running') AND r.status = ANY(%(run_terminal)s) AND r.status <> 'cancelled'
  AND NOT EXISTS (SELECT 1 FROM evaluations_judgement o WHERE o.evaluation_id = e.id AND o.status = 'pending')
  AND NOT ({WHOLE_SQL} AND EXISTS (SELECT 1 FROM runs_conversation c WHERE c.run_id = e.run_id AND c.kind IN {_KINDS}
    AND NOT EXISTS (SELECT 1 FROM evaluations_judgement o WHERE o.evaluation_id = e.id AND o.conversation_id = c.id)))
"""  # noqa: S608 - put together of constants
_NOTHING_LEFT = f"""
UPDATE evaluations_evaluation e SET status = 'failed', error_code = %(code)s, error_message = %(error)s
WHERE e.id = ANY(%(ids)s) AND e.status = 'completed' AND NOT {_IN_MEAN}
  AND EXISTS (SELECT 1 FROM evaluations_judgement j WHERE j.evaluation_id = e.id AND j.weighted_score IS NOT NULL)
RETURNING e.id
"""  # noqa: S608 - put together of constants
# Rows are locked without waiting: a worker that notes progress holds some of them, and ends them itself afterwards.
_END = """
WITH r AS (SELECT * FROM jsonb_to_recordset(%(results)s::jsonb) AS r(id uuid, status text, code text, error text)),
  mine AS MATERIALIZED (SELECT e.id FROM evaluations_evaluation e JOIN r ON r.id = e.id
    WHERE e.status IN ('pending', 'running') FOR NO KEY UPDATE OF e SKIP LOCKED)
UPDATE evaluations_evaluation e SET status = r.status, ended_at = %(now)s, error_code = r.code, error_message = r.error
FROM mine JOIN r ON r.id = mine.id WHERE e.id = mine.id RETURNING e.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ending:
    """End of one evaluation, decided by its rows and never by the caller."""

    status: EvaluationStatus
    scored: int
    code: str = ""
    error: str = ""

    @classmethod
    def of(cls, run_status: str, scored: int, any_score: bool, error: str | None, left_out: bool) -> "_Ending":
        if run_status == RunStatus.CANCELLED:
            return cls(
                status=EvaluationStatus.CANCELLED, scored=scored, code="run_cancelled", error="The run was cancelled."
            )
        if any_score:
            return cls(status=EvaluationStatus.COMPLETED, scored=scored)
        return cls(
            status=EvaluationStatus.FAILED,
            scored=scored,
            code=NOTHING_SCORED,
            error=nothing_scored_sentence(scored, error, left_out=left_out),
        )


def nothing_scored_sentence(answered: int, error: str | None, *, left_out: bool = False) -> str:
    """Say why an evaluation has no score.

    The judge answered for `answered` conversations, and the first of the others failed with `error`.
    """
    if error and not answered:
        return f"No conversation could be judged. The first error: {error}"
    if left_out:
        return "Every score is the fallback model's, and this version leaves those out of the mean."
    if not answered:
        return "There was no conversation to judge: each failed, and not by the agent. Each says whose failure it was."
    without = f"The judge gave no criterion a score in any of the {many(answered, 'conversation')} it answered for"
    if error:
        return f"{without}, and could not judge the others. The first error: {error}"
    return f"{without}: no criterion applied, or the answer left them out. Each conversation says why."


def retry_errors() -> int:
    """Retry judgements once whose error may be gone, where the rest is judged; return how many.
    Not after a refusal, a content filter or a truncated answer: these would come again. One query. Safe to repeat and
    to race: each judgement has one second chance."""
    with connection.cursor() as cursor:
        terminal = [state.value for state in RUN_TERMINAL]
        cursor.execute(
            _SECOND_CHANCE, {"run_terminal": terminal, "lasting": [*NO_ANSWER_CODES, CUT_OFF], "stopped": STOPPED}
        )
        return int(cursor.rowcount)


def finish_evaluations(*, now: datetime) -> list[uuid.UUID]:
    """End every evaluation whose conversations are all judged; return those that ended here.

    Temporary errors are tried a second time first: their evaluation goes on.

    The end is `cancelled` where the run was, `failed` (`nothing_scored`, with the first error) where no score counts in
    the mean, else `completed`. Two queries, one more where some end, and `store_figures` of each that did. Safe to
    repeat and to race.
    """
    retry_errors()
    with connection.cursor() as cursor:
        cursor.execute(_DONE, {"run_terminal": [state.value for state in RUN_TERMINAL]})
        ends = {str(id): _Ending.of(*fields) for id, *fields in cursor.fetchall()}
    ended = _end(ends, now) if ends else []
    for evaluation_id in ended:
        end = ends[str(evaluation_id)]
        log_event(EventType.EVALUATION_ENDED, evaluation=str(evaluation_id), status=end.status.value)
    store_each(ended)
    return ended


def _end(ends: Mapping[str, _Ending], now: datetime) -> list[uuid.UUID]:
    """Compare-and-set for all of them at once; those that ended here. What another worker holds is that worker's."""
    rows = [{"id": id, "status": end.status, "code": end.code, "error": end.error} for id, end in ends.items()]
    with connection.cursor() as cursor:
        cursor.execute(_END, {"results": json.dumps(rows), "now": now})
        return [id for (id,) in cursor.fetchall()]


def end_without_score(*, evaluation_ids: Collection[uuid.UUID], sentence: str) -> list[uuid.UUID]:
    """Fail the completed evaluations whose mean has no score left, and return their ids.

    They become `failed` (`nothing_scored`) with this sentence. One statement. Safe to repeat.
    """
    with connection.cursor() as cursor:
        cursor.execute(_NOTHING_LEFT, {"ids": list(evaluation_ids), "code": NOTHING_SCORED, "error": sentence})
        return [id for (id,) in cursor.fetchall()]


def cancel_evaluation(*, evaluation_id: uuid.UUID, now: datetime) -> None:
    """End an evaluation for good: what was judged stays, what is owed is not asked any more. Safe to repeat.

    A question that is on its way is paid for: its answer is stored and marked late. Raises NotFound, and Conflict
    (`wrong_state`) where it has ended otherwise. One query; its figures are stored by the next look for such.
    """
    moved = Evaluation.objects.advance(
        evaluation_id,
        expected=[state.value for state in EVALUATION_ACTIVE],
        to=EvaluationStatus.CANCELLED,
        ended_at=now,
        error_code="cancelled",
        error_message="The evaluation was cancelled.",
    )
    if not moved:
        status = Evaluation.objects.filter(pk=evaluation_id).values_list("status", flat=True).first()
        if status is None:
            raise NotFound(f"There is no evaluation {evaluation_id}.")
        if status != EvaluationStatus.CANCELLED:
            raise Conflict(
                f"An evaluation that is {status} cannot be cancelled.", code="wrong_state", status_now=status
            )
        return
    log_event(EventType.EVALUATION_ENDED, evaluation=str(evaluation_id), status=EvaluationStatus.CANCELLED.value)


def cancel_run_and_judging(*, run_id: uuid.UUID, now: datetime) -> None:
    """Stop a run for good, and where it has been played already, the evaluations that still judge it.

    Raises NotFound, and Conflict where neither goes on. Three queries, and two for each evaluation.
    """
    judged = Evaluation.objects.filter(run_id=run_id, status__in=[state.value for state in EVALUATION_ACTIVE])
    active = list(judged.values_list("pk", flat=True))
    played = TestRun.objects.filter(pk=run_id, status=RunStatus.COMPLETED).exists()
    if not (played and active):
        cancel_run(run_id=run_id, now=now)
        return
    for evaluation_id in active:
        cancel_evaluation(evaluation_id=evaluation_id, now=now)


def time_out_evaluations(*, now: datetime, minutes: int) -> list[uuid.UUID]:
    """The watchdog: evaluations without any progress for `minutes` become `timeout` (brief 003: 30, every 10).

    Progress is a result: a model that only ever limits us makes none, whatever it said how long to wait. What they owed
    stays owed: reconcile takes it up again. Evaluations of a run that is still being played wait for it, and have their
    time after its end; those that wait for money wait for a person. Safe to repeat.
    """
    since = now - timedelta(minutes=minutes)
    unpaid = Judgement.objects.filter(
        evaluation=OuterRef("pk"), status=JudgementStatus.PENDING, not_before__gt=since, error_code=SPENT_CODE
    )
    still = Evaluation.objects.filter(
        Q(run__ended_at__isnull=True) | Q(run__ended_at__lt=since),
        Q(run__status__in=[state.value for state in RUN_TERMINAL]),
        ~Exists(unpaid),
        status__in=EVALUATION_ACTIVE,
        progress_at__lt=since,
    ).values_list("id", flat=True)
    timed_out = []
    for evaluation_id in list(still):
        if Evaluation.objects.advance(
            evaluation_id,
            expected=[state.value for state in EVALUATION_ACTIVE],
            to=EvaluationStatus.TIMEOUT,
            ended_at=now,
            error_code="watchdog",
            error_message=WATCHDOG_MESSAGE.format(minutes=minutes),
        ):
            timed_out.append(evaluation_id)
            log_event(EventType.EVALUATION_TIMEOUT, evaluation=str(evaluation_id))
    return timed_out


def reopen_evaluation(*, evaluation_id: uuid.UUID, now: datetime) -> bool:
    """Continue a timed-out evaluation with what was not judged; return True if reopened. Safe to repeat."""
    return Evaluation.objects.advance(
        evaluation_id,
        expected=EvaluationStatus.TIMEOUT,
        to=EvaluationStatus.RUNNING,
        ended_at=None,
        error_code="",
        error_message="",
        progress_at=now,
    )
