"""Two tenants with a row in every table that has a page, the people of each, and their keys. Committed once.

`MARK` stands in every text of acme that a page may show; `secrets` are values that no page may ever show.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.cookies import SimpleCookie
from typing import Any

import pgtrigger
from django.apps import apps
from django.contrib.auth.models import Group, User
from django.core.cache import cache
from django.db import connection
from django.test import Client

from apps.alerts.models import Alert, AlertChannel
from apps.api.models import ApiKey
from apps.api.services.keys import add_api_key, add_webhook_key
from apps.audit.models import Entry
from apps.budgets.models import ModelCall
from apps.calibration.models import LabellingRound
from apps.calibration.services.remarks import add_note
from apps.catalog.connections.services.agent_connections import connect_agent
from apps.catalog.connections.services.profiles import store_profile_version
from apps.catalog.goldens.services.versions import store_golden_version
from apps.catalog.models import (
    Agent,
    Criterion,
    ModelProvider,
    PersonaGeneration,
    PromptLine,
    PromptVersion,
    Scenario,
)
from apps.catalog.prompts.services.recording import record_prompt_text
from apps.erasure.models import Erasure
from apps.evaluations.models import Evaluation
from apps.gates.domain.gate_states import GateKind
from apps.gates.domain.policy import GatePolicy
from apps.gates.models import GateFloor, PullRequestGate, SnapshotReview
from apps.identity.models import IdentityProvider
from apps.improvement.drafts.services.drafting import DraftSource, create_draft
from apps.improvement.models import (
    Analysis,
    FailureMode,
    FixProposal,
    ModeGrouping,
    ModeNote,
    Optimization,
    Playground,
    PlaygroundColumn,
    Trial,
)
from apps.improvement.prompt_templates.services.storing import TemplateVersion, add_template
from apps.jobs.models import OutboundDelivery
from apps.production.models import AnchorSet, ListedPerson, Promotion, SamplingRule, WhatsAppAccount
from apps.production.rollouts.domain.request import RolloutRequest
from apps.production.rollouts.services.steering import start_rollout
from apps.reports.models import ReportSummary, SavedView
from apps.runs.models import PulledTurn
from apps.tenants.context import in_public, in_tenant
from apps.tenants.domain.roles import KeyScope, Role
from apps.tenants.models import Tenant
from tests.api.api_client import stock
from tests.dashboard.conftest import make_evaluation, make_run
from tests.production.langfuse_rows import langfuse_source, otlp_receiver

CRITERIA = {"kigezo_cha_kwanza": "Greets by name", "kigezo_cha_pili": "Says the price"}
NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
MARK, SECRET = "zanzibarmark", "pembasecret"
DOCUMENT = {"id": "g", "turns": [{"role": "user", "content": MARK}, {"role": "assistant", "content": MARK}]}
HOSTS = {"tenant": "acme.localhost", "public": "platform.localhost", "beta": "beta.localhost"}
ROLES = tuple(role.value for role in Role)
STRANGERS = ("anonymous", "owner of beta", "key of beta", "platform admin")
MEMBERS = ("member", "staff without a role", *ROLES)
KEYS = ("read-only key", "CI key", "curator's key", "key")
SCOPED = {f"key to {scope}": scope for scope in KeyScope}  # one scope each
CALLERS = {
    "tenant": (*STRANGERS, *MEMBERS, *KEYS),
    "public": ("anonymous", "owner", "key", "platform staff", "platform admin"),
}
WITHOUT_ROWS = ("tenants", "sessions", "contenttypes", "admin")
_TOUCHED = "- 'last_used_at' - 'last_login'"  # written by being let in


@dataclass(slots=True)
class World:
    """`rows` is a primary key for each model of acme's; a caller is (cookies, headers)."""

    rows: dict[str, Any] = field(default_factory=dict)
    secrets: list[str] = field(default_factory=list)
    callers: dict[str, tuple[SimpleCookie, dict[str, str]]] = field(default_factory=dict)
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))  # loads the middleware once

    def ask(self, caller: str, method: str, host: str, path: str, data: Any = None) -> Any:
        """What this caller is answered, unfollowed; an exception of ours is a 500."""
        cookies, headers = self.callers[caller]
        self.client.cookies = SimpleCookie(cookies.output(header="", sep=";"))
        given = {"host": HOSTS[host], **headers}
        if path.startswith("/api/") and method != "get":
            return self.client.generic(method.upper(), path, "{}", content_type="application/json", headers=given)
        return getattr(self.client, method)(path, data, headers=given)


def make_world() -> World:
    """Fill acme and beta. Commits."""
    world = World()
    cache.clear()
    keys = {slug: stock(slug)[0] for slug in ("acme", "beta")}
    with in_tenant("beta"):
        make_run(1)
    with in_tenant("acme"):
        world.secrets = [SECRET, _fill()]
        reader = add_api_key(name=f"{MARK} reader", scopes=["read"]).secret
        writer = add_api_key(name=f"{MARK} CI").secret
        curator = add_api_key(name=f"{MARK} curator", scopes=["read", "write", "curate"]).secret
        scoped = {name: add_api_key(name=f"{MARK} {name}", scopes=[scope]).secret for name, scope in SCOPED.items()}
        world.secrets += [keys["acme"], reader, writer, curator, *scoped.values()]
        world.secrets += [*ApiKey.objects.values_list("digest", flat=True)]
        world.rows = {
            model._meta.label_lower: model._default_manager.order_by("pk").values_list("pk", flat=True).first()
            for model in apps.get_models()
            if model._meta.app_label not in WITHOUT_ROWS
        }
    bearer = {"key": keys["acme"], "key of beta": keys["beta"], "CI key": writer, "read-only key": reader}
    bearer |= {"curator's key": curator, **scoped}
    world.callers = {name: (SimpleCookie(), {"authorization": f"Bearer {key}"}) for name, key in bearer.items()}
    world.callers["anonymous"] = (SimpleCookie(), {})
    for name in MEMBERS:
        world.callers[name] = (_sign_in("acme", name), {})
    world.callers["owner of beta"] = (_sign_in("beta", "owner"), {})
    for name in ("platform staff", "platform admin"):
        world.callers[name] = (_sign_in("", name), {})
    with in_public():
        for model in (Tenant, Entry):
            world.rows[f"public {model._meta.label_lower}"] = model._default_manager.latest("id").pk
    return world


def _sign_in(slug: str, name: str) -> SimpleCookie:
    client = Client(headers={"host": f"{slug or 'platform'}.localhost"})
    with in_tenant(slug) if slug else in_public():
        user = User.objects.create_user(
            name.replace(" ", "-"), is_staff=name != "member", is_superuser=name == "platform admin"
        )
        user.groups.set(Group.objects.filter(name=name))
        client.force_login(user)
    return client.cookies


def _fill() -> str:
    """A row of everything, marked; returns a password's hash."""
    run, conversations = make_run(2, name=f"{MARK} run")
    with pgtrigger.ignore():  # turns of an ended conversation are final
        for row in conversations:
            row.turns.update(content=f"{MARK} said")
    evaluation = make_evaluation(run, conversations, states=("parse_error",), names=tuple(CRITERIA))
    for name, title in CRITERIA.items():
        Criterion.objects.filter(name=name).update(titles={"en": title})
    Evaluation.objects.filter(pk=evaluation.pk).update(callback_url=f"https://{MARK}.example/")
    OutboundDelivery.objects.create(
        kind="callback", subject_id=evaluation.pk, event="evaluation.completed", not_before=NOW
    )
    AlertChannel.objects.create(name=f"{MARK} channel", kind="slack", address=f"https://{MARK}.example/{SECRET}")
    Alert.objects.create(rule="budget", key=MARK, severity="warning", sentence=MARK, opened_at=NOW, seen_at=NOW)
    Erasure.objects.create(subject=f"{MARK} {SECRET}", requested_by=MARK, requested_at=NOW)
    ModelCall.objects.create(purpose="judge", provider="google", requested_model=MARK, outcome="ok", run_id=run.pk)
    add_webhook_key(name=f"{MARK} key")
    ApiKey.objects.update(name=f"{MARK} api key")
    Agent.objects.update(name=f"{MARK} agent", secrets={"token": SECRET})
    PullRequestGate.objects.create(
        agent=MARK, kind=GateKind.BLOCKING, commit="abcdef0", title=MARK, candidate=evaluation,
        policy=GatePolicy().as_json(GateKind.BLOCKING),
        status="decided", decision="pass", sentence=MARK, document={"exit_code": 0}, decided_at=NOW,
    )  # fmt: skip
    GateFloor.objects.create(agent=MARK)
    SamplingRule.objects.create(name=f"{MARK} rule", evaluator_config=MARK, enabled=False)
    AnchorSet.objects.create(run=run, evaluator_config=f"{MARK}@1", anchors=2, made_by=MARK)
    SnapshotReview.objects.create(
        scenario=MARK, file=f"{MARK}.yaml", digest="0" * 64, played=[{"role": "user", "content": MARK}],
        divergence={"turn": None, "kind": "new", "sentence": MARK},
    )  # fmt: skip
    Promotion.objects.create(
        conversation=conversations[1], promoted_by=MARK, transcript=[{"role": "user", "content": MARK}],
        scenario=Scenario.objects.create(slug=f"{MARK}-candidate", status="candidate", origin="production"),
    )  # fmt: skip
    IdentityProvider.objects.create(name=f"{MARK} id", issuer="https://x.example", client_secret=SECRET, enabled=False)
    langfuse_source("https://x.example", name=f"{MARK} project", secret_key=SECRET)
    otlp_receiver("https://x.example", name=f"{MARK} collector", headers=f"authorization={SECRET}", enabled=False)
    SavedView.objects.create(user=MARK, name=MARK, path="/admin/runs/testrun/", query=f"q={MARK}", shared=True)
    ListedPerson.objects.create(name=f"{MARK} person")
    WhatsAppAccount.objects.create(name=f"{MARK} desk", app_secret=SECRET, verify_token=SECRET, access_token=SECRET)
    PersonaGeneration.objects.create(agent=Agent.objects.get(), slots=[], status="completed")
    PulledTurn.objects.create(
        conversation=conversations[0], agent=Agent.objects.get(), attempt=1, position=0, session=MARK, timeout_s=60,
        messages=[{"role": "user", "content": MARK}], asked_at=NOW,
    )  # fmt: skip
    ReportSummary.objects.create(
        run=conversations[0].run, writer={}, status="completed", requested_by=MARK, model=MARK,
        sentences=[{"kind": "finding", "text": MARK, "conversations": []}],
    )  # fmt: skip
    ModelProvider.objects.create(name=f"{MARK} provider", kind="openai", api_key=SECRET)
    PromptVersion.objects.create(name=MARK, version=f"{MARK}@1", text=MARK, digest="0" * 64)
    record_prompt_text(name=f"{MARK}line", text=f"Say {MARK}.", revision="a1")
    analysis = Analysis.objects.create(evaluation=evaluation, status="completed", findings=[], notes=[MARK])
    line = PromptLine.objects.get(name=f"{MARK}line")
    FixProposal.objects.create(analysis=analysis, finding_number=1, line=line, requested_by=MARK, status="failed")
    draft = create_draft(name=f"{MARK}line", text=f"Say {MARK} slowly.", source=DraftSource(by=MARK))
    Trial.objects.create(
        draft_id=draft, part="selection", status="failed", agent=MARK, scenarios=[MARK], block_points=1.0,
        evaluator_config=f"{MARK}@1", error_message=MARK,
    )  # fmt: skip
    playground = Playground.objects.create(
        conversation=conversations[0], agent=Agent.objects.get(), lines=[0], status="completed", requested_by=MARK,
    )  # fmt: skip
    PlaygroundColumn.objects.create(
        playground=playground, number=1, prompt=f"{MARK}line", own_text=f"Say {MARK}.", status="answered",
        replies=[{"text": MARK, "tools": [], "latency_ms": 1}],
    )  # fmt: skip
    LabellingRound.objects.create(
        name=f"{MARK} queue",
        source={},
        seed=1,
        raters_wanted=1,
        scale="1-5",
        config_ref=MARK,
        criteria=[],
        made_by=MARK,
    )
    mode = FailureMode.objects.create(name=f"{MARK} mode", description=MARK, made_by=MARK)
    note = add_note(conversation_id=conversations[0].pk, text=f"{MARK} note", author=MARK)
    ModeNote.objects.create(mode=mode, note_id=note, added_by=MARK)
    add_note(conversation_id=conversations[1].pk, text=f"{MARK} note that waits", author=MARK)
    ModeGrouping.objects.create(notes=[str(note)], modes=[], grouper={}, status="completed", model=MARK, ended_at=NOW)
    add_template(
        TemplateVersion(purpose="full", language="en", system=f"Say {MARK}.", ask=f"{MARK} {{nonce}}"),
        activate=True,
        by=MARK,
    )
    record_prompt_text(name=f"{MARK}role", text=f"Say {MARK}.", revision="a1")
    record_prompt_text(name=f"{MARK}role", text=f"Say {MARK} soon.", revision="b2", draft=True)
    start_rollout(RolloutRequest(role=f"{MARK}role", canary=f"{MARK}role@b2"), by=MARK, now=NOW)
    Optimization.objects.create(
        evaluation=evaluation, line=line, base=line.live, mode="surgical", wanted=1, status="failed",
        trial_choices={"evaluator_config": f"{MARK}@1", "agent": MARK, "personas": [], "repeats": 1, "seed": 0},
        error_message=MARK, requested_by=MARK,
    )  # fmt: skip
    store_golden_version(name=f"{MARK} golden", document=DOCUMENT, profile={"hallucination_context": [MARK]})
    store_profile_version(name=f"{MARK} profile", document={"hallucination_context": [MARK]})
    connect_agent(agent=f"{MARK} agent", kind="a2a", address=f"http://{MARK}.example/", secrets={"token": SECRET})
    return User.objects.create_user(f"{MARK}-person", password=SECRET, first_name=MARK).password


def contents(tenant: str) -> dict[str, str]:
    """A digest of each table of a tenant, sessions and what being let in writes apart."""
    with in_tenant(tenant), connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1")
        tables = [row[0] for row in cursor.fetchall() if row[0] != "django_session"]
        found = {}
        for table in tables:
            row = f"(to_jsonb(t) {_TOUCHED})::text"
            cursor.execute(f"SELECT md5(string_agg({row}, '|' ORDER BY {row})) FROM \"{table}\" t")  # noqa: S608 - the catalogue's names
            found[table] = cursor.fetchone()[0]
        return found
