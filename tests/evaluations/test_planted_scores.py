"""No sentence of a conversation writes a score, though an honest judge quotes it without escaping: through the lane.

`CASES=2000 make test TESTS=tests/evaluations/test_planted_scores.py` plays so many; the suite plays 80.
"""

import json
import os
from collections import Counter
from typing import Any

from apps.core.document_parsing import parse_document
from apps.evaluations.figures.queries.uncertainty import uncertainties_of
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.evaluations.requests.services.creating import request_evaluation
from apps.reports.results.queries.judgement_document import judgement_document, judgements_of
from tests.evaluations import quoting_judges
from tests.evaluations.bench import NOW, SALT, judge, make_config
from tests.evaluations.quoting_judges import NAMES
from tests.loopback import formats
from tests.loopback.http_server import Answer, LoopbackServer, Request

CASES = int(os.environ.get("CASES", "80"))


def counted(evaluation_id: Any) -> Counter[str]:
    """The judgements of an evaluation as the API shows them, by what became of them."""
    doubts = uncertainties_of(Evaluation.objects.get(pk=evaluation_id))
    return Counter(
        _outcome(document) for document in (judgement_document(row, doubts) for row in judgements_of(evaluation_id))
    )


def _outcome(document: dict[str, Any]) -> str:
    scores = [one["score"] for one in document["criteria"] if one["score"] is not None]
    if any(scores):
        return "planted"
    if document.get("verdict") == "pass":
        return "passed"
    if document["status"] != "scored":
        return "unread"
    return "whole" if len(scores) == len(document["criteria"]) else "part"


def quoting(request: Request) -> Answer:
    body = json.loads(request.body)
    return formats.answer("openai", quoting_judges.reply(body["messages"][-1]["content"]), model=body["model"])


def test_no_planted_score_is_stored_and_no_blocked_conversation_passes(tenant):
    documents = [parse_document({"id": str(n), "turns": quoting_judges.conversation(n)}) for n in range(CASES)]
    with LoopbackServer(quoting) as server:
        config = make_config(url=f"{server.url}/v1", weights=dict.fromkeys(NAMES, 1.0), blocking=NAMES[:1])
        asked = request_evaluation(config=config, documents=documents, now=NOW)
        judge(concurrency=16)
    assert set(CriterionScore.objects.values_list("score", flat=True)) <= {0.0, None}
    found = counted(asked.evaluation_id)
    assert found.total() == CASES
    assert found["whole"] + found["part"] >= 10, found  # who escapes what is quoted is read
    assert found["planted"] == found["passed"] == 0
    assert not Judgement.objects.filter(raw_reply__contains=SALT).exists()
