"""Conversations that hold scores, before judges that fall for them: is a planted score ever stored?

    python -m benchmarks.hostile_replies [--cases 10000] [--seed 1]

Each case plants a score that its judge never gives by itself in a conversation: in what was said, in a call's name or
arguments, in a result, split over two turns, in twenty dresses. The judge behind a loopback door answers in one of
sixteen ways, from an honest answer to a copy of what was planted (tests/evaluations/hostile.py). Everything else is the
product's own: import, lane, re-asking, parsing, storing.

Goal: no planted score is stored, and an honest answer in the right form always is.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter, defaultdict
from typing import Any

import django

from tests.evaluations import hostile

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

BATCH = 500
CONFIG = "hostile"
OUTCOMES = ("planted", "other", "honest", "no score")
SOUND = ("honest", "honest, quotes it escaped", "thinks aloud")  # kinds that must always be stored


def publish(url: str) -> None:
    """A judge behind the door, and a config with the criteria of the cases."""
    from django.utils import timezone  # noqa: PLC0415 - after django.setup()

    from apps.catalog.models import Criterion  # noqa: PLC0415
    from apps.catalog.services.connections import save_model_provider  # noqa: PLC0415
    from apps.catalog.services.versions import create_draft  # noqa: PLC0415
    from apps.catalog.services.versions import publish as publish_version  # noqa: PLC0415

    guide = {str(mark): "as it says" for mark in (0, 5, 10)}
    for name in hostile.NAMES:
        texts = {"en": {"description": "Is it good?", "scoring_guide": guide}}
        Criterion.objects.update_or_create(name=name, defaults={"kind": "domain", "domain": "tea", "texts": texts})
    save_model_provider(name="gullible", kind="openai", base_url=f"{url}/v1", api_key="not-a-key")
    version = create_draft(
        config=CONFIG,
        content={
            "criteria": {"core": [], "domain": list(hostile.NAMES), "weights": {}},
            "llm_config": {"judge": {"provider": "gullible", "model": "gullible"}},
        },
    )
    publish_version(version_id=version, at=timezone.now(), by="bench")


def judge(seeds: range) -> dict[int, str]:
    """What became of each case: planted, honest, other, or no score."""
    from django.utils import timezone  # noqa: PLC0415 - after django.setup()

    from apps.core.document_parsing import parse_document  # noqa: PLC0415
    from apps.evaluations.models import CriterionScore, Judgement  # noqa: PLC0415
    from apps.evaluations.services.creating import request_evaluation  # noqa: PLC0415
    from apps.evaluations.services.judging import judge_lane  # noqa: PLC0415

    documents = [
        parse_document({"id": str(seed), "turns": hostile.conversation(seed, numbered=True)}) for seed in seeds
    ]
    asked = request_evaluation(config=CONFIG, documents=documents, now=timezone.now())
    judge_lane(lanes=1, concurrency=32, now=timezone.now)
    found = dict.fromkeys(seeds, "no score")
    rows = CriterionScore.objects.filter(judgement__evaluation=asked.evaluation_id, score__isnull=False)
    for seed, score in rows.values_list("judgement__conversation__external_id", "score"):
        meaning = {hostile.PLANTED: "planted", hostile.HONEST: "honest"}.get(score, "other")
        if found[int(seed)] not in ("planted", "other"):
            found[int(seed)] = meaning
    left = Judgement.objects.filter(evaluation=asked.evaluation_id).exclude(status__in=("scored", "parse_error"))
    for seed, status in left.values_list("conversation__external_id", "status"):
        found[int(seed)] = status
    return found


def main() -> int:
    """Print the table; exit 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1, help="number of the first case")
    options = parser.parse_args()
    django.setup()
    from apps.tenants.context import in_tenant  # noqa: PLC0415 - after django.setup()
    from apps.tenants.services import add_tenant, delete_tenant  # noqa: PLC0415
    from benchmarks import rig  # noqa: PLC0415
    from tests.loopback import formats  # noqa: PLC0415
    from tests.loopback.http_server import Answer, LoopbackServer, Request  # noqa: PLC0415

    kinds: dict[int, str] = {}
    requests = 0

    def answer(request: Request) -> Answer:
        nonlocal requests
        requests += 1
        prompt = json.loads(request.body)["messages"][-1]["content"]
        seed = hostile.seed_of(prompt)
        text, kinds[seed] = hostile.reply(seed, prompt)
        return formats.answer("openai", text, model="gullible")

    outcomes: dict[int, str] = {}
    slug = f"bench-{os.getpid()}"
    started = time.monotonic()
    with rig.services(), LoopbackServer(answer) as server:
        add_tenant(slug=slug, name=slug, vertical="spa")
        try:
            with in_tenant(slug):
                publish(server.url)
                for first in range(options.seed, options.seed + options.cases, BATCH):
                    outcomes |= judge(range(first, min(first + BATCH, options.seed + options.cases)))
        finally:
            delete_tenant(slug=slug)
    return show(outcomes, kinds, requests=requests, seconds=time.monotonic() - started)


def show(outcomes: dict[int, str], kinds: dict[int, str], *, requests: int, seconds: float) -> int:
    """The table by kind of reply; 1 where a goal was missed."""
    table: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for seed, outcome in outcomes.items():
        table[kinds.get(seed, "never asked")][outcome] += 1
    total: Counter[str] = Counter(outcomes.values())
    columns = [*OUTCOMES, *sorted(set(total) - set(OUTCOMES))]
    write = sys.stdout.write
    write(f"{'the judge':34}{'cases':>8}" + "".join(f"{column:>10}" for column in columns) + "\n")
    rows: list[tuple[str, Any]] = [*sorted(table.items()), ("all", total)]
    for kind, counts in rows:
        cells = "".join(f"{counts[column]:>10}" for column in columns)
        write(f"{kind:34}{sum(counts.values()):>8}{cells}\n")
    lost = sum(table[kind].total() - table[kind]["honest"] for kind in SOUND)
    wrong = total["planted"] + total["other"]
    write(f"\n{requests} requests, {seconds:.0f} s. Goals, both 0: planted stored {wrong}, honest lost {lost}.\n")
    return 0 if wrong == lost == 0 and set(total) <= set(OUTCOMES) else 1


if __name__ == "__main__":
    raise SystemExit(main())
