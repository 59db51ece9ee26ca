"""A text that the agent reads is a prompt, wherever it lies and whatever it is called."""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from pytest_ratiba.ci.opened_files import OpenedFiles
from pytest_ratiba.ci.side import PlayedSide, SideRequest
from pytest_ratiba.portable.changes.folded_names import folded
from tests.plugin.ci.conftest import Repository
from tests.plugin.ci.test_own_versions import CASE, CONFIG, TALKS, Server, asking

linux = pytest.mark.skipif(sys.platform != "linux", reason="there is no inotify")
START: dict[str, str | None] = {
    "ratiba.yaml": yaml.safe_dump({**CONFIG, "agent": {**CONFIG["agent"], "prompts": ["texts/*.md"]}}),  # type: ignore[dict-item]
    "shop.py": 'TEXT = open("docs/desk.md").read()\nMORE = [open(one) for one in Path("notes").glob("*.rst")]\n',
    "texts/shop.md": "{% include 'parts/price.txt' %}\n{%- from \"deep/macros.j2\" import greet %}\n",
    "texts/parts/price.txt": "Say the price. {% include './cents.txt' %}\n",
    "lib/cents.txt": "In cents.\n", "lib/deep/macros.j2": "x\n", "lib/other.txt": "x\n",
    "docs/desk.md": "Say the price.\n", "docs/how.md": "x\n", "notes/a.rst": "x\n", "README.md": "x\n",
    **{f"{TALKS}/{name}.yaml": CASE.format(name).replace("persona: amina\n", "") for name in ("one", "two")},
}  # fmt: skip


@pytest.fixture
def shop(repository: Repository) -> Repository:
    repository.commit(START, "start")
    repository.branch("change")
    return repository


@pytest.mark.parametrize(
    "path, word, why",
    [
        ("texts/parts/price.txt", "blocking", "included by a prompt"),
        ("lib/cents.txt", "blocking", "included by a prompt"),
        ("lib/deep/macros.j2", "blocking", "included by a prompt"),
        ("lib/other.txt", "advisory", "other code"),
        ("docs/desk.md", "advisory", "a text that the agent may read"),
        ("notes/a.rst", "advisory", "a text that the agent may read"),
        ("docs/how.md", "advisory", "a text that the agent may read"),
        ("README.md", "advisory", "a text that the agent may read"),
        ("Prompts/new.md", "blocking", "(as prompts/new.md)': a prompt"),
        ("рrоmрts/new.txt", "blocking", "(as prompts/new.txt)': a prompt"),
        ("TEXTS/new.md", "blocking", "(as texts/new.md)': a prompt"),
        ("app/system_prompt.txt", "blocking", "a prompt"),
        ("app/Prompts.py", "blocking", "a prompt"),
    ],
)
def test_what_is_included_or_written_alike_is_seen_and_any_text_is_played(
    shop: Repository, path: str, word: str, why: str
) -> None:
    shop.commit({path: "other\n"})
    done = shop.project.command("gate", "--only-matrix", "--base", "main")
    assert done.stderr.startswith(f"{word}:"), done.stderr
    assert why in done.stderr


def test_a_rule_that_asks_for_nothing_fits_its_own_letters_alone(shop: Repository) -> None:
    shop.commit({"dосs/new.txt": "other\n"})
    assert shop.project.command("gate", "--only-matrix", "--base", "main").stderr.startswith("advisory:")


def test_names_are_folded_as_people_read_them() -> None:
    assert folded("Ρrömрts/Ｓhop\u200b.MD") == "prompts/shop.md"


@linux
def test_the_kernel_tells_which_changed_texts_a_process_opened(tmp_path: Path) -> None:
    for name in ("read.txt", "never.md", "code.py", "requirements.txt"):
        (tmp_path / name).write_text("x")
    opened = OpenedFiles(["read.txt", "never.md", "code.py", "requirements.txt", "gone.txt"])
    with opened.watched(tmp_path):
        subprocess.run(["cat", "read.txt", "code.py", "requirements.txt"], cwd=tmp_path, check=True)
        (tmp_path / "never.md").stat()
    assert (opened.opened, opened.unknown) == ({"read.txt"}, "")


def test_more_files_than_are_watched_are_said(tmp_path: Path) -> None:
    opened = OpenedFiles(f"{at}.txt" for at in range(2_001))
    with opened.watched(tmp_path):
        pass
    assert opened.unknown == "more than 2,000 files changed"


@linux
@pytest.mark.parametrize("reads", [True, False])
def test_a_changed_prompt_that_nobody_opens_was_not_tried_and_is_named(shop: Repository, reads: bool) -> None:
    shop.commit({"texts/shop.md": "Say nothing.\n"})
    asked, plays = asking(shop, Server())
    played = plays.__call__

    def play(requests: Sequence[SideRequest]) -> list[PlayedSide]:
        if reads or requests[0].commit == asked.change.base:
            (requests[0].agent_folder / "texts/shop.md").read_text()
        return played(requests)

    found = replace(asked, play=play, opened=OpenedFiles(asked.change.changed)).gate_of("shop")
    assert ("The agent did not open texts/shop.md while it was played" in found["terminal"]) is not reads


@linux
@pytest.mark.parametrize("reads", [True, False])
def test_a_changed_text_that_the_agent_opens_makes_its_gate_block_and_does_so_again(
    shop: Repository, reads: bool
) -> None:
    shop.commit({"docs/desk.md": "Say nothing.\n"})
    server = Server()
    asked, plays = asking(shop, server)
    assert asked.change.scope.need == "advisory"
    played = plays.__call__

    def play(requests: Sequence[SideRequest]) -> list[PlayedSide]:
        if reads:
            (requests[0].agent_folder / "docs/desk.md").read_text()
        return played(requests)

    asked = replace(asked, play=play, opened=OpenedFiles(asked.change.changed))
    found = asked.gate_of("shop")
    assert server.asked[-1]["kind"] == ("blocking" if reads else "advisory")
    assert ("The agent read docs/desk.md, which no `prompts:` names" in found["terminal"]) is reads
    replace(asked, opened=OpenedFiles(asked.change.changed)).gate_of("shop")
    assert server.asked[-1]["kind"] == ("blocking" if reads else "advisory"), "what is stored is not played again"
    assert len(plays.requests) == 2
