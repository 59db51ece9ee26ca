"""`ratiba-ci gate` in real repositories: what changed since the branch was left, and what that asks for."""

import pytest

from tests.plugin.ci.conftest import Repository

CONFIG = "agent: {callable: 'bot:reply', prompts: ['prompts/*.md']}\n"
START = {"ratiba.yaml": CONFIG, "prompts/a.md": "Be kind.\n", "bot.py": "x = 1\n", "requirements.txt": "openai==1.9\n"}


@pytest.fixture
def change(repository: Repository) -> Repository:
    repository.commit(START, "start")
    repository.branch("change")
    return repository


def need(change: Repository, *more: str) -> str:
    done = change.project.command("gate", "--only-matrix", "--base", "main", *more)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()[0]


@pytest.mark.parametrize(
    "files, word",
    [
        ({"README.md": "hello\n"}, "nothing"),
        ({"bot.py": "x = 2\n"}, "advisory"),
        ({"prompts/a.md": "Be short.\n"}, "blocking"),
        ({"prompts/a.md": None}, "blocking"),
        ({"requirements.txt": "openai==1.10\n"}, "advisory"),
        ({"requirements.txt": "openai==2.0\n"}, "blocking"),
        ({"a name with\nlines.md": "x\n"}, "nothing"),
    ],
)
def test_what_a_change_asks_for(change: Repository, files, word) -> None:
    change.commit(files)
    assert need(change).startswith(f"{word}:")


def test_a_prompt_moved_elsewhere_counts_at_its_old_place(change: Repository) -> None:
    (change.folder / "old").mkdir()
    change.git("mv", "prompts/a.md", "old/a.txt")
    change.commit({})
    assert need(change).startswith("blocking")


def test_what_main_did_meanwhile_is_not_this_change(change: Repository) -> None:
    change.commit({"docs/x.md": "x\n"})
    change.git("checkout", "-q", "main")
    change.commit({"prompts/a.md": "Main has moved on.\n"})
    change.git("checkout", "-q", "change")
    assert need(change).startswith("nothing")


def test_the_answer_goes_to_the_runner(change: Repository) -> None:
    change.commit({"prompts/a.md": "Be short.\n"})
    need(change, "--github-output", "out.txt")
    assert (change.folder / "out.txt").read_text() == f"need=blocking\nbase={change.git('rev-parse', 'main')}\n"


def test_only_documents_need_no_server(change: Repository) -> None:
    change.commit({"docs/x.md": "x\n"})
    done = change.project.command("gate", "--base", "main", "--summary", "summary.md")
    assert done.returncode == 0
    assert "nothing to evaluate" in (change.folder / "summary.md").read_text()


def test_a_fork_without_secrets_is_unmeasurable_and_says_so(change: Repository) -> None:
    change.commit({"prompts/a.md": "Be short.\n"})
    change.project.variables["GITHUB_ACTIONS"] = "true"
    done = change.project.command("gate", "--base", "main", "--summary", "summary.md")
    assert done.returncode == 3
    assert "a fork has no secrets" in (change.folder / "summary.md").read_text()
    assert "::error title=Evaluation gate::could not be measured" in done.stdout


def test_other_code_without_secrets_only_warns(change: Repository) -> None:
    change.commit({"bot.py": "x = 2\n"})
    done = change.project.command("gate", "--base", "main")
    assert done.returncode == 0
    assert "unmeasurable: not run" in done.stdout


def test_uncommitted_changes_are_refused(change: Repository) -> None:
    change.commit({"prompts/a.md": "Be short.\n"})
    change.project.write("prompts/a.md", "Not yet.\n")
    done = change.project.command("gate", "--base", "main")
    assert done.returncode == 2
    assert "commit your changes first" in done.stderr


@pytest.mark.parametrize("base", ["0" * 40, ""])
def test_a_first_push_has_no_base_and_blocks(change: Repository, base) -> None:
    change.git("branch", "-q", "-m", "main", "trunk")
    done = change.project.command("gate", "--only-matrix", "--base", base)
    assert done.stderr.startswith("blocking: agent")
    assert "no base is known" in done.stderr


def test_a_base_that_is_no_commit_is_refused(change: Repository) -> None:
    done = change.project.command("gate", "--only-matrix", "--base", "nowhere")
    assert done.returncode == 2
    assert "nowhere" in done.stderr
    dashed = change.project.command("gate", "--only-matrix", "--base=--output=/tmp/x")
    assert dashed.returncode == 2


def test_a_list_of_changed_files_stands_for_git(change: Repository) -> None:
    change.project.write("changed.txt", "docs/a.md\n")
    assert need(change, "--changed-files", "changed.txt").startswith("nothing")


def test_a_dependency_file_of_which_only_the_name_is_known_blocks(change: Repository) -> None:
    change.project.write("changed.txt", "requirements.txt\n")
    assert need(change, "--changed-files", "changed.txt").startswith("advisory"), "git knows how it was"
    change.git("branch", "-q", "-m", "main", "trunk")
    done = change.project.command("gate", "--only-matrix", "--base", "", "--changed-files", "changed.txt")
    assert done.stderr.startswith("blocking:")
    assert "its name alone does not tell" in done.stderr


def test_a_shallow_clone_says_what_to_do(change: Repository, tmp_path) -> None:
    change.git("checkout", "-q", "main")
    for number in range(3):
        change.commit({"bot.py": f"x = {number + 10}\n"})
    change.git("checkout", "-q", "change")
    change.commit({"prompts/a.md": "Be short.\n"})
    shallow = tmp_path / "shallow"
    change.git("clone", "-q", "--depth", "1", "--no-single-branch", f"file://{change.folder}", str(shallow))
    change.project.folder = shallow
    done = change.project.command("gate", "--only-matrix", "--base", "origin/main")
    assert done.returncode == 2
    assert "fetch-depth: 0" in done.stderr
