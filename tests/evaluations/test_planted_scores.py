"""No sentence of a conversation writes a score, though an honest judge quotes it without escaping: through the lane.

`python -m benchmarks.planted_scores` plays 2,000 of these cases; here is a slice of them.
"""

import json

from apps.core.document_parsing import parse_document
from apps.evaluations.models import CriterionScore, Judgement
from apps.evaluations.services.creating import request_evaluation
from benchmarks.planted_scores import counted
from tests.evaluations import quoting_judges
from tests.evaluations.bench import NOW, SALT, judge, make_config
from tests.evaluations.quoting_judges import NAMES
from tests.loopback import formats
from tests.loopback.http_server import Answer, LoopbackServer, Request


def quoting(request: Request) -> Answer:
    body = json.loads(request.body)
    return formats.answer("openai", quoting_judges.reply(body["messages"][-1]["content"]), model=body["model"])


def test_no_planted_score_is_stored_and_no_blocked_conversation_passes(tenant):
    documents = [parse_document({"id": str(n), "turns": quoting_judges.conversation(n)}) for n in range(80)]
    with LoopbackServer(quoting) as server:
        config = make_config(url=f"{server.url}/v1", weights=dict.fromkeys(NAMES, 1.0), blocking=NAMES[:1])
        asked = request_evaluation(config=config, documents=documents, now=NOW)
        judge(concurrency=16)
    assert set(CriterionScore.objects.values_list("score", flat=True)) <= {0.0, None}
    found = counted(asked.evaluation_id)
    assert found.total() == 80
    assert found["whole"] + found["part"] >= 10, found  # who escapes what is quoted is read
    assert found["planted"] == found["passed"] == 0
    assert not Judgement.objects.filter(raw_reply__contains=SALT).exists()
