"""Which check notices which deviation of an agent? Golden sessions of real conversations, replayed with one each.

    python -m benchmarks.golden_behaviours [--data ../shared/data] [--goldens 60] [--repaired 12] [--no-model] [--json]

STAR and SGD conversations are captured and approved, masked as always, in a tenant that is dropped afterwards. An agent
on loopback (benchmarks/behaving_agent.py) repeats each one exactly, in other words, with a changed argument, and so on;
real replays, real checks, waiting that is not waited for. Without a model, then with one on loopback in OpenAI's wire
format that knows the synonyms; the three checks that need no model are counted.

Printed: behaviour × (played, how it ended, gates, checks), false passes (a deviation that passes), false failures (a
good agent that fails), what stays undecided; and how often a curator presses until reworded goldens pass.
"""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import django

if TYPE_CHECKING:
    from uuid import UUID

    from benchmarks.behaving_agent import BehavingAgent, Behaviour

DATA = Path(__file__).parents[1].parent / "shared" / "data"
FILES = ("service_dialogues/star.jsonl", "service_dialogues/sgd_services.jsonl")
CHECKS = ("tool_invocations_match_golden", "figures_match_golden", "latency_regression")
AGENT_TIMEOUT_S = 1.0
NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
MOST_ROUNDS, MIN_TURNS = 30, 8


@dataclass(slots=True)
class Row:
    """What came of one behaviour. `good` are passes, `bad` failures, `open` what nobody can tell."""

    behaviour: str
    good_agent: bool
    played: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    gates: Counter[str] = field(default_factory=Counter)
    checks: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in CHECKS})

    @property
    def false_passes(self) -> int:
        return 0 if self.good_agent else self.verdicts["pass"]

    @property
    def false_failures(self) -> int:
        return self.verdicts["fail"] if self.good_agent else 0

    def line(self) -> str:
        told = "  ".join(_counted(self.checks[name]) for name in CHECKS)
        return (
            f"{self.behaviour:<17}{self.played:>3}  {_counted(self.verdicts):<26}{_counted(self.ends):<34}"
            f"{_counted(self.gates):<44}{told}   false pass {self.false_passes}, false failure {self.false_failures}"
        )


def _counted(counts: Counter[str]) -> str:
    return " ".join(f"{name}:{number}" for name, number in sorted(counts.items())) or "-"


@dataclass(frozen=True, slots=True)
class Bench:
    """A tenant with its agent, and the goldens in it."""

    address: str
    agent: "BehavingAgent"
    goldens: Sequence[str]

    def new_agent(self) -> str:
        """An agent of its own for a run: the pace and the health of another one say nothing about it."""
        from apps.catalog.models import Agent  # noqa: PLC0415 - after django.setup()
        from apps.catalog.services.connections import save_agent  # noqa: PLC0415

        name = f"behaving-{Agent.objects.count()}"
        body = {"message": "{{ text }}", "id": "{{ message_id }}"}
        options = {"body": body, "reply": "$.reply", "tool_calls": "$.calls"}
        save_agent(name=name, kind="http", address=self.address, options=options, timeout_s=AGENT_TIMEOUT_S)
        return name

    def run(self, behaviour: "Behaviour", goldens: Sequence[str]) -> "UUID | None":
        """Plan a replay of the goldens that have a place for the behaviour, and play it. None where none has."""
        from apps.runs.goldens.domain.replay_script import script_of  # noqa: PLC0415 - after django.setup()
        from apps.runs.models import Conversation  # noqa: PLC0415
        from apps.runs.playing.services.control import finish_runs  # noqa: PLC0415
        from apps.runs.playing.services.starting import start_replays  # noqa: PLC0415
        from benchmarks.behaving_agent import script_for  # noqa: PLC0415

        run = start_replays(agent=self.new_agent(), golden_sessions=list(goldens), stagger_s=(0, 0), now=NOW)
        for row in Conversation.objects.filter(run_id=run):
            lines = script_of(row.spec["golden"]["document"])
            places = [at for at, line in enumerate(lines[:-1]) if line.pattern and not line.soft] or [0]
            script = script_for(behaviour, lines, at=places[len(places) // 2])
            if script is None:
                row.delete()
            else:
                self.agent.scripts[str(row.pk)] = script
        if not Conversation.objects.filter(run_id=run).exists():
            return None
        play()
        finish_runs(now=NOW)
        return run

    def row(self, behaviour: "Behaviour") -> Row:
        from apps.checks.services.enqueue_checks import enqueue_checks  # noqa: PLC0415 - after django.setup()
        from apps.checks.services.run_checks import measure_due_checks  # noqa: PLC0415
        from apps.runs.models import Conversation  # noqa: PLC0415
        from benchmarks.behaving_agent import GOOD, Behaviour  # noqa: PLC0415

        found = Row(behaviour.value, behaviour in GOOD)
        alone = behaviour in (Behaviour.HANG, Behaviour.ERROR_500)  # several at once would be an agent that is down
        for some in ([one] for one in self.goldens) if alone else [self.goldens]:
            run = self.run(behaviour, some)
            enqueue_checks(now=NOW)
            measure_due_checks(now=lambda: NOW, until=NOW + timedelta(hours=1))
            for conversation in Conversation.objects.filter(run_id=run) if run else ():
                _count(found, conversation)
        return found

    def presses(self, count: int) -> dict[str, int]:
        """How often "open the gate for it too" is pressed until `count` reworded goldens pass: once for a run, or once
        for each replay; and how many replays that needs."""
        from apps.runs.goldens.services.accepted_wordings import accept_wordings_of_run  # noqa: PLC0415
        from apps.runs.models import Conversation  # noqa: PLC0415 - after django.setup()
        from benchmarks.behaving_agent import Behaviour  # noqa: PLC0415

        left, told = list(self.goldens[:count]), {"goldens": count, "for a run": 0, "one by one": 0, "replays": 0}
        for _ in range(MOST_ROUNDS):
            run = self.run(Behaviour.REWORDED, left)
            told["replays"] += len(left)
            stuck = Conversation.objects.filter(run_id=run, error_code="desync")
            left = [str(one.spec["golden_session"]) for one in stuck.filter(blame__isnull=True)]
            if not left:
                break
            told["for a run"] += 1
            told["one by one"] += len(left)
            accept_wordings_of_run(run_id=run, by="curator", now=NOW)  # type: ignore[arg-type]
        return told | {"still stuck": len(left)}


def _count(found: Row, conversation: Any) -> None:
    from apps.checks.models import CheckResult  # noqa: PLC0415 - after django.setup()
    from apps.runs.goldens.domain.stuck_gates import is_stuck  # noqa: PLC0415
    from apps.statistics.decision import Decision, decide_run  # noqa: PLC0415

    outcomes = dict(
        CheckResult.objects.filter(conversation=conversation, check_name__in=CHECKS).values_list(
            "check_name", "outcome"
        )
    )
    status, blame, code = conversation.status, conversation.blame, conversation.error_code
    by_agent = status != "ended" and blame == "agent_quality"
    stuck = is_stuck(status=status, code=code, blame=blame)
    verdict = decide_run((Decision(one) for one in outcomes.values()), agent_failed=by_agent, undecided=stuck)
    found.played += 1
    found.verdicts[verdict.value] += 1
    found.ends[f"{code}/{blame}" if code else status] += 1
    lines = ((conversation.extra or {}).get("replay") or {}).get("lines") or {}
    found.gates.update("shut" if one.get("shut") else one["gate"] for one in lines.values() if one.get("gate"))
    for name, outcome in outcomes.items():
        found.checks[name][outcome] += 1


def play() -> None:
    """All that is owed, with waiting that is not waited for."""
    import asyncio  # noqa: PLC0415

    from django.conf import settings  # noqa: PLC0415 - after django.setup()

    from apps.connectors.outbound import OutboundPolicy, outbound_client  # noqa: PLC0415
    from apps.jobs.worker_loop import LoopLimits, run_worker_loop  # noqa: PLC0415
    from apps.runs.playing.services.player_loop import PlayingWork  # noqa: PLC0415

    async def sleep(seconds: float) -> None:
        await asyncio.sleep(0)

    policy = OutboundPolicy(private_hosts=tuple(settings.PRIVATE_HOSTS), purpose="agent")
    run_worker_loop(
        work=PlayingWork(now=lambda: NOW, sleep=sleep),
        limits=LoopLimits(concurrency=4, claim_ahead=1, linger_for=timedelta(0)),
        client=lambda: outbound_client(policy),
        now=lambda: NOW,
    )


@contextmanager
def bench(data: Path, count: int, *, with_model: bool) -> Iterator[tuple[Bench, Any]]:
    """A tenant with the agent, the goldens and, where wanted, the model; and that model."""
    from apps.catalog.services.connections import save_model_provider  # noqa: PLC0415 - after setup
    from apps.tenants.context import in_tenant  # noqa: PLC0415
    from apps.tenants.models import Tenant  # noqa: PLC0415
    from apps.tenants.services import add_ephemeral_tenant, delete_tenant  # noqa: PLC0415
    from benchmarks.behaving_agent import BehavingAgent, SynonymModel  # noqa: PLC0415

    with ExitStack() as at_end:
        agent, model = BehavingAgent(), SynonymModel()
        agent_at, model_at = (at_end.enter_context(one.serving()) for one in (agent, model))
        slug = add_ephemeral_tenant(label="behaviours").slug
        at_end.callback(delete_tenant, slug=slug)
        chosen = {"models": {"judge": {"provider": "synonyms", "model": "synonyms"}}} if with_model else {}
        Tenant.objects.filter(slug=slug).update(settings=chosen)
        at_end.enter_context(in_tenant(slug))
        prices = {"prices": {"*": {"input": 1, "output": 2}}}
        save_model_provider(name="synonyms", kind="openai", base_url=f"{model_at.url}/v1", api_key="k", options=prices)
        found = Bench(agent_at.url, agent, [])
        yield replace(found, goldens=captured_goldens(found.new_agent(), data, count)), model


def captured_goldens(agent: str, data: Path, count: int) -> list[str]:
    """Golden sessions of that many conversations, half of each file, captured and approved; by name."""
    from apps.core.errors import BadInput  # noqa: PLC0415 - after django.setup()
    from apps.runs.goldens.services.approval import approve_golden  # noqa: PLC0415
    from apps.runs.goldens.services.capture.capturing import capture_session  # noqa: PLC0415

    names: list[str] = []
    with TemporaryDirectory() as folder:
        for number, name in enumerate(FILES):
            for line in (data / name).read_text(encoding="utf-8").splitlines():
                if len(names) >= count * (number + 1) // len(FILES):
                    break
                file = Path(folder) / "conversation.json"
                file.write_text(line, encoding="utf-8")
                called = f"g{len(names):03d}"
                try:
                    made = capture_session(agent=agent, now=NOW, file=file, name=called)
                    approve_golden(version_id=made.version_id, by="curator", now=NOW)
                except BadInput:
                    continue  # a reply without words, an upload without its file: a person would have to look
                if len(made.document["turns"]) >= MIN_TURNS and _is_playable(called):
                    names.append(called)
    return names


def _is_playable(name: str) -> bool:
    """Whether the shipped person has all that its variables need."""
    from apps.catalog.queries.goldens import current_goldens  # noqa: PLC0415 - after django.setup()
    from apps.runs.goldens.domain.variables import needed_of_an_identity  # noqa: PLC0415

    return not needed_of_an_identity(current_goldens([name])[name].document)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--goldens", type=int, default=60)
    parser.add_argument("--repaired", type=int, default=12)
    parser.add_argument("--only", nargs="+", default=[], metavar="BEHAVIOUR", help="these behaviours, and no repair")
    parser.add_argument("--no-model", action="store_true", help="the part without a model alone")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
    django.setup(set_prefix=False)
    from django.core.management import call_command  # noqa: PLC0415 - after django.setup()
    from django.db import connection  # noqa: PLC0415

    from benchmarks.behaving_agent import Behaviour  # noqa: PLC0415
    from ratiba_eval import local_stack  # noqa: PLC0415

    local_stack.ensure()
    call_command("migrate_schemas", shared=True, verbosity=0, interactive=False)
    connection.set_schema_to_public()
    told: dict[str, Any] = {}
    for with_model in (False,) if options.no_model else (False, True):
        with bench(options.data, options.goldens, with_model=with_model) as (found, model):
            title = f"{'with' if with_model else 'without'} a model, {len(found.goldens)} goldens"
            print(f"\n{title}", file=sys.stderr, flush=True)
            rows = []
            for behaviour in map(Behaviour, options.only or Behaviour):
                rows.append(found.row(behaviour))
                print(rows[-1].line(), file=sys.stderr, flush=True)
            presses = {} if options.only else found.presses(options.repaired)
            print(f"presses until reworded goldens pass: {presses}; questions: {model.asked}", file=sys.stderr)
            told[title] = {
                "false_passes": sum(row.false_passes for row in rows),
                "false_failures": sum(row.false_failures for row in rows),
                "undecided": sum(row.verdicts["undecided"] for row in rows if row.good_agent),
                "played": sum(row.played for row in rows),
                "presses": presses,
                "questions": model.asked,
            }
    print(json.dumps(told, indent=2))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
