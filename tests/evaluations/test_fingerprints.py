"""A fingerprint knows the server: name, address and options of the provider's row, not its interface alone."""

import pytest

from apps.budgets.models import ModelCall
from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.models import ModelProvider as Row
from apps.evaluations.requests.services.creating import request_evaluation
from tests.evaluations.bench import NOW, evaluated, judge, judged, make_config, minutes, only, reply
from tests.loopback.providers import ModelProvider

GOOD = reply({"first": 8, "second": 8})
TWO = {"first": 1.0, "second": 1.0}


@pytest.fixture
def server(tenant):
    with ModelProvider(GOOD) as one:
        yield one


def print_of(config: str, at: float = 0) -> str:
    evaluation = judged(config, now=minutes(at))
    return only(evaluation).fingerprint


def test_the_same_judge_keeps_its_fingerprint(server):
    config = make_config(url=server.base_url("openai"), weights=TWO)
    assert print_of(config) == print_of(config, at=1)


def test_another_address_is_another_judge(server):
    config = make_config(url=server.base_url("openai"), weights=TWO)
    before = print_of(config)
    with ModelProvider(GOOD) as other:
        save_model_provider(name="stub", kind="openai", base_url=other.base_url("openai"), api_key="not-a-key")
        assert print_of(config) != before


def test_other_options_are_another_judge(server):
    config = make_config(url=server.base_url("openai"), weights=TWO)
    before = print_of(config)
    row = Row.objects.get(name="stub")
    row.options = {"extra_body": {"seed": 7}}
    row.save()
    assert print_of(config) != before


def test_another_key_is_the_same_judge(server):
    config = make_config(url=server.base_url("openai"), weights=TWO)
    before = print_of(config)
    save_model_provider(name="stub", kind="openai", base_url=server.base_url("openai"), api_key="rotated")
    assert print_of(config) == before


def test_judgement_and_ledger_name_the_row_and_not_its_interface(server):
    found = only(judged(make_config(url=server.base_url("openai"), weights=TWO)))
    assert found.provider == "stub"
    assert set(ModelCall.objects.values_list("provider", flat=True)) == {"stub"}


def test_a_kept_answer_has_the_fingerprint_it_was_given_with(server):
    config = make_config(url=server.base_url("openai"), weights=TWO)
    first = evaluated(config)
    judge()
    asked = request_evaluation(config=config, run_id=first.run_id, now=NOW)
    judge()
    again = type(first).objects.get(pk=asked.evaluation_id)
    assert only(again).from_cache
    assert only(again).fingerprint == only(first).fingerprint
