"""What a kind of run is stands in one table (apps.runs.domain.kind_traits): nobody leaves kinds out by name."""

import ast
import re

from apps.runs.domain.states import Kind
from tests.guards.source import PRODUCT, files, nodes, place

TABLE = "apps/runs/domain/kind_traits.py"
_WORDS = "|".join(kind.value for kind in Kind)
_SQL = re.compile(rf"\bkind\s*(<>|!=|NOT\s+IN|IN)\s*\(?\s*'({_WORDS})'", re.I)
# Triggers of the database, which are frozen in migrations and cannot read a table of ours.
_TRIGGERS = "apps/runs/conversations/models.py"


def test_no_query_leaves_kinds_out_by_name():
    wrong = []
    for path in files(*PRODUCT):
        if place(path) in (TABLE, _TRIGGERS):
            continue
        wrong += [place(path, node) for node in nodes(path) if _names_kinds(node)]
    assert not wrong, f"read a trait of {TABLE}, or add one to it"


def _names_kinds(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return bool(_SQL.search(node.value))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "exclude":
        return any(word.arg and word.arg.split("__")[0] == "kind" and _is_kind(word.value) for word in node.keywords)
    if isinstance(node, ast.keyword) and node.arg and node.arg.endswith("kind__in"):
        return _is_kind(node.value)
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn | ast.In):
        return any(_is_kind(one) for one in ast.walk(node.comparators[0]))
    return False


def _is_kind(node: ast.AST) -> bool:
    """`Kind.PROBE`, and a list or set of such."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return any(_is_kind(one) for one in node.elts)
    return isinstance(node, ast.Attribute) and ast.unparse(node.value) == "Kind"


def test_the_guard_finds_what_it_is_for():
    for source in (
        "rows.exclude(kind=Kind.PROBE)",
        "rows.filter(run__kind__in=[Kind.BATTLE, Kind.REPLAY])",
        "SQL = \"SELECT 1 WHERE c.kind <> 'probe'\"",
        "row.kind in (Kind.BATTLE, Kind.REPLAY)",
    ):
        assert any(_names_kinds(node) for node in ast.walk(ast.parse(source))), source
    for source in ("rows.filter(kind=Kind.REPLAY)", "rows.filter(kind__in=RUN_LIST)", "row.kind == Kind.BATTLE"):
        assert not any(_names_kinds(node) for node in ast.walk(ast.parse(source))), source
