"""A new kind of model provider is one module and one line: forms, files, prices and keys know it."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.core.management import call_command

from apps.catalog.admin.config_form import VersionForm
from apps.catalog.admin.connections import ProviderForm
from apps.catalog.connections.queries.providers import model_spec
from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.models import ModelProvider
from apps.connectors.llms.base import ModelSpec
from apps.connectors.llms.pricing import call_cost
from apps.connectors.llms.registry import ProviderKind, llm_for, register
from apps.core.errors import BadInput
from apps.core.usage import Usage

NAME = "mistral-by-hand"


@pytest.fixture
def line() -> Iterator[None]:
    """The one line; its adapter is named by its dotted path, as all are."""
    undo = register(
        NAME,
        ProviderKind("apps.connectors.llms.openai:OpenAI", price_list="mistral", key_variable="MISTRAL_API_KEY"),
    )
    yield
    undo()


def test_the_kind_is_offered_saved_and_asked(tenant, line, settings):
    settings.MODEL_KEYS = {"MISTRAL_API_KEY": "platform-key"}
    form = ProviderForm({"name": "house", "kind": NAME, "base_url": "", "options": "", "new_key": "own-key"})
    assert form.is_valid(), form.errors
    form.save()
    own = model_spec("house", "mistral-large-latest")
    assert (own.provider, own.api_key) == (NAME, "own-key")
    assert ModelProvider.objects.get().get_kind_display() == "Mistral-by-hand"
    by_name = model_spec(NAME, "mistral-large-latest")
    assert (by_name.provider, by_name.api_key) == (NAME, "platform-key")
    assert llm_for(by_name).spec is by_name
    assert NAME in VersionForm().fields["roles"].widget.providers


def test_a_missing_key_names_the_variable_of_the_line(tenant, line, settings):
    settings.MODEL_KEYS = {}
    with pytest.raises(BadInput, match="set MISTRAL_API_KEY, or add a model provider named 'mistral-by-hand'"):
        model_spec(NAME, "m")


def test_a_kind_without_a_variable_asks_for_a_row(tenant):
    undo = register("keyless", ProviderKind("apps.connectors.llms.openai:OpenAI"))
    try:
        with pytest.raises(BadInput, match="'keyless': add a model provider named 'keyless' with its key"):
            model_spec("keyless", "m")
    finally:
        undo()


def test_the_price_list_of_the_line_counts(line):
    spec, usage = ModelSpec(provider=NAME, model="mistral-large-latest"), Usage(input_tokens=1_000_000, output_tokens=0)
    cost = call_cost(spec, usage)
    assert cost == call_cost(ModelSpec(provider="mistral", model="mistral-large-latest"), usage)
    assert cost is not None
    assert cost > Decimal(0)


def test_no_migration_is_needed(db, line):
    call_command("makemigrations", check=True, dry_run=True, verbosity=1)


def test_without_the_line_nobody_knows_it(tenant):
    with pytest.raises(BadInput, match=f"/kind: '{NAME}' is none of anthropic, openai, google, vertex, offline"):
        save_model_provider(name="house", kind=NAME)
    assert not ProviderForm({"name": "house", "kind": NAME, "options": ""}).is_valid()
