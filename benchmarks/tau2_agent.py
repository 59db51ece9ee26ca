"""An agent on loopback with tau2's own tools and data, and a customer's model that says what a task tells the customer.

The agent knows what each task expects, so it stands for no understanding of language: it shows whether a battle of an
imported task passes where the right calls are made, and fails, with its reason, where one is not. The calls are really
made: each conversation has a fresh copy of tau2's shop or airline.
"""

import copy
import json
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Any

from apps.runs.domain.simulator import fenced
from tests.loopback import formats
from tests.loopback.http_server import Answer, LoopbackServer, Request

DOMAINS = {"retail": ("RetailTools", "RetailDB"), "airline": ("AirlineTools", "FlightDB")}
_GOAL = re.compile(r"<goal>\n(.*?)\n</goal>", re.DOTALL)
_PERSONA = re.compile(r"<persona>\n(.*?)\n</persona>", re.DOTALL)


class Conduct(StrEnum):
    """How the agent goes about its work."""

    CAREFUL = "careful"
    FORGETS = "forgets the last call"
    MISTAKES = "mistakes an argument"
    SILENT = "tells no result"


class TaskAgent:
    """Answers `{"text", "session"}`: its first reply looks things up, its second one acts and tells the results."""

    def __init__(self, data: Path, tasks: Mapping[str, Mapping[str, Any]], conduct: Conduct) -> None:
        self.tasks, self.conduct = tasks, conduct
        self.errors: list[str] = []
        self._worlds = {domain: _database(data, domain) for domain in DOMAINS}
        self._sessions: dict[str, dict[str, Any]] = {}
        self.server = LoopbackServer(self._handle)

    def _handle(self, request: Request) -> Answer:
        asked = json.loads(request.body)
        session = self._sessions.setdefault(asked["session"], {"turn": 0})
        session["turn"] += 1
        if session["turn"] == 1:
            reason = asked["text"].strip()
            name = next(one for one, task in self.tasks.items() if fenced(_reason(task)) == reason)
            domain = name.split("-")[0]
            tools = getattr(import_module(f"tau2.domains.{domain}.tools"), DOMAINS[domain][0])
            session |= {"task": self.tasks[name], "tools": tools(copy.deepcopy(self._worlds[domain]))}
        reply = self._reply(session)
        return Answer(body=json.dumps(reply).encode())

    def _reply(self, session: Mapping[str, Any]) -> dict[str, Any]:
        wanted = session["task"]["evaluation_criteria"]
        actions = list(wanted["actions"] or [])
        if self.conduct is Conduct.FORGETS:
            actions = actions[:-1]
        if self.conduct is Conduct.MISTAKES and actions:
            actions = [*actions[:-1], _mistaken(actions[-1])]
        reads = [one for one in actions if _reads(one["name"])]
        if session["turn"] == 1:
            return {"text": "Let me look that up. Shall I go on?", "calls": self._call(session["tools"], reads)}
        if session["turn"] == 2:
            calls = self._call(session["tools"], [one for one in actions if one not in reads])
            told = [] if self.conduct is Conduct.SILENT else wanted.get("communicate_info") or []
            return {"text": " ".join(("It is done.", *(f"That is {one}." for one in told))), "calls": calls}
        return {"text": "Thank you, goodbye.", "calls": []}

    def _call(self, tools: Any, actions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        calls = []
        for one in actions:
            try:
                result = str(tools.use_tool(one["name"], **one["arguments"]))[:300]
            except Exception as error:  # tau2's tools raise what they like; their answer is data
                result = f"Error: {error}"
                self.errors.append(f"{one['name']}: {error}")
            calls.append({"name": one["name"], "arguments": one["arguments"], "result": result})
        return calls


class TaskCustomer:
    """A model in OpenAI's format: the goal first, then what the customer knows, then thanks."""

    def __init__(self) -> None:
        self.server = LoopbackServer(self._handle)

    def _handle(self, request: Request) -> Answer:
        messages = json.loads(request.body)["messages"]
        system, dialogue = messages[0]["content"], messages[-1]["content"]
        said = dialogue.count('{"from": "customer"')
        goal, persona = (_text(pattern, system) for pattern in (_GOAL, _PERSONA))
        known = persona.partition("What the customer knows:\n")[2].partition("\n\n")[0]
        lines = (goal, f"Yes please. {known}".strip(), "Thank you, goodbye.")
        answer = {"message": lines[min(said, 2)], "done": said >= 2, "reason": "goal_met" if said >= 2 else ""}
        return formats.answer("openai", json.dumps(answer), model="customer")


def tasks_of(data: Path, domain: str) -> dict[str, Mapping[str, Any]]:
    """{name: task} of a domain, under the names they are imported by."""
    listed = json.loads((data / f"tau2/data/tau2/domains/{domain}/tasks.json").read_text())
    return {f"{domain}-{one['id']}": one for one in listed}


def _database(data: Path, domain: str) -> Any:
    module = import_module(f"tau2.domains.{domain}.data_model")
    return getattr(module, DOMAINS[domain][1]).load(str(data / f"tau2/data/tau2/domains/{domain}/db.json"))


def _reason(task: Mapping[str, Any]) -> str:
    return str(task["user_scenario"]["instructions"]["reason_for_call"]).strip()


def _text(pattern: re.Pattern[str], system: str) -> str:
    found = pattern.search(system)
    text = found[1] if found else ""
    return str(json.loads(text)) if text.startswith('"') else text


def _reads(name: str) -> bool:
    return name.startswith(("get_", "find_", "list_", "search_", "calculate"))


def _mistaken(action: Mapping[str, Any]) -> dict[str, Any]:
    name, value = next(reversed(action["arguments"].items()), ("note", ""))
    wrong = [*value, "x"] if isinstance(value, list) else value + 1 if isinstance(value, int) else f"{value}x"
    return {**action, "arguments": {**action["arguments"], name: wrong}}
