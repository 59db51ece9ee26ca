"""A Python function of the user's as an agent: what it is given, and what comes of what it returns or raises."""

import json
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from ratiba_eval import programs
from ratiba_eval.function_server import answer, load

MESSAGES = [{"role": "user", "content": "Hi"}]


def test_a_function_is_given_messages_and_context_or_the_text_alone() -> None:
    async def later(messages: Any, context: Any) -> dict[str, Any]:
        return {"content": f"{len(messages)} for {context['session_id']}", "tool_calls": []}

    assert answer(later, {"messages": MESSAGES, "session_id": "s"}) == {"content": "1 for s", "tool_calls": []}
    assert answer(lambda text: text.upper(), {"messages": MESSAGES}) == {"content": "HI"}
    assert answer(lambda text: None, {"messages": []}) == {"content": ""}


@pytest.mark.parametrize("name", ["no_such_module:reply", "json:no_such_function", "json:__doc__", "json"])
def test_a_function_that_is_not_there_is_named(name: str) -> None:
    with pytest.raises(ValueError, match=name.partition(":")[0]):
        load(name)


def test_it_is_served_from_the_folder_and_what_it_raises_is_its_answer(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind((programs.ADDRESS, 0))
        free_port = probe.getsockname()[1]
    (tmp_path / "mine.py").write_text("def reply(text):\n    return {'content': 'Yes'} if text == 'Hi' else 1 / 0\n")
    argv = [sys.executable, "-m", "ratiba_eval.function_server", "mine:reply", str(free_port)]
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(argv, cwd=tmp_path, env={"PYTHONPATH": str(root)}, stderr=subprocess.PIPE) as process:
        try:
            while not programs.accepts(free_port):
                assert process.poll() is None, process.stderr
            assert ask(free_port, "Hi") == (200, {"content": "Yes"})
            assert ask(free_port, "Bye") == (500, {"error": "ZeroDivisionError: division by zero"})
        finally:
            process.kill()


def ask(port: int, text: str) -> tuple[int, Any]:
    body = json.dumps({"messages": [{"role": "user", "content": text}]}).encode()
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", body, timeout=10) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
