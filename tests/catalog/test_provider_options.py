"""Options of model providers: what is no option is refused where it is typed, and tuning makes no other judge."""

import importlib
import json
from typing import Any

import pytest
from django.apps import apps as django_apps
from django.db import connection

from apps.catalog.admin.connections import ProviderForm
from apps.catalog.connections.queries.providers import model_spec, server_identity
from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.files.services.importing import import_catalog_text
from apps.catalog.models import ModelProvider
from apps.connectors.llms.options import OPTIONS
from apps.connectors.llms.registry import provider_names
from apps.core.errors import BadInput
from tests.catalog.samples import NOW

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"timeout_s": "x"}, "'timeout_s' must be a number of seconds"),
    ({"timeout_s": 0}, "'timeout_s' must be"),
    ({"timeout_s": 900}, "more than 0 and up to 300, not 900"),
    ({"timeout_s": True}, "'timeout_s' must be"),
    ({"foo": 1}, "'foo' is no option of the kind openai: there are auth_header"),
    ({"price": 1}, "'price' is no option"),
    ({"max_concurrent": 2}, "max_concurrent stands beside the options"),
    ({"supports_seed": "yes"}, "'supports_seed' must be true or false"),
    ({"extra_body": [1]}, "'extra_body' must be a mapping"),
    ({"thinking_budget": 5}, "'thinking_budget' is no option of the kind openai"),
]


def test_every_kind_says_which_options_it_has() -> None:
    assert set(OPTIONS) == set(provider_names())


@pytest.mark.parametrize("options, message", WRONG)
def test_an_option_that_is_none_is_refused_at_every_door(tenant: object, options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        save_model_provider(name="own", kind="openai", base_url="http://127.0.0.1:10/v1", options=options)
    lines = "\n".join(f"{name}: {str(value).lower() if isinstance(value, bool) else value!r}"
                      for name, value in options.items())  # fmt: skip
    form = ProviderForm({"name": "own", "kind": "openai", "base_url": "http://127.0.0.1:10/v1", "options": lines})
    assert not form.is_valid()
    assert message.lower() in " ".join(form.errors["options"]).lower()
    row = {"name": "own", "kind": "openai", "base_url": "http://127.0.0.1:10/v1", "options": options}
    with pytest.raises(BadInput, match=message):
        import_catalog_text(text=json.dumps({"model_providers": [row]}), file="c.yaml", at=NOW)
    assert not ModelProvider.objects.exists()


def test_tuning_a_provider_makes_no_other_judge(tenant: object) -> None:
    options: dict[str, Any] = {"supports_seed": True}
    save_model_provider(name="own", kind="openai", base_url="http://127.0.0.1:10/v1", options=options)
    before = model_spec("own", "m").identity()
    tuned = {**options, "timeout_s": 50, "price_provider": "openai", "prices": {"m": {"input": 1, "output": 1}}}
    save_model_provider(name="own", kind="openai", base_url="http://127.0.0.1:10/v1", options=tuned)
    spec = model_spec("own", "m")
    assert spec.identity() == before == server_identity("own")
    assert spec.options["timeout_s"] == 50
    save_model_provider(name="own", kind="openai", base_url="http://127.0.0.1:10/v1", options={})
    assert model_spec("own", "m").identity() != before


def test_rows_from_before_stay_the_judge_that_their_scores_know_whatever_is_tuned_later(tenant: object) -> None:
    migration = importlib.import_module("apps.catalog.migrations.0014_options_judges_are_known_by")
    old = {"timeout_s": "x", "foo": 1, "supports_seed": True, "prices": {"m": {"input": 1, "output": 1}}}
    row = ModelProvider.objects.create(name="old", kind="openai", base_url="http://127.0.0.1:10/v1", options=old)
    identity = {"provider": "old", "address": "http://127.0.0.1:10/v1",
                "options": {"timeout_s": "x", "foo": 1, "supports_seed": True}}  # fmt: skip
    migration.keep_what_they_are_known_by(django_apps, connection.schema_editor())
    assert model_spec("old", "m").identity() == identity
    tuned = {"timeout_s": 60, "supports_seed": True}
    save_model_provider(name="old", kind="openai", base_url=row.base_url, options=tuned)
    assert model_spec("old", "m").identity() == identity
    migration.keep_what_they_are_known_by(django_apps, connection.schema_editor())
