"""Approving masks, names variables and proves gates; a replay plays filled values."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from apps.catalog.goldens.services.versions import store_golden_version
from apps.catalog.models import Agent, GoldenVersion
from apps.core.errors import BadInput, Conflict
from apps.runs.goldens.domain.gates import check_gate_pattern, prove_gates
from apps.runs.goldens.domain.replay_script import script_of
from apps.runs.goldens.domain.variables import DEFAULT_IDENTITY, filled, values_for, with_variables
from apps.runs.goldens.services.approval import approve_golden, reject_golden, released_document
from apps.runs.imports.services.jsonl import import_file
from tests.runs.stage import NOW, make_agent, only, play, replays, said

EXPECTED = json.loads(
    (Path(__file__).parents[1] / "examples" / "pega" / "expected" / "golden_PXCONV-4081.json").read_text()
)
PHONE, NAME = "0712 345 678", "Wanjiru Kamau"


def seed_file(folder: Path, **more) -> Path:
    """The campaign as the brief's recorder writes it: turn pairs with `input`, its profile beside it."""
    pairs = [{**pair, "gate_timeout": pair.get("gate_timeout")} for pair in [EXPECTED["greeting"], *EXPECTED["turns"]]]
    for pair in pairs:
        pair["expected_tools"], pair["step_agents"] = pair.pop("tools"), pair.pop("step_agents")
    pairs[1]["wait_for_pattern"] = "(?i)new campaign|campaign brief"
    pairs[2]["wait_for_pattern"] = "(?i)campaign brief"  # opens at the turn before as well
    (folder / "profile_zelle.json").write_text('{"agent_identity": {"role": "Campaign assistant"}}')
    (folder / "attachments").mkdir()
    (folder / "attachments" / "Zelle.pdf").write_bytes(b"%PDF-1.4 brief")
    (folder / "attachments" / "Marketing_Approval_Document.docx").write_bytes(b"PK approved")
    file = folder / "golden_Zelle_20260515.json"
    document = {"name": "Zelle", "profile": "profile_zelle.json", "captured_at": "2026-05-15", "turns": pairs, **more}
    file.write_text(json.dumps(document, indent=2))
    return file


def imported(file: Path):
    return import_file(path=file, into="golden", name="", now=datetime(2026, 5, 15, tzinfo=UTC))


def turns_of(role: str, document) -> list[dict]:
    return [turn for turn in document["turns"] if turn["role"] == role]


def test_the_seeds_own_file_loads_with_profile_files_and_greeting(tenant, tmp_path):
    report = imported(seed_file(tmp_path))
    assert (report.kept, report.refused) == (1, ())
    (swapped,) = report.notes
    assert swapped.startswith("Zelle: /turns/4/wait_for_pattern: “(?i)campaign brief” does not tell this reply")
    row = GoldenVersion.objects.get()
    assert (row.golden.name, row.status, row.approved_by) == ("Zelle", "approved", "import")
    assert row.profile == {"agent_identity": {"role": "Campaign assistant"}}
    assert row.document["turns"][0]["role"] == "assistant"  # the greeting: nobody had said anything
    users = turns_of("user", row.document)
    assert len(users) == 12
    assert (users[1]["content"], users[1]["file_attachment"]["name"]) == ("", "Zelle.pdf")
    assert re.fullmatch("[0-9a-f]{64}", users[1]["file_attachment"]["sha256"])


def test_a_golden_whose_file_is_unknown_waits_until_it_is_there(tenant, tmp_path):
    file = seed_file(tmp_path)
    missing = tmp_path / "attachments" / "Marketing_Approval_Document.docx"
    missing.unlink()
    report = imported(file)
    assert (report.kept, report.refused) == (1, ())
    absent, waits = report.notes
    assert absent == (
        "Zelle: /turns/21/file_attachment: the file Marketing_Approval_Document.docx is not there: "
        "put it beside the document, in attachments/"
    )
    assert waits.startswith("Zelle: it waits for approval as version 1: /turns/21/file_attachment: the file")
    row = GoldenVersion.objects.get()
    assert row.status == "candidate"
    with pytest.raises(BadInput) as refused:
        approve_golden(version_id=row.pk, by="amina", now=NOW)
    assert (refused.value.code, refused.value.pointer) == ("file_missing", "/turns/21/file_attachment")
    missing.write_bytes(b"PK approved")
    assert imported(file).refused == ()
    assert GoldenVersion.objects.get(number=2).status == "approved"


def test_a_number_of_the_agents_own_is_needed_of_its_test_identity(tenant):
    make_agent("Fine.")
    document = {"id": "g", "turns": [{"role": "user", "content": "My order #W7181492"}]}
    version = store_golden_version(name="g", document=document, agent=Agent.objects.get().name)
    done = approve_golden(version_id=version.version_id, by="amina", now=NOW)
    assert done.notes[0].startswith("it needs number of a test identity")
    assert [(one.number, one.before) for one in done.changed] == [(1, "My order #W7181492")]
    with pytest.raises(BadInput) as refused:
        replays("g")
    assert (refused.value.code, refused.value.pointer) == ("missing_identity", "/test_identities")
    Agent.objects.update(profile={"test_identities": [{"name": "Otieno Test", "number": "7181000"}]})
    run = replays("g")
    assert script_of(only(run).spec["golden"]["document"])[0].text == "My order #W7181000"


def test_what_is_kept_to_the_letter_is_masked_when_it_is_rejected(tenant):
    turn = {"role": "user", "content": f"I am on {PHONE}", "to_the_letter": True}
    stored = store_golden_version(name="g", document={"id": "g", "turns": [turn]})
    reject_golden(version_id=stored.version_id, now=NOW)
    assert PHONE not in json.dumps(GoldenVersion.objects.get().document)


def test_what_masking_takes_out_becomes_variables_in_replies_too(tenant, tmp_path):
    imported(seed_file(tmp_path))
    document = GoldenVersion.objects.get().document
    text = json.dumps(document)
    assert PHONE not in text
    assert "712345678" not in text
    assert "Wanjiru" not in text
    assert turns_of("user", document)[0]["content"].endswith(
        "{{ customer.name }} and my phone is {{ customer.phone }}."
    )
    assert "Contact: {{ customer.name }}, {{ customer.phone }}" in text
    assert turns_of("user", document)[3]["content"] == "Start on {{ day+3 }} at 14:00, please."
    assert "ends on {{ day+16 comma }}" in text
    assert document["variables"]["customer.phone"] == {"fill": "identity", "kind": "phone"}


def test_a_golden_of_may_is_played_in_november_with_the_agents_test_identity(tenant, tmp_path):
    imported(seed_file(tmp_path))
    make_agent(*(["Fine."] * 12))
    Agent.objects.update(profile={"test_identities": [{"name": "Otieno Test", "phone": "0700 000 009"}]})
    run = replays("Zelle")  # NOW is 1 March 2026
    spec = only(run).spec
    assert spec["variables"]["day+3"] == "2026-03-04"
    first = script_of(spec["golden"]["document"])[0].text
    assert first.endswith("My name is Otieno Test and my phone is 0700 000 009.")
    assert "Wednesday, 4 March 2026" in json.dumps(spec["golden"]["document"])
    assert "{{" not in json.dumps(spec["golden"]["document"]["turns"])
    assert spec["golden_digest"] == GoldenVersion.objects.get().digest
    play()
    assert said(only(run), "user")[0][1] == first
    Agent.objects.update(profile={"test_identities": [{"name": "Otieno Test"}]})
    with pytest.raises(BadInput, match=r"customer\.phone") as refused:
        replays("Zelle")
    assert refused.value.code == "missing_identity"


def test_descriptions_and_bare_first_names_have_variables_too():
    turns = [
        {
            "role": "user", "content": "My name is Wanjiru Kamau, book me for 28 November 2026",
            "ts": "2026-11-25T09:00:00Z",
        },
        {
            "role": "assistant", "content": "Thanks Wanjiru! Wanjiru Kamau, 28 November 2026.",
            "description": "Book me for 28 November 2026: Booked",
        },
    ]  # fmt: skip
    document, _ = released_document({"id": "g", "turns": turns}, now=NOW)
    reply = document["turns"][1]
    assert reply["content"] == "Thanks {{ customer.first_name }}! {{ customer.name }}, {{ day+3 long }}."
    assert reply["description"] == "Book me for {{ day+3 long }}: Booked"
    values = values_for(document, identity={"name": "Achieng Test"}, now=datetime(2026, 12, 1, tzinfo=UTC))
    assert filled(reply["content"], values) == "Thanks Achieng! Achieng Test, 4 December 2026."


def test_without_a_test_identity_the_shipped_one_is_played():
    document, _ = with_variables(
        {"turns": [{"role": "user", "content": f"{PHONE}, a@b.co.ke, or 0722 111 222"}]}, captured=NOW
    )
    assert document["turns"][0]["content"] == "{{ customer.phone }}, {{ customer.email }}, or {{ customer.phone_2 }}"
    values = values_for(document, identity=DEFAULT_IDENTITY, now=NOW)
    assert values["customer.phone_2"] != values["customer.phone"]
    assert "{{" not in filled(document["turns"][0]["content"], values)


def test_test_data_stays_to_the_letter(tenant):
    document = {"id": "g", "turns": [{"role": "user", "content": f"I am on {PHONE}, 2026-05-18"}]}
    version = store_golden_version(name="g", document=document)
    approve_golden(version_id=version.version_id, by="amina", now=NOW, test_data=True)
    row = GoldenVersion.objects.get()
    assert (row.document, row.test_data) == (document, True)
    with pytest.raises(Conflict):
        approve_golden(version_id=version.version_id, by="amina", now=NOW)


def test_a_rejected_candidate_leaves_nothing_raw_behind(tenant):
    document = {"id": "g", "turns": [{"role": "user", "content": f"I am on {PHONE}"}]}
    reject_golden(version_id=store_golden_version(name="g", document=document).version_id, now=NOW)
    assert PHONE not in json.dumps(GoldenVersion.objects.get().document)


def test_a_failing_replay_becomes_golden_only_with_a_reason(tenant):
    document = {"id": "g", "replaces_failure": "run 7", "turns": [{"role": "user", "content": "Hi"}]}
    version = store_golden_version(name="g", document=document)
    with pytest.raises(BadInput) as refused:
        approve_golden(version_id=version.version_id, by="amina", now=NOW, note=" ")
    assert (refused.value.code, GoldenVersion.objects.get().status) == ("reason_required", "candidate")
    approve_golden(version_id=version.version_id, by="amina", now=NOW, note="The price list is new.")
    assert GoldenVersion.objects.get().note == "The price list is new."


def assistant(*replies: tuple[str, str | None]) -> list[dict]:
    return [{"role": "assistant", "content": text, "wait_for_pattern": pattern} for text, pattern in replies]


def test_gates_are_proven_narrowed_or_marked_weak():
    turns = assistant(
        ("## Campaign brief\nPlease upload the brief.", "brief"),
        ("## Audience approval\nThe brief is stored.", "brief"),  # opens one turn early: narrowed
        ("Thank you, wonderful.", "goodbye"),  # does not even open for its own reply
        ("Yes.", "Yes"),
        ("Yes.", "Yes"),  # nothing to hold on to
    )
    proofs = prove_gates(turns)
    assert [(one.strength.value, one.narrowed) for one in proofs] == [
        ("unique", False), ("unique", True), ("weak", True), ("unique", False), ("weak", False),
    ]  # fmt: skip
    for proof in proofs[:3]:
        assert re.search(proof.pattern, turns[proof.position]["content"])
        assert not any(re.search(proof.pattern, turns[at]["content"]) for at in range(proof.position))


def test_import_proves_gates_and_keeps_their_strength(tenant, tmp_path):
    imported(seed_file(tmp_path))
    gated = [turn for turn in GoldenVersion.objects.get().document["turns"] if "gate_strength" in turn]
    assert [turn["gate_strength"] for turn in gated] == ["unique", "unique"]
    assert gated[1]["wait_for_pattern"] != "(?i)campaign brief"


@pytest.mark.parametrize(
    "change, pointer",
    [
        ({"wait_for_pattern": "("}, "/turns/0/wait_for_pattern"),
        ({"wait_for_pattern": "(a+)+$"}, "/turns/0/wait_for_pattern"),
        ({"wait_for_pattern": 7}, "/turns/0/wait_for_pattern"),
        ({"gate_timeout": -1}, "/turns/0/gate_timeout"),
        ({"expected_tools": [""]}, "/turns/0/expected_tools/0"),
        ({"expected_tools": [{"name": "x", "match": "fuzzy"}]}, "/turns/0/expected_tools/0/match"),
        ({"expected_tools": [{"name": "x", "arguments": 3}]}, "/turns/0/expected_tools/0/arguments"),
        (
            {"expected_tools": [{"name": "x", "match": "regex", "arguments": {"a": ["(("]}}]},
            "/turns/0/expected_tools/0/arguments/a/0",
        ),
        (
            {"expected_tools": [{"name": "x", "match": "regex", "arguments": {"a": "(a+)+$"}}]},
            "/turns/0/expected_tools/0/arguments/a",
        ),
        ({"file_attachment": 3}, "/turns/0/file_attachment"),
        ({"file_attachment": {"name": "x", "path": "/etc/passwd"}}, "/turns/0/file_attachment/path"),
        ({"file_attachment": {"name": "x", "path": "../x"}}, "/turns/0/file_attachment/path"),
        ({"reply": 5}, "/turns/0/response"),
    ],
)
def test_what_is_wrong_in_a_golden_file_is_named_by_its_path(tenant, tmp_path, change, pointer):
    pair = {"input": "Hi", "reply": "Hello aaaa", **change}
    file = tmp_path / "golden_x_1.json"
    file.write_text(json.dumps({"name": "x", "turns": [pair]}, indent=1))
    report = imported(file)
    assert (report.kept, len(report.refused)) == (0, 1)
    assert pointer in report.refused[0].message
    assert not GoldenVersion.objects.exists()


def test_a_file_that_is_no_json_names_its_line_and_a_missing_profile_is_told(tenant, tmp_path):
    file = tmp_path / "golden_x_1.json"
    file.write_text('{"name": "x",\n "turns": [,]}')
    assert "line 2" in imported(file).refused[0].message
    file.write_text(json.dumps({"name": "x", "profile": "gone.json", "turns": [{"input": "Hi", "reply": "Hello"}]}))
    assert imported(file).notes == ("x: the profile gone.json is not there: judged by the agent's own",)


def test_a_pattern_of_a_person_is_refused_at_its_field():
    with pytest.raises(BadInput) as refused:
        check_gate_pattern("(x+x+)+y", "/turns/3/wait_for_pattern")
    assert refused.value.pointer == "/turns/3/wait_for_pattern"


def test_a_reply_without_words_is_told_and_cannot_be_approved(tenant):
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": " \n"}]
    version = store_golden_version(name="g", document={"id": "g", "turns": turns})
    with pytest.raises(BadInput) as refused:
        approve_golden(version_id=version.version_id, by="amina", now=NOW)
    assert (refused.value.code, refused.value.pointer) == ("empty_reply", "/turns/1/content")
