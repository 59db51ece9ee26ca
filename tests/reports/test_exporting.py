"""The exported table says what the API says: same sums, every state, and nothing a spreadsheet would run."""

import csv
import io
import json
import tracemalloc
from decimal import Decimal
from math import fsum
from pathlib import Path
from uuid import uuid4

import pgtrigger
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.budgets.models import ModelCall
from apps.catalog.models import Criterion
from apps.core.errors import NotFound
from apps.evaluations.figures.queries.results import criterion_results
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.evaluations.requests.services.creating import request_evaluation
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.reports.tables.queries.result_rows import COLUMNS
from apps.reports.tables.services.exporting import ExportFormat, export_results
from apps.runs.models import Conversation
from tests.evaluations.bench import NOW, evaluated, imported, judge, judged, make_config, minutes, reply
from tests.loopback import formats

FORMATS = list(ExportFormat)


def read(whole: bytes, format: ExportFormat) -> list[dict]:
    if format is ExportFormat.CSV:
        return list(csv.DictReader(io.StringIO(whole.decode("utf-8-sig"), newline="")))
    if format is ExportFormat.PARQUET:
        from pyarrow import parquet  # noqa: PLC0415 - heavy, and only where it is read

        return parquet.read_table(io.BytesIO(whole)).to_pylist()
    return [json.loads(line) for line in whole.decode().splitlines()]


def rows_of(evaluation: Evaluation, format: ExportFormat = ExportFormat.JSONL) -> list[dict]:
    return read(b"".join(export_results(format=format, evaluation_id=evaluation.id)), format)


def answers(*texts: str) -> list:
    return [formats.answer("openai", text, model="stub-model") for text in texts]


def mean(values) -> float:
    values = list(values)
    return fsum(values) / len(values)


def test_a_criterion_has_its_title_beside_its_name(config, model):
    Criterion.objects.filter(name="first").update(titles={"en": "The first thing"})
    evaluation = judged(config, "c-1")
    titles = {row["criterion"]: row["criterion_title"] for row in rows_of(evaluation)}
    assert titles["first"] == "The first thing"
    assert all(title == name for name, title in titles.items() if name != "first")
    assert {one["criterion"]: one["title"] for one in evaluation_summary(evaluation.id)["criteria"]} == titles


# --- Missing is not zero ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("format", FORMATS)
def test_a_reply_that_could_not_be_read_is_rows_that_say_so_and_no_zero(config, model, format):
    model.text = "no JSON at all"
    rows = rows_of(judged(config, "c-1"), format)
    assert [row["state"] for row in rows] == ["parse_error"] * 3
    assert {row["score"] for row in rows} == {"" if format is ExportFormat.CSV else None}
    assert {row["in_mean"] for row in rows} == {"false" if format is ExportFormat.CSV else False}
    yes = "true" if format is ExportFormat.CSV else True
    assert {(row["counts"], row["counts_why"]) for row in rows} == {(yes, "It was played to its end.")}


def test_every_other_state_has_its_rows_too(config, model):
    owed = evaluated(config, "c-1")
    assert [row["state"] for row in rows_of(owed)] == ["pending"] * 3
    Conversation.objects.filter(run_id=owed.run_id).update(status="failed", blame="platform", error_message="Lost.")
    owed.judgements.update(status="not_judged")
    found = {(row["state"], row["blame"], row["error_message"], row["score"]) for row in rows_of(owed)}
    assert found == {("not_judged", "platform", "Lost.", None)}
    counting = {(row["counts"], row["counts_why"]) for row in rows_of(owed)}
    assert counting == {(False, "It failed through no fault of the agent.")}
    owed.judgements.update(status="model_error", error_message="Down.")
    assert {(row["state"], row["error_message"]) for row in rows_of(owed)} == {("model_error", "Down.")}


def test_a_criterion_without_a_score_says_why(config, model):
    model.text = reply({"first": 8, "second": {"score": None, "reason": "nobody paid", "evidence": []}, "third": 99})
    first, second, third = rows_of(judged(config, "c-1"))
    assert (first["state"], first["score"], first["passed"]) == ("scored", 8.0, True)
    assert (second["state"], second["unscored_reason"], second["score"]) == ("unscored", "not_applicable", None)
    assert (third["state"], third["unscored_reason"], third["passed"]) == ("unscored", "missing", None)


@pytest.mark.parametrize("left_out, verdict", [("not_applicable", "pass"), ("missing", "undecided")])
def test_a_blocking_criterion_that_does_not_apply_leaves_no_doubt(config, model, left_out, verdict):
    absent: object = {"score": None, "reason": "nobody paid", "evidence": []} if left_out == "not_applicable" else 99
    model.text = reply({"first": 8, "second": absent, "third": 9})
    evaluation = judged(config, "c-1")
    text = "Is it paid safely? Without any payment, not applicable."
    blocking = [
        {**one, "blocking": one["name"] == "second", "description": text} for one in evaluation.snapshot["criteria"]
    ]
    with pgtrigger.ignore():
        Evaluation.objects.filter(pk=evaluation.pk).update(snapshot={**evaluation.snapshot, "criteria": blocking})
    assert {row["conversation_verdict"] for row in rows_of(evaluation)} == {verdict}


def test_a_conversation_that_is_not_even_owed_yet_is_pending(config):
    evaluation = evaluated(config, "c-1", "c-2")
    evaluation.judgements.all().delete()
    found = {(row["conversation"], row["state"]) for row in rows_of(evaluation)}
    assert found == {("c-1", "pending"), ("c-2", "pending")}


# --- Sums -------------------------------------------------------------------------------------------------------------
def with_everything(config, model, fallback) -> Evaluation:
    """24 conversations: different scores, one judged by the fallback, one unreadable; every call has a price."""
    evaluation = evaluated(config, *(f"c-{n}" for n in range(24)))
    texts = [reply({"first": n % 11, "second": n * 3 % 11, "third": None if n % 4 else 5.5}) for n in range(22)]
    model.script(*answers(*texts), *answers("no JSON", "none again"), "quota")
    judge(NOW, concurrency=1)
    for place, call in enumerate(ModelCall.objects.order_by("id")):
        with pgtrigger.ignore("budgets.ModelCall:settled_is_final"):
            ModelCall.objects.filter(pk=call.pk).update(cost_usd=Decimal("0.00000137") * (place + 1))
    return evaluation


@pytest.mark.parametrize("format", FORMATS)
def test_the_tables_sums_are_the_apis(backed, model, fallback, format):
    evaluation = with_everything(backed, model, fallback)
    summary = evaluation_summary(evaluation.id)
    rows = rows_of(evaluation, format)
    yes = "true" if format is ExportFormat.CSV else True
    assert summary["counts"]["scored"] >= 22
    headline = {row["conversation"]: float(row["weighted_score"]) for row in rows if row["in_mean"] == yes}
    assert mean(headline.values()) == pytest.approx(summary["weighted_score"], abs=1e-9)
    assert fsum(float(row["cost_usd"] or 0) for row in rows) == pytest.approx(summary["cost_usd"], abs=1e-9)
    for criterion in criterion_results(evaluation.id):
        scored = [row for row in rows if row["criterion"] == criterion.criterion and row["in_mean"] == yes]
        numbers = [float(row["score"]) for row in scored if row["state"] == "scored"]
        assert len(numbers) == criterion.scored
        assert mean(numbers) == pytest.approx(criterion.mean, abs=1e-9)
    for state, count in summary["counts"].items():
        assert len({row["conversation"] for row in rows if row["judgement_state"] == state}) == count


@pytest.mark.parametrize("ended, state", [(True, "not_judged"), (False, "pending")])
def test_a_conversation_without_a_row_waits_only_while_its_evaluation_goes_on(config, model, ended, state):
    evaluation = judged(config, "c-1")
    with pgtrigger.ignore(
        "evaluations.CriterionScore:criterion_score_is_final", "evaluations.Judgement:scored_is_final"
    ):
        CriterionScore.objects.filter(judgement__evaluation=evaluation).delete()
        evaluation.judgements.all().delete()
    if not ended:
        Evaluation.objects.filter(pk=evaluation.pk).update(ended_at=None, status="running")
    assert {(row["state"], row["judgement_state"]) for row in rows_of(evaluation)} == {(state, state)}


def test_what_the_fallback_judged_is_there_and_says_that_it_counts(backed, model):
    model.script("quota")
    rows = rows_of(judged(backed, "c-1"))
    assert {(row["by_fallback"], row["in_mean"], row["state"]) for row in rows} == {(True, True, "scored")}
    assert len({row["fingerprint"] for row in rows}) == 1
    assert rows[0]["fingerprint"]


def test_a_run_brings_all_its_evaluations(config, model):
    run = imported("c-1", "c-2")
    asked = [request_evaluation(config=config, run_id=run, now=minutes(n)).evaluation_id for n in (0, 1)]
    judge(minutes(2))
    rows = read(b"".join(export_results(format=ExportFormat.JSONL, run_id=run)), ExportFormat.JSONL)
    assert [row["evaluation_id"] for row in rows] == [str(id) for id in sorted(asked) for _ in range(6)]


# --- The three formats say the same -----------------------------------------------------------------------------------
def test_the_three_formats_have_the_same_rows(config, model):
    evaluation = judged(config, "c-1", "c-2")
    tables = {format: rows_of(evaluation, format) for format in FORMATS}
    assert all(list(row) == list(COLUMNS) for rows in tables.values() for row in rows)
    for one, two, three in zip(*tables.values(), strict=True):
        for name in ("conversation_id", "criterion", "state", "fingerprint", "reason"):
            assert one[name] == two[name] == three[name]
        assert float(one["score"]) == two["score"] == three["score"]
    quote = tables[ExportFormat.JSONL][0]["evidence"][0]
    assert quote["kind"] == "exact"
    assert json.loads(tables[ExportFormat.CSV][0]["evidence"])[0] == quote
    assert json.loads(tables[ExportFormat.PARQUET][0]["evidence"])[0] == quote
    assert tables[ExportFormat.PARQUET][0]["judged_at"].isoformat() == tables[ExportFormat.JSONL][0]["judged_at"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝cmd|'/c calc'!A0"])
def test_a_text_that_a_spreadsheet_would_run_is_text(config, model, text):
    model.text = reply({name: {"score": 5, "reason": text, "evidence": []} for name in ("first", "second", "third")})
    evaluation = judged(config, "c-1")
    shown = rows_of(evaluation, ExportFormat.CSV)[0]["reason"]
    stored = CriterionScore.objects.filter(judgement__evaluation=evaluation).first()
    assert shown == f"'{stored.reason}" or not stored.reason.lstrip().startswith(("=", "+", "-", "@", "＝"))
    assert not shown.startswith(("=", "+", "-", "@", "\t", "\r", " =", "  =", "＝"))
    assert rows_of(evaluation)[0]["reason"] == stored.reason


# --- Cost, and what is refused ----------------------------------------------------------------------------------------
def many(config: str, conversations: int) -> Evaluation:
    """That many judged conversations, by the database alone."""
    evaluation = evaluated(config, "c-1")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO runs_conversation (id, created_at, run_id, position, external_id, kind, status, language,"
            " domain, source, labels, extra, spec, session, attempt, losses, waiting_for, error_code, error_message)"
            " SELECT gen_random_uuid(), now(), run_id, n, 'x-' || n, kind, status, language, domain, source, labels,"
            " extra, spec, session, 1, 0, '', '', '' FROM runs_conversation, generate_series(1, %s) n"
            " WHERE run_id = %s",
            [conversations, evaluation.run_id],
        )
        cursor.execute(
            "INSERT INTO evaluations_judgement (id, created_at, evaluation_id, conversation_id, status, weighted_score,"
            " fingerprint, provider, model, by_fallback, late, latency, raw_reply, error_code, error_message, attempts,"
            " waiting_for) SELECT gen_random_uuid(), now(), %s, id, 'scored', position %% 11, 'f', 'stub', 'm', false,"
            " false, '{}', '', '', '', 1, '' FROM runs_conversation WHERE run_id = %s AND position > 0",
            [evaluation.id, evaluation.run_id],
        )
        cursor.execute(
            "INSERT INTO evaluations_criterionscore (judgement_id, criterion, position, status, unscored_reason, score,"
            " scale, weight, pass_mark, reason, evidence) SELECT j.id, c, 0, 'scored', '', j.weighted_score, '0-10', 1,"
            " 6, repeat('why ', 50), '[]' FROM evaluations_judgement j, unnest(ARRAY['first', 'second', 'third']) c"
            " WHERE j.evaluation_id = %s AND j.status = 'scored'",
            [evaluation.id],
        )
    return evaluation


def test_memory_does_not_grow_with_the_result_and_a_query_reads_500_conversations(config):
    peaks = []
    for conversations in (1_000, 4_000):
        evaluation = many(config, conversations)
        counted: list[int] = []
        tracemalloc.start()
        with CaptureQueriesContext(connection) as queries:
            pieces = export_results(format=ExportFormat.JSONL, evaluation_id=evaluation.id, count=counted.append)
            size = sum(len(piece) for piece in pieces)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert sum(counted) == (conversations + 1) * 3
        assert size > conversations * 3 * 500
        asked = [one for one in queries if "search_path" not in one["sql"]]
        assert len(asked) <= conversations // 500 + 8
    assert peaks[1] < peaks[0] * 1.5


def test_what_is_not_there_is_named_before_a_byte_is_written(config):
    with pytest.raises(NotFound):
        export_results(format=ExportFormat.CSV, evaluation_id=uuid4())
    with pytest.raises(NotFound, match="has not been evaluated"):
        export_results(format=ExportFormat.CSV, run_id=imported("c-1"))


def test_another_tenants_evaluation_is_not_found(tenant, other_tenant):
    from apps.tenants.context import in_tenant  # noqa: PLC0415 - see conftest

    evaluation = evaluated(make_config(), "c-1")
    with in_tenant(other_tenant), pytest.raises(NotFound):
        export_results(format=ExportFormat.CSV, evaluation_id=evaluation.id)


# --- The command ------------------------------------------------------------------------------------------------------
def export(*arguments: str) -> str:
    out = io.StringIO()
    call_command("export_results", *arguments, tenant="acme", stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_the_command_prints_the_table_or_writes_the_file(config, model, tmp_path: Path):
    evaluation = judged(config, "c-1")
    assert len(list(csv.DictReader(io.StringIO(export("--evaluation", str(evaluation.id)))))) == 3
    for format in FORMATS:
        path = tmp_path / f"results.{format}"
        told = export("--run", str(evaluation.run_id), "--format", format, "--out", str(path), "--json")
        assert json.loads(told) == {"rows": 3, "file": str(path), "format": format}
        assert len(read(path.read_bytes(), format)) == 3
    assert sorted(one.name for one in tmp_path.iterdir()) == ["results.csv", "results.jsonl", "results.parquet"]


@pytest.mark.parametrize(
    "more, code",
    [(["--json"], 2), (["--out", "/nowhere/at/all.csv"], 2)],
)
def test_wrong_use_is_exit_2(config, more, code):
    evaluation = evaluated(config, "c-1")
    with pytest.raises(CommandError) as refused:
        export("--evaluation", str(evaluation.id), *more)
    assert refused.value.returncode == code


def test_an_unknown_evaluation_leaves_the_file_that_was_there(config, tmp_path: Path):
    path = tmp_path / "kept.csv"
    path.write_text("before")
    with pytest.raises(CommandError):
        export("--evaluation", str(uuid4()), "--out", str(path))
    assert path.read_text() == "before"
    assert Judgement.objects.count() == 0
