"""What the documents say is done: marked blocks are executed as a reader would, the others name only what exists."""

import re
import shlex
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

from tests.docs.conftest import House
from tests.docs.fences import ROOT, Block, blocks, documents

DOCUMENTS = documents()
LINK = re.compile(r"\[[^\]]*\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[\w-]+)?\)")


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def executed(document: Path) -> list[Block]:
    return [block for block in blocks(document) if block.runs or block.file]


def test_what_the_documents_tell_a_reader_to_do_works(house):
    """The demo, then every document with marked blocks: each in a shell of its own, all at the same time, since most of
    it is waiting for ticks. One test, because the house is the expensive part."""
    the_demo_shows_what_the_readme_shows(house)
    with ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda document: execute(document, house), EXECUTED))
    wrong = [report for report in done if report]
    assert not wrong, "\n\n".join(wrong)
    the_demo_is_quick_the_second_time(house)


def execute(document: Path, house: House) -> str:
    """Run one document's blocks in one shell, so that a variable of one is there in the next; "" when all is well."""
    script = []
    for block in executed(document):
        if block.file:
            target = house.folder / block.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(house.in_our_ports(block.text) + "\n", encoding="utf-8")
        elif block.exit:
            script.append(
                f"echo '--- {block.place}'\nset +e\n( set -e\n{block.text}\n)\ncode=$?\nset -e\n"
                f'[ "$code" = {block.exit} ] || {{ echo "exit code $code, expected {block.exit}"; exit 99; }}'
            )
        else:
            script.append(f"echo '--- {block.place}'\n{block.text}")
    started = time.monotonic()
    try:
        done = house.shell("\n".join(script))
    except subprocess.TimeoutExpired as late:
        return f"{named(document)} is not done after {late.timeout:g} s\n{(late.stdout or b'').decode()[-3000:]}"
    print(f"{named(document)}: {time.monotonic() - started:.0f} s")
    if done.returncode == 0:
        return ""
    return f"{named(document)} ended with {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def the_demo_shows_what_the_readme_shows(house: House) -> None:
    shown = next(block for block in blocks(ROOT / "README.md") if "95 % interval" in block.text)
    for name in re.findall(r"^\s*([a-z_]+)\s", shown.text, flags=re.M):
        assert re.search(rf"^\s*{name}\s", house.demo, flags=re.M), f"{name} is not in what the demo prints"
    assert "! offline rules, no model was asked" in house.demo
    assert [run["failed"] for run in house.summary["test_runs"]] == [0, 0, 0]
    assert all(one["status"] == "completed" for one in house.summary["evaluations"])


def the_demo_is_quick_the_second_time(house: House) -> None:
    done = house.shell("python manage.py demo")
    assert done.returncode == 0, done.stderr
    seconds = re.search(r"^([\d.]+) s\.", done.stdout, flags=re.M)
    assert seconds
    assert float(seconds[1]) < 20
    assert "nothing to do" in done.stdout


EXECUTED = [document for document in DOCUMENTS if any(block.runs for block in executed(document))]


def shell_blocks() -> list[Block]:
    return [block for document in DOCUMENTS for block in blocks(document) if block.language in ("bash", "sh")]


def commands_of(block: Block, program: str) -> list[list[str]]:
    """What is given to `program` (`manage.py`, `make`) in a block, one list of words a command."""
    text = re.sub(r"\\\n", " ", block.text)
    found = []
    for line in text.splitlines():
        for part in re.split(r"\|\||&&|[|;]|\$\(", line.split(" #")[0]):
            words = _words(part.rstrip(") "))
            if any(word.rpartition("/")[2] == program for word in words):
                at = next(n for n, word in enumerate(words) if word.rpartition("/")[2] == program)
                found.append(words[at + 1 :])
    return found


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # half of a quoted text: the other half stands in the next part
        return text.split()


def test_every_documented_command_and_option_exists():
    known = get_commands()
    for block in shell_blocks():
        for name, *rest in commands_of(block, "manage.py"):
            assert name in known, f"{block.place}: there is no command {name}"
            owner = known[name]
            command = owner if isinstance(owner, BaseCommand) else load_command_class(owner, name)
            options = set(command.create_parser("manage.py", name)._option_string_actions)
            for word in rest:
                if word.startswith("--"):
                    assert word.partition("=")[0] in options, f"{block.place}: {name} has no option {word}"


def test_every_documented_make_target_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.M))
    for block in shell_blocks():
        for words in commands_of(block, "make"):
            for word in words:
                assert "=" in word or word in targets, f"{block.place}: there is no make {word}"


def test_links_lead_somewhere():
    for document in [*DOCUMENTS, *(ROOT / "docs" / "adr").glob("*.md")]:
        for target in LINK.findall(document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{named(document)} links to {target}"


def test_files_that_the_documents_name_are_there():
    """A page sends its reader to a file by its path; the changelog tells of what was there once."""
    place = re.compile(r"`((?:apps|plugin|deploy|examples|ratiba_eval)/[\w./-]+)`")
    for document in DOCUMENTS:
        if document.name != "CHANGELOG.md":
            for target in place.findall(document.read_text(encoding="utf-8")):
                assert (ROOT / target).exists(), f"{named(document)} names {target}"


def anchors_of(document: Path) -> set[str]:
    """What GitHub makes of its headings."""
    lines = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.S).splitlines()
    heads = [line.lstrip("#").strip().lower() for line in lines if re.match(r"#{1,6} ", line)]
    return {re.sub(r"[^\w\- ]", "", head).replace(" ", "-") for head in heads}


def test_links_name_headings_that_are_there():
    place = re.compile(r"\]\((?!https?:)([^)#\s]*\.md|)#([\w-]+)\)")
    for document in [*DOCUMENTS, *(ROOT / "docs" / "adr").glob("*.md")]:
        for target, anchor in place.findall(document.read_text(encoding="utf-8")):
            there = document.parent / target if target else document
            assert anchor in anchors_of(there), f"{named(document)} links to {target}#{anchor}"


def test_every_page_is_in_the_index_by_reader():
    linked = {
        target.partition("#")[0] for target in LINK.findall((ROOT / "docs/README.md").read_text(encoding="utf-8"))
    }
    assert {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"} <= linked


def test_every_decision_is_in_the_index():
    index = (ROOT / "docs" / "adr" / "README.md").read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs" / "adr").glob("[0-9]*.md")):
        assert f"({path.name})" in index, f"{path.name} is missing in docs/adr/README.md"


def test_a_decision_that_was_overturned_says_by_which_in_its_first_line():
    """`**Status:** overturned by NNNN`, or in part: whoever opens the old page must not follow it."""
    status = {}
    for path in sorted((ROOT / "docs" / "adr").glob("[0-9]*.md")):
        found = re.match(r"# .*\n\n\*\*Status:\*\* (.*?)(?:\n\n|\Z)", path.read_text(encoding="utf-8"), flags=re.S)
        assert found, f"{path.name}: the first line below the title is its status"
        status[path.name[:4]] = found[1]
    for number, text in status.items():
        _, overturns, old = re.split(r"\b([Oo]verturns)\b", text, maxsplit=1) if "verturns" in text else ("", "", "")
        for target in re.findall(r"\[(\d{4})\]", old) if overturns else ():
            assert "overturned" in status[target], f"{target} does not say that {number} overturns it"
            assert f"[{number}]" in status[target], f"{target} does not say that {number} overturns it"


def test_every_variable_named_in_the_documents_is_read():
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    known = set(re.findall(r"^([A-Z][A-Z0-9_]+)=", example, flags=re.M))
    for path in (ROOT / "plugin" / "src").rglob("*.py"):  # read in the user's environment, not in the server's
        known |= set(re.findall(r'"(RATIBA_[A-Z_]+)"', path.read_text(encoding="utf-8")))
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        for name in set(re.findall(r"\bRATIBA_[A-Z_]+|\b[A-Z]+_API_KEY\b|\bLANGFUSE_[A-Z_]+", text)):
            base = name.removesuffix("_FILE")
            assert base in known or name == "RATIBA_", f"{named(document)} names {name}, which nothing reads"


def test_scripts_in_documents_are_written_in_valid_shell():
    for block in shell_blocks():
        checked = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True, check=False)
        assert checked.returncode == 0, f"{block.place}: {checked.stderr}"
