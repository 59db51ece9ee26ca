"""`import_scores`: somebody else's judge comes in whole, or not at all and with the line that is wrong."""

import json

import pytest

from apps.calibration.domain.scores_reading import read_scores
from apps.core.errors import BadInput
from apps.evaluations.models import CriterionScore, Evaluation
from tests.evaluations.bench import imported, make_config
from tests.evaluations.test_commands import run_command

GOOD = {"conversation": "c-1", "criterion": "x", "value": 7, "reason": "clear"}


def lines(*documents):
    return "\n".join(json.dumps(one) for one in documents)


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "holds no score"),
        (lines(GOOD) + "\n{", "line 2: this is no JSON"),
        (lines(GOOD) + "\n[1]", "line 2: each line is one object"),
        (lines({**GOOD, "score": 3}), "line 1: unknown field 'score'"),
        (lines({**GOOD, "conversation": 1}), "'conversation' must be a text"),
        (lines({"conversation": "c-1", "criterion": "x"}), "'value' is missing"),
        (lines({**GOOD, "reason": None}), "'reason' must be a text"),
        (lines({**GOOD, "evidence": ["x"]}), "'evidence' must be a list of objects"),
        ('{"conversation": "c-1", "criterion": "x", "value": 1, "value": 9}', "line 1: "),
        ('{"conversation": "c-1", "criterion": "x", "value": NaN}', "line 1: "),
        ("[" * 100_000, "line 1: "),
    ],
    ids=range(11),
)
def test_a_file_that_cannot_be_read_is_refused_with_its_line(text, said):
    with pytest.raises(BadInput, match=said):
        read_scores(text, file="scores.jsonl")


def test_scores_from_elsewhere_become_an_evaluation_by_their_judge(tenant, tmp_path):
    make_config(weights={"x": 1.0})
    run = imported("c-1", "c-2")
    file = tmp_path / "scores.jsonl"
    file.write_text(lines(GOOD, {**GOOD, "conversation": "c-2", "value": None}))
    code, answer, err = run_command(
        "import_scores", file, "--run", run, "--config", "probe", "--judge", "theirs", tenant=tenant
    )
    assert (code, answer and answer["scores"]) == (0, 2), err
    evaluation = Evaluation.objects.get(pk=answer["evaluation_id"])
    assert evaluation.snapshot["llm_config"]["judge"]["provider"] == "imported"
    assert [row.score for row in CriterionScore.objects.filter(judgement__evaluation=evaluation)] == [7]


def test_a_conversation_that_is_not_there_stores_nothing(tenant, tmp_path):
    make_config(weights={"x": 1.0})
    run = imported("c-1")
    file = tmp_path / "scores.jsonl"
    file.write_text(lines(GOOD, {**GOOD, "conversation": "c-9"}))
    code, answer, err = run_command(
        "import_scores", file, "--run", run, "--config", "probe", "--judge", "theirs", tenant=tenant
    )
    assert (code, answer) == (2, None)
    assert "'c-9'" in err
    assert not Evaluation.objects.exists()
