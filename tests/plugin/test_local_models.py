"""Models on this machine (Ollama, vLLM) are recorded and played as others are; other calls to loopback stay."""

import json

import pytest

from tests.loopback.ollama import LocalModel

CLIENTS = """
    import asyncio, json, pathlib, urllib.request
    import aiohttp, httpx, openai, pytest, requests

    BASE = pathlib.Path("base").read_text()
    MESSAGES = [{"role": "user", "content": "Nataka massage kesho"}]
    OUT = pathlib.Path("out"); OUT.mkdir(exist_ok=True)

    def keep(name, body):
        (OUT / name).write_bytes(body)

    WIRES = {
        "ollama": ("/api/chat", {"model": "llama3.2", "messages": MESSAGES}),
        "vllm": ("/v1/chat/completions", {"model": "qwen", "messages": MESSAGES}),
    }
    CALLS = [(kind, stream) for kind in WIRES for stream in (False, True)]

    def shape(kind, stream):
        path, body = WIRES[kind]
        return BASE + path, body | {"stream": stream}

    @pytest.mark.parametrize("kind, stream", CALLS)
    def test_httpx(kind, stream, llm_recording):
        url, body = shape(kind, stream)
        with httpx.stream("POST", url, json=body) as reply:
            keep(f"httpx-{kind}-{stream}", b"".join(reply.iter_raw()))
            assert reply.status_code == 200

    @pytest.mark.parametrize("kind, stream", CALLS)
    def test_async_httpx(kind, stream, llm_recording):
        async def ask():
            url, body = shape(kind, stream)
            async with httpx.AsyncClient() as http:
                reply = await http.post(url, json=body)
                assert reply.status_code == 200
                keep(f"async-{kind}-{stream}", reply.content)
        asyncio.run(ask())

    @pytest.mark.parametrize("kind, stream", CALLS)
    def test_urllib(kind, stream, llm_recording):
        url, body = shape(kind, stream)
        asked = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
        with urllib.request.urlopen(asked) as reply:
            keep(f"urllib-{kind}-{stream}", reply.read())

    @pytest.mark.parametrize("kind, stream", CALLS)
    def test_requests(kind, stream, llm_recording):
        url, body = shape(kind, stream)
        with requests.Session() as http:  # one connection: there and back
            health = http.get(BASE + "/health").content
            reply = http.post(url, json=body)
            assert reply.status_code == 200 and http.get(BASE + "/health").content == health
            keep(f"requests-{kind}-{stream}", reply.content)

    @pytest.mark.parametrize("stream", [False, True])
    def test_openai(stream, llm_recording):
        with openai.OpenAI(base_url=BASE + "/v1", api_key="none") as client:
            reply = client.chat.completions.create(model="qwen", messages=MESSAGES, stream=stream)
            if stream:
                text = "".join(one.choices[0].delta.content or "" for one in reply if one.choices)
            else:
                text = reply.choices[0].message.content
            keep(f"openai-{stream}", text.encode())
"""


@pytest.fixture
def project(user_project):
    user_project.write("ratiba.yaml", "recordings: {}\n")
    return user_project


def outputs(project) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (project.folder / "out").iterdir()}


def test_a_model_on_this_machine_is_recorded_and_played_without_it(project):
    with LocalModel() as model:
        project.write("base", model.url)
        project.write("test_clients.py", CLIENTS.replace('http.get(BASE + "/health").content', "b'up'"))
        recorded = project.pytest("-q", "--record", "once")
        assert recorded.returncode == 0, recorded.stdout + recorded.stderr
        assert "model replies: 18 recorded" in recorded.stdout
        before = outputs(project)
        assert len(model.paths) == 18
        assert len(before) == 18
        assert all(b"Sawa" in body or b"tisa" in body for body in before.values())
    for path in (project.folder / "out").iterdir():
        path.unlink()
    played = project.pytest("-q")
    assert played.returncode == 0, played.stdout + played.stderr
    assert "model replies: 18 played" in played.stdout
    assert outputs(project) == before
    rows = [
        json.loads(line)
        for path in (project.folder / "tests/fixtures/llm_recordings").glob("*.jsonl")
        for line in path.read_text().splitlines()
    ]
    assert {row["request"]["upstream"].partition(":")[0] for row in rows} == {"localhost"}
    assert all(row["tokens"] == {"input": 21, "output": 9} for row in rows if row["request"]["path"] == "/api/chat")


def test_a_model_on_this_machine_that_was_not_recorded_is_not_asked(project):
    with LocalModel() as model:
        project.write("base", model.url)
        project.write("test_clients.py", CLIENTS.replace('http.get(BASE + "/health").content', "b'up'"))
        played = project.pytest("-q")
        assert model.paths == []
    assert "18 failed" in played.stdout, played.stdout
    assert played.stdout.count("There is no recording at all in") >= 18
    assert "Record it with `pytest --record once`" in played.stdout


def test_one_connection_goes_to_the_recording_and_back_to_the_agents_server(project):
    with LocalModel() as model:
        project.write("base", model.url)
        project.write("test_clients.py", CLIENTS)
        recorded = project.pytest("-q", "-k", "requests", "--record", "once")
        assert recorded.returncode == 0, recorded.stdout + recorded.stderr
        played = project.pytest("-q", "-k", "requests")
        assert played.returncode == 0, played.stdout + played.stderr
        assert "4 played" in played.stdout
        assert model.paths.count("/health") == 16
        assert len(model.paths) == 20


OTHERS = """
    import asyncio, json, pathlib, urllib.request
    import aiohttp, httpx, pytest

    BASE = pathlib.Path("base").read_text()

    def test_an_agent_at_a_models_path(llm_recording):
        body = {"message": "Habari", "session_id": "s-1"}
        assert httpx.post(BASE + "/api/chat", json=body).status_code == 200
        asked = urllib.request.Request(BASE + "/api/chat", json.dumps(body).encode(), method="POST")
        with urllib.request.urlopen(asked) as reply:
            assert reply.status == 200

        async def ask():
            async with aiohttp.ClientSession() as http, http.post(BASE + "/api/chat", json=body) as reply:
                assert reply.status == 200
        asyncio.run(ask())
"""


def test_a_server_on_this_machine_that_is_no_model_is_asked_as_before(project):
    with LocalModel() as model:
        project.write("base", model.url)
        project.write("test_others.py", OTHERS)
        for mode in ("none", "once"):
            done = project.pytest("-q", "--record", mode)
            assert done.returncode == 0, done.stdout + done.stderr
            assert "model replies: no call" in done.stdout
        assert len(model.paths) == 6


UNSEEN = """
    import asyncio, pathlib
    import aiohttp, pytest

    BASE = pathlib.Path("base").read_text()

    @pytest.mark.parametrize("path", ["/api/chat", "/v1/chat/completions"])
    def test_aiohttp(path, llm_recording):
        async def ask():
            async with aiohttp.ClientSession() as http:
                async with http.post(BASE + path, json={"model": "qwen", "messages": []}) as reply:
                    assert reply.status == 200
        asyncio.run(ask())
"""


@pytest.mark.parametrize("mode", ["none", "once"])
def test_a_client_that_recordings_do_not_see_is_refused_in_words(project, mode):
    with LocalModel() as model:
        project.write("base", model.url)
        project.write("test_unseen.py", UNSEEN)
        done = project.pytest("-q", "--record", mode)
        assert model.paths == []
    assert "2 failed" in done.stdout, done.stdout
    assert "something asked the model at 127.0.0.1:" in done.stdout
    assert "recordings.upstreams" in done.stdout
    assert "recordings.allow" in done.stdout


def test_a_model_that_is_allowed_is_counted_as_live(project):
    with LocalModel() as model:
        project.write("ratiba.yaml", f"recordings:\n  allow: ['{model.url.removeprefix('http://')}']\n")
        project.write("base", model.url)
        project.write("test_unseen.py", UNSEEN)
        project.write("test_clients.py", CLIENTS)
        done = project.pytest("-q", "-k", "aiohttp or test_httpx or test_urllib")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "model replies: 10 live" in done.stdout
        assert len(model.paths) == 10


def test_the_agent_of_the_configuration_is_no_model(project):
    with LocalModel() as model:
        project.write("ratiba.yaml", f"agent: {{address: '{model.url}/api/chat', kind: http}}\n")
        project.write("base", model.url)
        project.write("test_clients.py", CLIENTS)
        done = project.pytest("-q", "-k", "test_urllib or test_httpx")
        assert done.returncode == 0, done.stdout + done.stderr
        assert len(model.paths) == 8


def test_ollama_by_its_variable_is_an_upstream(project):
    project.write(
        "test_process.py",
        """
        import json, os, subprocess, sys, pathlib
        def test_process(llm_recording):
            body = json.dumps({"model": "llama3.2", "messages": []})
            url = llm_recording.environment()["OLLAMA_HOST"] + "/api/chat"
            done = subprocess.run(["curl", "-sS", "--fail", url, "-d", body], capture_output=True)
            assert done.returncode == 0 and b"tisa" in done.stdout, done
        """,
    )
    with LocalModel() as model:
        project.variables["OLLAMA_HOST"] = model.url.removeprefix("http://").replace("127.0.0.1", "0.0.0.0")
        recorded = project.pytest("-q", "--record", "once")
        assert recorded.returncode == 0, recorded.stdout + recorded.stderr
    played = project.pytest("-q")
    assert played.returncode == 0, played.stdout + played.stderr
    assert "1 played" in played.stdout
    assert '"upstream":"ollama"' in (project.folder / "tests/fixtures/llm_recordings/test_process.jsonl").read_text()
