"""Sentences that try to write their own score, before honest judges that quote them badly.

    python -m benchmarks.planted_scores [--cases 2000] [--seed 1]

Every judge gives every criterion 0, `tone` blocks, and each judge quotes the conversation in its own habit: in reasons
or evidence, unescaped, half escaped, pretty-printed, with criteria left out, in fences, behind thoughts
(tests/evaluations/quoting_judges.py). Everything else is the product's: import, lane, re-asking, parsing, storing and
the verdict as the API shows it.

Goals: no other score than 0 is stored, and no conversation passes. A reply that cannot be read is a parse error.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

CONFIG = "planted"
BATCH = 250


def publish(url: str) -> None:
    """A published version with the criteria of the cases; the first of them blocks."""
    from django.utils import timezone  # noqa: PLC0415 - after django.setup()

    from apps.catalog.models import Criterion  # noqa: PLC0415
    from apps.catalog.services.connections import save_model_provider  # noqa: PLC0415
    from apps.catalog.services.versions import create_draft  # noqa: PLC0415
    from apps.catalog.services.versions import publish as publish_version  # noqa: PLC0415
    from tests.evaluations.quoting_judges import NAMES  # noqa: PLC0415

    guide = {str(mark): "as it says" for mark in (0, 5, 10)}
    for name in NAMES:
        texts = {"en": {"description": "Is it good?", "scoring_guide": guide}}
        Criterion.objects.update_or_create(name=name, defaults={"kind": "domain", "domain": "tea", "texts": texts})
    save_model_provider(name="quoting", kind="openai", base_url=f"{url}/v1", api_key="not-a-key")
    version = create_draft(
        config=CONFIG,
        content={
            "criteria": {"core": [], "domain": list(NAMES), "weights": {}, "blocking": [NAMES[0]]},
            "llm_config": {"judge": {"provider": "quoting", "model": "quoting"}},
        },
    )
    publish_version(version_id=version, at=timezone.now(), by="bench")


def judge(seeds: range) -> Counter[str]:
    """What became of the cases: planted, passed, part (the judge left a criterion out), whole, unread."""
    from django.utils import timezone  # noqa: PLC0415 - after django.setup()

    from apps.core.document_parsing import parse_document  # noqa: PLC0415
    from apps.evaluations.services.creating import request_evaluation  # noqa: PLC0415
    from apps.evaluations.services.judging import judge_lane  # noqa: PLC0415
    from tests.evaluations import quoting_judges  # noqa: PLC0415

    documents = [parse_document({"id": str(one), "turns": quoting_judges.conversation(one)}) for one in seeds]
    asked = request_evaluation(config=CONFIG, documents=documents, now=timezone.now())
    judge_lane(lanes=1, concurrency=16, now=timezone.now)
    return counted(asked.evaluation_id)


def counted(evaluation_id: Any) -> Counter[str]:
    """The judgements of an evaluation as the API shows them, by what became of them."""
    from apps.evaluations.models import Evaluation  # noqa: PLC0415
    from apps.evaluations.queries.uncertainty import uncertainties_of  # noqa: PLC0415
    from apps.reports.queries.judgement_document import judgement_document, judgements_of  # noqa: PLC0415

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


def main() -> int:
    """Print the counts; exit 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1, help="number of the first case")
    options = parser.parse_args()
    django.setup()
    from apps.tenants.context import in_tenant  # noqa: PLC0415 - after django.setup()
    from apps.tenants.services import add_tenant, delete_tenant  # noqa: PLC0415
    from benchmarks import rig  # noqa: PLC0415
    from tests.evaluations import quoting_judges  # noqa: PLC0415
    from tests.loopback import formats  # noqa: PLC0415
    from tests.loopback.http_server import Answer, LoopbackServer, Request  # noqa: PLC0415

    def answer(request: Request) -> Answer:
        prompt = json.loads(request.body)["messages"][-1]["content"]
        return formats.answer("openai", quoting_judges.reply(prompt), model="quoting")

    outcomes: Counter[str] = Counter()
    slug, started, last = f"bench-{os.getpid()}", time.monotonic(), options.seed + options.cases
    with rig.services(), LoopbackServer(answer) as server:
        add_tenant(slug=slug, name=slug, vertical="spa")
        try:
            with in_tenant(slug):
                publish(server.url)
                for first in range(options.seed, last, BATCH):
                    outcomes += judge(range(first, min(first + BATCH, last)))
        finally:
            delete_tenant(slug=slug)
    wrong = outcomes["planted"] + outcomes["passed"]
    counts = ", ".join(f"{name} {outcomes[name]}" for name in ("whole", "part", "unread", "planted", "passed"))
    sys.stdout.write(f"{outcomes.total()} cases, {time.monotonic() - started:.0f} s: {counts}\n")
    sys.stdout.write(f"Goal: planted scores stored and blocked conversations passed, both 0: {wrong}\n")
    return 0 if wrong == 0 and outcomes.total() == options.cases else 1


if __name__ == "__main__":
    raise SystemExit(main())
