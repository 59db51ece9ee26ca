"""The bad-input matrix: the right status, code and pointer, and not a row more than before."""

import gzip
import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import pytest

from apps.catalog.models import Criterion, Persona
from apps.tenants.context import in_tenant
from tests.api.api_client import CONFIG, Door, conversation, evaluation, row_counts

BATTLE = {"kind": "battle", "agent": "waiter", "scenarios": "all"}
REPLAY = {"kind": "replay", "agent": "waiter", "golden_sessions": ["g"]}


class Case(NamedTuple):
    name: str
    body: Any
    status: int
    code: str
    pointer: str | None = None
    path: str = "evaluations/"
    media: str = "application/json"
    headers: dict[str, str] = {}


def with_turn(**turn: Any) -> dict[str, Any]:
    return evaluation() | {"conversations": [{"id": "c", "turns": [{"role": "user", "content": "x"} | turn]}]}


def with_conversation(**fields: Any) -> dict[str, Any]:
    one = conversation() | fields
    return evaluation() | {"conversations": [{k: v for k, v in one.items() if v is not ...}]}


def bare(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in (evaluation() | fields).items() if value is not ...}


def deep(levels: int) -> str:
    return '{"evaluator_config":"x","conversations":' + "[" * levels + "]" * levels + "}"


TURN = "/conversations/0/turns/0"
RAW = json.dumps(evaluation())
INVALID = "invalid_document"
CASES = [
    # What is no usable JSON
    Case("truncated", RAW[:-5], 400, "malformed_json"),
    Case("empty", "", 400, "required", "/evaluator_config"),
    Case("a word", "hello", 400, "malformed_json"),
    Case("two documents", RAW + RAW, 400, "malformed_json"),
    Case("trailing comma", RAW[:-1] + ",}", 400, "malformed_json"),
    Case("a key twice", '{"evaluator_config":"a","evaluator_config":"b"}', 400, "doubled_key", "/evaluator_config"),
    Case(
        "a key twice deep inside",
        RAW.replace('"content"', '"role": "user", "content"', 1),
        400,
        "doubled_key",
        f"{TURN}/role",
    ),
    Case("a list", "[]", 400, "invalid", ""),
    Case("null", "null", 400, "invalid", ""),
    Case("a number", "42", 400, "invalid", ""),
    Case("Latin-1 bytes", '{"evaluator_config":"caffè"}'.encode("latin-1"), 400, "malformed_json"),
    Case("UTF-16", RAW.encode("utf-16"), 400, "malformed_json"),
    Case("byte order mark", b"\xef\xbb\xbf" + RAW.encode(), 400, "malformed_json"),
    Case("NaN", '{"evaluator_config":"x","conversations":NaN}', 400, "malformed_json"),
    Case("Infinity", '{"evaluator_config":-Infinity}', 400, "malformed_json"),
    Case("1e999", '{"evaluator_config":"x","conversations":[1e999]}', 400, "invalid", "/conversations/0"),
    Case("5,000 digits", '{"evaluator_config":' + "9" * 5000 + "}", 400, "malformed_json"),
    Case("400 digits", '{"evaluator_config":"x","a":' + "9" * 400 + "}", 400, "invalid", "/a"),
    Case("nested 100 deep", deep(100), 400, "invalid"),
    Case("nested 100,000 deep", deep(100_000), 400, "malformed_json"),
    Case("NUL in a text", RAW.replace("line 0", "li\\u0000ne"), 400, "invalid", TURN + "/content"),
    Case("half a surrogate pair", RAW.replace("line 0", "\\ud83d"), 400, "invalid", TURN + "/content"),
    Case("NUL in a key", '{"a\\u0000b": 1}', 400, "invalid"),
    Case("raw control character", RAW.replace("line 0", "li\nne"), 400, "malformed_json"),
    # What is no JSON at all
    Case("form", "evaluator_config=x", 415, "unsupported_media_type", media="application/x-www-form-urlencoded"),
    Case("XML", "<a/>", 415, "unsupported_media_type", media="text/xml"),
    Case("gzip", gzip.compress(RAW.encode()), 415, "unsupported_encoding", headers={"content-encoding": "gzip"}),
    Case("gzip bomb", gzip.compress(b"\0" * 50_000_000), 415, "unsupported_encoding",
         headers={"content-encoding": "gzip"}),
    Case("gzip without saying so", gzip.compress(RAW.encode()), 400, "malformed_json"),
    # Too much
    Case("6 MiB", '{"a":"' + "x" * (6 * 1024 * 1024) + '"}', 413, "body_too_large"),
    Case("a byte too many", RAW + " " * (5 * 1024 * 1024 + 1 - len(RAW)), 413, "body_too_large"),
    Case("501 conversations", evaluation(*(f"c{n}" for n in range(501))), 413, "too_many_conversations",
         "/conversations"),
    Case("401 turns", evaluation() | {"conversations": [conversation(turns=401)]}, 413, "too_many_turns",
         "/conversations/0/turns"),
    # Wrong fields
    Case("no config", bare(evaluator_config=...), 400, "required", "/evaluator_config"),
    Case("blank config", bare(evaluator_config="  "), 400, "required", "/evaluator_config"),
    Case("config is a number", bare(evaluator_config=3), 400, "invalid", "/evaluator_config"),
    Case("config is a list", bare(evaluator_config=["x"]), 400, "invalid", "/evaluator_config"),
    Case("config is very long", bare(evaluator_config="x" * 201), 400, "invalid", "/evaluator_config"),
    Case("config nobody has", bare(evaluator_config="nobody"), 404, "not_found", "/evaluator_config"),
    Case("version nobody has", bare(evaluator_config=f"{CONFIG}@99"), 404, "not_found", "/evaluator_config"),
    Case("version that is a word", bare(evaluator_config=f"{CONFIG}@latest"), 400, "invalid", "/evaluator_config"),
    Case("a field nobody knows", bare(evalutor_config="x"), 400, "unknown_field", "/evalutor_config"),
    Case("neither run nor conversations", bare(conversations=...), 400, "run_or_conversations", ""),
    Case("both run and conversations", bare(test_run_id=str(uuid.uuid4())), 400, "run_or_conversations", ""),
    Case("run id is a word", bare(conversations=..., test_run_id="x"), 400, "invalid", "/test_run_id"),
    Case("run id is a number", bare(conversations=..., test_run_id=7), 400, "invalid", "/test_run_id"),
    Case("run nobody has", bare(conversations=..., test_run_id=str(uuid.uuid4())), 404, "not_found", "/test_run_id"),
    Case("flag is a text", bare(run_analyzer="yes"), 400, "invalid", "/run_analyzer"),
    Case("flag is a number", bare(run_analyzer=1), 400, "invalid", "/run_analyzer"),
    Case("trigger is an object", bare(triggered_by={}), 400, "invalid", "/triggered_by"),
    Case("trigger is very long", bare(triggered_by="x" * 101), 400, "invalid", "/triggered_by"),
    Case("callback is a path", bare(callback_url="/done"), 400, "invalid", "/callback_url"),
    Case("callback by ftp", bare(callback_url="ftp://example.com/"), 400, "invalid", "/callback_url"),
    Case("callback with a line break", bare(callback_url="https://example.com/\r\nx"), 400, "invalid", "/callback_url"),
    Case("callback with a bad port", bare(callback_url="https://example.com:99999/"), 400, "invalid", "/callback_url"),
    Case("callback to loopback", bare(callback_url="http://127.0.0.1:8000/"), 422, "callback_url_refused",
         "/callback_url"),
    Case("callback to loopback in disguise", bare(callback_url="http://2130706433/"), 422, "callback_url_refused",
         "/callback_url"),
    Case("callback to the metadata service", bare(callback_url="http://169.254.169.254/latest"), 422,
         "callback_url_refused", "/callback_url"),
    Case("callback to a private network", bare(callback_url="https://[fd00::1]/"), 422, "callback_url_refused",
         "/callback_url"),
    Case("callback with a password", bare(callback_url="https://a:b@example.com/"), 422, "callback_url_refused",
         "/callback_url"),
    Case("callback to another protocol's port", bare(callback_url="https://example.com:25/"), 422,
         "callback_url_refused", "/callback_url"),
    # Wrong conversations
    Case("conversations is an object", bare(conversations={}), 400, "invalid", "/conversations"),
    Case("no conversation", bare(conversations=[]), 400, "no_conversations", "/conversations"),
    Case("a conversation is a text", bare(conversations=["hi"]), 400, INVALID, "/conversations/0"),
    Case("no id", with_conversation(id=...), 400, INVALID, "/conversations/0/id"),
    Case("id is true", with_conversation(id=True), 400, INVALID, "/conversations/0/id"),
    Case("id is very long", with_conversation(id="x" * 201), 400, INVALID, "/conversations/0/id"),
    Case("the same id twice", evaluation("a", "b", "a"), 400, "duplicate_id", "/conversations/2/id"),
    Case("no turns", with_conversation(turns=...), 400, INVALID, "/conversations/0/turns"),
    Case("empty turns", with_conversation(turns=[]), 400, INVALID, "/conversations/0/turns"),
    Case("turns is a text", with_conversation(turns="hi"), 400, INVALID, "/conversations/0/turns"),
    Case("turns and messages", with_conversation(messages=[]), 400, INVALID, "/conversations/0/messages"),
    Case("labels is a list", with_conversation(labels=[]), 400, INVALID, "/conversations/0/labels"),
    Case("language is a number", with_conversation(language=1), 400, INVALID, "/conversations/0/language"),
    Case("a turn is a text", with_conversation(turns=["hi"]), 400, INVALID, TURN),
    Case("no role", with_turn(role=None), 400, INVALID, TURN + "/role"),
    Case("unknown role", with_turn(role="robot"), 400, INVALID, TURN + "/role"),
    Case("role in capitals", with_turn(role="User"), 400, INVALID, TURN + "/role"),
    Case("content is null", with_turn(content=None), 400, INVALID, TURN + "/content"),
    Case("content is an object", with_turn(content={"text": "x"}), 400, INVALID, TURN + "/content"),
    Case("a million and one characters", with_turn(content="x" * 1_000_001), 400, INVALID, TURN + "/content"),
    Case("time is a word", with_turn(ts="yesterday"), 400, INVALID, TURN + "/ts"),
    Case("time is a number", with_turn(ts=1795176000), 400, INVALID, TURN + "/ts"),
    Case("time in month 13", with_turn(ts="2026-13-01T00:00:00Z"), 400, INVALID, TURN + "/ts"),
    Case("negative latency", with_turn(latency_ms=-1), 400, INVALID, TURN + "/latency_ms"),
    Case("huge latency", with_turn(latency_ms=10**18), 400, INVALID, TURN + "/latency_ms"),
    Case("latency is a flag", with_turn(latency_ms=True), 400, INVALID, TURN + "/latency_ms"),
    Case("tool calls are an object", with_turn(tool_calls={}), 400, INVALID, TURN + "/tool_calls"),
    Case("tool call without a name", with_turn(tool_calls=[{}]), 400, INVALID, TURN + "/tool_calls/0/name"),
    Case("tool arguments are a list", with_turn(tool_calls=[{"name": "x", "arguments": []}]), 400, INVALID,
         TURN + "/tool_calls/0/arguments"),
    Case("attachment without a name", with_turn(attachments=[{}]), 400, INVALID, TURN + "/attachments/0/name"),
    # Keys and headers
    Case("empty idempotency key", evaluation(), 400, "bad_idempotency_key", headers={"idempotency-key": " "}),
    Case("very long idempotency key", evaluation(), 400, "bad_idempotency_key",
         headers={"idempotency-key": "x" * 256}),
    Case("idempotency key with an accent", evaluation(), 400, "bad_idempotency_key",
         headers={"idempotency-key": "caffè"}),
    Case("no key", evaluation(), 401, "not_authenticated", headers={"authorization": ""}),
    Case("another scheme", evaluation(), 401, "bad_key", headers={"authorization": "Basic YTpi"}),
    Case("a key nobody has", evaluation(), 401, "bad_key", headers={"authorization": f"Bearer rk_{'A' * 43}"}),
    Case("a key cut off", evaluation(), 401, "bad_key", headers={"authorization": "Bearer rk_AAAA"}),
    Case("signature without its id", evaluation(), 401, "signature_missing_headers",
         headers={"webhook-timestamp": "1795176000", "webhook-signature": "v1,AA=="}),
    # Runs
    Case("no kind", {}, 400, "invalid", "/kind", "test-runs/"),
    Case("unknown kind", BATTLE | {"kind": "duel"}, 400, "invalid", "/kind", "test-runs/"),
    Case("no agent", BATTLE | {"agent": None}, 400, "required", "/agent", "test-runs/"),
    Case("agent nobody has", BATTLE | {"agent": "nobody"}, 422, "unknown_agent", "/agent", "test-runs/"),
    Case("no scenarios", BATTLE | {"scenarios": None}, 400, "required", "/scenarios", "test-runs/"),
    Case("scenarios is a word", BATTLE | {"scenarios": "some"}, 400, "invalid", "/scenarios", "test-runs/"),
    Case("no scenario in the list", BATTLE | {"scenarios": []}, 400, "invalid", "/scenarios", "test-runs/"),
    Case("a scenario is a number", BATTLE | {"scenarios": [1]}, 400, "invalid", "/scenarios/0", "test-runs/"),
    Case("a scenario twice", BATTLE | {"scenarios": ["a", "a"]}, 400, "duplicate", "/scenarios/1", "test-runs/"),
    Case("scenario nobody has", BATTLE | {"scenarios": ["x"]}, 422, "unknown_scenarios", "/scenarios", "test-runs/"),
    Case("persona nobody has", BATTLE | {"personas": ["x"]}, 422, "unknown_personas", "/personas", "test-runs/"),
    Case("no repeats", BATTLE | {"repeats": 0}, 400, "invalid", "/repeats", "test-runs/"),
    Case("repeats is half", BATTLE | {"repeats": 1.5}, 400, "invalid", "/repeats", "test-runs/"),
    Case("repeats is huge", BATTLE | {"repeats": 10**300}, 400, "invalid", "/repeats", "test-runs/"),
    Case("401 turns to play", BATTLE | {"max_turns": 401}, 400, "invalid", "/max_turns", "test-runs/"),
    Case("a replay's field in a battle", BATTLE | {"transport": "auto"}, 400, "unknown_field", "/transport",
         "test-runs/"),
    Case("golden session nobody has", REPLAY, 422, "unknown_golden_sessions", "/golden_sessions", "test-runs/"),
    Case("unknown transport", REPLAY | {"transport": "pigeon"}, 400, "invalid", "/transport", "test-runs/"),
    Case("a transport the agent lacks", REPLAY | {"transport": "a2a"}, 422, "unknown_transport", "/transport",
         "test-runs/"),
    Case("a prompt that is not live, and no staging", BATTLE | {"prompt": "salon@draft"}, 422, "no_staging_connection",
         "/prompt", "test-runs/"),
    Case("callback about nothing", BATTLE | {"callback_url": "https://example.com/"}, 422,
         "callback_needs_evaluation", "/callback_url", "test-runs/"),
    Case("run with a config nobody has", BATTLE | {"evaluator_config": "nobody"}, 404, "not_found",
         "/evaluator_config", "test-runs/"),
    Case("no such address", {}, 404, "not_found", None, "evaluation/"),
    Case("no slash at the end", {}, 404, "not_found", None, "evaluations"),
    Case("id that is no id", {}, 404, "not_found", None, "test-runs/1/pause/"),
    Case("run nobody has, paused", {}, 404, "not_found", None, f"test-runs/{uuid.uuid4()}/pause/"),
]  # fmt: skip


def test_the_matrix_is_large() -> None:
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)


def test_bad_input_gets_its_status_code_and_pointer_and_writes_nothing(acme: Door) -> None:
    wrong = []
    acme.get("evaluations/")  # notes the key's use
    before = row_counts("acme")
    for case in CASES:
        answer = acme.post(case.path, case.body, media=case.media, **case.headers)
        body = answer.json()
        got = (answer.status_code, body.get("code"))
        pointer_is_right = case.pointer is None or body.get("pointer") == case.pointer
        shape = answer["Content-Type"] == "application/problem+json" and body.get("status") == answer.status_code
        if got != (case.status, case.code) or not pointer_is_right or not shape or not body.get("detail"):
            wrong.append(f"{case.name}: {got} at {body.get('pointer')!r}: {body.get('detail')}")
        if row_counts("acme") != before:
            wrong.append(f"{case.name}: rows were written")
            before = row_counts("acme")
    assert not wrong, "\n".join(wrong)


def test_a_criterion_taken_out_of_the_catalog_refuses_before_anything_is_stored(acme: Door) -> None:
    with in_tenant("acme"):
        Criterion.objects.filter(name="offers_milk").delete()
    before = row_counts("acme")
    answer = acme.post("evaluations/", evaluation())
    assert answer.status_code == 422
    assert answer.json()["code"] == "unknown_criteria"
    assert answer.json()["unknown_criteria"] == ["offers_milk"]
    assert row_counts("acme") == before


LONG = "x" * 5000


def test_long_names_are_taken_whole_or_refused_but_never_break(acme: Door) -> None:
    for body in (
        with_turn(name=LONG),
        with_turn(tool_call_id=LONG),
        with_turn(tool_calls=[{"name": LONG, "id": LONG, "arguments": {LONG: LONG}}]),
        with_conversation(domain=LONG),
        with_conversation(source=LONG),
        with_conversation(language=LONG),
        with_turn(ts="0001-01-01T00:00:00+14:00"),
        with_turn(ts="9999-12-31T23:59:59-14:00"),
    ):
        assert acme.post("evaluations/", body).status_code in (202, 400), body.keys()


def test_a_persona_that_may_not_play_is_named_with_its_status(acme: Door) -> None:
    with in_tenant("acme"):
        Persona.objects.create(name="stranger", text="x", status="pending_validation")
    answer = acme.post("test-runs/", BATTLE | {"personas": ["stranger"]})
    assert (answer.status_code, answer.json()["code"]) == (422, "persona_not_eligible")
    assert answer.json()["status_now"] == "pending_validation"


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "limit=-1", "cursor=x", "cursor=bjp4"])
def test_pages_that_cannot_be_are_400(acme: Door, query: str) -> None:
    for path in ("evaluations/", "test-runs/"):
        assert acme.get(f"{path}?{query}").status_code == 400


@pytest.mark.parametrize("minutes", [-6, 6])
def test_clocks_more_than_five_minutes_apart_are_refused(acme: Door, minutes: int) -> None:
    at = datetime.now(UTC) + timedelta(minutes=minutes)
    answer = acme.signed("evaluations/", evaluation(), acme.secret, at=at)
    assert (answer.status_code, answer.json()["code"]) == (401, "signature_expired")
