"""Other parts of this plugin, and a project's conftest, may implement these hooks."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_ratiba.pulled import LeasedTurn


@pytest.hookspec
def pytest_ratiba_around_turn(config: pytest.Config, turn: "LeasedTurn") -> "AbstractAsyncContextManager[None] | None":
    """An async context manager that surrounds one turn of the agent under test, or None.

    It is entered in the task that runs the agent, in an event loop of its own thread: a context variable set there is
    seen by the agent and by nobody else. `turn.context["scenario"]` is the scenario's id. An error raised while
    entering is the turn's error: the agent is not asked.
    """


@pytest.hookspec
def pytest_ratiba_agent_environment(config: pytest.Config) -> "Mapping[str, str] | None":
    """Variables for the process of an agent that ratiba.yaml says how to start, or None.

    Where there are any, the agent gets one turn at a time: what its process does during a turn belongs to that turn.
    """
