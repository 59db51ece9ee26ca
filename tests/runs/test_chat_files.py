"""One door for files of conversations: what each is taken for, and one sentence for what is not taken."""

import json
from pathlib import Path
from typing import Any

import pytest

from apps.core.document_parsing import parse_document
from apps.core.errors import BadInput
from apps.runs.chat_files.domain.transcripts import Reading, reading_of
from apps.runs.chat_files.services.reading import chat_file

ASKED, TOLD = {"role": "user", "content": "Open?"}, {"role": "assistant", "content": "Till six."}
WANTED = [("user", "Open?"), ("assistant", "Till six.")]
GPT = {"mapping": {
    "2": {"message": {"author": {"role": "assistant"}, "create_time": 2, "content": {"parts": ["Till six."]}}},
    "0": {"message": None},
    "1": {"message": {"author": {"role": "user"}, "create_time": 1, "content": {"parts": ["Open?"]}}},
}}  # fmt: skip


def read(folder: Path, text: str | bytes, how: Reading | None = None) -> tuple[str, list[tuple[str, list[Any]]]]:
    path = folder / "chats.bin"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    file = chat_file(path, how or Reading())
    documents = [parse_document(raw, default_id=f"line-{line}") for line, raw in file.documents]
    return file.form, [(one.id, [(turn.role.value, turn.content) for turn in one.turns]) for one in documents]


@pytest.mark.parametrize(
    "value, form",
    [
        ([{"id": "a", "messages": [ASKED, TOLD]}], "a JSON list of conversations (messages of a model's API)"),
        ([{"id": "a", "turns": [ASKED, TOLD]}], "a JSON list of conversations (conversation documents)"),
        ({"id": "a", "turns": [ASKED, TOLD]}, "JSON (conversation documents)"),
        ([ASKED, TOLD], "a JSON list of conversations (messages of a model's API)"),
        ({"conversations": [{"id": "a", "messages": [ASKED, TOLD]}]}, "JSON (messages of a model's API)"),
        ({"data": [{"id": "a", "dialogue": [ASKED, TOLD]}]}, "JSON (lists of messages)"),
        ([{"title": "a", **GPT}], "a JSON list of conversations (ChatGPT's export)"),
        ([{"id": "a", "conversations": [{"from": "human", "value": "Open?"}, {"from": "gpt", "value": "Till six."}]}],
         "a JSON list of conversations (ShareGPT)"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("indent", [None, 2])
def test_json_of_any_form_and_layout_is_taken(tmp_path: Path, value: Any, form: str, indent: int | None) -> None:
    found, documents = read(tmp_path, json.dumps(value, indent=indent))
    assert [turns for _, turns in documents] == [WANTED]
    assert found == form or (indent is None and isinstance(value, dict) and found.startswith("JSON lines"))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([{"code": n, "meaning": "late"} for n in range(30)]),
        "\n".join(json.dumps({"quote": n, "judge": "b"}) for n in range(30)),
        json.dumps({"data": [{"input": {"q": "Open?"}, "id": "a"}]}),
        "[1, 2]",
    ],
)
def test_json_in_which_nobody_speaks_is_one_sentence_and_no_error_a_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match="is JSON without conversations") as refused:
        read(tmp_path, text)
    assert refused.value.code == "unknown_form"


@pytest.mark.parametrize(
    "document",
    [
        {"conversation_id": "a", "messages": [ASKED, TOLD]},
        {
            "session_id": "a",
            "chat_history": [{"type": "human", "content": "Open?"}, {"type": "ai", "content": "Till six."}],
        },
        {"id": "a", "inputs": {"messages": [ASKED]}, "outputs": {"messages": [TOLD]}},
        {"id": "a", "inputs": {"question": "Open?"}, "outputs": {"answer": "Till six."}},
        {"id": "a", "prompt": "Open?", "completion": "Till six."},
        {
            "id": "a",
            "dialog": [{"speaker": "Customer", "text": "Open?"}, {"speaker": "agent", "utterance": "Till six."}],
        },
    ],
)
def test_json_lines_of_other_programs_are_taken(tmp_path: Path, document: dict[str, Any]) -> None:
    form, documents = read(tmp_path, "\n".join(json.dumps(one) for one in (document, {**document, "id": "b"})))
    assert documents[0] == ("a", WANTED)
    assert form.startswith("JSON lines, one conversation a line")


@pytest.mark.parametrize(
    "head, how",
    [
        ("session_id,role,content", ""), ("ticket_id;sender;message", ""), ("conversation_id\tspeaker\ttext", ""),
        ("no,who_wrote,what", "speaker=who_wrote,text=what,conversation=no"),
    ],
)  # fmt: skip
def test_a_table_with_a_row_a_message_is_taken(tmp_path: Path, head: str, how: str) -> None:
    mark = next(sign for sign in "\t;," if sign in head)
    rows = [
        ["s1", "user", "Open?"],
        ["s2", "customer", "Open?"],
        ["s1", "assistant", "Till six."],
        ["s2", "bot", "Till six."],
    ]
    text = "\n".join([head, *(mark.join(row) for row in rows)])
    form, documents = read(tmp_path, text, reading_of(customer="", columns=how))
    assert (form, documents) == (
        "a table of messages",
        [("s1", WANTED), ("s2", WANTED)],
    )


def test_columns_and_speakers_that_nobody_can_know_are_asked_for(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="which column is speaker") as asked:
        read(tmp_path, "text,mood\nOpen?,good\n")
    assert asked.value.code == "ask_columns"
    with pytest.raises(BadInput, match="which of these is the customer: Achieng, Zawadi") as asked:
        read(tmp_path, "Achieng: Open?\nZawadi: Till six.\n")
    assert asked.value.code == "ask_customer"
    with pytest.raises(BadInput, match="nobody called 'Otieno' speaks"):
        read(tmp_path, "Achieng: Open?\nZawadi: Till six.\n", Reading(customer="Otieno"))


@pytest.mark.parametrize(
    "line",
    [
        "[12/05/2024, 10:01:22] {who}: {text}", "12/05/24, 10:01 - {who}: {text}",
        "\u200e[5/12/24, 10:01:22\u202fAM] {who}: {text}",
        "12.05.2024, 10:01 - {who}: {text}", "2024-05-12, 10:01 - {who}: {text}",
    ],
)  # fmt: skip
def test_a_whatsapp_chat_is_taken_and_its_writers_are_masked(tmp_path: Path, line: str) -> None:
    said = [
        ("Achieng", "Open? Call me on 0712 345 678"),
        ("Kipusa Salon", "Till six, Achieng.\nSee you"),
        ("Achieng", "Ok"),
    ]
    text = "\n".join([*(line.format(who=who, text=text) for who, text in said), "12/05/24, 10:09 - Zawadi left"])
    form, documents = read(tmp_path, text, Reading(customer="Achieng"))
    assert form == "an exported WhatsApp chat"
    roles = [role for role, _ in documents[0][1]]
    words = " ".join(content for _, content in documents[0][1])
    assert roles == ["user", "assistant", "user"]
    assert "Achieng" not in words
    assert "345 678" not in words or "***" in words


@pytest.mark.parametrize(
    "text, talks",
    [
        ("Customer: Open?\nAgent: Till six.\n", 1),
        ("User: Open?\nSupport bot: Till six.\n---\nUser: Open?\nSupport bot: Till\nsix.\n", 2),
        ("**Mteja:** Open?\n**Wakala:** Till six.\n", 1),
        ("Client: Open?\nZawadi: Till six.\n", 1),
    ],
)
def test_a_transcript_is_taken(tmp_path: Path, text: str, talks: int) -> None:
    form, documents = read(tmp_path, text)
    assert form == "a transcript with a speaker before each line"
    assert len(documents) == talks
    assert [role for role, _ in documents[0][1]] == ["user", "assistant"]


@pytest.mark.parametrize(
    "text, why",
    [
        ("version https://git-lfs.github.com/spec/v1\noid sha256:a\nsize 3\n", "Git LFS pointer"),
        ("<html><body>Not found</body></html>", "its form is not known"),
        ("Once upon a time there was a salon.\n", "its form is not known"),
        ("", "its form is not known"),
        (b"\xff\xfeC\x00u\x00", "not UTF-8"),
        ("[1, 2", "begins as JSON"),
    ],
)
def test_what_is_not_taken_is_refused_in_one_sentence(tmp_path: Path, text: str | bytes, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        read(tmp_path, text)


NURSES = [{"role": "patient", "content": "Open?"}, {"role": "nurse", "content": "Till six."}]


@pytest.mark.parametrize(
    "value",
    [
        {"a": {"messages": [ASKED, TOLD]}, "b": {"id": "b", "messages": [ASKED, TOLD]}},
        {"a": [{"sender": "guest", "message": "Open?", "time": "20/01/2025, 9:00"},
               {"sender": "host", "message": "Till six."}], "b": [ASKED, TOLD]},
        {"conversations": [{"session_id": "a", "turns": NURSES}, {"session_id": "b", "turns": NURSES}]},
        [{"id": one, "input": "Open?", "response": "Till six."} for one in "ab"],
    ],
)  # fmt: skip
def test_conversations_under_their_ids_and_speakers_by_other_names_are_taken(tmp_path: Path, value: Any) -> None:
    _, documents = read(tmp_path, json.dumps(value))
    assert documents == [("a", WANTED), ("b", WANTED)]


def test_json_with_speakers_that_nobody_knows_asks_who_the_customer_is(tmp_path: Path) -> None:
    value = [{"id": "a", "messages": [{"from": "Asha", "text": "Open?"}, {"from": "Juma", "text": "Till six."}]}]
    with pytest.raises(BadInput, match="which of these is the customer: Asha, Juma") as asked:
        read(tmp_path, json.dumps(value))
    assert asked.value.code == "ask_customer"


@pytest.mark.parametrize(
    "text",
    [
        'conversation_id,script\na,"\nuser: Open?\nassistant: Till six.\n   "\nb,"user: Open?\nassistant: Till six."\n',
        "session,user_message,bot_response\na,Open?,Till six.\nb,Open?,Till six.\n",
        "ticket_id,sender_type,message_text\n"
        + "".join(f"{one},customer,Open?\n{one},agent,Till six.\n" for one in "ab"),
    ],
)
def test_a_table_with_a_conversation_a_pair_or_a_message_in_a_row_is_taken(tmp_path: Path, text: str) -> None:
    _, documents = read(tmp_path, text)
    assert documents == [("a", WANTED), ("b", WANTED)]


def test_a_contact_centres_transcript_with_its_events_is_taken(tmp_path: Path) -> None:
    joined = {"Type": "EVENT", "ParticipantRole": "CUSTOMER", "AbsoluteTime": "2026-03-02T10:00:00.000Z"}
    asked = {**joined, "Type": "MESSAGE", "Content": "Open?"}
    told = {**asked, "ParticipantRole": "AGENT", "Content": "Till six."}
    contact = {"ContactId": "a", "Transcript": [joined, asked, told]}
    for indent in (None, 2):
        assert read(tmp_path, json.dumps(contact, indent=indent))[1] == [("a", WANTED)]
    inside = {"status": "ok", "data": {"id": "a", "transcripts": [asked, told]}}
    assert read(tmp_path, json.dumps(inside))[1] == [("a", WANTED)]


def test_json_of_no_known_form_is_not_called_no_json(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"is JSON without conversations.*the first has version, lines"):
        read(tmp_path, json.dumps({"version": 1, "lines": 3}))
