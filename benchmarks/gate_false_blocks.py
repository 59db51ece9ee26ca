"""How often does a gate stop a pull request that changes nothing, and how often does it find one that does?

    python -m benchmarks.gate_false_blocks [--pull-requests 2000] [--cases 40] [--repeats 3] [--most-repeats 5]
        [--margin 0.5] [--declared-looks 2] [--seed 1]

Each pull request is a candidate and a baseline by an agent that samples: every case has a level of its own, a chance
that a conversation goes wrong, and noise from conversation to conversation; the judge adds its own noise to each of
five criteria; three languages; one check by a judge. Both sides are drawn anew, so nothing but chance tells them apart.
The decision is the product's own (apps.gates.domain.decision), by the declared policy. With --most-repeats above
--repeats a gate that cannot tell is asked once more, as `ratiba-ci gate` does: as many repeats as its answer says would
do, at most so many in all, on both sides, over the trials of both looks. A tiny --margin lets nothing but the tests
stand between chance and a block; --declared-looks 1 shows what two looks do that were declared as one.

Printed: for no change, how many were called worse (95 % Wilson interval) beside the declared rate, and how many could
not be told; then the same for planted losses. Exit 0 when the lower end of the interval for no change is not above the
declared rate.
"""

import argparse
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass

from apps.gates.domain.decision import decide_gate
from apps.gates.domain.policy import GatePolicy
from apps.gates.domain.side import CheckFact, GateSide, GateTrial, JudgedAs, with_repeats
from apps.statistics.decision import Decision
from apps.statistics.quantiles import wilson

BASE, HEAD = "b" * 40, "c" * 40
CRITERIA = ("politeness", "accuracy", "flow", "payment", "language")
LANGUAGES = ("en", "en", "en", "en", "en", "sw", "sw", "sw", "fr", "fr")  # 50, 30, 20 %
LEVEL, LEVEL_SD, NOISE, WRONG, JUDGE_NOISE, PASS_MARK = 8.2, 0.8, 0.6, 4.0, 0.4, 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedLoss:
    """`points` off the score, in one `language` and one `criterion` where they are named; `check_fails` is the share
    of conversations in which the check fails beside."""

    name: str
    points: float = 0.0
    language: str = ""
    criterion: str = ""
    check_fails: float = 0.0


LOSSES = (
    PlantedLoss(name="no change"),
    PlantedLoss(name="0.5 points worse", points=0.5),
    PlantedLoss(name="1 point worse", points=1.0),
    PlantedLoss(name="2 points worse in Swahili alone", points=2.0, language="sw"),
    PlantedLoss(name="2 points worse on one criterion", points=2.0, criterion="payment"),
    PlantedLoss(name="a judged check fails in 40 % more", check_fails=0.4),
    PlantedLoss(name="1 point better", points=-1.0),
)


def played(
    levels: list[tuple[float, float]], repeats: int, chance: random.Random, commit: str, loss: PlantedLoss
) -> GateSide:
    """One side: every case `repeats` times, by an agent that samples."""
    trials = [one_trial(at, *levels[at], chance, loss) for _ in range(repeats) for at in range(len(levels))]
    return GateSide(evaluation="e", commit=commit, fingerprint="f" * 64, trials=trials)


def one_trial(number: int, level: float, goes_wrong: float, chance: random.Random, loss: PlantedLoss) -> GateTrial:
    language = LANGUAGES[number % len(LANGUAGES)]
    hit = loss.language in ("", language)
    said = level + chance.gauss(0, NOISE) - (WRONG if chance.random() < goes_wrong else 0)
    criteria = {}
    for name in CRITERIA:
        off = loss.points if hit and loss.criterion in ("", name) else 0.0
        criteria[name] = min(10.0, max(0.0, said + chance.gauss(0, JUDGE_NOISE) - off))
    score = sum(criteria.values()) / len(criteria)
    fails = chance.random() < goes_wrong + (loss.check_fails if hit else 0)
    check = CheckFact(outcome=Decision.FAIL if fails else Decision.PASS, measured_by="judge 1")
    return GateTrial(
        digest=f"{level.hex()} {number}",
        case=f"case-{number}",
        conversation=f"{number}",
        language=language,
        judged=JudgedAs.SCORED,
        score=score,
        criteria=criteria,
        passed=score >= PASS_MARK,
        checks={"knowledge": check},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedGates:
    """Pull requests of `cases` cases. `repeats`: played first on both sides; `most_repeats`: in all, at most."""

    cases: int
    repeats: int
    most_repeats: int
    policy: GatePolicy
    seed: int

    def decisions(self, loss: PlantedLoss, n: int) -> tuple[Counter[Decision], int]:
        """What the gate says of `n` pull requests, and how many conversations were played on one side in all."""
        chance, found, conversations = random.Random(f"{self.seed}|{loss.name}"), Counter[Decision](), 0
        for _ in range(n):
            levels = [(chance.gauss(LEVEL, LEVEL_SD), chance.choice((0.0, 0.05, 0.15))) for _ in range(self.cases)]
            decision, repeats = self._decision(levels, loss, chance)
            found[decision] += 1
            conversations += repeats * self.cases
        return found, conversations

    def _decision(
        self, levels: list[tuple[float, float]], loss: PlantedLoss, chance: random.Random
    ) -> tuple[Decision, int]:
        baseline = played(levels, self.repeats, chance, BASE, LOSSES[0])
        candidate = played(levels, self.repeats, chance, HEAD, loss)
        first = decide_gate(candidate=candidate, baseline=baseline, policy=self.policy, base_commit=BASE)
        more = min(first.more_repeats or 0, self.most_repeats - self.repeats)
        if first.decision is not Decision.UNDECIDED or more < 1:
            return first.decision, self.repeats
        baseline = with_repeats(baseline, played(levels, more, chance, BASE, LOSSES[0]))
        candidate = with_repeats(candidate, played(levels, more, chance, HEAD, loss))
        second = decide_gate(candidate=candidate, baseline=baseline, policy=self.policy, base_commit=BASE)
        return second.decision, self.repeats + more


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pull-requests", type=int, default=2000, help="without a change; a tenth of it for each loss")
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--most-repeats", type=int, default=0, help="repeated where it cannot tell; default: it is not")
    parser.add_argument("--margin", type=float, default=GatePolicy().margin)
    parser.add_argument("--declared-looks", type=int, choices=[1, 2], help="default: 2 where it is repeated")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    most_repeats = max(options.repeats, options.most_repeats)
    looks = options.declared_looks or (2 if most_repeats > options.repeats else 1)
    net_loss = 1 if options.margin < 0.1 else GatePolicy().net_loss
    policy = GatePolicy(looks=looks, margin=options.margin, net_loss=net_loss)
    gates = SimulatedGates(
        cases=options.cases, repeats=options.repeats, most_repeats=most_repeats, policy=policy, seed=options.seed
    )
    alpha, good, began = GatePolicy().alpha, True, time.perf_counter()
    print(
        f"{gates.cases} cases × {gates.repeats} to {gates.most_repeats}, {gates.policy.looks} looks, declared: at most "
        f"{alpha:.0%} of those without a change are worse"
    )
    print(
        f"{'pull requests':<38}{'n':>6}{'worse':>8}{'95 % interval':>18}{'cannot tell':>14}{'passes':>9}{'played':>9}"
    )
    for loss in LOSSES:
        n = options.pull_requests if loss is LOSSES[0] else max(10, options.pull_requests // 10)
        found, conversations = gates.decisions(loss, n)
        low, high = wilson(found[Decision.FAIL], n)
        if loss is LOSSES[0]:
            good = low <= alpha
        between = f"{low:.1%} to {high:.1%}"
        print(
            f"{loss.name:<38}{n:>6}{found[Decision.FAIL] / n:>8.1%}{between:>18}"
            f"{found[Decision.UNDECIDED] / n:>14.1%}{found[Decision.PASS] / n:>9.1%}"
            f"{conversations / n / gates.cases:>8.1f}×",
            flush=True,
        )
    print(f"{time.perf_counter() - began:.0f} s")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
