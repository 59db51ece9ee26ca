"""The example agent is found again after a start on another port; nobody else's address is touched."""

import threading

import pytest

from apps.catalog.connections.services.storing import save_agent
from apps.catalog.models import Agent
from apps.tenants.context import in_tenant
from ratiba_eval import demonstration, programs


@pytest.fixture
def booking(db):
    """The address `booking` has after a start on port 9001."""

    def moved(address: str, *, kind: str = "a2a", answers: bool = False) -> tuple[str, str]:
        with in_tenant("acme"):
            save_agent(name="booking", kind=kind, address=address, stagger_s=(1.0, 2.0))
            told = demonstration.agent_moved(port=9001, answers=lambda _port: answers)
            row = Agent.objects.get(name="booking")
            assert row.stagger_max_s == 2.0
            return told, row.address

    return moved


def test_an_address_at_which_nobody_answers_any_more_follows_the_port(booking):
    assert booking("http://127.0.0.1:8123") == ("http://127.0.0.1:9001", "http://127.0.0.1:9001")


@pytest.mark.parametrize(
    "address, how",
    [
        ("http://127.0.0.1:9001", {}),
        ("http://127.0.0.1:8123", {"answers": True}),
        ("http://127.0.0.1:8123", {"kind": "http"}),
        ("http://127.0.0.1:8123/chat", {}),
        ("https://agent.example.org", {}),
    ],
)
def test_what_is_right_or_somebody_elses_stays(booking, address, how):
    assert booking(address, **how) == ("", address)


def test_who_prepares_second_waits_for_the_first(tmp_path):
    order = []

    def second() -> None:
        with programs.taking_turns(tmp_path):
            order.append("second")

    with programs.taking_turns(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(0.2)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]
