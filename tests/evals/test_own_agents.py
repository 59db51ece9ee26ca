"""What our own pull requests are held against: the agents of ratiba.yaml answer, and the judge's cases hold."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from evals import judge, salon
from tests.loopback.providers import THE_KEY, THE_NONCE, ModelProvider

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = [yaml.safe_load(path.read_text()) for path in sorted((ROOT / "evals" / "scenarios").glob("*.yaml"))]
JUDGED = [one for one in SCENARIOS if one["agent"] == "judge"]


def test_every_agent_has_as_many_cases_as_a_loss_can_be_shown_with() -> None:
    config = yaml.safe_load((ROOT / "ratiba.yaml").read_text())
    for name in config["agents"]:
        assert sum(one["agent"] == name for one in SCENARIOS) >= 8


@pytest.mark.parametrize("scenario", JUDGED, ids=lambda one: one["id"])
def test_the_judges_cases_hold_by_the_written_rules(scenario: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVALS_MODEL", raising=False)
    answer = asyncio.run(judge.reply([{"role": "user", "content": scenario["opening"]}], {}))
    (call,) = answer["tool_calls"]
    for one in scenario["assertions"]:
        assert one["tool"] == call["name"]
        assert one["arguments"].items() <= call["arguments"].items()


def test_the_judge_asks_with_the_template_of_its_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    criteria, _, _ = judge.judge_of_pack("service-booking", judge.CONFIG)
    scores = {one["name"]: {THE_KEY: 8, "reason": "short", "evidence": []} for one in criteria}
    with ModelProvider(json.dumps({"nonce": THE_NONCE, "scores": scores})) as provider:
        ask_loopback(monkeypatch, provider)
        answer = asyncio.run(judge.reply([{"role": "user", "content": JUDGED[0]["opening"]}], {}))
        sent = provider.requests[0].body.decode()
    assert set(answer["tool_calls"][0]["arguments"].values()) == {"high"}
    assert json.dumps(criteria[0]["scoring_guide"]["10"])[1:40] in sent


def test_the_salon_speaks_with_the_prompt_of_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelProvider("You are booked.") as provider:
        ask_loopback(monkeypatch, provider)
        answer = asyncio.run(salon.reply([{"role": "user", "content": "Hello"}], {}))
        sent = provider.last_body
    assert answer == {"content": "You are booked.", "tool_calls": []}
    assert "Salon Malaika in Nairobi" in sent["messages"][0]["content"]
    assert {one["function"]["name"] for one in sent["tools"]} == {"free_slots", "book_slot", "goodbye"}


def ask_loopback(monkeypatch: pytest.MonkeyPatch, provider: ModelProvider) -> None:
    monkeypatch.setenv("EVALS_MODEL", "openai:gpt-4o-mini")
    monkeypatch.setenv("EVALS_BASE_URL", f"{provider.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
