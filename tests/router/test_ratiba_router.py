"""The one file that an agent carries: which prompt a conversation is answered by, with and without a server."""

import asyncio
import json
import re
import shutil
import subprocess
import sys
import threading
import time
import timeit
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ratiba_router
from apps.core.portable.prompt_words import comparable
from apps.production.domain import routing

ROOT = Path(__file__).resolve().parents[2]
TENANT = UUID("00000000-0000-0000-0000-000000000001")
CONVERSATIONS = [UUID(f"00000000-0000-0000-0000-00000000000{number}") for number in (1, 2, 3)]
STABLE, CANARY = "You greet {name} of {shop}. Be kind.", "Greet {name} in one sentence. You are {shop}."
ROUTES = {"roles": {"greeting": {"percentage": 5, "canary": {"prompt_version": "greeting@c2", "text": CANARY}}}}


class Provider:
    """What an agent's own provider looks like: it keeps what it was sent."""

    def __init__(self) -> None:
        self.sent = list[dict[str, Any]]()

    async def call(self, **sent: Any) -> str:
        self.sent.append(sent)
        return "Karibu"


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    ratiba_router._log_once.cache_clear()
    (tmp_path / "greeting.md").write_text(STABLE)
    return tmp_path


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Provider:
    own = Provider()
    monkeypatch.setitem(ratiba_router.providers, "own", own)
    monkeypatch.setitem(ratiba_router.role_assignments, "greeting", {"provider": "own", "model": "m-1"})
    return own


def _call(conversation: UUID | str, system_prompt: str = STABLE, **more: Any) -> ratiba_router.LLMResponse:
    return asyncio.run(
        ratiba_router.call_for_role("greeting", TENANT, conversation, system_prompt, "Habari", **more)  # type: ignore[arg-type]
    )


def _in_canary() -> str:
    return next(str(n) for n in range(1000) if ratiba_router.bucket(TENANT, str(n)) < 5)


def test_the_buckets_are_those_of_the_published_hash() -> None:
    assert [routing.bucket(TENANT, conversation) for conversation in CONVERSATIONS] == [49, 9, 17]
    assert [ratiba_router.bucket(TENANT, conversation) for conversation in CONVERSATIONS] == [49, 9, 17]


@given(st.uuids(), st.one_of(st.uuids(), st.text(max_size=40)))
def test_server_and_agent_put_a_conversation_into_the_same_bucket(tenant: UUID, conversation: UUID | str) -> None:
    assert routing.bucket(tenant, conversation) == ratiba_router.bucket(tenant, conversation) in range(100)


@given(st.uuids(), st.integers(0, 100), st.integers(0, 100))
def test_raising_a_percentage_takes_nobody_out_of_the_canary(conversation: UUID, one: int, other: int) -> None:
    low, high = sorted((one, other))
    before = routing.alias_of(low, tenant_id=TENANT, conversation_id=conversation)
    after = routing.alias_of(high, tenant_id=TENANT, conversation_id=conversation)
    assert (before, after) != (routing.PromptAlias.CANARY, routing.PromptAlias.STABLE)


def test_without_a_server_everybody_gets_the_bundled_prompt(prompts: Path, provider: Provider) -> None:
    ratiba_router.start(folder=prompts)
    answer = _call(_in_canary())
    assert (answer.alias, provider.sent[0]["system_prompt"], answer.content) == ("stable", STABLE, "Karibu")
    assert answer.prompt_version.startswith("greeting@sha256-")
    assert ratiba_router.resolve_prompt_alias("greeting", "stable") == answer.prompt_version


def test_two_arms_send_two_texts_with_the_callers_variables(prompts: Path, provider: Provider) -> None:
    ratiba_router.start(folder=prompts).take(ROUTES)
    filled = STABLE.replace("{name}", "Asha").replace("{shop}", "Nywele")
    canary, stable = _call(_in_canary(), filled), _call(CONVERSATIONS[0], filled)
    assert (canary.alias, canary.prompt_version, stable.alias) == ("canary", "greeting@c2", "stable")
    assert [one["system_prompt"] for one in provider.sent] == [
        "Greet Asha in one sentence. You are Nywele.",
        filled,
    ]


def test_words_of_the_callers_own_are_sent_as_they_are_and_count_in_neither_arm(
    prompts: Path, provider: Provider
) -> None:
    router = ratiba_router.start(folder=prompts)
    router.take(ROUTES)
    assert _call(_in_canary(), "Say nothing.").alias == "custom"
    assert provider.sent[0]["system_prompt"] == "Say nothing."
    assert router.counts == {"greeting:custom": 1}


@pytest.mark.parametrize("in_file", [STABLE, f"{STABLE}\n", f"{STABLE}\r\n", STABLE.replace(". ", ".\r\n")])
@pytest.mark.parametrize("send", [str.strip, lambda text: text, lambda text: text.replace("\r\n", "\n")])
def test_what_an_editor_or_a_strip_does_to_a_file_is_no_other_prompt(
    prompts: Path, provider: Provider, in_file: str, send: Callable[[str], str]
) -> None:
    (prompts / "greeting.md").write_bytes(in_file.encode())
    router = ratiba_router.start(folder=prompts)
    router.take(ROUTES)
    given = send(in_file.replace("{name}", "Asha").replace("{shop}", "Nywele"))
    values = {"name": "Asha", "shop": "Nywele"}
    answers = [_call(_in_canary(), given), _call(_in_canary(), given, variables=values), _call(CONVERSATIONS[0], given)]
    assert [one.alias for one in answers] == ["canary", "canary", "stable"]
    assert [one["system_prompt"] for one in provider.sent] == [
        "Greet Asha in one sentence. You are Nywele.",
        "Greet Asha in one sentence. You are Nywele.",
        given,
    ]


@given(st.text(alphabet="a \r\n\t", max_size=12))
def test_server_and_agent_compare_prompts_alike(text: str) -> None:
    assert comparable(text) == ratiba_router.comparable(text)


def test_an_answer_with_words_of_the_agents_own_is_logged_once_with_its_reason(
    prompts: Path, provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    ratiba_router.start(folder=prompts).take(ROUTES)
    for _ in range(3):
        assert _call(_in_canary(), "Say nothing.").alias == "custom"
        assert _call(_in_canary(), "Say nothing.", variables={"name": "Asha", "shop": "Nywele"}).alias == "custom"
    assert [one.name for one in caplog.records] == ["ratiba_router"] * 2
    assert "is not the stable file with its variables filled" in caplog.messages[0]
    assert "as `variables` fills it" in caplog.messages[1]


def test_a_key_that_is_refused_is_logged_once(
    prompts: Path, server: "Server", caplog: pytest.LogCaptureFixture
) -> None:
    router, server.status = ratiba_router.start(folder=prompts), 403
    assert not any(ratiba_router.read_routes(router, server.url, "rk_secret") for _ in range(3))
    assert len(caplog.messages) == 1
    assert "403" in caplog.text
    assert "the key needs the scope read" in caplog.text
    assert "rk_secret" not in caplog.text


def test_a_customers_name_that_holds_words_of_the_prompt_is_not_taken_for_them() -> None:
    filled = STABLE.replace("{name}", "Asha of Mombasa").replace("{shop}", "Nywele")
    assert ratiba_router.values_in(STABLE, filled) is None
    assert ratiba_router.fill("{a} {b}", {"a": "{b}", "b": "x"}) == "{b} x"


@given(st.lists(st.text(max_size=12), min_size=2, max_size=2))
def test_values_that_are_read_from_a_filled_prompt_fill_it_again(values: list[str]) -> None:
    filled = ratiba_router.fill(STABLE, dict(zip(("name", "shop"), values, strict=True)))
    read = ratiba_router.values_in(STABLE, filled or "")
    assert read is None or ratiba_router.fill(STABLE, read) == filled


def test_a_canary_that_wants_a_variable_which_the_caller_does_not_give_is_not_sent_half(
    prompts: Path, provider: Provider
) -> None:
    router = ratiba_router.start(folder=prompts)
    router.take({"roles": {"greeting": {"percentage": 100, "canary": {"prompt_version": "g@2", "text": "{slot}"}}}})
    filled = STABLE.replace("{name}", "Asha").replace("{shop}", "Nywele")
    assert _call(CONVERSATIONS[0], filled).alias == "custom"
    assert provider.sent[0]["system_prompt"] == filled


def test_a_table_of_more_than_a_minute_means_stable(prompts: Path) -> None:
    now = 0.0
    router = ratiba_router.start(folder=prompts)
    router.clock = lambda: now
    router.take(ROUTES)
    now = 60.0
    assert router.resolve("greeting", TENANT, _in_canary())[0] == "canary"
    now = 60.1
    assert router.resolve("greeting", TENANT, _in_canary())[0] == "stable"


@pytest.mark.parametrize(
    "answer",
    [
        {},
        [],
        {"roles": []},
        {"roles": {"greeting": {"percentage": "5", "canary": None}}},
        {"roles": {"greeting": {"percentage": 500, "canary": {"prompt_version": "g@2", "text": "t"}}}},
        {"roles": {"greeting": {"percentage": True, "canary": {"prompt_version": "g@2", "text": "t"}}}},
        {"roles": {"greeting": {"percentage": 5, "canary": {"prompt_version": "g@2", "text": ""}}}},
    ],
)
def test_a_server_that_answers_nonsense_changes_nothing(prompts: Path, server: "Server", answer: Any) -> None:
    router = ratiba_router.start(folder=prompts)
    router.take(ROUTES)
    server.answer = answer
    assert not ratiba_router.read_routes(router, server.url, "rk_x")
    assert router.resolve("greeting", TENANT, _in_canary())[0] == "canary"


def test_a_rollback_reaches_the_agent_with_the_next_reading(prompts: Path, server: "Server") -> None:
    router = ratiba_router.start(folder=prompts)
    server.answer = ROUTES
    assert ratiba_router.read_routes(router, server.url, "rk_x")
    assert router.resolve("greeting", TENANT, _in_canary())[0] == "canary"
    server.answer = {"roles": {"greeting": {"percentage": 0, "canary": None}}}
    assert ratiba_router.read_routes(router, server.url, "rk_x")
    assert router.resolve("greeting", TENANT, _in_canary())[0] == "stable"
    assert server.keys == ["Bearer rk_x"] * 2


def test_a_server_that_is_gone_is_no_error(prompts: Path) -> None:
    router = ratiba_router.start(folder=prompts)
    assert not ratiba_router.read_routes(router, "http://127.0.0.1:9", "")


def test_aliases_name_another_file_and_a_bad_line_is_named(prompts: Path) -> None:
    (prompts / "greeting_short.md").write_text("Short.")
    (prompts / "aliases.yaml").write_text("# roles\ngreeting:\n  stable: greeting_short  # for now\n")
    ratiba_router.start(folder=prompts)
    assert ratiba_router.resolve_prompt_alias("greeting").startswith("greeting_short@")
    (prompts / "aliases.yaml").write_text("greeting: {stable: x}\n")
    with pytest.raises(ValueError, match="line 1"):
        ratiba_router.bundled_prompts(prompts)
    (prompts / "aliases.yaml").write_text("greeting:\n  stable: nowhere\n")
    with pytest.raises(ValueError, match="no file of it"):
        ratiba_router.bundled_prompts(prompts)


def test_where_there_is_no_git_the_version_comes_from_the_lock_file(prompts: Path) -> None:
    (prompts / "versions.lock").write_text("greeting@a1b2c3d\n")
    ratiba_router.start(folder=prompts)
    assert ratiba_router.resolve_prompt_alias("greeting") == "greeting@a1b2c3d"


class Server:
    """A loopback server that answers what it is told to."""

    def __init__(self) -> None:
        self.answer: Any = {}
        self.status = 200
        self.keys = list[str]()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.keys.append(self.headers["Authorization"])
                body = json.dumps(outer.answer).encode()
                self.send_response(outer.status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"


@pytest.fixture
def server() -> Iterator[Server]:
    own = Server()
    threading.Thread(target=own.http.serve_forever, daemon=True).start()
    yield own
    own.http.shutdown()
    own.http.server_close()


def test_a_conversation_that_a_person_forces_gets_the_canary(prompts: Path) -> None:
    router = ratiba_router.start(folder=prompts)
    forced = routing.route_digest(TENANT, CONVERSATIONS[0])
    route = {**ROUTES["roles"]["greeting"], "forced": [forced]}
    router.take({"roles": {"greeting": route}})
    assert [router.resolve("greeting", TENANT, one)[0] for one in CONVERSATIONS] == ["canary", "stable", "stable"]


def test_what_was_promoted_is_sent_as_stable_by_an_agent_that_does_not_carry_it_yet(
    prompts: Path, provider: Provider
) -> None:
    promoted = {"prompt_version": "greeting@c2", "text": CANARY}
    route: dict[str, Any] = {"percentage": 0, "canary": None, "forced": [], "promoted": promoted}
    ratiba_router.start(folder=prompts).take({"roles": {"greeting": route}})
    answer = _call(CONVERSATIONS[0], STABLE.replace("{name}", "Asha").replace("{shop}", "Nywele"))
    assert (answer.alias, answer.prompt_version) == ("stable", "greeting@c2")
    assert provider.sent[0]["system_prompt"] == "Greet Asha in one sentence. You are Nywele."


def test_an_answer_takes_less_than_a_millisecond_and_no_request(prompts: Path, provider: Provider) -> None:
    long = STABLE + " Speak plainly." * 1500  # some 20,000 characters
    (prompts / "greeting.md").write_text(long)
    router = ratiba_router.start(folder=prompts)
    router.take(ROUTES)
    filled = long.replace("{name}", "Asha").replace("{shop}", "Nywele")
    times = []
    for number in range(200):
        began = time.perf_counter()
        _call(str(number), filled)
        times.append(time.perf_counter() - began)
    resolved = timeit.timeit(lambda: router.resolve("greeting", TENANT, CONVERSATIONS[0]), number=1000) / 1000
    assert resolved < 0.001
    assert min(times) < 0.001  # what else runs on the machine only adds


def test_a_process_that_is_forked_after_the_start_reads_the_table_too(prompts: Path, server: "Server") -> None:
    server.answer = ROUTES
    code = (
        "import os, sys, time, ratiba_router as r\n"
        f"router = r.start(folder={str(prompts)!r}, server={server.url!r}, key='rk')\n"
        "began = time.monotonic()\n"
        "pid = os.fork()\n"
        "while not pid and router.read_at < began and time.monotonic() < began + 15: time.sleep(0.02)\n"
        "if pid: os.waitpid(pid, 0)\n"
        "else: print('child', router.read_at >= began, flush=True)\n"
    )
    done = _alone(code, folder=prompts)
    assert "child True" in done.stdout, done.stderr


def test_the_file_works_alone_in_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "greeting.md").write_text(STABLE)
    code = (
        "import asyncio, uuid, ratiba_router as r\n"
        "class Echo:\n    async def call(self, **sent): return sent['system_prompt']\n"
        "r.start(folder='prompts', server='http://127.0.0.1:9')\n"
        "r.providers['echo'] = Echo(); r.role_assignments['greeting'] = {'provider': 'echo', 'model': 'm'}\n"
        "answer = asyncio.run(r.call_for_role('greeting', uuid.UUID(int=1), uuid.UUID(int=2),"
        f" {STABLE!r}, 'Habari'))\n"
        "print(answer.alias, answer.prompt_version.split('@')[0], answer.content)\n"
    )
    done = _alone(code, folder=tmp_path)
    assert done.stdout.strip() == f"stable greeting {STABLE}", done.stderr


def _alone(code: str, *, folder: Path) -> subprocess.CompletedProcess[str]:
    """In a Python that has nothing but its own library and the one file."""
    shutil.copy(ratiba_router.__file__, folder / "ratiba_router.py")
    command = [sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {str(folder)!r})\n{code}"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=30, check=False, env={})


def test_the_canary_is_an_extension_of_some_fifty_lines(tmp_path: Path) -> None:
    """The document shows it as a diff: taken back, what is left answers everybody with the stable prompt."""
    patch = ROOT / "docs" / "router-canary.diff"
    added = [line for line in patch.read_text().splitlines() if re.match(r"\+(?!\+\+) *\S", line)]
    assert len(added) <= 60
    shutil.copy(ratiba_router.__file__, tmp_path / "ratiba_router.py")
    done = subprocess.run(
        ["patch", "-R", "-p1", "-i", patch], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "greeting.md").write_text(STABLE)
    code = (
        "import asyncio, uuid, ratiba_router as r\n"
        "class Echo:\n    async def call(self, **sent): return sent['system_prompt']\n"
        "r.start(folder='.'); r.providers['echo'] = Echo()\n"
        "r.role_assignments['greeting'] = {'provider': 'echo', 'model': 'm'}\n"
        f"print(asyncio.run(r.call_for_role('greeting', uuid.UUID(int=1), uuid.UUID(int=2), {STABLE!r}, 'x')).alias)\n"
    )
    before = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=30, check=False
    )
    assert before.stdout.strip() == "stable", before.stderr
