"""Pairing what was said: greetings, concatenated replies, latencies, and the forms of an upload."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.catalog.connections.domain.profile_patterns import detection_patterns
from apps.core.conversation import Attachment, ToolCall, TurnRole, Utterance
from apps.runs.goldens.domain.captured_golden import CapturedSession, captured_golden, difference, strengths
from apps.runs.goldens.domain.exchanges import paired, upload_remarks, with_uploads
from apps.runs.goldens.domain.turn_descriptions import LONGEST, description_of

T0 = datetime(2026, 5, 11, 9, 0, tzinfo=UTC)
PATTERNS = detection_patterns()


def user(text: str, second: float | None = None, **more: Any) -> Utterance:
    return Utterance(role=TurnRole.USER, content=text, ts=_at(second), **more)


def agent(text: str, second: float | None = None, **more: Any) -> Utterance:
    return Utterance(role=TurnRole.ASSISTANT, content=text, ts=_at(second), **more)


def _at(second: float | None) -> datetime | None:
    return None if second is None else T0 + timedelta(seconds=second)


def test_replies_are_joined_and_timed_to_the_last() -> None:
    greeting, first, second = paired(
        [[agent("Welcome"), user("Hi", 1), agent("One.", 3), agent("Two.", 43.5), user("Bye", 50)]]
    )
    assert (greeting.number, greeting.user, greeting.reply) == (0, None, "Welcome")
    assert (first.number, first.reply, first.latency_ms) == (1, "One.\n\nTwo.", 42_500)
    assert (second.number, second.replies, second.latency_ms) == (2, (), None)


@pytest.mark.parametrize("asked, answered", [(None, 1.0), (1.0, None), (5.0, 5.0), (5.0, 4.0)])
def test_a_latency_that_is_not_known_is_not_zero(asked: float | None, answered: float | None) -> None:
    assert paired([[user("Hi", asked), agent("Yes", answered)]])[0].latency_ms is None


def test_a_measured_latency_comes_before_times() -> None:
    assert paired([[user("Hi", 0), agent("Yes", 9, latency_ms=700)]])[0].latency_ms == 700


def test_conversations_are_joined_without_the_second_greeting() -> None:
    exchanges = paired([[agent("Welcome"), user("a"), agent("A")], [agent("Welcome back"), user("b"), agent("B")]])
    assert [(one.number, one.reply) for one in exchanges] == [(0, "Welcome"), (1, "A"), (2, "B")]


def test_nudges_and_prompts_are_left_out_and_calls_are_gathered() -> None:
    turns = [
        Utterance(role=TurnRole.SYSTEM, content="You are Bot."), user("a"),
        agent("", tool_calls=(ToolCall(name="find"),)), Utterance(role=TurnRole.TOOL, content="{}"),
        user("Please continue.", nudge=True), agent("A"),
    ]  # fmt: skip
    (one,) = paired([turns])
    assert (one.words, one.reply, [call.name for call in one.calls]) == ("a", "A", ["find"])


def upload_of(*turns: Utterance, named: dict[int, str] | None = None) -> Any:
    return with_uploads(paired([turns]), is_upload=PATTERNS.is_upload, named=named or {}, digests={"Z.pdf": "d"})[0]


@pytest.mark.parametrize(
    "turns, named, name, words",
    [
        ((user("See [I have attached a file: Z.pdf] please"), agent("ok")), {}, "Z.pdf", "See  please"),
        ((user("[i have attached a file:  Zelle offer.pdf ]"), agent("ok")), {}, "Zelle offer.pdf", ""),
        ((user(""), agent("I have successfully uploaded Z.pdf.")), {}, "Z.pdf", ""),
        ((user(" "), agent("Facts extracted, as they stand, from your document")), {}, "", ""),
        ((user(""), agent("I uploaded the document.")), {1: "Z.pdf"}, "Z.pdf", ""),
        ((user("", attachments=(Attachment(name="Z.pdf"),)), agent("ok")), {}, "Z.pdf", ""),
        ((user("Here you are"), agent("ok")), {1: "Z.pdf"}, "Z.pdf", "Here you are"),
    ],
)
def test_the_forms_of_an_upload(turns: tuple[Utterance, ...], named: dict[int, str], name: str, words: str) -> None:
    found = upload_of(*turns, named=named)
    assert found.upload is not None
    assert (found.upload.name, found.words) == (name, words)
    assert found.upload.sha256 == ("d" if name == "Z.pdf" else None)


@pytest.mark.parametrize(
    "turns", [(user("I uploaded the document"), agent("I uploaded the document")), (user(""), agent("The next step"))]
)
def test_what_is_no_upload(turns: tuple[Utterance, ...]) -> None:
    assert upload_of(*turns).upload is None


def test_what_a_person_has_to_say_is_said() -> None:
    exchanges = with_uploads(
        paired([[user(""), agent("uploaded the document"), user(""), agent("hm"), user("x"), agent("y")]]),
        is_upload=PATTERNS.is_upload, named={9: "far.pdf", 3: "here.pdf"}, digests={},
    )  # fmt: skip
    remarks = upload_remarks(exchanges, {9: "far.pdf", 3: "here.pdf"})
    assert [remark.partition(":")[0] for remark in remarks] == ["turn 9", "turn 1", "turn 2", "turn 3"]


def test_the_prose_of_an_approval_is_no_stage_call() -> None:
    """The seed's ADR-018: `step` and `stage` in ordinary sentences named GetCaseStages."""
    turns = [user("Yes"), agent("The next step requires 3rd party approval."), user("Where am I?"),
             agent("The current stage is Review.")]  # fmt: skip
    session = CapturedSession(ids=("c",), source="document", conversations=(tuple(turns),))
    document = captured_golden(session, name="c", patterns=PATTERNS, file_turns={}, digests={}).document
    assert [turn.get("expected_tools", []) for turn in document["turns"] if turn["role"] == "assistant"] == [
        [], ["GetCaseStages"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "words, reply, tools, file, found",
    [
        ("", "## Campaign brief\n\nDone", [], "Zelle.pdf", "Uploads Zelle.pdf: Campaign brief"),
        ("What is CPM?", "## Glossary\nx", ["glossary_agent"], None, "Asks: Glossary (glossary_agent)"),
        ("I approve.", "Fine", [], None, "Approves"),
        ("", "Welcome", [], None, "Greeting"),
        ("Nataka kukata nywele Ijumaa saa nne asubuhi", "Sawa", [], None, "Nataka kukata nywele Ijumaa saa nne …"),
    ],
)
def test_descriptions(words: str, reply: str, tools: list[str], file: str | None, found: str) -> None:
    assert description_of(words, reply, tools=tools, file=file) == found


ROLES = st.sampled_from([TurnRole.USER, TurnRole.ASSISTANT, TurnRole.TOOL, TurnRole.SYSTEM])
WORDS = st.sampled_from(["", "Hi", "## A\nuploaded the document x.pdf", "[I have attached a file: a.pdf]", "Yes / No"])
TURNS = st.lists(st.builds(Utterance, role=ROLES, content=WORDS | st.text(max_size=30)), max_size=12)


@settings(max_examples=60, deadline=None)
@given(st.lists(TURNS, min_size=1, max_size=3))
def test_nothing_of_the_customers_is_lost(conversations: list[list[Utterance]]) -> None:
    exchanges = paired(conversations)
    asked = [turn.content for turns in conversations for turn in turns if turn.role is TurnRole.USER]
    assert [one.raw_words for one in exchanges if one.user] == asked
    assert [one.number for one in exchanges if one.user] == list(range(1, len(asked) + 1))
    if not asked:
        return
    session = CapturedSession(ids=("c",), source="x", conversations=tuple(map(tuple, conversations)))
    document = captured_golden(session, name="c", patterns=PATTERNS, file_turns={}, digests={}).document
    assert sum(turn["role"] == "user" for turn in document["turns"]) == len(asked)
    assert difference(document, document) == []
    assert sum(strengths(document).values()) <= len(document["turns"])
    assert all(len(turn.get("description", "")) <= LONGEST for turn in document["turns"])
