"""Find the project that a session tests: that of the files that are named, else that of pytest's root."""

from pathlib import Path

import pytest

from pytest_ratiba.config import Project, read_project
from pytest_ratiba.errors import ProjectError


def project_tested(config: pytest.Config) -> Project:
    """The nearest configuration upwards of the files and folders on the command line; where none has one, upwards of
    the root. Raises `ProjectError` where they belong to several projects: one session tests one."""
    found: dict[Path, Project] = {}
    if config.args_source is config.ArgsSource.ARGS:
        for word in config.args:
            path = Path(config.invocation_params.dir) / word.partition("::")[0]
            project = read_project(path if path.is_dir() else path.parent)
            if project.source is not None:
                found[project.source] = project
    if len(found) > 1:
        sources = " and ".join(str(one) for one in found)
        raise ProjectError(f"the command line names files of several projects ({sources}): start pytest once for each")
    return next(iter(found.values())) if found else read_project(Path(config.rootpath))
