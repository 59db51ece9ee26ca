"""What is written once stays, whoever writes: statements past the services are refused by the database."""

from collections.abc import Callable

import pytest
from django.db import DatabaseError, connection, transaction

from apps.budgets.models import ModelCall
from apps.budgets.queries import spent_on_evaluation
from apps.evaluations.progress.services.reconciling import requeue_errors
from apps.runs.models import Conversation
from tests.evaluations.bench import NOW, judged, make_config, only
from tests.loopback.providers import ModelProvider

Refused = Callable[[str], None]


@pytest.fixture
def refused(tenant: str) -> Refused:
    def run(sql: str) -> None:
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)

    return run


def changed(sql: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.rowcount)


def test_an_evaluation_s_snapshot_and_a_run_s_plan_are_frozen(config: str, refused: Refused) -> None:
    judged(config)
    refused("UPDATE evaluations_evaluation SET snapshot = snapshot || '{\"criteria\": []}'")
    refused("UPDATE evaluations_evaluation SET config_ref = 'tea@99'")
    refused("UPDATE evaluations_evaluation SET options = options || '{\"repeat\": 9}'")
    refused('UPDATE evaluations_evaluation SET subject = \'{"agent": "another"}\'')
    refused("UPDATE runs_testrun SET plan = '{}'")
    refused('UPDATE runs_testrun SET subject = \'{"agent": "another"}\'')
    refused("UPDATE runs_conversation SET labels = '{\"passes\": true}'")
    assert changed("UPDATE evaluations_evaluation SET error_message = 'x'") == 1


def test_turns_of_a_conversation_that_is_over_stay(config: str, refused: Refused) -> None:
    judged(config)
    refused("UPDATE runs_turn SET content = 'never said' WHERE position = 0")
    refused("DELETE FROM runs_turn")
    Conversation.objects.update(status="running")  # one that is being played begins again in a clean place
    assert changed("DELETE FROM runs_turn") == 2


def test_the_ledger_is_settled_once(config: str, refused: Refused) -> None:
    judged(config)
    refused("UPDATE budgets_modelcall SET cost_usd = 0")
    refused("DELETE FROM budgets_modelcall")
    call = ModelCall.objects.get()
    ModelCall.objects.create(purpose="judge", provider="p", requested_model="m", outcome="open", run_id=call.run_id)
    assert changed("UPDATE budgets_modelcall SET outcome = 'ok', cost_usd = 1 WHERE outcome = 'open'") == 1
    refused("UPDATE budgets_modelcall SET cost_usd = 2 WHERE cost_usd = 1")


def test_an_error_that_ended_is_owed_again_or_stays_as_it_was(
    config: str, model: ModelProvider, refused: Refused
) -> None:
    model.text = "no scores today"
    evaluation = judged(config)
    assert only(evaluation).status == "parse_error"
    refused("UPDATE evaluations_judgement SET raw_reply = 'something else'")
    refused("UPDATE evaluations_judgement SET status = 'scored', weighted_score = 10")
    refused("DELETE FROM evaluations_judgement")
    assert requeue_errors(run_id=evaluation.run_id, now=NOW) == 1


def test_what_the_offline_rules_answer_is_no_call(tenant: str) -> None:
    evaluation = judged(make_config(weights={"natural_tone": 1.0}))
    assert only(evaluation).status != "pending"
    assert spent_on_evaluation(evaluation.pk).calls == 0
    assert ModelCall.objects.count() == 0
