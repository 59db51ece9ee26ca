"""How often does `ratiba-ci gate` stop a pull request that changes nothing, when the agent samples?

    python -m benchmarks.gate_no_change [--pull-requests 50] [--cases 8] [--repeats 1] [--at-once 3]

Each pull request has a merge base of its own and a branch whose prompt says the same; both sides are played anew by an
agent that draws from the operating system's chance, on a Ratiba of real processes, and judged by a model on loopback
whose scores waver too (benchmarks.gate_stage). Nothing but chance tells the sides apart.

Printed: how many were called worse (95 % Wilson interval) beside the declared rate, how many could not be told, sizes
and minutes. Then the same rows under other policies: tool assertions as hard ones, as they are without `soft_checks`.
Exit 0 when the lower end of the interval is not above the declared rate.
"""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import django
import httpx

from apps.gates.domain.policy import ALPHA, SOFT_CHECKS
from apps.statistics.quantiles import wilson
from benchmarks import gate_shop
from benchmarks.gate_pull_requests import say
from benchmarks.gate_stage import GateRun, GateStage, gate_stage, run_gate
from tests.plugin.ci.conftest import Repository

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

WORDS = ("pass", "undecided", "fail", "unmeasurable", "nothing")
OTHER_POLICIES: Mapping[str, Mapping[str, Any]] = {
    "tool assertions hard": {"soft_checks": list(SOFT_CHECKS), "hard_checks": ["ScenarioToolsMetric"]},
    "tool assertions confirmed by three plays, as by default": {"soft_checks": list(SOFT_CHECKS)},
}


def play(stage: GateStage, repository: Repository, number: int) -> GateRun:
    """One pull request without effect: a fresh merge base, a branch that adds empty lines to the prompt."""
    repository.git("checkout", "-q", "main")
    repository.commit({"notes.txt": f"before {number} in {repository.folder.name}\n"}, f"before {number}")
    repository.branch(f"pr-{number}")
    repository.commit({gate_shop.PROMPT: gate_shop.prompt(*gate_shop.RULES) + "\n" * number}, f"change {number}")
    return run_gate(stage, repository, number=number)


def under(stage: GateStage, run: GateRun, policy: Mapping[str, Any]) -> str:
    """The decision over the same rows by another policy; no model is asked."""
    headers = {"authorization": f"Bearer {stage.api_key}", "host": stage.url.removeprefix("http://")}
    with httpx.Client(base_url=stage.address, headers=headers, trust_env=False) as http:
        names = ("agent", "commit", "base_commit")
        body = {name: run.gate[name] for name in names} | {
            "candidate": {"evaluation": run.gate["candidate"]["evaluation"]},
            "baseline": {"evaluation": run.gate["baseline"]["evaluation"]},
            "policy": dict(policy),
        }
        asked = http.post("/gates/", json=body).raise_for_status().json()["id"]
        while (gate := http.get(f"/gates/{asked}/").json())["status"] != "decided":
            time.sleep(0.2)
    return str(gate["decision"])


def line(name: str, words: Sequence[str]) -> str:
    """A row of the table."""
    counts, n = Counter(words), len(words)
    low, high = wilson(counts["fail"], n)
    others = " | ".join(f"{counts[word]}" for word in WORDS if word not in ("fail", "nothing"))
    share = f"{counts['fail']} = {counts['fail'] / n:.0%} ({low:.0%} to {high:.0%})"
    return f"| {name} | {n} | {share} | {others} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pull-requests", type=int, default=50)
    parser.add_argument("--cases", type=int, default=8, help="scenarios a language of three, at most 10")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=3)
    options = parser.parse_args(arguments)
    django.setup()
    began = time.monotonic()
    with gate_stage() as stage, ThreadPoolExecutor(options.at_once) as threads:
        shops = [
            stage.repository(f"shop-{at}", cases=options.cases, repeats=options.repeats)
            for at in range(options.at_once)
        ]

        def some(at: int) -> list[GateRun]:
            found = []
            for number in range(1 + at, options.pull_requests + 1, options.at_once):
                found.append(play(stage, shops[at], number))
                say(f"  {number}: {found[-1].decision}, {found[-1].seconds:.0f} s: {found[-1].reason[:150]}")
            return found

        runs = [one for many in threads.map(some, range(options.at_once)) for one in many]
        twice = sum(bool(one.gate.get("first_look")) for one in runs)
        minutes = (time.monotonic() - began) / 60
        words = [one.decision for one in runs]
        low, _ = wilson(words.count("fail"), len(words))
        say(
            f"\n{3 * options.cases} cases x {options.repeats} a side, {options.at_once} pull requests at once, "
            f"{minutes:.0f} minutes, {stage.judge.calls} calls of the judge; declared rate: at most {ALPHA:.0%}"
        )
        say(
            f"{twice} were played again, up to three times a side, because one look could not tell; "
            f"load {os.getloadavg()[0]:.0f}"
        )
        say("| pull requests without a change | n | called worse (95 % interval) | pass | cannot tell | unmeasurable |")
        say("|---|---:|---|---:|---:|---:|")
        say(line("by the declared policy", words))
        for name, policy in OTHER_POLICIES.items():
            say(line(name, [under(stage, one, policy) for one in runs if one.gate.get("baseline")]))
    return 1 if low > ALPHA else 0


if __name__ == "__main__":
    sys.exit(main())
