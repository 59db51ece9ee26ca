"""Choose the account that runs Postgres: it refuses uid 0, must read its programs and write its data.

Three ways: as the user we are; root, inside a user namespace (files stay root's, nothing on the system is touched);
root without namespaces (Docker's default), as `nobody`, with data and programs where `nobody` can reach them.
"""

import hashlib
import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ratiba_eval.stack.binaries import PostgresFiles, postgres_files
from ratiba_eval.stack.places import StackError, path_key

NAMESPACE = ("unshare", "--user", "--map-user=1000", "--map-group=1000")


@dataclass(frozen=True, slots=True)
class OsAccount:
    """Account that runs Postgres: how to exec a program of it, and where its data may lie."""

    mode: str
    bin: Path
    data: Path
    prefix: tuple[str, ...] = ()
    uid: int | None = None
    gid: int | None = None
    popen: dict[str, Any] = field(default_factory=dict)

    def give(self, folder: Path) -> None:
        """Make the folder the server's own."""
        if self.uid is not None and self.gid is not None:
            os.chown(folder, self.uid, self.gid)


@cache
def _namespaces_work() -> bool:
    if shutil.which("unshare") is None:
        return False
    completed = subprocess.run([*NAMESPACE, "id", "-u"], capture_output=True, text=True, check=False)
    return completed.returncode == 0 and completed.stdout.strip() == "1000"


def _open_to_all(path: Path) -> bool:
    """Tell whether another account gets as far as this path: every folder above lets others pass."""
    return all(part.stat().st_mode & 0o001 for part in (path, *path.parents) if part.exists())


def outside_dir(state: Path) -> Path:
    """Return where `nobody` keeps its files when it cannot reach the checkout; removed by `remove`."""
    return Path("/var/tmp") / f"ratiba-{path_key(state)}"  # noqa: S108 - made 0711 by root, children are nobody's


def _copied(files: PostgresFiles, base: Path) -> Path:
    """A copy of the programs that `nobody` can read; made once per installation."""
    stamp = f"{files.tree}:{(files.bin / 'postgres').stat().st_mtime_ns}"
    target = base / f"pgbin-{hashlib.sha256(stamp.encode()).hexdigest()[:12]}"
    if not (target / ".complete").exists():
        package = files.tree.parent  # the programs look for ../../../<package>.libs: keep that layout
        shutil.copytree(files.tree, target / package.name / files.tree.name, dirs_exist_ok=True, symlinks=True)
        if files.libs is not None:
            shutil.copytree(files.libs, target / files.libs.name, dirs_exist_ok=True)
        for copied in (target, *target.rglob("*")):
            if not copied.is_symlink():
                copied.chmod(copied.stat().st_mode | (0o055 if copied.is_dir() else 0o044))
        (target / ".complete").touch()
    return target / files.tree.parent.name / files.tree.name / "bin"


def _as_nobody(state: Path, files: PostgresFiles) -> OsAccount:
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        raise StackError("Postgres refuses to run as root, and there is no user `nobody`: set DATABASE_URL") from None
    base = state if _open_to_all(state) else outside_dir(state)
    base.mkdir(mode=0o711, parents=True, exist_ok=True)
    readable = _open_to_all(files.bin) and os.stat(files.bin / "postgres").st_mode & 0o005 == 0o005
    return OsAccount(
        mode="nobody",
        bin=files.bin if readable else _copied(files, base),
        data=base / "pg",
        uid=entry.pw_uid,
        gid=entry.pw_gid,
        popen={"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []},
    )


def choose(state: Path) -> OsAccount:
    """The account for this machine. RATIBA_ROOT_MODE=nobody skips the namespaces (for tests and for the curious)."""
    files = postgres_files()
    if os.geteuid() != 0:
        return OsAccount(mode="self", bin=files.bin, data=state / "pg")
    if os.environ.get("RATIBA_ROOT_MODE") != "nobody" and _namespaces_work():
        return OsAccount(mode="namespace", bin=files.bin, data=state / "pg", prefix=NAMESPACE)
    return _as_nobody(state, files)
