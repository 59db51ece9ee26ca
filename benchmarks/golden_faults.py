"""Which check notices which fault? The campaign agent of examples/pega, with one fault at a time, replayed and checked.

    python -m benchmarks.golden_faults [--fault NAME …] [--transport NAME …] [--scale 20] [--out DIR] [--quick]

Public commands alone: `capture_session` takes PXCONV-4081 from a server without a fault, `replay --report` plays it
against a server with one, report.json is read. Real workers; the judge is a scripted one on loopback, missing nothing
(benchmarks/campaign_judge.py). One node-second passes in 1/scale s, the session's own times included.

Printed: faults × checks (P pass, F fail, U undecided, - unmeasurable, s skipped, . absent), `*` where the fault is made
to fail the check; the first divergence of each; the eight checks × four transports without a fault; and how often each
turn was taken. Exit 0 when every planted fault fails its check and no other check fails without a fault by AgentX.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import django

from benchmarks.taken_turns import taken_turns
from examples.pega.recorded import TURNS
from examples.pega.switches import NodeFault

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "pega"
CHECKS = (
    "knowledge_retention",
    "conversation_completeness",
    "role_adherence",
    "no_hallucination_per_turn",
    "tool_invocations_match_golden",
    "latency_regression",
    "case_lifecycle",
    "step_agents_detected",
)
PLANTED: dict[NodeFault, tuple[str, ...]] = {
    NodeFault.FORGETS_DATE: ("knowledge_retention",),
    NodeFault.WRONG_PRICE: ("no_hallucination_per_turn",),
    NodeFault.SKIPS_TOOL: ("tool_invocations_match_golden",),
    NodeFault.EXTRA_TOOL: (),
    NodeFault.SLOWER_3X: ("latency_regression",),
    NodeFault.REFUSES: (),
    NodeFault.HALLUCINATES: ("no_hallucination_per_turn",),
    NodeFault.CLOSES_EARLY: (),
}
"""What each fault is made to fail. An extra tool is told, and fails nothing; the last replays cannot be played to their
end: that is the agent's failure (exit 1), and nothing is left that could be measured whole."""
NOT_PLAYED_OUT = (NodeFault.REFUSES, NodeFault.CLOSES_EARLY)
WEATHER = (
    NodeFault.REWORDED,
    NodeFault.LATE_BY_ONE,
    NodeFault.LOCKED_ONCE,
    NodeFault.STORM_423,
    NodeFault.STORM_500,
    NodeFault.TOKEN_EXPIRES,
    NodeFault.DIES_MID_TURN,
    NodeFault.EXECUTION_ERROR,
)
"""What is no fault of the agent's answers."""
TRANSPORTS = ("agentx", "a2a", "auto", "http")
MARKS = {"pass": "P", "fail": "F", "undecided": "U", "unmeasurable": "-", "skipped": "s"}
GOLDEN = "campaign-session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What came of one replay. `taken` says how often each of the session's turns was taken by the agent."""

    name: str
    transport: str
    checks: Mapping[str, str]
    reasons: Mapping[str, str]
    divergence: str
    taken: str
    seconds: float
    code: int
    error: str = ""


@dataclass(slots=True, kw_only=True)
class Bench:
    """One tenant with the agent `campaign`, whose server is started anew for each row on the same port."""

    tenant: str
    port: int
    scale: float
    out: Path
    rows: list[Row] = field(default_factory=list)

    def command(self, *arguments: str) -> tuple[int, dict[str, Any], str]:
        """A command of the product: exit code, its JSON, what it said on stderr."""
        run = subprocess.run(
            [sys.executable, "manage.py", *arguments, "--tenant", self.tenant, "--json"],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
            timeout=900,
        )
        try:
            answer = json.loads(run.stdout or "{}")
        except ValueError:
            answer = {}
        return run.returncode, answer, run.stderr[-2000:]

    @contextmanager
    def server(self, *switches: str) -> Iterator[str]:
        """The campaign agent with these switches."""
        pace = ("--time-scale", f"{self.scale:g}", "--session-pace", f"{1 / self.scale:.6f}")
        argv = [sys.executable, "-m", "examples.pega", "--port", str(self.port), *pace, *switches]
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        try:
            line = process.stdout.readline() if process.stdout else ""
            if "ready" not in line:
                raise SystemExit(f"the campaign agent did not start: {line!r}")
            yield f"http://127.0.0.1:{self.port}"
        finally:
            process.terminate()
            process.wait(10)

    def capture(self) -> dict[str, Any]:
        """The finished session as an approved golden session."""
        files, config = EXAMPLE / "attachments", EXAMPLE / "project_config.campaign.json"
        named = [f"{number}:{files / name}" for number, (_, name) in enumerate(TURNS, 1) if name]
        with self.server():
            code, answer, said = self.command(
                "capture_session",
                "--agent",
                "campaign",
                "--conversation-id",
                "PXCONV-4081",
                "--name",
                GOLDEN,
                "--file-turn",
                *named,
                "--project-config",
                str(config),
                "--out",
                str(self.out / "golden"),
                "--approve",
            )
        if code:
            raise SystemExit(f"capture_session: exit {code}\n{said}")
        return answer

    def replay(self, name: str, *switches: str, transport: str = "agentx") -> Row:
        """One replay against a server with these switches, and what its report says."""
        folder, began = self.out / f"{name}-{transport}", time.monotonic()
        with self.server(*switches) as base:
            code, _, said = self.command(
                "replay",
                "--session",
                GOLDEN,
                "--agent",
                "campaign",
                "--transport",
                transport,
                "--wait",
                "--timeout",
                "600",
                "--report",
                str(folder),
            )
            taken = taken_turns(base)
        conversation = _conversation(folder / "report.json")
        checks = {one["check"]: one["outcome"] for one in conversation.get("checks", [])}
        reasons = {one["check"]: str(one.get("reason", "")) for one in conversation.get("checks", [])}
        first = conversation.get("first_divergence") or {}
        row = Row(
            name=name,
            transport=transport,
            checks=checks,
            reasons=reasons,
            divergence=f"turn {first['number']} {first['kind']}: {first['why']}"[:90] if first else "none",
            taken=taken,
            seconds=time.monotonic() - began,
            code=code,
            error="" if checks else said.strip().splitlines()[-1][:200] if said.strip() else "no report",
        )
        self.rows.append(row)
        print(line_of(row), flush=True)
        return row


def _conversation(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["conversations"]
    return found[0] if found else {}


def line_of(row: Row) -> str:
    """A row of the table."""
    planted = PLANTED.get(NodeFault(row.name), ()) if row.name in list(NodeFault) else ()
    cells = [f"{MARKS.get(row.checks.get(name, ''), '.')}{'*' if name in planted else ' '}" for name in CHECKS]
    return (
        f"{row.name:<18}{row.transport:<8}{'  '.join(cells)}  exit {row.code}  {row.seconds:4.0f} s  {row.taken:<8}  "
        f"{row.error or row.divergence}"
    )


def good(rows: Sequence[Row]) -> bool:
    """Whether every planted fault fails its check, and nothing fails where there is none."""
    for row in rows:
        if row.name == "none" and row.transport == "agentx" and set(row.checks.values()) != {"pass"}:
            return False
        if row.name in list(NodeFault):
            if any(row.checks.get(name) != "fail" for name in PLANTED.get(NodeFault(row.name), ())):
                return False
            if row.taken.startswith("twice") or (row.name in NOT_PLAYED_OUT and row.code != 1):
                return False
    return True


@contextmanager
def bench(scale: float, out: Path) -> Iterator[Bench]:
    """Services, a tenant with the agent and the scripted judge, and workers."""
    from apps.tenants.services import delete_tenant  # noqa: PLC0415 - after django.setup()
    from benchmarks import campaign_tenant, rig  # noqa: PLC0415
    from benchmarks.campaign_judge import CampaignJudge  # noqa: PLC0415

    with ExitStack() as at_end:
        state = at_end.enter_context(rig.services())
        judge = at_end.enter_context(CampaignJudge())
        port = free_port()
        slug = campaign_tenant.make(port=port, judge_url=judge.url)
        at_end.callback(delete_tenant, slug=slug)
        at_end.enter_context(rig.workers(state, count=1))
        yield Bench(tenant=slug, port=port, scale=scale, out=out)
        print(f"questions to the judge: {dict(judge.asked)}")


def free_port() -> int:
    """A port that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fault", action="append", type=NodeFault, help="only these (default all)")
    parser.add_argument("--transport", action="append", choices=TRANSPORTS, help="only these (default all four)")
    parser.add_argument("--scale", type=float, default=20.0, help="node-seconds in a real one (default 20)")
    parser.add_argument("--out", type=Path, help="keep golden and reports here")
    parser.add_argument("--quick", action="store_true", help="one fault, one transport: whether it works")
    options = parser.parse_args()
    faults = options.fault or ([NodeFault.WRONG_PRICE] if options.quick else [*PLANTED, *WEATHER])
    transports = options.transport or (["agentx"] if options.quick else TRANSPORTS)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
    django.setup(set_prefix=False)
    with TemporaryDirectory() as scratch, bench(options.scale, (options.out or Path(scratch)).resolve()) as found:
        play(found, faults, transports)
        print("\nexpected" if good(found.rows) else "\nnot as expected")
        return 0 if good(found.rows) else 1


def play(found: Bench, faults: Sequence[NodeFault], transports: Sequence[str]) -> None:
    """Capture once, then every row."""
    print("captured:", json.dumps(found.capture()))
    print(f"{'fault':<18}{'by':<8}{'  '.join(f'{name[:2]:<2}' for name in CHECKS)}")
    for transport in transports:
        found.replay("none", transport=transport)
    if len(faults) > 1:
        found.replay("past-dates-refused", "--variant", "refuses-past-dates")
    for fault in faults:
        found.replay(fault.value, "--fault", fault.value)


if __name__ == "__main__":
    raise SystemExit(main())
