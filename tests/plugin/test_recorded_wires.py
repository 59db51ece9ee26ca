"""Three wire formats, plain and streamed, by httpx and by curl: recorded, played without the provider, byte-equal.

The user's project is a real one: a pytest of its own, the provider a process's thread on loopback that is gone on play.
"""

import json
from pathlib import Path

import pytest

from tests.loopback.streaming import StreamingProvider
from tests.plugin.conftest import UserProject

HISTORY = "Habari, naitwa Wanjiru Kamau, simu yangu ni +254 712 345 678, barua wanjiru.k@example.co.ke."
BODIES = {
    "openai": ("/chat/completions", {"model": "gpt-4o", "messages": [{"role": "user", "content": HISTORY}]}),
    "anthropic": (
        "/v1/messages",
        {"model": "claude-sonnet-4-5", "max_tokens": 99, "messages": [{"role": "user", "content": HISTORY}]},
    ),
    "gemini": (
        "/v1beta/models/gemini-2.5-flash:generateContent",
        {"contents": [{"role": "user", "parts": [{"text": HISTORY}]}], "generationConfig": {"maxOutputTokens": 99}},
    ),
}
KEYS = {
    "openai": {"authorization": "Bearer sk-proj-abcdefghijklmnop1234"},
    "anthropic": {"x-api-key": "sk-ant-api03-abcdefghijklmnop", "anthropic-version": "2023-06-01"},
    "gemini": {"x-goog-api-key": "AIzaSyA1234567890123456789012345678901"},
}
TEST_FILE = """
    import asyncio, hashlib, json, pathlib, subprocess
    import httpx, pytest

    CALLS = json.loads(pathlib.Path("calls.json").read_text())
    OUT = pathlib.Path("out"); OUT.mkdir(exist_ok=True)

    def shape(kind, stream):
        path, body = CALLS["bodies"][kind]
        if stream and kind == "gemini":
            path = path.replace(":generateContent", ":streamGenerateContent") + "?alt=sse"
        elif stream:
            body = body | {"stream": True}
        return path, body, CALLS["keys"][kind]

    def both(kind):
        for stream in (False, True):
            yield stream, *shape(kind, stream)

    def keep(name, chunks):
        (OUT / name).write_bytes(b"".join(chunks))
        (OUT / (name + ".cuts")).write_text(json.dumps([len(one) for one in chunks]))

    @pytest.mark.parametrize("kind", ["openai", "anthropic", "gemini"])
    def test_httpx(kind, llm_recording):
        base = CALLS["upstreams"][kind]
        for stream, path, body, headers in both(kind):
            with httpx.Client() as client, client.stream("POST", base + path, json=body, headers=headers) as response:
                assert response.status_code == 200
                keep(f"httpx-{kind}-{stream}", list(response.iter_raw()))

    @pytest.mark.parametrize("kind", ["openai", "anthropic", "gemini"])
    def test_async_httpx(kind, llm_recording):
        async def ask():
            async with httpx.AsyncClient() as client:
                for stream, path, body, headers in both(kind):
                    url = CALLS["upstreams"][kind] + path
                    async with client.stream("POST", url, json=body, headers=headers) as reply:
                        keep(f"async-{kind}-{stream}", [chunk async for chunk in reply.aiter_raw()])
        asyncio.run(ask())

    @pytest.mark.parametrize("kind", ["openai", "anthropic", "gemini"])
    def test_curl(kind, llm_recording):
        for stream, path, body, headers in both(kind):
            words = [word for name, value in headers.items() for word in ("-H", f"{name}: {value}")]
            done = subprocess.run(
                ["curl", "-sSN", "--fail", llm_recording.base_url(kind) + path, *words,
                 "-H", "content-type: application/json", "-d", json.dumps(body)], capture_output=True)
            assert done.returncode == 0, done
            keep(f"curl-{kind}-{stream}", [done.stdout])
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A project whose tests asked all three providers in all ways, and what they got."""
    user_project = UserProject(folder=tmp_path_factory.mktemp("wires"))
    (user_project.folder / ".git").mkdir()
    with StreamingProvider() as provider:
        upstreams = {"openai": f"{provider.url}/v1", "anthropic": provider.url, "gemini": provider.url}
        lines = "".join(f"    {name}: {url}\n" for name, url in upstreams.items())
        user_project.write("ratiba.yaml", f"recordings:\n  names: [Wanjiru Kamau]\n  upstreams:\n{lines}")
        user_project.write("test_wires.py", TEST_FILE)
        user_project.write("calls.json", json.dumps({"bodies": BODIES, "keys": KEYS, "upstreams": upstreams}))
        done = user_project.pytest("-q", "--record", "once")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "18 recorded" in done.stdout
        asked = len(provider.requests)
    return user_project, asked, outputs(user_project)


def outputs(user_project) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((user_project.folder / "out").iterdir())}


def recordings(user_project) -> list[Path]:
    return sorted((user_project.folder / "tests/fixtures/llm_recordings").glob("*.jsonl"))


def test_played_without_the_provider_every_byte_is_the_same(recorded):
    user_project, asked, before = recorded
    assert asked == 18
    for path in (user_project.folder / "out").iterdir():
        path.unlink()
    done = user_project.pytest("-q")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "18 played" in done.stdout
    assert outputs(user_project) == before
    streams = [name for name in before if name.endswith("True.cuts") and "curl" not in name]
    assert all(len(json.loads(before[name])) > 5 for name in streams), "streams come in the chunks they came in"
    assert all(b"\xf0\x9f\x98\x8a" in before[name[: -len(".cuts")]] for name in streams)


def test_nothing_secret_or_personal_is_in_the_files(recorded):
    user_project, _, _ = recorded
    text = "\n".join(path.read_text() for path in recordings(user_project))
    assert len(recordings(user_project)) == 9
    secrets = ("abcdefghijklmnop", "AIzaSy", "session=abc", "712 345", "712345", "wanjiru", "Wanjiru", "Kamau")
    assert not [secret for secret in secrets if secret in text]
    assert '"tokens":{"input":21,"output":9}' in text


def test_forty_days_later_nothing_is_missed(recorded):
    """The clock of the whole process moves, as `faketime` does it."""
    user_project, _, before = recorded
    user_project.write(
        "conftest.py",
        """
        import time
        _real = time.time
        time.time = lambda: _real() + 40 * 86_400
        """,
    )
    done = user_project.pytest("-q")
    assert done.returncode == 0, done.stdout + done.stderr
    assert outputs(user_project) == before
