"""An unchanged commit is gated again for nothing: the judge's answers are kept, and the digest is the same."""

import time
from typing import Any

import pgtrigger
import pytest

from apps.evaluations.judging.services.completion import finish_evaluations
from apps.evaluations.models import Evaluation
from apps.evaluations.requests.services.creating import request_evaluation
from apps.gates.domain.policy import GatePolicy
from apps.gates.models import PullRequestGate
from apps.gates.queries.gates import find_gate
from apps.gates.services.deciding import decide_due_gates
from apps.gates.services.requesting import GateQuestion, request_gate
from apps.runs.imports.services.importing import import_documents
from apps.runs.models import TestRun
from tests.evaluations.bench import NOW, document, judge
from tests.evaluations.conftest import config, model, no_backoff  # noqa: F401 - fixtures
from tests.gates.sides import BASE, HEAD

CASES = 12


def judged(config: str, commit: str, said: str) -> Evaluation:  # noqa: F811 - the fixture's value
    documents = [document(f"c-{at}", f"Hello from {at}", said) for at in range(CASES)]
    run = import_documents(documents=documents, name="tests", triggered_by="tests", now=NOW)
    with pgtrigger.ignore():  # the rows of another story
        TestRun.objects.filter(pk=run).update(subject={"agent": "booking", "commit": commit})
    made = request_evaluation(config=config, run_id=run, now=NOW)
    judge()
    finish_evaluations(now=NOW)
    return Evaluation.objects.get(pk=made.evaluation_id)


def decided(candidate: Evaluation, baseline: Evaluation) -> PullRequestGate:
    question = GateQuestion(
        agent="booking", commit=HEAD, base_commit=BASE, candidate=candidate.pk, baseline=baseline.pk
    )
    row = request_gate(question, GatePolicy())
    decide_due_gates(now=NOW, gate_id=row)
    return find_gate(row)


@pytest.mark.usefixtures("tenant")
def test_no_model_is_asked_again(config: str, model: Any) -> None:  # noqa: F811 - fixtures
    baseline = judged(config, BASE, "Yes: at ten.")
    first = decided(judged(config, HEAD, "Ten is free."), baseline)
    assert len(model.requests) == 2 * CASES
    model.requests.clear()
    began = time.perf_counter()
    again = decided(judged(config, HEAD, "Ten is free."), judged(config, BASE, "Yes: at ten."))
    print(f"again: {len(model.requests)} model calls, {time.perf_counter() - began:.1f} s")
    assert model.requests == []
    assert (first.decision, again.decision) == ("pass", "pass")
    assert (first.document["answers_from_cache"], again.document["answers_from_cache"]) == (0, CASES)
    assert again.document["cost_usd"] == 0
    same = PullRequestGate.objects.get(pk=first.pk)
    assert decided(same.candidate, same.baseline).digest == first.digest
