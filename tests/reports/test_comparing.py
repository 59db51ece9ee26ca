"""Two evaluations side by side: pairs, what got worse, who judged, and what cannot be compared."""

import json
from collections.abc import Mapping
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.catalog.models import EvaluatorConfigVersion
from apps.core.errors import BadInput, NotFound
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.evaluations.requests.services.creating import request_evaluation
from apps.reports.comparisons.domain.comparison import ComparisonOutcome, ConversationChange
from apps.reports.comparisons.queries.comparing import compare
from apps.runs.models import Conversation
from tests.evaluations.bench import NOW, imported, make_config

pytestmark = pytest.mark.usefixtures("tenant")
Scores = Mapping[str, Mapping[str, float] | None]


def evaluation(
    scores: Scores, *, config: str = "probe", run: Any = None, fingerprint: str = "f" * 64, from_cache: bool = False
) -> Evaluation:
    """An evaluation with these criterion scores by conversation; None is one that could not be parsed."""
    names = list(next(one for one in scores.values() if one))
    if not EvaluatorConfigVersion.objects.filter(config__name=config).exists():
        make_config(name=config, weights=dict.fromkeys(names, 1.0))
    run = run or imported(*scores)
    asked = request_evaluation(config=config, run_id=run, now=NOW)
    found = Evaluation.objects.get(pk=asked.evaluation_id)
    Judgement.objects.filter(evaluation=found).delete()
    rows = {row.external_id: row for row in Conversation.objects.filter(run=run)}
    for name, given in scores.items():
        status = "scored" if given else "parse_error"
        mean = sum(given.values()) / len(given) if given else None
        judgement = Judgement.objects.create(
            evaluation=found,
            conversation=rows[name],
            status=status,
            weighted_score=mean,
            fingerprint=fingerprint,
            from_cache=from_cache,
        )
        CriterionScore.objects.bulk_create(
            CriterionScore(
                judgement=judgement, criterion=criterion, position=at, status="scored", score=score, weight=1,
                pass_mark=6, reason=f"{criterion} of {name} is {score}",
            )
            for at, (criterion, score) in enumerate((given or {}).items())
        )  # fmt: skip
    Evaluation.objects.filter(pk=found.pk).update(status="completed", ended_at=NOW)
    return found


def many(first: float, second: float, n: int = 20) -> dict[str, dict[str, float]]:
    return {f"c-{at}": {"first": first, "second": second + (at % 3) * 0.1} for at in range(n)}


def test_two_runs_are_paired_by_the_names_of_their_conversations() -> None:
    a, b = evaluation(many(5, 7)), evaluation(many(6, 7))
    found = compare(a.id, b.id)
    assert found.overall.pairs == 20
    by_name = {one.name: one for one in found.differences}
    assert by_name["first"].outcome is ComparisonOutcome.B_BETTER
    assert by_name["first"].mean == pytest.approx(1)
    assert by_name["second"].outcome is ComparisonOutcome.NO_DIFFERENCE
    assert "1.0 [1.0, 1.0] on first" in found.sentence


def test_what_got_worse_comes_first_with_the_criterion_and_the_judges_reason() -> None:
    before = many(8, 8)
    after = {**many(8, 8), "c-7": {"first": 8.0, "second": 1.0}, "c-new": {"first": 9.0, "second": 9.0}}
    del after["c-3"]
    found = compare(evaluation(before).id, evaluation(after).id)
    worst = found.moved[0]
    assert (worst.name, worst.change, worst.criterion) == ("c-7", ConversationChange.WORSE, "second")
    assert worst.reason == "second of c-7 is 1.0"
    assert (
        found.counts[ConversationChange.GONE],
        found.counts[ConversationChange.NEW],
        found.counts[ConversationChange.WORSE],
    ) == (1, 1, 1)
    assert found.overall.passes == (1, 0)
    only = compare(a := found.a.evaluation.id, found.b.evaluation.id, only=ConversationChange.NEW).moved
    assert [one.name for one in only] == ["c-new"]
    assert a


def test_a_conversation_that_a_blocking_criterion_stops_does_not_pass_however_high_its_mean() -> None:
    make_config(name="strict", weights={"first": 1.0, "second": 1.0}, blocking=["second"])
    before, after = many(9, 9, n=8), many(10, 5, n=8)  # 7.5 on the mean, and the second is below its mark
    found = compare(evaluation(before, config="strict").id, evaluation(after, config="strict").id)
    assert found.overall.mean_b == pytest.approx(7.5, abs=0.1)
    assert found.overall.passes == (8, 0)


def test_what_could_not_be_parsed_on_one_side_is_gone_there_and_in_no_mean() -> None:
    a = evaluation({**many(8, 8), "c-0": None})
    b = evaluation(many(8, 8))
    found = compare(a.id, b.id)
    assert found.overall.pairs == 19
    assert found.counts[ConversationChange.NEW] == 1


def test_two_evaluators_with_different_criteria_are_compared_on_what_both_judge() -> None:
    run = imported(*many(1, 1))
    nine = evaluation({name: {**one, "third": 1.0} for name, one in many(5, 7).items()}, config="nine", run=run)
    five = evaluation(many(5, 7), config="five", run=run, fingerprint="e" * 64)
    found = compare(nine.id, five.id)
    assert found.overall.mean == pytest.approx(0)  # the third criterion is not held against anybody
    assert {("criteria_differ", 2), ("evaluators_differ", None)} <= {(note.code, note.count) for note in found.notes}
    assert (found.a.label, found.b.label) == ("nine@1", "five@1")


def test_other_judges_of_one_version_are_said() -> None:
    a, b = evaluation(many(5, 7)), evaluation(many(6, 7), fingerprint="e" * 64)
    assert "judges_differ" in {note.code for note in compare(a.id, b.id).notes}


def test_a_fallback_models_scores_are_left_out_and_counted() -> None:
    a, b = evaluation(many(5, 7)), evaluation(many(6, 7))
    extra = Judgement.objects.filter(evaluation=b).first()
    assert extra is not None
    Judgement.objects.create(
        evaluation=b, conversation=Conversation.objects.create(run=b.run, position=99, external_id="by-fallback",
        kind="imported", status="ended"), status="scored", weighted_score=1, by_fallback=True, fingerprint="d" * 64,
    )  # fmt: skip
    found = compare(a.id, b.id)
    assert found.b.left_out == 1
    assert found.b.fingerprints == ["f" * 64]
    assert ("fallback_left_out", 1) in {(note.code, note.count) for note in found.notes}


def test_five_against_nine_criteria_the_more_consistent_one_is_seen() -> None:
    run = imported(*many(1, 1))
    for wobble in (0.0, 1.5, -1.5):
        steady = evaluation({n: {"first": 6 + wobble / 10} for n in many(1, 1)}, config="five", run=run)
        both = {name: {"first": 6 + wobble, "second": 6 + wobble} for name in many(1, 1)}
        shaky = evaluation(both, config="nine", run=run, fingerprint="e" * 64)
    consistency = compare(steady.id, shaky.id).consistency
    assert consistency is not None
    assert consistency.conversations == 20
    assert consistency.a == pytest.approx(0.15)
    assert consistency.b == pytest.approx(1.5)
    assert consistency.interval is not None
    assert consistency.interval[0] > 0


def test_trials_of_one_scenario_are_one_cluster() -> None:
    a, b = evaluation(many(5, 7)), evaluation(many(7, 7))
    for one in (a, b):
        Conversation.objects.filter(run=one.run).update(spec={"scenario": "late-change", "persona_name": "Wanjiru"})
    found = compare(a.id, b.id)
    assert (found.overall.trials, found.overall.clusters) == ((20, 20), 1)
    assert found.overall.outcome is ComparisonOutcome.CANNOT_TELL


def test_the_number_of_queries_does_not_grow() -> None:
    def queries(n: int) -> int:
        a, b = evaluation(many(5, 7, n)), evaluation(many(6, 7, n))
        with CaptureQueriesContext(connection) as seen:
            compare(a.id, b.id)
        return len(seen)

    assert queries(3) == queries(60) <= 14  # each statement may set its search path first


def test_an_evaluation_is_not_compared_with_itself_nor_with_one_that_is_not_there() -> None:
    a = evaluation(many(5, 7, 2))
    with pytest.raises(BadInput, match="itself"):
        compare(a.id, a.id)
    with pytest.raises(NotFound):
        compare(a.id, "00000000-0000-0000-0000-000000000000")


def test_the_command_answers_with_its_exit_code(tenant: str) -> None:
    a, b = evaluation(many(5, 7)), evaluation(many(3, 7))
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("compare", tenant=tenant, a=str(a.id), b=str(b.id), as_json=True, stdout=out)
    assert ended.value.code == 1
    answer = json.loads(out.getvalue())
    assert answer["overall"]["outcome"] == "a_better"
    assert answer["criteria"][-1]["difference"] == pytest.approx(-2)
    plain = StringIO()
    call_command("compare", tenant=tenant, a=str(b.id), b=str(a.id), stdout=plain)
    assert "is better by" in plain.getvalue()
    assert "better c-0" in plain.getvalue()


def played(scores: Scores, *, case: Any, **spec: Any) -> Evaluation:
    """An evaluation of a run of battles: `case` says by name which scenario a conversation played."""
    found = evaluation(scores)
    for row in Conversation.objects.filter(run=found.run):
        row.spec = {"scenario": case(row.external_id), "persona_name": "Wanjiru", "repeat": row.position, **spec}
        row.save(update_fields=["spec"])
    return found


def test_runs_with_another_number_of_repeats_are_paired_by_scenario_and_persona() -> None:
    """12 conversations of twelve scenarios, and 120 of the same: twelve cases, one pair each."""
    once = {f"s-{at}": {"first": 6.0, "second": 7.0} for at in range(12)}
    often = {f"s-{at}#{trial}": {"first": 7.0 + trial % 2, "second": 7.0} for at in range(12) for trial in range(10)}
    a = played(once, case=lambda name: name)
    b = played(often, case=lambda name: name.partition("#")[0])
    found = compare(a.id, b.id)
    assert (found.overall.pairs, found.overall.clusters, found.overall.trials) == (12, 12, (12, 120))
    by_name = {one.name: one for one in found.differences}
    assert by_name["first"].outcome is ComparisonOutcome.B_BETTER
    assert by_name["first"].mean == pytest.approx(1.5)
    assert by_name["second"].outcome is ComparisonOutcome.NO_DIFFERENCE
    assert found.counts[ConversationChange.BETTER] == 12
    assert {one.trials for one in found.moved} == {(1, 10)}
    assert [(note.code, note.count) for note in found.notes] == [("trials_differ", 12)]


def test_more_trials_of_a_case_weigh_no_more_than_few() -> None:
    once = {f"s-{at}": {"first": 6.0} for at in range(8)}
    uneven = {**{f"s-{at}": {"first": 6.0} for at in range(1, 8)}, **{f"s-0#{n}": {"first": 2.0} for n in range(40)}}
    found = compare(
        played(once, case=lambda name: name).id, played(uneven, case=lambda name: name.partition("#")[0]).id
    )
    assert found.overall.mean == pytest.approx(-0.5)
    assert found.overall.mean_a == pytest.approx(6)
    assert found.overall.mean_b == pytest.approx(5.5)
    assert found.overall.passes == (1, 0)


def test_a_case_that_was_changed_between_two_runs_is_said() -> None:
    scores = {f"s-{at}": {"first": 6.0} for at in range(8)}
    a = played(scores, case=lambda name: name, goal="Book braids")
    b = played(scores, case=lambda name: name, goal="Book braids for two")
    assert ("cases_changed", 8) in {(note.code, note.count) for note in compare(a.id, b.id).notes}


def test_runs_of_other_scenarios_have_nothing_in_common() -> None:
    a = played({"s-1": {"first": 6.0}}, case=lambda name: name)
    b = played({"s-1": {"first": 6.0}}, case=lambda name: "another")
    found = compare(a.id, b.id)
    assert found.overall.pairs == 0
    assert "nothing in common" in found.sentence


def test_answers_kept_from_before_are_no_second_judging() -> None:
    run = imported(*many(1, 1))
    for wobble in (0.0, 1.5):
        steady = evaluation({n: {"first": 6 + wobble} for n in many(1, 1)}, config="five", run=run)
        shaky = evaluation({n: {"first": 6 + wobble} for n in many(1, 1)}, config="nine", run=run, fingerprint="e" * 64)
    found = compare(steady.id, shaky.id).consistency
    assert found is not None
    assert found.a == pytest.approx(1.5 / 2**0.5)
    for _ in range(3):
        evaluation({n: {"first": 6.0} for n in many(1, 1)}, config="five", run=run, from_cache=True)
    after = compare(steady.id, shaky.id).consistency
    assert after is not None
    assert after.a == pytest.approx(found.a)
