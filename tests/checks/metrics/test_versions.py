"""A metric's version stands for its wording: change a text, raise the version, record it (docs/metrics.md).

python -m tests.checks.metrics.test_versions     # writes recorded_versions.json after you raised a version
"""

import importlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from apps.checks.metrics.deepeval_environment import PINNED
from apps.checks.metrics.registry import FLUENCY, METRICS
from apps.runs.goldens.domain.checks import GOLDEN_CHECKS

RECORDED = Path(__file__).parents[3] / "apps" / "checks" / "metrics" / "recorded_versions.json"


ASKING = ("deepeval_environment", "judge_model", "rubric_judging", "verdict_metrics")  # what loads DeepEval


def asks_a_judge(metric) -> bool:
    """A metric that is a rule imports none of these: DeepEval's version is no part of what it says."""
    source = Path(importlib.import_module(f"apps.checks.metrics.{metric.module}").__file__).read_text()
    return any(f"apps.checks.metrics.{name} import" in source for name in ASKING)


def problem(metric, recorded) -> str | None:
    known = recorded.get(metric.module, {})
    if metric.version not in known:
        return f"{metric.id} is not recorded yet: python -m tests.checks.metrics.test_versions"
    if known[metric.version] != metric.digest:
        return f"the wording of {metric.module} changed and its __version__ {metric.version} did not: raise it"
    return None


@pytest.mark.parametrize("name", list(METRICS))
def test_a_wording_belongs_to_its_version(name):
    assert problem(METRICS[name], json.loads(RECORDED.read_text())) is None


def test_a_changed_wording_under_the_same_version_is_found():
    metric = METRICS["SwahiliFluencyMetric"]
    changed = replace(metric, wording=(*metric.wording[:-1], metric.wording[-1] + " "))
    recorded = json.loads(RECORDED.read_text())
    assert "raise it" in problem(changed, recorded)
    assert "not recorded" in problem(replace(changed, version="1.0.1"), recorded)


@pytest.mark.parametrize("name", list(METRICS))
def test_every_module_exports_its_version_and_is_found_by_the_seeds_name(name):
    metric = METRICS[name]
    module = importlib.import_module(f"apps.checks.metrics.{metric.module}")
    assert module.__version__ == metric.version
    assert name in GOLDEN_CHECKS or name == "".join(part.title() for part in metric.module.split("_")) + "Metric"
    assert metric.id == f"{metric.module}:{module.__version__}"


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if asks_a_judge(metric)])
def test_deepevals_version_is_part_of_every_wording(name):
    assert f"deepeval {PINNED}" in METRICS[name].wording


def test_rules_and_judged_metrics_are_told_apart():
    judged = {metric.module for metric in METRICS.values() if asks_a_judge(metric)}
    assert {"swahili_fluency", "booking_slot_consistency", "knowledge_retention"} <= judged
    assert not judged & {"tool_invocations", "latency_regression", "case_lifecycle", "step_agents"}
    assert not judged & {"scenario_tools", "scenario_end_state"}


def test_the_pins_name_the_version_that_was_checked():
    requirements = Path(__file__).parents[3] / "requirements"
    assert f"deepeval=={PINNED}" in (requirements / "base.in").read_text()
    assert f"\ndeepeval=={PINNED} " in (requirements / "base.txt").read_text(), "in the wheel, and after `make demo`"


def test_there_is_one_fluency_metric_a_language():
    assert sorted(FLUENCY) == ["en", "it", "sw"]


def record() -> None:
    found = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    for metric in METRICS.values():
        if problem(metric, found) and metric.version in found.get(metric.module, {}):
            raise SystemExit(problem(metric, found))
        found.setdefault(metric.module, {})[metric.version] = metric.digest
    RECORDED.write_text(json.dumps(found, indent=2, sort_keys=True) + "\n")


if __name__ == "__main__":
    record()
