"""No phone in what judges write and in files, whether or not the tenant stores its conversations masked."""

import json

from apps.evaluations.models import CriterionScore
from apps.evaluations.requests.services.creating import request_evaluation
from apps.reports.results.queries.judgement_document import judgement_document
from apps.reports.tables.services.exporting import ExportFormat, export_results
from tests.evaluations import bench
from tests.evaluations.bench import NOW

PHONE = "0712 345 678"
MASKED = "+254 7** *** 678"


def test_reasons_quotes_and_exports_hold_no_phone_and_quotes_stay_exact(config, model):
    model.text = bench.reply(
        {
            name: {"reason": f"She says {PHONE}.", "evidence": [f'[0] "my number is {PHONE}"'], "score": 8}
            for name in ("first", "second", "third")
        }
    )
    asked = request_evaluation(
        config=config, documents=[bench.document("c-1", f"Niaje, my number is {PHONE}", "Asante.")], now=NOW
    )
    bench.judge()
    score = CriterionScore.objects.filter(judgement__evaluation_id=asked.evaluation_id).first()
    assert score.reason == f"She says {MASKED}."
    assert score.evidence[0]["quote"] == f"my number is {MASKED}"
    assert score.evidence[0]["kind"] == "exact"
    shown = json.dumps(judgement_document(score.judgement), default=str)
    file = b"".join(export_results(format=ExportFormat.CSV, evaluation_id=asked.evaluation_id)).decode()
    for text in (shown, file, score.judgement.raw_reply):
        assert PHONE not in text
    assert MASKED in file


def test_scores_stored_before_are_exported_masked(config):
    evaluation = bench.evaluated(config)
    judgement = bench.only(evaluation)
    CriterionScore.objects.bulk_create(
        [
            CriterionScore(
                judgement=judgement, criterion="first", position=9, status="scored", score=5, weight=1, pass_mark=6,
                reason=f"on {PHONE}", evidence=[{"quote": PHONE, "turn": 0, "kind": "exact"}],
            )
        ]
    )  # fmt: skip
    file = b"".join(export_results(format=ExportFormat.JSONL, evaluation_id=evaluation.id)).decode()
    assert PHONE not in file
