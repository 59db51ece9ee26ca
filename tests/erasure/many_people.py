"""People who are erased: each has two conversations, judged and labelled; names are planted in notes, findings, labels,
the trail, the log and a file of the state folder. Counted with pg_dump of the tenant's schema."""

import itertools
import json
import os
import re
import subprocess
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FIRST = ("Zaw", "Kip", "Nje", "Ach", "Muth", "Wek", "Baru")
_MIDDLE = ("adi", "oro", "eri", "ieng", "oni", "esa", "uka")
_OTHERS = """
WITH source AS (SELECT * FROM runs_conversation WHERE id = %(id)s),
added AS (
  INSERT INTO runs_conversation SELECT (jsonb_populate_record(NULL::runs_conversation, to_jsonb(s) ||
    jsonb_build_object('id', gen_random_uuid(), 'position', 100000 + n, 'external_id', 'other ' || n))).* FROM source s,
    generate_series(1, %(n)s) n RETURNING id
), turns AS (
  INSERT INTO runs_turn (conversation_id, attempt, position, purpose, role, content, tool_calls, tool_call_id, name,
    attachments, extra)
  SELECT a.id, 0, p, 'message', CASE p %% 2 WHEN 0 THEN 'user' ELSE 'assistant' END,
    'said in turn ' || p || ' about braids and colours, ' || md5(a.id::text || p), '[]', '', '', '[]', '{}'
  FROM added a, generate_series(0, 7) p
)
INSERT INTO production_productionconversation SELECT (jsonb_populate_record(NULL::production_productionconversation,
  to_jsonb(s) || jsonb_build_object('id', gen_random_uuid(), 'conversation_id', a.id, 'id_digest', md5(a.id::text),
  'external_id', 'o', 'person_digests', '{}'::jsonb, 'customer_ref_hmac', ''))).*
FROM added a, production_productionconversation s WHERE s.conversation_id = %(id)s
"""
_SCORES = """
SELECT md5(coalesce(string_agg(t.x, '|' ORDER BY t.x), '')), count(*) FROM (
  SELECT concat_ws(' ', s.id, s.score, s.status, s.weight, s.pass_mark, j.status, j.weighted_score, j.fingerprint) AS x
  FROM evaluations_criterionscore s JOIN evaluations_judgement j ON j.id = s.judgement_id
) t
"""


@dataclass(frozen=True, slots=True)
class Person:
    """A subject: nobody else has this name or this number."""

    name: str
    phone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the run showed. `found` and `receipts` are counts of words in the database before."""

    conversations: int
    subjects: int
    found: int
    receipts: int
    left: int
    left_in_files: int
    in_files: int
    scores: int
    scores_unchanged: bool
    seconds: float


def people(n: int) -> Sequence[Person]:
    """Made-up people."""
    names = itertools.product(_FIRST, _MIDDLE, _FIRST, _MIDDLE)
    made = (f"{a}{b} {c}{d}".title() for a, b, c, d in names if (a, b) != (c, d))
    return [Person(name, f"07{20_000_000 + number * 7919:08d}") for number, name in zip(range(n), made, strict=False)]


def run(*, conversations: int, subjects: int, state: Path) -> Outcome:
    """In the tenant that is entered; its rows stay."""
    from django.utils import timezone  # noqa: PLC0415

    from apps.erasure.domain.subject import DataSubject  # noqa: PLC0415 - Django is set up by then
    from apps.erasure.services.erasing import erase_subject  # noqa: PLC0415

    listed = people(subjects)
    _plant(listed, conversations, state)
    before, scores = _hits(dump(), listed), _scores()
    in_files = _hits("".join(_files(state)), listed)
    begun, receipts, files = time.perf_counter(), 0, 0
    for one in listed:
        subject = DataSubject(phone=one.phone, names=[one.name])
        receipt = erase_subject(subject=subject, now=timezone.now(), everywhere=True)
        assert receipt.conversations == 2, one
        receipts, files = receipts + sum(receipt.words.values()), files + sum(receipt.files.values())
    assert files == in_files
    return Outcome(
        conversations=conversations,
        subjects=subjects,
        found=before,
        receipts=receipts,
        left=_hits(dump(), listed),
        left_in_files=_hits("".join(_files(state)), listed),
        in_files=in_files,
        scores=scores[1],
        scores_unchanged=scores == _scores(),
        seconds=time.perf_counter() - begun,
    )


def dump() -> str:
    """What pg_dump says of the tenant's schema."""
    from django.conf import settings  # noqa: PLC0415
    from django.db import connection  # noqa: PLC0415

    from apps.tenants.context import current_schema  # noqa: PLC0415

    given = connection.get_connection_params()
    binary = settings.PG_DUMP if isinstance(settings.PG_DUMP, str) else str(settings.PG_DUMP("pg_dump"))
    options = (("host", "host"), ("port", "port"), ("username", "user"))
    address = [f"--{option}={given[name]}" for option, name in options if given.get(name)]
    command = [binary, *address, f"--dbname={given['dbname']}", f"--schema={current_schema()}", "--data-only"]
    environment = {**os.environ, "PGPASSWORD": str(given.get("password") or "")}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def _hits(text: str, listed: Sequence[Person]) -> int:
    words = "|".join([*(re.escape(one.name) for one in listed), *(one.phone for one in listed)])
    return len(re.findall(words, text, re.IGNORECASE))


def _files(state: Path) -> Iterator[str]:
    for path in sorted(state.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.relative_to(state).parts[0] not in ("pg", "valkey", "run"):
            yield path.read_bytes().decode("utf-8", "replace")


def _scores() -> tuple[str, int]:
    from django.db import connection  # noqa: PLC0415

    with connection.cursor() as cursor:
        cursor.execute(_SCORES)
        return tuple(cursor.fetchone())


def _plant(listed: Sequence[Person], conversations: int, state: Path) -> None:
    from django.db import connection  # noqa: PLC0415

    from apps.calibration.models import ConversationNote  # noqa: PLC0415
    from apps.catalog.models import Criterion  # noqa: PLC0415
    from apps.evaluations.models import Judgement  # noqa: PLC0415
    from apps.improvement.models import Analysis  # noqa: PLC0415
    from apps.runs.models import Conversation  # noqa: PLC0415
    from apps.tenants.context import current_slug  # noqa: PLC0415

    own = [_converse(one, number) for one in listed for number in range(2)]
    stranger = _converse(Person("Nobody Known", "0700000001"), 0)
    with connection.cursor() as cursor:
        cursor.execute(_OTHERS, {"id": stranger, "n": max(0, conversations - len(own) - 1)})
    others = list(Conversation.objects.filter(external_id__startswith="other ").values_list("pk", flat=True)[:100])
    evaluation = Judgement.objects.filter(conversation_id=own[0]).get().evaluation
    criterion = Criterion.objects.create(name="polite", texts={"en": "be polite"})
    log = [json.dumps({"time": "t", "tenant": current_slug(), "message": f"{one.name} {one.phone}"}) for one in listed]
    (state / "log").mkdir(parents=True, exist_ok=True)
    with (state / "log" / "ratiba.jsonl").open("a") as file:
        file.write("\n".join(log) + "\n")
    (state / "erasure-export.csv").write_text("\n".join(f"1,{one.name},late" for one in listed))
    for number, one in enumerate(listed):
        text = f"{one.name} ({one.phone}) called again"
        ConversationNote.objects.create(
            conversation_id=(others or own)[number % len(others or own)], author="a", text=text
        )
        finding = {
            "issue": f"{one.name.upper()} waited",
            "evidence": [{"conversation": str(own[2 * number]), "quote": text}],
        }
        Analysis.objects.create(evaluation=evaluation, analyzer={}, findings=[finding], notes=[text])
        Criterion.objects.filter(pk=criterion.pk).update(texts={"en": f"as {one.name} said"})  # the trail keeps it


def _converse(one: Person, number: int) -> uuid.UUID:
    from django.utils import timezone  # noqa: PLC0415

    from apps.calibration.models import NonBlindLabel  # noqa: PLC0415
    from apps.evaluations.models import CriterionScore, Judgement  # noqa: PLC0415
    from apps.production.intake.services.conversations import take_conversation  # noqa: PLC0415
    from apps.runs.models import Conversation  # noqa: PLC0415
    from tests.dashboard.conftest import make_evaluation  # noqa: PLC0415

    said = [
        f"I am {one.name}, {one.phone}, braids please, visit {number} of {one.phone}",
        "Karibu",
        "That was late",
        "Sorry",
    ]
    turns = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(said)]
    raw = {"id": f"{one.phone}-{number}", "turns": turns, "ended": True,
           "customer": {"names": [one.name], "phones": [one.phone]}}  # fmt: skip
    taken = take_conversation(raw=raw, now=timezone.now()).conversation_id
    row = Conversation.objects.get(pk=taken)
    judgement: Any = Judgement.objects.create(
        evaluation=make_evaluation(row.run, []), conversation=row, status="scored", weighted_score=number + 3.5,
        judged_at=timezone.now(), raw_reply=f"{one.name} was told", second_chances=0,
    )  # fmt: skip
    CriterionScore.objects.create(
        judgement=judgement, criterion="first", position=0, status="scored", score=number + 3.5, weight=1, pass_mark=6,
        reason=f"{one.name} waited", evidence=[{"quote": f"I am {one.name}", "turn": 0, "kind": "exact"}],
    )  # fmt: skip
    NonBlindLabel.objects.create(
        conversation=row, judgement=judgement, rater="amina", criterion="first", value=4, reason=f"I know {one.name}"
    )
    return taken
