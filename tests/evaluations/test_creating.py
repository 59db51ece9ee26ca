"""Asking for an evaluation: all or nothing, and frozen from that moment on."""

import ast
from pathlib import Path

import pgtrigger
import pytest
from django.apps import apps

from apps.catalog.models import Criterion, ModelProvider
from apps.core.errors import BadInput, Conflict, NotFound
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.requests.services.creating import request_evaluation
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.runs.models import Turn
from apps.runs.playing.services import control
from tests.evaluations.bench import NOW, document, evaluated, imported, judge, judged, make_config, only

NOBODY = "01a1fc95-0000-7000-8000-000000000000"
ROOMS = ("budgets", "runs", "evaluations", "api")


def rows() -> dict[str, int]:
    models = (model for room in ROOMS for model in apps.get_app_config(room).get_models())
    return {model._meta.label: model._default_manager.count() for model in models}


def test_an_unknown_criterion_refuses_before_anything_is_stored(tenant):
    config = make_config()
    Criterion.objects.filter(name__in=["second", "third"]).delete()
    before = rows()
    with pytest.raises(BadInput) as refused:
        request_evaluation(config=config, documents=[document()], now=NOW)
    assert refused.value.code == "unknown_criteria"
    assert refused.value.extra["unknown_criteria"] == ["second", "third"]
    assert rows() == before


@pytest.mark.parametrize("both", [True, False])
def test_either_a_run_or_documents_not_both_and_not_neither(tenant, both):
    config = make_config()
    given = {"run_id": imported("c-1"), "documents": [document()]} if both else {}
    before = rows()
    with pytest.raises(BadInput) as refused:
        request_evaluation(config=config, now=NOW, **given)
    assert (refused.value.code, rows()) == ("run_or_conversations", before)


def test_an_unknown_run_config_or_version_stores_nothing(tenant):
    config = make_config()
    before = rows()
    with pytest.raises(NotFound) as refused:
        request_evaluation(config=config, run_id=NOBODY, now=NOW)
    assert refused.value.pointer == "/test_run_id"
    for ref in ("nobody", f"{config}@7"):
        with pytest.raises(NotFound):
            request_evaluation(config=ref, documents=[document()], now=NOW)
    with pytest.raises(BadInput):
        request_evaluation(config=config, documents=[], now=NOW)
    with pytest.raises(BadInput):
        request_evaluation(config=config, documents=[document(), document()], now=NOW)
    assert rows() == before


def test_a_cancelled_run_is_not_judged(tenant):
    from tests.runs.stage import battles, make_agent, make_scenarios  # noqa: PLC0415 - only here

    config = make_config()
    make_agent()
    make_scenarios()
    run = battles()
    control.cancel_run(run_id=run, now=NOW)
    with pytest.raises(Conflict) as refused:
        request_evaluation(config=config, run_id=run, now=NOW)
    assert refused.value.code == "run_cancelled"
    assert not Evaluation.objects.exists()


def test_a_battle_that_ended_before_a_word_is_not_said_to_be_deleted(tenant):
    run = imported("c-1")
    with pgtrigger.ignore():
        Turn.objects.filter(conversation__run_id=run).delete()
    made = request_evaluation(config=make_config(), run_id=run, now=NOW)
    row = Judgement.objects.get(evaluation=made.evaluation_id)
    assert (row.status, row.error_code) == ("not_judged", "nothing_said")
    assert "before anything was said" in row.error_message


def test_editing_criteria_providers_and_versions_later_changes_nothing(config, model):
    evaluation = evaluated(config)
    frozen = evaluation.snapshot
    Criterion.objects.update(texts={"en": {"description": "EDITED", "scoring_guide": {"0": "EDITED"}}})
    make_config(url=model.base_url("openai"), weights={"first": 9}, description="EDITED")
    judge()
    evaluation.refresh_from_db()
    assert evaluation.snapshot == frozen
    assert only(evaluation).weighted_score == 6.875
    assert "EDITED" not in model.requests[0].body.decode()
    assert evaluation.config_ref == "probe@1"


def test_an_evaluation_without_a_version_number_takes_the_active_one(config, model):
    make_config(url=model.base_url("openai"), weights={"first": 1})
    assert evaluated(config).config_ref == "probe@2"
    assert evaluated(f"{config}@1").config_ref == "probe@1"


def test_a_run_may_be_evaluated_many_times_and_their_scores_stay_apart(config, model):
    make_config(url=model.base_url("openai"), name="other", weights={"first": 1})
    run = imported("c-1", "c-2")
    first = request_evaluation(config=config, run_id=run, now=NOW)
    second = request_evaluation(config="other", run_id=run, now=NOW)
    again = request_evaluation(config=config, run_id=run, now=NOW)
    judge()
    means = [evaluation_summary(one.evaluation_id)["weighted_score"] for one in (first, second, again)]
    assert means == [6.875, 8, 6.875]
    assert {one.run_id for one in (first, second, again)} == {run}
    assert len(model.requests) == 6


def test_who_asked_is_kept_and_changes_nothing(config, model):
    found = [
        request_evaluation(config=config, documents=[document()], now=NOW, triggered_by=name)
        for name in ("webhook", "admin", "x" * 300)
    ]
    judge()
    evaluations = [Evaluation.objects.get(pk=one.evaluation_id) for one in found]
    assert [one.triggered_by for one in evaluations] == ["webhook", "admin", "x" * 100]
    assert {(only(one).weighted_score, only(one).fingerprint) for one in evaluations}.__len__() == 1


def test_nothing_branches_on_who_asked():
    """`triggered_by` may be passed on, stored and shown; no condition reads it."""
    guilty = []
    for path in Path(__file__).parents[2].joinpath("apps").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            tests = [node.test] if isinstance(node, ast.If | ast.IfExp | ast.While) else []
            tests += [node.subject] if isinstance(node, ast.Match) else []
            tests += [node] if isinstance(node, ast.Compare) else []
            if any("triggered_by" in ast.unparse(test) for test in tests):
                guilty.append(f"{path.name}:{node.lineno}")
    assert guilty == []


def test_documents_become_an_imported_run(config):
    asked = request_evaluation(config=config, documents=[document("a"), document("b")], now=NOW)
    judge()
    assert judged(config).status == "completed"
    run = Evaluation.objects.get(pk=asked.evaluation_id).run
    assert (run.kind, run.status, run.conversations.count()) == ("imported", "completed", 2)


def test_a_config_that_names_no_judge_takes_the_tenants_and_says_when_it_is_offline(tenant):
    from apps.catalog.configs.services.versions import create_draft, publish  # noqa: PLC0415 - only here

    make_config()
    content = {"criteria": {"core": [], "domain": ["first"], "weights": {}}, "llm_config": {}}
    publish(version_id=create_draft(config="bare", content=content), at=NOW)
    assert not ModelProvider.objects.exists()
    judge_used = evaluated("bare").snapshot["llm_config"]["judge"]
    assert (judge_used["provider"], judge_used["model"]) == ("offline", "offline-rules")
