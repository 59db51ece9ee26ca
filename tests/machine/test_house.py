"""A machine holds the contracts of the house: a violation of each, planted in a copy of the tree, is caught."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ratiba_eval.stack.places import CHECKOUT

PLANTED = {
    1: ("apps/runs/services/planted.py", "from apps.evaluations import models\n", "apps.runs -> apps.evaluations"),
    2: (
        "apps/tenants/domain/planted.py",
        "from apps.tenants import services\n",
        "apps.tenants.domain -> apps.tenants.services",
    ),
    3: (
        "apps/evaluations/domain/planted.py",
        "from django.utils import timezone\n",
        "apps.evaluations.domain -> django",
    ),
    4: ("apps/connectors/planted.py", "import django.conf\n", "apps.connectors -> django"),
    5: ("apps/api/planted.py", "def send():\n    import httpx\n\n    return httpx\n", "apps.api -> httpx"),
    6: (
        "apps/production/rollouts/domain/planted.py",
        "from apps.production.rollouts import services\n",
        "apps.production.rollouts.domain -> apps.production.rollouts.services",
    ),
    7: (
        "apps/production/privacy/planted.py",
        "from apps.production import sampling\n",
        "apps.production.privacy -> apps.production.sampling",
    ),
    8: (
        "apps/improvement/holdout/planted.py",
        "from apps.improvement import drafts\n",
        "apps.improvement.holdout -> apps.improvement.drafts",
    ),
    9: ("apps/runs/agents/planted.py", "from apps.runs import playing\n", "apps.runs.agents -> apps.runs.playing"),
    10: (
        "apps/dashboard/results/queries/planted.py",
        "from apps.dashboard.results import views\n",
        "apps.dashboard.results.queries -> apps.dashboard.results.views",
    ),
    11: (
        "apps/dashboard/parts/planted.py",
        "from apps.dashboard import results\n",
        "apps.dashboard.parts -> apps.dashboard.results",
    ),
    12: (
        "apps/catalog/connections/planted.py",
        "from apps.catalog import scenarios\n",
        "apps.catalog.connections -> apps.catalog.scenarios",
    ),
    13: (
        "apps/connectors/tracing/otlp/planted.py",
        "from apps.connectors.tracing import langfuse\n",
        "apps.connectors.tracing.otlp -> apps.connectors.tracing.langfuse",
    ),
    14: (
        "apps/evaluations/figures/planted.py",
        "from apps.evaluations import judging\n",
        "apps.evaluations.figures -> apps.evaluations.judging",
    ),
    15: (
        "apps/reports/tables/planted.py",
        "from apps.reports import comparisons\n",
        "apps.reports.tables -> apps.reports.comparisons",
    ),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree without what it has written."""
    target = tmp_path_factory.mktemp("house")
    for name in ("apps", "ratiba_eval"):
        shutil.copytree(CHECKOUT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CHECKOUT / "pyproject.toml", target)
    return target


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).parent / "lint-imports"
    env = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, program, "--no-cache"], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


def broken(told: str) -> set[int]:
    """Numbers of the contracts that are not kept."""
    return {int(number) for number in re.findall(r"^(\d+)\. .* BROKEN", told, re.M)}


def test_the_house_keeps_its_contracts(copy: Path) -> None:
    told = lint_imports(copy)
    assert told.returncode == 0, told.stdout
    assert f"Contracts: {len(PLANTED)} kept, 0 broken." in told.stdout


@pytest.mark.parametrize("number", PLANTED)
def test_a_planted_violation_is_caught_by_its_contract(copy: Path, number: int) -> None:
    path, text, names = PLANTED[number]
    planted = copy / path
    planted.parent.mkdir(parents=True, exist_ok=True)
    planted.write_text(text)
    try:
        told = lint_imports(copy)
    finally:
        planted.unlink()
    assert told.returncode == 1
    assert number in broken(told.stdout)
    importer, imported = names.split(" -> ")
    assert re.search(rf"{re.escape(importer)}[\w.]*planted -> {re.escape(imported)}", told.stdout), told.stdout


@pytest.mark.parametrize("sdk", ["httpx", "deepeval", "langfuse", "a2a"])
def test_metrics_may_import_outside_sdks(copy: Path, sdk: str) -> None:
    folder = copy / "apps/checks/metrics"
    made = not folder.exists()
    folder.mkdir(exist_ok=True)
    (folder / "__init__.py").touch()
    planted = folder / "planted.py"
    planted.write_text(f"import {sdk}\n")
    try:
        assert 5 not in broken(lint_imports(copy).stdout)
    finally:
        planted.unlink()
        if made:
            shutil.rmtree(folder)
