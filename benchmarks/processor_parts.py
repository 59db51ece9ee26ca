"""Where the processor time of one machine goes: each kind of the product's processes, and whatever else runs.

Read from /proc, so only where Linux is, and only what this machine runs: a database elsewhere is missing, not free.
Time of children that have ended and been waited for is their parent's, so that workers may be replaced meanwhile.
"""

import os
import sys
from pathlib import Path

from ratiba_eval import local_stack

_TICK = os.sysconf("SC_CLK_TCK")
_KINDS = {  # what tells a kind from others in its command line
    "control": "control@ratiba",
    "workers": "@ratiba",
    "beat": " beat ",
    "agent": "examples.booking_agent",
}


def listening(port: int) -> list[int]:
    """The processes that listen on this port of ours, as Linux names them."""
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path("/proc/net", name).read_text().splitlines()[1:]]
    sockets = {f"socket:[{row[9]}]" for row in rows if row[3] == "0A" and int(row[1].rpartition(":")[2], 16) == port}
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if any(str(link.readlink()) in sockets for link in (entry / "fd").iterdir()):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def processes(port: int) -> dict[str, list[int]]:
    """The web server on this port and, where `up` runs it, the uppermost process of each kind beside it; families are
    theirs to count. Empty where nobody listens."""
    every = listening(port)
    servers = [pid for pid in every if _parent(pid) not in every]
    if not servers:
        return {}
    found = {"web": servers}  # whatever its name is
    above = _parent(servers[0])
    for pid in _children(above) if "ratiba_eval.up" in _command(above) else ():
        kind = next((name for name, word in _KINDS.items() if word in _command(pid)), None)
        if kind:
            found.setdefault(kind, []).append(pid)
    for name, service in (("postgres", local_stack.postgres()), ("broker", local_stack.valkey())):
        if (pid_ := service.pid()) is not None:
            found[name] = [pid_]
    return found | {"load": [os.getpid()]}


def seconds(kinds: dict[str, list[int]]) -> dict[str, float]:
    """User and system time so far, by kind, families included; `whole_machine` is everybody's."""
    found = {name: sum(_used(pid) for top in pids for pid in _family(top)) / _TICK for name, pids in kinds.items()}
    user, nice, system, _idle, _wait, *more = map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:])
    return found | {"whole_machine": (user + nice + system + sum(more[:2])) / _TICK}


def spent(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    """Seconds between two readings; `others` is what neither the product nor the load used."""
    used = {name: after[name] - before.get(name, 0.0) for name in after}
    whole = used.pop("whole_machine")
    return {name: round(value, 1) for name, value in (used | {"others": max(0.0, whole - sum(used.values()))}).items()}


def _used(pid: int) -> int:
    """Ticks of a process and of its children that have ended."""
    return sum(int(field) for field in _stat(pid)[11:15])


def _family(pid: int) -> list[int]:
    return [pid, *(one for child in _children(pid) for one in _family(child))]


def _children(pid: int) -> list[int]:
    try:
        lists = [(task / "children").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return []
    return [int(child) for text in lists for child in text.split()]


def _parent(pid: int) -> int:
    return int(_stat(pid)[1])


def _stat(pid: int) -> list[str]:
    """The fields after the command's name; zeros for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["0"] * 15


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


if __name__ == "__main__":
    print(seconds(processes(int(sys.argv[1]))))
