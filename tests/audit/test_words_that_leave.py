"""A person's words leave masked by every door that promises it: a number stands in each personal column, and no file
and no other system gets one of them in clear. Pages and the API show rows as they are stored (masked, where the tenant
stores masked), and of some columns nothing at all."""

import json
from collections.abc import Iterator

import pytest
from django.apps import apps
from django.test import Client
from django.utils import timezone

from apps.alerts.domain.wording import Message
from apps.alerts.models import Alert, AlertChannel, AlertMessage
from apps.alerts.services.telling import _message
from apps.api.services.callbacks import callback_body
from apps.audit.admin import _csv
from apps.audit.domain.masking_rules import for_others, in_file
from apps.audit.domain.personal_columns import IDENTIFIERS, MASKED_AT_REST, NEVER_LEAVES, PERSONAL, TO_THE_LETTER
from apps.audit.masked_rows import masked_rows
from apps.audit.models import Entry
from apps.calibration.domain.labels_reading import write_labels
from apps.calibration.models import LabellingRound
from apps.calibration.queries.labels import gathered_labels
from apps.calibration.queries.queues import rows_to_export
from apps.catalog.files.services.exporting import catalog_as_yaml
from apps.dashboard.labelling.views.queues import RATINGS
from apps.evaluations.models import Evaluation, Judgement
from apps.improvement.drafts.queries.releases import commit_patch_of
from apps.improvement.models import PromptDraft
from apps.production.exports.domain.exported_spans import exported_spans
from apps.production.exports.queries.exported_work import judgements, played_conversations
from apps.production.langfuse.domain.spans import langfuse_names
from apps.production.langfuse.services.datasets import _golden_items, _scenario_items
from apps.production.langfuse.services.runs import _scores
from apps.production.otlp.domain.genai_spans import genai_names
from apps.reports.tables.services.exporting import (
    ExportFormat,
    ExportTable,
    export_check_results,
    export_results,
    export_rows,
)
from apps.runs.models import Conversation, TestRun, Turn
from apps.tenants.context import in_tenant
from tests.api.api_client import stock
from tests.audit.planted_words import columns_of, plant_everywhere, planted, shown_in
from tests.doors.addresses import all_addresses
from tests.doors.test_every_url import path_of
from tests.doors.world import WITHOUT_ROWS
from tests.guards.source import files as source_files
from tests.guards.source import place

JSONL = ExportFormat.JSONL


@pytest.fixture
def key(tenant: str) -> Iterator[str]:
    key, _webhook = stock(tenant)
    with in_tenant(tenant):
        plant_everywhere()
        yield key


def files() -> dict[str, str]:
    """What each file of the house holds."""
    runs, evaluations = list(TestRun.objects.all()), list(Evaluation.objects.all())
    results = [b"".join(export_results(format=JSONL, evaluation_id=one.pk)) for one in evaluations]
    checks = [b"".join(export_check_results(format=JSONL, run_id=one.pk)) for one in runs]
    queues = [
        b"".join(export_rows(table=RATINGS, rows=rows_to_export(one.pk), format=ExportFormat.CSV))
        for one in LabellingRound.objects.all()
    ]
    return {
        "results": b"".join(results).decode(),
        "checks": b"".join(checks).decode(),
        "a queue's ratings": b"".join(queues).decode(),
        "labels": write_labels(gathered_labels()),
        "the catalog": catalog_as_yaml(),
        "the trail": "".join(_csv(Entry.objects.all())),
        "a draft's commit": commit_patch_of(PromptDraft.objects.earliest("pk"), now=timezone.now()),
    }


def messages() -> dict[str, str]:
    """What other systems are sent."""
    played = played_conversations(list(Conversation.objects.values_list("pk", flat=True)))
    judged = judgements(list(Judgement.objects.values_list("pk", flat=True)))
    work = (*played.values(), *judged.values())
    spans = [
        exported_spans(one.subject, one.work, one.calls, one.turns, naming=naming)
        for one in work
        for naming in (langfuse_names, genai_names)
    ]
    assert played
    assert judged
    assert "0722" not in json.dumps([_scores(one) for one in judged.values()])
    bodies = [callback_body(one, "evaluation.completed", timezone.now()) for one in Evaluation.objects.all()]
    return {
        "traces in Langfuse": repr(spans),
        "a data set in Langfuse": json.dumps(_scenario_items("d") + _golden_items("d")),
        "callbacks": repr(bodies),
        "alerts": repr(_alert()),
    }


def _alert() -> Message:
    row = AlertMessage.objects.create(channel=AlertChannel.objects.earliest("pk"), origin="https://x.example")
    row.alerts.set(Alert.objects.all())
    assert row.alerts.exists()
    return _message(row, "msg_1")


def test_no_file_and_no_other_system_gets_a_persons_words_in_clear(key: str) -> None:
    assert len(planted()) > 75, "few columns hold a number: nothing is tried"
    to_the_letter = columns_of(TO_THE_LETTER) | {f"{table}.{column}" for table, column in IDENTIFIERS}
    to_the_letter |= {"audit_entry.before", "audit_entry.after"}  # where the others' columns stand once more
    clear = {name: shown_in(text) - to_the_letter for name, text in files().items()}
    assert {name: columns for name, columns in clear.items() if columns} == {}
    assert {name: shown_in(text) for name, text in messages().items() if shown_in(text)} == {}


def test_some_columns_are_shown_by_no_answer_of_the_api(key: str) -> None:
    models = [model for model in apps.get_models() if model._meta.app_label not in WITHOUT_ROWS]
    rows = {
        model._meta.label_lower: model._default_manager.order_by("pk").values_list("pk", flat=True).first()
        for model in models
    }
    client, shown = Client(raise_request_exception=False), set[str]()
    for address in all_addresses():
        if address.host == "tenant" and address.route.startswith("api/v1/"):
            headers = {"host": "acme.localhost", "authorization": f"Bearer {key}"}
            shown |= shown_in(client.get(path_of(address, rows), headers=headers).content)
    assert "runs_turn.content" in shown
    assert shown & columns_of(NEVER_LEAVES) == set()


@pytest.mark.parametrize("listed", [TO_THE_LETTER, NEVER_LEAVES, MASKED_AT_REST])
def test_what_leaves_in_another_way_is_on_the_list_of_personal_columns(listed) -> None:
    assert {f"{table}.{column}" for table, columns in listed.items() for column in columns} <= columns_of(PERSONAL)


@pytest.mark.parametrize(
    "sources, said",
    [
        ({}, "which table.column do these texts come from: heard"),
        ({"heard": "runs_turn.heard"}, "runs_turn.heard stands on no list"),
        ({"heard": "production_tracespan.body"}, "production_tracespan.body never leaves the house"),
    ],
)
def test_a_table_cannot_export_a_text_whose_column_is_on_no_list(sources, said) -> None:
    with pytest.raises(ValueError, match=said):
        ExportTable(columns=("heard",), sources=sources)


def test_a_table_exports_its_columns_alone_and_masks_words() -> None:
    table = ExportTable(
        columns=("said", "id"), sources={"said": "runs_turn.content", "id": "runs_conversation.external_id"}
    )
    row = {"said": "I am on 0712 345 678", "id": "c-0712345678", "heard": "0712 345 678"}
    (line,) = export_rows(table=table, rows=iter([row]), format=JSONL)
    assert json.loads(line) == {"said": "I am on +254 7** *** 678", "id": "c-0712345678"}


def test_a_column_that_no_list_knows_leaves_masked() -> None:
    change = {"goal": "to 0712 345 678", "heard": "0712 345 678", "status": "draft"}
    assert in_file("catalog_scenario", change) == {**change, "heard": "+254 7** *** 678"}
    sent = for_others("runs_turn", {"heard": ["0712 345 678"], "role": "user", "position": 254712345678})
    assert sent == {"heard": ["+254 7** *** 678"], "role": "user", "position": 254712345678}
    assert in_file("production_tracespan", {"body": "0712 345 678"}) == {"body": None}


def test_a_masked_row_is_a_copy_and_rows_that_were_read_with_it_are_masked_too() -> None:
    run = TestRun(name="run of 0712 345 678")
    row = Conversation(run=run, external_id="0712 345 678")
    turn = Turn(conversation=row, role="user", content="0712 345 678", extra={"heard": ["0712 345 678"]})
    (masked,) = masked_rows([turn])
    assert (masked.content, masked.extra) == ("+254 7** *** 678", {"heard": ["+254 7** *** 678"]})
    assert (masked.conversation.external_id, masked.conversation.run.name) == (
        "+254 7** *** 678",
        "run of +254 7** *** 678",
    )
    assert (turn.content, row.external_id, run.name) == ("0712 345 678", "0712 345 678", "run of 0712 345 678")


SENDERS = ("send_spans(", "post_spans(", "send_scores(", ".push(client", "csv.writer(", "_WRITERS[")
MASKING = ("masked_rows(", "masked_columns(", "in_file(", "table.masked(")
READ_MASKED = {
    f"apps/production/{name}.py"
    for name in ("langfuse/services/runs", "otlp/services/delivery", "otlp/services/connection")
}
# What the first two send is read by exports/queries/exported_work.py; the third sends no spans.


def test_who_writes_a_table_or_sends_to_a_langfuse_reads_masked_rows() -> None:
    texts = {place(path): path.read_text() for path in source_files("apps") if "connectors" not in path.parts}
    senders = {name: text for name, text in texts.items() if any(one in text for one in SENDERS)}
    assert len(senders) >= 5
    assert {name for name, text in senders.items() if not any(one in text for one in MASKING)} == READ_MASKED
