"""`check_judge`: a judge is tried on known answers before a version with it is published."""

import json
import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from apps.budgets.models import ModelCall
from apps.calibration.domain.check_fixtures import FIXTURES, check_criteria
from apps.catalog.configs.domain.judge_qualification import out_of_reach
from apps.catalog.configs.queries.judges import check_of
from apps.catalog.configs.services.versions import create_draft, new_version_from, publish, update_draft
from apps.catalog.connections.queries.providers import providers_that_answer
from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.fields import UnreadableSecret
from apps.catalog.models import Criterion, EvaluatorConfigVersion, JudgeCheck, ModelProvider
from apps.core.errors import Conflict
from apps.reports.results.queries.evaluation_document import evaluation_summary
from tests.evaluations.bench import NOW, evaluated
from tests.evaluations.doubt.three_judges import TEXTS
from tests.loopback import formats
from tests.loopback.http_server import Answer, LoopbackServer, Request

NAMES = [criterion.name for criterion in check_criteria()]


class Examinee:
    """A model that knows the answers, as far as it is told to: `right` of ten answers, `cut` replies, `silent`."""

    def __init__(self) -> None:
        self.wrong: set[str] = set()
        self.how = "ok"
        self.server = LoopbackServer(self._answer)

    def _answer(self, request: Request) -> Answer:
        body = json.loads(request.body)
        prompt = body["messages"][-1]["content"]
        nonce = re.search(r"<<<TRANSCRIPT (\S+)>>>", prompt)
        fixture = next(one for one in FIXTURES if one.lines[0] in prompt and one.lines[1][:40] in prompt)
        if self.how == "down" or (self.how == "goes" and fixture.id == FIXTURES[3].id):
            return formats.error("openai", 401)
        if self.how == "loads":
            self.how = "ok"
            return formats.error("openai", 503, "Loading model", headers={"retry-after": "1"})
        key = re.search(r"score_[0-9a-z]{10}", prompt)[0]
        numbers = {name: 8 if fixture.passes.get(name, True) != (fixture.id in self.wrong) else 2 for name in NAMES}
        scores = {name: {key: number} for name, number in numbers.items()}
        text = json.dumps({"nonce": nonce[1] if nonce else "", "scores": scores})
        if self.how == "forgetful":  # of the nonce, the first time it is asked
            text = text if "Your last answer" in prompt else json.dumps({"scores": scores})
        if self.how == "plain":  # forgets the key of the numbers, the first time it is asked
            text = text if "Your last answer" in prompt else text.replace(key, "score")
        if self.how == "cut":
            return formats.answer("openai", text[:20], model=body["model"], finish="length")
        return formats.answer("openai", text, model=body["model"])


@pytest.fixture
def examinee(tenant):
    one = Examinee()
    with one.server:
        save_model_provider(name="local", kind="openai", base_url=f"{one.server.url}/v1", api_key="not-a-key",
                            options={"price_provider": "openai"})  # fmt: skip
        yield one


@pytest.fixture
def draft(examinee):
    Criterion.objects.update_or_create(name="first", defaults={"kind": "domain", "domain": "tea", "texts": TEXTS})
    return create_draft(config="local-judge", content=content("gpt-4o"))


def content(model: str) -> dict:
    return {
        "criteria": {"core": [], "domain": ["first"], "weights": {}},
        "llm_config": {"judge": {"provider": "local", "model": model}},
    }


def check(slug: str, *more: str) -> tuple[int, dict]:
    out = StringIO()
    try:
        call_command("check_judge", "--tenant", slug, "--config", "local-judge", "--json", *more, stdout=out)
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    except CommandError as error:
        return error.returncode, {"error": str(error)}
    return code, json.loads(out.getvalue())


def test_a_judge_that_answers_nothing_is_unmeasurable_and_nothing_is_stored(tenant, draft, examinee):
    examinee.how = "down"
    code, found = check(tenant)
    assert (code, JudgeCheck.objects.count()) == (3, 0)
    assert "answered nothing" in found["error"]


def test_a_server_that_leaves_a_question_unanswered_says_nothing_about_the_judge(tenant, draft, examinee):
    examinee.how = "goes"
    code, found = check(tenant)
    assert (code, JudgeCheck.objects.count()) == (3, 0)
    answered, asked = map(int, re.search(r"answered (\d+) of (\d+) questions", found["error"]).groups())
    assert answered == asked - 1
    assert asked < len(FIXTURES)  # what is left could not make it a check
    assert "check it again when its server answers" in found["error"]


def test_a_server_that_loads_its_model_is_waited_for(tenant, draft, examinee):
    examinee.how = "loads"
    code, found = check(tenant)
    assert (code, found["agreement"], JudgeCheck.objects.count()) == (0, 1.0, 1)


def test_a_config_that_is_not_there_is_wrong_use(tenant):
    code, _ = check(tenant)
    assert code in (1, 2)


def test_a_judge_below_the_floor_is_a_no_and_its_version_is_not_published(tenant, draft, examinee):
    examinee.wrong = {one.id for one in FIXTURES[:8]}
    code, found = check(tenant)
    assert code == 1
    assert found["agreement"] < 0.8
    assert found["wrong"][0].startswith("en-good: check_")
    with pytest.raises(Conflict) as refused:
        publish(version_id=draft, at=NOW, by="tests")
    assert refused.value.code == "judge_below_floor"


def test_a_judge_that_cannot_reach_the_floor_any_more_is_asked_no_further(tenant, draft, examinee):
    examinee.wrong = {one.id for one in FIXTURES}
    code, found = check(tenant)
    assert (code, JudgeCheck.objects.count()) == (1, 1)
    assert found["conversations"] < 12
    assert ModelCall.objects.count() == found["conversations"]
    assert set(found["by_language"]) == {"en", "sw", "it"}


def test_a_refused_judge_is_told_where_it_is_wrong_by_language_and_criterion(tenant, draft, examinee):
    examinee.wrong = {one.id for one in FIXTURES if one.language == "sw"}
    _, found = check(tenant)
    assert "sw 0%" in " ".join(found["shortfalls"])
    assert found["by_criterion"]["check_payment"] < 1
    with pytest.raises(Conflict, match="sw 0%"):
        publish(version_id=draft, at=NOW, by="tests")


def test_the_outcome_is_certain_only_when_no_further_answer_changes_it():
    least = {"known": 30, "conversations": 20, "unusable": 0}
    assert not out_of_reach(wrong=6, **least)  # 24 of 30 are the floor
    assert out_of_reach(wrong=7, **least)
    assert not out_of_reach(known=30, wrong=0, conversations=20, unusable=1)
    assert out_of_reach(known=30, wrong=0, conversations=20, unusable=2)


def test_replies_that_are_cut_off_are_below_the_floor(tenant, draft, examinee):
    examinee.how = "cut"
    code, found = check(tenant)
    assert (code, found["valid"], found["cut"]) == (1, 0.0, 1.0)
    assert (found["conversations"], found["planned"]) == (4, 20)  # those that were under way
    assert "stopped after 4 of 20 conversations" in found["shortfalls"][-1]


def test_the_share_of_replies_without_the_nonce_is_told(tenant, draft, examinee):
    examinee.how = "forgetful"
    code, found = check(tenant)
    assert (code, found["without_nonce"], found["valid"], found["first_time"]) == (0, 0.5, 1.0, 0.0)


def test_an_evaluation_by_a_judge_below_the_floor_says_so(tenant, draft, examinee):
    examinee.wrong = {one.id for one in FIXTURES[:8]}
    check(tenant, "--publish", "--despite", "only tone is judged here")
    evaluation = evaluated("local-judge")
    assert "judge_refused" in evaluation_summary(evaluation.id)["warning_codes"]


def test_numbers_are_read_without_the_key_that_the_judge_was_asked_with(tenant, draft, examinee):
    examinee.wrong = {one.id for one in FIXTURES[:8]}
    check(tenant, "--publish", "--despite", "only tone is judged here")
    evaluation = evaluated("local-judge")
    ModelProvider.objects.update(api_key=UnreadableSecret("gAAAA-sealed-with-a-key-that-is-gone"))
    assert "judge_refused" in evaluation_summary(evaluation.id)["warning_codes"]
    assert check_of(EvaluatorConfigVersion.objects.get(pk=draft)) is not None
    assert providers_that_answer(["local"]) == {"local"}  # and never the offline rules in its place, silently


def test_a_reason_publishes_it_all_the_same_and_stays_in_the_note(tenant, draft, examinee):
    examinee.wrong = {one.id for one in FIXTURES[:8]}
    code, found = check(tenant, "--publish", "--despite", "only tone is judged here")
    assert (code, found["published"]) == (0, True)
    row = EvaluatorConfigVersion.objects.get(pk=draft)
    assert row.status == "published"
    assert "below the floor: only tone is judged here" in row.note


def test_the_share_of_replies_without_the_key_of_the_numbers_is_told(tenant, draft, examinee):
    examinee.how = "plain"
    code, found = check(tenant)
    assert (code, found["without_key"], found["valid"], found["first_time"]) == (0, 0.5, 1.0, 0.0)


def test_a_good_judge_passes_with_figures_and_cost(tenant, draft, examinee):
    code, found = check(tenant, "--publish")
    assert (code, found["published"]) == (0, True)
    assert (found["conversations"], found["valid"], found["cut"], found["agreement"]) == (20, 1.0, 0.0, 1.0)
    assert set(found["by_language"]) == {"en", "sw", "it"}
    assert found["cost_usd"] > 0
    assert found["seconds"] >= 0
    assert set(ModelCall.objects.values_list("purpose", flat=True)) == {"check"}
    assert ModelCall.objects.count() == 20


def test_a_check_holds_for_the_same_judge_in_another_config(tenant, draft, examinee):
    examinee.wrong = {one.id for one in FIXTURES[:8]}
    check(tenant)
    other = create_draft(config="same-judge", content=content("gpt-4o"))
    with pytest.raises(Conflict):
        publish(version_id=other, at=NOW, by="tests")


def test_a_check_of_another_judge_says_nothing_about_this_one(tenant, draft, examinee):
    examinee.wrong = {one.id for one in FIXTURES[:8]}
    check(tenant)
    update_draft(version_id=draft, content=content("gpt-4.1"))
    publish(version_id=draft, at=NOW, by="tests")
    assert EvaluatorConfigVersion.objects.get(pk=draft).status == "published"


def test_a_copy_of_a_version_whose_judge_was_refused_is_not_published_either(tenant, draft, examinee):
    examinee.wrong = {one.id for one in FIXTURES[:8]}
    check(tenant)
    for copy in (new_version_from(version_id=draft), create_draft(config="another-name", content=content("gpt-4o"))):
        with pytest.raises(Conflict) as refused:
            publish(version_id=copy, at=NOW, by="tests")
        assert refused.value.code == "judge_below_floor"


def test_asking_more_often_makes_no_other_judge(tenant, draft, examinee):
    examinee.wrong = {one.id for one in FIXTURES[:8]}
    check(tenant)
    update_draft(version_id=draft, content={**content("gpt-4o"), "parameters": {"repeats": 3, "error_rate": 0.1}})
    with pytest.raises(Conflict):
        publish(version_id=draft, at=NOW, by="tests")


def test_the_same_name_at_another_address_is_another_judge(tenant, draft, examinee):
    check(tenant)
    row = EvaluatorConfigVersion.objects.get(pk=draft)
    assert check_of(row) is not None
    save_model_provider(name="local", kind="openai", base_url="http://127.0.0.1:10/v1", api_key="not-a-key")
    assert check_of(row) is None


def test_a_version_that_names_no_judge_is_bound_to_the_tenants(tenant, draft, examinee, settings_of):
    settings_of(models={"judge": {"provider": "openai", "model": "gpt-4o"}})
    save_model_provider(name="openai", kind="openai", base_url=f"{examinee.server.url}/v1", api_key="not-a-key")
    update_draft(version_id=draft, content={**content("x"), "llm_config": {}})
    examinee.wrong = {one.id for one in FIXTURES[:8]}
    assert check(tenant)[0] == 1
    row = EvaluatorConfigVersion.objects.get(pk=draft)
    found = check_of(row)
    assert found is not None
    assert not found.passed
    settings_of(models={"judge": {"provider": "openai", "model": "gpt-4.1"}})
    assert check_of(row) is None


def test_the_offline_rules_reach_the_floor_without_any_cost(tenant):
    Criterion.objects.update_or_create(name="first", defaults={"kind": "domain", "domain": "tea", "texts": TEXTS})
    offline = content("x") | {"llm_config": {"judge": {"provider": "offline", "model": "offline-rules"}}}
    create_draft(config="local-judge", content=offline)
    code, found = check(tenant)
    assert (code, found["cost_usd"]) == (0, 0.0)
    assert found["agreement"] >= 0.85


def test_there_are_twenty_fixtures_in_three_languages_with_both_answers():
    assert len(FIXTURES) == 20
    assert {one.language for one in FIXTURES} == {"en", "sw", "it"}
    for language in ("en", "sw", "it"):
        answers = {passes for one in FIXTURES if one.language == language for passes in one.passes.values()}
        assert answers == {True, False}


def test_a_version_knows_how_its_judge_did_last(tenant, draft, examinee):
    row = EvaluatorConfigVersion.objects.get(pk=draft)
    assert check_of(row) is None
    check(tenant)
    assert (check_of(row).passed, check_of(row).figures["agreement"]) == (True, 1.0)
    examinee.wrong = {one.id for one in FIXTURES[:8]}
    check(tenant)
    assert check_of(row).passed is False
