"""Files in and out by the browser: the same rows as elsewhere, looked at first, and never past a role."""

import csv
import io
import json
from itertools import pairwise
from math import fsum

import pgtrigger
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from apps.tenants.context import in_tenant
from apps.tenants.domain.rights import Right
from tests.catalog.samples import NOW, TEA_YAML
from tests.dashboard.conftest import make_evaluation, make_run, signed_in
from tests.dashboard.test_pages import text_of

VIEW = ("view_testrun", "view_evaluation", "view_conversation")
WRITE = [name.partition(".")[2] for right in (Right.WRITE_CATALOG, Right.EDIT_CONFIGS) for name in right.permissions]


def upload(text, name="pack.yaml"):
    return SimpleUploadedFile(name, text.encode() if isinstance(text, str) else text)


@pytest.fixture
def measured(db):
    from apps.evaluations.models import Evaluation  # noqa: PLC0415 - apps are loaded by pytest-django

    with in_tenant("acme"):
        run, rows = make_run(5)
        evaluation = make_evaluation(run, rows, states=["parse_error"])
        criteria = [{"name": name, "weight": 1, "pass_mark": 6} for name in ("first", "second")]
        with pgtrigger.ignore("evaluations.Evaluation:snapshot_is_frozen"):
            Evaluation.objects.filter(pk=evaluation.pk).update(snapshot={**evaluation.snapshot, "criteria": criteria})
        return run, rows, evaluation


@pytest.mark.parametrize("what", ["evaluations", "runs"])
def test_the_exports_sums_equal_the_apis(owner, measured, what):
    run, _, evaluation = measured
    pk = evaluation.pk if what == "evaluations" else run.pk
    told = owner.get(f"/api/v1/evaluations/{evaluation.pk}/").json()
    answer = owner.get(f"/{what}/{pk}/export/csv/")
    assert answer["Content-Type"].startswith("text/csv")
    assert answer["Content-Disposition"].endswith('.csv"')
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode("utf-8-sig"), newline="")))
    counted = {row["conversation"]: float(row["weighted_score"]) for row in rows if row["in_mean"] == "true"}
    assert fsum(counted.values()) / len(counted) == pytest.approx(told["weighted_score"], abs=1e-12)
    assert len(counted) == told["counts"]["scored"] == 4
    assert sum(row["state"] == "parse_error" for row in rows) == 2  # a row a criterion, and none of them a zero
    lines = owner.get(f"/{what}/{pk}/export/jsonl/").getvalue().decode().splitlines()
    assert len(lines) == len(rows)
    assert json.loads(lines[-1])["criterion"] == "second"


def test_parquet_streams_too_and_other_formats_are_not_there(owner, measured):
    _, _, evaluation = measured
    assert owner.get(f"/evaluations/{evaluation.pk}/export/parquet/").getvalue()[:4] == b"PAR1"
    assert owner.get(f"/evaluations/{evaluation.pk}/export/xlsx/").status_code == 404


def test_exports_need_the_permission_and_the_tenant(measured):
    run, _, evaluation = measured
    addresses = (f"/evaluations/{evaluation.pk}/export/csv/", f"/runs/{run.pk}/export/csv/", "/catalog/export/")
    viewer, nobody = signed_in("viewer", *VIEW), signed_in("nobody")
    assert [viewer.get(at).status_code for at in addresses] == [200, 200, 403]
    assert [nobody.get(at).status_code for at in addresses] == [403, 403, 403]
    neighbour = signed_in("neighbour", host="beta.localhost", superuser=True)
    assert [neighbour.get(at).status_code for at in addresses[:2]] == [404, 404]


def test_a_pack_is_looked_at_before_it_is_imported(owner):
    from apps.catalog.models import Criterion, EvaluatorConfigVersion  # noqa: PLC0415 - see measured

    shown = owner.post("/catalog/import/", {"file": upload(TEA_YAML)})
    text = text_of(shown)
    assert "look at what changes, then confirm" in text
    assert "warms_the_pot" in text
    with in_tenant("acme"):
        assert not Criterion.objects.exists()
    done = text_of(owner.post("/catalog/import/", {"text": TEA_YAML, "confirm": "1"}, follow=True))
    assert "5 items new" in done
    with in_tenant("acme"):
        assert EvaluatorConfigVersion.objects.get().published_by == "amina"
    assert "would change nothing" in text_of(owner.post("/catalog/import/", {"text": TEA_YAML}))
    changed = TEA_YAML.replace("The pot is warmed first.", "The pot is hot.").replace("Likes it strong.", "Weak.")
    text = text_of(owner.post("/catalog/import/", {"text": changed}))
    assert "warms_the_pot ≠ changed texts" in text
    assert "keeps the wording it was published with" in text


@pytest.mark.parametrize(
    "text, said",
    [
        ("criteria: [", ": not YAML"),
        (TEA_YAML.replace("kind: x", "").replace("text: Likes it strong.", "txt: x"), "/personas/0"),
        ("criteria:\n  - name: x\n    texts: {en: {description: a}}\n", "line 3"),
        (TEA_YAML.replace("[warms_the_pot, offers_milk]", "[warms_the_pot, moon]"), "moon"),
        ("x: 1\n", "pack.yaml, line 1"),
        (b"\xff\xfe", "not UTF-8"),
        (" ", "Choose a YAML file"),
        ("a" * (2 * 1024 * 1024 + 1), "at most 2 MiB"),
        ("[" * 80_000, "nested too deeply"),
        ("a: &a [x]\n" + "".join(f"{n}: &{n} [{f'*{o}, ' * 10}]\n" for o, n in pairwise("abcdefgh")), "200,000"),
        ("a: !!timestamp x", "its tag"),
        ("evaluator_configs: [{name: a, versions: [{number: 1, system_prompt_template: '{{ 9*9 }}'}]}]", "arithmetic"),
    ],
)
def test_what_is_wrong_with_a_pack_is_said_with_its_place_and_nothing_is_written(owner, text, said):
    from apps.catalog.models import Criterion, Persona  # noqa: PLC0415 - see measured

    assert said in text_of(owner.post("/catalog/import/", {"file": upload(text), "confirm": "1"}))
    with in_tenant("acme"):
        assert not Criterion.objects.exists()
        assert not Persona.objects.exists()


def test_a_file_is_no_way_around_a_role(db):
    from apps.catalog.models import Agent  # noqa: PLC0415 - see measured

    curator = signed_in("curator", *WRITE)
    assert "5 items new" in text_of(curator.post("/catalog/import/", {"text": TEA_YAML, "confirm": "1"}, follow=True))
    agent = "agents:\n  - name: elsewhere\n    kind: a2a\n    address: https://evil.example\n"
    text = text_of(curator.post("/catalog/import/", {"text": agent, "confirm": "1"}))
    assert "Your role may not write agents" in text
    with in_tenant("acme"):
        assert not Agent.objects.exists()
    assert signed_in("viewer", *VIEW).get("/catalog/import/").status_code == 403


def test_what_was_downloaded_can_be_imported_elsewhere(owner):
    from apps.catalog.models import EvaluatorConfig  # noqa: PLC0415 - see measured

    owner.post("/catalog/import/", {"text": TEA_YAML, "confirm": "1"})
    whole = owner.get("/catalog/export/").content.decode()
    config = owner.get("/catalog/export/?section=evaluator_configs&name=tea-service")
    assert config["Content-Disposition"] == 'attachment; filename="tea-service.yaml"'
    assert "warms_the_pot" in config.content.decode()  # the criteria it needs come along
    assert "aunt" not in config.content.decode()
    assert "would change nothing" in text_of(owner.post("/catalog/import/", {"text": whole}))
    assert owner.get("/catalog/export/?section=moons").status_code == 404
    assert owner.get("/catalog/export/?section=criteria&name=moon").status_code == 404
    with in_tenant("acme"):
        pk = EvaluatorConfig.objects.get().pk
    ticked = {"action": "download_yaml", "_selected_action": [str(pk)]}
    assert owner.post("/admin/catalog/evaluatorconfig/", ticked).content == config.content
    neighbour = signed_in("neighbour", host="beta.localhost", superuser=True)
    assert "5 items new" in text_of(neighbour.post("/catalog/import/", {"text": whole, "confirm": "1"}, follow=True))


def conversation(name, **more):
    turns = [{"role": "user", "content": "Habari"}, {"role": "assistant", "content": "Karibu"}]
    return json.dumps({"id": name, "language": "sw", "turns": turns, **more})


def test_an_import_says_whose_conversations_they_are(owner):
    from apps.runs.models import TestRun  # noqa: PLC0415 - apps are loaded by pytest-django

    page = text_of(owner.get("/conversations/import/"))
    assert "Agent whose conversations these are" in page
    assert "The texts are stored as they came" in page
    fields = {"into": "run", "agent": " booking ", "label": "v4"}
    assert "1 conversation" in text_of(
        owner.post("/conversations/import/", {"file": upload(conversation("a")), **fields})
    )
    with in_tenant("acme"):
        assert TestRun.objects.get().subject == {"agent": "booking", "label": "v4"}
    refused = owner.post("/conversations/import/", {"file": upload(conversation("g")), **fields, "into": "golden"})
    assert "Golden sessions are of no agent version" in text_of(refused)
    long = owner.post("/conversations/import/", {"file": upload(conversation("b")), "agent": "x" * 201})
    assert "agent" in text_of(long)
    with in_tenant("acme"):
        assert TestRun.objects.count() == 1


def test_a_file_of_conversations_becomes_a_run_and_bad_lines_are_named(owner):
    from apps.runs.models import Conversation, TestRun  # noqa: PLC0415 - see measured

    lines = "\n".join((conversation("a"), "{no", conversation("b"), conversation("a"), '{"id": "c", "turns": []}'))
    answer = owner.post("/conversations/import/", {"file": upload(lines, "mine.jsonl"), "into": "run"})
    text = text_of(answer)
    assert "2 conversations imported, 3 lines refused" in text
    for said in ("not JSON at column 2", "stands on line 1 already"):
        assert said in text
    with in_tenant("acme"):
        run = TestRun.objects.get()
        assert run.name == "mine.jsonl"
        assert Conversation.objects.count() == 2
    assert f"/runs/{run.pk}/" in answer.content.decode()
    golden = owner.post("/conversations/import/", {"file": upload(conversation("g")), "into": "golden"})
    assert "1 conversation imported" in text_of(golden)
    assert "Choose a file" in text_of(owner.post("/conversations/import/", {}))
    assert signed_in("viewer", *VIEW).get("/conversations/import/").status_code == 403


def test_a_run_is_judged_from_its_page(owner, monkeypatch):
    from apps.catalog.files.services.importing import import_catalog_text  # noqa: PLC0415 - see measured
    from apps.evaluations.models import Evaluation  # noqa: PLC0415 - see measured

    monkeypatch.setattr("apps.dashboard.results.views.run_actions.wake_workers_on_commit", lambda *_: None)
    with in_tenant("acme"):
        import_catalog_text(text=TEA_YAML, file="tea", at=NOW)
        run, _ = make_run(2)
    assert "tea-service" in text_of(owner.get(f"/runs/{run.pk}/"))
    assert owner.get(f"/runs/{run.pk}/evaluate/").status_code == 405
    assert "no published version" in text_of(owner.post(f"/runs/{run.pk}/evaluate/", {"config": "moon"}, follow=True))
    answer = owner.post(f"/runs/{run.pk}/evaluate/", {"config": "tea-service"})
    with in_tenant("acme"):
        found = Evaluation.objects.get()
    assert (answer.url, found.triggered_by, found.judgements) == (
        f"/evaluations/{found.pk}/",
        "amina",
        found.judgements,
    )
    viewer = signed_in("viewer", *VIEW)
    assert viewer.post(f"/runs/{run.pk}/evaluate/", {"config": "tea-service"}).status_code == 403
    assert "Judge it with" not in text_of(viewer.get(f"/runs/{run.pk}/"))


def test_tests_of_other_tools_are_looked_at_and_come_in_as_drafts(owner):
    from apps.catalog.models import Scenario  # noqa: PLC0415 - see measured
    from tests.catalog.domain.test_test_formats import FILES  # noqa: PLC0415

    raw = (FILES / "promptfoo_1.yaml").read_bytes()
    at, sent = (
        "/catalog/import-from/",
        lambda **more: {"format": "promptfoo", "file": SimpleUploadedFile("../../p.yaml", raw), **more},
    )
    assert "Bring in the tests you have" in text_of(owner.get(at))
    shown = text_of(owner.post(at, sent(look="1")))
    assert "p.yaml: 3 cases would come in" in shown
    assert "1 case refused" in shown
    assert "line 16" in shown
    with in_tenant("acme"):
        assert not Scenario.objects.filter(origin="promptfoo").exists()
    assert "3 cases came in" in text_of(owner.post(at, sent()))
    with in_tenant("acme"):
        assert {*Scenario.objects.filter(origin="promptfoo").values_list("status", flat=True)} == {"draft"}
    assert "nothing new" in text_of(owner.post(at, sent()))
    assert "files of DeepEval end in" in text_of(owner.post(at, sent(format="deepeval")))
    assert signed_in("viewer", *VIEW).get(at).status_code == 403
