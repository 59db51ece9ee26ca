"""Read promptfoo's configuration, and its CSV of tests (`__expected`).

Each test's `vars` and the prompt that holds them → the customer's first message, its asserts → assertions that need no
model, and criteria. What is code (`javascript`, `python`, …) or another file is neither run nor followed.
"""

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from apps.catalog.domain.catalog_yaml import YamlDocument, load
from apps.catalog.files.domain.test_formats.collecting import Collected, ImportedCase, scalar_text
from apps.catalog.files.domain.test_formats.promptfoo_asserts import Placed, read_asserts
from apps.catalog.files.domain.test_formats.promptfoo_csv import csv_tests
from apps.catalog.files.domain.test_formats.promptfoo_prompts import Prompt, opening_of, prompt_of
from apps.catalog.files.domain.test_formats.promptfoo_templates import named_in
from apps.core.errors import BadInput

MAX_COMBINATIONS = 50
_ELSEWHERE = re.compile(r"^\s*(?:file|https?|exec|python|huggingface|az|s3)://|^\s*(?:exec|python):")
_READ = ("description", "vars", "assert", "metadata")
Level = tuple[str, Any]  # where it stands: what a test takes over, and last the test itself


def read(text: str, into: Collected) -> None:
    """Every test of every document. Raises BadInput for what is no mapping of promptfoo's."""
    if into.file.endswith(".csv"):
        for where, test in csv_tests(text, into.file):
            _take(where, [("", test)], [(where, one) for one in test.get("assert", [])], Prompt(), into)
        return
    for one in load(text, into.file, foreign=True):
        bare = isinstance(one.value, list)
        document = {"tests": one.value} if bare else one.value
        if not isinstance(document, Mapping) or not ("tests" in document or "scenarios" in document):
            raise BadInput(f"{into.file}, line {one.line('')}: {_what_else(document)}", code="no_cases", pointer="")
        prompt = prompt_of(document.get("prompts"))
        talks: dict[str, list[tuple[str, list[Level]]]] = {}
        for number, (place, levels) in enumerate(_tests(document)):
            talks.setdefault(_talk_of(levels) or f"#{number}", []).append((place, levels))
        for talk, parts in talks.items():
            where = f"line {_line(one, parts[0][0], bare)}"
            notes = [
                (levels, [(f"line {_line(one, at, bare)}", _followed(each, document)) for at, each in _asserts(levels)])
                for _, levels in parts
            ]
            if len(notes) > 1:
                _take_talk(where, talk, notes, prompt, into)
            else:
                _take(where, *notes[0], prompt, into)


def _take(where: str, levels: list[Level], asserts: list[Placed], prompt: Prompt, into: Collected) -> None:
    try:
        for case in _cases([level for _, level in levels], asserts, prompt):
            into.take(where, case)
    except BadInput as error:
        into.refuse(where, error.message)


def _take_talk(
    where: str, talk: str, parts: list[tuple[list[Level], list[Placed]]], prompt: Prompt, into: Collected
) -> None:
    """Tests of one `conversationId`: one customer who says each of their openings in turn."""
    try:
        turns = [list(_cases([level for _, level in levels], asserts, prompt)) for levels, asserts in parts]
        if any(len(cases) != 1 for cases in turns):
            raise BadInput(
                f"a turn of the conversation {talk!r} has lists of vars: a conversation is taken with one value each"
            )
        cases = [one for (one,) in turns]
        note = "asserts of a turn are held against the whole conversation"
        whole = ImportedCase(
            key=talk,
            goal=next((case.goal for case in cases if case.goal), ""),
            lines=[case.opening for case in cases],
            assertions=[each for case in cases for each in case.assertions],
            criteria=[each for case in cases for each in case.criteria],
            left_out=[*(each for case in cases for each in case.left_out), note],
        )
    except BadInput as error:
        into.refuse(where, error.message)
    else:
        into.take(where, whole)


def _what_else(document: Any) -> str:
    """The words for a file without tests: a red-team configuration, or simply no tests."""
    if isinstance(document, Mapping) and "redteam" in document:
        return "a red-team configuration holds no tests: import the file that `promptfoo redteam generate` writes"
    return "no tests and no scenarios"


def _talk_of(levels: list[Level]) -> str:
    held = [
        level["metadata"]
        for _, level in levels
        if isinstance(level, Mapping) and isinstance(level.get("metadata"), Mapping)
    ]
    return next((str(one["conversationId"]) for one in reversed(held) if one.get("conversationId")), "")


def _followed(one: Any, document: Mapping[str, Any]) -> Any:
    """An assert, or the one that its `$ref` names inside the file."""
    if not isinstance(one, Mapping) or not isinstance(one.get("$ref"), str):
        return one
    current: Any = document
    for step in one["$ref"].removeprefix("#/").split("/"):
        current = current.get(step) if isinstance(current, Mapping) else None
    beside = {key: value for key, value in one.items() if key != "$ref"}
    return {**current, **beside} if isinstance(current, Mapping) else {"type": f"$ref {one['$ref']}"}


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


def _cases(levels: list[Any], asserts: list[Placed], prompt: Prompt) -> Iterator[ImportedCase]:
    tests = [level for level in levels if isinstance(level, Mapping)]
    _refuse_elsewhere(levels)
    test = levels[-1]
    merged: dict[str, Any] = {}
    for level in tests:
        merged |= level["vars"] if isinstance(level.get("vars"), Mapping) else {}
    label = test.get("description")
    left = list(dict.fromkeys(f"{key}: not read" for level in tests for key in level if key not in _READ))
    criteria = named_in([one for _, one in asserts if isinstance(one, Mapping)])
    for values in _combinations(merged):
        opening, notes = opening_of(prompt, values, criteria)
        case = ImportedCase(opening=opening, goal=label if isinstance(label, str) else "", left_out=[*left, *notes])
        read_asserts(asserts, values, case)
        yield case


def _refuse_elsewhere(levels: list[Any]) -> None:
    """Refuse a test, its defaults or its variables that are in another file. Raises BadInput."""
    first, test = levels[0], levels[-1]
    if isinstance(first, str) and len(levels) > 1:
        raise BadInput(f"the default test stands in another file ({first[:60]}), its asserts with it: put it in here")
    if isinstance(test, Mapping) and "path" in test and not test.get("vars"):
        raise BadInput(
            f"{str(test['path'])[:60]} is a generator of tests: code of others is not run; import what it makes"
        )
    if not isinstance(test, Mapping):
        raise BadInput(f"{str(test)[:100]!r}: tests in other files are not followed: import those files")
    if any(isinstance(level.get("vars"), str) for level in levels if isinstance(level, Mapping)):
        raise BadInput("vars in another file are not followed")


def _combinations(given: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """A variable that is a list gives a case for each of its values, as promptfoo does it."""
    lists = {name: value if isinstance(value, list) else [value] for name, value in given.items()}
    count = 1
    for values in lists.values():
        count *= max(len(values), 1)
    if count > MAX_COMBINATIONS:
        raise BadInput(f"its lists of vars give {count:,} cases, the limit is {MAX_COMBINATIONS}")
    for chosen in itertools.product(*(values or [""] for values in lists.values())):
        yield {name: _scalar(name, value) for name, value in zip(lists, chosen, strict=True)}


def _scalar(name: str, value: Any) -> str:
    if isinstance(value, Mapping | list):
        raise BadInput(f"vars/{name} is neither a text nor a number")
    text = scalar_text(value)
    if _ELSEWHERE.match(text):
        raise BadInput(f"vars/{name} stands elsewhere ({text.strip()[:60]}): files and programs are not followed")
    return text
