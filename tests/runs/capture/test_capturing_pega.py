"""PXCONV-4081, held on the loopback Pega, captured and compared with what was written down by hand apart from this."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.catalog.fields import Secrets
from apps.catalog.goldens.queries.versions import current_goldens, versions_of
from apps.catalog.models import Agent, GoldenVersion, StoredFile
from apps.connectors.agents import oauth
from apps.core.patterns import compile_pattern
from tests.connectors.pega_process import pega_process, pega_spec

EXPECTED_FOLDER = Path(__file__).parents[2] / "examples" / "pega" / "expected"
EXPECTED = json.loads((EXPECTED_FOLDER / "golden_PXCONV-4081.json").read_text())
CONFIG = EXPECTED_FOLDER.parents[3] / "examples" / "pega" / "project_config.campaign.json"
ID = "PXCONV-4081"


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with pega_process("--lag-s", "0.1") as address:
        yield address


@pytest.fixture
def campaign(tenant: str, base: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    oauth._tokens.clear()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PROJECT_CONFIG", raising=False)
    make_campaign(base)
    return tenant


def make_campaign(base: str) -> None:
    """The agent of the loopback Pega."""
    spec = pega_spec(base)
    fields: dict[str, Any] = {"address": spec.address, "options": spec.options, "secrets": Secrets(spec.secrets)}
    Agent.objects.create(name="campaign", kind="agentx", timeout_s=20.0, **fields)


def capture(tenant: Any, *arguments: str) -> Any:
    """What the command answers as JSON."""
    out = StringIO()
    call_command("capture_session", "--tenant", tenant, "--agent", "campaign", "--json", *arguments, stdout=out)
    return json.loads(out.getvalue())


def by_turn(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The document in the words of the expectation: a row for each turn of the customer's, the greeting first."""
    rows = [{"input": "", "turns": []}]
    for turn in document["turns"]:
        if turn["role"] == "user":
            rows.append({"input": turn["content"], "file": turn.get("file_attachment"), "turns": []})
        else:
            rows[-1]["turns"].append(turn)
    return rows


def test_the_capture_is_the_hand_checked_golden(campaign: Any) -> None:
    answer = capture(campaign, "--conversation-id", ID, "--project-config", str(CONFIG))
    (golden,) = versions_of(ID)
    rows = by_turn(golden.document)
    expected = [EXPECTED["greeting"], *EXPECTED["turns"]]
    assert len(rows) == len(expected) == 13
    for row, wanted in zip(rows, expected, strict=True):
        (reply,) = row["turns"]
        assert row["input"] == wanted["input"]
        assert reply["content"] == wanted["reply"]
        assert reply.get("latency_ms") == wanted["latency_ms"]
        assert reply.get("expected_tools", []) == wanted["tools"]
        assert reply.get("step_agents", []) == wanted["step_agents"]
        assert reply.get("gate_timeout") == wanted.get("gate_timeout")
        assert (row.get("file") or {}).get("name") == (wanted.get("file_attachment") or {}).get("name")
    assert golden.document["case"]["id"] == EXPECTED["case"]
    assert golden.document["all_tools_used"] == EXPECTED["all_tools_used"]
    assert golden.document["step_agents_by_source"] == EXPECTED["step_agents_by_source"]
    assert answer["golden"] == ID
    assert (answer["version"], answer["turns"], answer["profile"]) == (1, 12, f"{ID}@1")
    assert sum(answer["gates"].values()) == 12
    assert golden.status == "candidate"


def test_every_gate_holds_its_own_turn_and_no_earlier_one(campaign: Any) -> None:
    answer = capture(campaign, "--conversation-id", ID, "--project-config", str(CONFIG))
    turns = versions_of(ID)[0].document["turns"]
    for position, turn in enumerate(turns):
        if turn.get("gate_strength") == "unique":
            pattern = compile_pattern(turn["wait_for_pattern"])
            assert pattern.found_in(turn["content"])
            earlier = [one for one in turns[:position] if one["role"] == "assistant"]
            assert not [one for one in earlier if pattern.found_in(one["content"])]
    assert answer["gates"]["unique"] == 12


def test_a_capture_says_that_it_waits_for_approval_and_where(campaign: Any) -> None:
    assert capture(campaign, "--conversation-id", ID, "--name", "w")["status"] == "candidate"
    said = StringIO()
    asked = ("--tenant", campaign, "--agent", "campaign", "--conversation-id", ID, "--name", "w")
    call_command("capture_session", *asked, stdout=said)
    assert "it waits for approval: in the browser, Test set → Golden sessions → w" in said.getvalue()
    assert "--approve" in said.getvalue()


def test_a_second_capture_shows_what_changed_and_overwrites_nothing(campaign: Any) -> None:
    first = capture(campaign, "--conversation-id", ID, "--name", "weekend")
    again = capture(campaign, "--conversation-id", ID, "--name", "weekend")
    assert (first["is_new"], again["is_new"], again["version"], again["changes"]) == (True, False, 1, [])
    other = capture(campaign, "--conversation-id", ID, "--name", "weekend", "--project-config", str(CONFIG),
                    "--file-turn", "11:Approval.docx")  # fmt: skip
    assert (other["is_new"], other["version"], other["profile"]) == (True, 2, "weekend@2")
    changes = "\n".join(other["changes"])
    assert '-11 file_attachment: {"name": "Marketing_Approval_Document.docx"' in changes
    assert '+11 file_attachment: {"name": "Approval.docx"' in changes
    assert '+10 expected_tools: ["SubmitCampaign"]' in changes
    assert " assistant: " not in changes  # what was said is the same
    assert "Zelle.pdf" not in changes
    assert GoldenVersion.objects.count() == 2


def test_files_beside_the_capture_go_with_it(campaign: Any, tmp_path: Path) -> None:
    (tmp_path / "attachments").mkdir()
    (tmp_path / "attachments" / "Zelle.pdf").write_bytes(b"%PDF zelle")
    (tmp_path / "signed.docx").write_bytes(b"signed")
    answer = capture(campaign, "--conversation-id", ID, "--file-turn", f"11:{tmp_path / 'signed.docx'}", "--out", "out")
    golden_file, profile_file = Path(answer["files"][1]), Path(answer["files"][0])
    written = json.loads(golden_file.read_text())
    assert golden_file.name.startswith(f"golden_{ID}_")
    assert written["profile"] == profile_file.name
    assert json.loads(profile_file.read_text())["tool_patterns"]
    files = [turn["file_attachment"] for turn in written["turns"] if turn.get("file_attachment")]
    assert [file["path"] for file in files] == ["attachments/Zelle.pdf", "attachments/signed.docx"]
    assert StoredFile.objects.filter(sha256__in=[file["sha256"] for file in files]).count() == 2
    assert (Path("out") / "attachments" / "signed.docx").read_bytes() == b"signed"
    assert not [remark for remark in answer["remarks"] if "is not here" in remark]


def test_an_approved_capture_is_masked_and_can_be_replayed(
    campaign: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("attachments").mkdir()
    for name in ("Zelle.pdf", "Marketing_Approval_Document.docx", "Approval.docx"):
        (Path("attachments") / name).write_bytes(b"%PDF-1.4 brief")
    answer = capture(
        campaign, "--conversation-id", ID, "--name", "weekend", "--approve", "--project-config", str(CONFIG)
    )
    assert answer["approved"]
    assert answer["gates"]["unique"] == 12
    golden = current_goldens(["weekend"])["weekend"]
    text = json.dumps(golden.document)
    assert "0712 345 678" not in text
    assert "254712345678" not in text
    assert answer["variables"]
    again = capture(
        campaign, "--conversation-id", ID, "--name", "weekend", "--approve", "--project-config", str(CONFIG)
    )
    assert (again["is_new"], again["version"], again["changes"]) == (False, 1, [])  # masked, it is the same
    other = capture(campaign, "--conversation-id", ID, "--name", "weekend", "--project-config", str(CONFIG),
                    "--file-turn", "11:Approval.docx")  # fmt: skip
    assert (other["is_new"], other["version"]) == (True, 2)
    changed = [line for line in other["changes"] if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert [line.split('"path": ')[0] for line in changed] == [
        '-11 file_attachment: {"name": "Marketing_Approval_Document.docx", ',
        '+11 file_attachment: {"name": "Approval.docx", ',
    ]


def test_the_written_files_load_as_they_are(campaign: Any, tmp_path: Path) -> None:
    answer = capture(
        campaign, "--conversation-id", ID, "--name", "weekend", "--out", "out", "--project-config", str(CONFIG)
    )
    (golden,) = versions_of("weekend")
    file = Path(answer["files"][1])
    document = json.loads(file.read_text())
    file.write_text(json.dumps({**document, "name": "elsewhere"}))
    call_command("import_conversations", str(file), "--as", "golden", "--tenant", campaign, "--json", stdout=StringIO())
    (loaded,) = versions_of("elsewhere")
    assert len(loaded.document["turns"]) == len(golden.document["turns"])
    assert loaded.profile["tool_patterns"] == golden.profile["tool_patterns"]
    assert [turn.get("wait_for_pattern") for turn in loaded.document["turns"]] == [
        turn.get("wait_for_pattern") for turn in golden.document["turns"]
    ]


def test_several_conversations_become_one_session(campaign: Any) -> None:
    answer = capture(campaign, "--conversation-id", ID, ID, "--name", "once")
    assert answer["turns"] == 12  # the same id twice is one conversation


def test_who_does_not_know_the_names_of_files_is_told_where_to_say_them(
    tenant: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    oauth._tokens.clear()
    monkeypatch.chdir(tmp_path)
    with pega_process("--lag-s", "0", "--variant", "no-attachment-names") as base:
        make_campaign(base)
        answer = capture(tenant, "--conversation-id", ID)
        assert [remark for remark in answer["remarks"] if "--file-turn 11:NAME" in remark]
        named = capture(tenant, "--conversation-id", ID, "--file-turn", "2:Zelle.pdf", "11:Signed.docx")
        assert not [remark for remark in named["remarks"] if "whose name is not known" in remark]


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("--conversation-id", "PXCONV-1"), "PXCONV-1"),
        ((), "at least one conversation"),
        (("--conversation-id", ID, "--file-turn", "Zelle.pdf"), "is not TURN:FILE"),
        (("--conversation-id", ID, "--file-turn", "2:a.pdf", "2:b.pdf"), "turn 2 is given two files"),
        (("--file", "nowhere.json"), "nowhere.json cannot be read"),
        (("--conversation-id", ID, "--project-config", "nowhere.json"), "nowhere.json"),
        (("--conversation-id", "t", "--from", "langfuse"), "LANGFUSE_BASE_URL"),
    ],
)
def test_wrong_use_is_named_and_stores_nothing(campaign: Any, arguments: tuple[str, ...], words: str) -> None:
    with pytest.raises(CommandError, match=words) as refused:
        capture(campaign, *arguments)
    assert refused.value.returncode in (2, 3)
    assert not GoldenVersion.objects.exists()


def test_a_silent_turn_nobody_recognises_is_told(campaign: Any, tmp_path: Path) -> None:
    document = {"id": "d", "turns": [
        {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Your file, please."},
        {"role": "user", "content": ""}, {"role": "assistant", "content": "Asante."}]}  # fmt: skip
    (tmp_path / "d.json").write_text(json.dumps(document))
    answer = capture(campaign, "--file", "d.json")
    assert "turn 2: the customer's turn is empty and no upload was recognised" in answer["remarks"][0]
