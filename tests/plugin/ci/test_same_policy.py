"""The plugin refuses a gate's rule where the server would, and nowhere else."""

import pytest

from apps.core.errors import BadInput
from apps.gates.domain.policy import read_policy as read_by_the_server
from pytest_ratiba.ci.gate_policy import POLICY, read_policy
from pytest_ratiba.config import Project
from pytest_ratiba.errors import ProjectError

VALUES: tuple[object, ...] = (
    0, 1, 2, 3, 10, 11, 0.3, 0.5, 0.50001, 600, 601, 1000, 1001, -1, 1.5, True, False, "1", "block", "pass", "any",
    "new", "", "x", ["a"], [], ["a"] * 51, ["a" * 101], [1], {},
)  # fmt: skip


@pytest.mark.parametrize("key", POLICY)
def test_a_value_is_taken_by_both_or_by_none(key, tmp_path):
    project = Project(folder=tmp_path)
    for value in VALUES:
        try:
            read_by_the_server({key: value})
            ours = True
        except BadInput:
            ours = False
        try:
            read_policy(project, {key: value})
            theirs = True
        except ProjectError:
            theirs = False
        assert ours is theirs, (key, value)
