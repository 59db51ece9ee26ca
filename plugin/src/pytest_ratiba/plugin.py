"""What pytest loads first: the project's configuration, ready for the other modules of this plugin."""

from pathlib import Path

import pytest

from pytest_ratiba.config import Project, read_project
from pytest_ratiba.errors import ProjectError

_PROJECT = pytest.StashKey[Project]()


def pytest_configure(config: pytest.Config) -> None:
    try:
        config.stash[_PROJECT] = read_project(Path(config.rootpath))
    except ProjectError as error:
        pytest.exit(str(error), returncode=2)


def project_of(config: pytest.Config) -> Project:
    """The project this session tests; read once, at the start."""
    return config.stash[_PROJECT]


@pytest.fixture(scope="session")
def ratiba_project(pytestconfig: pytest.Config) -> Project:
    """The project's configuration, `ratiba.yaml` or `[tool.ratiba]`."""
    return project_of(pytestconfig)
