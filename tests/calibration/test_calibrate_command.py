"""`calibrate` as scripts use it: the contract's shape on stdout, and exit codes that can be trusted."""

import json
from dataclasses import replace

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from apps.calibration.domain.labels_reading import read_labels, write_labels
from apps.calibration.models import Calibration, Certificate
from apps.calibration.queries.labels import gathered_labels
from apps.calibration.services.certification import certify, certify_ended, request_calibration
from apps.calibration.services.labelling import rate
from apps.evaluations.figures.domain.rating_scale import read_scale
from apps.evaluations.judging.services.completion import finish_evaluations
from apps.evaluations.models import Evaluation
from apps.tenants.context import in_tenant
from tests.calibration.calibration_bench import imported_judge, labelled
from tests.evaluations.bench import NOW, document, evaluated, imported, judge, make_config, minutes, reply
from tests.evaluations.test_commands import run_command, working
from tests.loopback.providers import ModelProvider

pytestmark = pytest.mark.usefixtures("knocks")
FIVE = read_scale("1-5")


def label_file(folder, labels, *, turns=True):
    """A human_labelled.yaml whose conversations name their number, so that a stub can answer to it."""
    text = write_labels(labels)
    if turns:
        said = "turns:\n  - {role: user, content: Habari}\n  - {role: assistant, content: Nzuri sana}\n  ratings"
        text = text.replace("  ratings", said.replace("\n", "\n  ").replace("turns", "  turns", 1))
    path = folder / "human_labelled.yaml"
    path.write_text(text)
    return path


def forty(scale=FIVE):
    return labelled({f"c-{n}": [n % 5 + 1, n % 5 + 1] for n in range(40)}, scale, language="sw")


def test_a_judge_that_gives_all_the_same_is_refused_and_the_exit_code_is_1(fresh_tenant, tmp_path):
    with ModelProvider(reply({"x": 7})) as model:
        with in_tenant(fresh_tenant):
            make_config(url=model.base_url("openai"), weights={"x": 1.0})
        with working(fresh_tenant):
            code, answer, _ = run_command(
                "calibrate", "--labels", label_file(tmp_path, forty()), "--config", "probe", "--timeout", 60,
                tenant=fresh_tenant,
            )  # fmt: skip
    assert code == 1
    (item,) = answer["items"]
    assert {
        "criterion", "language", "n", "agreement", "kappa", "kappa_linear", "kappa_quadratic", "ac1", "interval",
        "human_alpha", "verdict", "reason",
    } <= set(item)  # fmt: skip
    assert (item["criterion"], item["language"], item["n"], item["verdict"]) == ("x", "sw", 40, "refused")
    assert item["reason"] == "one class only: the judge gave every conversation 4, so agreement says nothing"
    assert len(answer["fingerprint"]) == 64
    assert "nearest" in answer["declared"]["bins"]["x"]["how"]


def test_a_judge_that_is_down_is_unmeasurable(fresh_tenant, tmp_path):
    with in_tenant(fresh_tenant):
        make_config(url="http://127.0.0.1:10/v1", weights={"x": 1.0})
    labels = label_file(tmp_path, labelled({"a": [1], "b": [2]}, FIVE))
    with working(fresh_tenant):
        code, answer, err = run_command(
            "calibrate", "--labels", labels, "--config", "probe", "--timeout", 5, tenant=fresh_tenant
        )
    assert (code, answer) == (3, None)
    assert "What is left waits: model stub-model" in err


@pytest.mark.usefixtures("tenant")
def test_an_evaluation_that_is_there_already_may_be_calibrated(tmp_path):
    labels = forty()
    run = imported(*(item.id for item in labels.items))
    said = {item.id: item.ratings["x"][0].value for item in labels.items}
    evaluation = imported_judge(run, "elsewhere", said, scale=FIVE)
    path = label_file(tmp_path, labels, turns=False)
    code, answer, _ = run_command("calibrate", "--labels", path, "--evaluation", evaluation, "--scale", "own")
    assert (code, answer["verdict"], answer["items"][0]["kappa_quadratic"]) == (0, "certified", 1.0)
    lines = tmp_path / "labels.jsonl"
    rows = [{"id": one.id, "labels": {"ratings": {"good": [one.ratings["x"][0].value]}, "scales": {"good": "1-5"}}} for one in labels.items]  # fmt: skip # noqa: E501
    lines.write_text("\n".join(map(json.dumps, rows)))
    code, answer, _ = run_command("calibrate", "--labels", lines, "--evaluation", evaluation, "--criterion", "good=x")
    assert (code, answer["items"][0]["reason"]) == (
        0,
        "kappa (quadratic) 1.00 on 40 conversations reaches 0.7; one rater only, so no ceiling is known",
    )


@pytest.mark.usefixtures("tenant")
def test_what_was_rated_here_is_written_down_and_calibrates_without_a_file(tmp_path):
    from tests.calibration.test_labelling import GIVEN, opened  # noqa: PLC0415 - beside its only use

    target = tmp_path / "human_labelled.yaml"
    assert run_command("export_labels", target)[0] == 2
    state = opened()
    for one in state.items:
        rate(item_id=one.item.pk, rater="amina", ratings=GIVEN)
    code, answer, _ = run_command("export_labels", target)
    assert (code, answer["conversations"], answer["criteria"]) == (0, 10, ["x"])
    assert read_labels(target.read_text(), file=target.name) == gathered_labels()
    assert run_command("export_labels", tmp_path / "no" / "folder.yaml")[0] == 2
    evaluation = Evaluation.objects.get()
    code, answer, _ = run_command("calibrate", "--evaluation", evaluation.pk)
    assert (code, answer["items"][0]["reason"]) == (1, "too few: 10 labelled conversations, 30 are needed")


@pytest.mark.usefixtures("tenant")
def test_an_evaluation_that_the_watchdog_closed_gives_no_certificate():
    labels = labelled({"c-1": [1], "c-2": [2]}, FIVE)
    evaluation = evaluated(make_config(weights={"x": 1.0}), "c-1", "c-2")
    Evaluation.objects.filter(pk=evaluation.pk).update(status="timeout")
    asked = request_calibration(labels=labels, evaluation_id=evaluation.pk, now=NOW)
    assert certify_ended(now=NOW) == 0
    assert not Certificate.objects.filter(calibration=asked.calibration_id).exists()


@pytest.mark.usefixtures("tenant")
@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--config", "probe"], "Nothing was labelled here"),
        (["--config", "probe", "--labels", "/nowhere.yaml"], "cannot read"),
        (["--config", "nothing", "--labels", "FILE"], "nothing"),
        (["--config", "probe", "--labels", "FILE"], "no turns to judge"),
        (["--config", "probe", "--labels", "FILE", "--criterion", "y=x"], "nobody labelled y"),
    ],
)
def test_wrong_use_is_said_and_exits_with_2(tmp_path, arguments, said):
    make_config(weights={"x": 1.0})
    path = label_file(tmp_path, labelled({"a": [1], "b": [2]}, FIVE), turns=False)
    code, _, err = run_command("calibrate", *(path if one == "FILE" else one for one in arguments))
    assert code == 2
    assert said in err
    assert not Calibration.objects.exists()


@pytest.mark.usefixtures("tenant")
def test_a_worker_writes_the_certificate_that_is_owed_once():
    labels = labelled({f"c-{n}": [n % 5 + 1] for n in range(3)}, FIVE)
    with_turns = replace(labels, items=tuple(replace(one, document=document(one.id)) for one in labels.items))
    asked = request_calibration(labels=with_turns, config=make_config(weights={"x": 1.0}), now=NOW)
    assert certify_ended(now=NOW) == 0  # the judge has not answered yet
    judge()
    finish_evaluations(now=NOW)
    assert [certify_ended(now=NOW), certify_ended(now=minutes(1))] == [1, 0]
    first = Certificate.objects.get()
    assert certify(calibration_id=asked.calibration_id, now=minutes(5)).pk == first.pk
    assert first.valid_until == NOW + timezone.timedelta(days=35)
    assert Evaluation.objects.get(pk=asked.evaluation_id).triggered_by == "calibration"


@pytest.mark.usefixtures("tenant")
def test_the_database_refuses_to_change_what_was_declared_or_certified():
    labels = labelled({f"c-{n}": [n % 5 + 1] for n in range(3)}, FIVE)
    evaluation = imported_judge(imported("c-0", "c-1", "c-2"), "elsewhere", {"c-0": 3}, scale=FIVE)
    asked = request_calibration(labels=labels, evaluation_id=evaluation, now=NOW)
    certify(calibration_id=asked.calibration_id, now=NOW)
    for change in (
        lambda: Certificate.objects.update(verdict="certified"),
        lambda: Certificate.objects.all().delete(),
        lambda: Calibration.objects.update(asked_by="x"),
    ):
        with pytest.raises(DatabaseError, match="Cannot update or delete"), transaction.atomic():
            change()
