"""The benchmark's stub model: its right scores can be reckoned from outside, its faults come at the set rate."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from apps.evaluations.domain.prompt import reply_schema
from apps.evaluations.domain.transcript import render_transcript
from tests.loopback.http_server import Answer, LoopbackServer
from tests.loopback.stub_model import Behaviour, StubModel, key_of_turns, right_score

NAMES = ("tono_naturale", "brevita_risposte", "c3")


def turns(number: int, *, marked: bool = False) -> list[dict[str, Any]]:
    opening = f"Habari, nataka nafasi #{number}" + (f" #key=k{number}" if marked else "")
    return [{"role": "user", "content": opening}, {"role": "assistant", "content": "Karibu!\nSaa ngapi [1] <<<<?"}]


def ask(url: str, conversation: list[dict[str, Any]], nonce: str = "n0") -> httpx.Response:
    fenced = render_transcript(conversation, nonce=nonce)
    return httpx.post(
        f"{url}/v1/chat/completions",
        json={
            "model": "stub-judge",
            "messages": [{"role": "system", "content": "judge"}, {"role": "user", "content": f"{fenced}\n\nanswer"}],
            "response_format": {"type": "json_schema", "json_schema": {"schema": reply_schema(NAMES)}},
        },
    )


@contextmanager
def stub(**behaviour: Any) -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    model = StubModel(Behaviour(**({"latency_s": 0.0} | behaviour)))
    with LoopbackServer(model) as server:
        yield server.url, lambda: httpx.get(f"{server.url}/stats").json()


def reply(answer: httpx.Response) -> dict[str, Any]:
    return json.loads(answer.json()["choices"][0]["message"]["content"])


@pytest.mark.parametrize("marked", [True, False])
def test_a_checker_reckons_the_same_scores_whatever_the_nonce(marked: bool) -> None:
    with stub() as (url, stats):
        for number in range(5):
            conversation = turns(number, marked=marked)
            key = key_of_turns(conversation)
            for nonce in ("n1", "other"):
                told = reply(ask(url, conversation, nonce))
                assert told["nonce"] == nonce
                assert {name: entry["score"] for name, entry in told["scores"].items()} == {
                    name: right_score(key, name) for name in NAMES
                }
                assert told["scores"]["c3"]["evidence"] == ["[1] Karibu!"]
        shown = stats()
        assert (shown["calls"], shown["conversations"]) == (10, 5)
        assert shown["per_key"] == ({f"k{n}": {"calls": 2, "ok": 2} for n in range(5)} if marked else {})


def test_faults_come_at_their_rate_and_the_same_again() -> None:
    shares = {"rate_limited": 0.1, "broken": 0.1, "prose": 0.1, "cut": 0.05, "seed": 3}

    def once() -> list[str]:
        model = StubModel(Behaviour(**shares))
        model.asked.update(f"k{n}" for n in range(4000))
        return [model._outcome(f"k{n}") for n in range(4000)]

    first = once()
    assert first == once()
    share = {name: count / 4000 for name, count in Counter(first).items()}
    assert share == pytest.approx({"ok": 0.65, "429": 0.1, "500": 0.1, "prose": 0.1, "cut": 0.05}, abs=0.02)


@pytest.mark.parametrize(
    "share, check",
    [
        ("rate_limited", lambda answer: answer.status_code == 429 and answer.headers["retry-after"] == "1"),
        ("broken", lambda answer: answer.status_code == 500),
        ("prose", lambda answer: "{" not in answer.json()["choices"][0]["message"]["content"]),
        ("cut", lambda answer: answer.json()["choices"][0]["finish_reason"] == "length"),
    ],
)
def test_each_fault_looks_as_it_should(share: str, check: Callable[[httpx.Response], bool]) -> None:
    with stub(**{share: 1.0}) as (url, _):
        assert check(ask(url, turns(1)))


def test_other_schemas_get_something_that_fits() -> None:
    schema = {"type": "object", "properties": {"message": {"type": "string"}, "done": {"type": "boolean"}}}
    body = {
        "contents": [{"role": "user", "parts": [{"text": "play"}]}],
        "generationConfig": {"responseJsonSchema": schema},
    }
    with stub() as (url, _):
        answer = httpx.post(f"{url}/v1beta/models/gemini-x:generateContent", json=body).json()
    assert json.loads(answer["candidates"][0]["content"]["parts"][0]["text"]) == {
        "message": "As you say.",
        "done": True,
    }


def test_a_caller_who_hangs_up_does_not_stop_the_stub() -> None:
    with stub(latency_s=0.05) as (url, stats):
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{url}/v1/chat/completions", json={"model": "m", "messages": [{"content": "x"}]}, timeout=0.01)
        assert ask(url, turns(2)).status_code == 200
        assert stats()["calls"] == 2


def test_broken_requests_are_400_not_a_dead_server() -> None:
    with stub() as (url, _):
        assert httpx.post(f"{url}/v1/chat/completions", content=b"{").status_code == 400
        assert ask(url, turns(2)).status_code == 200


def test_as_a_process_it_says_where_it_is_and_stops_on_sigterm() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.loopback.stub_model", "--latency-ms", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": "."},
    )
    assert process.stdout is not None
    try:
        url = process.stdout.readline().split()[-1]
        assert httpx.get(f"{url}/health").json() == {"ready": True}
        assert ask(url, turns(1)).status_code == 200
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(5) == 0
        process.stdout.close()


def test_answers_can_be_waited_for() -> None:
    with LoopbackServer(lambda _: Answer(body=b"{}", delay_s=0.05)) as server:
        assert httpx.get(server.url).elapsed.total_seconds() >= 0.05
