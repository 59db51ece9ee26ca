"""Decide which work may spend: the arithmetic of reserving, as plain data in and out. Money is US dollars, as
decimals."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class RefusalReason(StrEnum):
    """Reason why money was refused.

    PROMISED: calls in flight hold it (try again when they have ended); SPENT; UNPRICED: nobody knows what the model
    costs, so the limit could not be held.
    """

    PROMISED = "promised"
    SPENT = "spent"
    UNPRICED = "unpriced"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """State of one budget. `limit` None means no limit; `promised` is what open reservations may still cost."""

    limit: Decimal | None
    spent: Decimal = Decimal(0)
    promised: Decimal = Decimal(0)

    def past_warning(self, share: Decimal) -> bool:
        """Tell whether what is spent reaches that share of the limit.

        A limit of 0 always does; promises do not count, as they are the most that could be, several times what is.
        """
        return self.limit is not None and self.spent >= self.limit * share


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount(Generic[K]):
    """The highest cost of one piece of work, and the budgets that pay it."""

    usd: Decimal
    budgets: tuple[K, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall(Generic[K]):
    """The budget that refused, and why."""

    why: RefusalReason
    budget: K


def grant(accounts: Mapping[K, Account], amounts: Sequence[Amount[K]]) -> list[Shortfall[K] | None]:
    """Decide in order; None means granted. What costs nothing is always granted.

    Never promises more than a limit leaves: for each budget spent + promised + granted ≤ limit, or nothing is granted.
    A refusal names the budget that is spent rather than one that is only promised. A small ask may be granted after a
    larger one was refused.
    """
    promised = {budget: account.promised for budget, account in accounts.items()}
    answers: list[Shortfall[K] | None] = []
    for amount in amounts:
        refusal = _refusal(accounts, promised, amount) if amount.usd > 0 else None
        if refusal is None and amount.usd > 0:
            for budget in amount.budgets:
                promised[budget] += amount.usd
        answers.append(refusal)
    return answers


def _refusal(accounts: Mapping[K, Account], promised: Mapping[K, Decimal], amount: Amount[K]) -> Shortfall[K] | None:
    short = None
    for budget in amount.budgets:
        account = accounts[budget]
        if account.limit is None:
            continue
        if account.spent + amount.usd > account.limit:
            return Shortfall(why=RefusalReason.SPENT, budget=budget)
        if account.spent + promised[budget] + amount.usd > account.limit:
            short = short or Shortfall(why=RefusalReason.PROMISED, budget=budget)
    return short
