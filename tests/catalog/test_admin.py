"""The catalog's pages: forms end in services, published versions are read-only with the reason, secrets never show."""

import pytest
from cryptography.fernet import Fernet
from django.test import Client
from django.urls import get_resolver, reverse

from apps.tenants.context import in_tenant
from tests.catalog.samples import NOW, add_persona, content, criterion_fields, questions, text

TOKEN = "tok-9f8e7d6c5b4a"


@pytest.fixture
def curator(db):
    """A signed-in member of staff of acme. Pages are asked for from outside any tenant, as a browser does."""
    from django.contrib.auth.models import User  # noqa: PLC0415 - apps are loaded once pytest-django has set them up

    client = Client(headers={"host": "acme.localhost"})
    with in_tenant("acme"):
        client.force_login(User.objects.create_superuser("amina", "", "x"))
    return client


@pytest.fixture
def version(curator):
    from apps.catalog.configs.services.versions import create_draft  # noqa: PLC0415 - see curator
    from apps.catalog.models import Criterion  # noqa: PLC0415 - see curator

    with in_tenant("acme"):
        for name in ("first", "second"):
            Criterion.objects.create(name=name, **criterion_fields())
        return create_draft(config="tea", content=content("first"))


def page(client, name, *args):
    answer = client.get(reverse(f"admin:catalog_{name}", args=args))
    assert answer.status_code == 200, name
    return answer.content.decode()


def version_form(version, **changes):
    rows: dict[str, str] = {}
    for index, (name, used) in enumerate((("first", True), ("second", True))):
        rows |= {f"rows-{index}-name": name, f"rows-{index}-kind": "domain", f"rows-{index}-domain": "tea"}
        rows |= {f"rows-{index}-weight": "", f"rows-{index}-mark": ""} | ({f"rows-{index}-used": "on"} if used else {})
    return {
        **rows,
        "roles-judge-provider": "offline",
        "roles-judge-model": "offline-rules",
        "note": "two now",
        "system_prompt_template": "",
        "rubric_language": "en",
        "prompt_language": "sw",
        "reason_language": "en",
        "max_output_tokens": "4096",
        **changes,
    }


def status_of(version):
    from apps.catalog.models import EvaluatorConfigVersion  # noqa: PLC0415 - see curator

    with in_tenant("acme"):
        return EvaluatorConfigVersion.objects.get(pk=version).status


def test_every_list_and_form_opens_with_a_whole_catalog(curator):
    from apps.catalog import models  # noqa: PLC0415 - see curator
    from apps.catalog.connections.services.agent_connections import connect_agent  # noqa: PLC0415 - see curator
    from apps.catalog.connections.services.storing import save_agent, save_model_provider  # noqa: PLC0415 - see curator
    from apps.catalog.files.services.packs import load_pack  # noqa: PLC0415 - see curator
    from apps.catalog.goldens.services.versions import store_golden_version  # noqa: PLC0415 - see curator

    with in_tenant("acme"):
        load_pack(at=NOW)
        save_agent(name="booking", kind="a2a", address="http://127.0.0.1:2", secrets={"bearer": TOKEN})
        save_model_provider(name="mine", kind="openai", api_key=TOKEN)
        models.PromptVersion.objects.create(name="p", version="p@1", text="a", digest="0" * 64)
        store_golden_version(name="g", document={"turns": [{"content": "Habari"}]}, agent="booking")
        connect_agent(agent="booking", kind="http", address="http://127.0.0.1:2", secrets={"key": TOKEN})
        first = {model: model.objects.first().pk for model in CATALOG(models)}
    shown = ""
    for model, pk in first.items():
        shown += page(curator, f"{model._meta.model_name}_changelist")
        address = reverse(f"admin:catalog_{model._meta.model_name}_change", args=[pk])
        opened = curator.get(address, follow=True)  # a config and its versions open their own page
        assert opened.status_code == 200, model
        shown += opened.content.decode()
    for name in (
        "criterion",
        "evaluatorconfig",
        "persona",
        "scenario",
        "agent",
        "modelprovider",
        "agentconnection",
    ):
        page(curator, f"{name}_add")
    assert TOKEN not in shown
    assert "bearer" in shown  # that there is one, may be known
    assert "booking-quality@1" in shown


def CATALOG(models):
    return (
        models.Criterion, models.EvaluatorConfig, models.EvaluatorConfigVersion, models.Agent, models.Persona,
        models.Scenario, models.PromptVersion, models.GoldenSession, models.ModelProvider, models.AgentConnection,
    )  # fmt: skip


def test_a_draft_is_edited_as_rows_and_published_from_its_form(curator, version):
    from apps.catalog.configs.queries.versions import resolve_config  # noqa: PLC0415 - see curator

    url = reverse("config_version", args=[version])
    shown = curator.get(url).content.decode()
    assert 'name="rows-0-weight"' in shown
    form = version_form(version, **{"rows-0-weight": "1,5", "rows-1-mark": "7"})
    answer = curator.post(url, {**form, "then": "publish"})
    assert answer.headers.get("location") == reverse("publish_version", args=[version])
    assert status_of(version) == "draft"  # nothing is final before the confirmation
    assert "Nobody can change it" in curator.get(answer.headers["location"]).content.decode()
    assert curator.post(answer.headers["location"]).status_code == 302
    with in_tenant("acme"):
        snapshot = resolve_config("tea@1")
    assert [(c.name, c.weight, c.pass_mark) for c in snapshot.criteria] == [("first", 1.5, 6.0), ("second", 1.0, 7.0)]
    assert snapshot.parameters["prompt_language"] == "sw"
    assert snapshot.llm_config["judge"].provider == "offline"


def test_a_published_version_is_shown_with_the_reason_and_refuses_a_post(curator, version):
    from apps.catalog.configs.services.versions import publish  # noqa: PLC0415 - see curator

    with in_tenant("acme"):
        publish(version_id=version, at=NOW, by="amina")
    url = reverse("config_version", args=[version])
    shown = curator.get(url).content.decode()
    assert "nobody can change it" in shown
    assert "Publish…" not in shown
    assert 'name="rows-0-weight"' not in shown
    assert curator.post(url, version_form(version)).status_code == 409
    own = reverse("admin:catalog_evaluatorconfigversion_change", args=[version])
    assert curator.post(own, version_form(version)).headers["location"] == url  # and nothing is saved
    assert curator.get(own).headers["location"] == url
    delete = reverse("admin:catalog_evaluatorconfigversion_delete", args=[version])
    assert curator.post(delete, {"post": "yes"}).status_code == 403


def test_a_wrong_value_is_said_beside_its_field_and_nothing_is_saved(curator, version):
    url = reverse("config_version", args=[version])
    for changes, field in (
        ({"rows-0-weight": "0"}, "rows"),
        ({"rows-0-weight": "heavy"}, "rows"),
        ({"system_prompt_template": "{{ moon }}"}, "system_prompt_template"),
        ({"system_prompt_template": "{{ 'a'*3000000000 }}"}, "system_prompt_template"),
        ({"system_prompt_template": "{{ " + "+" * 20_000 + "1 }}"}, "system_prompt_template"),
        ({"system_prompt_template": "{% for a in criteria %}" * 3 + "{% endfor %}" * 3}, "system_prompt_template"),
        ({"roles-judge-model": ""}, "roles"),
    ):
        answer = curator.post(url, version_form(version, **changes))
        assert answer.status_code == 422
        assert field in answer.context["found"].form.errors, changes


def test_actions_start_a_new_version_and_retire(curator, version):
    from apps.catalog.models import EvaluatorConfigVersion  # noqa: PLC0415 - see curator

    url = reverse("admin:catalog_evaluatorconfigversion_changelist")
    curator.post(reverse("publish_version", args=[version]))
    curator.post(url, {"action": "new_version", "_selected_action": [str(version)]})
    with in_tenant("acme"):
        found = list(EvaluatorConfigVersion.objects.order_by("number").values_list("number", "status", "published_by"))
    assert found == [(1, "published", "amina"), (2, "draft", "")]
    shown = curator.post(reverse("publish_version", args=[version]), follow=True)
    assert "published already" in shown.content.decode()
    curator.post(url, {"action": "retire_chosen", "_selected_action": [str(version)]})
    assert status_of(version) == "retired"


def test_a_new_config_begins_as_an_empty_draft_and_its_name_is_checked_where_it_is_typed(curator):
    from apps.catalog.models import EvaluatorConfigVersion  # noqa: PLC0415 - see curator

    url = reverse("admin:catalog_evaluatorconfig_add")
    refused = curator.post(url, {"name": "hot tea", "description": ""})
    assert "is not a name" in str(refused.context["adminform"].form.errors["name"])
    answer = curator.post(url, {"name": "hot-tea", "description": "How hot?"})
    with in_tenant("acme"):
        made = EvaluatorConfigVersion.objects.select_related("config").get()
    assert (str(made), made.status, made.config.description) == ("hot-tea@1", "draft", "How hot?")
    assert answer.headers["location"] == reverse("config_version", args=[made.pk])


def test_a_criterion_is_written_in_fields_per_language(curator):
    from apps.catalog.models import Criterion  # noqa: PLC0415 - see curator

    wanted = text("Is the tea hot?")
    form = {"name": "hot", "kind": "domain", "domain": "tea", "offline_rule": "", "offline_parameters": "{}"}
    form |= {"en_description": wanted["description"]} | {f"en_{a}": g for a, g in wanted["scoring_guide"].items()}
    url = reverse("admin:catalog_criterion_add")
    spaced = curator.post(url, {**form, "name": "hot tea"})
    assert "is not a name" in str(spaced.context["adminform"].form.errors["name"])
    missing = curator.post(url, {**form, "en_7": ""})
    assert "en_7" in missing.context["adminform"].form.errors
    assert curator.post(url, form).status_code == 302
    with in_tenant("acme"):
        assert Criterion.objects.get(name="hot").texts == {"en": wanted}


def test_a_criterion_in_use_cannot_be_deleted(curator, version):
    from apps.catalog.configs.services.versions import publish  # noqa: PLC0415 - see curator
    from apps.catalog.models import Criterion  # noqa: PLC0415 - see curator

    with in_tenant("acme"):
        publish(version_id=version, at=NOW)
        used, free = (Criterion.objects.get(name=name).pk for name in ("first", "second"))
    urls = [reverse("admin:catalog_criterion_delete", args=[pk]) for pk in (used, free)]
    assert [curator.post(url, {"post": "yes"}).status_code for url in urls] == [403, 302]


def test_an_edited_persona_goes_back_to_validation(curator):
    from apps.catalog.models import Persona  # noqa: PLC0415 - see curator

    with in_tenant("acme"):
        persona = add_persona("aunt", text="Strong.").pk
    url = reverse("admin:catalog_persona_change", args=[persona])
    curator.post(url, {"text": "Strong.", "language": ""})
    with in_tenant("acme"):
        assert Persona.objects.get().status == "validated"
    curator.post(url, {"text": "Weak.", "language": "en"})
    with in_tenant("acme"):
        assert (Persona.objects.get().status, Persona.objects.get().text) == ("pending_validation", "Weak.")


def test_an_agents_secrets_are_written_and_never_read_back(curator):
    from apps.catalog.models import Agent  # noqa: PLC0415 - see curator

    form = {"name": "booking", "kind": "a2a", "address": "http://127.0.0.1:2", "options": "{}", "timeout_s": "60"}
    form |= {"known_facts": "Open till seven\nClosed on Sunday", "tool_patterns": "booked for => book"}
    answer = curator.post(reverse("admin:catalog_agent_add"), {**form, "new_secrets": f"bearer={TOKEN}=="})
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    with in_tenant("acme"):
        agent = Agent.objects.get()
        assert agent.secrets == {"bearer": f"{TOKEN}=="}
        assert agent.profile["tool_patterns"] == [{"pattern": "booked for", "tool": "book"}]
    url = reverse("admin:catalog_agent_change", args=[agent.pk])
    assert TOKEN not in curator.get(url).content.decode()
    curator.post(url, form)
    with in_tenant("acme"):
        assert Agent.objects.get().secrets == {"bearer": f"{TOKEN}=="}
    refused = curator.post(url, {**form, "options": f'{{"headers": {{"Authorization": "{TOKEN}"}}}}'})
    assert refused.context["adminform"].form.errors["options"]
    refused = curator.post(url, {**form, "timeout_s": "301"})
    assert "no worker's task holds a longer answer" in refused.context["adminform"].form.errors["timeout_s"][0]


def test_a_lost_field_key_leaves_the_pages_open_to_enter_secrets_again(curator, settings):
    from apps.catalog.connections.queries.agents import agent_spec  # noqa: PLC0415 - see curator
    from apps.catalog.connections.services.storing import save_agent, save_model_provider  # noqa: PLC0415 - see curator

    with in_tenant("acme"):
        agent = save_agent(name="booking", kind="a2a", address="http://127.0.0.1:2", secrets={"bearer": TOKEN})
        provider = save_model_provider(name="mine", kind="openai", api_key=TOKEN)
    settings.FIELD_KEY = Fernet.generate_key().decode()
    for name in ("agent", "modelprovider"):
        page(curator, f"{name}_changelist")
    page(curator, "modelprovider_change", provider)
    assert "cannot be read" in page(curator, "agent_change", agent)
    form = {"name": "booking", "kind": "a2a", "address": "http://127.0.0.1:2", "options": "{}", "timeout_s": "60"}
    url = reverse("admin:catalog_agent_change", args=[agent])
    assert curator.post(url, {**form, "new_secrets": "bearer=new"}).status_code == 302
    with in_tenant("acme"):
        assert agent_spec(agent).secrets == {"bearer": "new"}


def test_a_list_asks_the_same_number_of_questions_however_long_it_is(curator):
    from apps.catalog.files.services.packs import load_pack  # noqa: PLC0415 - see curator

    def counts():
        found = {}
        for name in ("criterion", "evaluatorconfig", "evaluatorconfigversion", "persona", "scenario"):
            with questions() as asked:
                page(curator, f"{name}_changelist")
            found[name] = len(asked)
        return found

    with in_tenant("acme"):
        load_pack("outbound-sales", at=NOW)
    few = counts()
    with in_tenant("acme"):
        load_pack(at=NOW)
    many = counts()
    assert {name: many[name] - few[name] for name in few} == dict.fromkeys(few, 0)


def test_a_stranger_sees_nothing(db):
    client = Client(headers={"host": "acme.localhost"})
    names = [name for name in get_resolver().namespace_dict if name == "admin"]
    assert names
    assert client.get(reverse("admin:catalog_agent_changelist")).status_code == 302


def test_settings_are_lines_and_what_is_no_setting_is_said_beside_the_field(curator):
    from apps.catalog.models import Agent  # noqa: PLC0415 - see curator

    form = {"name": "desk", "kind": "scripted", "timeout_s": "60"}
    rules = "rules:\n  - {when: tea, say: 'Yes.'}\notherwise: Pardon?\n"
    for wrong in ("just words", "a: [", "- one", "a: 1\na: 2"):
        answer = curator.post(reverse("admin:catalog_agent_add"), {**form, "options": wrong})
        assert answer.context["adminform"].form.errors["options"], wrong
    assert curator.post(reverse("admin:catalog_agent_add"), {**form, "options": rules}).status_code == 302
    with in_tenant("acme"):
        agent = Agent.objects.get()
    assert agent.options == {"rules": [{"when": "tea", "say": "Yes."}], "otherwise": "Pardon?"}
    shown = page(curator, "agent_change", agent.pk)
    assert "otherwise: Pardon?" in shown


def test_rules_of_doubt_are_fields_and_stay_unsaid_where_they_are_empty(curator, version):
    from apps.catalog.models import EvaluatorConfigVersion  # noqa: PLC0415 - see curator

    url = reverse("config_version", args=[version])
    assert curator.post(url, version_form(version)).status_code == 302
    with in_tenant("acme"):
        assert "repeats" not in EvaluatorConfigVersion.objects.get().parameters
    said = {"repeats": "3", "asking": "per_criterion", "panel": "majority", "evidence_below": "5"}
    answer = curator.post(url, version_form(version, **said))
    assert answer.status_code == 302, answer.context["found"].form.errors
    with in_tenant("acme"):
        found = EvaluatorConfigVersion.objects.get().parameters
    assert {name: found.get(name) for name in (*said, "error_rate")} == {
        "repeats": 3, "asking": "per_criterion", "panel": "majority", "evidence_below": 5, "error_rate": None,
    }  # fmt: skip
    assert curator.post(url, version_form(version, temperature="0")).status_code == 302
    with in_tenant("acme"):
        assert EvaluatorConfigVersion.objects.get().parameters["temperature"] == 0, "0 is said, not empty"
    refused = curator.post(url, version_form(version, repeats="99"))
    assert refused.context["found"].form.errors["repeats"]
