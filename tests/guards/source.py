"""Our own source files, as paths and as syntax trees."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("apps", "ratiba_eval")
PLUGIN = "plugin/src"
EVERYTHING = (*PRODUCT, PLUGIN, "examples", "benchmarks", "tests")


def files(*folders: str) -> list[Path]:
    """Python files under these folders, migrations left out."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in found if "migrations" not in path.parts and "__pycache__" not in path.parts)


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of one file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of one file's tree: walking costs more than whatever a rule asks of them, and every rule asks."""
    return tuple(ast.walk(tree(path)))


def place(path: Path, node: ast.AST | None = None) -> str:
    """`apps/x/y.py:12`, as messages show it."""
    name = path.relative_to(ROOT).as_posix()
    return f"{name}:{node.lineno}" if node is not None and hasattr(node, "lineno") else name


def called(node: ast.Call) -> str:
    """The dotted name of what is called, as written."""
    return ast.unparse(node.func)


def module_level_imports(path: Path) -> Iterator[tuple[str, ast.stmt]]:
    """Names of modules that importing this file imports; those under `if TYPE_CHECKING` are not."""
    waiting: list[ast.stmt] = list(tree(path).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting.extend(node.orelse)
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.ClassDef):
            waiting.extend(inner for inner in ast.iter_child_nodes(node) if isinstance(inner, ast.stmt))
