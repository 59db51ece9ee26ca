"""JSONPaths that people write (RFC 9535), with a bound on what one may cost.

No regular expressions (`match`, `search`, `=~`) and no arithmetic, one `..`, filters that look at single values, and a
count of what is visited while it runs.
"""

import threading
from collections.abc import Iterable, Iterator
from typing import Any

from jsonpath_rfc9535 import JSONPathEnvironment, JSONPathError, JSONPathNode
from jsonpath_rfc9535.filter_expressions import (
    ComparisonExpression,
    Expression,
    FilterContext,
    FilterExpression,
    FilterQuery,
    FunctionExtension,
    LogicalExpression,
    PrefixExpression,
    RootFilterQuery,
)
from jsonpath_rfc9535.query import JSONPathQuery
from jsonpath_rfc9535.segments import JSONPathRecursiveDescentSegment, JSONPathSegment
from jsonpath_rfc9535.selectors import FilterSelector

from apps.core.errors import BadInput

MAX_CHARS = 500
MAX_SEGMENTS = 20
MAX_BRANCHES = 16  # the product of how many selectors each pair of brackets has: `[0,0][0,0]…` doubles at every step
MAX_VISITED = 100_000
_FUNCTIONS = ("length", "count", "value")


class _PathEnvironment(JSONPathEnvironment):
    """RFC 9535 without the two functions that run regular expressions."""

    def setup_function_extensions(self) -> None:
        super().setup_function_extensions()
        self.function_extensions = {name: self.function_extensions[name] for name in _FUNCTIONS}


_ENVIRONMENT = _PathEnvironment()


class _TooMuch(Exception):
    """A path that visits more than it may."""


class _PathMeter(threading.local):
    """Budget of values that the path now running in this thread may still visit."""

    left = 0

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise _TooMuch


_METER = _PathMeter()


class _Descent(JSONPathRecursiveDescentSegment):
    """Segment `..` of a path, with each value it goes through counted."""

    def _visit(self, node: JSONPathNode, depth: int = 1) -> Iterable[JSONPathNode]:
        _METER.spend()
        return super()._visit(node, depth)


class _Condition(FilterExpression):
    """Filter `?…` of a path, with each value it looks at counted."""

    def evaluate(self, context: FilterContext) -> bool:
        _METER.spend()
        return super().evaluate(context)


def _metered(query: JSONPathQuery) -> JSONPathQuery:
    segments = []
    for segment in query.segments:
        for selector in segment.selectors:
            if isinstance(selector, FilterSelector):
                selector.expression = _Condition(selector.expression.token, selector.expression.expression)
        deep = isinstance(segment, JSONPathRecursiveDescentSegment)
        segments.append(
            _Descent(env=segment.env, token=segment.token, selectors=segment.selectors) if deep else segment
        )
    return JSONPathQuery(env=query.env, segments=tuple(segments))


def matches(path: JSONPathQuery, data: Any) -> list[Any]:
    """The values a path finds. [] where the data is nested deeper than 100 levels or more than MAX_VISITED values would
    be visited, which takes about half a second."""
    nodes: Iterable[JSONPathNode] = [JSONPathNode(value=data, location=(), parent=None, root=data)]
    for segment in path.segments:
        nodes = _counted(segment.resolve(nodes))
    _METER.left = MAX_VISITED
    try:
        return [node.value for node in nodes]
    except (_TooMuch, JSONPathError, RecursionError):
        return []


def _counted(nodes: Iterable[JSONPathNode]) -> Iterator[JSONPathNode]:
    for node in nodes:
        _METER.spend()
        yield node


def compile_path(path: str, pointer: str) -> JSONPathQuery:
    """The path, checked. Raises BadInput at `pointer` for one that cannot be read or could take too long."""
    shown = repr(path if len(path) <= 100 else f"{path[:100]}…")
    if len(path) > MAX_CHARS:
        raise BadInput(f"{shown} is too long for a JSONPath: {MAX_CHARS} characters are allowed", pointer=pointer)
    try:
        query = _ENVIRONMENT.compile(path)
    except (JSONPathError, RecursionError, ValueError, ArithmeticError) as error:
        reason = str(error).splitlines()[0] if str(error) else "it is nested too deeply"
        raise BadInput(
            f"{shown} is not a JSONPath: {reason} (regular expressions and arithmetic are not part of it)",
            pointer=pointer,
        ) from error
    problem = _too_costly(query)
    if problem:
        raise BadInput(f"{shown} would take too long: {problem}", pointer=pointer)
    return _metered(query)


def _too_costly(query: JSONPathQuery) -> str:
    """Say why a path could visit far more than the answer has, or ""."""
    if len(query.segments) > MAX_SEGMENTS:
        return f"{MAX_SEGMENTS} steps are allowed"
    if sum(isinstance(segment, JSONPathRecursiveDescentSegment) for segment in query.segments) > 1:
        return "it may have one `..`"
    branches = 1
    for segment in query.segments:
        branches *= len(segment.selectors)
    if branches > MAX_BRANCHES:
        return f"brackets with several selectors may multiply to {MAX_BRANCHES}"
    return next((problem for part in _filters(query.segments) if (problem := _costly_filter(part))), "")


def _filters(segments: Iterable[JSONPathSegment]) -> Iterator[FilterExpression]:
    for segment in segments:
        for selector in segment.selectors:
            if isinstance(selector, FilterSelector):
                yield selector.expression


def _costly_filter(expression: Expression) -> str:
    if isinstance(expression, FilterExpression):
        return _costly_filter(expression.expression)
    if isinstance(expression, PrefixExpression):
        return _costly_filter(expression.right)
    if isinstance(expression, LogicalExpression | ComparisonExpression):
        both = (expression.left, expression.right)
        if isinstance(expression, ComparisonExpression) and all(isinstance(side, RootFilterQuery) for side in both):
            return "a filter compares something with what it looks at, which begins with @"
        return _costly_filter(both[0]) or _costly_filter(both[1])
    if isinstance(expression, FunctionExtension):
        return next((problem for part in expression.args if (problem := _costly_filter(part))), "")
    if isinstance(expression, FilterQuery):
        return _costly_look(expression)
    return ""


def _costly_look(looked: FilterQuery) -> str:
    """A filter is evaluated for every item: what it looks at is one value, or the children of the item itself."""
    segments = looked.query.segments
    if looked.query.singular_query():
        return ""
    if isinstance(looked, RootFilterQuery) or len(segments) > 1:
        return "a filter may look at single values, such as @.type"
    plain = not isinstance(segments[0], JSONPathRecursiveDescentSegment) and len(segments[0].selectors) == 1
    nested = any(True for _ in _filters(segments))
    return "" if plain and not nested else "a filter may look at single values, such as @.type"
