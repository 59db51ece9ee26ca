"""The wheel `ratiba-eval`: complete, pinned, and at home in any folder, also one that has `apps` of its own."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path

import pytest

from tests.docs.fences import ROOT

SOURCES = ("apps", "ratiba_eval", "examples", "templates", "requirements")
FILES = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md")
NOT_OURS = shutil.ignore_patterns("__pycache__", "*.pyc", "*.egg-info", "var", ".venv")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """Built from a copy: setuptools leaves folders where it builds."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        shutil.copytree(ROOT / name, source / name, ignore=NOT_OURS)
    for name in FILES:
        shutil.copy(ROOT / name, source / name)
    build = "from setuptools import build_meta; import sys; build_meta.build_wheel(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", build, str(out)], cwd=source, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    (file,) = out.glob("ratiba_eval-*.whl")
    with zipfile.ZipFile(file) as opened:
        yield opened


@pytest.fixture(scope="module")
def installed(wheel: zipfile.ZipFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site-packages")
    wheel.extractall(folder)
    return folder


def files_of(folder: str) -> set[str]:
    """Of the checkout, by way of links too."""
    walked = [Path(here) / name for here, _, names in os.walk(ROOT / folder, followlinks=True) for name in names]
    return {path.relative_to(ROOT).as_posix() for path in walked if "__pycache__" not in path.parts}


def test_it_holds_every_file_of_the_product_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    ours = files_of("apps") | files_of("ratiba_eval")
    assert not ours - names
    templates = {name.replace("templates/", "ratiba_eval/site_templates/", 1) for name in files_of("templates")}
    assert templates
    assert not templates - names
    started = {one for one in files_of("examples") if re.match(r"examples/(booking_agent|pega|conversations)/", one)}
    assert started
    assert not started - names
    rest = {one for one in names if not one.startswith("examples/") and ".dist-info/" not in one} - ours - templates
    assert not rest, "files that the checkout does not have"
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {"apps", "examples", "ratiba_eval"}
    assert not [name for name in names if name.startswith("examples/langgraph")], "it has an environment of its own"


def test_its_dependencies_are_the_pins_of_the_product(wheel: zipfile.ZipFile) -> None:
    (metadata,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    required = Parser().parsestr(wheel.read(metadata).decode()).get_all("Requires-Dist") or []
    pins = re.findall(r"^([\w.\-\[\],]+==[\w.]+)", (ROOT / "requirements/base.txt").read_text(), re.MULTILINE)
    assert len(required) == len(pins) > 40
    assert {one.split(";")[0].strip() for one in required} == set(pins)
    (scripts,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert "ratiba = ratiba_eval.command_line:ratiba" in wheel.read(scripts).decode()


def run(installed: Path, folder: Path, code: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Python in a folder with a Django project of somebody else, as the console script would run it."""
    for name in ("apps", "examples"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "__init__.py").write_text("raise SystemExit('these are not our rooms')\n")
    left = {name: value for name, value in os.environ.items() if not name.startswith(("RATIBA_", "DJANGO_"))}
    theirs = {"DJANGO_SETTINGS_MODULE": "mysite.settings", "PYTHONPATH": f"{installed}:{folder}"}
    return subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=folder, env=left | theirs | more, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip


COMMAND = "import sys; sys.argv = ['ratiba', {0!r}]; from ratiba_eval.command_line import ratiba; ratiba()"


def test_a_command_runs_beside_somebody_elses_django_project(installed: Path, tmp_path: Path) -> None:
    below = tmp_path / "src" / "pkg"
    below.mkdir(parents=True)
    (tmp_path / "ratiba.yaml").touch()
    theirs = {"PYTHONPATH": f"{below}:{installed}"}  # their folder first: ours still come from the wheel
    start = f"import sys; sys.path.insert(0, {str(installed)!r}); "
    done = run(installed, below, start + COMMAND.format("check"), **theirs)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout + done.stderr
    assert f"ratiba: state in {tmp_path / 'var'}" in done.stderr
    assert sorted(path.name for path in below.iterdir()) == ["apps", "examples"], "nothing is written where one stands"


@pytest.mark.parametrize("case", ["named", "nearest", "here"])
def test_where_the_state_is(installed: Path, tmp_path: Path, case: str) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    if case == "nearest":
        (tmp_path / "a" / "ratiba.yaml").touch()
    more = {"RATIBA_STATE_DIR": str(tmp_path / "elsewhere")} if case == "named" else {}
    code = "from ratiba_eval.stack.places import state_dir; print(state_dir())"
    expected = {"named": tmp_path / "elsewhere", "nearest": tmp_path / "a" / "var", "here": below / "var"}
    done = run(installed, below, code, **more)
    assert done.stdout.strip() == str(expected[case].resolve()), done.stderr


def test_its_pages_are_found(installed: Path, tmp_path: Path) -> None:
    code = (
        "import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'ratiba_eval.settings'; import django; django.setup(); "
        "from django.template.loader import get_template; print(get_template('404.html').origin.name)"
    )
    done = run(installed, tmp_path, code)
    assert done.stdout.strip() == str(installed / "ratiba_eval/site_templates/404.html"), done.stderr


def test_a_copied_folder_of_the_plugin_builds_a_whole_wheel(tmp_path: Path) -> None:
    """As a Dockerfile or a vendored folder has it: no link leads out of it. Each wheel has what both carry under its
    own name, so both can be installed together."""
    shutil.copytree(ROOT / "plugin", tmp_path / "plugin", ignore=NOT_OURS, symlinks=True)
    assert not [path for path in (tmp_path / "plugin").rglob("*") if path.is_symlink()]
    build = "from setuptools import build_meta; import sys; build_meta.build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(tmp_path)], cwd=tmp_path / "plugin", timeout=240, check=True)
    (file,) = tmp_path.glob("pytest_ratiba-*.whl")
    with zipfile.ZipFile(file) as opened:
        portable = ROOT / "apps/core/portable"
        for path in portable.rglob("*.py"):
            assert opened.read(f"pytest_ratiba/portable/{path.relative_to(portable)}") == path.read_bytes()
