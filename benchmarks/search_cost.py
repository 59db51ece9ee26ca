"""What full text search costs where turns and reasons are written: chosen from these figures (ADR 0163).

    python -m benchmarks.search_cost [--rounds 12]

In a fresh tenant turns are written as the product writes them (`insert_together`), one in a transaction and 200 in
one: as it is (a worker writes their words down later, which is told beside), with a GIN index on the expression, with
a stored column and its GIN index. Then eight scores with their reasons, as one judgement has them, in a transaction,
with the index that search reads and without. Ways take turns, so that a busy machine is busy for each. Exit 0.
"""

import argparse
import os
import random
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

import django

django.setup()

from django.core.management import call_command  # noqa: E402 - needs settings
from django.db import connection, transaction  # noqa: E402 - needs settings
from django.utils import timezone  # noqa: E402 - needs settings

from apps.core.inserting import insert_together  # noqa: E402 - needs settings
from apps.runs.models import Conversation, TestRun, Turn  # noqa: E402 - needs settings
from apps.runs.services.word_index import index_words  # noqa: E402 - needs settings
from apps.tenants import services  # noqa: E402 - needs settings
from apps.tenants.context import in_tenant  # noqa: E402 - needs settings
from ratiba_eval import local_stack  # noqa: E402 - needs settings

VECTOR = "to_tsvector('simple', left(content, 10000))"
AS_IT_IS = "as it is: words by a worker"
WAYS = {
    AS_IT_IS: "",
    "GIN on the expression": f"CREATE INDEX search_try ON runs_turn USING gin ({VECTOR})",
    "GIN on the expression, no pending list": f"CREATE INDEX search_try ON runs_turn USING gin ({VECTOR}) "
    "WITH (fastupdate = off)",
    "stored column and GIN": f"ALTER TABLE runs_turn ADD COLUMN search_words tsvector GENERATED ALWAYS AS ({VECTOR}) "
    "STORED; CREATE INDEX search_try ON runs_turn USING gin (search_words)",
}
UNDO = "DROP INDEX IF EXISTS search_try; ALTER TABLE runs_turn DROP COLUMN IF EXISTS search_words"


def texts(dice: random.Random, n: int) -> list[str]:
    """Replies of 10 to 60 words, the commonest far more often than the rarest (Zipf)."""
    words = [
        "".join(dice.choice(("ka", "si", "mu", "la", "te", "ro", "ni", "po")) for _ in range(2 + k % 3))
        + (str(k) if k > 400 else "")
        for k in range(5000)
    ]
    weights = [1 / (place + 3) for place in range(len(words))]
    return [" ".join(dice.choices(words, weights, k=dice.randint(10, 60))) for _ in range(n)]


class Writer:
    """Writes turns into one conversation that goes on, 200 turns a conversation."""

    def __init__(self, dice: random.Random) -> None:
        self.run = TestRun.objects.create(kind="imported", status="running", name="search cost")
        self.texts = texts(dice, 2000)
        self.place = 0
        self._begin()

    def _begin(self) -> None:
        self.conversation = Conversation.objects.create(
            run=self.run,
            position=self.place,
            external_id=f"c-{self.place}",
            kind="imported",
            status="running",
            started_at=timezone.now(),
        )

    def turns(self, n: int) -> list[Turn]:
        rows = []
        for _ in range(n):
            if self.place and self.place % 200 == 0:
                self._begin()
            rows.append(
                Turn(
                    conversation=self.conversation,
                    position=self.place,
                    purpose="message",
                    role=("user", "assistant")[self.place % 2],
                    content=self.texts[self.place % 2000],
                )
            )
            self.place += 1
        return rows


def per_turn(writer: Writer, transactions: int, size: int) -> float:
    """Microseconds a turn."""
    batches = [writer.turns(size) for _ in range(transactions)]
    start = time.perf_counter()
    for rows in batches:
        with transaction.atomic():
            insert_together(rows)
    return 1e6 * (time.perf_counter() - start) / (transactions * size)


def measure(rounds: int) -> dict[str, dict[int, list[float]]]:
    found: dict[str, dict[int, list[float]]] = {way: {1: [], 200: []} for way in WAYS}
    writer = Writer(random.Random(3))
    for _ in range(rounds):
        for way, sql in WAYS.items():
            _run(UNDO)
            if sql:
                _run(sql)
            per_turn(writer, 20, 1)
            found[way][1].append(per_turn(writer, 150, 1))
            found[way][200].append(per_turn(writer, 5, 200))
    _run(UNDO)
    return found


SCORES = """
DROP TABLE IF EXISTS score_try;
CREATE TABLE score_try (LIKE evaluations_criterionscore INCLUDING DEFAULTS INCLUDING IDENTITY INCLUDING INDEXES)
"""
NO_INDEX = """
DO $$ BEGIN EXECUTE (SELECT 'DROP INDEX ' || indexname FROM pg_indexes
  WHERE tablename = 'score_try' AND schemaname = current_schema() AND indexdef LIKE '%to_tsvector%'); END $$
"""
_ONE = """
INSERT INTO score_try (judgement_id, criterion, position, status, unscored_reason, score, scale, weight, pass_mark,
  reason, evidence, answers, opinions)
SELECT gen_random_uuid(), 'criterion ' || n, n, 'scored', '', 7, '0-10', 1, 6, reason,
  jsonb_build_array(jsonb_build_object('quote', left(reason, 60), 'turn', 1, 'kind', 'exact')), 1, '[]'
FROM unnest(%s::text[]) WITH ORDINALITY AS said(reason, n)
"""


def per_judgement(rounds: int) -> tuple[float, float]:
    """Microseconds for the scores of a judgement, without the index of search and with it."""
    found: tuple[list[float], list[float]] = ([], [])
    said = texts(random.Random(5), 800)
    for _ in range(rounds):
        for way, sql in enumerate((NO_INDEX, "")):
            _run(SCORES)
            if sql:
                _run(sql)
            start = time.perf_counter()
            for at in range(0, len(said), 8):
                with transaction.atomic(), connection.cursor() as cursor:
                    cursor.execute(_ONE, [said[at : at + 8]])
            found[way].append(1e6 * (time.perf_counter() - start) / (len(said) / 8))
    _run("DROP TABLE score_try")
    return statistics.median(found[0]), statistics.median(found[1])


def per_word_row() -> float:
    """Microseconds a turn for the worker that writes words down."""
    turns = Turn.objects.count()
    Conversation.objects.update(status="ended")
    start = time.perf_counter()
    while index_words():
        pass
    return 1e6 * (time.perf_counter() - start) / turns


def _run(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=12)
    rounds = parser.parse_args().rounds
    local_stack.ensure()
    call_command("migrate_schemas", shared=True, verbosity=0, interactive=False)
    connection.set_schema_to_public()
    tenant = services.add_ephemeral_tenant(label="search")
    try:
        with in_tenant(tenant.slug):
            found = measure(rounds)
            worker, (without, with_index) = per_word_row(), per_judgement(rounds)
    finally:
        services.delete_tenant(slug=tenant.slug)
    plain = {size: statistics.median(values) for size, values in found[AS_IT_IS].items()}
    print(f"{'':42}{'1 a transaction':>22}{'200 a transaction':>22}")
    for way, by_size in found.items():
        told = [f"{(us := statistics.median(by_size[size])):.0f} µs {us / plain[size]:.2f} ×" for size in (1, 200)]
        print(f"{way:42}{told[0]:>22}{told[1]:>22}")
    print(f"the worker that writes words down: {worker:.0f} µs a turn, in the background")
    print(
        f"eight scores with reasons: {without:.0f} µs, with the index of search {with_index:.0f} µs "
        f"({with_index / without:.2f} ×)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
