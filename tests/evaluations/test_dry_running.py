"""A dry run asks as an evaluation asks, says what came of it, and leaves nothing behind but the ledger."""

from decimal import Decimal

import pytest

from apps.budgets.models import ModelCall
from apps.catalog.configs.services.versions import new_version_from
from apps.catalog.models import EvaluatorConfigVersion
from apps.core.errors import BadInput, Conflict, NotFound
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.evaluations.requests.services import dry_running
from apps.evaluations.requests.services.dry_running import at_most, dry_run, prepare_trial, preview
from apps.runs.models import Conversation
from tests.evaluations.bench import NONCE, NOW, SALT, imported, judged
from tests.loopback import formats


def trial_of(config, *, draft=False, language=""):
    version = EvaluatorConfigVersion.objects.get(config__name=config.partition("@")[0], status="published")
    version_id = new_version_from(version_id=version.pk) if draft else version.pk
    if not Conversation.objects.exists():
        imported("c-1")
    return prepare_trial(version_id=version_id, conversation_id=Conversation.objects.first().pk, language=language)


def test_a_broken_reply_is_a_parse_error_in_words_with_what_was_said(config, model):
    model.text = "no JSON at all"
    found = dry_run(trial_of(config), now=lambda: NOW)
    assert found.verdict.status is JudgementStatus.PARSE_ERROR
    assert found.verdict.raw_reply == "no JSON at all"
    assert found.calls == 2  # the second asks more tightly, as in an evaluation


def test_a_provider_without_a_key_is_refused_before_anything_is_asked(config, model):
    from apps.catalog.models import ModelProvider  # noqa: PLC0415 - only here

    trial = trial_of(config)
    ModelProvider.objects.all().delete()
    with pytest.raises(BadInput):
        dry_run(trial, now=lambda: NOW)
    assert not ModelCall.objects.exists()


def test_it_never_takes_longer_than_the_model_may(config, settings):
    settings.MODEL_TIMEOUT_S = 0.3
    ticks = iter([0.0, 0.0] + [0.5] * 50)
    found = dry_run(trial_of(config), now=lambda: NOW, clock=lambda: next(ticks))
    assert found.verdict.status is JudgementStatus.MODEL_ERROR
    assert "dry run may take" in found.verdict.error_message


@pytest.mark.parametrize("draft", [False, True])
def test_scores_reasons_evidence_and_cost_come_back_and_only_the_ledger_is_written(config, draft):
    found = dry_run(trial_of(config, draft=draft), now=lambda: NOW, nonce=NONCE, salt=SALT)
    assert found.verdict.status is JudgementStatus.SCORED
    assert {one.criterion for one in found.verdict.scores} == {"first", "second", "third"}
    assert all(one.reason for one in found.verdict.scores)
    assert found.verdict.weighted_score is not None
    calls = ModelCall.objects.all()
    assert [(call.purpose, call.run_id, call.evaluation_id) for call in calls] == [("dry_run", None, None)]
    assert found.tokens_in == calls[0].input_tokens > 0
    assert not Evaluation.objects.exists()
    assert not Judgement.objects.exists()
    assert not CriterionScore.objects.exists()


def test_the_preview_is_what_an_evaluation_sends_word_for_word(config, model):
    judged(config, "c-1")
    sent = [message["content"] for message in model.last_body["messages"]]
    shown = preview(trial_of(config), nonce=NONCE, salt=SALT)
    assert sent == [shown.system, *(message.content for message in shown.messages)]


def test_a_preview_can_be_read_in_another_language(config):
    english, swahili = (preview(trial_of(config, language=language), nonce="n").system for language in ("en", "sw"))
    assert english != swahili


def test_what_is_not_there_is_said(config):
    from uuid import uuid4  # noqa: PLC0415 - only here

    version = EvaluatorConfigVersion.objects.first()
    with pytest.raises(NotFound):
        prepare_trial(version_id=version.pk, conversation_id=uuid4())
    with pytest.raises(NotFound):
        prepare_trial(version_id=uuid4(), conversation_id=uuid4())


def test_rate_limits_are_said_in_words(config, model):
    model.script(formats.error("openai", 429, headers={"retry-after": "7"}))
    found = dry_run(trial_of(config), now=lambda: NOW)
    assert found.verdict.wait_until is not None
    assert "limits us" in found.verdict.waiting_for


def test_a_spent_month_refuses_before_anything_is_asked_and_promises_are_given_back(config, model, monkeypatch):
    from apps.budgets.domain.estimate import Estimate  # noqa: PLC0415 - only here
    from apps.budgets.models import Budget, Reservation  # noqa: PLC0415 - only here

    trial = trial_of(config)
    monkeypatch.setattr(dry_running, "max_cost", lambda specs, **tokens: Estimate(usd=Decimal("0.01")))
    assert at_most(trial) == Decimal("0.02")
    dry_run(trial, now=lambda: NOW)
    assert not Reservation.objects.exists()
    asked = len(model.requests)
    Budget.objects.update(spent_usd=10**6)
    with pytest.raises(Conflict, match="spent"):
        dry_run(trial, now=lambda: NOW)
    assert len(model.requests) == asked
    assert not Reservation.objects.exists()
