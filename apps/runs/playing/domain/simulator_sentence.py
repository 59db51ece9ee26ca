"""The sentence about the simulated customers of a run, the same everywhere."""

from collections.abc import Mapping

OFFLINE_CUSTOMER = "offline rules play the scenario's wish, not the persona"


def simulator_sentence(
    *, battles: int, invalid: int, replayed: int, verdicts: Mapping[str, int], offline: int = 0
) -> str:
    """Say how many battles the simulated customers spoiled, as "6 of 100 battles invalid …".

    "" where nothing has been found out yet. `offline` customers were played by rules, which play no persona. Pure.
    """
    pending, unmeasured = verdicts.get("pending", 0), verdicts.get("unmeasured", 0)
    kept_part = verdicts.get("kept", 0)
    parts = []
    if invalid or kept_part or replayed:
        fault = ": the simulated customer was at fault, and they count for nobody" if invalid else ""
        parts.append(f"{invalid} of {battles} {_battles(battles)} invalid{fault}.")
    if replayed:
        parts.append(f"{replayed} {_were(replayed)} played again for the simulated customer's sake.")
    if offline:
        played = "1 customer was" if offline == 1 else f"{offline} customers were"
        parts.append(f"{played} played without a model: {OFFLINE_CUSTOMER}.")
    if pending:
        parts.append(f"{pending} simulated {_customers(pending)} still being reviewed.")
    if unmeasured:
        parts.append(f"{unmeasured} simulated {_customers(unmeasured)} not reviewed by a model.")
    return " ".join(parts)


def _battles(count: int) -> str:
    return "battle" if count == 1 else "battles"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _customers(count: int) -> str:
    return "customer is" if count == 1 else "customers are"
