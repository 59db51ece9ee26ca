"""A battle through a real worker brings the results of what its scenario asserts, without anybody asking for them."""

from dataclasses import replace

from apps.catalog.models import Scenario
from apps.checks.models import CheckResult
from apps.runs.models import TestRun
from apps.tenants.context import in_tenant
from ratiba_eval import programs
from tests.journey.conftest import Machine, until
from tests.runs.stage import make_agent, make_scenarios

ASSERTED = [
    {"metric": "GlossarySourceMetric", "threshold": 0.8},
    {"metric": "RoleAdherenceMetric", "threshold": 0.5},
]


def test_a_scenarios_assertions_are_results_when_a_real_worker_has_played_it(machine: Machine, fresh_tenant: str):
    with in_tenant(fresh_tenant):
        make_agent("As far as I know, it depends. It could mean several things.", {"text": "Goodbye!", "ended": True})
        make_scenarios(1)
        Scenario.objects.update(assertions=ASSERTED)
    program = programs.worker("all", concurrency=2)
    machine.supervisor.start(replace(program, env={**program.env, **machine.env}), restart=False)
    asked = machine.command("start_run", "--tenant", fresh_tenant, "--agent", "bot", "--scenario", "s0", "--json")
    assert asked.returncode == 0, asked.stderr

    def results() -> dict[str, str]:
        with in_tenant(fresh_tenant):
            return dict(CheckResult.objects.values_list("check_name", "outcome"))

    until(lambda: len(results()) == len(ASSERTED), timeout_s=90, what="the end of the run's checks")
    assert results() == {"GlossarySourceMetric": "fail", "RoleAdherenceMetric": "unmeasurable"}
    with in_tenant(fresh_tenant):
        assert TestRun.objects.get().status == "completed"
        assert "no model is configured" in CheckResult.objects.get(outcome="unmeasurable").reason
