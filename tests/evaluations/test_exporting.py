"""The exported table says what the API says: same sums, every state, and nothing a spreadsheet would run."""

import csv
import io
import json
import tracemalloc
from math import fsum
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from apps.core.errors import NotFound
from apps.evaluations.models import Evaluation
from apps.evaluations.queries.result_rows import COLUMNS, result_rows
from apps.evaluations.queries.results import criterion_results, evaluation_summary
from apps.evaluations.services.creating import request_evaluation
from apps.evaluations.services.exporting import ExportFormat, export_results
from apps.runs.models import Conversation
from tests.evaluations.bench import (
    NOW,
    WEIGHTS,
    evaluated,
    imported,
    judge,
    judged,
    make_config,
    minutes,
    reply,
)
from tests.loopback.providers import ModelProvider


def rows_of(evaluation: Evaluation, format: ExportFormat = ExportFormat.JSONL) -> list[dict]:
    whole = b"".join(export_results(format=format, evaluation_id=evaluation.id))
    if format is ExportFormat.CSV:
        return list(csv.DictReader(io.StringIO(whole.decode("utf-8-sig"), newline="")))
    if format is ExportFormat.PARQUET:
        from pyarrow import parquet  # noqa: PLC0415 - heavy, and one test's alone

        return parquet.read_table(io.BytesIO(whole)).to_pylist()
    return [json.loads(line) for line in whole.decode().splitlines()]


def mean(values: list[float]) -> float:
    return fsum(values) / len(values)


# --- Missing is not zero ----------------------------------------------------------------------------------------------
def test_a_conversation_without_a_verdict_is_a_row_that_says_so_and_no_zero(config, model):
    model.script(*[ModelProvider.text_answer(text) for text in ("no JSON at all", "still none")]) if hasattr(
        ModelProvider, "text_answer"
    ) else None
    model.text = "no JSON at all"
    evaluation = judged(config, "c-1")
    rows = rows_of(evaluation)
    assert [row["state"] for row in rows] == ["parse_error"] * 3
    assert {row["score"] for row in rows} == {None}
    assert not any(row["in_mean"] for row in rows)
    assert all(row["score"] == "" for row in rows_of(evaluation, ExportFormat.CSV))


def test_every_state_there_is_has_its_rows(config, model):
    evaluation = judged(config, "c-1", "c-2")
    pending = evaluated(config, "c-3")
    assert [row["state"] for row in rows_of(pending)] == ["pending"] * 3
    Conversation.objects.filter(run_id=pending.run_id).update(status="failed", blame="platform")
    pending.judgements.update(status="not_judged", error_message="The platform lost it.")
    assert {(row["state"], row["blame"], row["error_message"]) for row in rows_of(pending)} == {
        ("not_judged", "platform", "The platform lost it.")
    }
    pending.judgements.update(status="model_error")
    assert {row["state"] for row in rows_of(pending)} == {"model_error"}
    assert {row["state"] for row in rows_of(evaluation)} == {"scored"}
    model.text = reply({"first": 8, "second": {"score": None, "reason": "n/a", "evidence": []}, "third": 99})
    (first, second, third) = rows_of(judged(config, "c-4"))
    assert (first["state"], second["state"], third["state"]) == ("scored", "unscored", "unscored")
    assert (second["unscored_reason"], third["unscored_reason"]) == ("not_applicable", "missing")
    assert (second["score"], second["passed"]) == (None, None)


def test_a_conversation_not_even_owed_yet_is_pending(config, model):
    evaluation = evaluated(config, "c-1", "c-2")
    evaluation.judgements.all().delete()
    assert {(row["conversation_id"], row["state"]) for row in rows_of(evaluation)} == {
        ("c-1", "pending"),
        ("c-2", "pending"),
    }


# --- Sums -------------------------------------------------------------------------------------------------------------
def test_the_tables_sums_are_the_apis(backed, model):
    evaluation = evaluated(backed, *(f"c-{n}" for n in range(40)), marked=True)
    for n in range(40):
        model.by_key[str(f"c-{n}")] = reply({"first": n % 11, "second": (n * 3) % 11, "third": 5}) if False else None
    judge(NOW)
    summary = evaluation_summary(evaluation.id)
    rows = rows_of(evaluation)
    headline = {row["conversation"]: row["weighted_score"] for row in rows if row["in_mean"]}
    assert mean(list(headline.values())) == pytest.approx(summary["weighted_score"], abs=1e-9)
    assert fsum(row["cost_usd"] or 0 for row in rows) == pytest.approx(summary["cost_usd"], abs=1e-9)
