"""What a recording leaves out, what it masks and when two requests are the same: plain rules."""

import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_ratiba.recording.canonical import canonical
from pytest_ratiba.recording.entries import EntryError, parse_line, recorded
from pytest_ratiba.recording.exchange import RawRequest, WireReply
from pytest_ratiba.recording.json_paths import PathSyntaxError, parse_path, without
from pytest_ratiba.recording.masking import Masker, mask
from pytest_ratiba.recording.matching import Outline, Rules, differences
from pytest_ratiba.recording.settings import RecordingSettings
from tests.loopback.streaming import anthropic_events, gemini_events, openai_events

NOW = datetime(2026, 11, 22, 18, 25, 7, tzinfo=UTC)  # a Sunday
LATER = NOW + timedelta(days=40, minutes=3)  # Friday, 1 January 2027
CONFIG = RecordingSettings(folder=None)  # type: ignore[arg-type]
MASKER = Masker(names=["Wanjiru Kamau"])


def request(body, *, path="/chat/completions", query="", headers=None, config=CONFIG):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    raw = RawRequest(
        method="POST", upstream="openai", host="api.openai.com", path=path, query=query,
        headers={"content-type": "application/json"} | (headers or {}), body=content,
    )  # fmt: skip
    return canonical(raw, settings=config, masker=MASKER)


def same(before, after, *, later=LATER, config=CONFIG) -> bool:
    one, other = request({"t": before}, config=config), request({"t": after}, config=config)
    rules = Rules()
    return Outline.of(one, at=NOW, rules=rules).matches(Outline.of(other, at=later, rules=rules))


@pytest.mark.parametrize(
    "before, after",
    [
        ("Today is Sunday, 22 November 2026.", "Today is Friday, 1 January 2027."),
        ("Leo ni Jumapili, 22 Novemba 2026", "Leo ni Ijumaa, 1 Januari 2027"),
        ("Oggi è domenica 22 novembre 2026", "Oggi è venerdì 1 gennaio 2027"),
        ("now 2026-11-22T18:25:07.123456+00:00", "now 2027-01-01T18:28:07.9Z"),
        ("now 2026-11-22 21:25 EAT", "now 2027-01-01 21:28 EAT"),
        ("It is 9:25 PM on Nov 22", "It is 9:28 PM on Jan 1"),
        ("tomorrow is 23/11/2026", "tomorrow is 02/01/2027"),
        ("tomorrow 2026-11-23, the slot 2026-11-23T15:00:00", "tomorrow 2027-01-02, the slot 2027-01-02T15:00:00"),
        ("she said\n22 November", "she said\n1 January"),
        ("a fixed day: 24 December 2026, 15:00", "a fixed day: 24 December 2026, 15:00"),
        ("ts 1795371907", "ts 1798828087"),
        ("id 0c9f3a52-5b1e-4a3f-9b2e-1f2a3b4c5d6e twice 0c9f3a52-5b1e-4a3f-9b2e-1f2a3b4c5d6e",
         "id 7d1e2f30-aaaa-4a3f-9b2e-000000000001 twice 7d1e2f30-aaaa-4a3f-9b2e-000000000001"),
        ("call_Ab3dEf6hIj9kLm2n", "call_Zz9yXx8wVv7uTt6s"),
    ],
)  # fmt: skip
def test_what_changes_by_itself_does_not_count(before, after):
    assert same(before, after)


@pytest.mark.parametrize(
    "before, after",
    [
        ("book 24 December 2026", "book 25 December 2026"),
        ("tomorrow is 2026-11-23", "tomorrow is 2027-01-03"),
        ("on Sunday", "on Saturday"),
        ("at 15:00", "at 16:00"),
        ("slot 2026-11-23T15:00:00", "slot 2027-01-02T16:00:00"),
        ("from 2026-11-22 to 2026-11-24", "from 2027-01-01 to 2027-01-02"),
        ("a 0c9f3a52-5b1e-4a3f-9b2e-1f2a3b4c5d6e b 0c9f3a52-5b1e-4a3f-9b2e-1f2a3b4c5d6e",
         "a 7d1e2f30-aaaa-4a3f-9b2e-000000000001 b 7d1e2f30-aaaa-4a3f-9b2e-000000000002"),
        ("massage for two", "massage for three"),
        ("KES 2500", "KES 3500"),
        ({"n": 1}, {"n": 1.5}),
    ],
)  # fmt: skip
def test_what_the_agent_said_otherwise_counts(before, after):
    assert not same(before, after)


def test_the_place_where_two_requests_differ_is_named():
    before = {"messages": [{"role": "system", "content": "Leo ni 22 Novemba 2026. Uwe mpole."}], "model": "a"}
    after = {"messages": [{"role": "system", "content": "Leo ni 1 Januari 2027. Uwe mkali."}], "model": "a", "top_p": 1}
    found = differences(request(before), request(after), recorded_at=NOW, sent_at=LATER, rules=Rules())
    assert [one.path for one in found] == ["$.body.messages[0].content", "$.body.top_p"]
    assert "mpole" in found[0].recorded
    assert "mkali" in found[0].sent
    assert found[1].recorded == "(nothing)"


def test_a_date_that_moved_with_the_clock_does_not_hide_what_was_changed():
    """Of a long prompt the place that a person changed is shown, not the date before it, which is no difference."""
    before = {"content": f"Leo ni 22 Novemba 2026. {'Karibu sana. ' * 30}Uwe mpole."}
    after = {"content": f"Leo ni 1 Januari 2027. {'Karibu sana. ' * 30}Uwe mkali."}
    (found,) = differences(request(before), request(after), recorded_at=NOW, sent_at=LATER, rules=Rules())
    assert found.recorded.endswith("Uwe mpole.")
    assert found.sent.endswith("Uwe mkali.")


def test_credentials_are_left_out_wherever_they_stand():
    key = "sk-proj-abcdefghijklmnop1234"
    one = request(
        {"text": f"my key is {key}", "api_key": "abc", "max_tokens": 5, "note": "plain-secret-value-of-a-header"},
        query="key=AIzaSyA1234567890123456789012345678901&alt=sse",
        headers={"authorization": "Bearer plain-secret-value-of-a-header"},
    )
    text = json.dumps(one.as_json())
    assert "abcdefghijklmnop" not in text
    assert "AIza" not in text
    assert "plain-secret-value" not in text
    assert one.body["max_tokens"] == 5
    assert one.query == {"alt": "sse", "key": "<secret>"}


HIDDEN = ("hunter2", "4455", "csPLAIN99", "dbpassPLAIN", "pwPLAIN", "urltokPLAIN", "abcPLAINtok", "0712.345.678", "ss2")
TOLD = (
    '{"password": "hunter2 \\n ss2", "pin": 4455, "day": "Friday"}',
    "call {'clientSecret': 'csPLAIN99'} at postgres://u:dbpassPLAIN@h/db",
    '{"result": "{\\"db_password\\": \\"hunter2\\"}"}',
    "https://user:pwPLAIN@x.y/z?token=urltokPLAIN&day=1 token=abcPLAINtok, simu 0712.345.678 au 07.12.34.56.78",
)


@pytest.mark.parametrize("told", TOLD)
def test_secrets_inside_texts_are_stored_neither_of_requests_nor_of_replies(told):
    """OpenAI's tool arguments are always JSON in a text; results of tools, addresses and prose are others."""
    arguments = {"tool_calls": [{"function": {"name": "f", "arguments": told}}]}
    sent = json.dumps(request({"messages": [arguments, {"role": "tool", "content": told}]}).as_json())
    assert not [one for one in HIDDEN if one in sent]
    body = json.dumps({"choices": [{"message": arguments}]}).encode()
    reply = WireReply(status=200, headers={"content-type": "application/json"}, chunks=(body,))
    line = recorded(reply, request=request({}), conversation="", number=1, at=NOW, masker=MASKER).as_line()
    assert not [one for one in HIDDEN if one in line]
    played = json.loads(parse_line(line).reply.played(()).body)["choices"][0]["message"]["tool_calls"][0]["function"]
    assert len(played["arguments"]) == len(told)
    if told.startswith("{"):
        assert json.loads(played["arguments"]).keys() == json.loads(told).keys()


def test_fields_of_a_form_that_are_secret_by_name_are_not_stored():
    body = b'--b\r\ncontent-disposition: form-data; name="password"\r\n\r\nhunter2\r\n--b--\r\n'
    sent = request(body, headers={"content-type": "multipart/form-data; boundary=b"})
    assert sent.body == {"parts": [{"name": "password", "text": "<secret>"}]}


def test_dates_versions_and_decimals_are_no_phone_numbers():
    told = "01.12.2026, 0.712345678, 192.168.100.200, v0.7.12.34, tokens=5, the key=door, https://x.y:8080/z@1"
    assert request({"m": told}).body["m"] == told


@pytest.mark.parametrize(
    "make, field", [(openai_events, "content"), (anthropic_events, "text"), (gemini_events, "text")]
)
@pytest.mark.parametrize("known", [True, False])
def test_a_phone_cut_in_two_by_a_stream_is_not_stored(make, field, known):
    """Known to the request: put back on play, each byte where it was. Not known: masked for good, as long as it was."""
    body = b"".join(make(("Nitakupigia ", "+254 7", "12 345 6", "78 leo, ", "wanjiru.k@exa", "mple.co.ke"), 1))
    chunks = tuple(body[start : start + 41] for start in range(0, len(body), 41))
    sent = request({"m": "+254 712 345 678 / wanjiru.k@example.co.ke" if known else "habari"})
    reply = WireReply(
        status=200, headers={"content-type": "text/event-stream"}, chunks=chunks, offsets_ms=(0,) * len(chunks)
    )
    line = recorded(reply, request=sent, conversation="", number=1, at=NOW, masker=MASKER).as_line()
    assert not [part for part in ("12 345 6", "78 leo", "wanjiru", "mple.co") if part in line]
    played = parse_line(line).reply.played(sent.values)
    assert [len(chunk) for chunk in played.chunks] == [len(chunk) for chunk in chunks]
    assert (played.chunks == chunks) is known
    assert f'"{field}"'.encode() in played.body


def test_another_phone_of_the_day_is_put_into_the_reply():
    sent = request({"m": "simu 0712345678"})
    reply = WireReply(status=200, headers={"content-type": "application/json"}, chunks=(b'{"a": "0712345678, sawa"}',))
    line = recorded(reply, request=sent, conversation="", number=1, at=NOW, masker=MASKER).as_line()
    assert "0712345678" not in line
    assert parse_line(line).reply.played(("0799111222",)).body == b'{"a": "0799111222, sawa"}'


def test_ids_and_times_of_a_reply_stay():
    body = b'{"id":"chatcmpl-123456789012","created":1764000000,"usage":{"prompt_tokens":123456789012},"x":"sawa"}'
    reply = WireReply(status=200, headers={"content-type": "application/json"}, chunks=(body,))
    line = recorded(reply, request=request({}), conversation="", number=1, at=NOW, masker=MASKER).as_line()
    assert parse_line(line).reply.played(()).body == body


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_masking_keeps_the_length_and_doing_it_twice_changes_nothing(text):
    masked = mask(text)
    assert len(masked.encode("utf-8", "surrogatepass")) == len(text.encode("utf-8", "surrogatepass"))
    assert mask(masked) == masked
    values: list[str] = []
    once = MASKER.request_text(f"{text} +254 712 345 678 Wanjiru", values)
    assert MASKER.request_text(once, []) == once


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(_JSON, st.binary(max_size=80), st.lists(st.integers(0, 80), max_size=4))
def test_every_request_matches_itself_and_every_reply_comes_back(body, content, cuts):
    one = request({"body": body})
    rules = Rules()
    assert Outline.of(one, at=NOW, rules=rules).matches(Outline.of(request({"body": body}), at=LATER, rules=rules))
    edges = sorted({0, len(content), *(cut for cut in cuts if cut <= len(content))})
    chunks = tuple(content[start:end] for start, end in pairwise(edges))
    reply = WireReply(status=200, headers={"content-type": "text/plain"}, chunks=chunks, offsets_ms=(1,) * len(chunks))
    call = recorded(reply, request=one, conversation="c", number=3, at=NOW, masker=Masker())
    again = parse_line(call.as_line())
    assert again.request.as_json() == json.loads(json.dumps(one.as_json()))
    played = again.reply.played(one.values)
    assert [len(chunk) for chunk in played.chunks] == [len(chunk) for chunk in chunks]
    if not Masker().personal_spans(content.decode("utf-8", "replace")):
        assert played.chunks == chunks


@pytest.mark.parametrize(
    "line, what",
    [
        ("{", "not JSON"),
        ("[]", "no recorded call of version 1 or 2"),
        ('{"v":3}', "no recorded call of version 1 or 2"),
        ('{"v":1,"request":{}}', "no recorded call"),
        ('{"v":1,"conversation":"","call":1,"at":"2026-11-22T18:25:07Z","request":{"method":"","upstream":"","path":"",'
         '"query":{},"body":null},"reply":{"status":200,"headers":{},"text":"abc","cuts":[2],"at_ms":[0]}}', "cuts"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_call_says_why(line, what):
    with pytest.raises(EntryError, match=what):
        parse_line(line)


def test_paths_name_what_is_left_out():
    value = {"a": {"b": [1, {"c": 2}]}, "d": {"c": 3}, "x y": 1}
    assert without(value, parse_path("$..c")) == {"a": {"b": [1, {}]}, "d": {}, "x y": 1}
    assert without(value, parse_path("$.a.b[0]"))["a"] == {"b": [{"c": 2}]}
    assert without(value, parse_path("$['x y']")) == {"a": value["a"], "d": value["d"]}
    for wrong in ("a.b", "$", "$.a[?@.b]", "$.a b", "$[1:2]"):
        with pytest.raises(PathSyntaxError):
            parse_path(wrong)
