"""A major version of a dependency is seen in every file that names versions, and nothing else is one."""

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ratiba.portable.changes.file_texts import decoded
from pytest_ratiba.portable.changes.major_versions import major_bumps
from pytest_ratiba.portable.changes.version_files import NotRead, is_dependency_file, wanted_versions

UV = '[[package]]\nname = "langgraph"\nversion = "{}"\n'
POETRY = '[tool.poetry.dependencies]\npython = "^{}"\nhttpx = {{version = "^{}", extras = ["http2"]}}\n'


@pytest.mark.parametrize(
    "path, before, after, found",
    [
        ("requirements.txt", "openai==1.99.1  # pin\n", "openai==2.0.0\n", [("openai", "1.99.1", "2.0.0")]),
        ("requirements/dev.in", "LangGraph[redis]>=0.6,<1\n", "langgraph>=1.0,<2\n", [("langgraph", "0.6", "1.0")]),
        ("requirements.txt", "openai==1.99.1\n", "openai==1.100.0\n", []),
        ("requirements.txt", "a==1\n", "a==1\nb==7\n", []),
        ("requirements.txt", "a==1 ; python_version > '3'\n", "a==2 ; python_version > '3'\n", [("a", "1", "2")]),
        ("requirements.txt", "a<3\n", "a<4\n", []),
        ("uv.lock", UV.format("0.6.1"), UV.format("1.0.0"), [("langgraph", "0.6.1", "1.0.0")]),
        ("sub/poetry.lock", UV.format("1.2"), UV.format("1.3"), []),
        ("package.json", '{"dependencies": {"ai": "^4.1.0"}}', '{"dependencies": {"ai": "^5.0.0"}}',
         [("ai", "4.1.0", "5.0.0")]),
        ("package.json", '{"dependencies": {"x": "workspace:*"}}', '{"dependencies": {"x": "5"}}', []),
        ("pyproject.toml", '[project]\ndependencies = ["httpx>=0.27", "numpy~=1.26"]\n',
         '[project]\ndependencies = ["httpx>=0.28", "numpy~=2.1"]\n', [("numpy", "1.26", "2.1")]),
        ("pyproject.toml", '[dependency-groups]\ntest = ["pytest==8.4", {include-group = "x"}]\n',
         '[dependency-groups]\ntest = ["pytest==9.0"]\n', [("pytest", "8.4", "9.0")]),
        ("pyproject.toml", POETRY.format("3.11", "0.27"), POETRY.format("4.0", "1.0"), [("httpx", "0.27", "1.0")]),
        ("requirements.txt", "a>=1,<2\n", "a>=1,<3\n", [("a", ">=1,<2", ">=1,<3")]),
        ("requirements.txt", "a>=1,<3\n", "a>=1.5,<3\n", []),
        ("requirements.txt", "a>=1,<2\n", "a>=1,<2.0\n", []),
        ("requirements.txt", "a==1.2\n", "a==1!1.2\n", [("a", "1.2", "1!1.2")]),
        ("requirements.txt", "a==2\n", "a\n", [("a", "2", "any")]),
        ("requirements.txt", "a==2\nb==1\n", "b==1\n", [("a", "2", "not named")]),
        ("requirements.txt", "a\nb==1\n", "b==1\n", []),
        ("uv.lock", UV.format("0.6.1"), UV.format("0.6.1").replace("langgraph", "other"), []),
        ("requirements.txt", "openai==3.1\n", "./vendor/openai-9.0.0-py3-none-any.whl\n", [("openai", "3.1", "9.0.0")]),
        ("requirements.txt", "https://x.io/a/openai-3.1-py3-none-any.whl\n",
         "https://x.io/a/openai-9.0.0-py3-none-any.whl#sha256=0\n", [("openai", "3.1", "9.0.0")]),
        ("requirements.txt", "my-lib==1\n", "file:///w/my-lib-2.1.tar.gz\n", [("my-lib", "1", "2.1")]),
        ("requirements.txt", "-e git+https://x.io/o.git@v1.2#egg=openai\n",
         "-e git+https://x.io/o.git@v2.0#egg=openai\n", [("openai", "1.2", "2.0")]),
        ("package.json", '{"overrides": {"ai": "^1"}}', '{"overrides": {"ai": "^2"}}', [("ai", "1", "2")]),
        ("package.json", '{"dependencies": {"ai": "^1||^2"}}', '{"dependencies": {"ai": "^1||^2||^3"}}',
         [("ai", "^1||^2", "^1||^2||^3")]),
        ("pyproject.toml", '[tool.uv.sources]\na = {git = "https://x.io/a", tag = "v1"}\n',
         '[tool.uv.sources]\na = {git = "https://x.io/a", tag = "v2"}\n', [("a", "1", "2")]),
        ("pyproject.toml", '[tool.uv]\noverride-dependencies = ["a==1"]\n',
         '[tool.uv]\noverride-dependencies = ["a==2"]\n', [("a", "1", "2")]),
        ("setup.cfg", "[options]\ninstall_requires =\n  openai>=3,<4\n", "[options]\ninstall_requires =\n  openai>=4\n",
         [("openai", "3", "4")]),
        ("constraints.txt", "openai==3\n", "openai==4\n", [("openai", "3", "4")]),
        ("Pipfile", '[packages]\nopenai = "==3.1"\n', '[packages]\nopenai = "==4.0"\n', [("openai", "3.1", "4.0")]),
        ("Pipfile.lock", '{"default": {"openai": {"version": "==3.1"}}}',
         '{"default": {"openai": {"version": "==4.0"}}}', [("openai", "3.1", "4.0")]),
        ("environment.yml", "dependencies:\n  - conda-forge::openai=3.1\n", "dependencies:\n  - openai=4.0\n",
         [("openai", "3.1", "4.0")]),
        ("environment.yml", "dependencies:\n  - pip:\n    - openai==3\n", "dependencies:\n  - pip:\n    - openai==4\n",
         [("openai", "3", "4")]),
        ("package-lock.json", '{"packages": {"node_modules/ai": {"version": "4.1.0"}}}',
         '{"packages": {"node_modules/ai": {"version": "5.0.0"}}}', [("node-modules/ai", "4.1.0", "5.0.0")]),
        ("requirements.txt", "openai==3\n", "openai==4 ; python_version > '3'\nopenai==3 ; python_version < '3'\n",
         [("openai", "3", "4")]),
    ],
)  # fmt: skip
def test_major_bumps(path: str, before: str, after: str, found: list[tuple[str, str, str]]) -> None:
    assert [(one.package, one.before, one.after) for one in major_bumps(path, before, after)] == found


@given(
    st.sampled_from(["requirements.txt", "uv.lock", "package.json", "pyproject.toml", "setup.cfg", "environment.yml"]),
    st.text(max_size=200),
    st.text(max_size=200),
)
def test_no_text_breaks_the_reading(path: str, before: str, after: str) -> None:
    for old, new in ((before, after), (before, before)):
        try:
            found = major_bumps(path, old, new)
        except NotRead:
            continue
        assert isinstance(found, list)
        assert not found or old != new


@pytest.mark.parametrize(
    "path, text",
    [
        ("uv.lock", "not toml ["), ("package.json", "[1]"), ("package.json", '{"dependencies": 7}'),
        ("package.json", "[" * 100_000), ("package.json", '{"a":' * 100_000), ("uv.lock", "a = " + "[" * 3_000),
        ("requirements.txt", "a==1\n" * 6_000_000), ("requirements.txt", "a==" + "1." * 2_000_000),
        ("requirements.txt", "git+" * 900_000), ("requirements.txt", "a==1 " + "," * 3_000_000),
        ("pyproject.toml", "a" + ".a" * 1_000_000 + " = 1"), ("setup.cfg", "no section"), ("setup.py", "x = 1"),
        ("pyproject.toml", '[project]\ndependencies = ["a==' + "1" * 3_000 + '"]'), ("yarn.lock", "x"),
        ("package.json", '{"dependencies": {"a": "' + "1" * 5_000 + '"}}'), ("go.mod", "x"),
        ("uv.lock", "\n".join(f"[{'a.' * 500}b{n}]" for n in range(3_900))),
    ],
    ids=lambda one: str(one)[:30],
)  # fmt: skip
def test_what_cannot_be_read_is_said_within_seconds(path: str, text: str) -> None:
    began = time.process_time()
    with contextlib.suppress(NotRead):
        major_bumps(path, text, text)
        assert path == "uv.lock", "the last one may be read"
    assert time.process_time() - began < 5


def test_a_file_of_versions_that_cannot_be_read_is_told_apart_from_one_without_any() -> None:
    assert wanted_versions("uv.lock", "") == {}
    assert wanted_versions("pyproject.toml", '[project]\nname = "x"\n') == {}
    assert wanted_versions("requirements.txt", "--hash=sha256:0\nhttpx\n") == {"httpx": ("",)}


def test_which_files_name_versions() -> None:
    assert [is_dependency_file(one) for one in ("a/requirements-dev.txt", "notes.txt", "uv.lock")] == [
        True, False, True,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "content, text",
    [
        ("openai==9\n".encode("utf-16"), "openai==9\n"), ("openai==9\n".encode("utf-8-sig"), "openai==9\n"),
        ("openai==9\n".encode("utf-32"), "openai==9\n"), ("# coding: latin-1\na==1 # é\n".encode("latin-1"),
         "# coding: latin-1\na==1 # é\n"), ("é\n".encode("latin-1"), None), ("a==1\n".encode("utf-16-le"), None),
        (b"# coding: nothing-at-all\n", None), (b"", ""),
    ],
)  # fmt: skip
def test_bytes_are_read_as_an_installer_reads_them_or_not_at_all(content: bytes, text: str | None) -> None:
    assert decoded(content) == text
