"""One scenario's recording, used by several tests: each plays what it recorded, whoever else records."""

import json

import pytest

from tests.loopback.streaming import StreamingProvider

AGENT = """
    import httpx, pathlib

    def ask(text):
        url = pathlib.Path("provider").read_text() + "/v1/chat/completions"
        reply = httpx.post(url, json={"model": "m", "messages": [{"role": "user", "content": text}]})
        return reply.json()["choices"][0]["message"]["content"] if reply.status_code == 200 else "samahani"
"""
EIGHT = """
    import pathlib, pytest
    from agent import ask

    @pytest.mark.llm_recording("shared")
    @pytest.mark.parametrize("guest", range(8))
    def test_guest(guest, llm_recording):
        heard = [ask(f"guest {guest} asks {turn}") for turn in range(5)]
        (pathlib.Path("heard") / f"{guest}").write_text("\\n".join(heard))
"""


@pytest.fixture
def project(user_project):
    with StreamingProvider(("sawa",)) as provider:
        user_project.provider = provider
        user_project.write("agent.py", AGENT)
        user_project.write("provider", provider.url)
        user_project.write("ratiba.yaml", f"recordings: {{upstreams: {{openai: '{provider.url}/v1'}}}}\n")
        user_project.write("heard/.keep", "")
        yield user_project


def lines(project, name: str = "shared") -> list[dict]:
    path = project.folder / "tests/fixtures/llm_recordings" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def heard(project) -> dict[str, str]:
    return {path.name: path.read_text() for path in (project.folder / "heard").glob("[0-9]")}


@pytest.mark.parametrize("mode", ["once", "all"])
def test_eight_tests_of_one_scenario_play_what_each_recorded(project, mode):
    project.write("test_it.py", EIGHT)
    done = project.pytest("-q", "--record", mode)
    assert "8 passed" in done.stdout, done.stdout
    assert "40 recorded" in done.stdout
    assert len(lines(project)) == 40
    before = heard(project)
    done = project.pytest("-q")
    assert "8 passed" in done.stdout, done.stdout
    assert "40 played" in done.stdout
    assert heard(project) == before
    assert len(project.provider.requests) == 40


def test_two_sessions_with_four_workers_each_lose_nothing(project):
    project.write("test_it.py", EIGHT)
    words = ("-q", "-p", "xdist", "-n", "4", "--record", "all")
    sessions = [project.started(*words), project.started(*words)]
    for one in sessions:
        one.communicate(timeout=120)
        assert one.returncode == 0
    assert len(lines(project)) == 40, "80 were asked for; each conversation is one session's, whole"
    assert len(project.provider.requests) == 80
    done = project.pytest("-q", "-p", "xdist", "-n", "4")
    assert "8 passed" in done.stdout, done.stdout
    assert "40 played" in done.stdout
    assert len(project.provider.requests) == 80


def test_a_file_without_tests_in_it_plays_for_each_and_is_taken_over(project):
    """Written before a call said whose it is; and a renamed test plays what it recorded under its old name."""
    project.write("test_it.py", EIGHT.replace("range(8)", "range(1)"))
    project.pytest("-q", "--record", "once")
    path = project.folder / "tests/fixtures/llm_recordings/shared.jsonl"
    old = [{name: value for name, value in row.items() if name != "test"} | {"v": 1} for row in lines(project)]
    path.write_text("".join(json.dumps(row) + "\n" for row in old))
    assert "5 played" in project.pytest("-q").stdout
    assert "5 recorded" in project.pytest("-q", "--record", "all").stdout
    assert [row["test"] for row in lines(project)] == ["test_it.py::test_guest[0]"] * 5
    project.write("test_it.py", EIGHT.replace("range(8)", "range(1)").replace("test_guest", "test_client"))
    assert "5 played" in project.pytest("-q").stdout


def test_a_test_without_a_recording_is_told_whose_there_are(project):
    project.write("test_it.py", EIGHT.replace("range(8)", "range(2)"))
    project.pytest("-q", "--record", "once")
    project.write("test_it.py", EIGHT.replace("range(8)", "range(3)"))
    done = project.pytest("-q")
    assert done.returncode == 1
    assert "has nothing of test_it.py::test_guest[2], but what test_it.py::test_guest[0]" in done.stdout


def test_a_second_recording_of_one_test_is_refused_in_words(project):
    project.write(
        "test_it.py",
        """
        from agent import ask

        def test_twice(ratiba_recorder):
            for text in ("first", "second"):
                recording = ratiba_recorder.open("shared")
                with ratiba_recorder.within(recording):
                    ask(text)
                ratiba_recorder.close(recording)
        """,
    )
    done = project.pytest("-q", "--record", "all")
    assert done.returncode == 1
    assert "would replace it by a second recording: give this one a conversation of its own" in done.stdout
    assert len(lines(project)) == 1


def test_who_is_named_in_a_tests_parameters_is_not_written_down(project):
    guests = EIGHT.replace("range(8)", '["+254712345678", "+254798765432"]').replace('f"{guest}"', "guest[-1]")
    project.write("test_it.py", guests)
    done = project.pytest("-q", "--record", "all")
    assert "2 passed" in done.stdout, done.stdout
    assert "2 passed" in project.pytest("-q").stdout
    path = project.folder / "tests/fixtures/llm_recordings/shared.jsonl"
    assert len(lines(project)) == 10
    assert "712345678" not in path.read_text()
    assert "798765432" not in path.read_text()


def test_a_client_that_recordings_do_not_see_is_refused_while_they_are_made(project):
    """It would be asked live, the recording would lack it, and only the first play would say so."""
    project.write("ratiba.yaml", "recordings: {upstreams: {openai: 'http://model.example:8080/v1'}}\n")
    project.write(
        "test_it.py",
        """
        import asyncio, os, socket
        import aiohttp, pytest

        LOOK_UP = socket.getaddrinfo

        def numbered(host, *words, **options):
            return LOOK_UP("127.0.0.2" if host == "model.example" else host, *words, **options)

        @pytest.fixture(autouse=True)
        def names(monkeypatch):
            monkeypatch.setattr(socket, "getaddrinfo", numbered)

        def test_it(names, llm_recording):
            assert os.environ["DISABLE_AIOHTTP_TRANSPORT"] == "True", "LiteLLM asks by httpx"
            async def ask():
                async with aiohttp.ClientSession() as session:
                    await session.post("http://model.example:8080/v1/chat/completions", json={"model": "m"})
            with pytest.raises(OSError):
                asyncio.run(ask())
        """,
    )
    done = project.pytest("-q", "--record", "all")
    assert done.returncode == 1
    assert "is recorded and something asked model.example:8080 by a client that recordings do not see" in done.stdout
