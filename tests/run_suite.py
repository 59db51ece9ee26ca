"""The suite as `make test` and `make test-all` run it: all at once, then what failed once more, alone and in order.

Real workers, brokers and servers run beside the tests on as few as two cores, and a test with a limit of time may
lose the race there. Such a test passes when nothing runs beside it; a real failure fails again. What needed the
second run is named, so that a flaky test is seen and mended. More than `SECOND_RUN_MOST` failures are no race.
"""

import json
import subprocess
import sys
from pathlib import Path

SECOND_RUN_MOST = 5
FAILED = 1  # pytest's exit code for "some tests failed"; every other one is final


def pytest_exit_code(arguments: list[str]) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False).returncode


def failed_tests(cache: Path) -> list[str]:
    stored = cache / "v" / "cache" / "lastfailed"
    return sorted(json.loads(stored.read_text())) if stored.exists() else []


def main(arguments: list[str], *, cache: Path = Path(".pytest_cache")) -> int:
    (cache / "v" / "cache" / "lastfailed").unlink(missing_ok=True)
    code = pytest_exit_code([*arguments, "-o", f"cache_dir={cache}"])
    failed = failed_tests(cache)
    if code != FAILED or not 0 < len(failed) <= SECOND_RUN_MOST:
        return code
    print(f"\nFailed beside others, run once more alone ({len(failed)}):", *failed, sep="\n  ", flush=True)
    return pytest_exit_code([*failed, "-n", "0", "-o", f"cache_dir={cache}"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
