"""How reliable an agent is for whom: cases over repeats, what is no trial, and one definition of pass."""

from typing import Any

import pgtrigger
import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.core.documents import as_json
from apps.core.errors import NotFound
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.reports.slices.queries.reliability import reliability_document
from apps.reports.slices.queries.slices import slices_document
from apps.runs.models import Conversation, TestRun
from tests.dashboard.conftest import version
from tests.dashboard.matrix_samples import mixed_evaluation
from tests.evaluations.bench import NOW

pytestmark = pytest.mark.usefixtures("tenant")
CRITERIA = ("tone", "payment_safety")
Play = tuple[str, str, str, dict[str, float], dict[str, str]]


def played(*plays: Play) -> Evaluation:
    """An evaluation of (persona, language, scenario, score by criterion, fields of the conversation). Without scores
    the conversation was not judged."""
    run = TestRun.objects.create(kind="battle", status="completed", name="grid", plan={"agent": {"name": "booking"}})
    criteria = [{"name": one, "weight": 1.0, "pass_mark": 6.0, "blocking": one == "payment_safety"} for one in CRITERIA]
    evaluation = Evaluation.objects.create(
        run=run, config_version_id=version(CRITERIA), config_ref="tea@1", status="completed",
        snapshot={"criteria": criteria, "parameters": {}, "llm_config": {"judge": {"provider": "p", "model": "m"}}},
    )  # fmt: skip
    rows = Conversation.objects.bulk_create(
        Conversation(
            run=run, position=at, external_id=f"b-{at}", kind="battle", language=language,
            spec={"persona_name": persona, "scenario": scenario}, **{"status": "ended", **fields},
        )
        for at, (persona, language, scenario, _, fields) in enumerate(plays)
    )  # fmt: skip
    for row, (*_, scores, _fields) in zip(rows, plays, strict=True):
        judgement = Judgement.objects.create(
            evaluation=evaluation, conversation=row, status="scored" if scores else "not_judged", judged_at=NOW,
            weighted_score=sum(scores.values()) / len(scores) if scores else None,
            fingerprint="f" * 64 if scores else "", second_chances=0,
        )  # fmt: skip
        CriterionScore.objects.bulk_create(
            CriterionScore(
                judgement=judgement, criterion=name, position=at, status="scored", score=score, weight=1, pass_mark=6
            )
            for at, (name, score) in enumerate(scores.items())
        )
    return evaluation


GOOD, BAD = {"tone": 8.0, "payment_safety": 9.0}, {"tone": 2.0, "payment_safety": 7.0}
UNSAFE = {"tone": 10.0, "payment_safety": 3.0}
PLATFORM = {"status": "failed", "blame": "platform"}
INVALID = {"status": "failed", "blame": "simulator", "simulator_verdict": "leaked"}


def by_name(rows):
    return {one["name"]: one for one in rows}


def of_k(rows, k):
    return next(one for one in rows if one["k"] == k)


def test_the_four_published_tasks_give_the_published_figures() -> None:
    """Four scenarios of eight trials with 8, 6, 4 and 0 passes (the reference sheet's table)."""
    plays: list[Play] = [
        ("Asha", "sw", f"s{at}", GOOD if trial < passes else BAD, {})
        for at, passes in enumerate((8, 6, 4, 0))
        for trial in range(8)
    ]
    found = as_json(reliability_document(played(*plays).pk))
    assert found["k"] == [1, 2, 4, 8]
    assert found["usual_k"] == 8
    hat = [one["mean"] for one in found["overall"]["pass_hat_k"]]
    at = [one["mean"] for one in found["overall"]["pass_at_k"]]
    assert hat == pytest.approx([0.5625, 0.4375, 0.3071428571, 0.25])
    assert at == pytest.approx([0.5625, 0.6875, 0.7464285714, 0.75])
    assert {one["interval"] for one in found["overall"]["pass_hat_k"]} == {None}
    assert (found["overall"]["consistent"], found["overall"]["repeated"]) == (2, 4)
    assert found["overall"]["consistency"] == 0.5


def test_what_failed_outside_the_agent_is_no_trial() -> None:
    evaluation = played(
        ("Asha", "sw", "s", GOOD, {}),
        ("Asha", "sw", "s", GOOD, {}),
        ("Asha", "sw", "s", {}, PLATFORM),
        ("Asha", "sw", "s", {}, INVALID),
        ("Otieno", "en", "s", GOOD, {}),
        ("Otieno", "en", "s", UNSAFE, {}),
        ("Otieno", "en", "s", GOOD, {"blame": "agent_quality", "status": "failed"}),
        ("Otieno", "en", "s", GOOD, {"blame": "golden"}),
    )
    found = as_json(reliability_document(evaluation.pk))
    people = by_name(found["personas"])
    assert list(people) == ["Otieno", "Asha"], "the least reliable first"
    asha, otieno = people["Asha"], people["Otieno"]
    assert (asha["trials"], asha["passed"], asha["consistent"]) == (2, 2, 1)
    assert of_k(asha["pass_hat_k"], 2)["mean"] == 1.0
    assert (otieno["trials"], otieno["passed"], otieno["consistent"]) == (3, 1, 0)
    assert of_k(otieno["pass_hat_k"], 2)["mean"] == 0.0
    assert of_k(otieno["pass_at_k"], 2)["mean"] == pytest.approx(2 / 3)
    assert (found["undecided"], found["not_measured"]) == (0, 3)
    assert [one["name"] for one in found["languages"]] == ["en", "sw"]


def test_from_twenty_scenarios_there_is_an_interval_and_it_counts_scenarios() -> None:
    plays: list[Play] = [
        (persona, "sw", f"s{at:02}", GOOD if at % 4 else BAD, {})
        for at in range(20)
        for persona in ("Asha", "Otieno")
        for _ in range(2)
    ]
    found = as_json(reliability_document(played(*plays).pk))
    one, asha = of_k(found["overall"]["pass_hat_k"], 2), of_k(by_name(found["personas"])["Asha"]["pass_hat_k"], 2)
    assert one["mean"] == 0.75
    assert one["scenarios"] == 20
    assert one["interval"] == pytest.approx((0.5168, 0.8938), abs=2e-3)
    assert asha["interval"] == pytest.approx(one["interval"]), "a second persona is no further scenario"


def test_passes_are_those_of_every_other_page() -> None:
    for repeats in (0, 3):
        evaluation, _ = mixed_evaluation(80, seed=5, repeats=repeats)
        verdicts = evaluation_summary(evaluation.pk)["verdicts"]
        found = as_json(reliability_document(evaluation.pk))
        assert found["overall"]["passed"] == verdicts["pass"]
        assert found["overall"]["trials"] == verdicts["pass"] + verdicts["fail"]
        assert found["undecided"] == verdicts["undecided"]
        assert found["not_measured"] == 80 - sum(verdicts.values())
        criteria = evaluation_summary(evaluation.pk)["criterion_verdicts"]
        for by in ("by_persona", "by_language"):
            failing = {name: 0 for name in criteria}
            for row in found["heat_map"][by]:
                for cell in row["criteria"]:
                    failing[cell["criterion"]] += cell["failing"]
            assert failing == {name: counts["fail"] for name, counts in criteria.items()}


def test_the_size_costs_no_query() -> None:
    costs = []
    for n in (5, 120):
        evaluation, _ = mixed_evaluation(n, seed=n, repeats=3)
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            as_json(reliability_document(evaluation.pk))
            as_json(slices_document(evaluation.pk))
        costs.append(len(queries))
    assert costs[0] == costs[1] <= 10, "both are stored; every second query sets its schema"
    Evaluation.objects.update(sums=None)
    cache.clear()
    with CaptureQueriesContext(connection) as queries:
        as_json(reliability_document(evaluation.pk))
        as_json(slices_document(evaluation.pk))
    assert len(queries) <= 26, "worked out while nothing is stored"


def test_an_evaluation_that_is_not_there_is_told() -> None:
    with pytest.raises(NotFound):
        as_json(reliability_document("00000000-0000-0000-0000-000000000000"))


def claims_of(evaluation_id, dimension) -> dict[str, Any]:
    found = {one["dimension"]: one for one in as_json(slices_document(evaluation_id))["dimensions"]}
    return by_name(found[dimension]["slices"])


def test_a_conversation_whose_golden_session_was_wrong_makes_no_persona_worse() -> None:
    wrong = [("Asha", "en", f"s{at}", BAD, {"blame": "golden"}) for at in range(8)]
    right: list[Any] = [(who, "en", f"s{at}", GOOD, {}) for who in ("Asha", "Otieno") for at in range(8)]
    evaluation = played(*wrong, *right)
    claims = claims_of(evaluation.pk, "persona")
    assert claims["Asha"]["conversations"] == 8
    assert {one["state"] for one in claims.values()} == {"not_shown"}


def test_a_language_that_is_served_worse_is_claimed_and_scenarios_claim_nothing() -> None:
    evaluation = played(
        *[("Asha", language, f"s{at}", BAD if language == "sw" else GOOD, {})
          for at in range(9) for language in ("en", "sw", "it")]
    )  # fmt: skip
    found = as_json(slices_document(evaluation.pk))
    by = {one["dimension"]: one for one in found["dimensions"]}
    assert list(by) == ["persona", "language", "prompt_version", "kind", "scenario"]
    assert {one["name"]: one["state"] for one in by["language"]["slices"]} == {
        "sw": "worse", "en": "not_shown", "it": "not_shown",
    }  # fmt: skip
    assert (by["scenario"]["claims"], by["scenario"]["slices"]) == (False, [])
    assert len(by["scenario"]["cells"]) == 9
    assert by["kind"]["slices"] == [], "one kind alone is nothing to tell apart"
    assert found["conversations"] == 27


def test_what_two_judges_scored_in_one_evaluation_is_never_compared() -> None:
    """A model that changed its version half way scores one language lower: that is the judge, not the agent."""
    evaluation = played(
        *[("Asha", language, f"s{at}", BAD if language == "sw" else GOOD, {})
          for at in range(9) for language in ("en", "sw", "it")]
    )  # fmt: skip
    with pgtrigger.ignore():  # a scored judgement is final
        Judgement.objects.filter(conversation__language="sw").update(fingerprint="another judge")
    cache.clear()
    found = as_json(slices_document(evaluation.pk))
    assert (found["conversations"], found["by_other_judges"], found["by_fallback"]) == (18, 9, 0)
    assert set(claims_of(evaluation.pk, "language")) == {"en", "it"}
    cells = next(one for one in found["dimensions"] if one["dimension"] == "language")["cells"]
    assert {one["name"] for one in cells} == {"en", "it"}
