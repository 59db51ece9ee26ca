"""What is wrong is found in the tenant's rows and told by mail, to Slack and to a signed webhook; once."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from standardwebhooks.webhooks import Webhook

from apps.alerts import rules
from apps.alerts.domain.conditions import Condition, Rule, Severity
from apps.alerts.models import Alert, AlertChannel, AlertMessage, AlertRound, AlertRuleSetting
from apps.alerts.services import channels, looking
from apps.alerts.services.slack_channel import escaped
from apps.audit.models import Entry
from apps.budgets.domain.scopes import month_of
from apps.budgets.models import Budget
from apps.budgets.services.limits import set_limit
from apps.core.errors import BadInput, Conflict
from apps.dashboard.home.queries.alerts import alerts_page
from apps.jobs.models import OutboundDelivery
from apps.jobs.services.delivering import deliver_due
from apps.production.rollouts.services.steering import roll_back
from tests.dashboard.conftest import make_run, signed_in
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.loopback.smtp import smtp_server
from tests.production.rollout_rows import role, start

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def _inside(tenant: str) -> None:
    """All of it in a tenant, rolled back."""


@pytest.fixture
def hooks() -> Iterator[tuple[str, list[Request]]]:
    got: list[Request] = []

    def answer(request: Request) -> Answer:
        got.append(request)
        return Answer(status=204)

    with LoopbackServer(answer) as server:
        yield server.url, got


def add(kind: str, address: str, name: str = "") -> channels.MadeChannel:
    return channels.add_channel(
        name=name or kind, kind=kind, address=address, origin="https://acme.example", by="amina", now=NOW
    )


def say(monkeypatch: pytest.MonkeyPatch, *conditions: Condition) -> None:
    """The rules find these, and nothing else."""
    found: dict[Rule, Callable[[datetime], Any]] = {rule: lambda _: [] for rule in Rule}
    found[Rule.RUN_STUCK] = lambda _: list(conditions)
    monkeypatch.setattr(looking, "RULES", found)


def wrong(key: str = "a", **more: Any) -> Condition:
    return Condition(rule=Rule.RUN_STUCK, key=key, sentence=f"Run {key} is stuck.", path="/runs/1/", **more)


def look(minutes: int, start: int = 0) -> None:
    for minute in range(start, start + minutes):
        looking.look_at_rules(now=NOW + minute * MINUTE)


def test_each_channel_is_told_once_in_its_own_way(monkeypatch, settings, hooks) -> None:
    settings.ALLOW_PRIVATE_CALLBACKS = True
    url, got = hooks
    say(monkeypatch, wrong("<!channel>"), wrong("b", severity=Severity.CRITICAL))
    with smtp_server() as box:
        settings.SMTP_URL, settings.MAIL_FROM = f"smtp://127.0.0.1:{box.port}?tls=no", "ratiba@acme.example"
        add("email", "amina@acme.example, owner@acme.example")
        add("slack", f"{url}/slack")
        made = add("webhook", f"{url}/signed")
        look(60)
        assert deliver_due(now=timezone.now) == 3
        assert deliver_due(now=timezone.now) == 0
    (to, mail), slack, signed = box.mails[0], *sorted(got, key=lambda one: one.path != "/slack")
    assert (to, len(box.mails)) == (["amina@acme.example", "owner@acme.example"], 1)
    assert mail["Subject"] == "[acme] 2 alerts: Run b is stuck."
    assert "https://acme.example/runs/1/" in mail.get_content()
    assert "&lt;!channel&gt;" in json.loads(slack.body)["text"]
    document = Webhook(made.secret).verify(signed.body, dict(signed.headers))
    assert document["type"] == "alert.opened"
    assert [one["sentence"] for one in document["data"]["alerts"]] == ["Run b is stuck.", "Run <!channel> is stuck."]
    assert set(OutboundDelivery.objects.values_list("status", flat=True)) == {"delivered"}


def test_a_channel_that_fails_is_tried_again_and_says_why(monkeypatch, settings) -> None:
    say(monkeypatch, wrong())
    add("email", "amina@acme.example")
    look(3)
    settings.SMTP_URL = ""
    deliver_due(now=timezone.now)
    row = OutboundDelivery.objects.get()
    assert (row.status, row.last_error) == ("pending", "no e-mail can be sent: RATIBA_SMTP_URL is not set")
    with smtp_server() as box:
        box.refuse = "550"
        settings.SMTP_URL = f"smtp://127.0.0.1:{box.port}?tls=no"
        deliver_due(now=lambda: timezone.now() + MINUTE)
    row.refresh_from_db()
    assert (row.status, row.last_error) == ("refused", "no address was taken (550)")


def test_an_outage_of_an_hour_over_three_channels_is_one_message_each_and_resolves(monkeypatch) -> None:
    for number in range(3):
        add("email", "amina@acme.example", name=f"channel {number}")
    say(monkeypatch, *[wrong(f"k{n}") for n in range(20)])
    look(60)
    assert (AlertMessage.objects.count(), Alert.objects.count()) == (3, 20)
    assert {one.alerts.count() for one in AlertMessage.objects.all()} == {20}
    say(monkeypatch)
    look(17, start=60)
    assert not Alert.objects.filter(resolved_at=None).exists()
    assert AlertMessage.objects.count() == 3


def test_a_rule_that_breaks_stops_no_other_and_resolves_nothing(monkeypatch) -> None:
    add("email", "amina@acme.example")
    say(monkeypatch, wrong())
    look(3)

    def broken(_: datetime) -> Any:
        raise KeyError("criteria")

    monkeypatch.setitem(looking.RULES, Rule.RUN_STUCK, broken)
    monkeypatch.setitem(looking.RULES, Rule.BUDGET, lambda _: [Condition(rule=Rule.BUDGET, key="m", sentence="Spent.")])
    look(30, start=3)
    assert set(Alert.objects.filter(resolved_at=None).values_list("rule", flat=True)) == {"run_stuck", "budget"}


def test_the_round_is_due_each_minute_from_the_first_channel_on() -> None:
    assert looking.pay_rounds(now=NOW) == 0
    add("email", "amina@acme.example")
    assert looking.pay_rounds(now=NOW) == 1
    assert looking.pay_rounds(now=NOW) == 0
    assert AlertRound.objects.get().not_before == NOW + MINUTE
    assert looking.pay_rounds(now=NOW + MINUTE) == 1


def test_a_rule_that_nobody_knows_changes_no_setting() -> None:
    channels.set_rules(enabled={"budget"})
    page = signed_in("amina", superuser=True).post("/alerts/rules/", {"rule": ["nonsense"]}, follow=True)
    assert "There is no rule" in page.content.decode()
    assert AlertRuleSetting.objects.get(enabled=True).rule == "budget"


def test_a_rule_that_is_off_opens_nothing(monkeypatch) -> None:
    say(monkeypatch, wrong())
    channels.set_rules(enabled={"budget"})
    assert AlertRuleSetting.objects.filter(enabled=True).count() == 1
    look(5)
    assert not Alert.objects.exists()


@pytest.mark.parametrize(
    "kind, address, code",
    [
        ("slack", "https://127.0.0.1/hook", "address_refused"),
        ("webhook", "https://169.254.169.254/", "address_refused"),
        ("webhook", "hooks.example.org", "bad_address"),
        ("email", "amina", "bad_address"),
        ("pager", "amina@acme.example", "unknown_channel"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_when_it_is_entered(kind, address, code) -> None:
    with pytest.raises(BadInput) as refused:
        add(kind, address)
    assert refused.value.code == code
    assert not AlertChannel.objects.exists()


def test_addresses_and_secrets_are_in_no_trail_and_names_are_single() -> None:
    made = add("webhook", "https://hooks.example.org/T0/secretpath", name="ops")
    text = " ".join(str(one.after) for one in Entry.objects.all())
    assert "secretpath" not in text
    assert made.secret not in text
    assert AlertChannel.objects.get().shown == "https://hooks.example.org/…"
    with pytest.raises(Conflict):
        add("webhook", "https://hooks.example.org/other", name="ops")


def test_slack_is_told_no_marks_of_its_own() -> None:
    assert escaped("<!channel> & <@U1>") == "&lt;!channel&gt; &amp; &lt;@U1&gt;"


# --- The rules, of real rows ------------------------------------------------------------------------------------------
def asked(rule: Rule, now: datetime = NOW) -> list[str]:
    return [one.sentence for one in rules.RULES[rule](now)]


def test_a_tenant_with_nothing_wrong_has_no_alert() -> None:
    make_run(2)
    assert {rule: asked(rule) for rule in Rule} == {rule: [] for rule in Rule}


def test_a_canary_that_was_rolled_back_is_told_once_with_its_reason(settings, hooks) -> None:
    settings.ALLOW_PRIVATE_CALLBACKS = True
    url, got = hooks
    add("slack", f"{url}/slack")
    role()
    rollout = start(now=NOW - timedelta(hours=2))
    assert asked(Rule.ROLLED_BACK) == []
    roll_back(rollout.pk, by="amina", now=NOW - MINUTE, reason="it forgets names")
    look(30)
    deliver_due(now=lambda: NOW + timedelta(hours=1))
    (told,) = got
    text = json.loads(told.body)["text"]
    assert "The canary of greeting was rolled back: it forgets names" in text
    assert f"https://acme.example/production/rollouts/{rollout.pk}/" in text
    assert asked(Rule.ROLLED_BACK, NOW + timedelta(days=1)) == []


def test_a_month_that_is_nearly_spent_is_told() -> None:
    scope = month_of(NOW)
    set_limit(scope=scope, usd=100)
    Budget.objects.filter(pk=scope.id).update(spent_usd=79)
    assert asked(Rule.BUDGET) == []
    Budget.objects.filter(pk=scope.id).update(spent_usd=81)
    assert len(asked(Rule.BUDGET)) == 1


def test_a_message_tells_what_was_seen_at_this_look_and_the_page_what_was_seen_at_the_last(monkeypatch) -> None:
    add("email", "amina@acme.example")
    say(monkeypatch, wrong("a"))
    look(3)
    say(monkeypatch, wrong("a"), wrong("b"))
    look(10, start=3)  # within a quarter of the first message: b waits
    say(monkeypatch, wrong("a"), wrong("c"))
    AlertRound.objects.update(not_before=NOW + 12 * MINUTE)
    looking.pay_rounds(now=NOW + 13 * MINUTE)
    page = alerts_page(now=NOW + 13 * MINUTE)
    assert ([one.key for one in page.open], [one.key for one in page.gone]) == (["a", "c"], ["b"])
    assert page.headline == "2 things are wrong now."
    look(10, start=14)
    assert [[one.key for one in message.alerts.all()] for message in AlertMessage.objects.order_by("created_at")] == [
        ["a"], ["c"],
    ]  # fmt: skip


def test_what_comes_back_after_people_were_told_that_it_is_over_is_told_again(monkeypatch) -> None:
    add("email", "amina@acme.example")
    spent = Condition(rule=Rule.BUDGET, key="month stopped", sentence="The month is spent.")
    monkeypatch.setattr(looking, "RULES", {Rule.BUDGET: lambda _: [spent]})
    look(3)
    monkeypatch.setattr(looking, "RULES", {Rule.BUDGET: lambda _: []})
    look(90, start=3)
    monkeypatch.setattr(looking, "RULES", {Rule.BUDGET: lambda _: [spent]})
    look(3, start=93)
    events = list(OutboundDelivery.objects.order_by("not_before").values_list("event", flat=True))
    assert events == ["alert.opened", "alert.resolved", "alert.opened"]


def test_a_rule_that_is_switched_off_does_not_say_that_it_is_over(monkeypatch) -> None:
    add("email", "amina@acme.example")
    spent = Condition(rule=Rule.BUDGET, key="month stopped", sentence="The month is spent.")
    monkeypatch.setattr(looking, "RULES", {Rule.BUDGET: lambda _: [spent]})
    look(3)
    channels.set_rules(enabled={"run_stuck"})
    look(90, start=3)
    assert OutboundDelivery.objects.count() == 1
