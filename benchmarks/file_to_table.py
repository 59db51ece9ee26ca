"""From a file to a table: the whole command, start to exit, against a bare httpx loop in the same run.

    python -m benchmarks.file_to_table [--conversations 1000] [--latency-ms 50] [--rounds 3] FILE.jsonl …

Goal: wall ≤ 1.5 × bare, with one criterion and no worker running; exactly one model call per conversation. The best of
the rounds counts for both, which take turns.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

GOAL = 1.5


def bare(url: str, files: list[Path], count: int) -> float:
    """Seconds of the loop of benchmarks.judging with one criterion, its start and building its requests left out."""
    argv = [sys.executable, "-m", "benchmarks.judging", "--bare", url, "--criteria", "1"]
    done = subprocess.run(
        [*argv, "--conversations", str(count), *map(str, files)], check=True, capture_output=True, text=True
    )
    return float(json.loads(done.stdout)["wall"])


def command(slug: str, file: Path, table: Path) -> float:
    """Seconds of the whole command, whatever its verdict."""
    argv = [sys.executable, "manage.py", "evaluate", str(file), "--config", "one", "--out", str(table)]
    start = time.perf_counter()
    done = subprocess.run([*argv, "--tenant", slug, "--no-cache", "--json"], check=False, capture_output=True)
    wall = time.perf_counter() - start
    assert done.returncode in (0, 1), done.stderr.decode()
    return wall


def main() -> int:
    """Print the line; exit 1 when the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=[Path("examples/conversations/salon.jsonl")])
    parser.add_argument("--conversations", type=int, default=1000)
    parser.add_argument("--latency-ms", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    django.setup()
    from apps.core.document_parsing import document_as_json  # noqa: PLC0415 - after django.setup()
    from benchmarks import rig  # noqa: PLC0415

    count, theirs, ours = options.conversations, list[float](), list[float]()
    with (
        tempfile.TemporaryDirectory() as folder,
        rig.services(),
        rig.stub_model("--latency-ms", str(options.latency_ms)) as stub,
        rig.tenant(stub) as slug,
    ):
        rig.add_config(slug, name="one", core=[], domain=rig.SALES[:1])
        file, table = Path(folder) / "chats.jsonl", Path(folder) / "rows.csv"
        documents = rig.conversations(options.files, count)
        file.write_text("".join(json.dumps(document_as_json(document)) + "\n" for document in documents))
        for _ in range(options.rounds):
            theirs.append(bare(stub.url, options.files, count))
            stub.reset()
            ours.append(command(slug, file, table))
            assert stub.stats()["calls"] == count
            assert len(table.read_text().splitlines()) > count
    ratio = min(ours) / min(theirs)
    good = ratio <= GOAL
    sys.stdout.write(
        f"{count} × 1 at {options.latency_ms} ms: bare {min(theirs):.2f} s, whole command {min(ours):.2f} s, ratio "
        f"{ratio:.2f}; {'goal met' if good else 'GOAL MISSED'}\n"
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
