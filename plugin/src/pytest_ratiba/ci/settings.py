"""The section `gate:`.

gate:
  matrix:                       # before the built-in rules (changes.matrix.DEFAULT_RULES)
    - {paths: ["billing/**"], need: nothing}
    - {paths: ["rules/*.yaml"], need: blocking, agents: [concierge]}
  smoke: [greeting, "booking.*"]   # the scenarios of an advisory gate; all where it is missing
  repeats: 1                    # how often each case is played on each side
  most_repeats: 5               # in all, where a blocking gate cannot tell: asked once more, within the budget
  budget_usd: 20                # RATIBA_EVAL_BUDGET_USD wins
  margin: 0.5                   # these and the rest of the policy: see the server's documents on gates
  undecided: block              # or pass; without it, a blocking gate blocks and an advisory one passes
  advisory_loss: block          # an advisory gate that shows a loss stops; warn: it only says so
  latency_margin_s: 1           # seconds a turn that the agent may become slower by
  tokens_margin: 0.2            # a fifth more tokens a conversation are no loss
  hard_checks: []               # checks of which every failing one stops, without being played again
  require_certificate: false
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from pytest_ratiba.agents import AgentSetting, read_agents
from pytest_ratiba.ci.gate_policy import POLICY, read_policy
from pytest_ratiba.collecting import FROM_PRODUCTION, SCENARIOS
from pytest_ratiba.config import FILE, Project
from pytest_ratiba.portable.changes.matrix import DEFAULT_RULES, GUARD_RULES, PROMPT, GateNeed, MatrixRule

KEYS = ("matrix", "smoke", "repeats", "most_repeats", "budget_usd", *POLICY)
BUDGET_USD = 20.0  # the brief's, per pull request
MAX_REPEATS = 20
REPEATED = 5  # in all, where nothing else is declared


@dataclass(frozen=True, kw_only=True)
class GateSettings:
    """These are the settings that the project declares for its gate.
    `policy` goes to the server, which decides. `chosen_usd` is the budget where somebody wrote one: the server then
    holds the budget under every price, and refuses a model whose price nobody knows; a default budget stops no such
    model."""

    rules: tuple[MatrixRule, ...]
    smoke: tuple[str, ...] = ()
    repeats: int = 1
    most_repeats: int = REPEATED
    budget_usd: float = BUDGET_USD
    chosen_usd: float | None = None
    policy: Mapping[str, Any] = field(default_factory=dict)

    def in_smoke_test(self, scenario: str) -> bool:
        """Whether an advisory gate plays this scenario."""
        return not self.smoke or any(fnmatchcase(scenario, pattern) for pattern in self.smoke)


def read_gate_settings(project: Project, agents: Mapping[str, AgentSetting]) -> GateSettings:
    """From the project's configuration. Raises `ProjectError` with the pointer."""
    raw = project.mapping("gate")
    project.refuse_unknown("/gate", raw, KEYS)
    repeats = _whole(project, "/gate/repeats", raw.get("repeats", 1), least=1)
    budget = _budget(project, raw.get("budget_usd", BUDGET_USD))
    is_chosen = "budget_usd" in raw or bool(_budget_of_environment())
    return GateSettings(
        rules=(
            *GUARD_RULES,
            _configuration(project),
            *_own_rules(project, raw.get("matrix"), agents),
            *builtin_rules(project, agents),
        ),
        smoke=_texts(project, "/gate/smoke", raw.get("smoke", [])),
        repeats=repeats,
        most_repeats=_whole(
            project, "/gate/most_repeats", raw.get("most_repeats", max(repeats, REPEATED)), least=repeats
        ),
        budget_usd=budget,
        chosen_usd=budget if is_chosen else None,
        policy=read_policy(project, raw),
    )


def held_settings(project: Project, now: Project, agents: Mapping[str, AgentSetting]) -> GateSettings:
    """Those of the merge base (`project`), with the rows of both configurations for the files that they name: who moves
    a prompt or the configuration itself changes what is gated by neither. Raises `ProjectError`."""
    before = read_agents(project)
    settings = read_gate_settings(project, before)
    rules = (
        *GUARD_RULES,
        _configuration(project),
        _configuration(now),
        *_own_rules(project, project.mapping("gate").get("matrix"), before),
        *builtin_rules(now, agents)[: -len(DEFAULT_RULES)],
        *builtin_rules(project, before),
    )
    return replace(settings, rules=rules)


def builtin_rules(project: Project, agents: Mapping[str, AgentSetting]) -> tuple[MatrixRule, ...]:
    """Prompts and state machines of each agent, its scenarios, the configuration; then the rules that always hold."""
    rules = []
    for name, agent in agents.items():
        if agent.prompts:
            rules.append(MatrixRule(paths=agent.prompts, need=GateNeed.BLOCKING, agents=(name,), why=PROMPT))
        if agent.fsm:
            rules.append(
                MatrixRule(paths=(agent.fsm,), need=GateNeed.BLOCKING, agents=(name,), why="the state machine")
            )
    cases = [_below(project, "scenarios", SCENARIOS), _below(project, "from_production", FROM_PRODUCTION)]
    rules.append(MatrixRule(paths=tuple(cases), need=GateNeed.BLOCKING, why="scenarios"))
    return (*rules, *DEFAULT_RULES)


def _configuration(project: Project) -> MatrixRule:
    """Before the project's own rules: whoever changes them cannot say that nobody has to look."""
    name = project.source.name if project.source is not None else FILE
    return MatrixRule(paths=(name,), need=GateNeed.BLOCKING, why="the configuration of the gate")


def _below(project: Project, section: str, default: str) -> str:
    folder = project.sections.get(section, default)
    return f"{str(folder).strip('/')}/**"


def _own_rules(project: Project, value: Any, agents: Mapping[str, AgentSetting]) -> list[MatrixRule]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise project.error("/gate/matrix", "must be a list of {paths, need}")
    rules = []
    for number, one in enumerate(value):
        pointer = f"/gate/matrix/{number}"
        if not isinstance(one, dict):
            raise project.error(pointer, "must be {paths: […], need: blocking, advisory or nothing}")
        project.refuse_unknown(pointer, one, ("paths", "need", "agents"))
        paths = _texts(project, f"{pointer}/paths", one.get("paths"))
        if not paths:
            raise project.error(f"{pointer}/paths", "names at least one pattern")
        if one.get("need") not in list(GateNeed):
            raise project.error(f"{pointer}/need", f"is one of {', '.join(GateNeed)}")
        meant = _texts(project, f"{pointer}/agents", one.get("agents", []))
        unknown = next((name for name in meant if name not in agents), None)
        if unknown is not None:
            raise project.error(f"{pointer}/agents", f"there is no agent {unknown!r}; there are {', '.join(agents)}")
        rules.append(MatrixRule(paths=paths, need=GateNeed(one["need"]), agents=meant))
    return rules


def _whole(project: Project, pointer: str, value: Any, *, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_REPEATS:
        raise project.error(pointer, f"must be a whole number from {least} to {MAX_REPEATS}")
    return value


def _texts(project: Project, pointer: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise project.error(pointer, "must be a list of texts")
    return tuple(value)


def _budget_of_environment() -> str:
    return os.environ.get("RATIBA_EVAL_BUDGET_USD", "").strip()


def _budget(project: Project, value: Any) -> float:
    wanted = _budget_of_environment() or value
    try:
        usd = float(wanted)
    except (TypeError, ValueError):
        usd = -1.0
    if isinstance(wanted, bool) or not 0 <= usd <= 1_000_000:
        raise project.error("/gate/budget_usd", f"must be dollars from 0 to 1,000,000, not {wanted!r}")
    return usd
