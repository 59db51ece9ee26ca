"""What becomes of a replay when something is killed or breaks in the middle of it?

    python -m benchmarks.golden_kills [--case NAME …] [--transport agentx auto] [--scale 20]

The finished session of examples/pega is captured by the public command and replayed by `replay --wait --report` over a
real worker. After the fifth turn, by the agent's own store, one of them is killed with SIGKILL: the worker (its
supervisor starts another one; its lease is run out by hand, 60 s otherwise), the agent (started again on its port, its
store is empty then), the agent for good, or worker and agent. The other cases are switches of the agent: a token that
expires after six calls, 423 and 500 in storms.

Printed for each: how the conversation ended and in what words, `resumed` of its report, the turns each conversation
of the agent was told, whether any of them was told a turn twice or out of order. Exit 0 when none was, each replay
ended or failed with an error that names the agent's address, and every killed worker's replay ended, resumed or anew.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import django
import httpx

from benchmarks.golden_faults import GOLDEN, ROOT, Bench, free_port
from benchmarks.taken_turns import told_by_conversation
from ratiba_eval.supervisor import Supervisor

KILL_AFTER = 5
SWITCHES: Mapping[str, tuple[str, ...]] = {
    "worker": (),
    "agent": (),
    "agent-for-good": (),
    "worker+agent": (),
    "token-expires": ("--fault", "token-expires"),
    "storm-423": ("--fault", "storm-423"),
    "storm-500": ("--fault", "storm-500"),
}
KILLS_WORKER = ("worker", "worker+agent")


@dataclass(frozen=True, slots=True, kw_only=True)
class KillRow:
    """What came of one replay. `told` has what each conversation of the agent was told, before and after a restart."""

    case: str
    transport: str
    status: str
    blame: str
    error: str
    resumed: bool | None
    told: tuple[tuple[str, ...], ...]
    doubled: bool
    seconds: float

    def good(self) -> bool:
        """Whether no turn was told twice, and the end is one that the house names."""
        if self.doubled or (self.case in KILLS_WORKER and (self.status != "ended" or self.resumed is None)):
            return False
        return self.status == "ended" or bool(self.blame and "http://" in self.error)

    def line(self) -> str:
        """A row of the table."""
        told = "+".join(str(len(one)) for one in self.told) or "0"
        return (
            f"{self.case:<16}{self.transport:<8}{self.status:<8}{self.blame:<17}resumed {self.resumed!s:<6}"
            f"turns {told:<7}{'TWICE' if self.doubled else 'once':<6}{self.seconds:4.0f} s  {self.error[:150]}"
        )


@dataclass(slots=True, kw_only=True)
class KillBench(Bench):
    """A bench whose agent can be killed, and whose worker is `supervisor`'s."""

    supervisor: Supervisor
    agent: subprocess.Popen[str] | None = None
    found: list[KillRow] = field(default_factory=list)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start_agent(self, *switches: str) -> None:
        """The campaign agent: five node-seconds a reply, so that a kill comes in the middle of one."""
        pace = ("--time-scale", f"{self.scale:g}", "--session-pace", f"{1 / self.scale:.6f}", "--delay-s", "10-10")
        argv = [sys.executable, "-m", "examples.pega", "--port", str(self.port), *pace, *switches]
        self.agent = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        if "ready" not in (self.agent.stdout.readline() if self.agent.stdout else ""):
            raise SystemExit("the campaign agent did not start")

    def kill_agent(self) -> None:
        """With SIGKILL."""
        if self.agent:
            self.agent.send_signal(signal.SIGKILL)
            self.agent.wait(10)
            self.agent = None

    def told(self) -> tuple[tuple[str, ...], ...]:
        """What each conversation was told, without nudges; nothing where the agent does not answer."""
        try:
            return told_by_conversation(self.base)
        except httpx.TransportError:
            return ()

    def play(self, case: str, transport: str) -> KillRow:
        """One replay with its kill."""
        folder, began = self.out / f"{case}-{transport}", time.monotonic()
        self.start_agent(*SWITCHES[case])
        argv = [
            sys.executable, "manage.py", "replay", "--session", GOLDEN, "--agent", "campaign", "--transport", transport,
            "--wait", "--timeout", "300", "--report", str(folder), "--tenant", self.tenant, "--json",
        ]  # fmt: skip
        try:
            run = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            lost = self.broken(case) if not SWITCHES[case] else ()
            _, said = run.communicate(timeout=400)
            told = (*lost, *self.told())
        finally:
            self.kill_agent()
        path = folder / "report.json"
        one = json.loads(path.read_text(encoding="utf-8"))["conversations"][0] if path.exists() else {}
        script = self.script()
        row = KillRow(
            case=case, transport=transport, status=one.get("status", "no report"), blame=one.get("blame") or "",
            error=" ".join(str(one.get("error") or ("" if one else said[-150:])).split()), resumed=one.get("resumed"),
            told=told, doubled=any(list(words) != script[: len(words)] for words in told),
            seconds=time.monotonic() - began,
        )  # fmt: skip
        self.found.append(row)
        print(row.line(), flush=True)
        return row

    def broken(self, case: str) -> tuple[tuple[str, ...], ...]:
        """Kill what the case says, after KILL_AFTER turns; what the agent had been told if it forgets it."""
        from benchmarks.rig import until  # noqa: PLC0415 - after django.setup()

        until(lambda: any(len(one) >= KILL_AFTER for one in self.told()), timeout_s=120)
        lost: tuple[tuple[str, ...], ...] = ()
        if case in KILLS_WORKER:
            self.supervisor.kill("worker-1")
        if case != "worker":
            lost = self.told()
            self.kill_agent()
        if case in ("agent", "worker+agent"):
            self.start_agent()
        if case in KILLS_WORKER:
            self.run_out_lease()
        return lost

    def run_out_lease(self) -> None:
        """As if its minute were over."""
        from django.utils import timezone  # noqa: PLC0415 - after django.setup()

        from apps.runs.models import Conversation  # noqa: PLC0415
        from apps.tenants.context import in_tenant  # noqa: PLC0415

        with in_tenant(self.tenant):
            Conversation.objects.filter(status="running").update(lease_expires_at=timezone.now())

    def script(self) -> list[str]:
        """The customer's turns of the newest replay, as its plan has them."""
        from apps.runs.goldens.domain.replay_script import script_of  # noqa: PLC0415 - after django.setup()
        from apps.runs.models import Conversation  # noqa: PLC0415
        from apps.tenants.context import in_tenant  # noqa: PLC0415

        with in_tenant(self.tenant):
            spec = Conversation.objects.order_by("-run__created_at").values_list("spec", flat=True)[0]
        return [" ".join(line.text.split()) for line in script_of(spec["golden"]["document"])]


@contextmanager
def bench(scale: float, out: Path) -> Iterator[KillBench]:
    """Services, a tenant with the agent and a scripted judge, and one worker."""
    from apps.tenants.services import delete_tenant  # noqa: PLC0415 - after django.setup()
    from benchmarks import campaign_tenant, rig  # noqa: PLC0415
    from benchmarks.campaign_judge import CampaignJudge  # noqa: PLC0415

    with ExitStack() as at_end:
        state = at_end.enter_context(rig.services())
        judge = at_end.enter_context(CampaignJudge())
        port = free_port()
        slug = campaign_tenant.make(port=port, judge_url=judge.url)
        at_end.callback(delete_tenant, slug=slug)
        supervisor = at_end.enter_context(rig.workers(state, count=1))
        yield KillBench(tenant=slug, port=port, scale=scale, out=out, supervisor=supervisor)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", nargs="+", choices=list(SWITCHES), default=list(SWITCHES), help="only these")
    parser.add_argument("--transport", nargs="+", choices=("agentx", "auto"), default=["agentx", "auto"])
    parser.add_argument("--scale", type=float, default=20.0, help="node-seconds in a real one (default 20)")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
    django.setup(set_prefix=False)
    with TemporaryDirectory() as scratch, bench(options.scale, Path(scratch).resolve()) as found:
        found.capture()
        for case in options.case:
            for transport in options.transport:
                found.play(case, transport)
        good = all(row.good() for row in found.found)
        print("\nexpected" if good else "\nnot as expected")
        return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
