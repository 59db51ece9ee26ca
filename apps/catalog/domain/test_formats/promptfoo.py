"""promptfoo's configuration: each test's `vars` → the customer's first message, its asserts → assertions that need no
model, and criteria. What is code (`javascript`, `python`, …) or another file is neither run nor followed."""

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from apps.catalog.domain.catalog_yaml import YamlDocument, load
from apps.catalog.domain.test_formats.collecting import Collected, ImportedCase, scalar_text
from apps.catalog.domain.test_formats.promptfoo_asserts import Placed, read_asserts
from apps.core.errors import BadInput

MOST_COMBINATIONS = 50
_SPOKEN = ("question", "query", "input", "message", "user_message", "user_input", "user", "prompt", "text", "body")
_ELSEWHERE = re.compile(r"^\s*(?:file|https?|exec|python|huggingface|az|s3)://|^\s*(?:exec|python):")
_READ = ("description", "vars", "assert", "metadata")
Level = tuple[str, Any]  # where it stands: what a test takes over, and last the test itself


def read(text: str, into: Collected) -> None:
    """Every test of every document. Raises BadInput for what is no mapping of promptfoo's."""
    for one in load(text, into.file, foreign=True):
        bare = isinstance(one.value, list)
        document = {"tests": one.value} if bare else one.value
        if not isinstance(document, Mapping) or not ("tests" in document or "scenarios" in document):
            raise BadInput(f"{into.file}, line {one.line('')}: no tests and no scenarios", code="no_cases", pointer="")
        for place, levels in _tests(document):
            where = f"line {_line(one, place, bare)}"
            asserts = [(f"line {_line(one, at, bare)}", each) for at, each in _asserts(levels)]
            try:
                for case in _cases([level for _, level in levels], asserts):
                    into.take(where, case)
            except BadInput as error:
                into.refuse(where, error.message)


def _line(document: YamlDocument, pointer: str, bare: bool) -> int:
    return document.line(pointer.removeprefix("/tests") if bare else pointer)


def _tests(document: Mapping[str, Any]) -> Iterator[tuple[str, list[Level]]]:
    """The place of each test, and the test after what stands above it."""
    above: list[Level] = [("/defaultTest", document.get("defaultTest"))]
    tests = document.get("tests")
    for number, test in enumerate(tests if isinstance(tests, list) else [tests] if tests else []):
        yield f"/tests/{number}", [*above, (f"/tests/{number}", test)]
    scenarios = document.get("scenarios")
    for number, scenario in enumerate(scenarios if isinstance(scenarios, list) else []):
        at = f"/scenarios/{number}"
        parts = scenario if isinstance(scenario, Mapping) else {}
        config, inner = parts.get("config"), parts.get("tests")
        if not isinstance(config, list) or not isinstance(inner, list):
            yield at, [(at, "a scenario without lists of config and tests")]
            continue
        for (c, one), (t, test) in itertools.product(enumerate(config), enumerate(inner)):
            yield f"{at}/config/{c}", [*above, (f"{at}/config/{c}", one), (f"{at}/tests/{t}", test)]


def _asserts(levels: list[Level]) -> list[Placed]:
    """The asserts of every level, each with its pointer."""
    return [
        (f"{at}/assert/{number}", one)
        for at, level in levels
        if isinstance(level, Mapping) and isinstance(level.get("assert"), list)
        for number, one in enumerate(level["assert"])
    ]


def _cases(levels: list[Any], asserts: list[Placed]) -> Iterator[ImportedCase]:
    tests = [level for level in levels if isinstance(level, Mapping)]
    test = levels[-1]
    if not isinstance(test, Mapping):
        raise BadInput(f"{str(test)[:100]!r}: tests in other files are not followed")
    if any(isinstance(level.get("vars"), str) for level in tests):
        raise BadInput("vars in another file are not followed")
    merged: dict[str, Any] = {}
    for level in tests:
        merged |= level["vars"] if isinstance(level.get("vars"), Mapping) else {}
    label = test.get("description")
    left = list(dict.fromkeys(f"{key}: not read" for level in tests for key in level if key not in _READ))
    for values in _combinations(merged):
        case = ImportedCase(opening=_opening(values), goal=label if isinstance(label, str) else "", left_out=[*left])
        read_asserts(asserts, values, case)
        yield case


def _combinations(given: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """A variable that is a list gives a case for each of its values, as promptfoo does it."""
    lists = {name: value if isinstance(value, list) else [value] for name, value in given.items()}
    count = 1
    for values in lists.values():
        count *= max(len(values), 1)
    if count > MOST_COMBINATIONS:
        raise BadInput(f"its lists of vars give {count:,} cases, the limit is {MOST_COMBINATIONS}")
    for chosen in itertools.product(*(values or [""] for values in lists.values())):
        yield {name: _scalar(name, value) for name, value in zip(lists, chosen, strict=True)}


def _scalar(name: str, value: Any) -> str:
    if isinstance(value, Mapping | list):
        raise BadInput(f"vars/{name} is neither a text nor a number")
    text = scalar_text(value)
    if _ELSEWHERE.match(text):
        raise BadInput(f"vars/{name} stands elsewhere ({text.strip()[:60]}): files and programs are not followed")
    return text


def _opening(values: Mapping[str, str]) -> str:
    spoken = next((values[name] for name in _SPOKEN if values.get(name, "").strip()), "")
    if spoken:
        return spoken
    filled = [(name, value) for name, value in values.items() if value.strip()]
    if not filled:
        raise BadInput("no vars: nothing says what the customer writes")
    return filled[0][1] if len(filled) == 1 else "\n".join(f"{name}: {value}" for name, value in filled)
