"""Writes base.txt, dev.txt and prod.txt from the .in files: exact pins with hashes, for Python 3.11 to 3.13.

    make requirements            # keeps the pins it can
    make requirements UPGRADE=1  # takes the newest of everything that an .in file does not pin

Needs uv. dev.txt and prod.txt begin with `-r base.txt` and list only what base lacks, at versions that fit base's.
"""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADER = "# Written by `make requirements` from {name}.in. Do not edit.\n"
PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?==")


def compiled(uv: str, name: str, *options: str) -> list[str]:
    """The pins of one .in file, each with its continuation lines."""
    target = HERE / f"{name}.txt"
    known = target.read_text() if target.exists() else ""
    working = HERE / f".{name}.working.txt"
    working.write_text("" if "--upgrade" in options else known.replace("-r base.txt\n", ""))
    command = [uv, "pip", "compile", f"{name}.in", "--output-file", working.name]
    command += ["--universal", "--python-version", "3.11"]
    # Wheels only: a machine without a compiler must be able to install every line.
    command += ["--generate-hashes", "--no-annotate", "--no-header", "--only-binary", ":all:", "--quiet", *options]
    try:
        subprocess.run(command, cwd=HERE, check=True)
        return re.split(r"\n(?=\S)", working.read_text().strip())
    finally:
        working.unlink()


def key(pin: str) -> str:
    """The normal form of a pinned name."""
    found = PIN.match(pin)
    if found is None:
        raise SystemExit(f"not a pin: {pin.splitlines()[0]}")
    return re.sub(r"[-_.]+", "-", found.group(1)).lower()


def main(uv: str, upgrade: bool) -> None:
    """Write all three files; base first, because the others follow its versions."""
    options = ["--upgrade"] if upgrade else []
    base = compiled(uv, "base", *options)
    names = {key(pin) for pin in base}
    (HERE / "base.txt").write_text(HEADER.format(name="base") + "\n".join(base) + "\n")
    for name in ("dev", "prod"):
        pins = compiled(uv, name, *options, "--constraint", "base.txt")
        own = [pin for pin in pins if key(pin) not in names]
        (HERE / f"{name}.txt").write_text(HEADER.format(name=name) + "-r base.txt\n" + "\n".join(own) + "\n")


if __name__ == "__main__":
    main(uv=sys.argv[1], upgrade="--upgrade" in sys.argv[2:])
