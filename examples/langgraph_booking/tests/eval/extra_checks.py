"""What a scenario asserts in Python."""

from pytest_ratiba.assertions.outcome import ScenarioOutcome


def no_double_charge(outcome: ScenarioOutcome) -> None:
    """Nobody pays twice for one booking."""
    with outcome.connect() as connection:
        query = (
            "SELECT booking_id FROM payments WHERE status = 'PAYMENT_CONFIRMED' GROUP BY booking_id HAVING count(*) > 1"
        )
        twice = connection.execute(query).fetchall()
    assert not twice, f"bookings {twice} were paid more than once"
