"""Who was tested: named by the caller, kept by run and evaluation, listed, filtered, exported and part of the plan."""

import json
from typing import Any

import pytest

from apps.catalog.files.services.exporting import catalog_as_yaml
from apps.catalog.files.services.importing import import_catalog_text
from apps.catalog.prompts.services.recording import record_prompt_text
from apps.core.errors import BadInput
from apps.dashboard.results.queries.evaluation import evaluation_page
from apps.evaluations.judging.services.leases import claim
from apps.evaluations.models import Evaluation
from apps.reports.tables.services.exporting import ExportFormat, export_results
from apps.runs.models import TestRun
from apps.tenants.context import in_tenant
from tests.api.api_client import NOW, Door, evaluation

SUBJECT = {
    "agent": "concierge", "prompt_version": "greeting@a1b2c3d", "label": "PR 12", "commit": "a1b2c3d4" * 5,
    "metadata": {"build": 7},
}  # fmt: skip
BATTLE = {"kind": "battle", "agent": "waiter", "scenarios": "all"}


def test_a_subject_is_kept_by_run_and_evaluation_and_read_back(acme: Door) -> None:
    taken = acme.post("evaluations/", evaluation(subject=SUBJECT)).json()
    assert acme.get(f"evaluations/{taken['id']}/").json()["subject"] == SUBJECT
    run = acme.get(f"test-runs/{taken['test_run_id']}/").json()
    assert (run["subject"], run["plan"]["prompt_version"]) == (SUBJECT, "greeting@a1b2c3d")
    with in_tenant("acme"):
        page = evaluation_page(Evaluation.objects.get().pk, state="", number="1")
        assert page.subject == "concierge · greeting@a1b2c3d · PR 12"
        rows = b"".join(export_results(format=ExportFormat.JSONL, evaluation_id=Evaluation.objects.get().pk))
    row = json.loads(rows.splitlines()[0])
    found = (row["subject_agent"], row["subject_prompt_version"], row["subject_label"])
    assert found == ("concierge", "greeting@a1b2c3d", "PR 12")


def test_evaluating_a_run_takes_its_subject_and_may_say_more(acme: Door) -> None:
    taken = acme.post("evaluations/", evaluation(subject=SUBJECT)).json()
    again = {"evaluator_config": "tea-service", "test_run_id": taken["test_run_id"], "subject": {"label": "again"}}
    found = acme.get(f"evaluations/{acme.post('evaluations/', again).json()['id']}/").json()
    assert found["subject"] == SUBJECT | {"label": "again"}


@pytest.mark.parametrize("of", ["evaluations/", "test-runs/"])
def test_lists_are_filtered_by_subject(acme: Door, of: str) -> None:
    for label in ("PR 12", "PR 13"):
        acme.post("evaluations/", evaluation(subject=SUBJECT | {"label": label}))
    acme.post("evaluations/", evaluation())
    assert len(acme.get(of).json()["results"]) == 3
    (found,) = acme.get(f"{of}?label=PR%2013&agent=concierge").json()["results"]
    assert found["subject"]["label"] == "PR 13"
    assert acme.get(f"{of}?prompt_version=greeting@ffffff").json()["results"] == []
    assert len(acme.get(f"{of}?commit={SUBJECT['commit']}").json()["results"]) == 2
    assert acme.get(f"{of}?commit=a1b2c3d4").json()["results"] == []


@pytest.mark.parametrize(
    "subject, pointer",
    [
        ("concierge", "/subject"),
        ({"agnet": "x"}, "/subject/agnet"),
        ({"agent": 7}, "/subject/agent"),
        ({"label": "x" * 201}, "/subject/label"),
        ({"metadata": []}, "/subject/metadata"),
        ({"metadata": {"a": "x" * 100_000}}, "/subject/metadata"),
    ],
)
def test_a_subject_that_is_none_is_refused_with_its_place(acme: Door, subject: Any, pointer: str) -> None:
    refused = acme.post("evaluations/", evaluation(subject=subject))
    assert (refused.status_code, refused.json()["pointer"]) == (400, pointer)
    with in_tenant("acme"):
        assert not TestRun.objects.exists()


def test_a_battle_keeps_the_agents_newest_prompt_in_its_plan(acme: Door) -> None:
    with in_tenant("acme"):
        record_prompt_text(name="waiter", text="Be brief.", revision="a1")
    acme.post("prompts/", {"name": "waiter", "text": "Be kind.", "revision": "b2"})
    run = acme.post("test-runs/", BATTLE | {"subject": {"label": "nightly"}}).json()["id"]
    found = acme.get(f"test-runs/{run}/").json()
    assert (found["plan"]["prompt_version"], found["plan"]["prompt_text"]) == ("waiter@b2", "Be kind.")
    assert found["subject"] == {"agent": "waiter", "prompt_version": "waiter@b2", "label": "nightly"}
    commit = {"commit": "c" * 40}
    built = acme.post("test-runs/", BATTLE | {"subject": commit, "seed": 7}).json()["id"]
    found = acme.get(f"test-runs/{built}/").json()
    assert (found["subject"]["commit"], found["plan"]["seed"]) == ("c" * 40, 7)
    older = acme.post("test-runs/", BATTLE | {"subject": {"prompt_version": "waiter@a1"}}).json()["id"]
    assert acme.get(f"test-runs/{older}/").json()["plan"]["prompt_text"] == "Be brief."


def test_the_prompt_version_is_part_of_a_kept_answers_key(acme: Door) -> None:
    acme.post("evaluations/", evaluation(subject=SUBJECT))
    with in_tenant("acme"):
        (owed,) = claim(token=TestRun.objects.get().pk, limit=1, now=NOW)
        assert owed.prompt_version == "greeting@a1b2c3d"


# --- Prompts ----------------------------------------------------------------------------------------------------------
def test_a_prompt_is_written_once(acme: Door) -> None:
    made = acme.post("prompts/", {"name": "waiter", "text": "Be brief.", "revision": "a1"}).json()
    assert made["version"] == "waiter@a1"
    assert acme.post("prompts/", {"name": "waiter", "text": "Be brief.", "revision": "a1"}).json() == made
    refused = acme.post("prompts/", {"name": "waiter", "text": "Be rude.", "revision": "a1"})
    assert (refused.status_code, refused.json()["code"]) == (409, "prompt_differs")
    assert acme.post("prompts/", {"name": "waiter", "text": "x"}).json()["version"].startswith("waiter@sha256-")
    assert len(acme.get("prompts/").json()["results"]) == 2


@pytest.mark.parametrize(
    "body",
    [
        {"name": "w w", "text": "x"},
        {"name": "w", "text": " "},
        {"name": "w", "text": "x", "revision": "a b"},
        {"name": "w", "text": "x", "as": 1},
    ],
)
def test_a_prompt_that_is_none_is_refused(acme: Door, body: dict[str, str]) -> None:
    assert acme.post("prompts/", body).status_code == 400


def test_prompts_travel_as_yaml(acme: Door) -> None:
    with in_tenant("acme"):
        record_prompt_text(name="waiter", text="Be brief.\n", revision="a1")
        text = catalog_as_yaml(section="prompts")
        assert not import_catalog_text(text=text, file="x.yaml", at=NOW).changed
        more = text.replace("waiter@a1", "waiter@b2")
        assert import_catalog_text(text=more, file="x.yaml", at=NOW).created == {"prompts": ["waiter@b2"]}
        with pytest.raises(BadInput, match="another text"):
            import_catalog_text(text=text.replace("brief", "rude"), file="x.yaml", at=NOW)
        with pytest.raises(BadInput, match="name@revision"):
            import_catalog_text(text="prompts:\n- {version: waiter, text: x}\n", file="x.yaml", at=NOW)
