"""`import_from`: what other tools' files become in a tenant, once, and never released."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apps.catalog.models import Criterion, GoldenSession, Persona, Scenario
from apps.tenants.context import in_tenant
from tests.catalog.domain.test_test_formats import FILES

pytestmark = pytest.mark.django_db


def bring_in(tenant, source, file, *more):
    out = StringIO()
    try:
        call_command(
            "import_from", source, str(file), "--tenant", tenant, "--json", *more, stdout=out, stderr=StringIO()
        )
        code = 0
    except SystemExit as ended:
        code = ended.code
    return code, json.loads(out.getvalue())


def test_the_same_file_again_changes_nothing_and_nothing_is_released(tenant):
    assert bring_in(tenant, "tau2", FILES / "tau2_1.json", "--dry-run")[0] == 1
    with in_tenant(tenant):
        assert not Scenario.objects.filter(origin="tau2").exists()
    code, done = bring_in(tenant, "tau2", FILES / "tau2_1.json")
    assert (code, done["taken"], done["refused"]) == (1, 1, 2)
    assert done["created"] == {"criteria": 1, "personas": 1, "scenarios": 1}
    with in_tenant(tenant):
        row = Scenario.objects.get(slug="tau2-retail-1")
        assert (row.status, row.persona.status) == ("draft", "pending_validation")
        assert row.provenance == {"file": "tau2_1.json", "place": "[0]"}
        assert Criterion.objects.filter(domain="tau2").count() == 1
        Scenario.objects.filter(pk=row.pk).update(status="released", goal="edited by a curator")
    _, again = bring_in(tenant, "tau2", FILES / "tau2_1.json")
    assert again["created"] == {}
    assert again["already_there"] == 3
    with in_tenant(tenant):
        assert Scenario.objects.get(slug="tau2-retail-1").goal == "edited by a curator"


def test_golden_sessions_wait_as_candidates(tenant):
    code, done = bring_in(tenant, "langfuse", FILES / "langfuse_3.csv")
    assert (code, done["created"]) == (0, {"golden_sessions": 2})
    with in_tenant(tenant):
        session = GoldenSession.objects.get(name="langfuse-c2")
        version = session.versions.get()
        assert version.status == "candidate"
        assert "345 678" not in json.dumps(version.document)
    assert bring_in(tenant, "langfuse", FILES / "langfuse_3.csv")[1]["created"] == {}


def test_a_file_of_which_nothing_can_be_taken_is_wrong_use(tenant, tmp_path):
    file = tmp_path / "tasks.json"
    file.write_text('[{"id": "9", "user_scenario": {"instructions": {}}}]')
    code, done = bring_in(tenant, "tau2", file)
    assert (code, done["taken"]) == (2, 0)
    assert "reason_for_call" in done["rows"][0]["why"]
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(CommandError) as refused:
            bring_in(tenant, "tau2", path)
        assert refused.value.returncode == 2
    with in_tenant(tenant):
        assert not Persona.objects.filter(name__startswith="tau2").exists()


def test_scenarios_that_assert_nothing_are_told_first(tenant, tmp_path):
    file = tmp_path / "p.yaml"
    asserted = "{vars: {question: Shut?}, assert: [{type: icontains, value: no}]}"
    file.write_text(f"tests: [{{vars: {{question: Open?}}}}, {asserted}]")
    out = StringIO()
    call_command("import_from", "promptfoo", str(file), "--tenant", tenant, "--dry-run", stdout=out)
    assert out.getvalue().startswith("1 of 2 scenarios assert nothing")
    assert bring_in(tenant, "promptfoo", file)[1]["assert_nothing"] == 1
