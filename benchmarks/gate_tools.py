"""How often do assertions stop a pull request that changes nothing, and do they stop one that loses a tool?

    python -m benchmarks.gate_tools [--pull-requests 400] [--cases 24] [--assertions 1] [--misses 0.059 …] [--seed 1]

An agent that samples fails each assertion of a case in `--misses` of its conversations, by itself; both sides are drawn
anew, each case once. A judge scores every conversation with noise that has nothing to do with the tools. The decision
is the product's own (apps.gates.domain), asked as `ratiba-ci gate` does: what it names is played again on both sides,
and where it cannot tell every case is, up to five times in all.

Printed for each agent without a change and for planted losses: how many were stopped (95 % Wilson interval), how many
could not be told, which a blocking gate stops too, and conversations played beyond the first, a side and pull request.
Exit 0 where at most one in twenty harmless ones does not pass (its interval's lower end), and every agent that never
calls the tool again is stopped.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, fsum

from apps.gates.domain.confirmation import PLAYS
from apps.gates.domain.decision import GateDecision, decide_gate
from apps.gates.domain.policy import GatePolicy
from apps.gates.domain.side import CheckFact, GateSide, GateTrial, JudgedAs, with_repeats, with_replays
from apps.statistics.decision import Decision
from apps.statistics.proportions import higher_by_chance_p
from apps.statistics.quantiles import wilson

BASE, HEAD = "b" * 40, "c" * 40
POLICY, MAX_REPEATS, ACCEPTED = GatePolicy(looks=2), 5, 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedAgent:
    """Misses its tool with `misses` more, in a `share` of the cases."""

    name: str
    misses: float = 0.0
    share: float = 1.0


PLANTED = (
    PlantedAgent(name="no change"),
    PlantedAgent(name="never calls it again, in every case", misses=1.0),
    PlantedAgent(name="never calls it again, in 1 case of 12", misses=1.0, share=1 / 12),
    PlantedAgent(name="forgets it in half of its conversations", misses=0.5),
    PlantedAgent(name="forgets it in a fifth of its conversations", misses=0.2),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolGates:
    """Pull requests of `cases` cases with so many `assertions` each, by an agent that fails each with chance `q`."""

    cases: int
    assertions: int
    q: float

    def decided(self, agent: PlantedAgent, n: int, seed: int) -> tuple[Counter[Decision], float]:
        """What the gate says of `n` pull requests, and the conversations beyond the first, a side and pull request."""
        chance, answers, more = random.Random(f"{seed}|{agent.name}|{self}"), Counter[Decision](), 0
        for _ in range(n):
            gate = SimulatedGate(gates=self, agent=agent, chance=chance)
            answers[gate.decision()] += 1
            more += len(gate.here.trials) - self.cases
        return answers, more / n


class SimulatedGate:
    """One pull request: both sides as they are played, look by look."""

    def __init__(self, *, gates: ToolGates, agent: PlantedAgent, chance: random.Random) -> None:
        self._gates, self._agent, self._chance = gates, agent, chance
        self.here, self.there = self._played(range(gates.cases))

    def decision(self) -> Decision:
        """As `ratiba-ci gate` asks."""
        answer = self._after_replays()
        more = min(answer.more_repeats or 0, MAX_REPEATS - 1)
        if answer.decision is not Decision.UNDECIDED or not more:
            return answer.decision
        here, there = self._played([at for _ in range(more) for at in range(self._gates.cases)])
        self.here, self.there = with_repeats(self.here, here), with_repeats(self.there, there)
        return self._after_replays().decision

    def _after_replays(self) -> GateDecision:
        answer = self._answer()
        if not (times := answer.play_again):
            return answer
        cases = range(self._gates.cases)
        here, there = self._played([at for at in cases for _ in range(times.get(_digest(at), 0))])
        self.here, self.there = (
            with_replays(self.here, here, times=times),
            with_replays(self.there, there, times=times),
        )
        return self._answer()

    def _answer(self) -> GateDecision:
        return decide_gate(candidate=self.here, baseline=self.there, policy=POLICY, base_commit=BASE)

    def _played(self, cases: Sequence[int]) -> tuple[GateSide, GateSide]:
        return self._side(cases, self._agent, HEAD), self._side(cases, PLANTED[0], BASE)

    def _side(self, cases: Sequence[int], agent: PlantedAgent, commit: str) -> GateSide:
        trials = [self._trial(at, agent) for at in cases]
        return GateSide(evaluation=commit, commit=commit, fingerprint="f" * 64, trials=trials)

    def _trial(self, at: int, agent: PlantedAgent) -> GateTrial:
        hit, chance = at < agent.share * self._gates.cases, self._chance
        fails = [
            chance.random() < self._gates.q or (hit and not number and chance.random() < agent.misses)
            for number in range(self._gates.assertions)
        ]
        score = min(10.0, 8.5 + chance.gauss(0, 0.5))
        return GateTrial(
            digest=_digest(at),
            case=f"case-{at}",
            conversation=f"{at}",
            judged=JudgedAs.SCORED,
            score=score,
            criteria={"flow": score},
            passed=not any(fails),
            checks={f"runner_assertion/assertions/{number} (tool)": _fact(fail) for number, fail in enumerate(fails)},
        )


def chance_of_a_false_stop(q: float, assertions: int, *, alpha: float = POLICY.alpha) -> float:
    """How likely a change without effect is stopped by confirmed failures at the first look, where an agent fails each
    of so many assertions with chance `q` on both sides: exact. Pure."""
    suspected = q * (1 - q)
    outcomes = [
        (comb(PLAYS, i) * comb(PLAYS, j) * q ** (i + j) * (1 - q) ** (2 * PLAYS - i - j), i, j)
        for i in range(PLAYS + 1)
        for j in range(PLAYS + 1)
    ]
    stops = 0.0
    for many in range(1, assertions + 1):
        of_one = fsum(p for p, i, j in outcomes if higher_by_chance_p(i, PLAYS, j, PLAYS) <= alpha / many)
        so_many = comb(assertions, many) * suspected**many * (1 - suspected) ** (assertions - many)
        stops += so_many * (1 - (1 - of_one) ** many)
    return stops


def _digest(at: int) -> str:
    return f"{at:064x}"


def _fact(fails: bool) -> CheckFact:
    return CheckFact(outcome=Decision.FAIL if fails else Decision.PASS, reason="book was never called")


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pull-requests", type=int, default=400, help="without a change; a quarter of it for a loss")
    parser.add_argument("--cases", type=int, default=24)
    parser.add_argument("--assertions", type=int, default=1, help="a case")
    parser.add_argument("--misses", type=float, nargs="+", default=[0.059], help="by conversation and assertion")
    parser.add_argument("--only-harmless", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    good = True
    print(f"{options.cases} cases, {options.assertions} assertions each")
    for q in options.misses:
        gates = ToolGates(cases=options.cases, assertions=options.assertions, q=q)
        print(f"q {q:>5.1%} computed: {chance_of_a_false_stop(q, options.cases * options.assertions):.1%}")
        for agent in PLANTED[:1] if options.only_harmless else PLANTED:
            n = options.pull_requests if agent is PLANTED[0] else max(10, options.pull_requests // 4)
            answers, more = gates.decided(agent, n, options.seed)
            stopped = n - answers[Decision.PASS]
            low, high = wilson(stopped, n)
            good &= low <= ACCEPTED if agent is PLANTED[0] else agent is not PLANTED[1] or stopped == n
            print(
                f"q {q:>5.1%} {agent.name:<45}{n:>5} worse {answers[Decision.FAIL] / n:>6.1%}"
                f" cannot tell {answers[Decision.UNDECIDED] / n:>6.1%} both {stopped / n:>6.1%}"
                f" ({low:.1%} to {high:.1%}) more played {more:.1f}",
                flush=True,
            )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
