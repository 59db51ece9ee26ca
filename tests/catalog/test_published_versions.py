"""A published version cannot be changed by anybody: not by a form, not by the ORM, not by SQL."""

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from apps.catalog.configs.queries.versions import active_version, resolve_config
from apps.catalog.configs.services.versions import create_draft, new_version_from, publish, retire, update_draft
from apps.catalog.domain.states import VersionStatus
from apps.catalog.models import EvaluatorConfig, EvaluatorConfigVersion, PromptVersion
from apps.core.errors import BadInput, Conflict, NotFound
from tests.catalog.samples import NOW, content, questions


@pytest.fixture
def published(criteria):
    version_id = create_draft(config="tea", content=content(*criteria))
    publish(version_id=version_id, at=NOW, by="amina")
    return version_id


def refused(statement, version_id):
    """`statement` is one of this file's own texts, with TABLE for the table."""
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement.replace("TABLE", "catalog_evaluatorconfigversion") + " WHERE id = %s", [version_id])


@pytest.mark.parametrize(
    "assignment",
    [
        """criteria = '{"core": [], "domain": ["first"], "weights": {}}'""",
        """pass_marks = '{"first": 1}'""",
        "system_prompt_template = 'be kind'",
        """llm_config = '{}'""",
        """parameters = '{"rubric_language": "sw"}'""",
        """frozen_criteria = '{}'""",
        "number = 7",
        "published_at = now()",
        "status = 'draft'",
    ],
)
def test_raw_sql_on_a_published_version_is_refused(published, assignment):
    refused("UPDATE TABLE SET " + assignment, published)  # noqa: S608 - a fixed list, above


def test_a_retired_version_is_as_final_as_a_published_one(published):
    retire(version_id=published, at=NOW)
    refused("UPDATE TABLE SET note = 'x'", published)
    refused("UPDATE TABLE SET status = 'published'", published)


def test_a_published_version_and_its_config_cannot_be_deleted(published):
    refused("DELETE FROM TABLE", published)
    with pytest.raises(DatabaseError), transaction.atomic():
        EvaluatorConfigVersion.objects.filter(pk=published).delete()
    delete_now = "DELETE FROM catalog_evaluatorconfig; SET CONSTRAINTS ALL IMMEDIATE"
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(delete_now)


def test_the_name_a_version_goes_by_stays(published):
    with pytest.raises(DatabaseError), transaction.atomic():
        EvaluatorConfig.objects.filter(name="tea").update(name="coffee")


def test_nothing_starts_out_as_published(criteria):
    config = EvaluatorConfig.objects.create(name="tea")
    with pytest.raises(DatabaseError), transaction.atomic():
        EvaluatorConfigVersion.objects.create(config=config, number=1, status="published", published_at=NOW)


def test_save_and_services_on_a_published_version_are_refused(published):
    row = EvaluatorConfigVersion.objects.get(pk=published)
    row.system_prompt_template = "be kind"
    with pytest.raises(DatabaseError), transaction.atomic():
        row.save()
    with pytest.raises(Conflict, match="new version"):
        update_draft(version_id=published, content=content("first"))
    with pytest.raises(Conflict):
        publish(version_id=published, at=NOW)


def test_a_draft_can_change_until_it_is_published(criteria):
    version_id = create_draft(config="tea", content=content("first"))
    update_draft(version_id=version_id, content=content("second", note="better"))
    publish(version_id=version_id, at=NOW)
    assert [c.name for c in resolve_config("tea@1").criteria] == ["second"]


def test_a_draft_cannot_judge(criteria):
    create_draft(config="tea", content=content("first"))
    with pytest.raises(Conflict, match="draft"):
        resolve_config("tea@1")
    with pytest.raises(NotFound):
        resolve_config("tea")


def test_the_active_version_is_the_highest_published_number(published):
    second = new_version_from(version_id=published)
    assert active_version("tea").number == 1
    publish(version_id=second, at=NOW)
    assert active_version("tea").number == 2
    retire(version_id=second, at=NOW)
    retire(version_id=second, at=NOW)
    assert active_version("tea").number == 1
    assert resolve_config("tea@2").version == 2


def test_a_prompt_version_is_written_once(tenant):
    PromptVersion.objects.create(name="p", version="p@1", text="a", digest="0" * 64)
    with pytest.raises(DatabaseError), transaction.atomic():
        PromptVersion.objects.update(text="b")
    with pytest.raises(DatabaseError), transaction.atomic():
        PromptVersion.objects.all().delete()


@pytest.mark.parametrize(
    "changes, pointer, code",
    [
        ({"criteria": {"domain": []}}, "/criteria", "invalid"),
        ({"criteria": {"domain": ["first", "nobody"]}}, "/criteria", "unknown_criteria"),
        ({"system_prompt_template": "{{ moon }}"}, "/system_prompt_template", "unknown_template_variables"),
        (
            {"llm_config": {"judge": {"provider": "acme", "model": "m"}}},
            "/llm_config/judge/provider",
            "unknown_provider",
        ),
        (
            {"llm_config": {"judge": {"provider": "openai", "model": "m", "options": {"timeout_s": 9}}}},
            "/llm_config/judge/options/timeout_s",
            "invalid",
        ),
        (
            {"llm_config": {"judge": {"provider": "openai", "model": "m", "options": {"effort": "low"}}}},
            "/llm_config/judge/options/effort",
            "invalid",
        ),
        ({"parameters": {"rubric_language": "it"}}, "/parameters/rubric_language", "invalid"),
    ],
)
def test_publishing_refuses_what_could_not_judge_and_names_the_field(criteria, changes, pointer, code):
    version_id = create_draft(config="tea", content={**content("first"), **changes})
    with pytest.raises(BadInput) as caught:
        publish(version_id=version_id, at=NOW)
    assert (caught.value.pointer, caught.value.code) == (pointer, code)
    assert EvaluatorConfigVersion.objects.get(pk=version_id).status == VersionStatus.DRAFT


@pytest.mark.parametrize(
    "changes, pointer",
    [
        ({"criteria": {"domain": ["first"], "weights": {"first": 0}}}, "/criteria/weights/first"),
        ({"criteria": {"domain": ["first"], "weights": {"first": -1}}}, "/criteria/weights/first"),
        ({"criteria": {"domain": ["first"], "weights": {"other": 1}}}, "/criteria/weights/other"),
        ({"criteria": {"domain": ["first", "first"]}}, "/criteria/domain/1"),
        ({"pass_marks": {"first": 10.5}}, "/pass_marks/first"),
        ({"pass_marks": {"first": True}}, "/pass_marks/first"),
        ({"llm_config": {"judge": {"provider": "google"}}}, "/llm_config/judge/model"),
        ({"llm_config": {"judge": {"provider": "google", "model": "m", "apikey": 1}}}, "/llm_config/judge/apikey"),
        ({"parameters": {"rubric_langage": "en"}}, "/parameters/rubric_langage"),
        ({"parameters": {"reason_language": "fr"}}, "/parameters/reason_language"),
        ({"system_prompt_template": "{% if %}"}, "/system_prompt_template"),
        ({"system_prompt_template": "{{ 10**(10**7) }}"}, "/system_prompt_template"),
    ],
)
def test_a_draft_of_the_wrong_form_is_refused_at_its_field(criteria, changes, pointer):
    with pytest.raises(BadInput) as caught:
        create_draft(config="tea", content={**content("first"), **changes})
    assert caught.value.pointer == pointer
    assert not EvaluatorConfig.objects.exists()


def test_a_criterion_that_was_taken_out_refuses_by_name(published):
    from apps.catalog.models import Criterion  # noqa: PLC0415 - beside its only use

    Criterion.objects.filter(name="second").delete()
    with pytest.raises(BadInput) as caught:
        resolve_config("tea")
    assert caught.value.code == "unknown_criteria"
    assert caught.value.extra["unknown_criteria"] == ["second"]


def test_a_version_keeps_the_wording_it_was_published_with(published):
    from apps.catalog.models import Criterion  # noqa: PLC0415 - beside its only use

    before = resolve_config("tea")
    Criterion.objects.update(texts={"en": {"description": "other", "scoring_guide": {}}})
    assert resolve_config("tea") == before


def test_a_version_read_before_costs_one_query(published):
    with questions() as first:
        before = resolve_config("tea")
    with questions() as again:
        assert resolve_config("tea") is before
    assert (len(first) <= 3, len(again)) == (True, 1)


def test_a_version_read_before_is_refused_once_its_criterion_is_gone(published):
    from apps.catalog.models import Criterion  # noqa: PLC0415 - beside its only use

    resolve_config("tea")
    Criterion.objects.filter(name="second").delete()
    for ref in ("tea", "tea@1"):
        with pytest.raises(BadInput) as caught:
            resolve_config(ref)
        assert caught.value.code == "unknown_criteria"


@pytest.mark.parametrize("ref", ["tea@", "tea@x", "tea@-1", "tea@9", "nobody", "", "@1", "tea@1@1"])
def test_a_reference_to_nothing_is_a_bad_input(published, ref):
    with pytest.raises(BadInput):
        resolve_config(ref)
