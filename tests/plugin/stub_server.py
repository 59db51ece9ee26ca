"""A loopback server of the API's shape, for what a real one does not do when asked: limits, lost leases, silence.

It plays the lines of each scenario and passes a conversation whose every reply holds what the scenario's first
assertion names (`{"metric": WORD}`); it judges nothing else.
"""

import json
import threading
import uuid
from collections import deque
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from typing import Any


class StubServer:
    """`answers` holds statuses to answer before the next request is looked at, by path ending."""

    def __init__(self) -> None:
        self.scenarios: dict[str, dict[str, Any]] = {}
        self.files: dict[str, str] = {}
        self.runs: dict[str, dict[str, Any]] = {}
        self.waiting: list[dict[str, Any]] = []
        self.posted: list[tuple[str, Any]] = []
        self.refusals: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        self.silent_runs = False
        self.golden_outcomes: dict[str, str] = {}  # of a replay's checks, by name
        self.judged: list[dict[str, Any]] = []  # conversations that were sent to be evaluated
        self.lock = threading.Lock()
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                self.answer(None)

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                self.answer(json.loads(self.rfile.read(length) or b"null"))

            def answer(self, body: Any) -> None:
                with stub.lock:
                    status, value = stub.handle(self.path.removeprefix("/api/v1"), body, posted=self.command == "POST")
                content = json.dumps(value).encode() if value is not None else b""
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                if status == 429:
                    self.send_header("retry-after", "0")
                self.end_headers()
                self.wfile.write(content)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def handle(self, path: str, body: Any, *, posted: bool) -> tuple[int, Any]:
        for ending, refusals in self.refusals.items():
            if path.endswith(ending) and refusals:
                return refusals.pop(0)
        if posted:
            self.posted.append((path, body))
        parts = path.strip("/").split("/")
        if path == "/test-runs/":
            return self.started(body)
        if path == "/evaluations/":
            self.judged = body["conversations"]
            return 202, {"id": "e-1"}
        if path.startswith("/evaluations/"):
            return 200, self.evaluation(parts[2])
        if path == "/pulled-turns/lease/":
            mine = [one for one in self.waiting if one["run"] in body["test_runs"]][: body["most"]]
            self.waiting = [one for one in self.waiting if one not in mine]
            return 200, {"turns": mine}
        if parts[0] == "pulled-turns":
            return self.replied(parts[1], body) if parts[2] == "reply" else (204, None)
        if parts[-1] == "cancel":
            return 200, {}
        run = self.runs[parts[1]]
        if parts[2] == "checks":
            run["own"] = {(one["conversation"], one["assertion"]): one for one in body["results"]}
            return 200, {"stored": len(body["results"])}
        if parts[2] == "conversations":
            rows = [{"id": one["id"], "turns": one["turns"]} for one in run["conversations"]]
            return 200, {"results": rows, "next": None}
        if parts[2] == "status":
            over = all(one["over"] for one in run["conversations"]) and not self.silent_runs
            states = {"ended": sum(one["over"] for one in run["conversations"])}
            return 200, {"status": "completed" if over else "running", "progress": 0.0, "conversations": states,
                         "waiting_for": "a runner"}  # fmt: skip
        return 200, self.report(run)

    def evaluation(self, what: str) -> dict[str, Any]:
        if what == "status":
            return {"status": "completed", "progress": 1.0, "conversations": {}}
        rows = [{"conversation_id": one["id"], "status": "scored", "verdict": "pass"} for one in self.judged]
        return {"results": rows[::-1], "next": None}

    def brought(self, body: Any) -> None:
        """What comes with a run."""
        catalog = body.get("catalog") or {}
        for name, text in catalog.get("files", {}).items():
            value = json.loads(text)
            self.files[name] = text
            if "id" in value:
                self.scenarios[value["id"]] = value
        for sent in catalog.get("golden_sessions", ()):
            document = json.loads(sent["files"][sent["document"]])
            lines = [turn["content"] for turn in document["turns"] if turn["role"] == "user"]
            self.scenarios[document["name"]] = {"id": document["name"], "turns": lines}

    def started(self, body: Any) -> tuple[int, Any]:
        self.brought(body)
        run = {"id": str(uuid.uuid4()), "subject": body.get("subject"), "conversations": []}
        names, repeats = body.get("scenarios") or body["golden_sessions"], body.get("repeats", 1)
        for name, repeat in product(names, range(1, repeats + 1)):
            scenario = self.scenarios[name]
            lines = [scenario["opening"]] if scenario.get("opening") else []
            lines += [one if isinstance(one, str) else one["say"] for one in scenario.get("turns", ())
                      if isinstance(one, str) or "say" in one]  # fmt: skip
            conversation = {"id": str(uuid.uuid4()), "name": f"{name}#{repeat}" if repeats > 1 else name,
                            "repeat": repeat, "scenario": scenario, "left": deque(lines), "messages": [], "turns": [],
                            "over": False, "error": "", "run": run["id"]}  # fmt: skip
            run["conversations"].append(conversation)
            self.ask(conversation)
        self.runs[run["id"]] = run
        transport = (body.get("connection") or {}).get("kind") or body.get("transport") or "http"
        pulled = transport == "pulled" or body.get("connection", {}).get("runner")
        return 202, {"id": run["id"], "evaluation_id": None, "transport": "pulled" if pulled else transport}

    def ask(self, conversation: dict[str, Any]) -> None:
        conversation["messages"].append({"role": "user", "content": conversation["left"].popleft()})
        conversation["turn"] = str(uuid.uuid4())
        scenario = conversation["scenario"]
        self.waiting.append({
            "run": conversation["run"], "id": conversation["turn"], "lease": "L", "conversation_id": conversation["id"],
            "position": len(conversation["messages"]) - 1, "messages": list(conversation["messages"]),
            "context": {"language": scenario.get("language", ""), "scenario": scenario["id"]},
            "expires_at": (datetime.now(UTC) + timedelta(seconds=30)).isoformat(),
        })  # fmt: skip

    def replied(self, turn: str, body: Any) -> tuple[int, Any]:
        every = [one for run in self.runs.values() for one in run["conversations"]]
        conversation = next((one for one in every if one.get("turn") == turn), None)
        if conversation is None:
            return 409, {"code": "lease_lost"}
        conversation["turn"] = ""
        if "error" in body:
            conversation |= {"over": True, "error": body["error"]}
            return 204, None
        content = body["content"] if "content" in body else json.loads(body["response"]["body"])["reply"]
        reply = {"role": "assistant", "content": content}
        conversation["messages"].append(reply)
        shown = {"latency_ms": body.get("latency_ms"), "tool_calls": body.get("tool_calls") or []}
        conversation["turns"] += [conversation["messages"][-2], reply | shown]
        if conversation["left"]:
            self.ask(conversation)
        else:
            conversation["over"] = True
        return 204, None

    def report(self, run: dict[str, Any]) -> dict[str, Any]:
        found = [self.outcome(one) for one in run["conversations"]]
        for one in found:
            own = [row for (of, _), row in run.get("own", {}).items() if of == one["id"]]
            one["checks"] += [{"check": "runner_assertion", "score": None, "threshold": None, **row} for row in own]
            if own and one["verdict"] == "pass" and any(row["outcome"] == "fail" for row in own):
                one["verdict"] = "fail"
        verdicts = {one["verdict"] for one in found}
        return {"test_run_id": run["id"], "digest": "0" * 64, "verdict": "pass" if verdicts == {"pass"} else "fail",
                "cost_usd": 0.0, "subject": run["subject"], "conversations": found}  # fmt: skip

    def golden_checks(self) -> list[dict[str, Any]]:
        return [{"check": name, "outcome": outcome, "score": None, "threshold": None, "reason": f"why {name}"}
                for name, outcome in self.golden_outcomes.items()]  # fmt: skip

    def outcome(self, one: dict[str, Any]) -> dict[str, Any]:
        replies = [turn["content"] for turn in one["messages"] if turn["role"] == "assistant"]
        word = (one["scenario"].get("assertions") or [{}])[0].get("metric", "")
        good = all(word in reply for reply in replies) and not one["error"]
        check = {"check": word, "outcome": "pass" if good else "fail", "score": float(good), "threshold": 1.0,
                 "reason": f"{word} is missing."}  # fmt: skip
        turns = [{"sent": a["content"], "reply": b["content"], "tools": []}
                 for a, b in zip(one["messages"][::2], one["messages"][1::2], strict=False)]  # fmt: skip
        return {"id": one["id"], "name": one["name"], "repeat": one["repeat"],
                "status": "failed" if one["error"] else "ended",
                "blame": "agent_transport" if one["error"] else None, "error": one["error"],
                "verdict": "unmeasurable" if one["error"] else check["outcome"],
                "checks": self.golden_checks() or ([] if one["error"] else [check]), "turns": turns}  # fmt: skip
