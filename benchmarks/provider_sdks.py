"""Do the providers' own SDKs play byte for byte what was recorded of them, with the provider gone?

    python -m venv var/sdks
    var/sdks/bin/pip install openai anthropic google-genai aiohttp pytest httpx PyYAML 'psycopg[binary]'
    var/sdks/bin/python -m benchmarks.provider_sdks

Every client is driven plainly, streamed, with tool calls, sync and async, twice: caught as it is, and by the endpoint's
base URL. The provider speaks the true wire formats on loopback: SSE with keep-alive comments, gzip, a 429 before the
answer. Exit 1 where a byte differs, a call is missed or the network is asked while playing.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from textwrap import dedent

from tests.loopback.streaming import StreamingProvider

ROOT = Path(__file__).resolve().parents[1]
SDKS = ("openai", "anthropic", "google-genai", "httpx", "httpx2", "aiohttp")
PLUGINS = ("pytest_ratiba.entry",)
TESTS = '''
    import asyncio, json, os, pathlib
    import anthropic, openai, pytest
    from google import genai
    from google.genai import types

    UPSTREAMS = json.loads(pathlib.Path("upstreams.json").read_text())
    OUT = pathlib.Path("out"); OUT.mkdir(exist_ok=True)
    HELLO = [{"role": "user", "content": "Nataka nafasi, +254 712 345 678"}]
    PARAMETERS = {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]}
    TOOL = {"type": "function", "function": {"name": "book_slot", "parameters": PARAMETERS}}
    KINDS = ["plain", "stream", "tool", "tool_stream"]


    @pytest.fixture(params=["caught", "endpoint"])
    def base(request, llm_recording):
        return UPSTREAMS.get if request.param == "caught" else llm_recording.base_url

    def keep(request, value):
        name = request.node.name.replace("[", "-").rstrip("]")
        (OUT / name).write_text(json.dumps(value, default=lambda one: one.model_dump(mode="json"), sort_keys=True))

    def openai_fields(kind):
        more = {"tools": [TOOL]} if kind.startswith("tool") else {}
        more |= {"stream": True, "stream_options": {"include_usage": True}} if kind.endswith("stream") else {}
        return {"model": "gpt-4o", "messages": HELLO, **more}

    def anthropic_fields(kind):
        tool = {"name": "book_slot", "input_schema": PARAMETERS}
        more = {"tools": [tool]} if kind.startswith("tool") else {}
        return {"model": "claude-sonnet-4-5", "max_tokens": 99, "messages": HELLO, **more}

    def gemini_fields(kind):
        tool = types.Tool(function_declarations=[{"name": "book_slot", "parameters_json_schema": PARAMETERS}])
        off = types.AutomaticFunctionCallingConfig(disable=True)
        tools = [tool] if kind.startswith("tool") else None
        config = types.GenerateContentConfig(tools=tools, automatic_function_calling=off)
        return {"model": "gemini-2.5-flash", "contents": HELLO[0]["content"], "config": config}

    def gemini(base, **more):
        options = {"base_url": base("gemini"), **more}
        return genai.Client(api_key="AIzaSyA1234567890123456789012345678901", http_options=options)

    def gemini_value(reply):
        return reply.model_dump(mode="json", exclude={"sdk_http_response"})


    @pytest.mark.parametrize("kind", KINDS)
    def test_openai(request, base, kind):
        client = openai.OpenAI(base_url=base("openai"), api_key="sk-proj-abcdefghijklmnop1234")
        reply = client.chat.completions.create(**openai_fields(kind))
        keep(request, list(reply) if kind.endswith("stream") else reply)

    @pytest.mark.parametrize("kind", KINDS)
    def test_openai_async(request, base, kind):
        async def ask():
            async with openai.AsyncOpenAI(base_url=base("openai"), api_key="sk-proj-abcdefghijklmnop1234") as client:
                reply = await client.chat.completions.create(**openai_fields(kind))
                return [one async for one in reply] if kind.endswith("stream") else reply
        keep(request, asyncio.run(ask()))

    @pytest.mark.parametrize("kind", KINDS)
    def test_anthropic(request, base, kind):
        client = anthropic.Anthropic(base_url=base("anthropic"), api_key="sk-ant-api03-abcdefghijklmnop")
        if not kind.endswith("stream"):
            return keep(request, client.messages.create(**anthropic_fields(kind)))
        with client.messages.stream(**anthropic_fields(kind)) as stream:
            events = [one.type for one in stream]
            keep(request, [events, stream.get_final_message()])

    @pytest.mark.parametrize("kind", KINDS)
    def test_anthropic_async(request, base, kind):
        async def ask():
            async with anthropic.AsyncAnthropic(base_url=base("anthropic"), api_key="sk-ant-api03-abcdefgh") as client:
                if not kind.endswith("stream"):
                    return await client.messages.create(**anthropic_fields(kind))
                async with client.messages.stream(**anthropic_fields(kind)) as stream:
                    return [[one.type async for one in stream], await stream.get_final_message()]
        keep(request, asyncio.run(ask()))

    @pytest.mark.parametrize("kind", KINDS)
    def test_gemini(request, base, kind):
        with gemini(base) as client:
            if kind.endswith("stream"):
                stream = client.models.generate_content_stream(**gemini_fields(kind))
                return keep(request, [gemini_value(one) for one in stream])
            keep(request, gemini_value(client.models.generate_content(**gemini_fields(kind))))

    async def gemini_async(client, kind):
        async with client.aio as aio:
            if kind.endswith("stream"):
                stream = await aio.models.generate_content_stream(**gemini_fields(kind))
                return [gemini_value(one) async for one in stream]
            return gemini_value(await aio.models.generate_content(**gemini_fields(kind)))

    @pytest.mark.parametrize("kind", KINDS)
    def test_gemini_aiohttp(request, llm_recording, kind):
        """aiohttp, its default where it is installed: by the endpoint only."""
        keep(request, asyncio.run(gemini_async(gemini(llm_recording.base_url), kind)))

    @pytest.mark.parametrize("kind", KINDS)
    def test_gemini_async(request, base, kind):
        import httpx
        client = gemini(base, httpx_async_client=httpx.AsyncClient())
        keep(request, asyncio.run(gemini_async(client, kind)))
'''


def main() -> int:
    """Record, then play without the provider, and print the figures."""
    for name in SDKS:
        print(f"{name} {_version(name)}")
    with tempfile.TemporaryDirectory(prefix="ratiba-sdks-") as folder:
        project = Path(folder)
        with StreamingProvider(encoded=True) as provider:
            provider.status = [429, 500]  # the first requests: SDKs repeat them
            _write(project, provider.url)
            began = time.monotonic()
            recorded = _pytest(project, "--record", "once")
            print(f"recorded: {recorded} in {time.monotonic() - began:.1f} s")
            print(f"the provider was asked {len(provider.requests)} times")
            before = _outputs(project)
        began = time.monotonic()
        print(f"played:   {_pytest(project)} in {time.monotonic() - began:.1f} s, the provider is gone")
        after = _outputs(project)
        text = "".join(path.read_text() for path in (project / "tests").rglob("*.jsonl"))
    differing = sorted(name for name in before if after.get(name) != before[name])
    secrets = [word for word in ("abcdefgh", "AIzaSyA1", "712 345") if word in text]
    print(f"{len(before)} replies as the SDK gave them, {len(before) - len(differing)} equal")
    print(f"differing: {differing or 'none'}")
    print(f"secrets and numbers in the recordings: {secrets or 'none'}")
    return 1 if differing or secrets or not before else 0


def _write(project: Path, url: str) -> None:
    upstreams = {"openai": f"{url}/v1", "anthropic": url, "gemini": url}
    (project / ".git").mkdir()
    (project / "ratiba.yaml").write_text(json.dumps({"recordings": {"upstreams": upstreams}}))
    (project / "upstreams.json").write_text(json.dumps(upstreams))
    (project / "test_sdks.py").write_text(dedent(TESTS))


def _pytest(project: Path, *arguments: str) -> str:
    plugins = [word for name in PLUGINS for word in ("-p", name)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "plugin" / "src"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    for path in (project / "out").glob("*"):
        path.unlink()
    words = [sys.executable, "-m", "pytest", "-q", *plugins, "--rootdir", ".", *arguments]
    done = subprocess.run(words, cwd=project, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout[-6000:] + done.stderr[-2000:])
    lines = done.stdout.strip().splitlines()
    return next((line for line in lines if line.startswith("model replies")), "nothing") + f"; {lines[-1]}"


def _outputs(project: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (project / "out").glob("*")}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "is not installed"


if __name__ == "__main__":
    sys.exit(main())
