"""Each fault shows where it should and nowhere else; each variant is another form of the same answer."""

import subprocess
import sys
import time

import httpx
import pytest

from examples.pega.__main__ import main
from examples.pega.switches import NodeFault, Variant
from tests.examples.pega.calls import EXPECTED, FORM, ROOT, TALKS, TOKEN, V2, PegaCalls, pega, process

GOLDEN = [turn["reply"] for turn in EXPECTED["turns"]]


def played(node: PegaCalls, until: int = 12) -> list[str]:
    cid = node.create()
    return [reply.replace(cid[7:], "4081") for reply in node.play(cid, until)]


def differing(replies: list[str]) -> list[int]:
    return [number for number, (one, other) in enumerate(zip(replies, GOLDEN, strict=False), 1) if one != other]


@pytest.mark.parametrize(
    "fault, turns, shows",
    [
        (NodeFault.FORGETS_DATE, [10], "tell me again on which day"),
        (NodeFault.WRONG_PRICE, [8], "KES 1,800"),
        (NodeFault.SKIPS_TOOL, [9], "not much is left"),
        (NodeFault.EXTRA_TOOL, [3], "in the glossary"),
        (NodeFault.HALLUCINATES, [7], "radio spots"),
        (NodeFault.REFUSES, [6, 7, 8, 9, 10, 11, 12], "cannot help"),
    ],
)
def test_a_fault_of_the_agent_changes_its_own_turns(fault: NodeFault, turns: list[int], shows: str) -> None:
    with pega("--fault", fault) as node:
        replies = played(node)
    assert differing(replies) == turns
    assert shows in replies[turns[0] - 1]


def test_rewording_keeps_headings_choices_and_values() -> None:
    with pega("--fault", "reworded") as node:
        replies = played(node)
    assert differing(replies) == list(range(1, 13))
    for reply, golden in zip(replies, GOLDEN, strict=True):
        heading = next(line for line in golden.splitlines() if line.startswith("## "))
        assert heading in reply
        assert reply.splitlines()[-1].endswith(("Yes / No", "audience", "content")) == golden.endswith(
            ("Yes / No", "audience", "content")
        )
    assert "1500/=" in replies[7]
    assert "KES" in replies[7] + replies[9]


def test_other_headings_leave_the_rest() -> None:
    with pega("--fault", "headings-reworded", "--seed", "3") as node:
        replies = played(node)
    changed = differing(replies)
    assert 2 <= len(changed) <= 10
    for number in changed:
        assert replies[number - 1].splitlines()[-1] == GOLDEN[number - 1].splitlines()[-1]


def test_late_replies_come_with_the_next_message_or_a_nudge_or_in_the_transcript() -> None:
    with pega("--fault", "late-by-one", "--time-scale", "60") as node:
        cid = node.create()
        assert node.say(cid, EXPECTED["turns"][0]["input"]).startswith("One moment")
        assert node.say(cid, "Please continue.").startswith("## New campaign")
        assert node.say(cid, "", "Zelle.pdf").startswith("One moment")
        assert node.say(cid, "I approve.").startswith("## Campaign brief"), "one message behind"
        time.sleep(14 / 60 + 0.1)
        assert node.kept(cid)[-1]["content"].startswith("## Facts approved"), "without anybody asking"
        assert node.say(cid, "Please continue.").startswith("## Facts approved")


def test_closing_early_ends_in_409() -> None:
    with pega("--fault", "closes-early") as node:
        cid = node.create()
        assert node.play(cid, 9)[8].endswith("I am closing this conversation now. Goodbye.")
        assert node.patch(cid, "Yes, submit it.").status_code == 409


@pytest.mark.parametrize("fault, status", [(NodeFault.STORM_423, 423), (NodeFault.STORM_500, 500)])
def test_a_storm_takes_nothing_and_passes(fault: NodeFault, status: int) -> None:
    with pega("--fault", fault) as node:
        cid = node.create()
        node.play(cid, 2)
        answers = [node.patch(cid, "I approve.").status_code for _ in range(4)]
        assert answers == [status] * 3 + [200]
        assert [one["content"] for one in node.kept(cid)].count("I approve.") == 1


def test_locked_once_is_once() -> None:
    with pega("--fault", "locked-once") as node:
        cid = node.create()
        assert [node.patch(cid, "Hello").status_code for _ in range(3)] == [423, 200, 200]


def test_the_wrong_application_breaks_agentx_alone() -> None:
    with pega("--fault", "execution-error") as node:
        answer = node.http.post(TALKS, json={})
        assert (answer.status_code, answer.json()["localizedValue"]) == (500, "Execution error")
        assert "result" in node.a2a("Hello")
        assert node.page("D_pxAutopilotConversation", InteractionID="PXCONV-4081").status_code == 200


def test_a_token_dies_before_its_time() -> None:
    with pega("--fault", "token-expires") as node:
        statuses = [node.http.get(f"{V2}/ai-agents").status_code for _ in range(7)]
        assert statuses == [200] * 6 + [401]
        assert node.signed_in().http.get(f"{V2}/ai-agents").status_code == 200


@pytest.mark.parametrize("variant, kept", [("", True), ("dropped-turn-lost", False)])
def test_a_connection_drops_in_mid_turn(variant: str, kept: bool) -> None:
    with pega("--fault", "dies-mid-turn", *(("--variant", variant) if variant else ())) as node:
        cid = node.create()
        node.play(cid, 4)
        with pytest.raises(httpx.RemoteProtocolError):
            node.patch(cid, "Yes, that's right.")
        contents = [one["content"] for one in node.kept(cid)]
        assert (contents.count("Yes, that's right.") == 1) is kept
        assert contents[-1].startswith("## Audience approval") is kept
        if not kept:
            assert "## Audience approval" in node.say(cid, "Yes, that's right.")


def test_slow_and_three_times_slower_are_scaled() -> None:
    for fault, low, high in ((NodeFault.SLOW, 10 / 60, 60 / 60), (NodeFault.SLOWER_3X, 0.62, 0.62)):
        with pega("--fault", fault, "--time-scale", "60") as node:
            cid = node.create()
            started = time.perf_counter()
            node.say(cid, EXPECTED["turns"][0]["input"])
            assert low - 0.01 <= time.perf_counter() - started < high + 0.5


def test_what_is_off_the_script_is_answered_and_moves_nothing(node: PegaCalls) -> None:
    cid = node.create()
    node.play(cid, 2)
    for text, answer in (
        ("Write me a poem", "I can only help with campaigns."),
        ("No, that is wrong", "Nothing was changed."),
        ("blue", "I did not understand that."),
        ("What is CTR?", "According to the glossary, CTR is"),
        ("Please continue.", "Do you approve these facts? Yes / No"),
    ):
        reply = node.say(cid, text)
        assert answer in reply
        assert reply.endswith("Do you approve these facts? Yes / No")
    assert node.say(cid, "I approve.") == GOLDEN[2]


def test_past_days_are_taken_or_refused() -> None:
    with pega("--variant", "refuses-past-dates") as node:
        cid = node.create()
        node.play(cid, 3)
        assert "is over" in node.say(cid, "Start on 2020-05-18 at 14:00, please.")
        assert node.say(cid, "Start on 2199-05-18 at 2 pm").startswith("## Schedule")


def test_variants_change_the_form_alone() -> None:
    names = (Variant.ISO_DATES, Variant.AGENTS_BARE_LIST, Variant.CREATE_SHORT, Variant.CLOSE_WITH_BODY)
    names += (Variant.FEEDBACK_WITH_BODY, Variant.NO_ATTACHMENT_NAMES, Variant.UPLOAD_200, Variant.LISTING_BARE)
    names += (Variant.LIST_VIEW_RENAMED, Variant.UNKNOWN_ID_EMPTY_PAGE, Variant.FIELDS_ABSENT)
    options = [part for name in names for part in ("--variant", name)]
    with pega(*options) as node:
        assert isinstance(node.http.get(f"{V2}/ai-agents").json(), list)
        created = node.http.post(TALKS, json={}).json()
        assert not {"welcomeMessage", "assistantMode"} & set(created)
        cid = created["ID"]
        node.play(cid, 2)
        rows = node.kept(cid)
        assert rows[3]["attachments"] == []
        assert rows[0]["createdOn"].endswith("Z")
        liked = node.http.put(f"{TALKS}/{cid}/messages/{rows[0]['messageID']}/like", json={})
        assert (liked.status_code, "messageID" in liked.json()) == (200, True)
        assert set(node.listed("D_pxAutopilotConversationList").json()) == {"data"}
        assert node.listed().status_code == 404
        assert node.page("D_pxAutopilotConversation", InteractionID="PXCONV-1").json()["pyMessages"] == []
        assignment = node.transcript(cid)["pzCaseProcessingData"]["pzAssignmentKey"]
        assert node.http.get(f"{V2}/assignments/{assignment}").json()["uiResources"] == {}
        assert node.http.put(f"{TALKS}/{cid}/close", json={}).status_code == 200


def test_variants_of_the_door() -> None:
    options = ("token-error-bare", "node-starting", "needs-interaction-id")
    with pega(*(part for name in options for part in ("--variant", name))) as node:
        assert "authorization" not in node.http.headers, "503 the first time"
        wrong = node.http.post(TOKEN, data={**FORM, "client_secret": "x"})
        assert (wrong.status_code, "errors" in wrong.json()) == (401, True)
        node.signed_in()
        assert node.http.post(TALKS, json={}).status_code == 400
        assert node.create(interactionID="I-1")


def test_help_lists_every_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    assert all(one.value in text and one.what in text for one in (*NodeFault, *Variant))


@pytest.mark.parametrize(
    "options", [["--fault", "x"], ["--variant", "x"], ["--delay-s", "5"], ["--time-scale", "0"], ["--lag-s", "-1"]]
)
def test_unknown_names_are_wrong_use(options: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--port", "0", *options])
    assert ended.value.code == 2


def test_as_a_command_it_prints_one_line_and_stops_at_sigterm() -> None:
    with process("--fault", "wrong-price") as address:
        assert httpx.post(f"{address}{TOKEN}", data=FORM).status_code == 200
        taken = subprocess.run(
            [sys.executable, "-m", "examples.pega", "--port", address.rpartition(":")[2]],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
        )
    assert taken.returncode == 2
    assert "--port" in taken.stderr
