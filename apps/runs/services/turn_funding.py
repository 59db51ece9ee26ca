"""Money for conversations that are being played: for the questions under way, never for all that may follow."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from apps.budgets.domain.estimate import Estimate
from apps.budgets.services import LedgerCall, OpenCall
from apps.budgets.services.reservations import BudgetReservations
from apps.budgets.services.reserving import Refusal, ReservationRequest


class TurnFunding:
    """What the conversations of one lane are promised: each as much as its open questions may cost at most.

    A question counts from before it is asked until its answer is in the ledger, so that spent and promised together
    never exceed a limit, and a battle of forty turns holds the money of one.
    """

    def __init__(self, reservations: BudgetReservations) -> None:
        self.reservations = reservations
        self._open: dict[uuid.UUID, dict[uuid.UUID, Estimate]] = defaultdict(dict)

    def refused(self, calls: Sequence[OpenCall]) -> Mapping[uuid.UUID, Refusal]:
        """Which of these calls cannot be paid, by their ids; the others may be made. As `BudgetReservations.reserve`
        for all of them together; nothing for a further attempt at a question, and for what costs nothing."""
        asked = {
            call.call_for.conversation_id: call
            for call in calls
            if call.question is not None and call.call_for.conversation_id is not None
        }
        for conversation, call in asked.items():
            self._open[conversation][call.id] = call.question or Estimate()
        refused = self.reservations.reserve([self._request(call) for call in asked.values()])
        for conversation in refused:
            self._open[conversation].pop(asked[conversation].id)
        return {asked[conversation].id: no for conversation, no in refused.items()}

    def settled(self, calls: Iterable[LedgerCall], *, ended: Collection[uuid.UUID]) -> set[uuid.UUID]:
        """Note that these calls are in the ledger, and that those conversations have ended here; which of all these
        need no promise until they ask again."""
        for one in ended:
            self._open.pop(one, None)
        idle = set(ended)
        for call in calls:
            conversation = call.call_for.conversation_id
            if conversation is not None:
                waiting = self._open.get(conversation, {})
                waiting.pop(call.id, None)
                idle |= set() if waiting else {conversation}
        return idle

    def _request(self, call: OpenCall) -> ReservationRequest:
        call_for = call.call_for
        total = Estimate()
        for one in self._open[call_for.conversation_id].values():  # type: ignore[index]
            total += one
        return ReservationRequest(
            id=call_for.conversation_id,  # type: ignore[arg-type]
            usd=total.usd,
            run_id=call_for.run_id,
            pull_request=call_for.pull_request,
            price=total.price,
            unpriced=total.unpriced,
        )
