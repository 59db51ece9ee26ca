"""Choose the conversations to begin next: the runs take turns, and no limit is passed."""

import heapq
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

Chance = Callable[[float, float], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A conversation that could be begun. `starts` says that it begins a new session of the agent; `stagger_s` is how
    long the agent's next start then waits, from and to. `provider` plays its customer ("": nobody is asked)."""

    id: Hashable
    run: Hashable
    agent: Hashable
    provider: str = ""
    starts: bool = True
    stagger_s: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class InFlight:
    """Conversations of one run that are in flight, over all workers."""

    run: Hashable
    agent: Hashable
    provider: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrencyLimits:
    """Limits on conversations in flight: in the tenant, for an agent, for a model provider.

    An agent or provider that is not named has no limit of its own. `next_start`: before this moment no conversation of
    the agent begins.
    """

    tenant: int
    agents: Mapping[Hashable, int] = field(default_factory=dict)
    providers: Mapping[str, int] = field(default_factory=dict)
    next_start: Mapping[Hashable, datetime] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FairChoice:
    """The chosen conversations, in order.

    `next_start` says for each agent that begins one when it may begin the next (its stagger); `more` says that
    `at_most` was reached with others ready.
    """

    ids: tuple[Hashable, ...]
    next_start: Mapping[Hashable, datetime]
    more: bool


def choose(
    candidates: Sequence[Contender],
    *,
    playing: Sequence[InFlight],
    limits: ConcurrencyLimits,
    at_most: int,
    now: datetime,
    chance: Chance,
) -> FairChoice:
    """The next conversations: always one of the run that has the fewest in flight, of two the one named first.

    So a run of three is begun beside one of a thousand at once, and each has half of the places as long as it needs
    them. Within a run they come in the order given. O(n log r) for n candidates of r runs.
    """
    rooms = _Rooms(playing, limits, now, chance)
    queues: dict[Hashable, list[Contender]] = defaultdict(list)
    for candidate in candidates:
        queues[candidate.run].append(candidate)
    turns = [(rooms.of_run[run], order, run) for order, run in enumerate(queues)]
    heapq.heapify(turns)
    at = dict.fromkeys(queues, 0)
    chosen: list[Hashable] = []
    while turns:
        count, order, run = heapq.heappop(turns)
        place = next((n for n in range(at[run], len(queues[run])) if rooms.has_place(queues[run][n])), None)
        if place is None:
            continue  # what stops this run now does so for the rest of this claim: places only become fewer
        if len(chosen) == at_most:
            return FairChoice(ids=tuple(chosen), next_start=rooms.begun, more=True)
        rooms.take(queues[run][place])
        chosen.append(queues[run][place].id)
        at[run] = place + 1
        heapq.heappush(turns, (count + 1, order, run))
    return FairChoice(ids=tuple(chosen), next_start=rooms.begun, more=False)


class _Rooms:
    """The places that are left, while conversations are chosen."""

    def __init__(
        self,
        playing: Sequence[InFlight],
        limits: ConcurrencyLimits,
        now: datetime,
        chance: Chance,
    ) -> None:
        self.limits, self.now, self.chance = limits, now, chance
        self.total = 0
        self.of_run: defaultdict[Hashable, int] = defaultdict(int)
        self.of_agent: defaultdict[Hashable, int] = defaultdict(int)
        self.of_provider: defaultdict[str, int] = defaultdict(int)
        self.begun: dict[Hashable, datetime] = {}
        for flight in playing:
            self._add(flight.run, flight.agent, flight.provider, flight.count)

    def has_place(self, contender: Contender) -> bool:
        limits = self.limits
        if self.total >= limits.tenant or self.of_agent[contender.agent] >= limits.agents.get(
            contender.agent, limits.tenant
        ):
            return False
        if self.of_provider[contender.provider] >= limits.providers.get(contender.provider, limits.tenant):
            return False
        next_start = self.begun.get(contender.agent) or limits.next_start.get(contender.agent)
        return not contender.starts or next_start is None or next_start <= self.now

    def take(self, contender: Contender) -> None:
        self._add(contender.run, contender.agent, contender.provider, 1)
        low, high = contender.stagger_s
        if contender.starts and high > 0:
            self.begun[contender.agent] = self.now + timedelta(seconds=self.chance(low, high))

    def _add(self, run: Hashable, agent: Hashable, provider: str, count: int) -> None:
        self.total += count
        self.of_run[run] += count
        self.of_agent[agent] += count
        self.of_provider[provider] += count
