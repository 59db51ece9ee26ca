"""Whatever happens to an ended evaluation, its stored figures are what its rows come to, or are not there."""

import json
import random
from datetime import UTC, datetime

import pgtrigger
import pytest
from django.db import OperationalError, ProgrammingError, connection, transaction

from apps.evaluations.figures.queries.figures import compute_figures
from apps.evaluations.figures.queries.stored_figures import stored_of
from apps.evaluations.figures.queries.uncertainty import read_uncertainties, uncertainties_of_each
from apps.evaluations.figures.services import figures as service
from apps.evaluations.figures.services.figures import store_due_figures, store_figures
from apps.evaluations.judging.services.completion import cancel_evaluation, finish_evaluations, reopen_evaluation
from apps.evaluations.judging.services.golden_wrong import golden_was_wrong
from apps.evaluations.models import CriterionScore, Evaluation, Judgement, StoredFigure
from apps.evaluations.progress.services.reconciling import requeue_errors
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.reports.slices.queries.trends import EvaluationTrendFilter, trends_of_tests
from apps.runs.models import Conversation
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import make_evaluation, make_run
from tests.dashboard.matrix_samples import mixed_evaluation
from tests.tenants.dumps.restoring import own_connection

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)


def fresh(evaluation):
    """Worked out from the rows, as JSON that can be compared: a sum's last digit depends on the order of its rows."""
    found = compute_figures(evaluation, read_uncertainties(evaluation))
    return _plain(found)


def _plain(value):
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return round(value, 9) if isinstance(value, float) else value


def score(judgement, value):
    """As a worker stores it."""
    now_scored = dict(status="scored", weighted_score=value, fingerprint="f" * 64, late=False, error_code="")
    if Judgement.objects.filter(pk=judgement.pk, status="pending").update(**now_scored):
        CriterionScore.objects.bulk_create(
            CriterionScore(
                judgement=judgement, criterion=name, position=at, status="scored", score=value, weight=1, pass_mark=6,
                evidence=[{"quote": "kesho", "turn": 1, "kind": "exact"}],
            )
            for at, name in enumerate(("first", "second"))
        )  # fmt: skip


class World:
    """One ended evaluation of replays, and everything that may happen to it."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.run, rows = make_run(7)
        Conversation.objects.filter(run=self.run).update(kind="replay", spec={"golden_session": "g"})
        self.pk = make_evaluation(self.run, rows, states=("parse_error", "model_error", "not_judged")).pk

    @property
    def evaluation(self):
        return Evaluation.objects.get(pk=self.pk)

    def any(self, **chosen):
        rows = list(Judgement.objects.filter(evaluation=self.pk, **chosen).order_by("conversation__position"))
        return self.draw.choice(rows) if rows else None

    def errors_are_owed_again(self):
        requeue_errors(run_id=self.run.pk, now=NOW)

    def a_pending_one_is_scored(self):
        if row := self.any(status="pending"):
            score(row, self.draw.uniform(0, 10))

    def it_ends(self):
        finish_evaluations(now=NOW)

    def it_times_out(self):
        Evaluation.objects.advance(self.pk, expected=["running"], to="timeout", ended_at=NOW)

    def it_is_reopened(self):
        reopen_evaluation(evaluation_id=self.pk, now=NOW)

    def it_is_cancelled(self):
        if self.evaluation.status == "running":
            cancel_evaluation(evaluation_id=self.pk, now=NOW)

    def a_golden_session_was_wrong(self):
        row = self.any(conversation__blame=None)
        if row:
            golden_was_wrong(conversation_id=row.conversation_id, by="amina", reason="old price", now=NOW)

    def an_agent_is_blamed(self):
        row = self.any()
        Conversation.objects.filter(pk=row.conversation_id).update(blame="agent_quality")

    def a_language_is_corrected(self):
        Conversation.objects.filter(pk=self.any().conversation_id).update(language=self.draw.choice(("sw", "en", "it")))

    def a_persona_is_named_otherwise(self):
        Conversation.objects.filter(pk=self.any().conversation_id).update(
            spec={"golden_session": str(self.draw.random())}
        )

    def a_customers_words_go(self):
        Conversation.objects.filter(pk=self.any().conversation_id).update(external_id=f"deleted {self.draw.random()}")

    def one_is_not_judged_after_all(self):
        Judgement.objects.filter(evaluation=self.pk, status="not_judged").delete()

    def one_more_is_owed(self):
        row = Conversation.objects.filter(run=self.run).exclude(judgements__evaluation=self.pk).first()
        if row:
            Judgement.objects.create(evaluation_id=self.pk, conversation=row)

    def somebody_forges_a_score(self):
        with pgtrigger.ignore():
            CriterionScore.objects.filter(judgement__evaluation=self.pk, criterion="first").update(
                score=self.draw.uniform(0, 10)
            )

    def somebody_deletes_a_score(self):
        with pgtrigger.ignore():
            CriterionScore.objects.filter(judgement=self.any()).delete()

    def a_look_is_taken(self):
        store_due_figures()


EVENTS = [name for name in vars(World) if not name.startswith("_") and name not in ("any", "evaluation")]


@pytest.mark.parametrize("seed", range(3))
def test_stored_figures_are_what_the_rows_come_to_after_every_event(tenant, seed):
    world = World(seed)
    told = list(EVENTS) * 2
    world.draw.shuffle(told)
    for event in told:
        getattr(world, event)()
        evaluation = world.evaluation
        if (stored := stored_of(evaluation)) is not None:
            assert _plain(json.loads(json.dumps(stored))) == fresh(evaluation), event
        told_to_readers = evaluation_summary(evaluation.pk)
        assert told_to_readers["counts"] == fresh(evaluation)["counts"], event
        store_due_figures()
        if evaluation.status != "running":
            assert stored_of(world.evaluation) is not None, event
            assert _plain(stored_of(world.evaluation)) == fresh(evaluation), event
            after = evaluation_summary(evaluation.pk)
            assert _plain(told_to_readers) == _plain(after), f"{event}: stored or not, readers hear the same"


@pytest.mark.parametrize("criterion", ["", "second"])
@pytest.mark.parametrize("language", ["", "sw"])
def test_a_trend_says_the_same_of_stored_figures_and_of_scores(tenant, criterion, language):
    world = World(3)
    world.errors_are_owed_again()
    for _ in range(2):
        world.a_pending_one_is_scored()
    for row in Conversation.objects.filter(run=world.run)[:3]:
        Conversation.objects.filter(pk=row.pk).update(language=world.draw.choice(("en-GB", "SW", "it")))
    Evaluation.objects.advance(world.pk, expected=["running"], to="completed", ended_at=NOW)
    asked = EvaluationTrendFilter(criterion=criterion, language=language)
    read = trends_of_tests(asked)
    assert read[0]["points"][0]["scored"] > 1
    assert store_figures(evaluation_id=world.pk)
    assert _plain(trends_of_tests(asked)) == _plain(read)


def test_what_changes_while_it_is_worked_out_is_not_stored(tenant, monkeypatch):
    world = World(0)
    Evaluation.objects.update(sums=None)
    before = service.compute_figures

    def disturbed(evaluation, doubts):
        found = before(evaluation, doubts)
        world.an_agent_is_blamed()
        return found

    monkeypatch.setattr(service, "compute_figures", disturbed)
    assert not store_figures(evaluation_id=world.pk)
    assert world.evaluation.sums is None
    monkeypatch.undo()
    assert store_due_figures() == 1


def test_an_evaluation_that_is_judged_stores_nothing(tenant):
    run, rows = make_run(2)
    evaluation = make_evaluation(run, rows, states=("pending",), status="running")
    assert not store_figures(evaluation_id=evaluation.pk)
    assert Evaluation.objects.get(pk=evaluation.pk).sums is None


def test_one_that_cannot_be_worked_out_hinders_no_other(tenant, monkeypatch):
    first, second = World(0), World(1)
    Evaluation.objects.update(sums=None)
    before = service.compute_figures

    def one_fails(evaluation, doubts):
        if evaluation.pk == second.pk:
            raise KeyError("parameters")
        return before(evaluation, doubts)

    monkeypatch.setattr(service, "compute_figures", one_fails)
    assert store_due_figures() == 1
    assert stored_of(first.evaluation) is not None
    assert stored_of(second.evaluation) is None
    assert evaluation_summary(second.pk)["counts"]["scored"] == 4


def test_nobody_else_writes_a_stored_figure(tenant):
    world = World(0)
    with pytest.raises(ProgrammingError, match="Cannot insert"), transaction.atomic():
        StoredFigure.objects.create(evaluation=world.evaluation, name="slices", value={})


def test_the_noise_of_many_judges_is_read_at_once(tenant, django_assert_num_queries):
    for _ in range(3):
        mixed_evaluation(6, repeats=3)
    rows = list(Evaluation.objects.defer("sums"))
    with django_assert_num_queries(2):  # the first sets the schema
        found = uncertainties_of_each(rows)
    assert [found[one.pk].judges for one in rows] == [dict(read_uncertainties(one).judges) for one in rows]
    assert all(one.known for one in found.values())


def test_who_stores_waits_for_whoever_changes_a_row_and_began_before(committed_db):
    """An answer that is being stored while its evaluation is cancelled is not missing from the figures."""
    with in_tenant("acme"):
        run, rows = make_run(3)
        evaluation = make_evaluation(run, rows, states=("pending",), status="running")
        late = Judgement.objects.get(evaluation=evaluation, status="pending")
    with own_connection() as other, in_tenant("acme"):
        other.execute("SET search_path = t_acme, public")
        change = "UPDATE evaluations_judgement SET status = 'scored', weighted_score = 1 WHERE id = %s"
        other.execute(change, [late.pk])
        cancel_evaluation(evaluation_id=evaluation.pk, now=NOW)
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '100ms'")
            with pytest.raises(OperationalError, match="lock timeout"):
                store_figures(evaluation_id=evaluation.pk)
            cursor.execute("SET lock_timeout = 0")
        other.commit()
        assert store_figures(evaluation_id=evaluation.pk)
        assert stored_of(Evaluation.objects.get(pk=evaluation.pk))["counts"]["scored"] == 3
        other.execute("UPDATE runs_conversation SET blame = 'golden' WHERE id = %s", [rows[1].pk])
        other.commit()
        assert Evaluation.objects.get(pk=evaluation.pk).sums is None
