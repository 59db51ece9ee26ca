"""With xdist the controller starts what its workers share, a local server and agents, when the first of them asks.

Before that nobody knows: the controller collects nothing, and a server takes twenty seconds that a session of layer 2
has no use for. Workers ask over a socket of this machine, whose address and key they get with their input.
"""

import json
import secrets
import threading
from collections.abc import Callable, Mapping
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

from pytest_ratiba.errors import ProjectError

CLOSE_S = 60.0


class SharedStarts:
    """The controller's side. `start` is called for one request at a time, in a thread; what it raises as `ProjectError`
    is raised in the worker that asked."""

    def __init__(self, start: Callable[[Mapping[str, Any]], Any]) -> None:
        self._start, self._lock = start, threading.Lock()
        self._key = secrets.token_hex(16)
        self._listener = Listener(authkey=self._key.encode())
        threading.Thread(target=self._accept, name="ratiba-starts", daemon=True).start()

    def for_worker(self) -> dict[str, str]:
        """Return the address and key by which a worker reaches the controller."""
        return {"address": str(self._listener.address), "key": self._key}

    def close(self) -> None:
        """Nobody asks any more. Waits up to CLOSE_S for a start that is under way, so that whoever closes can stop what
        came of it."""
        self._start = _too_late
        if self._lock.acquire(timeout=CLOSE_S):
            self._lock.release()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection = self._listener.accept()
            except Exception as error:
                if isinstance(error, OSError) and self._start is _too_late:
                    return
                continue  # somebody without the key
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: Connection) -> None:
        with connection:
            asked = json.loads(connection.recv_bytes())
            try:
                with self._lock:
                    answer = {"started": self._start(asked)}
            except Exception as error:
                answer = {"problem": str(error) if isinstance(error, ProjectError) else repr(error)}
            connection.send_bytes(json.dumps(answer).encode())


def ask_controller(told: Mapping[str, str], request: Mapping[str, Any]) -> Any:
    """Ask the controller to start a server or agent for this worker, and return the answer.
    Raises `ProjectError`; repeatable, a start happens once."""
    try:
        with Client(told["address"], authkey=told["key"].encode()) as connection:
            connection.send_bytes(json.dumps(dict(request)).encode())
            answer = json.loads(connection.recv_bytes())
    except (OSError, EOFError) as error:
        raise ProjectError(f"the session's controller, which starts the server and agents, is gone: {error}") from error
    if "problem" in answer:
        raise ProjectError(answer["problem"])
    return answer["started"]


def _too_late(asked: Mapping[str, Any]) -> Any:
    raise ProjectError("the session is over: nothing is started any more")
