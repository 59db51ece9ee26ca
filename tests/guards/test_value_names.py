"""A value is named after what it holds. Names that tell what happened to it stand in many places; no new one comes."""

import ast
from collections import Counter

from tests.guards.source import PRODUCT, files, nodes

# How often each stands in the product today. Lower a number when names go; never raise one.
AT_MOST = {
    "one": 994, "found": 110, "told": 26, "asked": 25, "said": 44, "shown": 108, "wanted": 81, "made": 93,
    "given": 79, "kept": 12,
}  # fmt: skip


def named(node: ast.AST) -> str:
    """The name that a node gives to a value, "" where it gives none."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    return node.arg if isinstance(node, ast.arg) else ""


def test_no_value_gets_a_name_that_does_not_say_what_it_holds():
    counts = Counter(named(node) for path in files(*PRODUCT) for node in nodes(path))
    grown = {name: counts[name] for name, most in AT_MOST.items() if counts[name] > most}
    assert not grown, f"name each after what it holds; at most {AT_MOST}"


def test_the_guard_sees_loops_assignments_and_arguments():
    source = "found = 1\nfor found in (): pass\ndef f(found): return [found for found in ()]"
    assert [named(node) for node in ast.walk(ast.parse(source))].count("found") == 4
