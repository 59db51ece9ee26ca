"""No question shows a filled-in answer: a small model gives back what it was shown.

Measured with a model of 1.5 billion parameters: 12 of 21 replies of a judge held the quote of the form, and all of four
fixes the section that the form named.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from apps.core.errors import RatibaError
from apps.core.lenient_json import read_objects
from apps.evaluations.domain.parsing import ParseError, read_reply
from apps.evaluations.domain.strict_schemas import keys_in_words, list_of, one_of, strict
from apps.improvement.analysis.domain import findings as analysis
from apps.improvement.failure_modes.domain import note_groups
from apps.improvement.optimizer.domain.fix_question import fix_request, read_fix
from apps.improvement.optimizer.domain.full_question import full_request, read_full
from apps.personas.domain.generation_reply import read_generation_reply
from apps.personas.domain.grid import PersonaSlot
from apps.personas.domain.probe_judging import read_probe_verdict
from apps.personas.domain.rating import read_rating
from apps.personas.domain.same_people import read_same_people
from apps.personas.domain.simulator_question import read_review
from apps.reports.comparisons.domain.pairwise_prompt import read_choice
from apps.reports.run_reports.domain.report_summary import ReportFacts, read_summary
from apps.runs.domain.simulator import read_simulator_reply
from apps.runs.goldens.domain.gate_question import read_gate_answer
from tests.guards.question_builders import BUILDERS, NONCE, SALT, SPEC, SUBJECT, TEXTS, TURNS
from tests.guards.test_outside_text_is_fenced import instruction_of

SLOTS = {0: PersonaSlot(language="en", goal="a haircut", temper="calm")}
READERS: dict[str, Callable[[str], Any]] = {
    "analysis_request": lambda text: analysis.read_claims(text, criteria=["tone"], nonce=NONCE),
    "join_request": lambda text: analysis.read_groups(text, "same", nonce=NONCE),
    "fix_request": lambda text: read_fix(text, prompt="You help.", nonce=NONCE),
    "full_request": lambda text: read_full(text, prompt="You help.", nonce=NONCE),
    "group_request": lambda text: note_groups.read_groups(text, notes=2, modes=1, nonce=NONCE),
    "generation_request": lambda text: read_generation_reply(text, SLOTS, nonce=NONCE),
    "probe_request": lambda text: read_probe_verdict(text, SPEC["persona_spec"]["behaviours"], TURNS, nonce=NONCE),
    "rating_request": lambda text: read_rating(text, nonce=NONCE),
    "same_people_request": lambda text: read_same_people(text, personas=2, nonce=NONCE, salt=SALT),
    "review_request": lambda text: read_review(text, turns=TURNS, spec=SPEC, nonce=NONCE, salt=SALT),
    "summary_request": lambda text: read_summary(text, facts=ReportFacts(lines=("x",), ids=("c",)), nonce=NONCE),
    "gate_request": lambda text: read_gate_answer(text, salt=SALT),
    "simulator_request": read_simulator_reply,
    "pairwise_request": lambda text: read_choice(text, nonce=NONCE, salt=SALT),
    "judge_request": lambda text: read_reply(text, ["tone"], nonce=NONCE, salt=SALT),
}


def copies_of(instruction: str) -> Iterator[str]:
    """What a model that copies may send: all of it, its last lines, these in the braces that an answer needs."""
    last = [line for line in instruction.splitlines() if line.strip()][-4:]
    yield instruction
    for lines in range(1, len(last) + 1):
        tail = "\n".join(last[-lines:])
        yield tail
        yield f"{{{tail[tail.find(chr(34)) :]}}}"
        yield f"{{{tail[tail.find(chr(34)) : tail.rfind(chr(34)) + 1]}}}"


def test_every_question_has_its_reader_here() -> None:
    assert set(READERS) == set(BUILDERS)


@pytest.mark.parametrize("name", BUILDERS)
def test_a_question_holds_no_object_that_could_be_an_answer(name: str) -> None:
    instruction = instruction_of(BUILDERS[name]())
    assert [item.value for item in read_objects(instruction).objects] == []


@pytest.mark.parametrize("name", BUILDERS)
def test_a_copy_of_the_question_is_no_answer_to_it(name: str) -> None:
    for copy in copies_of(instruction_of(BUILDERS[name]())):
        with pytest.raises(RatibaError):
            READERS[name](copy)


@pytest.mark.parametrize("name", BUILDERS)
def test_every_key_of_the_answer_stands_in_its_question(name: str) -> None:
    request = BUILDERS[name]()
    instruction = instruction_of(request)
    assert request.schema is not None
    for key in _keys_of(request.schema):
        assert f'"{key}"' in instruction or key == "tone", key


@pytest.mark.parametrize("name", BUILDERS)
def test_every_text_and_list_of_an_answer_has_an_end(name: str) -> None:
    """A small model goes on and on until its time is over: "kwa kama, kwa kama" to the last token."""
    schema = BUILDERS[name]().schema
    assert schema is not None
    assert [key for key, node in _nodes_of(schema) if not _ends(key, node)] == []


def _nodes_of(schema: Mapping[str, Any], key: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield key, schema
    for name, node in schema.get("properties", {}).items():
        yield from _nodes_of(node, name)
    if "items" in schema:
        yield from _nodes_of(schema["items"], key)


def _ends(key: str, node: Mapping[str, Any]) -> bool:
    if key == "nonce" or key.startswith("replacement"):
        return True  # a section of a prompt is as long as it has to be, and nothing of it may be lost
    needed = {"string": "maxLength", "array": "maxItems"}.get(str(node.get("type")))
    return needed is None or needed in node or "enum" in node


def _keys_of(schema: Mapping[str, Any]) -> Iterator[str]:
    for key, node in schema.get("properties", {}).items():
        yield key
        yield from _keys_of(node)
    if "items" in schema:
        yield from _keys_of(schema["items"])


PROMPT = "# Identity\nYou are Amani.\n# Booking\nAsk for the day.\n# Tools\nbook_slot\n"


def _section_of(finding_section: str) -> dict[str, Any]:
    finding = {"title": "Asks twice", "section": finding_section, "suggestion": "Ask once."}
    request = fix_request(prompt=PROMPT, finding=finding, subjects=[SUBJECT], texts=TEXTS, nonce=NONCE, timeout_s=9)
    assert request.schema is not None
    section: dict[str, Any] = request.schema["properties"]["section"]
    return section


def test_the_section_that_a_finding_names_is_the_only_one_that_a_fix_may_choose() -> None:
    assert _section_of("Booking")["enum"] == ["S2"]
    assert _section_of("S2")["enum"] == ["S2"]


def test_a_fix_whose_finding_names_no_section_chooses_among_those_that_are_not_protected() -> None:
    assert _section_of("somewhere")["enum"] == ["S1", "S2"]
    full = full_request(prompt=PROMPT, findings=[], subjects=[], texts=TEXTS, nonce=NONCE, timeout_s=9).schema
    assert full is not None
    assert full["properties"]["fixes"]["items"]["properties"]["section"]["enum"] == ["S1", "S2"]


def test_labels_and_criteria_of_findings_are_chosen_and_not_written() -> None:
    schema = BUILDERS["analysis_request"]().schema
    assert schema is not None
    finding = schema["properties"]["findings"]["items"]["properties"]
    assert finding["criteria"]["items"]["enum"] == ["tone"]
    assert finding["conversations"]["items"]["enum"] == ["C1"]
    assert finding["evidence"]["items"]["properties"]["conversation"]["enum"] == ["C1"]


def test_keys_are_told_in_their_order_without_a_value() -> None:
    shape = strict({
        "nonce": {"type": "string"},
        "fixes": list_of(strict({"section": one_of(["S1", "S2"]), "text": {"type": "string"}})),
        "same": list_of(list_of({"type": "integer"})),
    })  # fmt: skip
    assert keys_in_words(shape, nonce="n1") == '"nonce": "n1", "fixes" [("section", "text")], "same" [[]]'
    assert one_of([]) == {"type": "string"}


def test_a_fix_for_a_section_that_does_not_exist_is_refused_by_its_name() -> None:
    reply = f'{{"nonce": "{NONCE}", "section": "<section>", "replacement_{NONCE}": "x", "hopes": "", "might_hurt": ""}}'
    with pytest.raises(ParseError, match="<section>"):
        read_fix(reply, prompt=PROMPT, nonce=NONCE)
