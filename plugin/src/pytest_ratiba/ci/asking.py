"""The server's answer about one agent: candidate and baseline are found or played, the gate is asked, and read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from pytest_ratiba.ci.acceptance import accepted_by_a_person
from pytest_ratiba.ci.floor import held_to_floor, with_floors_budget
from pytest_ratiba.ci.knows_the_test import changed_code, knows_the_test
from pytest_ratiba.ci.machine_files import links_out
from pytest_ratiba.ci.opened_files import OpenedFiles
from pytest_ratiba.ci.own_packages import without_packages_of_the_change
from pytest_ratiba.ci.own_versions import with_own_versions
from pytest_ratiba.ci.play_watch import PlayWatch
from pytest_ratiba.ci.played_cases import GatedScenarios, gated_scenarios
from pytest_ratiba.ci.prompt_size import prompt_size_note
from pytest_ratiba.ci.repeating import planned_repeats, with_note
from pytest_ratiba.ci.scope import ProjectChange
from pytest_ratiba.ci.side import PlayedSide, SideRequest, SideUnmeasurable, play_sides
from pytest_ratiba.ci.waiting import decided_gate, until_judged
from pytest_ratiba.client import RatibaClient
from pytest_ratiba.commit_tree import commit_tree
from pytest_ratiba.digests import digest_of
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.portable.changes.matrix import PROMPT, GateNeed
from pytest_ratiba.portable.first_names import listed

Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class GateAsking:
    """Asks for one change. `play` plays a side; `report` shows progress; `watch` is made before anything is played."""

    client: RatibaClient
    change: ProjectChange
    watch: PlayWatch
    pull_request: str
    title: str
    report: Progress
    play: Callable[[Sequence[SideRequest]], list[PlayedSide]] = play_sides
    acceptance: str | None = None  # a person's, by which the commit's own versions decide
    opened: OpenedFiles = field(default_factory=lambda: OpenedFiles(()))
    played: set[str] = field(default_factory=set)  # evaluations of this command's own plays

    def gate_of(self, agent: str) -> dict[str, Any]:
        """The gate's document, decided. Raises `SideUnmeasurable`, `ProjectError`, `ServerError`.

        A side that was judged before is not played again: the same commit, the same cases. A gate that cannot tell is
        asked once more, where repeats are declared and the budget has room for them.
        """
        self._cases(agent)  # what its user has to mend is said before anybody is asked
        accepted = accepted_by_a_person(self.client, agent, self.change)
        held = self if accepted is None else replace(self, change=self.change.as_accepted(), acceptance=accepted)
        floored = held.with_floor(agent)._as_read_before(agent)
        gate = floored._answer_of_looks(agent)
        gate = with_own_versions(self.client, gate, floored._altered(agent), partial(floored._play_own_versions, agent))
        for line in filter(None, (prompt_size_note(self.change, agent), changed_code(self.change))):
            gate = with_note(gate, line, above=True)
        told = (
            *self._notes_of_opened(),
            *self._notes_of_beside(),
            *links_out(self.watch.root, self.change.changed),
            *self._notes_of_versions(gate),
            *knows_the_test(self.change),
        )
        for note in (*self.change.scope.notes, *told):
            gate = with_note(gate, f"{note[:1].upper()}{note[1:].rstrip('.')}.")
        return gate

    def with_floor(self, agent: str) -> "GateAsking":
        """Held to the agent's floor, where there is one. What a person accepted is held to it by the server."""
        floor = self.client.gate_floor(agent)
        if floor is None:
            return self
        if self.acceptance is not None:
            return replace(self, change=with_floors_budget(self.change, floor))
        return replace(self, change=held_to_floor(self.change, floor))

    def _answer_of_looks(self, agent: str) -> dict[str, Any]:
        cases = self._cases(agent)
        self._play_baseline_first(agent, cases)
        candidate = self._evaluation(agent, self.change.commit, cases)
        baseline = self._baseline(agent, candidate, cases)
        if (read := self._as_read()) is not self:
            return read._answer_of_looks(agent)
        gate = self._answer(agent, candidate, baseline)
        if baseline is None:
            return gate
        gate = self._after_replays(agent, gate)
        if gate["decision"] != "undecided" or self._looks < 2:
            return gate
        plan = planned_repeats(gate, most=self.change.settings.most_repeats)
        if plan.repeats < 1:
            return with_note(gate, f"Not repeated: {plan.why}.")
        self.report(f"{agent}: cannot tell; every case is played {plan.repeats} times more on both sides")
        seen = (candidate["evaluation"], baseline["evaluation"])
        try:
            self._play_baseline_first(agent, cases, repeats=plan.repeats, seen=seen)
            again = self._evaluation(agent, self.change.commit, cases, repeats=plan.repeats, seen=seen)
            before = self._baseline(agent, candidate, cases, repeats=plan.repeats, seen=seen)
        except SideUnmeasurable as error:
            return with_note(gate, f"Not repeated: the cases could not be played again ({error}).")
        if before is None:
            return gate
        return self._after_replays(agent, self._answer(agent, again, before, first_look=gate["id"]))

    def _as_read_before(self, agent: str) -> "GateAsking":
        """A commit that a gate has blocked once stays one that blocks: what its agent opened is not seen again where
        its cases are stored."""
        if self.change.scope.need is not GateNeed.ADVISORY:
            return self
        before = self.client.gates(agent=agent, commit=self.change.commit)
        return self._blocking() if any(one["kind"] == GateNeed.BLOCKING for one in before) else self

    def _as_read(self) -> "GateAsking":
        """A changed text that an agent opened is a prompt, whatever it is called: the gate blocks."""
        if self.change.scope.need is not GateNeed.ADVISORY or not self.opened.opened:
            return self
        self.report(f"the agent reads {', '.join(sorted(self.opened.opened)[:5])}, which changed: the gate blocks")
        return self._blocking()

    def _blocking(self) -> "GateAsking":
        scope = replace(self.change.scope, need=GateNeed.BLOCKING)
        return replace(self, change=replace(self.change, scope=scope))

    def _notes_of_opened(self) -> list[str]:
        if self.change.scope.need is not GateNeed.ADVISORY:
            prompts = [what.partition(" (as ")[0] for what, why in self.change.scope.reasons if why == PROMPT]
            mine = sorted(one for one in self.opened.unread if any(f"/{one}".endswith(f"/{name}") for name in prompts))
            read = ", ".join(mine[:10])
            return (
                [f"The agent did not open {read} while it was played: what changed there was not tried."]
                if read
                else []
            )
        read = ", ".join(sorted(self.opened.opened)[:10])
        found = [f"The agent read {read}, which no `prompts:` names: the gate blocks."] if read else []
        unknown = self.opened.unknown
        return found + ([f"Which changed texts the agent reads is not known: {unknown}."] if unknown else [])

    def _notes_of_beside(self) -> list[str]:
        """List sentences about files that the agent could use and that are no files of the commit."""
        played = "While the agent was played {}"  # who opened a file the kernel does not say
        each = (
            (self.watch.beside, "Played beside what is no file of the commit ({}): a later gate plays the commit anew"),
            (self.opened.elsewhere(), f"{played}, which no commit has, was opened on this machine: an earlier job may "
             "have left it"),
            (sorted(self.opened.unreadable), "The agent read {}, which changed and is no text: nobody can read in the "
             "change what it says or does"),
            (self.opened.left(), f"{played} came to be on this machine: an agent can count there what it was asked"),
        )  # fmt: skip
        return [sentence.format(listed(names)) for names, sentence in each if names]

    def _notes_of_versions(self, gate: Mapping[str, Any]) -> list[str]:
        """Versions of dependencies are what is installed: the same for both sides where this command plays both."""
        versions, stands = sorted(self.change.versions), gate.get("baseline") or {}
        if not versions or stands.get("evaluation") not in self.played:
            return []
        return [
            f"Versions of dependencies change ({listed(versions)}), and both sides were played with the packages that "
            "are installed here: what the versions do was not tried. A stored baseline (ratiba-ci baseline) has its own"
        ]

    def _after_replays(self, agent: str, gate: dict[str, Any]) -> dict[str, Any]:
        """The answer once the cases that the gate names were played again on both sides; the same one where it names
        none, or they could not be played."""
        wanted = gate.get("play_again") or ()
        if not wanted:
            return gate
        cases, times = sorted({one["id"] for one in wanted}), max(int(one["times"]) for one in wanted)
        shown = ", ".join(cases[:5])
        self.report(f"{agent}: the candidate alone was lost or failed in {shown}: {times} times more on both sides")
        try:
            there = self._played_baseline(agent, cases, repeats=times)
            here = self._played(agent, cases, self.change.commit, self.change.project.folder, repeats=times)
        except (SideUnmeasurable, ProjectError) as error:
            return with_note(gate, f"Not played again: {error}.")
        return self._answer(agent, here, there, replays_of=gate["id"])

    def _altered(self, agent: str) -> list[str]:
        """Scenarios of the agent that the commit has otherwise than they decide."""
        mine = set(self._cases(agent))
        return [name for name in self._scenarios().altered if name in mine]

    def _play_own_versions(self, agent: str, names: Sequence[str]) -> str:
        """The evaluation of these scenarios as the commit has them, judged as the gate is; played where none is
        stored."""
        own = replace(self, change=replace(self.change, inside=None, settings=replace(self.change.settings, repeats=1)))
        return str(own._evaluation(agent, self.change.commit, names)["evaluation"])

    def _play_baseline_first(
        self, agent: str, cases: Sequence[str], *, repeats: int = 0, seen: Sequence[str] = ()
    ) -> None:
        """Before anything of the change has run, so that nothing of it can have touched what is compared with."""
        if not self.change.base or self.change.base == self.change.commit:
            return
        if self._stored(agent, self.change.base, cases, seen=seen) is not None:
            return
        try:
            self._played_baseline(agent, cases, repeats=repeats)
        except ProjectError as error:  # the candidate is played, and the gate says that there is no baseline
            self.report(f"{agent}: the baseline could not be played: {error}")

    def _played_baseline(self, agent: str, cases: Sequence[str], *, repeats: int) -> dict[str, Any]:
        """The merge base's agent on these cases, in files that are made for this play alone."""
        inside = self.change.inside or self.change.project.folder.resolve().relative_to(self.watch.root.resolve())
        with (
            without_packages_of_the_change(self.watch.packages_of_files),
            self.watch.baseline(self.change.base) as tree,
            self.opened.watched(tree),
        ):
            return self._played(agent, cases, self.change.base, tree / inside, repeats=repeats)

    def _answer(
        self,
        agent: str,
        candidate: Mapping[str, Any],
        baseline: Mapping[str, Any] | None,
        *,
        first_look: str = "",
        replays_of: str = "",
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
            "replays_of": replays_of,
            "changes": [dict(one) for one in (*self.change.alters, *self.watch.changes())],
            "acceptance": self.acceptance or "",
        }
        asked = {key: one for key, one in body.items() if one not in (None, "")}
        return decided_gate(self.client, self.client.ask_gate(asked))

    @property
    def _looks(self) -> int:
        """Return the number of times that the gate may look at the data, declared before the first look.
        An advisory gate looks once."""
        settings = self.change.settings
        blocking = self.change.scope.need is not GateNeed.ADVISORY
        return 2 if blocking and settings.most_repeats > settings.repeats else 1

    @property
    def blocks(self) -> bool:
        """Whether what cannot be measured stops."""
        return self.change.scope.need is GateNeed.BLOCKING

    @property
    def stops_on_loss(self) -> bool:
        """Whether an advisory gate stops where it shows a loss; an agent that does not start is lost in every case."""
        return self.change.settings.policy.get("advisory_loss") != "warn"

    def baseline_of(self, agent: str, commit: str) -> dict[str, Any]:
        """The evaluation of the commit at hand, played where there is none."""
        return self._evaluation(agent, commit, self._cases(agent))

    def plays(self, agent: str) -> bool:
        """Whether there is a scenario for the agent."""
        try:
            return bool(self._cases(agent))
        except ProjectError:
            return False

    def _cases(self, agent: str) -> tuple[str, ...]:
        cases = self._scenarios().scenarios
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
        try:
            return self._played_baseline(agent, cases, repeats=repeats)
        except ProjectError as error:
            self.report(f"{agent}: no baseline: {error}")
            return None

    def _evaluation(
        self, agent: str, commit: str, cases: Sequence[str], *, repeats: int = 0, seen: Sequence[str] = ()
    ) -> dict[str, Any]:
        """The commit at hand, judged before or played now. As the server lists it: {"evaluation", "fingerprint",
        "cases", …}."""
        found = self._stored(agent, commit, cases, seen=seen)
        if found is not None:
            self.report(f"{agent}: {commit[:12]} is judged already")
            return found
        return self._played(agent, cases, commit, self.change.project.folder, repeats=repeats)

    def _stored(
        self, agent: str, commit: str, cases: Sequence[str], *, seen: Sequence[str] = ()
    ) -> dict[str, Any] | None:
        known = (
            one for one in self._known(agent, commit) if one["evaluation"] not in seen and self._is_mine(one, commit)
        )
        return next((one for one in known if set(cases) <= {case["id"] for case in one["cases"]}), None)

    def _is_mine(self, evaluation: Mapping[str, Any], commit: str) -> bool:
        """Whether the cases of the commit at hand were played by the versions that decide now: names alone do not say
        it where the commit alters something."""
        return commit != self.change.commit or not self.change.alters or evaluation.get("versions") == self._versions

    @property
    def _versions(self) -> str:
        """Return a digest that names the versions of the scenarios and checks that are played."""
        return digest_of(
            [self.change.base if self.change.inside is not None else "", self.change.judged.get("metrics")]
        )

    def _played(self, agent: str, cases: Sequence[str], commit: str, folder: Path, *, repeats: int) -> dict[str, Any]:
        """The agent of this commit, as it stands in the folder, on these cases."""
        many = f"{len(cases)} case{'' if len(cases) == 1 else 's'}"
        self.report(f"{agent}: playing {many} with {commit[:12]}")
        settings, is_base = self.change.settings, commit != self.change.commit
        with self._before() as before, nullcontext() if is_base else self._as_candidate(commit):
            request = SideRequest(
                cases=self.change.project.folder,
                before=before,
                judged=self.change.judged,
                agent_folder=folder,
                agent=agent,
                commit=commit,
                beside=self.change.commit if is_base else "",
                after_change=is_base and self.watch.change_has_run,
                other_files=not is_base and bool(self.watch.beside),
                versions=self._versions,
                scenarios=tuple(cases),
                repeats=repeats or settings.repeats,
                pull_request=self.pull_request,
                budget_usd=settings.chosen_usd if self.pull_request else None,
            )
            (played,) = self.play([request])
        self.played.add(played.evaluation)
        return self._listed(agent, commit, played)

    @contextmanager
    def _as_candidate(self, commit: str) -> Iterator[None]:
        with self.watch.candidate(commit), self.opened.watched(self.watch.root, candidate=True):
            yield

    def _listed(self, agent: str, commit: str, played: PlayedSide) -> dict[str, Any]:
        with self.opened.no_agent_runs():
            until_judged(self.client, played)
        known = {row["evaluation"]: row for row in self._known(agent, commit)}
        return known.get(played.evaluation) or {"evaluation": played.evaluation, "fingerprint": "", "cases": []}

    def _known(self, agent: str, commit: str) -> list[dict[str, Any]]:
        """The oldest first, so that a gate on an unchanged commit sees the same evaluations in the same order; without
        what was played beside files that are none of the commit's, and without baselines that were played beside
        another change: its packages stood in their environment. Raises `ProjectError` where no config is named: nobody
        would judge what is played."""
        config = str(self.change.judged.get("evaluator_config") or "")
        if not config:
            raise ProjectError("nobody would judge: name an `evaluator_config` of the server's in ratiba.yaml")
        listed = self.client.gate_baselines(agent=agent, commit=commit)
        listed.reverse()
        mine = [one for one in listed if config in (one["evaluator_config"], one["evaluator_config"].split("@")[0])]
        return [one for one in mine if one["evaluation"] in self.played or self._is_the_commits(one)]

    def _is_the_commits(self, one: Mapping[str, Any]) -> bool:
        beside = one.get("beside", "")
        alone = not beside or (beside == self.change.commit and not self.watch.packages_of_files)
        return alone and not one.get("other_files")

    @contextmanager
    def _before(self) -> Iterator[Path | None]:
        """The merge base's project, while its scenarios decide."""
        if self.change.inside is None:
            yield None
            return
        with commit_tree(self.watch.root, self.watch.files(self.change.base)) as tree:
            yield tree.folder / self.change.inside

    def _scenarios(self) -> GatedScenarios:
        with self._before() as before:
            return gated_scenarios(self.change.project, before, self.change.agents)
