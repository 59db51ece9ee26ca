"""How long the server takes for each page and each answer of the API, with many judgements in one evaluation.

    python -m benchmarks.pages                      # 20,000 judgements of 10 criteria
    python -m benchmarks.pages --judgements 100000

Makes a tenant of its own, fills it with SQL, ends the evaluation as a worker would, asks for every page twice (`cold`:
nothing is kept by the process, `warm`: the second time) and drops the tenant. Exit 1 when one is slower than the goal.
"""

import argparse
import gc
import json
import os
import sys
import time
import uuid
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
django.setup(set_prefix=False)

from django.contrib.auth.models import User  # noqa: E402 - Django first
from django.core.cache import cache  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.utils import timezone  # noqa: E402

from apps.catalog.files.services.packs import load_pack  # noqa: E402
from apps.evaluations.judging.services.completion import finish_evaluations  # noqa: E402
from apps.evaluations.requests.services.creating import request_evaluation  # noqa: E402
from apps.runs.models import Conversation, TestRun  # noqa: E402
from apps.runs.services.word_index import index_words  # noqa: E402
from apps.tenants.context import in_tenant  # noqa: E402
from apps.tenants.services import add_tenant, delete_tenant  # noqa: E402
from benchmarks.rig import services  # noqa: E402

GOAL_MS = 100
CONFIG = "outbound-sales"
_CONVERSATIONS = """
INSERT INTO runs_conversation (id, created_at, run_id, position, external_id, kind, status, language, domain, source,
  labels, extra, spec, session, attempt, losses, waiting_for, error_code, error_message, started_at)
SELECT gen_random_uuid(), now(), %s, g, 'c-' || g, 'imported', 'ended', (ARRAY['sw', 'en', 'it'])[1 + g %% 3], '', '',
  jsonb_build_object('wave', (g %% 3)::text), '{}',
  jsonb_build_object('persona_name', 'Persona ' || g %% 12, 'scenario', 'scenario-' || g %% 200),
  '{}', 0, 0, '', '', '', now() - random() * interval '7 days' FROM generate_series(1, %s) g
"""
_TURNS = """
INSERT INTO runs_turn (conversation_id, position, purpose, role, content, tool_calls, tool_call_id, name, attachments,
  extra)
SELECT id, g, CASE g %% 2 WHEN 0 THEN 'customer' ELSE 'agent' END,
  CASE g %% 2 WHEN 0 THEN 'user' ELSE 'assistant' END, 'Nataka nafasi kesho saa tano asubuhi, tafadhali.',
  '[]', '', '', '[]', '{}' FROM runs_conversation, generate_series(0, 3) g WHERE run_id = %s
"""
_JUDGEMENTS = """
UPDATE evaluations_judgement SET status = 'scored', weighted_score = random() * 10, fingerprint = repeat('a', 64),
  provider = 'google', model = 'gemini-2.5-flash', judged_at = now(), raw_reply = repeat('x', 800)
WHERE evaluation_id = %s
"""
_SCORES = """
INSERT INTO evaluations_criterionscore
  (judgement_id, criterion, position, status, unscored_reason, score, scale, weight, pass_mark, reason, evidence)
SELECT j.id, k.item->>'name', k.place, 'scored', '', 
  round(least(10, greatest(0, j.weighted_score + random() * 3 - 1.5))::numeric, 1), '0-10',
  (k.item->>'weight')::float8, (k.item->>'pass_mark')::float8, 'Sababu ndefu kidogo ya alama hii kwa mteja.',
  '[{"quote": "kesho saa tano", "turn": 0, "kind": "exact", "repair": null, "source": null}]'
FROM evaluations_judgement j JOIN evaluations_evaluation e ON e.id = j.evaluation_id
CROSS JOIN LATERAL jsonb_array_elements(e.snapshot->'criteria') WITH ORDINALITY AS k(item, place) WHERE e.id = %s
"""
_CALLS = """
INSERT INTO budgets_modelcall (id, created_at, purpose, provider, requested_model, model, outcome, input_tokens,
  cached_tokens, output_tokens, reasoning_tokens, cost_usd, latency_ms, fallback, cached, error, request_id, run_id,
  evaluation_id, conversation_id)
SELECT gen_random_uuid(), now() - random() * interval '2 hours', 'judge', 'google', 'gemini-2.5-flash',
  'gemini-2.5-flash', 'ok', 900, 0, 300, 0, 0.001, 700, false, false, '', '', c.run_id, j.evaluation_id,
  j.conversation_id
FROM evaluations_judgement j JOIN runs_conversation c ON c.id = j.conversation_id WHERE j.evaluation_id = %s
"""


def fill(judgements: int, *, calls: bool) -> dict[str, uuid.UUID]:
    """One run with one evaluation of this many scored judgements, ended as workers end it."""
    now = timezone.now()
    run = TestRun.objects.create(kind="imported", name=f"{judgements} calls", status="completed", plan={}, ended_at=now)
    with connection.cursor() as cursor:
        cursor.execute(_CONVERSATIONS, [run.pk, judgements])
        cursor.execute(_TURNS, [run.pk])
    began = time.perf_counter()
    while index_words():
        pass
    sys.stdout.write(f"Writing down the words of {4 * judgements:,} turns took {time.perf_counter() - began:.0f} s\n")
    evaluation = judged(run.pk, calls=calls)
    conversation = Conversation.objects.filter(run=run).values_list("pk", flat=True).first()
    assert conversation is not None
    return {"run": run.pk, "evaluation": evaluation, "conversation": conversation}


def judged(run: uuid.UUID, *, calls: bool) -> uuid.UUID:
    """An evaluation of all conversations of this run, scored and ended as workers end it."""
    now = timezone.now()
    made = request_evaluation(config=CONFIG, run_id=run, now=now)
    with connection.cursor() as cursor:
        cursor.execute(_JUDGEMENTS, [made.evaluation_id])
        cursor.execute(_SCORES, [made.evaluation_id])
        if calls:
            cursor.execute(_CALLS, [made.evaluation_id])
        cursor.execute("ANALYZE")
    began = time.perf_counter()
    finish_evaluations(now=now)
    sys.stdout.write(f"Ending the evaluation took {time.perf_counter() - began:.2f} s\n")
    return made.evaluation_id


# What a matrix is asked for: as it is, by a decision, by a criterion, by what belongs to the conversation.
MATRIX = (
    "",
    "?sort=-score",
    "?verdict=pass",
    "?verdict=fail",
    "?language=sw",
    "?low=4&high=6",
    "filters/",
    "?criterion=tono_naturale",
    "?criterion=tono_naturale&having=fail",
    "?criterion=tono_naturale&having=pass",
    "?criterion=tono_naturale&having=unscored",
    "?criterion=tono_naturale&at=7",
    "?criterion=tono_naturale&evidence=unverified",
    "?criterion=tono_naturale&having=fail&sort=score",
    "?sort=criterion:tono_naturale",
    "?sort=date",
    "?sort=-date",
    "?sort=persona",
    "?sort=scenario",
    "?sort=language",
    "?persona=Persona+3",
    "?scenario=scenario-7",
    "?label=wave%3D2",
    "?since=2026-11-20",
)


def addresses() -> list[str]:
    """Every page and answer, with places for the ids that `fill` gives."""
    api = "/api/v1"
    lists = ("runs/testrun", "runs/conversation", "evaluations/evaluation", "budgets/modelcall")
    return [
        "/admin/",
        "/runs/{run}/",
        "/evaluations/{evaluation}/",
        "/evaluations/{evaluation}/?page=400",
        "/evaluations/{evaluation}/?page=last",
        "/evaluations/{evaluation}/?state=scored",
        *(f"/evaluations/{{evaluation}}/matrix/{query}" for query in MATRIX),
        "/evaluations/{evaluation}/slices/",
        # A word of every turn, one of every reason, one of nobody, the beginning of all names; by name and by id.
        *(f"/search/?q={q}" for q in ("kesho", "sababu", "kesho+haipo", "haipo", "n", "c-77", "{conversation}")),
        "/search/quick/?q=pers",
        "/search/quick/?q=c-1",
        f"{api}/search/?q=kesho+saa",
        f"{api}/evaluations/{{evaluation}}/slices/",
        "/conversations/{conversation}/",
        "/usage/",
        "/runs/{run}/report/",
        "/runs/{run}/report/?page=last",
        *(f"/admin/{name}/" for name in lists),
        f"{api}/evaluations/",
        f"{api}/evaluations/{{evaluation}}/",
        f"{api}/evaluations/{{evaluation}}/status/",
        f"{api}/evaluations/{{evaluation}}/judgements/",
        f"{api}/test-runs/",
        f"{api}/test-runs/{{run}}/",
        f"{api}/test-runs/{{run}}/status/",
        f"{api}/test-runs/{{run}}/conversations/",
    ]


def ask(client: Client, address: str) -> tuple[float, int]:
    """Milliseconds of the server, and how many queries it asked; a time that is no number for what was not answered."""
    with CaptureQueriesContext(connection) as asked:
        began = time.perf_counter()
        status = client.get(address).status_code
        took = (time.perf_counter() - began) * 1000
    return took if status == 200 else float("nan"), sum("SET search_path" not in one["sql"] for one in asked)


def measure(slug: str, judgements: int, *, calls: bool) -> list[dict[str, Any]]:
    with in_tenant(slug):
        load_pack(CONFIG, at=timezone.now())
        small, large = fill(10, calls=calls), fill(judgements, calls=calls)
        with connection.cursor() as cursor:
            cursor.execute("VACUUM")  # as autovacuum leaves it after a minute
        owner = User.objects.create_superuser(f"bench-{uuid.uuid4().hex[:6]}")
    client = Client(headers={"host": f"{slug}.localhost"})
    with in_tenant(slug):
        client.force_login(owner)
    rows = []
    for form in addresses():
        few = [ask(client, form.format(**small)) for _ in range(2)][1][1]  # also loads templates and code
        cache.clear()
        gc.collect()
        gc.freeze()  # else one page in some pays for collecting what the benchmark keeps
        cold, queries = ask(client, form.format(**large))
        warm, _ = min(ask(client, form.format(**large)) for _ in range(3))
        busy = time.process_time()
        ask(client, form.format(**large))
        own = (time.process_time() - busy) * 1000
        took = {"cold_ms": round(cold, 1), "warm_ms": round(warm, 1), "python_ms": round(own, 1)}
        rows.append({"page": form, **took, "queries": queries, "few": few})
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judgements", type=int, default=20_000)
    parser.add_argument("--goal-ms", type=float, default=GOAL_MS)
    parser.add_argument("--no-calls", action="store_true", help="leave the ledger of model calls empty")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with services():
        slug = f"bench-{uuid.uuid4().hex[:8]}"
        add_tenant(slug=slug, name=slug, vertical="spa")
        try:
            rows = measure(slug, options.judgements, calls=not options.no_calls)
        finally:
            delete_tenant(slug=slug)
    slow = [row for row in rows if not max(row["cold_ms"], row["warm_ms"]) <= options.goal_ms]
    if options.json:
        json.dump(rows, sys.stdout, indent=2)
    for row in () if options.json else rows:
        times = f"{row['cold_ms']:>9} ms cold{row['warm_ms']:>9} warm{row['python_ms']:>7} of Python"
        asked = f"{row['queries']:>4} queries ({row['few']} at 10)"
        sys.stdout.write(f"{row['page']:<48}{times}{asked}{'  SLOW' if row in slow else ''}\n")
    return 1 if slow else 0


if __name__ == "__main__":
    raise SystemExit(main())
