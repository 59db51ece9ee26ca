"""The address of a model from whatever was pasted as its base URL."""

import pytest

from apps.connectors.llms.base import ModelSpec
from apps.connectors.llms.endpoint import endpoint
from apps.connectors.llms.registry import llm_for
from tests.connectors.llms.conftest import complete
from tests.loopback import formats
from tests.loopback.http_server import Answer, LoopbackServer, Request

AZURE = "/openai/deployments/d"


@pytest.mark.parametrize(
    "base, address",
    [
        ("https://h.example/v1", "https://h.example/v1/chat/completions"),
        (" https://h.example/v1/ ", "https://h.example/v1/chat/completions"),
        ("https://h.example/v1/chat/completions", "https://h.example/v1/chat/completions"),
        ("https://h.example/v1/chat/completions/?key=1", "https://h.example/v1/chat/completions?key=1"),
        ("https://h.example/v1/chat", "https://h.example/v1/chat/completions"),
        ("https://h.example:8443/llm/v1#top", "https://h.example:8443/llm/v1/chat/completions"),
        (f"https://h.example{AZURE}?api-version=2024-10-21",
         f"https://h.example{AZURE}/chat/completions?api-version=2024-10-21"),
        ("https://h.example", "https://h.example/chat/completions"),
    ],
)  # fmt: skip
def test_a_base_url_and_a_path_are_joined(base: str, address: str) -> None:
    assert endpoint(base, "/chat/completions") == address


@pytest.mark.parametrize("base", ["https://a.example", "https://a.example/v1/", "https://a.example/v1/messages"])
def test_what_the_base_holds_of_the_path_is_not_said_twice(base: str) -> None:
    assert endpoint(base, "/v1/messages") == "https://a.example/v1/messages"


def test_azures_classic_form_reaches_the_model_with_its_key() -> None:
    requests: list[Request] = []

    def handle(request: Request) -> Answer:
        requests.append(request)
        return formats.answer("openai", '{"score": 7}', model="gpt-4o")

    with LoopbackServer(handle) as server:
        spec = ModelSpec(
            provider="openai", model="gpt-4o", base_url=f"{server.url}{AZURE}?api-version=2024-10-21", api_key="k" * 20
        )
        answer = complete(llm_for(spec))
    assert answer.text == '{"score": 7}'
    assert requests[0].path == f"{AZURE}/chat/completions?api-version=2024-10-21"
    assert requests[0].headers["api-key"] == "k" * 20
    assert "authorization" not in requests[0].headers
