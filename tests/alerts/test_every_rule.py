"""Every rule fires on real rows and reaches a mailbox, is the page's "wrong now", and goes."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.alerts.domain.conditions import LASTING, Rule
from apps.alerts.models import AlertRound
from apps.alerts.queries.evaluation_alerts import silent_judges
from apps.alerts.services import channels, looking
from apps.budgets.domain.scopes import month_of
from apps.budgets.models import Budget, ModelCall
from apps.budgets.services.limits import set_limit
from apps.calibration.domain.agreement_with_people import CertificateVerdict
from apps.calibration.models import Calibration, Certificate
from apps.dashboard.home.queries.alerts import alerts_page
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.jobs.models import OutboundDelivery
from apps.jobs.services.delivering import deliver_due
from apps.production.models import ProductionConversation, Rollout
from apps.production.rollouts.services.watching_rollouts import look_at_rollouts
from apps.runs.models import Conversation, TestRun
from apps.runs.playing.services.control import time_out_runs
from tests.dashboard.conftest import make_evaluation, make_run
from tests.loopback.smtp import smtp_server
from tests.production import rollout_rows
from tests.production.sampling_rows import many

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@pytest.fixture(autouse=True)
def _inside(tenant: str) -> None:
    """All of it in a tenant, rolled back."""


def _judged(count: int = 12, *, ago: timedelta, score: float = 8.0, states: Any = (), **fields: Any) -> Evaluation:
    run, rows = make_run(count)
    evaluation = make_evaluation(run, rows, score=score, states=states)
    at = {"created_at": NOW - ago, "started_at": NOW - ago, "ended_at": NOW - ago, "progress_at": NOW - ago}
    Evaluation.objects.filter(pk=evaluation.pk).update(**{**at, **fields})
    return evaluation


def _score_falls() -> str:
    _judged(ago=3 * HOUR)
    _judged(ago=HOUR, score=7.0)
    return "An agent scores 1.0 points lower (1.0 to 1.0) by tea@1 on 12 cases than before."


def _run_is_stopped() -> str:
    run, _ = make_run(3, status="running", name="Friday's run", conversation_status="pending")
    TestRun.objects.filter(pk=run.pk).update(progress_at=NOW - HOUR)
    assert time_out_runs(now=NOW - MINUTE, minutes=30) == [run.pk]  # the watchdog, as it works
    return "Friday's run was stopped: it made no progress."


def _evaluation_fails() -> str:
    _judged(ago=HOUR, status="failed")
    return "1 evaluation with tea@1 failed within the last day."


def _evaluation_is_made_again() -> None:
    failed = Evaluation.objects.get()
    Evaluation.objects.create(
        run=failed.run,
        config_version=failed.config_version,
        config_ref=failed.config_ref,
        status="pending",
        snapshot={},
    )


def _judge_is_silent() -> str:
    evaluation = _judged(6, ago=HOUR, states=["model_error"] * 6, status="running", ended_at=None)
    Judgement.objects.filter(evaluation=evaluation).update(status="pending")
    Judgement.objects.filter(evaluation=evaluation).update(status="model_error", judged_at=NOW - 20 * MINUTE)
    return "The judge gemini-2.5-flash of google does not answer: 6 conversations of 1 evaluation got no answer"


def _judge_answers() -> None:
    one = Judgement.objects.first()
    assert one is not None
    Judgement.objects.filter(pk=one.pk).update(status="pending")
    Judgement.objects.filter(pk=one.pk).update(
        status="scored", weighted_score=7.0, fingerprint="f" * 64, judged_at=NOW + 5 * MINUTE
    )


def _budget_is_spent() -> str:
    scope = month_of(NOW)
    set_limit(scope=scope, usd=100)
    Budget.objects.filter(pk=scope.id).update(spent_usd=90)
    return "$90.00 of $100.00 spent"


def _budget_is_raised() -> None:
    set_limit(scope=month_of(NOW), usd=1000)


def _canary_goes_back() -> str:
    rollout_rows.role()
    rollout = rollout_rows.start(percentage=25, now=NOW - HOUR)
    for caller in rollout_rows.CALLERS[:2]:
        for id in rollout_rows.ids(caller, below=25, count=20):
            rollout_rows.post(id, rollout_rows.CANARY, caller=caller, cost_usd=0.04)
        for id in rollout_rows.ids(caller, above=25, below=100, count=20):
            rollout_rows.post(id, rollout_rows.STABLE, caller=caller, cost_usd=0.02)
    Rollout.objects.update(ends_at=timezone.now() + DAY)
    look_at_rollouts(now=timezone.now())  # the rule, on constant costs
    assert Rollout.objects.filter(pk=rollout.pk).update(ended_at=NOW - MINUTE)
    return "The canary of greeting was rolled back: it costs more than stable: +100 %"


def _certificate_ends() -> str:
    evaluation = _judged(ago=20 * DAY)
    calibration = Calibration.objects.create(evaluation=evaluation, labels={}, declared={})
    Certificate.objects.create(
        calibration=calibration, fingerprint="f" * 64, config_ref="tea@1", verdict=CertificateVerdict.CERTIFIED,
        items=[], declared={}, labels_digest="d" * 64, issued_at=NOW - 20 * DAY, valid_until=NOW + 3 * DAY,
    )  # fmt: skip
    return "The certificate of tea@1 ends on 26 November 2026."


def _certificate_is_made_anew() -> None:
    evaluation = _judged(ago=2 * HOUR)
    calibration = Calibration.objects.create(evaluation=evaluation, labels={}, declared={})
    Certificate.objects.create(
        calibration=calibration, fingerprint="f" * 64, config_ref="tea@1", verdict=CertificateVerdict.CERTIFIED,
        items=[], declared={}, labels_digest="e" * 64, issued_at=NOW, valid_until=NOW + 90 * DAY,
    )  # fmt: skip


def _deliveries_are_given_up() -> str:
    def made(kind: str, **fields: Any) -> None:
        OutboundDelivery.objects.create(
            kind=kind, subject_id=uuid.uuid4(), event="e", last_attempt_at=NOW - MINUTE, not_before=NOW + DAY, **fields
        )

    made("callback", status="delivered", attempts=1)
    made("whatsapp_prompt", status="pending", attempts=3)
    for kind in ("callback", "langfuse", "whatsapp_question", "alert_slack"):
        made(kind, status="failed", attempts=15)
    made("callback", status="pending", attempts=4)
    return "Callback: 2 did not arrive within the last day, 1 of them given up."


def _sampling_is_empty() -> str:
    before, lately = many(2, at=NOW - 4 * DAY), many(21, at=NOW - DAY, start=100)
    for ids, at in ((before, NOW - 4 * DAY), (lately, NOW - DAY)):
        ProductionConversation.objects.filter(conversation_id__in=ids).update(settled_at=at)
    rows = list(Conversation.objects.filter(pk__in=before))
    make_evaluation(rows[0].run, rows)
    return "None of the last two days' 21 real conversations was judged, and those before were."


def _sampling_goes_on() -> None:
    row = Conversation.objects.filter(production__settled_at__gte=NOW - 2 * DAY).first()
    assert row is not None
    make_evaluation(row.run, [row])


def _judges_agree_less() -> str:
    for ago, apart in ((14 * DAY, 0.2), (DAY, 3.0)):
        run, rows = make_run(12)
        evaluation = make_evaluation(run, rows, states=["parse_error"] * 12)
        for row in rows:
            judgement = Judgement.objects.create(
                evaluation=Evaluation.objects.create(
                    run=run, config_version=evaluation.config_version, config_ref="tea@1", status="completed",
                    snapshot={}, ended_at=NOW - ago,
                ),
                conversation=row, status="scored", weighted_score=8.0, fingerprint="f" * 64, judged_at=NOW - ago,
            )  # fmt: skip
            CriterionScore.objects.create(
                judgement=judgement, criterion="first", position=0, status="scored", score=8.0, weight=1, pass_mark=6,
                opinions=[{"purpose": "cross_check", "score": 8.0 - apart}],
            )  # fmt: skip
    return "Two judges of tea differ by 3.0 points this week, and by 0.2 before."


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What breaks, and returns what is told of it; what mends it, where it does not only grow old; where it leads."""

    breaks: Callable[[], str]
    mends: Callable[[], None] = lambda: None
    path: str
    after: timedelta = 30 * HOUR


FAULTS: Mapping[Rule, Fault] = {
    Rule.SCORE_DROP: Fault(breaks=_score_falls, path="/evaluations/"),
    Rule.RUN_STUCK: Fault(breaks=_run_is_stopped, path="/runs/"),
    Rule.EVALUATION_FAILED: Fault(
        breaks=_evaluation_fails, mends=_evaluation_is_made_again, path="/evaluations/", after=2 * HOUR
    ),
    Rule.JUDGE_SILENT: Fault(breaks=_judge_is_silent, mends=_judge_answers, path="/evaluations/", after=2 * HOUR),
    Rule.BUDGET: Fault(breaks=_budget_is_spent, mends=_budget_is_raised, path="/usage/", after=2 * HOUR),
    Rule.ROLLED_BACK: Fault(breaks=_canary_goes_back, path="/production/rollouts/"),
    Rule.CERTIFICATE: Fault(
        breaks=_certificate_ends, mends=_certificate_is_made_anew, path="/calibration/", after=2 * HOUR
    ),
    Rule.DELIVERIES: Fault(breaks=_deliveries_are_given_up, path="/admin/api/callback/"),
    Rule.SAMPLING_EMPTY: Fault(breaks=_sampling_is_empty, mends=_sampling_goes_on, path="/production/", after=2 * HOUR),
    Rule.AGREEMENT: Fault(breaks=_judges_agree_less, path="/calibration/", after=12 * DAY),
}


def look_from(start: datetime, minutes: int) -> datetime:
    """A look a minute, as a worker makes it; when the last one was."""
    for minute in range(minutes):
        now = start + minute * MINUTE
        AlertRound.objects.update(not_before=now)
        assert looking.pay_rounds(now=now) == 1
    return start + (minutes - 1) * MINUTE


def test_every_rule_has_a_fault_here() -> None:
    assert set(FAULTS) == set(Rule)


@pytest.mark.parametrize("rule", FAULTS)
def test_a_fault_is_mailed_with_its_page_and_what_lasted_is_told_to_be_over(rule: Rule, settings: Any) -> None:
    fault = FAULTS[rule]
    channels.set_rules(enabled={rule.value})
    channels.add_channel(
        name="mail", kind="email", address="amina@acme.example", origin="https://acme.example", by="amina", now=NOW
    )
    assert looking.look_at_rules(now=NOW - MINUTE).open == 0
    sentence = fault.breaks()
    with smtp_server() as box:
        settings.SMTP_URL, settings.MAIL_FROM = f"smtp://127.0.0.1:{box.port}?tls=no", "ratiba@acme.example"
        last = look_from(NOW, 3)
        assert alerts_page(now=last).open
        deliver_due(now=lambda: last + MINUTE)
        [(to, mail)] = box.mails
        assert to == ["amina@acme.example"]
        assert sentence in mail.get_content()
        assert mail.get_content().lower().count("rolled back") <= 1
        assert f"https://acme.example{fault.path}" in mail.get_content()
        fault.mends()
        last = look_from(NOW + fault.after, 3)
        page = alerts_page(now=last)
        assert (page.headline, page.open, page.gone) == ("No rule finds anything wrong now.", [], [])
        deliver_due(now=lambda: last + MINUTE)
    over = [mail for _, mail in box.mails[1:]]
    assert len(over) == (rule in LASTING)
    assert all(sentence in mail.get_content() and "No longer so" in mail["Subject"] for mail in over)


class TestAJudgeThatFails:
    def calls(self, *outcomes: str, since: timedelta = 10 * MINUTE, **fields: Any) -> None:
        """A judge's calls, the first one `since` ago, a second after each other."""
        for at, outcome in enumerate(outcomes):
            call = ModelCall.objects.create(
                **{"purpose": "judge", "provider": "loopback", "requested_model": "b", "outcome": "open", **fields}
            )
            called_at = NOW - since + timedelta(seconds=at)
            ModelCall.objects.filter(pk=call.pk).update(created_at=called_at, outcome=outcome)

    def told(self) -> list[str]:
        return [one.sentence for one in silent_judges(NOW)]

    @pytest.mark.parametrize("outcome", ["unreachable", "remote_failure", "remote_refusal", "quota_spent"])
    def test_one_that_fails_most_calls_is_told_though_it_answers_some(self, outcome: str) -> None:
        self.calls("ok", outcome, outcome, "ok", *[outcome] * 7)
        assert self.told() == ["The judge b of loopback fails: 9 of its last 11 calls got no answer."]

    def test_one_whose_fallback_judged_in_its_place_is_told(self) -> None:
        self.calls(*["unreachable"] * 6)
        self.calls(*["ok"] * 6, provider="other", fallback=True)
        assert self.told() == ["The judge b of loopback fails: 6 of its last 6 calls got no answer."]

    def test_replies_that_cannot_be_read_limits_and_what_is_still_asked_are_no_silence(self) -> None:
        self.calls(*["ok"] * 12)  # unread replies are answers: their judgements are parse errors
        self.calls(*["rate_limited"] * 12, *["open"] * 6, provider="other")
        assert _judged(12, ago=HOUR, states=["parse_error"] * 12).pk
        assert self.told() == []

    def test_a_few_failures_and_those_of_other_work_are_no_silence(self) -> None:
        self.calls(*["unreachable"] * 4)
        self.calls(*["unreachable"] * 9, provider="other", purpose="simulator")
        self.calls(*["unreachable"] * 9, provider="third", cached=True)
        self.calls(*["unreachable"] * 9, provider="fourth", since=2 * HOUR)
        assert self.told() == []

    def test_it_is_over_when_the_judge_answers_again(self) -> None:
        self.calls(*["unreachable"] * 15)
        assert self.told()
        self.calls(*["ok"] * 10, since=5 * MINUTE)
        assert self.told() == []

    def test_a_judge_that_is_silent_for_both_reasons_is_told_once(self) -> None:
        said = _judge_is_silent()
        self.calls(*["unreachable"] * 6, provider="google", requested_model="gemini-2.5-flash")
        (sentence,) = self.told()
        assert sentence.startswith(said)

    def test_it_is_mailed_and_its_end_too_where_nobody_set_a_rule(self, settings: Any) -> None:
        channels.add_channel(
            name="mail", kind="email", address="amina@acme.example", origin="https://acme.example", by="amina", now=NOW
        )
        self.calls(*["unreachable"] * 9)
        with smtp_server() as box:
            settings.SMTP_URL, settings.MAIL_FROM = f"smtp://127.0.0.1:{box.port}?tls=no", "ratiba@acme.example"
            last = look_from(NOW, 3)
            deliver_due(now=lambda: last + MINUTE)
            self.calls(*["ok"] * 15, since=-5 * MINUTE)
            last = look_from(NOW + 10 * MINUTE, 90)
            deliver_due(now=lambda: last + MINUTE)
        began, over = (mail for _, mail in box.mails)
        sentence = "The judge b of loopback fails: 9 of its last 9 calls got no answer."
        assert f"CRITICAL: {sentence}" in began.get_content()
        assert f"NO LONGER SO: {sentence}" in over.get_content()
        assert over["Subject"].startswith("[acme] No longer so: ")
