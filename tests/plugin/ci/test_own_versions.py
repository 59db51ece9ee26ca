"""Scenarios that a change alters are also played as the commit has them, once it is decided, while there is money."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
import yaml

from pytest_ratiba.ci.asking import GateAsking
from pytest_ratiba.ci.own_versions import short_of_money
from pytest_ratiba.ci.play_watch import PlayWatch
from pytest_ratiba.ci.played_cases import altered_scenarios
from pytest_ratiba.ci.scope import project_change
from pytest_ratiba.ci.side import PlayedSide, SideRequest, SideUnmeasurable
from pytest_ratiba.client import ServerError
from pytest_ratiba.collecting import all_scenarios
from pytest_ratiba.config import read_project
from tests.plugin.ci.conftest import Repository

TALKS = "tests/eval/conversations/scenarios"
CONFIG = {"agent": {"name": "shop", "callable": "shop:reply"}, "evaluator_config": "strict"}
CASE = (
    "id: {}\nlanguage: en\nopening: Hello\npersona: amina\nturns: [{{end: true}}]\nassertions: [{{contains: Karibu}}]\n"
)
PERSONAS = "personas: [{name: amina, text: In a hurry.}]\nscenarios: []\n"


@pytest.fixture
def gated(repository: Repository) -> Repository:
    cases = {f"{TALKS}/{name}.yaml": CASE.format(name) for name in ("one", "two", "three")}
    repository.commit({"ratiba.yaml": yaml.safe_dump(CONFIG), "shop.py": "", f"{TALKS}/p.yaml": PERSONAS, **cases})
    repository.branch("change")
    return repository


class Server:
    """Answers as the API does; the gate is decided at once. `evaluations` by commit."""

    def __init__(self, **gate: Any) -> None:
        counts = {"candidate": {"repeats": 1, "conversations": 3}}
        self.document: dict[str, Any] = {
            "id": "g", "decision": "fail", "play_again": [], "own_versions": None, "counts": counts,
            "budget_usd": 20.0, "cost_usd": 3.0, "candidate": {"cost_usd": 1.5}, "markdown": "m", "terminal": "t",
            "status": "decided", **gate,
        }  # fmt: skip
        self.evaluations: dict[str, list[dict[str, Any]]] = {}
        self.added: list[Mapping[str, str]] = []
        self.decided_by: list[str] = []
        self.asked: list[Mapping[str, Any]] = []
        self.refuse: list[ServerError] = []
        self.accepted: list[dict[str, Any]] = []

    def gate_acceptances(self, **_: str) -> list[dict[str, Any]]:
        return self.accepted

    def gate_floor(self, agent: str) -> None:
        return None

    def gates(self, *, agent: str, commit: str) -> list[dict[str, Any]]:
        return [{"kind": one["kind"]} for one in self.asked if one["commit"] == commit]

    def gate_baselines(self, *, agent: str, commit: str) -> list[dict[str, Any]]:
        return list(reversed(self.evaluations.get(commit, [])))

    def evaluation(self, id: str) -> dict[str, str]:
        return {"status": "completed"}

    def ask_gate(self, body: Mapping[str, Any]) -> str:
        self.decided_by.append(body["candidate"]["evaluation"])
        self.asked.append(body)
        return "g"

    def gate(self, id: str) -> dict[str, Any]:
        return self.document

    def add_own_versions(self, gate_id: str, body: Mapping[str, str]) -> dict[str, Any]:
        if self.refuse:
            raise self.refuse.pop()
        self.added.append(body)
        return {**self.document, "own_versions": dict(body)}


class Plays:
    """Stands for the processes that play: each side becomes an evaluation of its commit."""

    def __init__(self, server: Server, commits: Sequence[str]) -> None:
        self.server, self.commits = server, commits
        self.requests: list[SideRequest] = []
        self.fails = False

    def __call__(self, requests: Sequence[SideRequest]) -> list[PlayedSide]:
        head, base = self.commits
        found = []
        for one in requests:
            if self.fails and one.before is None:
                raise SideUnmeasurable("the budget is spent")
            self.requests.append(one)
            at = head if one.agent_folder == one.cases else base
            id = f"e{len(self.requests)}"
            cases = [{"id": name, "digest": f"{name}{one.versions}"} for name in one.scenarios]
            listed = {"evaluation": id, "fingerprint": "f", "evaluator_config": "strict", "cases": cases,
                      "versions": one.versions}  # fmt: skip
            self.server.evaluations.setdefault(at, []).append(listed)
            found.append(PlayedSide(test_run=id, evaluation=id))
        return found


def asking(gated: Repository, server: Server) -> tuple[GateAsking, Plays]:
    change = project_change(gated.folder, base="main")
    plays = Plays(server, (change.commit, change.base))
    watch = PlayWatch(root=gated.folder)
    made = GateAsking(  # type: ignore[call-arg]
        client=server, change=change, watch=watch, pull_request="PR 1", title="", report=print, play=plays  # type: ignore[arg-type]
    )  # fmt: skip
    return made, plays


def test_an_altered_scenario_is_played_beside_by_the_candidate_alone_and_once(gated: Repository) -> None:
    gated.commit({f"{TALKS}/one.yaml": CASE.format("one").replace("Karibu", "K")})
    server = Server()
    asked, plays = asking(gated, server)
    found = asked.gate_of("shop")
    both, beside = plays.requests[:2], plays.requests[2:]
    assert [(one.scenarios, one.before is None) for one in both] == [(("one", "three", "two"), False)] * 2
    assert [(one.scenarios, one.before, one.repeats, one.agent_folder) for one in beside] == [
        (("one",), None, 1, asked.change.project.folder)
    ]
    assert beside[0].pull_request == "PR 1"
    assert beside[0].judged == {"evaluator_config": "strict"}
    assert server.added == [{"evaluation": "e3"}]
    assert found["own_versions"] == {"evaluation": "e3"}
    assert found["decision"] == "fail"


def test_the_baseline_is_played_first_in_files_of_its_own_that_are_gone_afterwards(gated: Repository) -> None:
    gated.commit({"shop.py": "# other"})
    asked, plays = asking(gated, Server())
    asked.gate_of("shop")
    first, second = plays.requests
    assert (first.commit, first.beside, first.after_change) == (asked.change.base, asked.change.commit, False)
    assert not first.agent_folder.exists()
    assert (second.commit, second.agent_folder) == (asked.change.commit, asked.change.project.folder)


def test_a_baseline_that_was_played_after_other_code_had_run_is_not_believed_by_the_next_change(
    gated: Repository,
) -> None:
    gated.commit({"shop.py": "# other"})
    server = Server()
    asked, plays = asking(gated, server)
    asked.gate_of("shop")
    (stored,) = server.evaluations[asked.change.base]
    stored |= {"after_change": "yes", "beside": "another"}
    replace(asked, played=set()).gate_of("shop")
    assert len(plays.requests) == 3
    assert plays.requests[-1].after_change, "a module of the change has run by then"


def test_what_was_tampered_with_stands_in_the_question_and_nobody_accepts_it(gated: Repository) -> None:
    gated.commit({"shop.py": "# other"})
    server = Server()
    asked, plays = asking(gated, server)
    played = plays.__call__

    def worse(requests: Sequence[SideRequest]) -> list[PlayedSide]:
        if requests[0].commit == asked.change.commit:
            gated.git("config", "filter.worse.smudge", "cat")
        return played(requests)

    replace(asked, play=worse).gate_of("shop")
    (told,) = server.asked[-1]["changes"]
    assert (told["kind"], told["name"]) == ("tampered", "git's configuration was written while the agents were played")


def test_nothing_is_played_beside_where_nothing_is_altered(gated: Repository) -> None:
    gated.commit({f"{TALKS}/new.yaml": CASE.format("new"), f"{TALKS}/two.yaml": None, "shop.py": "# other"})
    server = Server()
    asked, plays = asking(gated, server)
    asked.gate_of("shop")
    assert len(plays.requests) == 2
    assert server.added == []


def test_the_job_again_plays_nothing_and_never_takes_the_own_versions_for_the_deciding_ones(gated: Repository) -> None:
    gated.commit({f"{TALKS}/{name}.yaml": CASE.format(name).replace("Karibu", "K") for name in ("one", "two", "three")})
    server = Server()
    asked, plays = asking(gated, server)
    asked.gate_of("shop")
    asked.gate_of("shop")
    assert len(plays.requests) == 3
    server.evaluations[asked.change.commit].sort(key=lambda one: one["evaluation"] != "e3")  # as if it were the oldest
    asked.gate_of("shop")
    assert server.decided_by[-1] == "e2"
    server.accepted = [{"id": "a", "changes": list(asked.change.alters)}]
    asked.gate_of("shop")
    assert server.decided_by[-1] == "e3"  # a person accepted: what the commit's own versions came to decides


def test_where_the_budget_is_short_it_is_left_out_and_said(gated: Repository) -> None:
    gated.commit({f"{TALKS}/one.yaml": CASE.format("one").replace("Karibu", "K")})
    server = Server(budget_usd=3.2)
    asked, plays = asking(gated, server)
    asked.gate_of("shop")
    assert len(plays.requests) == 2
    assert server.added == [{"left_out": "they cost about $0.50, and $0.20 of the budget is left"}]


def test_what_cannot_be_played_is_said_and_the_decision_stands(gated: Repository) -> None:
    gated.commit({f"{TALKS}/one.yaml": CASE.format("one").replace("Karibu", "K")})
    server = Server()
    asked, plays = asking(gated, server)
    plays.fails = True
    assert asked.gate_of("shop")["decision"] == "fail"
    assert server.added == [{"left_out": "they could not be played (the budget is spent)"}]
    server.refuse = [ServerError("the server is away", status=500)]
    assert "the server is away" in asked.gate_of("shop")["terminal"]


@pytest.mark.parametrize(
    "budget, spent, own, short",
    [(None, 3.0, 1.5, False), (20, 3.0, 1.5, False), (3.5, 3.0, 1.5, False), (3.4, 3.0, 1.5, True),
     (3.0, 3.0, 0.0, True), (0, 0, 0, False), (20, 0, 0, False), (2, 3.0, 1.5, True)],
)  # fmt: skip
def test_money(budget: float | None, spent: float, own: float, short: bool) -> None:
    gate = Server(budget_usd=budget, cost_usd=spent, candidate={"cost_usd": own}).document
    assert bool(short_of_money(gate, 1)) is short


def test_altered_are_definitions_assertions_and_the_words_of_a_persona(gated: Repository) -> None:
    before = all_scenarios(read_project(gated.folder))
    gated.project.write(f"{TALKS}/p.yaml", PERSONAS.replace("In a hurry", "Content with anything"))
    assert set(altered_scenarios(before, all_scenarios(read_project(gated.folder)))) == {"one", "two", "three"}
    gated.project.write(f"{TALKS}/p.yaml", PERSONAS)
    gated.project.write(f"{TALKS}/one.yaml", CASE.format("one") + "agent: shop\n# a comment\n")
    gated.project.write(f"{TALKS}/two.yaml", CASE.format("two").replace("contains", "not_contains"))
    assert altered_scenarios(before, all_scenarios(read_project(gated.folder))) == ("two",)
