"""The receptionist as a Ratiba server plays it: one turn of a customer, in the conversation's own tenant.

A scenario's `fixtures:` say how its salon stands, and what happens without the customer's words:

    taken: [[friday, "10:00"]]              # or `friday`: every time of the day
    events:
      - {after: 2, stk: {result: 0, receipt: RBK1AA11AA}}     # after the second reply; see playing.py
      - {after: 3, silence: true}
"""

from typing import Any

from tests.eval.playing import deliver


def reply(messages: list[dict[str, Any]], context: dict[str, Any]) -> dict[str, Any]:
    """For pytest-ratiba: `context` brings the tenant and the orchestrator that ratiba.yaml names."""
    orchestrator, tenant = context["orchestrator"], context["tenant"]
    thread_id, fixtures = context["conversation_id"], context.get("fixtures") or {}
    number = sum(one["role"] == "user" for one in messages)
    if number == 1:
        _take(tenant, fixtures.get("taken") or ())
    turn = orchestrator.turn(thread_id, messages[-1]["content"])
    for event in fixtures.get("events") or ():
        if event["after"] == number:
            deliver(event, orchestrator, tenant, thread_id)
    moves = [one for one in orchestrator.events if one["event_type"] == "fsm_transition"]
    return {
        "content": turn.content,
        "tool_calls": turn.tool_calls,
        "state": orchestrator.state(thread_id),
        "transitions": [(one["from"], one["event"], one["to"]) for one in moves],
        "log": orchestrator.events,
    }


def _take(tenant: Any, slots: Any) -> None:
    with tenant.connect() as connection:
        for slot in slots:
            day, times = (slot, None) if isinstance(slot, str) else (slot[0], [slot[1]])
            query = "UPDATE slots SET taken = true WHERE day = %s AND (%s::text[] IS NULL OR time = ANY(%s))"
            connection.execute(query, [day, times, times])
