"""Until the server has judged, or decided."""

import time
from typing import Any

from pytest_ratiba.ci.side import PlayedSide, SideUnmeasurable
from pytest_ratiba.client import RatibaClient

DECIDE_S = 1800.0
POLL_S = 0.5


def until_judged(client: RatibaClient, played: PlayedSide) -> None:
    """Raises `SideUnmeasurable` where that takes longer than DECIDE_S."""
    deadline = time.monotonic() + DECIDE_S
    while client.evaluation(played.evaluation)["status"] in ("pending", "running"):
        if time.monotonic() > deadline:
            raise SideUnmeasurable(f"evaluation {played.evaluation} was not judged within {DECIDE_S:g} s")
        time.sleep(POLL_S)


def decided_gate(client: RatibaClient, gate_id: str) -> dict[str, Any]:
    """The gate's document. Raises `SideUnmeasurable` as above, with what it waits for."""
    deadline = time.monotonic() + DECIDE_S
    while (gate := client.gate(gate_id))["status"] != "decided":
        if time.monotonic() > deadline:
            raise SideUnmeasurable(f"gate {gate_id} waits for {gate.get('waiting_for') or 'the server'}")
        time.sleep(POLL_S)
    return gate
