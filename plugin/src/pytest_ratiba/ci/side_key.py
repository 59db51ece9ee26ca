"""Give the server's key to the process that plays a side.
The key goes through a socket, once no other process can look into the playing one. The variables of that process
never hold a secret of ours; those of a process that begins can be read by others of the same user."""

import json
import os
import socket
import subprocess
from collections.abc import Mapping

READY = b"."
HIDDEN_S = 60.0
_NAMES = ("RATIBA_API_KEY",)


def hand_key(channel: socket.socket, variables: Mapping[str, str]) -> None:
    """Of the process that started another: wait until it is ready, and give it the key. Nothing where it ended."""
    with channel:
        channel.settimeout(HIDDEN_S)
        try:
            if channel.recv(1) == READY:
                given = {name: variables[name] for name in _NAMES if name in variables}
                channel.sendall(json.dumps(given).encode() + b"\n")
        except OSError:
            return


def take_key() -> dict[str, str]:
    """Of the process that was started, with the socket as its standard input: {name: value}. {} where it is none, as
    when somebody starts it by hand with the key in its variables."""
    try:
        channel = socket.socket(fileno=os.dup(0))
    except OSError:
        return {}
    with channel, channel.makefile("rb") as lines:
        channel.sendall(READY)
        given = json.loads(lines.readline() or b"{}")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    return {str(name): str(value) for name, value in given.items()}


def started_with_channel(
    words: list[str], *, folder: str, environment: Mapping[str, str]
) -> tuple["subprocess.Popen[bytes]", socket.socket]:
    """The process, and our end of its socket."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            words, cwd=folder, env=dict(environment), stdin=theirs.fileno(), start_new_session=True
        )
    return process, ours
