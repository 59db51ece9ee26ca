"""Altered scenarios are also played as the commit itself has them, once the gate has decided: that is shown and decides
nothing. Decided is by the versions of the merge base."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_ratiba.ci.known_cost import known_cost
from pytest_ratiba.ci.repeating import with_note
from pytest_ratiba.ci.side import SideUnmeasurable
from pytest_ratiba.client import RatibaClient, ServerError
from pytest_ratiba.errors import ProjectError

ENDED_S, POLL_S = 300.0, 1.0


def with_own_versions(
    client: RatibaClient, gate: Mapping[str, Any], names: Sequence[str], play: Callable[[Sequence[str]], str]
) -> dict[str, Any]:
    """The gate with what became of these scenarios in it, each played once. `play` answers with the evaluation's id.

    Where the budget has no room for them, or they cannot be played, the gate says so. The decision stays as it is,
    whatever happens.
    """
    if not names or gate["own_versions"] is not None:
        return dict(gate)
    body = {"left_out": short_of_money(gate, len(names))}
    try:
        if not body["left_out"]:
            body = _played(play, names)
        return _added(client, str(gate["id"]), body)
    except ServerError as error:
        return with_note(gate, f"Altered scenarios as the commit has them are not shown: {error}.")


def short_of_money(gate: Mapping[str, Any], many: int) -> str:
    """Say why the rest of the budget is too small for so many conversations; "" where it is enough.
    The price of one conversation is taken from the candidate's conversations."""
    budget, played = gate["budget_usd"], int(gate["counts"]["candidate"]["conversations"])
    if budget is None:
        return ""
    left = max(0.0, float(budget) - known_cost(gate))
    price = many * known_cost(gate["candidate"]) / max(1, played)
    if price <= left and (left > 0 or price == 0 == known_cost(gate)):
        return ""
    return f"they cost about ${price:.2f}, and ${left:.2f} of the budget is left"


def _played(play: Callable[[Sequence[str]], str], names: Sequence[str]) -> dict[str, str]:
    try:
        return {"evaluation": play(names)}
    except (SideUnmeasurable, ProjectError) as error:
        return {"left_out": f"they could not be played ({error})"[:300]}


def _added(client: RatibaClient, gate_id: str, body: Mapping[str, str]) -> dict[str, Any]:
    """Waits for checks that have not ended."""
    deadline = time.monotonic() + ENDED_S
    while True:
        try:
            return client.add_own_versions(gate_id, body)
        except ServerError as error:
            if error.code != "not_ended" or time.monotonic() > deadline:
                raise
        time.sleep(POLL_S)
