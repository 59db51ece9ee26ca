"""The parts allowed in a user's template: names, attributes, `if`, loops two deep, listed filters. Pure.

Everything else is refused when the template is read, before a line of it is compiled: no arithmetic and no `range`, so
nothing grows out of nothing; no calls but `items()`, `keys()` and `values()`; no macros, assignments or includes.
"""

from collections.abc import Iterator
from math import isfinite

from jinja2 import nodes

MAX_NODES = 5_000  # the longest built-in text has 30
MAX_DEPTH = 40  # a compiler's recursion stays far below Python's limit
MAX_LOOPS = 2
FILTERS = {  # name: how many arguments it may be given; the indent of `tojson` can be a million blanks
    "capitalize": 0,
    "count": 0,
    "default": 2,
    "dictsort": 3,
    "first": 0,
    "items": 0,
    "join": 2,
    "last": 0,
    "length": 0,
    "list": 0,
    "lower": 0,
    "replace": 3,
    "sort": 3,
    "title": 0,
    "tojson": 0,
    "trim": 1,
    "upper": 0,
}
TESTS = ("defined", "undefined", "none", "string", "number", "mapping", "iterable", "sequence", "true", "false", "in")
METHODS = ("items", "keys", "values")

_PLAIN = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.Const,
    nodes.Getitem,
    nodes.If,
    nodes.CondExpr,
    nodes.Compare,
    nodes.Operand,
    nodes.And,
    nodes.Or,
    nodes.Not,
    nodes.List,
    nodes.Tuple,
    nodes.Keyword,
)
_GIVEN = (nodes.Name, nodes.Getattr, nodes.Getitem, nodes.Call, nodes.Filter)
_WORDS = {
    "Add": "arithmetic",
    "Sub": "arithmetic",
    "Mul": "arithmetic",
    "Div": "arithmetic",
    "FloorDiv": "arithmetic",
    "Mod": "arithmetic",
    "Pow": "arithmetic",
    "Pos": "arithmetic",
    "Neg": "arithmetic",
    "Concat": "joining with ~",
    "Assign": "set",
    "AssignBlock": "set",
    "CallBlock": "call",
    "FromImport": "import",
    "Slice": "a slice",
    "FilterBlock": "a filter block",
    "Dict": "a mapping",
    "NSRef": "a namespace",
}


def fault(tree: nodes.Template) -> tuple[int, str] | None:
    """Return (line, fault) of the first part that is not allowed, or None. Linear, no recursion."""
    for node, depth, loops, count in _walk(tree):
        if count > MAX_NODES or depth > MAX_DEPTH:
            most = f"{MAX_NODES:,} parts" if count > MAX_NODES else f"{MAX_DEPTH} levels of nesting"
            return node.lineno, f"the template is too large: it may have {most}"
        if loops > MAX_LOOPS:
            return node.lineno, f"loops may stand {MAX_LOOPS} deep"
        words = _refused(node)
        if words:
            return node.lineno, words
    return None


def size(node: nodes.Node) -> int:
    """Count the parts of a piece of a checked template; one pass through it costs as much."""
    return sum(1 for _ in _walk(node))


def _walk(root: nodes.Node) -> Iterator[tuple[nodes.Node, int, int, int]]:
    """Each node, how deep it stands, inside how many loops (itself counted), and how many came before it."""
    stack: list[tuple[nodes.Node, int, int]] = [(root, 0, 0)]
    count = 0
    while stack:
        node, depth, loops = stack.pop()
        loops += isinstance(node, nodes.For)
        count += 1
        yield node, depth, loops, count
        stack.extend((child, depth + 1, loops) for child in reversed(list(node.iter_child_nodes())))


def _refused(node: nodes.Node) -> str:
    if isinstance(node, nodes.Const) and isinstance(node.value, (int, float)) and not _is_finite(node.value):
        return "a number is beyond every range: write one that is finite"
    if isinstance(node, _PLAIN):
        return ""
    if isinstance(node, nodes.Name):
        return "names must not begin with _" if node.name.startswith("_") else ""
    if isinstance(node, nodes.Getattr):
        return "attributes must not begin with _" if node.attr.startswith("_") else ""
    if isinstance(node, nodes.For):
        return _refused_loop(node)
    if isinstance(node, nodes.Filter):
        return _refused_filter(node)
    if isinstance(node, nodes.Test):
        return "" if node.name in TESTS else f"no test {node.name!r}: there are {', '.join(TESTS)}"
    if isinstance(node, nodes.Call):
        return _refused_call(node)
    kind = type(node).__name__
    return f"{_WORDS.get(kind, kind.lower())} is not allowed in a template"


def _is_finite(value: float) -> bool:
    try:
        return isfinite(value)
    except OverflowError:  # a whole number that no float holds is finite
        return True


def _refused_filter(node: nodes.Filter) -> str:
    if node.name not in FILTERS or node.node is None:
        return f"no filter {node.name!r}: there are {', '.join(FILTERS)}"
    if node.dyn_args or node.dyn_kwargs or len(node.args) + len(node.kwargs) > FILTERS[node.name]:
        return f"the filter {node.name!r} takes {FILTERS[node.name] or 'no'} arguments"
    return ""


def _refused_loop(node: nodes.For) -> str:
    if node.recursive:
        return "a recursive loop is not allowed in a template"
    if not isinstance(node.iter, _GIVEN):
        return "a loop goes over something the template is given"
    return ""


def _refused_call(node: nodes.Call) -> str:
    called = node.node
    given = node.args or node.kwargs or node.dyn_args or node.dyn_kwargs
    if isinstance(called, nodes.Getattr) and called.attr in METHODS and not given:
        return ""
    return f"nothing can be called in a template but {', '.join(f'{name}()' for name in METHODS)}"
