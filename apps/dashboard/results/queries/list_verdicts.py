"""The verdicts in the rows of lists: many runs, evaluations and conversations decided at once, as on their own
pages."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from apps.checks.models import CheckResult
from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.results.domain.list_verdicts import (
    CheckedGroup,
    Decided,
    conversation_list_look,
    decided_by_checks,
    evaluation_list_look,
    run_list_look,
)
from apps.dashboard.results.queries.agent_standing import counted_verdicts
from apps.dashboard.results.queries.scores import Tally
from apps.evaluations.domain.states import EvaluationStatus, JudgementStatus
from apps.evaluations.figures.queries.uncertainty import uncertainties_of_each
from apps.evaluations.models import Evaluation, Judgement
from apps.reports.tables.queries.deciding_scores import deciding_scores
from apps.runs.domain.states import UNCOUNTED, Blame, ConversationStatus
from apps.runs.goldens.domain.stuck_gates import DESYNC, is_stuck
from apps.runs.models import Conversation, TestRun
from apps.statistics.decision import Decision

# A run of which nothing is checked and no conversation was lost is decided by nothing here: its rows are not read.
_CHECKED = """
WITH deciding AS (
  SELECT x.id FROM unnest(%(runs)s::uuid[]) AS x(id)
  WHERE EXISTS (SELECT 1 FROM checks_checkresult r WHERE r.run_id = x.id)
    OR EXISTS (SELECT 1 FROM runs_conversation c WHERE c.run_id = x.id AND c.status = ANY(%(lost)s))
), checked AS (
  SELECT r.conversation_id, array_agg(DISTINCT r.outcome) AS outcomes FROM checks_checkresult r
  WHERE r.run_id = ANY(%(runs)s) AND NOT EXISTS (
    SELECT 1 FROM checks_checkresult l WHERE l.conversation_id = r.conversation_id AND l.check_name = r.check_name
      AND l.subject = r.subject AND l.attempt > r.attempt)
  GROUP BY 1
)
SELECT c.run_id, coalesce(k.outcomes, '{}'), c.status <> %(ended)s AND c.blame IS NOT DISTINCT FROM %(agent)s,
  c.status = %(failed)s AND c.error_code = %(desync)s AND c.blame IS NULL, count(*)
FROM runs_conversation c LEFT JOIN checked k ON k.conversation_id = c.id
WHERE c.run_id IN (SELECT id FROM deciding) AND (c.blame IS NULL OR NOT c.blame = ANY(%(uncounted)s))
GROUP BY 1, 2, 3, 4
"""


def decided_evaluations(states: Mapping[uuid.UUID, str], counts: Mapping[uuid.UUID, Tally]) -> dict[uuid.UUID, Decided]:
    """Return the decision of each of these evaluations. The cost is that of `counted_verdicts`.

    `states` and `counts` are by the evaluation's id.
    """
    completed = {pk: counts[pk] for pk, state in states.items() if state == EvaluationStatus.COMPLETED}
    counted = counted_verdicts(completed) if completed else {}
    evaluations = {pk: Decided(decision=Decision.UNMEASURABLE) for pk in states}
    for pk, one in counted.items():
        overall = one.overall(status=states[pk], score=counts[pk].score)
        evaluations[pk] = Decided(
            decision=overall.decision, failed=one.whole[Decision.FAIL.value], of=sum(one.whole.values())
        )
    return evaluations


def evaluation_looks(evaluations: Sequence[Evaluation], counts: Mapping[uuid.UUID, Tally]) -> dict[uuid.UUID, Badge]:
    """Return the badge of each evaluation of a list, by id. At most five queries."""
    decided = decided_evaluations({evaluation.pk: evaluation.status for evaluation in evaluations}, counts)
    return {
        evaluation.pk: evaluation_list_look(evaluation.status, decided[evaluation.pk]) for evaluation in evaluations
    }


def run_looks(
    runs: Sequence[TestRun], newest: Mapping[uuid.UUID, tuple[uuid.UUID, str]], counts: Mapping[uuid.UUID, Tally]
) -> dict[uuid.UUID, Badge]:
    """Return the badge of each run of a list, by id. At most six queries.

    `newest` is the newest evaluation of each run, with its state.
    """
    states = dict(newest.values())
    decided, checked = decided_evaluations(states, counts), _checked_runs([test_run.pk for test_run in runs])
    looks = {}
    for run in runs:
        evaluation, state = newest.get(run.pk, (None, ""))
        judged = decided.get(evaluation) if evaluation else None
        looks[run.pk] = run_list_look(run.status, evaluation=state, judged=judged, checked=checked.get(run.pk))
    return looks


def _checked_runs(runs: Sequence[uuid.UUID]) -> dict[uuid.UUID, Decided | None]:
    groups: dict[uuid.UUID, list[CheckedGroup]] = defaultdict(list)
    parameters: dict[str, Any] = {
        "runs": list(runs),
        "ended": ConversationStatus.ENDED.value,
        "failed": ConversationStatus.FAILED.value,
        "lost": [one.value for one in ConversationStatus if one is not ConversationStatus.ENDED],
        "agent": Blame.AGENT_QUALITY.value,
        "desync": DESYNC,
        "uncounted": [one.value for one in UNCOUNTED],
    }
    with connection.cursor() as cursor:
        cursor.execute(_CHECKED, parameters)
        for run, outcomes, agent_failed, stuck, n in cursor.fetchall():
            groups[run].append(CheckedGroup(outcomes=outcomes, agent_failed=agent_failed, stuck=stuck, n=n))
    return {run: decided_by_checks(rows) for run, rows in groups.items()}


def conversation_looks_of_list(
    rows: Sequence[Conversation], judgements: Mapping[uuid.UUID, Judgement]
) -> dict[uuid.UUID, Badge]:
    """Return the badge of each conversation of a list, by id. They may be of any runs. At most seven queries.

    `judgements` is the newest scored judgement of each, with its evaluation.
    """
    scored = [one for one in judgements.values() if one.status == JudgementStatus.SCORED]
    scores = deciding_scores([one.pk for one in scored])
    doubts = uncertainties_of_each(list({one.evaluation_id: one.evaluation for one in scored}.values()))
    outcomes = _outcomes([row.pk for row in rows])
    looks = {}
    for row in rows:
        checks = [Decision(one) for one in outcomes.get(row.pk, ())]
        whole = None
        if (judgement := judgements.get(row.pk)) and judgement.evaluation_id in doubts:
            whole = doubts[judgement.evaluation_id].of_judgement(scores[judgement.pk], blame=row.blame)
        by_agent = row.status != ConversationStatus.ENDED and row.blame == Blame.AGENT_QUALITY
        stuck = is_stuck(status=row.status, code=row.error_code, blame=row.blame)
        judged = whole.decision if whole else None
        looks[row.pk] = conversation_list_look(row.status, checks, judged=judged, agent_failed=by_agent, stuck=stuck)
    return looks


def _outcomes(conversations: Collection[uuid.UUID]) -> dict[uuid.UUID, set[str]]:
    """The outcomes of each conversation's checks, those of the last attempts. One query."""
    rows: QuerySet[CheckResult] = CheckResult.objects.filter(conversation__in=list(conversations))
    newest = rows.order_by("conversation_id", "check_name", "subject", "-attempt")
    outcomes: dict[uuid.UUID, set[str]] = defaultdict(set)
    for conversation, outcome in newest.distinct("conversation_id", "check_name", "subject").values_list(
        "conversation_id", "outcome"
    ):
        outcomes[conversation].add(outcome)
    return outcomes
