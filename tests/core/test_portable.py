"""What two distributions carry imports nothing that only one of them has."""

import ast
import sys
from pathlib import Path

import pytest

import apps.core.portable

FILES = sorted(Path(apps.core.portable.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_portable_module_needs_the_standard_library_alone(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:  # a relative one has the same files beside it
            names = [node.module or ""]
        assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names
