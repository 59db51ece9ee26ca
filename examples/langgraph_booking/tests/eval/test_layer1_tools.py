"""Layer 1 beside booking.fsm.yaml: what a tool does in a state where it must not."""

import pytest
from booking.desk import FrontDesk

pytestmark = pytest.mark.layer1


class NoStore:
    """No row may be read or written."""


@pytest.mark.parametrize(
    "state, tool, arguments",
    [
        ("greeting", "choose_slot", {"day": "friday", "time": "10:00", "rail": "mpesa"}),
        ("greeting", "cancel_payment", {}),
        ("confirmed", "find_slots", {"day": "friday"}),
        ("payment_pending", "choose_slot", {"day": "friday", "time": "10:00", "rail": "mpesa"}),
        ("handed_over", "ask_human", {"reason": "again"}),
        ("offering", "choose_slot", {"day": "friday"}),
        ("offering", "dance", {}),
    ],
)
def test_a_tool_that_is_not_possible_now_answers_an_error_and_touches_nothing(state, tool, arguments):
    log = []
    desk = FrontDesk(NoStore(), NoStore(), lambda event_type, **what: log.append(event_type), "t", state)
    assert "error" in desk.call(tool, arguments, [])
    assert desk.state == state
    assert log in (["tool_refused"], [])
