"""Make the dump of a commit: python tests/tenants/dumps/make.py REF → REF.sql.xz and REF.json.xz beside this file.

In a worktree of its own, with services of its own: `manage.py demo` (offline rules), filling.py, answers.py, pg_dump;
all by the code of that commit, all data made up. One to two minutes. The Python packages are those of this checkout.
Where a step fails, the worktree stays to be looked at.
A commit whose services differ needs a filling.py of its own: where the worktree has these files, its own are taken.
"""

import argparse
import lzma
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[2]
FIELD_KEY = "dGhyb3ctYXdheS1rZXktb2YtdGhlLWR1bXBzLTAwMDE="  # encrypts what stands in the dumps, and nothing else
SECTIONS = ("pre-data", "data", "post-data")
MARK = "-- section: {}\n"
# For psql alone, and what servers before 17 do not know.
_NOT_SQL = re.compile(r"^(\\(un)?restrict .*|SET transaction_timeout = .*)\n", re.MULTILINE)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def environment(worktree: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "RATIBA_STATE_DIR": str(worktree / "var"),
        "RATIBA_FIELD_KEY": FIELD_KEY,
        "RATIBA_DEMO_AGENT_PORT": str(free_port()),
        "PYTHONPATH": str(worktree),
    }


def dump(worktree: Path, env: Mapping[str, str]) -> bytes:
    """Plain SQL in three sections, one INSERT a table with its columns named."""
    program = "from ratiba_eval import local_stack as s; print(s.pg_binary('pg_dump'), s.urls().database_url)"
    found = subprocess.run([sys.executable, "-c", program], cwd=worktree, env=env, check=True, capture_output=True)
    pg_dump, url = found.stdout.decode().split()
    options = ["--no-owner", "--no-privileges", "--column-inserts", "--rows-per-insert=1000"]
    text = ""
    for section in SECTIONS:
        command = [pg_dump, url, *options, f"--section={section}"]
        made = subprocess.run(command, env=env, check=True, capture_output=True)
        text += MARK.format(section) + _NOT_SQL.sub("", made.stdout.decode())
    return lzma.compress(text.encode(), preset=9)


def make(ref: str, out: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="ratiba-dump-"))
    worktree = folder / "worktree"
    subprocess.run(["git", "worktree", "add", "--detach", worktree, ref], cwd=CHECKOUT, check=True)
    commit = subprocess.run(
        ["git", "rev-parse", "--short=7", "HEAD"], cwd=worktree, check=True, capture_output=True, text=True
    ).stdout.strip()
    env = environment(worktree)
    stack = [sys.executable, "-m", "ratiba_eval.local_stack"]

    def run(*command: str | Path) -> None:
        subprocess.run([*command], cwd=worktree, env=env, check=True)

    own = worktree / HERE.relative_to(CHECKOUT)
    scripts = own if own.is_dir() else HERE
    run(*stack, "start")
    try:
        run(sys.executable, "manage.py", "demo")
        run(sys.executable, scripts / "filling.py")
        text = dump(worktree, env)  # before anything is asked: asking writes sessions
        run(sys.executable, scripts / "answers.py", folder / "answers.json.xz")
    finally:
        run(*stack, "stop")
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{commit}.sql.xz").write_bytes(text)
    shutil.copy(folder / "answers.json.xz", out / f"{commit}.json.xz")
    subprocess.run(["git", "worktree", "remove", "--force", worktree], cwd=CHECKOUT, check=True)
    shutil.rmtree(folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ref", help="a commit, tag or branch of this repository")
    parser.add_argument("--out", type=Path, default=HERE)
    options = parser.parse_args()
    make(options.ref, options.out)
