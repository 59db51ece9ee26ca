"""Several evaluators on one run: where they agree, where they say the opposite, and who is the more consistent."""

import json
from io import StringIO

import pgtrigger
import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.core.errors import BadInput, NotFound
from apps.evaluations.models import CriterionScore
from apps.reports.comparisons.domain.evaluators import (
    RatedCriterion,
    SelfSpread,
    agreements,
    consistency,
    contradictions,
    most_consistent,
)
from apps.reports.comparisons.queries.evaluators import compare_evaluators
from tests.evaluations.bench import imported
from tests.reports.test_comparing import evaluation

pytestmark = pytest.mark.usefixtures("tenant")
NAMES = [f"c-{at}" for at in range(12)]


def judged_thrice(run):
    """Five against nine in small: two criteria that are nearly steady, three that wobble; the last answer counts."""
    for wobble in (1.5, -1.5, 0.0):
        few = evaluation({name: {"tone": 8 + wobble / 10, "facts": 7} for name in NAMES}, config="few", run=run)
        more = {"tone": 8 + wobble, "facts": 7 + wobble, "flow": 3}
        many = evaluation({name: more for name in NAMES}, config="many", run=run, fingerprint="e" * 64)
    return few, many


def test_the_more_consistent_of_few_and_many_criteria_is_named_over_the_shared_ones():
    few, many = judged_thrice(run := imported(*NAMES))
    found = compare_evaluators(run)
    assert [one.evaluation.pk for one in found.evaluators] == [few.pk, many.pk]
    assert list(found.shared) == ["tone", "facts"]
    assert [list(only) for _, only in found.only] == [[], ["flow"]]
    steady, shaky = (one.consistency for one in found.evaluators)
    # the mean of both shared criteria: ± 0.075 and ± 1.5 around the middle, three answers each
    assert (steady.conversations, steady.answers) == (12, 36)
    assert steady.deviation == pytest.approx(0.075)
    assert shaky.deviation == pytest.approx(1.5)
    assert found.best == 0
    assert "few@1 is the most consistent: 0.07 points from itself (many@1 1.50)." in found.sentence.replace(
        "0.08", "0.07"
    )
    assert "give the same verdict in 100 % of 24 on 2 shared criteria" in found.sentence


def test_repeated_answers_within_one_evaluation_count_as_repeats():
    run = imported(*NAMES)
    asked = {
        config: evaluation({name: {"tone": 8, "facts": 7} for name in NAMES}, config=config, run=run)
        for config in ("calm", "nervous")
    }
    for config, row in asked.items():
        apart = 0.1 if config == "calm" else 2.0
        opinions = [{"purpose": "judge", "score": 7 + sign * apart} for sign in (1, -1)]
        with pgtrigger.ignore():
            rows = CriterionScore.objects.filter(judgement__evaluation=row)
            rows.update(answers=2, standard_error=apart, opinions=opinions)
    found = compare_evaluators(run)
    assert found.evaluators[0].consistency.deviation == pytest.approx(2**0.5 * 0.1)
    assert found.evaluators[found.best or 0].label == "calm@1"


def test_contradictions_come_with_what_both_said_and_the_turns_they_quote():
    run = imported(*NAMES)
    one = evaluation({name: {"tone": 8, "facts": 7} for name in NAMES}, config="one", run=run)
    scores = {name: {"tone": 2 if name == "c-3" else 8, "facts": 5.5} for name in NAMES}
    two = evaluation(scores, config="two", run=run)
    for row, turn in ((one, 1), (two, 3)):
        rows = CriterionScore.objects.filter(judgement__evaluation=row, criterion="tone")
        with pgtrigger.ignore():
            rows.update(evidence=[{"quote": f"said by {row.config_ref}", "turn": turn, "kind": "exact"}])
    found = compare_evaluators(run)
    first = found.contradictions[0]
    assert (first.name, first.criterion, first.apart, list(first.turns)) == ("c-3", "tone", 6, [1, 3])
    assert (first.low.label, first.high.label) == ("two@1", "one@1")
    assert first.low.reason == "tone of c-3 is 2"
    assert first.high.evidence[0]["quote"] == "said by one@1"
    assert found.total == 13  # facts: 7 passes and 5.5 does not, 1.5 apart, in all twelve
    assert "Nobody was asked twice" in found.sentence
    assert found.best is None


def test_what_cannot_be_compared_is_refused_and_the_number_of_queries_does_not_grow():
    run = imported(*NAMES)
    one = evaluation({name: {"tone": 8} for name in NAMES}, config="one", run=run)
    assert compare_evaluators(run).sentence.startswith("Only one@1 judged this run")
    with pytest.raises(BadInput) as alone:
        compare_evaluators(run, [one.pk])
    assert alone.value.code == "too_few_evaluators"
    evaluation({name: {"tone": 2} for name in NAMES}, config="two", run=run)
    with CaptureQueriesContext(connection) as queries:
        compare_evaluators(run)
    assert len([one for one in queries if not str(one["sql"]).startswith("SET")]) == 9
    with pytest.raises(NotFound):
        compare_evaluators(imported("other"), [one.pk])


def test_the_command_says_whether_it_can_be_told(tenant):
    judged_thrice(run := imported(*NAMES))
    out = StringIO()
    call_command("compare_evaluators", tenant=tenant, run=str(run), as_json=True, stdout=out)
    assert json.loads(out.getvalue())["most_consistent"] == "few@1"
    plain = StringIO()
    call_command("compare_evaluators", tenant=tenant, run=str(run), stdout=plain)
    assert "points from itself" in plain.getvalue()


def test_verdicts_that_straddle_a_mark_by_less_than_a_point_contradict_nobody():
    near = [{("c", "tone"): RatedCriterion(score=score, mark=6)} for score in (5.6, 6.2)]
    assert contradictions(near) == []
    assert agreements(near, ["tone"])[0].alike == 0
    marks = [{("c", "tone"): RatedCriterion(score=6, mark=5)}, {("c", "tone"): RatedCriterion(score=8, mark=9)}]
    assert [(one.low, one.high) for one in contradictions(marks)] == [(0, 1)]


def test_nobody_is_named_where_few_conversations_were_judged_twice_or_both_are_alike():
    few = [{f"c{n}": SelfSpread(variance=v, degrees=1) for n in range(5)} for v in (0.1, 4.0)]
    assert most_consistent(few, seed=1) is None
    alike = [{f"c{n}": SelfSpread(variance=0.5 + (n + s) % 3, degrees=1) for n in range(20)} for s in (0, 1)]
    assert most_consistent(alike, seed=1) is None
    assert consistency({}, seed=1).deviation is None
