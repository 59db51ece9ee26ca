"""The same conversations in two languages, judged by the same criteria: command and page."""

import json
import re
from io import StringIO

import pytest
from django.core.management import call_command

from apps.core.document_parsing import parse_document
from apps.evaluations.models import Evaluation
from apps.evaluations.requests.services.creating import request_evaluation
from tests.evaluations.bench import NOW, judge, judged, make_config
from tests.evaluations.doubt.test_pages import evaluation_text
from tests.evaluations.doubt.three_judges import ByText


def parity(slug: str, evaluation) -> tuple[int, list[dict]]:
    out = StringIO()
    try:
        call_command("parity", "--tenant", slug, "--evaluation", str(evaluation.pk), "--json", stdout=out)
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    return code, json.loads(out.getvalue())["gaps"]


def pairs_of_two(lower_by: float) -> Evaluation:
    documents = [
        parse_document({
            "id": f"{language}-{n}", "language": language, "labels": {"parallel_id": f"p-{n}"},
            "turns": [{"role": "user", "content": "x"}, {"role": "assistant", "content": f"case {n}"}],
        })
        for n in range(8)
        for language in ("en", "sw")
    ]  # fmt: skip

    def scored(prompt: str) -> dict[str, float]:
        n, swahili = int(re.search(r"case (\d)", prompt)[1]), "Conversation language: sw" in prompt
        return {"first": 8 - lower_by * swahili + n % 3 / 5, "second": 7, "third": 7}

    judging = ByText(scored)
    with judging.server:
        config = make_config(url=f"{judging.server.url}/v1")
        asked = request_evaluation(config=config, documents=documents, now=NOW)
        judge()
    return Evaluation.objects.get(pk=asked.evaluation_id)


def test_without_pairs_nothing_can_be_told(tenant, three):
    code, found = parity(tenant, judged(three.config(roles=("judge",))))
    assert (code, found) == (3, [])


def test_a_language_that_scores_lower_is_named_on_the_page_too(tenant):
    evaluation = pairs_of_two(2.0)
    code, found = parity(tenant, evaluation)
    assert code == 1
    first, second, _ = found
    assert (first["pairs"], first["difference"]) == (8, pytest.approx(-2.0))
    assert first["sentence"].startswith("sw scores 2.0 lower")
    assert second["sentence"].startswith("no difference shown")
    text = evaluation_text(evaluation)
    assert "Languages side by side" in text
    assert "sw scores 2.0 lower" in text


def test_languages_that_score_alike_are_a_yes(tenant):
    code, _ = parity(tenant, pairs_of_two(0.0))
    assert code == 0
