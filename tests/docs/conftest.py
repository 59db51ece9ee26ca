"""A house of its own for the documents: the demo played, and the product up, in a scratch folder on free ports."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.docs.fences import ROOT
from tests.journey.conftest import share_tenant_scripts

PATIENCE_S = 300.0  # on a machine that is busy with something else


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A folder that looks like a checkout, in which the product is up. `demo` is what `manage.py demo` printed."""

    folder: Path
    web: int
    agent: int
    pega: int
    environment: dict[str, str]
    demo: str
    summary: dict[str, Any]

    def in_our_ports(self, text: str) -> str:
        """The text with the ports of this house in place of the documented ones."""
        return (
            text.replace(":8000", f":{self.web}").replace(":8123", f":{self.agent}").replace(":8124", f":{self.pega}")
        )

    def shell(self, script: str, *, timeout: float = PATIENCE_S) -> subprocess.CompletedProcess[str]:
        """Run a script as a reader would type it."""
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self.in_our_ports(script)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )


@pytest.fixture
def house() -> Iterator[House]:
    """`manage.py demo`, then `manage.py up`; everything goes with the test. About 35 s, so one test uses it."""
    folder = Path(tempfile.mkdtemp(prefix="rd-", dir="/tmp"))
    for entry in ROOT.iterdir():
        if entry.name not in ("var", ".git", ".venv", ".deepeval-cache"):
            (folder / entry.name).symlink_to(entry)
    web, agent, pega = _free_ports(3)
    environment = _environment(folder, web=web, agent=agent, pega=pega)
    share_tenant_scripts(folder / "var")
    _install_plugin(folder)
    manage = [sys.executable, "manage.py"]
    log = (folder / "up.txt").open("wb")
    up: subprocess.Popen[bytes] | None = None
    try:
        demo = subprocess.run(
            [*manage, "demo"], cwd=folder, env=environment, capture_output=True, text=True, timeout=180, check=False
        )
        assert demo.returncode == 0, demo.stdout[-3000:] + demo.stderr[-3000:]
        up = subprocess.Popen(
            [*manage, "up", "--workers", "2"], cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        _wait_until_up(up, folder / "up.txt", web)
        yield House(
            folder=folder,
            web=web,
            agent=agent,
            pega=pega,
            environment=environment,
            demo=demo.stdout,
            summary=json.loads((folder / "var" / "demo" / "summary.json").read_text()),
        )
    finally:
        if up is not None and up.poll() is None:
            up.send_signal(signal.SIGTERM)
            up.wait(timeout=60)
        log.close()
        subprocess.run(
            [sys.executable, "-m", "ratiba_eval.local_stack", "remove"],
            cwd=folder, env=environment, capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        shutil.rmtree(folder, ignore_errors=True)


def _environment(folder: Path, *, web: int, agent: int, pega: int) -> dict[str, str]:
    """A reader's environment: nothing is set but what keeps this house apart from the checkout's own."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in ("HOME", "LANG", "LC_ALL", "TMPDIR", "USER", "UV_CACHE_DIR") or name.startswith("PYTHON")
    }
    tools = str(Path(sys.executable).parent)
    return {
        **kept,
        "PATH": f"{folder}:{tools}:{os.environ['PATH']}",
        "RATIBA_STATE_DIR": str(folder / "var"),
        "RATIBA_PORT": str(web),
        "RATIBA_DEMO_AGENT_PORT": str(agent),
        "RATIBA_DEMO_PEGA_PORT": str(pega),
    }


def _install_plugin(folder: Path) -> None:
    """`ratiba-ci` as the plugin's wheel has it; the plugin is not installed where its sources are tested."""
    program = folder / "ratiba-ci"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT / 'plugin' / 'src')!r})\n"
        "from pytest_ratiba.ci.main import main\nsys.exit(main())\n"
    )
    program.chmod(0o755)


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _wait_until_up(up: subprocess.Popen[bytes], log: Path, web: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while b"Ctrl-C stops" not in log.read_bytes():
        assert up.poll() is None, log.read_text()[-3000:]
        assert time.monotonic() < deadline, log.read_text()[-3000:]
        time.sleep(0.1)
    with urllib.request.urlopen(f"http://127.0.0.1:{web}/healthz", timeout=5) as answer:
        assert answer.status == 200
