"""The alert rules and the dashboard name metrics that there are, and each rule fires where it should."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from ratiba_eval.metrics import exposition
from tests.docs.fences import ROOT
from tests.evaluations.bench import NOW

PROMETHEUS, DASHBOARD = ROOT / "deploy/prometheus", ROOT / "deploy/grafana/ratiba.json"
RULES = yaml.safe_load((PROMETHEUS / "rules.yaml").read_text(encoding="utf-8"))["groups"][0]["rules"]
PANELS = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
EXPRESSIONS = {
    **{rule["alert"]: rule["expr"] for rule in RULES},
    **{f"{panel['title']} {target['refId']}": target["expr"] for panel in PANELS for target in panel["targets"]},
}
LABELS = {
    "ratiba_tenants": {"state"}, "ratiba_tenants_behind": set(), "ratiba_tenants_ahead": set(),
    "ratiba_tenant_readable": {"tenant"},
    "ratiba_tick_last_success_timestamp_seconds": {"tick"}, "ratiba_tick_interval_seconds": {"tick"},
    "ratiba_work_oldest_seconds": {"tenant", "work"}, "ratiba_work_waiting": {"tenant", "work"},
    "ratiba_queue_messages": {"queue"}, "ratiba_judgements": {"tenant", "state"},
    "ratiba_model_calls_last_hour": {"tenant", "purpose", "outcome"},
    "ratiba_model_call_seconds_last_hour": {"tenant", "purpose", "outcome"},
    "ratiba_model_call_cost_usd_last_hour": {"tenant", "purpose", "outcome"},
    "ratiba_callbacks_pending": {"tenant"}, "ratiba_callbacks_given_up": {"tenant"},
    "ratiba_http_request_seconds": {"route", "status"},
}  # fmt: skip


def metrics_in(expression: str) -> Iterator[tuple[str, set[str]]]:
    """(metric without the histogram's suffix, labels it is asked by) of each selector."""
    for name, matchers in re.findall(r"(ratiba_\w+)(?:\{([^}]*)\})?", expression):
        yield re.sub(r"_(bucket|count|sum)$", "", name), set(re.findall(r"(\w+)\s*(?:=~|!=|=)", matchers))


def test_the_product_says_these_metrics_with_these_labels_and_no_others(db):
    families = {family.name: family for family in text_string_to_metric_families(exposition(now=NOW).decode())}
    assert set(families) == set(LABELS)
    for name, family in families.items():
        for sample in family.samples:
            assert set(sample.labels) - {"le"} == LABELS[name], name


@pytest.mark.parametrize("where", EXPRESSIONS)
def test_rules_and_panels_ask_for_metrics_and_labels_that_there_are(where):
    selectors = list(metrics_in(EXPRESSIONS[where]))
    assert selectors
    known = {label for name, _ in selectors for label in LABELS[name]}
    for name, labels in selectors:
        assert labels <= LABELS[name], name
    for labels in re.findall(r"\b(?:by|on) \(([^)]*)\)", EXPRESSIONS[where]):
        assert set(re.findall(r"\w+", labels)) <= known | {"le"}


def test_each_metric_of_the_documents_is_watched_by_a_rule_or_shown():
    table = (ROOT / "docs/operate.md").read_text(encoding="utf-8").partition("## Metrics")[2]
    documented = {name for row in re.findall(r"^\| (`ratiba_.*?) \|", table, re.MULTILINE)
                  for name in re.findall(r"ratiba_\w+", row)}  # fmt: skip
    assert documented == set(LABELS)
    used = {name for expression in EXPRESSIONS.values() for name, _ in metrics_in(expression)}
    assert used == set(LABELS)


def test_rules_say_what_to_do_and_are_tried_one_by_one():
    tried = yaml.safe_load((PROMETHEUS / "rules_test.yaml").read_text(encoding="utf-8"))["tests"]
    fired = {case["alertname"] for one in tried for case in one["alert_rule_test"] if case.get("exp_alerts")}
    silent = {case["alertname"] for one in tried for case in one["alert_rule_test"] if not case.get("exp_alerts")}
    names = {rule["alert"] for rule in RULES}
    assert len(names) == len(RULES)
    assert fired == silent == names
    for rule in RULES:
        assert rule["for"]
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["what_to_do"].endswith(".")


def test_prometheus_own_tool_takes_the_rules_and_sees_each_fire():
    tool = shutil.which("promtool")
    if tool is None:
        pytest.skip("promtool is not installed (Debian: apt-get install prometheus)")
    for arguments in (["check", "rules", "rules.yaml"], ["test", "rules", "rules_test.yaml"]):
        done = subprocess.run([tool, *arguments], cwd=PROMETHEUS, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
