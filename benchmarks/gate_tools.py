"""How often do tool assertions stop a pull request that changes nothing, and do they stop one that loses a tool?

    python -m benchmarks.gate_tools [--pull-requests 400] [--cases 24] [--wrong 0.02] [--forgotten 0.04] [--seed 1]

Each case asserts a tool. An agent that samples calls a wrong one in `--wrong` of its conversations and forgets it in
`--forgotten`; both sides are drawn anew, each case once. The decision is the product's own (apps.gates.domain);
what it names is played again on both sides, as `ratiba-ci gate` does. A judge scores every conversation with noise
that has nothing to do with the tools. Side by side: every failing assertion hard (`hard_checks`), and the default.

Printed for no change and for planted losses: how many were stopped (95 % Wilson interval), how many could not be told,
conversations played beyond the first. Exit 0 when the default stops fewer harmless ones than hard assertions do, and
every planted agent that never calls the tool again.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from apps.gates.domain.confirmation import chance_of_a_false_stop
from apps.gates.domain.decision import decide_gate
from apps.gates.domain.policy import GatePolicy
from apps.gates.domain.side import CheckFact, GateSide, GateTrial, JudgedAs, with_replays
from apps.statistics.decision import Decision
from apps.statistics.quantiles import wilson

BASE, HEAD, TOOLS = "b" * 40, "c" * 40, "ScenarioToolsMetric"
POLICIES = {"every failure hard": GatePolicy(hard_checks=(TOOLS,)), "the default": GatePolicy()}


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
    """Pull requests of `cases` cases by an agent that misses its tool with chance `q`."""

    cases: int
    q: float

    def stopped(self, policy: GatePolicy, agent: PlantedAgent, n: int, seed: int) -> tuple[Counter[Decision], float]:
        """What the gate says of `n` pull requests, and the conversations of replays, a side and pull request."""
        chance, found, more = random.Random(f"{seed}|{agent.name}"), Counter[Decision](), 0
        for _ in range(n):
            decision, replays = self._one(policy, agent, chance)
            found[decision] += 1
            more += replays
        return found, more / n

    def _one(self, policy: GatePolicy, agent: PlantedAgent, chance: random.Random) -> tuple[Decision, int]:
        every = range(self.cases)
        here = self._side(every, agent, chance, HEAD)
        there = self._side(every, PLANTED[0], chance, BASE)
        first = decide_gate(candidate=here, baseline=there, policy=policy, base_commit=BASE)
        if not first.play_again:
            return first.decision, 0
        times = first.play_again
        again = [at for at in every for _ in range(times.get(f"{at:064x}", 0))]
        here = with_replays(here, self._side(again, agent, chance, HEAD), times=times)
        there = with_replays(there, self._side(again, PLANTED[0], chance, BASE), times=times)
        second = decide_gate(candidate=here, baseline=there, policy=policy, base_commit=BASE)
        return second.decision, len(again)

    def _side(self, cases: Sequence[int], agent: PlantedAgent, chance: random.Random, commit: str) -> GateSide:
        trials = [self._trial(at, agent, chance) for at in cases]
        return GateSide(evaluation=commit, commit=commit, fingerprint="f" * 64, trials=trials)

    def _trial(self, at: int, agent: PlantedAgent, chance: random.Random) -> GateTrial:
        hit = at < agent.share * self.cases
        fails = chance.random() < self.q or (hit and chance.random() < agent.misses)
        score = min(10.0, 8.5 + chance.gauss(0, 0.5))
        check = CheckFact(outcome=Decision.FAIL if fails else Decision.PASS, reason="book was never called")
        return GateTrial(
            digest=f"{at:064x}",
            case=f"case-{at}",
            conversation=f"{at}",
            judged=JudgedAs.SCORED,
            score=score,
            criteria={"flow": score},
            passed=not fails,
            checks={TOOLS: check},
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pull-requests", type=int, default=400, help="without a change; a quarter of it for a loss")
    parser.add_argument("--cases", type=int, default=24)
    parser.add_argument("--wrong", type=float, default=0.02, help="conversations in which a wrong tool is called")
    parser.add_argument("--forgotten", type=float, default=0.04, help="conversations in which it is forgotten")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    q = 1 - (1 - options.wrong) * (1 - options.forgotten)
    gates = ToolGates(cases=options.cases, q=q)
    print(f"{options.cases} cases, q = {q:.1%}; confirmed by chance: {chance_of_a_false_stop(q, options.cases):.1%}")
    harmless, blind = {}, False
    for agent in PLANTED:
        n = options.pull_requests if agent is PLANTED[0] else max(10, options.pull_requests // 4)
        for name, policy in POLICIES.items():
            found, more = gates.stopped(policy, agent, n, options.seed)
            low, high = wilson(found[Decision.FAIL], n)
            if agent is PLANTED[0]:
                harmless[name] = found[Decision.FAIL]
            blind |= agent is PLANTED[1] and found[Decision.FAIL] < n
            print(
                f"{agent.name:<45}{name:<20}{n:>5} stopped {found[Decision.FAIL] / n:>6.1%} ({low:.1%} to {high:.1%})"
                f" cannot tell {found[Decision.UNDECIDED] / n:>6.1%} pass {found[Decision.PASS] / n:>6.1%}"
                f" replays {more:.1f}",
                flush=True,
            )
    before, after = harmless.values()
    return 0 if after < before and not blind else 1


if __name__ == "__main__":
    sys.exit(main())
