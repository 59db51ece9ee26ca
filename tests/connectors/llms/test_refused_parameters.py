"""A field that a server refuses by name is left out, once for each model, and the question is asked again."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from apps.connectors.errors import RemoteRefusal
from apps.connectors.llms.base import LLM, ModelSpec
from apps.connectors.llms.openai import OpenAI
from apps.connectors.llms.refused_parameters import forget_refusals, share_refusals
from apps.connectors.llms.spec import judging_parameters
from apps.jobs.services.refused_parameters import CachedRefusals
from tests.connectors.llms.conftest import complete, question
from tests.loopback import formats
from tests.loopback.http_server import Answer
from tests.loopback.providers import ModelProvider

MakeLLM = Callable[..., LLM]


@pytest.fixture(autouse=True)
def nothing_refused_yet() -> Iterator[None]:
    forget_refusals()
    yield
    forget_refusals()


def refusal(message: str, param: str | None = None, status: int = 400) -> Answer:
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": None}
    return Answer(status=status, body=json.dumps({"error": error}).encode())


def bodies(provider: ModelProvider) -> list[dict[str, Any]]:
    return [json.loads(request.body) for request in provider.requests]


NO_SCHEMA = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
NO_JSON = "Invalid parameter: 'response_format' of type 'json_object' is not supported with this model."


def test_a_model_without_schemas_is_asked_in_words_and_the_next_question_knows_it(
    make_llm: MakeLLM, provider: ModelProvider
) -> None:
    provider.script(refusal(NO_SCHEMA), refusal(NO_JSON))
    llm = make_llm("openai", model="gpt-4")
    answer = complete(llm)
    assert (answer.text, answer.left_out) == ('{"score": 7}', ("json_object", "json_schema"))
    kinds = [body.get("response_format", {}).get("type") for body in bodies(provider)]
    assert kinds == ["json_schema", "json_object", None]
    assert "score" in bodies(provider)[-1]["messages"][0]["content"]
    complete(llm)
    assert len(provider.requests) == 4
    complete(make_llm("openai", model="gpt-4o"))
    assert provider.last_body["response_format"]["type"] == "json_schema"


class Remembered:
    """What several processes share."""

    def __init__(self) -> None:
        self.names: dict[str, frozenset[str]] = {}

    def read(self, key: str) -> frozenset[str]:
        return self.names.get(key, frozenset())

    def write(self, key: str, names: frozenset[str]) -> None:
        self.names[key] = names


def test_what_one_process_learned_the_next_one_knows(make_llm: MakeLLM, provider: ModelProvider) -> None:
    memory = Remembered()
    share_refusals(memory)
    provider.script(refusal(NO_SCHEMA), refusal(NO_JSON))
    complete(make_llm("openai", model="gpt-4"))
    forget_refusals()
    share_refusals(memory)  # another process
    complete(make_llm("openai", model="gpt-4"))
    assert len(provider.requests) == 4
    complete(make_llm("openai", model="gpt-4o"))
    assert provider.last_body["response_format"]["type"] == "json_schema"


def test_the_cache_remembers_and_one_that_is_away_costs_nothing(settings: Any) -> None:
    memory = CachedRefusals()
    memory.write("k", frozenset({"temperature"}))
    assert (memory.read("k"), memory.read("other")) == (frozenset({"temperature"}), frozenset())
    settings.CACHES = {"shared": {"BACKEND": "django.core.cache.backends.redis.RedisCache",
                                  "LOCATION": "redis://127.0.0.1:1"}}  # fmt: skip
    memory.write("k", frozenset({"seed"}))
    assert memory.read("k") == frozenset()


@pytest.mark.parametrize(
    "message, param",
    [
        ("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
         "max_tokens"),
        ("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
         None),
        ("Unrecognized request argument supplied: max_tokens", None),
    ],
)  # fmt: skip
def test_the_limit_of_the_answer_goes_by_its_other_name(
    make_llm: MakeLLM, provider: ModelProvider, message: str, param: str | None
) -> None:
    provider.script(refusal(message, param))
    assert complete(make_llm("openai")).left_out == ("max_tokens",)
    assert "max_tokens" not in provider.last_body
    assert provider.last_body["max_completion_tokens"] == 4096


@pytest.mark.parametrize(
    "wire, field, message",
    [
        ("openai", "temperature", "Unsupported value: 'temperature' does not support 0.2 with this model."),
        ("openai", "seed", "1 validation error: seed: Extra inputs are not permitted"),
        ("anthropic", "temperature", "`temperature` is deprecated for this model."),
        ("google", "temperature", 'Invalid JSON payload received. Unknown name "temperature": Cannot find field.'),
    ],
)
def test_a_field_is_left_out_whatever_the_format(
    make_llm: MakeLLM, provider: ModelProvider, wire: str, field: str, message: str
) -> None:
    provider.script(refusal(message))
    options = {"supports_temperature": True} | ({"supports_seed": True} if wire == "openai" else {})
    complete(make_llm(wire, **options), question(temperature=0.2, seed=7))
    first, second = bodies(provider)
    assert f'"{field}"' in json.dumps(first)
    assert f'"{field}"' not in json.dumps(second)


@pytest.mark.parametrize("wire, message", [
    ("anthropic", "output_config.format: Extra inputs are not permitted"),
    ("google", 'Unknown name "responseJsonSchema" at \'generation_config\': Cannot find field.'),
])  # fmt: skip
def test_a_schema_is_asked_for_in_words_whatever_the_format(
    make_llm: MakeLLM, provider: ModelProvider, wire: str, message: str
) -> None:
    provider.script(refusal(message))
    assert complete(make_llm(wire)).left_out == ("json_schema",)
    assert "score" in json.dumps(provider.last_body)


@pytest.mark.parametrize(
    "answer",
    [
        refusal("max_tokens is too large: 8192. This model supports at most 4096 completion tokens."),
        refusal("This model's maximum context length is 8192 tokens."),
        refusal("Unsupported parameter: 'reasoning_effort' is not supported with this model."),
        refusal("Incorrect API key provided; json_schema is not supported", status=401),
    ],
)
def test_any_other_refusal_is_told_as_it_is(make_llm: MakeLLM, provider: ModelProvider, answer: Answer) -> None:
    provider.script(answer)
    with pytest.raises(RemoteRefusal):
        complete(make_llm("openai"))
    assert len(provider.requests) == 1


def test_a_server_that_refuses_again_ends_it(make_llm: MakeLLM, provider: ModelProvider) -> None:
    provider.script(*[refusal("Unsupported parameter: 'temperature'")] * 3)
    with pytest.raises(RemoteRefusal):
        complete(make_llm("openai", extra_body={"temperature": 1}))
    assert len(provider.requests) == 2


def test_an_answer_is_metered_once(make_llm: MakeLLM, provider: ModelProvider) -> None:
    provider.script(refusal(NO_SCHEMA), formats.answer("openai", '{"score": 3}', model="m"))
    assert complete(make_llm("openai")).usage.input_tokens == 1200


BOUNDED = {"type": "object", "properties": {"score": {"type": "integer", "minimum": 0, "maximum": 10}},
           "required": ["score"], "additionalProperties": False}  # fmt: skip


def sent_schema(provider: ModelProvider) -> dict[str, Any]:
    return provider.last_body["response_format"]["json_schema"]["schema"]["properties"]["score"]  # type: ignore[no-any-return]


def test_bounds_go_to_any_address_but_openais_own_until_they_are_refused(
    make_llm: MakeLLM, provider: ModelProvider
) -> None:
    complete(make_llm("openai", schema_bounds=False), question(schema=BOUNDED))
    assert sent_schema(provider) == {"type": "integer"}
    complete(make_llm("openai"), question(schema=BOUNDED))
    assert sent_schema(provider) == {"type": "integer", "minimum": 0, "maximum": 10}
    words = "Invalid schema for response_format: For 'integer' type, properties maximum, minimum are not supported."
    provider.script(refusal(words, "response_format"))
    answer = complete(make_llm("openai"), question(schema=BOUNDED))
    assert answer.left_out == ("schema_bounds",)
    assert sent_schema(provider) == {"type": "integer"}, "the schema itself stays"


@pytest.mark.parametrize("words", [
    "The provided JSON schema contains features not supported by xgrammar.",
    "Failed to parse grammar",
])  # fmt: skip
def test_a_server_that_cannot_hold_to_bounds_without_naming_them_gets_the_schema_without(
    make_llm: MakeLLM, provider: ModelProvider, words: str
) -> None:
    provider.script(refusal(words))
    assert complete(make_llm("openai"), question(schema=BOUNDED)).left_out == ("schema_bounds",)


@pytest.mark.parametrize("address, sends", [
    (None, False), ("https://api.openai.com/v1/", False), ("https://x.openai.azure.com/openai/v1", False),
    ("http://127.0.0.1:8080/v1", True), ("https://openrouter.ai/api/v1", True),
])  # fmt: skip
def test_bounds_and_a_judges_temperature_of_0_go_to_servers_that_are_not_openais(
    address: str | None, sends: bool
) -> None:
    judged = question(schema=BOUNDED, is_judging=True)
    body = OpenAI(ModelSpec(provider="openai", model="m", base_url=address))._body(judged, frozenset())
    assert ("maximum" in json.dumps(body)) is sends
    assert body.get("temperature") == (0.0 if sends else None)
    asked = question(is_judging=True, temperature=0.4)
    llm = OpenAI(ModelSpec(provider="openai", model="m", base_url="http://127.0.0.1:1/v1"))
    assert llm._body(asked, frozenset())["temperature"] == 0.4, "what is said counts"
    assert "temperature" not in llm._body(question(), frozenset()), "a customer speaks as the server has it"


def test_a_judge_at_a_server_of_ones_own_is_another_instrument_than_one_at_the_servers_own_temperature() -> None:
    own = ModelSpec(provider="openai", model="m", base_url="http://127.0.0.1:1/v1")
    assert judging_parameters({"repeats": 1}, own) == {"repeats": 1, "temperature": 0.0}
    assert judging_parameters({"temperature": 0.7}, own) == {"temperature": 0.7}
    for spec in (ModelSpec(provider="openai", model="m"), replace(own, options={"supports_temperature": False})):
        assert judging_parameters({}, spec) == {}
