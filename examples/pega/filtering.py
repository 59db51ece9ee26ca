"""The query of a list data view: conditions, their logic, order and pages."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from examples.pega.wire import refusal

MAX_RESULTS = 5000
Row = Mapping[str, Any]
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "EQ": lambda left, right: str(left) == str(right),
    "IN": lambda left, right: str(left) in [str(one) for one in right],
    "IS_NULL": lambda left, _: left in (None, ""),
    "IS_TRUE": lambda left, _: left is True,
    "STARTS_WITH": lambda left, right: str(left).startswith(str(right)),
    "ENDS_WITH": lambda left, right: str(left).endswith(str(right)),
    "CONTAINS": lambda left, right: str(right) in str(left),
    "GT": lambda left, right: str(left) > str(right),
    "GTE": lambda left, right: str(left) >= str(right),
    "LT": lambda left, right: str(left) < str(right),
    "LTE": lambda left, right: str(left) <= str(right),
}
_OPPOSITE = {
    "NEQ": "EQ",
    "NOT_IN": "IN",
    "IS_NOT_NULL": "IS_NULL",
    "IS_FALSE": "IS_TRUE",
    "NOT_STARTS_WITH": "STARTS_WITH",
    "NOT_ENDS_WITH": "ENDS_WITH",
    "NOT_CONTAINS": "CONTAINS",
}


def chosen(rows: list[dict[str, Any]], query: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows that a query asks for, in its order, with its fields. Raises Refused (400)."""
    asked = query.get("filter") or {}
    conditions = asked.get("filterConditions") or {}
    logic = str(asked.get("logic") or " AND ".join(conditions))
    found = [row for row in rows if not conditions or _holds(row, conditions, logic)]
    for order in reversed(query.get("sortBy") or []):
        name = _known(rows, str(order.get("field")))
        found.sort(key=lambda row: str(row.get(name) or ""), reverse=str(order.get("type", "ASC")).upper() == "DESC")
    fields = [_known(rows, str(one.get("field"))) for one in query.get("select") or []]
    return [{name: row[name] for name in fields} if fields else dict(row) for row in found]


def page(rows: list[dict[str, Any]], paging: Mapping[str, Any]) -> tuple[list[dict[str, Any]], int, int]:
    """The rows of one page, its number and its size. Raises Refused (400)."""
    most = paging.get("maxResultsToFetch")
    if most is not None and ("pageNumber" in paging or "pageSize" in paging):
        raise refusal(400, "Error_Invalid_Input", "maxResultsToFetch and pageNumber, pageSize exclude each other")
    number, size = (1, most) if most is not None else (paging.get("pageNumber", 1), paging.get("pageSize", 50))
    for value in (number, size):
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_RESULTS:
            raise refusal(400, "Error_Invalid_Input", f"paging takes numbers from 1 to {MAX_RESULTS}")
    return rows[(number - 1) * size : number * size], number, size


def _known(rows: list[dict[str, Any]], name: str) -> str:
    if rows and name not in rows[0]:
        raise refusal(400, "Error_Invalid_Input", f"there is no field {name}")
    return name


def _holds(row: Row, conditions: Mapping[str, Any], logic: str) -> bool:
    """Whether a row meets a logic such as `(F1 AND F2) OR F3`."""
    words = re.findall(r"\(|\)|\w+", logic)

    def term() -> bool:
        word = words.pop(0) if words else ""
        if word == "(":
            value = either()
            if not words or words.pop(0) != ")":
                raise refusal(400, "Error_Invalid_Input", f"a bracket is missing in {logic!r}")
            return value
        if word not in conditions:
            raise refusal(400, "Error_Invalid_Input", f"logic names {word!r}, which is no condition")
        return _meets(row, conditions[word])

    def both() -> bool:
        value = term()
        while words and words[0].upper() == "AND":
            words.pop(0)
            value = term() and value
        return value

    def either() -> bool:
        value = both()
        while words and words[0].upper() == "OR":
            words.pop(0)
            value = both() or value
        return value

    result = either()
    if words:
        raise refusal(400, "Error_Invalid_Input", f"logic ends before {words[0]!r}")
    return result


def _meets(row: Row, condition: Mapping[str, Any]) -> bool:
    name = str((condition.get("lhs") or {}).get("field"))
    comparator = str(condition.get("comparator"))
    positive = _OPPOSITE.get(comparator, comparator)
    if name not in row or positive not in _COMPARE:
        raise refusal(400, "Error_Invalid_Input", f"no comparison {comparator} of {name}")
    right = condition.get("rhs") or {}
    met = _COMPARE[positive](row[name], right.get("values", right.get("value")))
    return met if positive == comparator else not met
