"""Four judge prompts over 70 real conversations: compared, certified, and every figure counted a second time here."""

import json
from collections import Counter
from random import Random
from uuid import UUID

import pytest

from apps.reports.comparisons.domain.comparison import ComparisonOutcome, ConversationChange
from tests.evaluations.bench import NOW
from tests.evaluations.real_data.real_judges import (
    FILE,
    certify_against_outcome,
    compared,
    counted,
    import_judge,
    import_run,
    kappa,
    names,
    read,
    said,
    wrong_figures,
)

pytestmark = [pytest.mark.usefixtures("tenant"), pytest.mark.shared]
EXPECTED = FILE.parents[1] / "expected" / "agreement.json"


@pytest.fixture(scope="module")
def rows():
    return read(FILE)


@pytest.fixture
def evaluations(rows) -> dict[str, UUID]:
    run = import_run(rows, now=NOW)
    return {name: import_judge(rows, name, run=run, now=NOW) for name in names(rows)}


def test_each_pair_of_prompts_gets_the_decision_that_counting_by_hand_gives(rows, evaluations):
    sentences = {}
    for a, b, found, by_hand in compared(rows, evaluations):
        assert wrong_figures(found, by_hand) == []
        assert found.counts[ConversationChange.WORSE] == by_hand.only_a
        assert found.counts[ConversationChange.BETTER] == by_hand.only_b
        assert {one.name for one in found.moved if one.change is ConversationChange.WORSE} == {
            id for id, one in said(rows, a).items() if one["verdict"] == "pass" != said(rows, b)[id]["verdict"]
        }
        assert (found.overall.outcome is ComparisonOutcome.CANNOT_TELL) == (by_hand.chance > 0.05)
        assert "evaluators_differ" in {note.code for note in found.notes}
        sentences[a, b] = found.sentence
    assert len(sentences) == 6
    assert sentences["policy_conversation_v1", "quick_triage_v1"] == (
        "quick-triage@1 judges 2.7 [1.4, 4.0] milder than policy-conversation@1 on the same conversations; "
        "nothing about the agent was compared."
    )
    assert sentences["customer_outcome_v1", "quick_triage_v1"].startswith("Not enough data")


def test_the_interval_of_a_difference_is_that_of_a_plain_bootstrap(rows, evaluations):
    for a, b, found, _ in compared(rows, evaluations):
        left, right = said(rows, a), said(rows, b)
        moves = [10 * ((right[id]["verdict"] == "pass") - (left[id]["verdict"] == "pass")) for id in left]
        chance = Random(1)
        means = sorted(sum(chance.choices(moves, k=70)) / 70 for _ in range(2000))
        assert found.overall.interval == pytest.approx((means[49], means[1949]), abs=0.2)


def test_no_prompt_is_certified_against_what_came_of_the_conversations(rows, evaluations):
    want = json.loads(EXPECTED.read_text())["judge/llm_judges_vs_outcome.jsonl"]
    for name, evaluation in evaluations.items():
        certificate = certify_against_outcome(rows, evaluation, now=NOW)
        (item,) = certificate.items
        assert (certificate.verdict, item["n"]) == ("refused", 70)
        assert item["kappa"] == pytest.approx(kappa(rows, name), abs=1e-12)
        assert round(item["kappa"], 6) == want[f"all/{name}"]["kappa_vs_outcome"]
        assert item["interval"][0] < item["kappa"] < item["interval"][1] < 0.7
        assert item["reason"] == f"the judge and people disagree: kappa (unweighted) {item['kappa']:.2f}, below 0.7"


def test_the_four_judges_are_four_fingerprints_on_one_run(evaluations):
    from apps.evaluations.models import Evaluation, Judgement  # noqa: PLC0415 - apps are loaded by then

    assert Evaluation.objects.filter(pk__in=evaluations.values()).values("run").distinct().count() == 1
    prints = Counter(Judgement.objects.values_list("fingerprint", flat=True))
    assert sorted(prints.values()) == [70, 70, 70, 70]


def test_mcnemar_by_hand_is_the_binomial():
    rows = [_row(str(n), a, b) for n, (a, b) in enumerate([("pass", "fail")] * 8 + [("fail", "pass")] * 1)]
    found = counted(rows, "a", "b")
    assert (found.only_a, found.only_b) == (8, 1)
    assert found.chance == pytest.approx(2 * (1 + 9) / 2**9)


def _row(id: str, a: str, b: str):
    return {"id": id, "labels": {"judges": [{"judge": "a", "verdict": a}, {"judge": "b", "verdict": b}]}}
