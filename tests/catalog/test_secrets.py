"""Secrets are ciphertext in the database and dots everywhere else."""

import json
import logging

import pytest
from cryptography.fernet import Fernet
from django.contrib.auth.models import User
from django.core import serializers
from django.core.exceptions import FieldError
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.alerts.models import AlertChannel
from apps.api.queries.keys import live_webhook_keys
from apps.api.services.keys import add_webhook_key
from apps.catalog.connections.queries.agents import agent_id, agent_snapshot, agent_spec
from apps.catalog.connections.queries.providers import model_spec
from apps.catalog.connections.services.agent_connections import connect_agent
from apps.catalog.connections.services.key_rotation import encrypted_fields, reencrypt_secrets
from apps.catalog.connections.services.storing import save_agent, save_model_provider
from apps.catalog.fields import EncryptedTextField, Secret, Secrets, field_keys
from apps.catalog.files.services.exporting import export_catalog
from apps.catalog.models import Agent, ModelProvider
from apps.connectors.llms.registry import key_variables
from apps.core import encryption
from apps.core.errors import BadInput
from apps.core.inserting import insert_new, rows_as_json
from apps.erasure.models import Erasure
from apps.identity.models import IdentityProvider, ProviderAccount
from apps.production.langfuse.models import LangfuseDeletion
from apps.production.models import ProductionConversation
from apps.production.privacy.services.pseudonyms import pseudonyms
from apps.production.traces.models import TraceSpan
from apps.production.whatsapp.models import FeedbackQuestion, PendingComment, WhatsAppAccount, WhatsAppPost
from apps.runs.domain.states import Kind
from apps.runs.models import Conversation, TestRun
from tests.production.langfuse_rows import langfuse_source

TOKEN = "tok-9f8e7d6c5b4a"
OLD, NEW, LOST = (Fernet.generate_key().decode() for _ in range(3))


@settings(deadline=None, max_examples=40)
@given(st.text())
def test_what_is_encrypted_decrypts_under_any_of_the_keys(text):
    token = encryption.encrypt(text, [OLD])
    assert encryption.decrypt(token, [NEW, OLD]) == text
    rotated = encryption.rotate(token, [NEW, OLD])
    assert encryption.decrypt(rotated, [NEW]) == text


def test_a_wrong_key_or_a_changed_token_is_refused_without_the_secret():
    token = encryption.encrypt(TOKEN, [OLD])
    for broken, keys in ((token, [NEW]), (token[:-4] + "AAAA", [OLD]), ("no token", [OLD]), ("é", [OLD])):
        with pytest.raises(encryption.EncryptionError) as caught:
            encryption.decrypt(broken, keys)
        assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("text", ["", " , ", "short", f"{OLD},short"], ids=["empty", "commas", "short", "one short"])
def test_field_keys_that_are_none_are_refused_loudly(text):
    with pytest.raises(encryption.EncryptionError, match="RATIBA_FIELD_KEY"):
        encryption.parse_keys(text)


def test_a_secret_does_not_show_itself():
    secret, named = Secret(TOKEN), Secrets(bearer=TOKEN)
    for shown in (repr(secret), str(secret), f"{secret}", format(secret), repr(named), str(named), f"{named}"):
        assert TOKEN not in shown
    assert secret.reveal() == TOKEN == named["bearer"]
    assert type(secret.reveal()) is str


@pytest.fixture
def agent(tenant):
    return save_agent(name="booking", kind="a2a", address="http://127.0.0.1:2", secrets={"bearer": TOKEN})


@pytest.fixture
def provider(tenant):
    return save_model_provider(name="mine", kind="openai", base_url="https://models.example", api_key=TOKEN)


def test_the_database_holds_ciphertext_only(agent, provider):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT row_to_json(a)::text FROM catalog_agent a"
            " UNION SELECT row_to_json(p)::text FROM catalog_modelprovider p"
        )
        stored = " ".join(row[0] for row in cursor.fetchall())
    assert TOKEN not in stored
    assert "gAAAA" in stored


def test_secrets_reach_the_connector_and_nobody_else(agent, provider, tmp_path, caplog):
    spec, model = agent_spec(agent), model_spec("mine", "m")
    assert spec.secrets == {"bearer": TOKEN}
    assert model.api_key == TOKEN
    rows = [Agent.objects.get(), ModelProvider.objects.get()]
    export_catalog(path=tmp_path / "out.yaml")
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("django").warning("%s %r %s", rows, spec, model)
        Agent.objects.get().save()
    seen = [
        *(repr(row) + str(row) + repr(row.__dict__) for row in rows),
        repr(spec),
        repr(model),
        json.dumps(agent_snapshot(agent)),
        serializers.serialize("json", rows),
        (tmp_path / "out.yaml").read_text(),
        caplog.text,
    ]
    assert [text for text in seen if TOKEN in text] == []


def test_saving_an_agent_again_keeps_its_secrets_unless_new_ones_are_given(agent):
    assert save_agent(name="booking", kind="a2a", address="http://127.0.0.1:2/") == agent
    assert agent_spec(agent_id("booking")).secrets == {"bearer": TOKEN}
    save_agent(name="booking", kind="a2a", address="http://127.0.0.1:3", secrets={})
    assert agent_spec(agent).secrets == {}


def test_keys_rotate_without_losing_a_secret(tenant, settings):
    settings.FIELD_KEY = OLD
    agent = save_agent(name="booking", kind="a2a", address="http://127.0.0.1:2", secrets={"bearer": TOKEN})
    save_model_provider(name="mine", kind="openai", base_url="https://models.example", api_key=TOKEN)
    settings.FIELD_KEY = f"{NEW},{OLD}"
    assert reencrypt_secrets().rewritten == 2
    settings.FIELD_KEY = NEW
    assert agent_spec(agent).secrets == {"bearer": TOKEN}
    assert model_spec("mine", "m").api_key == TOKEN
    settings.FIELD_KEY = OLD
    with pytest.raises(encryption.EncryptionError):
        agent_spec(agent)


def keep_one_in_every_encrypted_column() -> int:
    """One row for each encrypted field there is; this test is told where a new model needs more than that."""
    add_webhook_key(name="sender")
    save_agent(name="booking", kind="a2a", address="http://127.0.0.1:2", secrets={"bearer": TOKEN})
    save_model_provider(name="mine", kind="openai", base_url="https://models.example", api_key=TOKEN)
    connect_agent(agent="booking", kind="http", address="http://127.0.0.1:2", secrets={"bearer": TOKEN})
    keys = pseudonyms()
    run = TestRun.objects.create(kind=Kind.PRODUCTION, plan={})
    conversation = Conversation.objects.create(run=run, position=0, external_id="c", kind=Kind.PRODUCTION)
    ProductionConversation.objects.create(
        conversation=conversation, external_id="c", id_digest=keys.digest("id", "c"), people=TOKEN,
        settle_at=timezone.now(), keep_until=timezone.now(),
    )  # fmt: skip
    keep_one_of_production_and_alerts(conversation)
    return 23


def keep_one_of_production_and_alerts(conversation: Conversation) -> None:
    now = timezone.now()
    account = WhatsAppAccount.objects.create(
        name="salon", app_secret=TOKEN, verify_token=TOKEN, access_token=TOKEN, phone_number_id="1"
    )
    WhatsAppPost.objects.create(digest="d" * 64, body=TOKEN)
    FeedbackQuestion.objects.create(conversation=conversation, account=account, recipient=TOKEN, expires_at=now)
    PendingComment.objects.create(
        conversation=conversation, press_digest="p" * 64, pressed_at=now, closes_at=now, recipient=TOKEN
    )
    TraceSpan.objects.create(
        trace_id="t", span_id="s", is_call=True, conversation=TOKEN, body=TOKEN, not_before=now, forget_at=now
    )
    langfuse_source("https://l.example", name="theirs", secret_key=TOKEN)
    LangfuseDeletion.objects.create(project="theirs", targets=TOKEN, requested_at=now)
    AlertChannel.objects.create(name="ours", kind="slack", address=TOKEN, secret=TOKEN)
    Erasure.objects.create(subject=TOKEN, hits=TOKEN, requested_at=now)
    IdentityProvider.objects.create(name="sso", issuer="https://i.example", client_id="c", client_secret=TOKEN)
    person = User.objects.create_user("amina")
    ProviderAccount.objects.create(
        user=person, key="k", access_token=TOKEN, refresh_token=TOKEN, asked_at=now, answered_at=now
    )


def columns_that_hold(key: str) -> list[str]:
    """Encrypted columns whose every value opens with this key alone."""
    found = []
    for model, field in encrypted_fields():
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {field.column} FROM {model._meta.db_table} WHERE {field.column} <> ''")  # noqa: S608 - our own names
            tokens = [token for (token,) in cursor.fetchall()]
        assert tokens, f"{model._meta.label}.{field.name} is encrypted: store one above, so that rotating it is tried"
        for token in [token for stored in tokens for token in field.tokens(stored).values()]:
            encryption.decrypt(token, [key])
        found.append(f"{model._meta.label}.{field.name}")
    return found


def test_every_encrypted_field_of_the_house_is_written_under_the_new_key(tenant, settings):
    settings.FIELD_KEY = OLD
    stored = keep_one_in_every_encrypted_column()
    settings.FIELD_KEY = f"{NEW},{OLD}"
    assert reencrypt_secrets().rewritten == stored
    settings.FIELD_KEY = NEW
    assert {
        "api.WebhookKey.secret",
        "catalog.Agent.secrets",
        "catalog.AgentConnection.secrets",
        "catalog.ModelProvider.api_key",
    } <= set(columns_that_hold(NEW))
    assert len(live_webhook_keys(now=timezone.now())) == 1


def test_a_secret_that_no_key_opens_is_named_and_blocks_no_other(tenant, settings):
    settings.FIELD_KEY = LOST
    add_webhook_key(name="lost")
    settings.FIELD_KEY = OLD
    stored = keep_one_in_every_encrypted_column()
    settings.FIELD_KEY = f"{NEW},{OLD}"
    found = reencrypt_secrets()
    assert (found.rewritten, len(found.unreadable)) == (stored, 1)
    assert str(found.unreadable[0]).startswith("api.WebhookKey.secret ")
    settings.FIELD_KEY = NEW
    (live,) = live_webhook_keys(now=timezone.now())
    assert live.name == "sender"


def test_the_command_names_what_it_could_not_read_and_exits_with_1(tenant, settings, capsys):
    settings.FIELD_KEY = LOST
    add_webhook_key(name="lost")
    settings.FIELD_KEY = NEW
    with pytest.raises(SystemExit) as caught:
        call_command("rotate_secrets", tenant=tenant)
    assert caught.value.code == 1
    assert "enter it again: api.WebhookKey.secret" in capsys.readouterr().out


def test_a_row_with_a_secret_that_cannot_be_read_can_be_listed_and_saved_without_losing_it(tenant, settings):
    settings.FIELD_KEY = OLD
    save_model_provider(name="mine", kind="openai", base_url="https://models.example", api_key=TOKEN)
    settings.FIELD_KEY = NEW
    row = ModelProvider.objects.get()
    with pytest.raises(encryption.EncryptionError):
        row.api_key.reveal()
    row.base_url = "https://elsewhere.example"
    row.save()
    settings.FIELD_KEY = OLD
    assert model_spec("mine", "m").api_key == TOKEN


def test_platform_keys_go_to_no_address_of_a_tenants_choice(tenant, settings):
    settings.MODEL_KEYS = dict.fromkeys(key_variables(), "platform-key")
    settings.OPENAI_BASE_URL = "https://proxy.example/v1"
    own = model_spec("openai", "m")
    assert (own.base_url, own.api_key) == ("https://proxy.example/v1", "platform-key")
    for kind in ("openai", "google", "anthropic"):
        save_model_provider(name=f"evil-{kind}", kind=kind, base_url="https://evil.example")
        spec = model_spec(f"evil-{kind}", "m")
        assert (spec.base_url, spec.api_key) == ("https://evil.example", None)
    save_model_provider(name="plain", kind="google")
    assert model_spec("plain", "m").api_key == "platform-key"
    save_model_provider(name="evil-vertex", kind="vertex", base_url="https://evil.example")
    with pytest.raises(BadInput):
        model_spec("evil-vertex", "m")
    with pytest.raises(BadInput):
        model_spec("vertex", "m", {"location": "evil.example/x"})


def test_a_missing_key_says_what_to_set_and_the_offline_rules_do_not_step_in(tenant, settings):
    settings.MODEL_KEYS = {}
    with pytest.raises(BadInput, match="GEMINI_API_KEY") as caught:
        model_spec("google", "gemini-2.5-flash")
    assert caught.value.code == "model_key_missing"
    with pytest.raises(BadInput) as caught:
        model_spec("acme", "m")
    assert caught.value.code == "unknown_provider"
    assert model_spec("offline", "offline-rules").provider == "offline"


@pytest.mark.parametrize("lookup", ["startswith", "contains", "regex", "gt", "in", "icontains"])
def test_ciphertext_is_compared_with_nothing(tenant, lookup):
    for model, field in ((ModelProvider, "api_key"), (Agent, "secrets")):
        with pytest.raises(FieldError):
            list(model.objects.filter(**{f"{field}__{lookup}": "g"}))
    assert list(ModelProvider.objects.filter(api_key="")) == list(ModelProvider.objects.filter(api_key__exact=""))


def test_rows_that_are_written_by_one_statement_hold_no_secret_in_clear():
    """Whatever is written as JSON (apps.core.inserting) is prepared as a save prepares it."""
    for model, field in encrypted_fields():
        named = not isinstance(field, EncryptedTextField)
        for value in ({"token": TOKEN}, Secrets(token=TOKEN)) if named else (TOKEN, Secret(TOKEN)):
            row = model(**{field.attname: value})
            (written,) = json.loads(rows_as_json([row]))
            assert TOKEN not in json.dumps(written)
            (token,) = field.tokens(written[field.column]).values()
            assert TOKEN in encryption.decrypt(token, field_keys())


def test_a_secret_that_was_written_by_one_statement_is_read_as_any(tenant):
    made = AlertChannel(name="pager", kind="webhook", address=Secret(TOKEN), created_at=timezone.now())
    insert_new([made])
    assert AlertChannel.objects.get(pk=made.pk).address.reveal() == TOKEN
