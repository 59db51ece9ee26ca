"""The arithmetic of reserving: whatever is asked in whatever order, no limit is promised twice."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from apps.budgets.domain.allowance import Account, Amount, RefusalReason, Shortfall, grant

CENT = Decimal("0.01")
money = st.decimals(min_value=0, max_value=100, places=4)
accounts = st.fixed_dictionaries(
    {
        name: st.builds(Account, limit=st.one_of(st.none(), money), spent=money, promised=money)
        for name in ("run", "month", "tenant")
    }
)
asks = st.lists(
    st.builds(
        Amount, usd=money, budgets=st.sets(st.sampled_from(["run", "month", "tenant"]), min_size=1).map(lambda s: (*s,))
    ),
    max_size=12,
)


def account(limit="1", spent="0", promised="0"):
    return Account(limit=None if limit is None else Decimal(limit), spent=Decimal(spent), promised=Decimal(promised))


@given(accounts, asks)
def test_no_limit_is_ever_promised_beyond(accounts, asks):
    answers = grant(accounts, asks)
    for name, one in accounts.items():
        given_out = sum(
            (ask.usd for ask, no in zip(asks, answers, strict=True) if no is None and name in ask.budgets), Decimal(0)
        )
        if one.limit is not None and given_out > 0:
            assert one.spent + one.promised + given_out <= one.limit


@given(accounts, asks)
def test_every_refusal_names_a_budget_that_is_short(accounts, asks):
    taken = {name: one.promised for name, one in accounts.items()}
    for ask, no in zip(asks, grant(accounts, asks), strict=True):
        if no is None:
            for name in ask.budgets:
                taken[name] += ask.usd
            continue
        short = accounts[no.budget]
        assert no.budget in ask.budgets
        assert short.limit is not None
        if no.why is RefusalReason.SPENT:
            assert short.spent + ask.usd > short.limit
        else:
            assert short.spent + ask.usd <= short.limit < short.spent + taken[no.budget] + ask.usd


@given(accounts, asks)
def test_what_costs_nothing_is_never_refused(accounts, asks):
    free = [Amount(usd=Decimal(0), budgets=ask.budgets) for ask in asks]
    assert grant(accounts, free) == [None] * len(free)


def test_the_first_to_ask_is_served_first_and_a_smaller_ask_may_still_fit():
    answers = grant({"m": account("0.10")}, [Amount(usd=n * CENT, budgets=("m",)) for n in (6, 6, 4)])
    assert answers == [None, Shortfall(why=RefusalReason.PROMISED, budget="m"), None]


def test_a_spent_budget_is_named_before_one_that_is_only_promised():
    found = {"run": account("1", promised="0.99"), "month": account("1", spent="0.99")}
    (answer,) = grant(found, [Amount(usd=2 * CENT, budgets=("run", "month"))])
    assert answer == Shortfall(why=RefusalReason.SPENT, budget="month")


def test_a_limit_of_nothing_refuses_and_no_limit_grants():
    assert grant({"m": account("0")}, [Amount(usd=CENT, budgets=("m",))])[0] is not None
    assert grant({"m": account(None, spent="9999")}, [Amount(usd=CENT, budgets=("m",))]) == [None]


def test_danger_begins_at_the_share_of_the_limit():
    assert not account("1", spent="0.79", promised="0.21").past_warning(Decimal("0.8"))
    assert account("1", spent="0.80").past_warning(Decimal("0.8"))
    assert account("0").past_warning(Decimal("0.8"))
    assert not account(None, spent="5").past_warning(Decimal("0.8"))
