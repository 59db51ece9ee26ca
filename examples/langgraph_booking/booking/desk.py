"""What the tools do: each changes rows, moves the state machine, and answers the model."""

from collections.abc import Callable
from typing import Any

from booking.machine import IllegalEvent, fire
from booking.rails import PaymentRails
from booking.store import PRICE_KES, BookingStore

Log = Callable[..., None]


class FrontDesk:
    """The tools of one conversation. `state` is where it stands."""

    def __init__(self, store: BookingStore, rails: PaymentRails, log: Log, thread_id: str, state: str) -> None:
        self.store, self.rails, self.log = store, rails, log
        self.thread_id, self.state = thread_id, state

    def call(self, name: str, arguments: dict[str, Any], said: list[str]) -> dict[str, Any]:
        """The tool's answer; `said` are the customer's words so far. What is not possible now is an answer, too."""
        try:
            match name:
                case "find_slots":
                    return self._find(**arguments)
                case "choose_slot":
                    return self._choose(**arguments)
                case "cancel_payment":
                    return self._cancel()
                case "ask_human":
                    return self._hand_over(arguments["reason"], said)
            return {"error": f"there is no tool {name}"}
        except (IllegalEvent, TypeError, KeyError) as error:
            self.log("tool_refused", tool=name, why=str(error))
            return {"error": str(error)}

    def move(self, event: str, **context: Any) -> None:
        """One step of the machine. Raises IllegalEvent, and then nothing has changed."""
        before, self.state = self.state, fire(self.state, event, context)
        self.log("fsm_transition", **{"from": before, "event": event, "to": self.state})

    def _find(self, day: str) -> dict[str, Any]:
        self.move("slots_shown")
        return {"day": day, "free": self.store.free_times(day)}

    def _choose(self, day: str, time: str, rail: str, phone: str = "") -> dict[str, Any]:
        fire(self.state, "slot_chosen", {"slot_is_free": True})  # nothing is held in a state that cannot book
        booking_id = self.store.hold(self.thread_id, day, time)
        self.move("slot_chosen", slot_is_free=booking_id is not None)
        assert booking_id is not None  # noqa: S101 - the guard held
        request = self.rails.ask(rail, amount_kes=PRICE_KES, phone=phone, booking_id=booking_id)
        self.store.add_payment(booking_id, rail, request.reference, phone)
        self.log("payment_requested", rail=rail, amount_kes=PRICE_KES)
        return {"held": f"{day} {time}", "pay_kes": PRICE_KES, "rail": rail, "page": request.page}

    def _cancel(self) -> dict[str, Any]:
        self.move("payment_cancelled")
        self.cancelled()
        return {"cancelled": True}

    def cancelled(self) -> None:
        """Free the time of the payment that was pending."""
        self.store.settle(self.store.payments(self.thread_id)[-1]["id"], "PAYMENT_CANCELLED_BY_CUSTOMER")
        self.log("payment_cancelled")

    def _hand_over(self, reason: str, said: list[str]) -> dict[str, Any]:
        state = self.state
        self.move("asked_for_human")
        payments = [
            {key: one[key] for key in ("rail", "status", "amount_kes")} for one in self.store.payments(self.thread_id)
        ]
        card = {
            "thread_id": self.thread_id,
            "reason": reason,
            "state": state,
            "summary": said[-6:],
            "payments": payments,
        }
        self.store.log_handoff(self.thread_id, reason, card)
        self.log("handoff", reason=reason)
        return {"handed_over": True}
