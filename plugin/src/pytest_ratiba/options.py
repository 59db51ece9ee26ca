"""Options of pytest, each also as a RATIBA_… variable: `deepeval test run` does not forward options it does not know.

An option on the command line wins over its variable.
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_ratiba.errors import ProjectError


@dataclass(frozen=True, kw_only=True)
class OptionSpec:
    """An option, the variable that stands for it, and how its text is read."""

    flag: str
    variable: str
    help: str
    metavar: str = ""  # "" for a flag without a value

    @property
    def dest(self) -> str:
        return f"ratiba_option_{self.flag.removeprefix('--').replace('-', '_')}"


_YES, _NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")
RECORD_MODES = ("none", "once", "all")
OPTIONS = (
    OptionSpec(
        flag="--ratiba",
        variable="RATIBA_URL",
        metavar="local|URL",
        help="the Ratiba server: its address (with RATIBA_API_KEY), or local (the default) to start one",
    ),
    OptionSpec(flag="--agent", variable="RATIBA_AGENT", metavar="NAME", help="the agent under test, of several"),
    OptionSpec(flag="--layer", variable="RATIBA_LAYER", metavar="N|N-M", help="only these layers, 1 to 5"),
    OptionSpec(flag="--all-layers", variable="RATIBA_ALL_LAYERS", help="start a layer although a lower one has failed"),
    OptionSpec(
        flag="--live", variable="RATIBA_LIVE", help="layers 3 to 5 with the real models: recordings are not used"
    ),
    OptionSpec(flag="--limit", variable="RATIBA_LIMIT", metavar="N", help="at most so many scenarios of each layer"),
    OptionSpec(
        flag="--golden",
        variable="RATIBA_GOLDEN",
        metavar="FILE|NAME",
        help="the golden session that the eight tests replay",
    ),
    OptionSpec(
        flag="--transport",
        variable="RATIBA_TRANSPORT",
        metavar="auto|a2a|agentx|http|pulled",
        help="how the golden session is replayed",
    ),
    OptionSpec(
        flag="--project-config",
        variable="RATIBA_PROJECT_CONFIG",
        metavar="FILE",
        help="the profile the golden session is judged by, where it names none (also PROJECT_CONFIG)",
    ),
    OptionSpec(
        flag="--test-run",
        variable="RATIBA_TEST_RUN",
        metavar="ID",
        help="show the verdicts of this run, which was played before; nothing is played or judged",
    ),
    OptionSpec(
        flag="--ratiba-wait",
        variable="RATIBA_WAIT_S",
        metavar="SECONDS",
        help="how long a run may make no progress before it is given up; 300",
    ),
)


def add_options(parser: pytest.Parser) -> None:
    """Register every option; called by pytest once."""
    group = parser.getgroup("ratiba", "Ratiba Eval")
    for one in OPTIONS:
        more: dict[str, Any] = {"metavar": one.metavar} if one.metavar else {"action": "store_true"}
        group.addoption(one.flag, dest=one.dest, default=None, help=f"{one.help} [{one.variable}]", **more)
    group.addoption(
        "--record",
        choices=RECORD_MODES,
        default=None,
        help="model replies: none plays recordings and fails without one (default), once records what has none, "
        "all records again; also RATIBA_RECORD",
    )
    group.addoption("--no-deepeval-cache", action="store_true", help="measure again, and keep nothing")
    group.addoption("--deepeval-cache-clear", action="store_true", help="empty .deepeval-cache/ before the run")


def any_option(config: pytest.Config) -> bool:
    """Whether any option of the plugin is on the command line."""
    names = [one.dest for one in OPTIONS]
    return any(config.getoption(name, None) for name in (*names, "--record", "--no-deepeval-cache"))


def option(config: pytest.Config, flag: str) -> str:
    """The option's text, else its variable's, else ""; a flag without a value is "1" where it is set."""
    spec = next(one for one in OPTIONS if one.flag == flag)
    value = config.getoption(spec.dest, None)
    if value is None or value is False:
        return os.environ.get(spec.variable, "").strip()
    return "1" if value is True else str(value).strip()


def flag(config: pytest.Config, name: str) -> bool:
    """Whether an option without a value is set; its variable says yes or no. Raises `ProjectError`."""
    text = option(config, name).lower()
    if text not in (*_YES, *_NO):
        raise ProjectError(f"{name} ({text!r} in its variable) is one of {', '.join((*_YES, *_NO[1:]))}")
    return text in _YES


def record_mode(config: pytest.Config) -> str:
    """`--record`, else RATIBA_RECORD, else none. Raises `ProjectError`."""
    mode = config.getoption("--record", None) or os.environ.get("RATIBA_RECORD", "").strip() or "none"
    if mode not in RECORD_MODES:
        raise ProjectError(f"RATIBA_RECORD must be one of {', '.join(RECORD_MODES)}, not {mode!r}")
    return str(mode)


def check_options(config: pytest.Config) -> None:
    """Raises `ProjectError` for a wrong value of an option or its variable, before anything is played."""
    for name in ("--live", "--all-layers"):
        flag(config, name)
    record_mode(config), layers_wanted(config), limit(config), stall_s(config)


def layers_wanted(config: pytest.Config) -> frozenset[int]:
    """The layers that `--layer` names, 1 to 5; all of them without it. Raises `ProjectError`."""
    text = option(config, "--layer")
    if not text:
        return frozenset(range(1, 6))
    found = re.fullmatch(r"([1-5])(?:-([1-5]))?", text)
    if not found or int(found[2] or found[1]) < int(found[1]):
        raise ProjectError(f"--layer {text!r} is a layer or a range of layers, 1 to 5 (for example 1-3)")
    return frozenset(range(int(found[1]), int(found[2] or found[1]) + 1))


def limit(config: pytest.Config) -> int | None:
    """Return the greatest number of scenarios that are played of each layer; None for all.
    Raises `ProjectError`."""
    number = _number(config, "--limit", int, "a whole number from 1")
    return int(number) if number else None


def stall_s(config: pytest.Config) -> float:
    """Seconds without progress after which a run is given up."""
    return float(_number(config, "--ratiba-wait", float, "a number of seconds above 0") or 300.0)


def project_config(config: pytest.Config) -> Path | None:
    """The file that `--project-config` names, else PROJECT_CONFIG. Raises `ProjectError` where it is not there."""
    text = option(config, "--project-config") or os.environ.get("PROJECT_CONFIG", "").strip()
    if not text:
        return None
    path = Path(config.invocation_params.dir) / text
    if not path.is_file():
        raise ProjectError(f"--project-config {text}: there is no such file")
    return path


def _number(config: pytest.Config, name: str, kind: Callable[[str], Any], what: str) -> Any:
    text = option(config, name)
    if not text:
        return None
    try:
        value = kind(text)
    except ValueError:
        value = 0
    if not value > 0 or value > 1e9:
        raise ProjectError(f"{name} {text!r} is not {what}")
    return value
