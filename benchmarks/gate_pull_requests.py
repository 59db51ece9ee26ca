"""What does `ratiba-ci gate` say of twelve kinds of planted pull requests, from git to its exit code?

    python -m benchmarks.gate_pull_requests [--cases 10] [--repeats 2] [--only WORD …]

A git repository with an agent that samples (benchmarks.gate_shop), a Ratiba of real processes, a judge on loopback that
speaks OpenAI's wire format (benchmarks.gate_judge) and a GitHub on loopback. Each pull request is a branch; the gate
runs as a workflow calls it. Printed: decision expected and got, exit code, seconds, calls of the judge, cost, the first
reason. Then an unchanged commit again: no call of a model. Exit 0 when each came out as planted.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import django

from benchmarks import gate_shop
from benchmarks.gate_judge import JudgeMode
from benchmarks.gate_stage import GateRun, GateStage, gate_stage, publish_rubric, run_gate
from tests.gates.planted import INJECTION
from tests.plugin.ci.conftest import Repository

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

RULES = gate_shop.RULES
REWORDED = (
    "One or two short sentences are enough.",
    "When somebody asks for the price, say the price.",
    "Is the hour clear? Then book it with book_slot and repeat the hour.",
    "Always answer in the customer's language.",
)
Files = Mapping[str, str | None]


@contextmanager
def as_it_is(stage: GateStage, repository: Repository) -> Iterator[None]:
    """Nothing is done to the world of this pull request."""
    yield


def judge_is(mode: JudgeMode) -> Callable[[GateStage, Repository], Any]:
    """The judge behaves so while the gate runs."""

    @contextmanager
    def world(stage: GateStage, repository: Repository) -> Iterator[None]:
        stage.judge.mode = mode
        try:
            yield
        finally:
            stage.judge.mode = JudgeMode.STEADY

    return world


@contextmanager
def main_moved_on(stage: GateStage, repository: Repository) -> Iterator[None]:
    """The default branch has a commit that no baseline was stored for, and the pull request leaves from there."""
    branch = repository.git("branch", "--show-current")
    repository.git("checkout", "-q", "main")
    repository.commit({"notes.txt": f"moved on before {branch}\n"}, "moves on")
    repository.git("checkout", "-q", branch)
    repository.git("rebase", "-q", "main")
    yield


@contextmanager
def alias_moves(stage: GateStage, repository: Repository) -> Iterator[None]:
    """The provider answers as another model once the candidate is judged: the merge base, played after it, has another
    judge."""
    with main_moved_on(stage, repository):
        stage.judge.model_after = (stage.judge.calls + conversations(repository), "shop-judge-2")
        try:
            yield
        finally:
            stage.judge.model_after = None


@contextmanager
def judge_replaced(stage: GateStage, repository: Repository) -> Iterator[None]:
    """A new version of the rubric names another model: the stored baseline has another judge."""
    stage.judge.model = "shop-judge-3"
    publish_rubric(stage.tenant, model=stage.judge.model)
    yield


def conversations(repository: Repository) -> int:
    """How many a side plays."""
    scenarios = list((repository.folder / gate_shop.SCENARIOS).glob("*.yaml"))
    repeats = (repository.folder / "ratiba.yaml").read_text().partition("repeats:")[2].split()[0]
    return len(scenarios) * int(repeats)


@dataclass(frozen=True, kw_only=True)
class GitPullRequest:
    """`files` are committed on a branch of main; `world` is what happens around the gate meanwhile."""

    name: str
    decision: str
    exit_code: int
    files: Files = field(default_factory=lambda: {gate_shop.PROMPT: gate_shop.prompt(*REWORDED)})
    why: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    world: Callable[[GateStage, Repository], Any] = as_it_is
    title: str = "A change"

    def is_right(self, run: GateRun) -> bool:
        """Whether decision, exit code and reason came out as planted."""
        why = not self.why or self.why in run.reason
        return (run.decision, run.exit_code) == (self.decision, self.exit_code) and why


def _without(word: str, *more: str) -> Files:
    return {gate_shop.PROMPT: gate_shop.prompt(*(rule for rule in RULES if word not in rule), *more)}


PLANTED: tuple[GitPullRequest, ...] = (
    GitPullRequest(
        name="better",
        decision="pass",
        exit_code=0,
        why="no_loss",
        files={gate_shop.PROMPT: gate_shop.prompt(*RULES, gate_shop.HELPFUL)},
    ),
    GitPullRequest(
        name="worse in one language",
        decision="fail",
        exit_code=1,
        why="loss",
        files={gate_shop.PROMPT: gate_shop.prompt(*RULES, "sw: English is enough.")},
    ),
    GitPullRequest(
        name="worse only in tool use",
        decision="fail",
        exit_code=1,
        why="loss",
        files={gate_shop.PROMPT: gate_shop.prompt(*RULES).replace(" with book_slot", "")},
    ),
    GitPullRequest(name="reworded without effect", decision="pass", exit_code=0, why="no_loss"),
    GitPullRequest(
        name="flaky judge",
        decision="pass",
        exit_code=0,
        why="no_loss",
        world=judge_is(JudgeMode.FLAKY),
    ),
    GitPullRequest(
        name="flaky judge, an eighth is lost",
        decision="unmeasurable",
        exit_code=3,
        why="judge_errors",
        world=judge_is(JudgeMode.BABBLING),
    ),
    GitPullRequest(
        name="judge down",
        decision="unmeasurable",
        exit_code=3,
        why="judge_errors",
        world=judge_is(JudgeMode.DOWN),
    ),
    GitPullRequest(
        name="budget 0.05",
        decision="unmeasurable",
        exit_code=3,
        why="budget",
        variables={"RATIBA_EVAL_BUDGET_USD": "0.05"},
    ),
    GitPullRequest(
        name="stale baseline: main moved on",
        decision="pass",
        exit_code=0,
        why="no_loss",
        world=main_moved_on,
    ),
    GitPullRequest(
        name="judge model changed under way",
        decision="unmeasurable",
        exit_code=3,
        why="judge_changed",
        world=alias_moves,
    ),
    GitPullRequest(
        name="dependency major",
        decision="pass",
        exit_code=0,
        why="no_loss",
        files={"requirements.txt": "httpx==1.0.0\n"},
    ),
    GitPullRequest(
        name="a text that the agent does not read",
        decision="pass",
        exit_code=0,
        why="no_loss",
        files={"README.md": "# Shop\n\nOpen daily.\n"},
    ),
    GitPullRequest(
        name="prompt injection in a scenario and in the title",
        decision="fail",
        exit_code=1,
        why="loss",
        files={
            **_without("price"),
            gate_shop.scenario_file("en", 0): gate_shop.scenario("en", 0, opening=f"How much? {INJECTION}"),
        },
        title=INJECTION,
    ),
    GitPullRequest(
        name="judge model changed in the rubric",
        decision="pass",
        exit_code=0,
        why="no_loss",
        world=judge_replaced,
    ),
)


def play(stage: GateStage, repository: Repository, one: GitPullRequest, number: int) -> GateRun:
    """One pull request, from its branch to the exit code."""
    repository.branch(f"pr-{number}")
    repository.commit(dict(one.files), one.name)
    with one.world(stage, repository):
        run = run_gate(stage, repository, number=number, title=one.title, variables=one.variables)
    return run


def row(name: str, expected: str, run: GateRun, *, right: bool) -> str:
    """A line of the table."""
    cost = f"{run.gate.get('cost_usd') or 0:.2f}"
    return (
        f"| {name} | {expected} | {run.decision}{'' if right else ' (WRONG)'} | {run.exit_code} | {run.seconds:.0f} "
        f"| {run.calls} | {cost} | {run.reason[:160]} |"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10, help="scenarios a language, at most 10")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=[], help="with these words in their names: tool docs")
    options = parser.parse_args(arguments)
    django.setup()
    chosen = [one for one in PLANTED if not options.only or any(word in one.name for word in options.only)]
    wrong = 0
    with gate_stage() as stage:
        repository = stage.repository("shop", cases=options.cases, repeats=options.repeats)
        stored = repository.project.command("baseline")
        if stored.returncode:
            sys.stderr.write(stored.stdout + stored.stderr)
            return 1
        say(f"{conversations(repository)} conversations a side")
        say("| pull request | expected | decision | exit | seconds | judge calls | USD | first reason |")
        say("|---|---|---|---:|---:|---:|---:|---|")
        for number, one in enumerate(chosen, start=1):
            run = play(stage, repository, one, number)
            right = one.is_right(run)
            wrong += not right
            say(row(one.name, f"{one.decision} {one.exit_code}", run, right=right))
            if not right:
                sys.stderr.write(run.output[-3000:])
            last = one, number
            repository.git("checkout", "-q", "main")
        repository.git("checkout", "-q", f"pr-{last[1]}")
        again = run_gate(stage, repository, number=last[1], title=last[0].title)
        say(row("the same commit again", "0 judge calls", again, right=again.calls == 0))
        wrong += again.calls != 0
    say("as planted" if not wrong else f"{wrong} came out otherwise")
    return min(1, wrong)


def say(line: str) -> None:
    """To the terminal, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
