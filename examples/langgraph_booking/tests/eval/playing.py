"""Plays a transcript through the orchestrator: the customer's words, what the payment rails report, silence.

steps:
  - say: Nataka kunyoa Ijumaa
  - stk: {result: 0, receipt: RB12}     # Safaricom's callback for the payment that was asked for last
  - pesapal: notified                   # PesaPal's notification
  - silence: true
"""

import time
from pathlib import Path
from typing import Any

import yaml

from pytest_ratiba.assertions.outcome import ScenarioOutcome
from tests.eval.orchestrators import LoggedOrchestrator

REPLAYS = sorted((Path(__file__).parent / "replays").glob("*.yaml"))


def read_replay(path: Path) -> dict[str, Any]:
    """One transcript."""
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def play(replay: dict[str, Any], orchestrator: LoggedOrchestrator, tenant: Any) -> ScenarioOutcome:
    """What happened, for `check_assertions`."""
    thread_id, turns = replay["id"], []
    for step in replay["steps"]:
        if "say" in step:
            start = time.perf_counter()
            reply = orchestrator.say(thread_id, step["say"])
            taken = (time.perf_counter() - start) * 1000
            turns.append({"role": "user", "content": step["say"]})
            turns.append({"role": "assistant", "content": reply, "latency_ms": taken})
        else:
            deliver(step, orchestrator, tenant, thread_id)
    moves = [one for one in orchestrator.events if one["event_type"] == "fsm_transition"]
    return ScenarioOutcome(
        turns=turns,
        transitions=[(one["from"], one["event"], one["to"]) for one in moves],
        state=orchestrator.state(thread_id),
        log=orchestrator.events,
        connect=tenant.connect,
        folder=Path(__file__).parents[2],
    )


def deliver(step: dict[str, Any], orchestrator: LoggedOrchestrator, tenant: Any, thread_id: str) -> None:
    """What happens without the customer's words: a callback for the payment asked for last, or silence."""
    if "silence" in step:
        orchestrator.timeout(thread_id)
    else:
        orchestrator.payment_callback(_callback(step, _reference(tenant)))


def _reference(tenant: Any) -> str:
    with tenant.connect() as connection:
        found = connection.execute("SELECT reference FROM payments ORDER BY id DESC LIMIT 1").fetchone()
    return str(found[0])


def _callback(step: dict[str, Any], reference: str) -> dict[str, Any]:
    if "pesapal" in step:
        return {"OrderTrackingId": reference, "OrderNotificationType": "IPNCHANGE"}
    stk = {"CheckoutRequestID": reference, "ResultCode": step["stk"]["result"]}
    if "receipt" in step["stk"]:
        items = [{"Name": "Amount", "Value": 800}, {"Name": "MpesaReceiptNumber", "Value": step["stk"]["receipt"]}]
        stk["CallbackMetadata"] = {"Item": items}
    return {"Body": {"stkCallback": stk}}
