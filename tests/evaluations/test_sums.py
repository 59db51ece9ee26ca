"""Sums of an evaluation are stored when it ends, equal what would be summed now, and never outlive a new score."""

import pgtrigger
import pytest
from django.core.cache import cache
from django.db import ProgrammingError, connection, transaction
from django.test.utils import CaptureQueriesContext

from apps.dashboard.results.queries.scores import Tally, tallies
from apps.dashboard.results.queries.worst_first import WorstFirst
from apps.evaluations.figures.queries import aggregates as sums_module
from apps.evaluations.figures.queries.aggregates import compute_aggregates, sums_of
from apps.evaluations.figures.queries.results import count_states, criterion_results
from apps.evaluations.figures.services.figures import store_due_figures, store_figures
from apps.evaluations.judging.services.completion import finish_evaluations
from apps.evaluations.models import Evaluation, Judgement
from apps.reports.results.queries.evaluation_document import evaluation_summary
from tests.dashboard.conftest import make_evaluation, make_run
from tests.evaluations.bench import NOW

FEW = 5


@pytest.fixture
def few_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums_module, "LARGE", FEW)
    cache.clear()


def ended(n: int) -> Evaluation:
    run, rows = make_run(n)
    evaluation = make_evaluation(run, rows, states=("parse_error",), status="running")
    assert finish_evaluations(now=NOW) == [evaluation.pk]
    return Evaluation.objects.get(pk=evaluation.pk)


def test_what_is_stored_is_what_would_be_summed_now(tenant, few_are_large):
    evaluation = ended(9)
    fresh = compute_aggregates(evaluation)
    assert evaluation.sums["counts"]["scored"] == 8
    kept = sums_of(evaluation, scored=8)
    assert list(kept.headline) == list(fresh.headline)
    assert kept.tally == fresh.tally
    assert [list(row) for row in kept.criteria] == [list(row) for row in fresh.criteria]
    assert sorted(map(list, kept.evidence)) == sorted(map(list, fresh.evidence))


def test_stored_sums_ask_the_database_nothing(tenant, few_are_large):
    evaluation = ended(9)
    with CaptureQueriesContext(connection) as asked:
        sums_of(evaluation, scored=8)
    assert len(asked) == 0


def test_what_is_not_stored_says_the_same_and_is_stored_by_the_next_look(tenant, few_are_large):
    stored = ended(4)
    Evaluation.objects.update(sums=None)
    evaluation = Evaluation.objects.get(pk=stored.pk)
    assert sums_of(evaluation, scored=3).headline[0] == 3
    assert store_due_figures() == 1
    assert Evaluation.objects.get(pk=stored.pk).sums == stored.sums
    assert store_due_figures() == 0


def test_a_judgement_that_is_scored_later_is_in_the_sums_at_once(tenant, few_are_large):
    evaluation = ended(9)
    before = evaluation_summary(evaluation.pk)
    with pgtrigger.ignore("evaluations.Judgement:error_is_final"):
        Judgement.objects.filter(evaluation=evaluation, status="parse_error").update(
            status="scored", weighted_score=1.0
        )
    after = evaluation_summary(evaluation.pk)
    assert (before["counts"]["scored"], after["counts"]["scored"]) == (8, 9)
    assert after["weighted_score"] < before["weighted_score"]


def test_keeping_them_twice_changes_nothing(tenant, few_are_large):
    evaluation = ended(9)
    assert store_figures(evaluation_id=evaluation.pk)
    assert Evaluation.objects.get(pk=evaluation.pk).sums == evaluation.sums


def test_while_it_runs_sums_say_over_how_many_they_are(tenant, few_are_large):
    run, rows = make_run(160)
    evaluation = make_evaluation(run, rows, states=("pending",) * 9, status="running")
    assert sums_of(evaluation, scored=151).headline[0] == 151, "read once"
    Judgement.objects.filter(evaluation=evaluation, status="pending").update(status="scored", weighted_score=1.0)
    assert sums_of(evaluation, scored=155).headline[0] == 151, "and again when some per cent more are scored"
    assert sums_of(evaluation, scored=160).headline[0] == 160


def test_sums_are_written_by_their_own_computation_alone(tenant, few_are_large):
    evaluation = ended(9)
    assert evaluation.sums is not None
    for sums in ({**evaluation.sums, "scored": 9}, {}):
        with pytest.raises(ProgrammingError, match="Cannot update"), transaction.atomic():
            Evaluation.objects.filter(pk=evaluation.pk).update(sums=sums)
    Evaluation.objects.filter(pk=evaluation.pk).update(sums=None)
    with pytest.raises(ProgrammingError, match="Cannot update"), transaction.atomic():
        Evaluation.objects.filter(pk=evaluation.pk).update(sums=evaluation.sums)
    assert store_figures(evaluation_id=evaluation.pk)
    assert Evaluation.objects.get(pk=evaluation.pk).sums == evaluation.sums


def test_criteria_count_the_same_however_they_are_read(tenant, few_are_large):
    evaluation = ended(9)
    stored = criterion_results(evaluation.pk)
    Evaluation.objects.update(sums=None)
    cache.clear()
    assert criterion_results(evaluation.pk) == stored
    assert [one.scored for one in stored] == [8, 8]


def test_lists_say_the_same_of_stored_sums_and_of_none(tenant, few_are_large):
    evaluation = ended(9)
    stored = tallies([evaluation.pk])
    assert (stored[evaluation.pk].in_mean, stored[evaluation.pk].total, stored[evaluation.pk].errors) == (8, 9, 1)
    Evaluation.objects.update(sums=None)
    assert tallies([evaluation.pk]) == stored
    assert evaluation.sums is not None
    with pgtrigger.ignore():
        Evaluation.objects.update(sums={**evaluation.sums, "shape": 1, "counts": {}})
    assert tallies([evaluation.pk]) == stored, "what another release stored is not believed"
    run, _ = make_run(0)
    empty = make_evaluation(run, []).pk
    assert tallies([empty])[empty] == Tally(in_mean=0, score=None, total=0, errors=0, done=0, scored=0)


@pytest.mark.parametrize("state", ["", "scored", "parse_error", "nonsense"])
@pytest.mark.parametrize("size", [1, 3, 4, 50])
def test_pages_of_the_worst_first_hold_every_judgement_once_in_order(tenant, state, size):
    run, rows = make_run(11)
    evaluation = make_evaluation(run, rows, states=("parse_error", "model_error", "parse_error"))
    for at, judgement in enumerate(Judgement.objects.filter(status="pending")):
        Judgement.objects.filter(pk=judgement.pk).update(status="scored", weighted_score=at % 3)
    counts = count_states(evaluation.pk)
    every = WorstFirst(evaluation, state, counts)
    total = counts.get(state, sum(counts.values()))
    found = [row for start in range(0, total, size) for row in every[start : min(start + size, total)]]
    assert len({row.pk for row in found}) == len(found) == total
    scores = [row.weighted_score for row in found]
    numbers = [score for score in scores if score is not None]
    assert numbers == sorted(numbers)
    assert scores[: len(numbers)] == numbers, "those without a score come last"
