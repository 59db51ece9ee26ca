"""Turns of earlier attempts stay to be looked at; everything that reads a conversation reads the last attempt only."""

import ast
import re
import uuid
from types import SimpleNamespace

import pytest

from apps.api.queries.documents import conversation_document
from apps.api.views.test_runs import conversations_of
from apps.calibration.queries import labels
from apps.catalog.models import EvaluatorConfigVersion
from apps.checks.queries.metric_cases import run_cases
from apps.core.conversation import TurnRole, Utterance
from apps.core.documents import as_json
from apps.dashboard.labelling.queries import rating as labelling
from apps.dashboard.results.queries.run import run_page
from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.evaluations.judging.services.leases import claim
from apps.evaluations.requests.services.creating import request_evaluation
from apps.evaluations.requests.services.dry_running import prepare_trial
from apps.improvement.analysis.queries import failing_conversations
from apps.reports.comparisons.services import pairwise
from apps.runs.models import Conversation, TestRun, Turn
from apps.runs.services.turns import turn_row
from tests.evaluations.bench import make_config
from tests.guards.source import PRODUCT, called, files, place, tree
from tests.runs.stage import NOW

LOOSE = re.compile(
    r"(Turn\.objects|[\w.]+\.turns)\.(filter|exclude|all|get|first|last|count|order_by|values|values_list)"
)
PREFETCHED = ("conversation.turns.all()",)  # of api.queries.documents: conversations_of has fetched the transcript
EVERY_ATTEMPT = (  # of retention, which deletes them all, and of erasure, which looks for a person's words in all
    "Turn.objects.filter(conversation_id__in=ids)",
    "Turn.objects.filter(conversation_id__in=ids, role='user')",
    "Turn.objects.filter(content__in=whole)",
)
COUNTS = ["Hi again", "Ten?", "Bye"]


@pytest.fixture
def twice(tenant: str) -> Conversation:
    """A battle whose first attempt was lost; in the second the agent needed a nudge."""
    run = TestRun.objects.create(kind="battle", status="completed", started_at=NOW, ended_at=NOW, progress_at=NOW)
    row = Conversation.objects.create(
        run=run, position=0, external_id="b-0", kind="battle", status="ended", attempt=2, end_reason="max_turns"
    )
    for attempt, lines in {1: ["Hi", "lost"], 2: ["Hi again", "Ten?", "*still there?", "Bye"]}.items():
        roles = ["user", "assistant", "user", "assistant"]
        for position, (role, line) in enumerate(zip(roles, lines, strict=False)):
            turn = Utterance(role=TurnRole(role), content=line.lstrip("*"), nudge=line.startswith("*"))
            turn_row(row.id, position, turn, masked=False, attempt=attempt).save()
    return row


def texts(turns) -> list[str]:
    return [turn["content"] for turn in turns]


def test_attempts_stand_beside_each_other_and_purposes_are_stored(twice):
    rows = Turn.objects.filter(conversation=twice).order_by("attempt", "position")
    assert list(rows.values_list("attempt", "position", "purpose")) == [
        (1, 0, "customer"), (1, 1, "agent"),
        (2, 0, "customer"), (2, 1, "agent"), (2, 2, "nudge"), (2, 3, "agent"),
    ]  # fmt: skip
    assert Turn.objects.last_attempt().count() == 4
    assert Turn.objects.transcript().count() == 3


@pytest.mark.parametrize(
    "role, purpose", [("user", "customer"), ("assistant", "agent"), ("tool", "agent"), ("system", "system")]
)
def test_a_turns_purpose_follows_from_its_role(role, purpose):
    assert turn_row(uuid.uuid4(), 0, Utterance(role=TurnRole(role), content="x"), masked=False).purpose == purpose


def test_judges_are_shown_the_last_attempt_without_nudges(twice):
    request_evaluation(config=make_config(), run_id=twice.run_id, now=NOW)
    enqueue_judgements(now=NOW)
    (claimed,) = claim(token=uuid.uuid4(), limit=5, now=NOW)
    assert texts(claimed.turns) == COUNTS


def test_so_are_dry_runs(twice):
    make_config()
    trial = prepare_trial(version_id=EvaluatorConfigVersion.objects.get().pk, conversation_id=twice.pk)
    assert texts(trial.claimed.turns) == COUNTS


def test_metrics_measure_the_last_attempt(twice):
    ((case,), _) = run_cases(run_id=twice.run_id)
    assert texts(case.case.turns) == COUNTS


def test_two_conversations_are_compared_by_their_last_attempts(twice):
    assert texts(pairwise._sides({twice.pk})[twice.pk].turns) == COUNTS


def test_the_analyzer_reads_the_last_attempt(twice):
    assert texts(failing_conversations._turns([twice.pk])[twice.pk]) == COUNTS


def test_people_label_and_labels_keep_the_last_attempt(twice):
    shown = labelling._turns(SimpleNamespace(conversation_id=twice.pk))
    assert [(turn.position, turn.text) for turn in shown] == list(enumerate(COUNTS))
    assert [turn.content for turn in labels._turns([twice.pk])[twice.pk]] == COUNTS


def test_the_api_gives_the_last_attempt_and_why_it_ended(twice):
    found = as_json(conversation_document(conversations_of(twice.run).get()))
    assert texts(found["turns"]) == COUNTS
    assert (found["attempt"], found["end_reason"]) == (2, "max_turns")


def test_a_runs_page_counts_the_last_attempts_turns(twice):
    Conversation.objects.update(status="failed")
    assert [row.turn_count for row in run_page(twice.run_id, now=NOW, asked={}).failed] == [4]


def test_whoever_reads_turns_says_which_attempt():
    """`Turn.objects.transcript()`, `.last_attempt()`, or a filter on `attempt`; a new reader is held to it too."""
    loose = [
        place(path, node)
        for path in files(*PRODUCT)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and LOOSE.fullmatch(called(node))
        and not any((word.arg or "").startswith("attempt") for word in node.keywords)
        and ast.unparse(node) not in (*PREFETCHED, *EVERY_ATTEMPT)
    ]
    assert not loose
