"""The server's answer about one agent: candidate and baseline are found or played, the gate is asked, and read."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_ratiba.ci.matrix import GateNeed
from pytest_ratiba.ci.repeating import planned_repeats, with_note
from pytest_ratiba.ci.scope import ProjectChange
from pytest_ratiba.ci.side import PlayedSide, SideRequest, SideUnmeasurable, play_side
from pytest_ratiba.client import RatibaClient
from pytest_ratiba.collecting import all_scenarios
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.git import top_folder, worktree

DECIDE_S = 1800.0
Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class GateAsking:
    """Asks for one change. `play` plays a side; `report` shows progress."""

    client: RatibaClient
    change: ProjectChange
    pull_request: str
    title: str
    report: Progress
    play: Callable[[SideRequest], PlayedSide] = play_side

    def gate_of(self, agent: str) -> dict[str, Any]:
        """The gate's document, decided. Raises `SideUnmeasurable`, `ProjectError`, `ServerError`.

        A side that was judged before is not played again: the same commit, the same cases. A gate that cannot tell is
        asked once more, where repeats are declared and the budget has room for them.
        """
        gate = self._answer_of_looks(agent)
        for note in self.change.scope.notes:
            gate = with_note(gate, f"{note[:1].upper()}{note[1:]}.")
        return gate

    def _answer_of_looks(self, agent: str) -> dict[str, Any]:
        cases = self._cases(agent)
        candidate = self._evaluation(agent, self.change.commit, cases)
        baseline = self._baseline(agent, candidate, cases)
        gate = self._answer(agent, candidate, baseline)
        if gate["decision"] != "undecided" or baseline is None or self._looks < 2:
            return gate
        plan = planned_repeats(gate, most=self.change.settings.most_repeats)
        if plan.repeats < 1:
            return with_note(gate, f"Not repeated: {plan.why}.")
        self.report(f"{agent}: cannot tell; every case is played {plan.repeats} times more on both sides")
        seen = (candidate["evaluation"], baseline["evaluation"])
        try:
            again = self._evaluation(agent, self.change.commit, cases, repeats=plan.repeats, seen=seen)
            before = self._baseline(agent, candidate, cases, repeats=plan.repeats, seen=seen)
        except SideUnmeasurable as error:
            return with_note(gate, f"Not repeated: the cases could not be played again ({error}).")
        return self._answer(agent, again, before, first_look=gate["id"]) if before else gate

    def _answer(
        self, agent: str, candidate: Mapping[str, Any], baseline: Mapping[str, Any] | None, *, first_look: str = ""
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "agent": agent,
            "commit": self.change.commit,
            "kind": "advisory" if self.change.scope.need is GateNeed.ADVISORY else "blocking",
            "candidate": {"evaluation": candidate["evaluation"]},
            "baseline": baseline and {"evaluation": baseline["evaluation"]},
            "policy": {**self.change.settings.policy, "looks": self._looks},
            "budget_usd": self.change.settings.budget_usd,
            "pull_request": self.pull_request,
            "title": self.title[:300],
            "base_commit": self.change.base,
            "first_look": first_look,
        }
        return self._decided(self.client.ask_gate({key: one for key, one in body.items() if one not in (None, "")}))

    @property
    def _looks(self) -> int:
        """How often the data may be looked at, declared before the first time: an advisory gate asks once."""
        settings = self.change.settings
        blocking = self.change.scope.need is not GateNeed.ADVISORY
        return 2 if blocking and settings.most_repeats > settings.repeats else 1

    def baseline_of(self, agent: str, commit: str) -> dict[str, Any]:
        """The evaluation of the commit at hand, played where there is none."""
        return self._evaluation(agent, commit, self._cases(agent))

    def _cases(self, agent: str) -> tuple[str, ...]:
        cases = all_scenarios(self.change.project).scenarios
        only = len(self.change.agents) == 1
        mine = [case.id for case in cases if case.agent == agent or (only and not case.agent)]
        if self.change.scope.need is GateNeed.ADVISORY:
            mine = [name for name in mine if self.change.settings.in_smoke_test(name)]
        if not mine:
            raise ProjectError(f"no scenario is played with agent {agent!r}: add one, or say `agent: {agent}` in it")
        return tuple(mine)

    def _baseline(
        self,
        agent: str,
        candidate: Mapping[str, Any],
        cases: Sequence[str],
        *,
        repeats: int = 0,
        seen: Sequence[str] = (),
    ) -> dict[str, Any] | None:
        """The merge base's agent on the same cases: stored by a push to the default branch, else played now."""
        if not self.change.base or self.change.base == self.change.commit:
            return None
        wanted = {case["digest"] for case in candidate["cases"]}
        for one in self._known(agent, self.change.base):
            same = one["fingerprint"] == candidate["fingerprint"]
            if same and one["evaluation"] not in seen and wanted <= {case["digest"] for case in one["cases"]}:
                self.report(f"{agent}: the baseline of {self.change.base[:12]} is stored")
                return one
        root = top_folder(self.change.project.folder)
        inside = self.change.project.folder.resolve().relative_to(root.resolve())
        try:
            with worktree(root, self.change.base) as tree:
                return self._played(agent, self.change.base, cases, at=tree / inside, repeats=repeats)
        except ProjectError as error:
            self.report(f"{agent}: no baseline: {error}")
            return None

    def _evaluation(
        self, agent: str, commit: str, cases: Sequence[str], *, repeats: int = 0, seen: Sequence[str] = ()
    ) -> dict[str, Any]:
        """The commit at hand, judged before or played now. As the server lists it: {"evaluation", "fingerprint",
        "cases", …}."""
        for one in self._known(agent, commit):
            if one["evaluation"] not in seen and set(cases) <= {case["id"] for case in one["cases"]}:
                self.report(f"{agent}: {commit[:12]} is judged already")
                return one
        return self._played(agent, commit, cases, at=self.change.project.folder, repeats=repeats)

    def _played(self, agent: str, commit: str, cases: Sequence[str], *, at: Path, repeats: int) -> dict[str, Any]:
        self.report(f"{agent}: playing {len(cases)} cases with {commit[:12]}")
        played = self.play(
            SideRequest(
                cases=self.change.project.folder,
                agent_folder=at,
                agent=agent,
                scenarios=tuple(cases),
                repeats=repeats or self.change.settings.repeats,
                pull_request=self.pull_request,
                budget_usd=self.change.settings.budget_usd if self.pull_request else None,
            )
        )
        self._until_judged(played)
        listed = {one["evaluation"]: one for one in self._known(agent, commit)}
        return listed.get(played.evaluation) or {"evaluation": played.evaluation, "fingerprint": "", "cases": []}

    def _known(self, agent: str, commit: str) -> list[dict[str, Any]]:
        """The oldest first, so that a gate on an unchanged commit sees the same evaluations in the same order."""
        config = str(self.change.project.sections.get("evaluator_config") or "")
        listed = self.client.gate_baselines(agent=agent, commit=commit)
        listed.reverse()
        return [one for one in listed if config in (one["evaluator_config"], one["evaluator_config"].split("@")[0])]

    def _until_judged(self, played: PlayedSide) -> None:
        deadline = time.monotonic() + DECIDE_S
        while self.client.evaluation(played.evaluation)["status"] in ("pending", "running"):
            if time.monotonic() > deadline:
                raise SideUnmeasurable(f"evaluation {played.evaluation} was not judged within {DECIDE_S:g} s")
            time.sleep(0.5)

    def _decided(self, gate_id: str) -> dict[str, Any]:
        deadline = time.monotonic() + DECIDE_S
        while (gate := self.client.gate(gate_id))["status"] != "decided":
            if time.monotonic() > deadline:
                raise SideUnmeasurable(f"gate {gate_id} waits for {gate.get('waiting_for') or 'the server'}")
            time.sleep(0.5)
        return gate
