"""A local server for people without a team's: the `ratiba` executable, started as a process of its own.

RATIBA_BIN says which (a command line; `ratiba` on PATH otherwise). It gets an environment without the variables by
which the user's own application finds its database, broker and settings, so nothing of theirs is touched. Its state
(database, logs, and the key in `pytest-ratiba.json`) stands in `var/` beside ratiba.yaml. A server that runs there
already is used and left running.
"""

import contextlib
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pytest_ratiba.errors import ProjectError
from pytest_ratiba.processes import ServerProcess, state_folder

# What would lead the server to the user's own database, broker, settings or port, or change who it trusts.
NOT_PASSED_ON = (
    "DATABASE_URL",
    "REDIS_URL",
    "SECRET_KEY",
    "DJANGO_SETTINGS_MODULE",
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
    "RATIBA_URL",
    "RATIBA_API_KEY",
    "ALLOWED_HOSTS",
    "MAKELEVEL",
)
# An address of its own is that of the agent's models: it is no judge, and its key is for nobody else.
AGENTS_MODEL = ("OPENAI_BASE_URL", "OPENAI_API_KEY")
PORTS = ("RATIBA_PORT", "RATIBA_DEMO_AGENT_PORT", "RATIBA_DEMO_PEGA_PORT")
TENANT = "demo"
START_S = 300.0  # the first start makes a database and two schemas, on a machine that may be busy
STOP_S = 40.0


@dataclass(kw_only=True)
class LocalServer:
    """A server in `folder`. `url` and `api_key` are there once `start` returned; `stop` ends what `start` started."""

    folder: Path
    say: Callable[[str], None] = lambda line: None
    url: str = ""
    api_key: str = ""
    _process: ServerProcess | None = field(default=None, repr=False)

    def start(self) -> None:
        """Use the server that runs here, or start one and wait until it answers. Raises `ProjectError`."""
        if self._runs_already():
            return
        words = executable()
        state = state_folder(self.folder)
        ports = dict(zip(PORTS, free_ports(len(PORTS)), strict=True))
        environment = server_environment(ports) | {"RATIBA_STATE_DIR": str(state)}
        self.url = f"http://{TENANT}.localhost:{ports['RATIBA_PORT']}"
        self.say(f"starting a local server ({' '.join(words)} up); its state and logs are in {state}")
        self._process = ServerProcess(
            name="the local server",
            words=(*words, "up"),
            folder=self._working_folder(),
            environment=environment,
            log=state / "pytest-ratiba.log",
            stop_s=STOP_S,
            stops_its_children=True,
        )
        self._process.start(lambda: _answers(self.url, "/readyz") == 200, within_s=START_S)
        try:
            self.api_key = self._new_key(words, environment)
        except BaseException:
            self.stop()
            raise
        self._remember()

    def stop(self) -> None:
        """End the server if this object started it; whoever found it running leaves it."""
        process, self._process = self._process, None
        if process is None:
            return
        self._file().unlink(missing_ok=True)
        process.stop()

    def _runs_already(self) -> bool:
        try:
            known = json.loads(self._file().read_text(encoding="utf-8"))
            url, api_key = str(known["url"]), str(known["api_key"])
        except (OSError, ValueError, KeyError, TypeError):
            return False
        if _answers(url, "/api/v1/test-runs/?limit=1", api_key) != 200:
            return False
        self.url, self.api_key = url, api_key
        return True

    def _new_key(self, words: list[str], environment: dict[str, str]) -> str:
        argv = [*words, "add_api_key", "--tenant", TENANT, "--name", "pytest-ratiba"]
        answer = subprocess.run(
            argv, cwd=self._working_folder(), env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        lines = answer.stdout.strip().splitlines()
        if answer.returncode or not lines:
            raise ProjectError(f"the local server gave no API key: {answer.stderr.strip()[-2000:]}")
        return lines[-1].strip()

    def _remember(self) -> None:
        file = self._file()
        file.unlink(missing_ok=True)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
            json.dump({"url": self.url, "api_key": self.api_key}, handle)

    def _working_folder(self) -> Path:
        given = os.environ.get("RATIBA_BIN_FOLDER", "").strip()  # a checkout's manage.py works in its own folder
        return Path(given) if given else self.folder

    def _file(self) -> Path:
        return state_folder(self.folder) / "pytest-ratiba.json"


def executable() -> list[str]:
    """RATIBA_BIN as words, else `ratiba` beside this Python or on PATH. Raises `ProjectError` where there is none."""
    given = os.environ.get("RATIBA_BIN", "").strip()
    if given:
        try:
            return shlex.split(given)
        except ValueError as error:
            raise ProjectError(f"RATIBA_BIN {given!r} is no command line: {error}") from error
    beside = Path(sys.executable).parent / "ratiba"
    found = str(beside) if beside.is_file() else shutil.which("ratiba")
    if not found:
        raise ProjectError(
            "there is no server: set RATIBA_URL and RATIBA_API_KEY to your team's, or install one beside your own"
            " environment (pipx install ratiba-eval) and put `ratiba` on PATH or into RATIBA_BIN"
        )
    return [found]


def server_environment(ports: dict[str, int]) -> dict[str, str]:
    """This process's environment without what belongs to the user's application, with ports of the server's own."""
    withheld = {*NOT_PASSED_ON, *(AGENTS_MODEL if os.environ.get("OPENAI_BASE_URL") else ())}
    kept = {name: value for name, value in os.environ.items() if name not in withheld}
    return kept | {name: str(port) for name, port in ports.items()}


def free_ports(count: int) -> list[int]:
    """Ports nobody listens on now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]


def _answers(url: str, path: str, api_key: str = "") -> int:
    """The HTTP status of a GET; 0 where nobody answers."""
    import httpx

    from pytest_ratiba.client import address_of

    base, headers = address_of(url)
    headers |= {"authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        return httpx.get(f"{base}{path}", headers=headers, timeout=10, trust_env=False).status_code
    except httpx.HTTPError:
        return 0
