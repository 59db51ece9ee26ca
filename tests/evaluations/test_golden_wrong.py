"""A replay whose golden session was wrong leaves every denominator."""

from datetime import UTC, datetime

from apps.checks.models import CheckResult
from apps.checks.queries.check_results import outcome_counts, results_in_force
from apps.evaluations.figures.queries.aggregates import sums_of
from apps.evaluations.figures.queries.uncertainty import uncertainties_of, verdict_counts
from apps.evaluations.judging.services.golden_wrong import golden_was_wrong
from apps.evaluations.models import Evaluation
from apps.runs.models import Conversation
from tests.dashboard.conftest import make_evaluation, make_run

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)


def test_it_counts_in_no_mean_decision_or_check(tenant):
    run, conversations = make_run(4)
    Conversation.objects.filter(run=run).update(kind="replay", spec={"golden_session": "g"})
    evaluation = make_evaluation(run, conversations, states=("scored",) * 4)
    for row in conversations:
        CheckResult.objects.create(
            run=run, conversation=row, check_name="latency", source="run", outcome="fail", score=0, measured_at=NOW
        )
    before = sums_of(Evaluation.objects.get(pk=evaluation.pk), scored=4)
    golden_was_wrong(conversation_id=conversations[0].pk, by="amina", reason="old price", now=NOW)
    after = sums_of(Evaluation.objects.get(pk=evaluation.pk), scored=4)
    assert (before.headline[0], after.headline[0]) == (4, 3)
    assert sum(before.decision_counts.whole.values()) == 4
    assert sum(after.decision_counts.whole.values()) == 3
    assert after.criteria[0][6] == before.criteria[0][6] - 1
    assert outcome_counts(results_in_force(run_id=run.pk))["latency"]["fail"] == 3


def test_decisions_that_a_page_had_counted_are_counted_anew(tenant):
    run, conversations = make_run(4)
    Conversation.objects.filter(run=run).update(kind="replay", spec={"golden_session": "g"})
    evaluation = make_evaluation(run, conversations, states=("scored",) * 4)
    counted = []
    for at in range(2):
        row = Evaluation.objects.get(pk=evaluation.pk)
        counted.append(sum(verdict_counts(row, uncertainties_of(row, scored=4), scored=4).whole.values()))
        if at == 0:
            golden_was_wrong(conversation_id=conversations[0].pk, by="amina", reason="old price", now=NOW)
    assert counted == [4, 3]


def test_an_evaluation_whose_last_conversation_leaves_is_no_completed_one(tenant):
    run, conversations = make_run(2)
    Conversation.objects.filter(run=run).update(kind="replay", spec={"golden_session": "g"})
    evaluation = make_evaluation(run, conversations, states=("scored",) * 2)
    found = []
    for row in conversations:
        golden_was_wrong(conversation_id=row.pk, by="amina", reason="old price", now=NOW)
        ended = Evaluation.objects.get(pk=evaluation.pk)
        found.append((ended.status, ended.error_code))
    assert found == [("completed", ""), ("failed", "nothing_scored")]
