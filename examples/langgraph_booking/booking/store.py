"""The tenant's rows. The connection's search_path says whose tenant."""

import json
from typing import Any

import psycopg
from psycopg.rows import dict_row

PRICE_KES = 800


class BookingStore:
    """Slots, bookings, payments and the log of hand-overs of one tenant."""

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        self.connection = connection

    def free_times(self, day: str) -> list[str]:
        """Times of the day that nobody holds."""
        return [row["time"] for row in self._all("SELECT time FROM slots WHERE day = %s AND NOT taken ORDER BY 1", day)]

    def hold(self, thread_id: str, day: str, time: str) -> int | None:
        """Take the time and answer the booking's id; None where somebody has it or it does not exist."""
        taken = self._all(
            "UPDATE slots SET taken = true WHERE day = %s AND time = %s AND NOT taken RETURNING 1", day, time
        )
        if not taken:
            return None
        query = "INSERT INTO bookings (thread_id, day, time) VALUES (%s, %s, %s) RETURNING id"
        return int(self._all(query, thread_id, day, time)[0]["id"])

    def add_payment(self, booking_id: int, rail: str, reference: str, phone: str) -> None:
        """A payment that was asked for."""
        query = "INSERT INTO payments (booking_id, rail, reference, phone, amount_kes) VALUES (%s, %s, %s, %s, %s)"
        self.connection.execute(query, [booking_id, rail, reference, phone, PRICE_KES])

    def payment(self, reference: str) -> dict[str, Any] | None:
        """The newest payment of a reference, with its thread."""
        found = self._all(
            "SELECT p.*, b.thread_id FROM payments p JOIN bookings b ON b.id = p.booking_id "
            "WHERE p.reference = %s ORDER BY p.id DESC LIMIT 1",
            reference,
        )
        return found[0] if found else None

    def payments(self, thread_id: str) -> list[dict[str, Any]]:
        """Payments of a conversation, oldest first."""
        return self._all(
            "SELECT p.id, p.rail, p.status, p.amount_kes, p.booking_id FROM payments p "
            "JOIN bookings b ON b.id = p.booking_id WHERE b.thread_id = %s ORDER BY p.id",
            thread_id,
        )

    def settle(self, payment_id: int, status: str, *, receipt: str = "") -> None:
        """The payment's new status. Its booking is confirmed, or released once: the time may be another's by then."""
        query = "UPDATE payments SET status = %s, receipt = nullif(%s, '') WHERE id = %s RETURNING booking_id"
        booking_id = self._all(query, status, receipt, payment_id)[0]["booking_id"]
        booking = "confirmed" if status == "PAYMENT_CONFIRMED" else "released"
        moved = "UPDATE bookings SET status = %s WHERE id = %s AND status = 'held' RETURNING day, time"
        for row in self._all(moved, booking, booking_id):
            if booking == "released":
                free = "UPDATE slots SET taken = false WHERE day = %s AND time = %s"
                self.connection.execute(free, [row["day"], row["time"]])

    def log_handoff(self, thread_id: str, reason: str, card: dict[str, Any]) -> None:
        """A conversation that a person goes on with."""
        query = "INSERT INTO handoff_log (thread_id, reason, briefing_card) VALUES (%s, %s, %s)"
        self.connection.execute(query, [thread_id, reason, json.dumps(card)])

    def _all(self, query: str, *values: Any) -> list[dict[str, Any]]:
        with self.connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(query.encode(), values).fetchall()
