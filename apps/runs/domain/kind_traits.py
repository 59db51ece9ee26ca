"""The traits of each kind of run and of its conversations: one table. Queries, lists, trends, exports, progress and
forecasts read it; a new kind is one line here, and nobody names kinds to leave them out."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from apps.runs.domain.states import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class KindTraits:
    """Traits of one kind of run.

    `plays`: our workers play it, so a program spoke as the customer, and failed conversations can be played again.
    `run_list`: its runs are in lists of test runs, on Home, and among the to-dos. `conversation_list`: its
    conversations are in lists of conversations, and are offered to try a judge on. `judging`: an evaluation of its run
    owes each conversation a judgement, and exports show it. `trend`: its scores are a point in trends of tests and say
    how an agent stands. `baseline`: a later run or a gate may be compared with it. `endless`: conversations come to its
    run one by one, so nobody waits for it to end. `sealed`: its conversations may belong to a hold-out, which reading
    spends, so nobody is shown them unasked and no command exports them. `copies`: its conversations are copies of
    others, so that nobody rates them, or makes tests of them, a second time.
    """

    plays: bool
    run_list: bool
    conversation_list: bool
    judging: bool
    trend: bool
    baseline: bool
    endless: bool = False
    sealed: bool = False
    copies: bool = False


_TEST = KindTraits(plays=True, run_list=True, conversation_list=True, judging=True, trend=True, baseline=True)
TRAITS: Mapping[Kind, KindTraits] = MappingProxyType(
    {
        Kind.BATTLE: _TEST,
        Kind.REPLAY: _TEST,
        Kind.IMPORTED: KindTraits(
            plays=False, run_list=True, conversation_list=True, judging=True, trend=True, baseline=True
        ),
        # A persona's own, shown with it.
        Kind.PROBE: KindTraits(
            plays=True, run_list=False, conversation_list=True, judging=False, trend=False, baseline=False
        ),
        # What real customers said: shown on its own page, deleted after a while, no test.
        Kind.PRODUCTION: KindTraits(
            plays=False,
            run_list=False,
            conversation_list=False,
            judging=True,
            trend=False,
            baseline=False,
            endless=True,
        ),
        # One side of a draft's trial, whose conversations are battles: read on the trial's page, and no measurement of
        # the live agent. Played again it would be no pair any more.
        Kind.TRIAL: KindTraits(
            plays=False,
            run_list=False,
            conversation_list=False,
            judging=True,
            trend=False,
            baseline=False,
            sealed=True,
        ),
        # Frozen conversations that the judge is asked about every week: read on the page of anchors.
        Kind.ANCHOR: KindTraits(
            plays=False,
            run_list=False,
            conversation_list=False,
            judging=True,
            trend=False,
            baseline=False,
            copies=True,
        ),
    }
)


def traits_of(kind: str) -> KindTraits:
    """The traits of a kind as a row has it. Raises ValueError for a word that is no kind."""
    return TRAITS[Kind(kind)]


def kinds_where(trait: Callable[[KindTraits], bool]) -> tuple[Kind, ...]:
    """The kinds that have a trait, in the order of the table."""
    return tuple(kind for kind, traits in TRAITS.items() if trait(traits))


def sql_list(kinds: Iterable[StrEnum]) -> str:
    """Kinds, or states, as SQL's `IN` takes them: `('battle', 'replay')`."""
    words = ", ".join(f"'{kind.value}'" for kind in kinds)
    return f"({words})"


PLAYABLE = kinds_where(lambda traits: traits.plays)
RUN_LIST = kinds_where(lambda traits: traits.run_list)
CONVERSATION_LIST = kinds_where(lambda traits: traits.conversation_list)
JUDGEABLE = kinds_where(lambda traits: traits.judging)
TREND = kinds_where(lambda traits: traits.trend)
BASELINE = kinds_where(lambda traits: traits.baseline)
LABELLED = kinds_where(lambda traits: traits.judging and not traits.copies)
PLAYED_TESTS = kinds_where(lambda traits: traits.plays and traits.run_list)
JUDGED_OPENLY = kinds_where(lambda traits: traits.judging and not traits.copies and not traits.sealed)
UNSEALED = kinds_where(lambda traits: not traits.sealed)
ENDLESS = kinds_where(lambda traits: traits.endless)
WITH_AN_END = kinds_where(lambda traits: not traits.endless)
