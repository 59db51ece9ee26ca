"""Every pytest on the machine loads this module, which adds the options and wakes up the plugin.

The rest of the plugin is imported when a session has to do with Ratiba: where a configuration, an option or a RATIBA_
variable is found at the start, or a test module, a conftest or a YAML file that speaks of Ratiba is collected. A
project that does not use Ratiba pays for this module alone.
"""

import os
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pytest_ratiba.options import add_options, any_option

MODULES = (
    "pytest_ratiba.plugin",
    *(
        f"pytest_ratiba.{room}.fixtures"
        for room in ("recording", "snapshots", "metric_cache", "deepeval", "environment", "fsm")
    ),
)
CONFIGURATIONS = ("ratiba.yaml", "pyproject.toml")
_REPORTS = (
    "ratiba_recording",
    "ratiba_snapshots",
    "ratiba_metric_cache",
    "ratiba_environment",
)  # what workers' reports bring (xdist)
_SPEAKS = re.compile(
    rb"ratiba|\blayer[1-5]\b|llm_recording|conversation_snapshot|cached_metric|played_case|judge_test_cases"
    rb"|tenant_scoped_eval_environment|\beval_(?:tenant|saver|environments?|environment_hooks|database_url)\b|golden_check"
)
_SCENARIO_FOLDER = "/tests/eval/conversations/"
_DONE = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    config.stash[_DONE] = False
    known = config.pluginmanager.get_plugins()
    if _named(config) or any(map(_configured, _folders(config))) or any(map(_speaking_conftest, known)):
        activate(config)


def activate(config: pytest.Config) -> None:
    """Import and register the rest, once. Costs some 0.2 s of processor time."""
    if config.stash[_DONE]:
        return
    config.stash[_DONE] = True
    for name in MODULES:
        if not config.pluginmanager.has_plugin(name):
            config.pluginmanager.register(import_module(name), name)


def pytest_plugin_registered(plugin: object, manager: pytest.PytestPluginManager) -> None:
    """A conftest below the root, which is met while tests are collected."""
    config: Any = manager.get_plugin("pytestconfig")
    if config is not None and config.stash.get(_DONE, None) is False and _speaking_conftest(plugin):
        activate(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A file that wakes the plugin up is asked of it here: pytest asks only whom it knew before."""
    config = parent.config
    if config.stash[_DONE] or not _wakes(file_path):
        return None
    activate(config)
    hooks = [getattr(config.pluginmanager.get_plugin(name), "pytest_collect_file", None) for name in MODULES]
    collected = (hook(file_path=file_path, parent=parent) for hook in hooks if hook is not None)
    return next((one for one in collected if one is not None), None)


@pytest.hookimpl(tryfirst=True)
def pytest_report_from_serializable(config: pytest.Config, data: dict[str, Any]) -> None:
    """With xdist the controller collects nothing; what its workers report tells it."""
    if any(data.get(name) for name in _REPORTS):
        activate(config)


def _named(config: pytest.Config) -> bool:
    return any_option(config) or any(name.startswith("RATIBA_") for name in os.environ)


def _folders(config: pytest.Config) -> Iterator[Path]:
    yield from _upwards(Path(config.rootpath))
    for word in config.args:
        path = Path(config.invocation_params.dir) / word.partition("::")[0]
        yield from _upwards(path if path.is_dir() else path.parent)


def _upwards(folder: Path) -> Iterator[Path]:
    for one in (folder, *folder.parents):
        yield one
        if (one / ".git").exists():
            return


def _configured(folder: Path) -> bool:
    if (folder / CONFIGURATIONS[0]).is_file():
        return True
    settings = folder / CONFIGURATIONS[1]
    return settings.is_file() and b"ratiba" in settings.read_bytes()


def _speaking_conftest(plugin: object) -> bool:
    path = getattr(plugin, "__file__", None)
    return bool(path) and Path(str(path)).name == "conftest.py" and _speaks(Path(str(path)))


def _wakes(path: Path) -> bool:
    if path.suffix in (".yaml", ".yml"):
        return path.name.endswith(".fsm.yaml") or _SCENARIO_FOLDER in path.as_posix()
    return path.suffix == ".py" and _speaks(path)


def _speaks(path: Path) -> bool:
    try:
        return _SPEAKS.search(path.read_bytes()) is not None
    except OSError:
        return False
