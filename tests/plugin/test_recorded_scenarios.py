"""What `--record` means for a user's tests: misses, order, stubs, hosts, the blocked network, wrong configurations."""

import json

import pytest

from pytest_ratiba.config import read_project
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.recording.settings import read_settings
from tests.loopback.streaming import StreamingProvider

AGENT = """
    import httpx, os, pathlib

    def ask(text, **more):
        messages = [{"role": "user", "content": text}]
        url = pathlib.Path("provider").read_text() + "/v1/chat/completions"
        reply = httpx.post(url, json={"model": "m", "messages": messages, **more})
        return reply.json()["choices"][0]["message"]["content"] if reply.status_code == 200 else "samahani"
"""


@pytest.fixture
def project(user_project):
    """A project with an agent and a provider that is up while recording; `provider` is stopped by who wants that."""
    with StreamingProvider(("sawa",)) as provider:
        user_project.provider = provider
        user_project.write("agent.py", AGENT)
        user_project.write("provider", provider.url)
        configure(user_project)
        yield user_project


def configure(project, more: str = "") -> None:
    project.write("ratiba.yaml", f"recordings:\n  upstreams: {{openai: {project.provider.url}/v1}}\n{more}")


def lines(project, name: str) -> list[dict]:
    path = project.folder / "tests/fixtures/llm_recordings" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_miss_fails_the_test_and_names_the_nearest_and_the_place(project):
    """Also where the agent swallows the error; once the request is the recorded one but used up, that is said."""
    test = """
        from agent import ask
        import pytest
        @pytest.mark.llm_recording("booking")
        def test_turn(llm_recording):
            assert [ask("habari"), ask("nataka massage kesho saa {hour}")]{again}
    """
    project.write("test_it.py", test.format(hour="tisa", again=""))
    done = project.pytest("-q", "--record", "once")
    assert "2 recorded" in done.stdout, done.stdout
    assert [row["call"] for row in lines(project, "booking")] == [1, 2]

    project.write("test_it.py", test.format(hour="nne", again=""))
    done = project.pytest("-q")
    assert done.returncode == 1
    assert "call 2 of scenario 'booking' has no recording: POST openai /chat/completions" in done.stdout
    assert "Nearest is call 2 (" in done.stdout
    assert "booking.jsonl:2). It differs at:" in done.stdout
    assert "$.body.messages[0].content" in done.stdout
    assert "'nataka massage kesho saa tisa'" in done.stdout
    assert "'nataka massage kesho saa nne'" in done.stdout
    assert "not asked for any more:" in done.stdout

    project.write("test_it.py", test.format(hour="tisa", again="; ask('habari')"))
    done = project.pytest("-q")
    assert done.returncode == 1
    assert "already consumed" in done.stdout
    assert "by call 1" in done.stdout
    assert len(project.provider.requests) == 2, "nothing but the recording was asked"


def test_equal_requests_get_their_replies_in_the_order_they_were_recorded(project):
    project.write(
        "test_it.py",
        """
        from agent import ask
        def test_order(llm_recording):
            assert [ask("habari") for _ in range(3)] == ["1: sawa", "2: sawa", "3: sawa"]
        """,
    )
    assert project.pytest("-q", "--record", "once").returncode == 0
    project.provider.stop()
    done = project.pytest("-q")
    assert done.returncode == 0, done.stdout


def test_once_adds_what_is_missing_and_all_records_again(project):
    project.write(
        "test_it.py",
        """
        from agent import ask
        import pytest
        @pytest.mark.parametrize("name", ["one", "two"])
        def test_it(name, request):
            request.node.add_marker(pytest.mark.llm_recording("both", conversation=name))
            request.getfixturevalue("llm_recording")
            assert ask(name)
        """,
    )
    project.pytest("-q", "--record", "once", "-k", "one")
    assert "1 played, 1 recorded" in project.pytest("-q", "--record", "once").stdout
    assert [row["conversation"] for row in lines(project, "both")] == ["one", "two"]
    assert "2 recorded" in project.pytest("-q", "--record", "all", "-n", "2", "-p", "xdist").stdout
    assert [row["reply"]["text"][:2] for row in lines(project, "both")] == ['{"', '{"']
    assert len(project.provider.requests) == 4
    assert project.pytest("-q").returncode == 0


def test_other_hosts_are_recorded_or_stubbed_and_the_network_is_blocked(project):
    configure(
        project,
        """  stubs:
    - {host: "api.safaricom.co.ke", path: "/mpesa/*", status: 202, json: {CheckoutRequestID: ws_1}}
""",
    )
    project.write(
        "test_it.py",
        """
        import socket, urllib.request, httpx, pytest

        def test_stub(llm_recording):
            reply = httpx.post("https://api.safaricom.co.ke/mpesa/stkpush/v1", json={"Amount": 1})
            assert (reply.status_code, reply.json()) == (202, {"CheckoutRequestID": "ws_1"})

        def test_host_without_recording(llm_recording):
            httpx.get("https://calendar.example.com/v3/slots?day=1")

        def test_past_the_recording(llm_recording):
            with pytest.raises(OSError):
                urllib.request.urlopen("http://example.com/", timeout=3)

        def test_by_number(llm_recording):
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("192.0.2.1", 80), timeout=3)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams, pytest.raises(ConnectionRefusedError):
                datagrams.sendto(b"x", ("192.0.2.1", 53))

        def test_loopback_is_free(llm_recording):
            with socket.create_server(("127.0.0.1", 0)) as server:
                socket.create_connection(server.getsockname(), timeout=3).close()

        def test_outside_of_a_recording_nothing_is_caught():
            with socket.create_server(("127.0.0.1", 0)) as server:
                assert socket.socket.connect.__qualname__ != "block_network.<locals>.guarded_connect"
        """,
    )
    done = project.pytest("-q")
    assert "3 failed, 3 passed" in done.stdout, done.stdout
    assert "has no recording: GET calendar.example.com /v3/slots" in done.stdout
    assert "something wanted example.com:80 past it" in done.stdout
    assert "something wanted 192.0.2.1:80 past it" in done.stdout


def test_a_model_that_refuses_is_not_recorded(project):
    """A refusal that was sent again and answered is no matter; one that was the last word fails and says so."""
    project.write(
        "test_it.py",
        """
        from agent import ask
        def test_again(llm_recording):
            assert [ask("habari"), ask("habari")] == ["samahani", "2: sawa"]
        def test_last(llm_recording):
            ask("habari")
        """,
    )
    project.provider.status = [429]
    done = project.pytest("-q", "--record", "once", "-k", "again")
    assert done.returncode == 0, done.stdout
    assert [row["reply"]["status"] for row in lines(project, "test_again")] == [200]
    project.provider.status = [401]
    done = project.pytest("-q", "--record", "once", "-k", "last")
    assert done.returncode == 1
    assert "answered 401, which is not recorded" in done.stdout
    assert not (project.folder / "tests/fixtures/llm_recordings/test_last.jsonl").exists()


@pytest.mark.parametrize(
    "section, pointer",
    [
        ("recordings: {ignor: []}", "/recordings/ignor: unknown key; did you mean ignore?"),
        ("recordings: {ignore: [metadata]}", "/recordings/ignore/0"),
        ("recordings: {compare: [hours]}", "/recordings/compare/0"),
        ("recordings: {upstreams: {openai: api.openai.com}}", "/recordings/upstreams/openai"),
        ("recordings: {redact: ['(']}", "/recordings/redact/0"),
        ("recordings: {stubs: [{path: /x}]}", "/recordings/stubs/0: `host` is missing"),
        ("recordings: {stubs: [{host: a, file: nowhere.json}]}", "/recordings/stubs/0"),
    ],
)
def test_a_wrong_configuration_is_told_with_its_place(user_project, section, pointer):
    user_project.write("ratiba.yaml", section)
    with pytest.raises(ProjectError) as caught:
        read_settings(read_project(user_project.folder), {})
    assert pointer in str(caught.value)


def test_a_broken_line_is_told_with_its_number(project):
    project.write("tests/fixtures/llm_recordings/test_it.jsonl", '{"v": 1}\n')
    project.write("test_it.py", "def test_it(llm_recording): pass")
    done = project.pytest("-q")
    assert done.returncode == 1
    assert "test_it.jsonl:1: is no recorded call" in done.stdout
