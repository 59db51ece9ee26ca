"""Place what the embedded services write: all of it below the state folder, `var/` of the checkout.

One exception, because there is no choice: the path of a Unix socket has room for about 100 bytes, and libpq takes a
comma in it for a list of hosts; the sockets of such a checkout go to ``/tmp/ratiba-<hash of the path>``.
"""

import fcntl
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]

# sockaddr_un holds 104 bytes on macOS and 108 on Linux, the closing zero included; "/.s.PGSQL.5432" needs 14 of them.
SOCKET_DIR_LIMIT = 104 - 1 - 14

# Fixed on purpose: TMPDIR differs between the shells of one user, and two processes must compute the same address.
SHORT_ROOT = Path("/tmp")  # noqa: S108 - the folder made in it is 0700 and its owner is checked


class StackError(RuntimeError):
    """An embedded service cannot be found, started or stopped; the message says what to do."""


def installed() -> bool:
    """Tell whether this is an installed wheel and no checkout."""
    return not (CHECKOUT / "manage.py").is_file()


def project_dir() -> Path:
    """The folder that is worked in: the checkout; of an installed wheel the nearest folder with `ratiba.yaml` from the
    current one upwards, else the current one."""
    if not installed():
        return CHECKOUT
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / "ratiba.yaml").is_file()), here)


def state_dir() -> Path:
    """The folder of everything the embedded default writes: RATIBA_STATE_DIR, or `var` in `project_dir`."""
    named = os.environ.get("RATIBA_STATE_DIR", "").strip()
    return (Path(named) if named else project_dir() / "var").expanduser().resolve()


def path_key(state: Path) -> str:
    """A short name for this state folder and this user, the same in every process."""
    return hashlib.sha256(f"{os.getuid()}:{state}".encode()).hexdigest()[:12]


def socket_dir(state: Path) -> Path:
    """The folder of both sockets. Pure: makes nothing."""
    wanted = state / "run"
    if len(os.fsencode(wanted)) <= SOCKET_DIR_LIMIT and "," not in str(wanted):
        return wanted
    return SHORT_ROOT / f"ratiba-{path_key(state)}"


def make_private(folder: Path) -> Path:
    """Make the folder for its owner alone. Raises StackError where it belongs to somebody else. Safe to repeat."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    state = folder.lstat()
    if stat.S_ISLNK(state.st_mode) or state.st_uid != os.geteuid():
        raise StackError(f"{folder} belongs to somebody else; remove it, or set RATIBA_STATE_DIR to another folder")
    if stat.S_IMODE(state.st_mode) & 0o077:
        folder.chmod(0o700)
    return folder


@contextmanager
def locked(state: Path, name: str = "stack") -> Iterator[None]:
    """Hold the lock `name` of this state folder; waits. The kernel gives it back however the process dies."""
    state.mkdir(parents=True, exist_ok=True)
    with open(state / f".{name}.lock", "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
