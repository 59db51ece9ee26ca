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
        ({"README.md": "hello\n"}, "advisory"),
        ({"bot.py": "x = 2\n"}, "advisory"),
        ({"prompts/a.md": "Be short.\n"}, "blocking"),
        ({"prompts/a.md": None}, "blocking"),
        ({"requirements.txt": "openai==1.10\n"}, "advisory"),
        ({"requirements.txt": "openai==2.0\n"}, "blocking"),
        ({"a name with\nlines.md": "x\n"}, "advisory"),
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
    assert need(change).startswith("advisory")


def test_the_answer_goes_to_the_runner(change: Repository) -> None:
    change.commit({"prompts/a.md": "Be short.\n"})
    need(change, "--github-output", "out.txt")
    assert (change.folder / "out.txt").read_text() == f"need=blocking\nbase={change.git('rev-parse', 'main')}\n"


def test_what_a_rule_of_the_projects_own_asks_nothing_for_needs_no_server(change: Repository) -> None:
    change.git("checkout", "-q", "main")
    change.commit({"ratiba.yaml": CONFIG + "gate: {matrix: [{paths: ['docs/**'], need: nothing}]}\n"})
    change.branch("unread")
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
    change.project.write("changed.txt", "prompts/a.md\n")
    assert need(change, "--changed-files", "changed.txt").startswith("blocking")


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


def test_a_branch_of_another_root_is_told_in_one_sentence(change: Repository) -> None:
    change.git("checkout", "-q", "--orphan", "lonely")
    change.commit({"bot.py": "x = 99\n"})
    done = change.project.command("gate", "--only-matrix", "--base", "main")
    assert done.returncode == 2
    assert "HEAD and main have no commit in common: this branch was not made from main" in done.stderr
    assert "Traceback" not in done.stderr


LIST = "openai==3.9\n"
WORKFLOW = "jobs: {gate: {steps: [{uses: ./.ci/act}, {run: ./scripts/gate.sh}, {run: make gate}]}}\n"
WIDE = {
    "requirements.txt": "-r lib/deps.txt\n-c=lib/pins\n",
    "lib/deps.txt": "-r deeper/more.txt\n" + LIST,
    "lib/deeper/more.txt": "httpx==1.0\n",
    "lib/pins": "numpy==1.26\n",
    "setup.cfg": "[options]\ninstall_requires = file: lib/base.txt\n",
    "lib/base.txt": "flask==2.0\n",
    "Dockerfile": "RUN pip install -r deploy/image.txt\n",
    "deploy/image.txt": LIST,
    ".github/workflows/eval.yml": WORKFLOW,
    ".github/CODEOWNERS": "* @owner\n",
    ".ci/act/action.yml": "runs: {using: node20, main: dist/index.js}\n",
    ".ci/act/dist/index.js": "1\n",
    "scripts/gate.sh": "python tools/ask.py\n",
    "tools/ask.py": "1\n",
    "Makefile": "gate:\n\tratiba-ci gate\n",
    "shared/text.txt": "Be kind.\n",
    "shared/more/b.txt": "Be brief.\n",
    "tools/other.py": "1\n",
}


@pytest.fixture
def wide(repository: Repository) -> Repository:
    """A repository in which what counts lies elsewhere."""
    for link, target in (("prompts/linked.md", "../shared/text.txt"), ("texts/prompts", "../shared/more"),
                         ("linked.txt", "nowhere.txt")):  # fmt: skip
        (repository.folder / link).parent.mkdir(exist_ok=True)
        (repository.folder / link).symlink_to(target)
    repository.commit(START | WIDE, "start")
    repository.branch("change")
    return repository


@pytest.mark.parametrize(
    "files, word, why",
    [
        ({"shared/text.txt": "Be rude.\n"}, "blocking", "shared/text.txt (as prompts/linked.md)': a prompt"),
        ({"shared/more/b.txt": "Be long.\n"}, "blocking", "(as texts/prompts/b.txt)': a prompt"),
        ({"shared/more/new.txt": "Be long.\n"}, "blocking", "(as texts/prompts/new.txt)': a prompt"),
        ({"lib/deps.txt": "-r deeper/more.txt\nopenai==4.0\n"}, "blocking", "openai 3.9 → 4.0 in lib/deps.txt"),
        ({"lib/deps.txt": "-r deeper/more.txt\nopenai==3.10\n"}, "advisory", ""),
        ({"lib/deps.txt": "-r other.txt\nopenai==3.9\n"}, "blocking", "may be a major version"),
        ({"lib/deeper/more.txt": "httpx==2.0\n"}, "blocking", "httpx 1.0 → 2.0"),
        ({"lib/pins": "numpy==2.0\n"}, "blocking", "numpy 1.26 → 2.0"),
        ({"lib/base.txt": "flask==3.0\n"}, "blocking", "flask 2.0 → 3.0"),
        ({"deploy/image.txt": "openai==4\n"}, "blocking", "openai 3.9 → 4"),
        ({"Dockerfile": "FROM scratch\n"}, "blocking", "what the agent runs in"),
        ({".github/workflows/eval.yml": "jobs: {}\n"}, "blocking", "what runs the gate"),
        ({".github/CODEOWNERS": ""}, "blocking", "who has to review"),
        ({".ci/act/dist/index.js": "2\n"}, "blocking", "what the gate's workflow runs"),
        ({"scripts/gate.sh": "true\n"}, "blocking", "what the gate's workflow runs"),
        ({"tools/ask.py": "2\n"}, "blocking", "what the gate's workflow runs"),
        ({"Makefile": "gate:\n\ttrue\n"}, "blocking", "what the gate's workflow runs"),
        ({"package.json": "[" * 100_000}, "blocking", "may be a major version"),
        ({"requirements.txt": "a==1\n" * 6_000_000}, "blocking", "may be a major version"),
        ({"requirements.txt": WIDE["requirements.txt"] + "--extra-index-url https://other.example/\n"}, "blocking",
         "packages come from elsewhere"),
        ({"requirements.txt": WIDE["requirements.txt"] + "--pre\n"}, "blocking", "--pre"),
        ({"requirements.txt": WIDE["requirements.txt"] + "./vendor/openai\n"}, "blocking", "./vendor/openai"),
        ({"lib/pins": "numpy==1.26\nhttpx @ git+ssh://git@other.example/h.git\n"}, "blocking", "other.example"),
        ({"pip.conf": "[global]\nindex-url = https://other.example\n"}, "blocking", "may be a major version"),
        ({"app/uv.toml": "x = 1\n"}, "blocking", "may be a major version"),
        ({"app/.npmrc": "registry=https://other.example\n"}, "blocking", "may be a major version"),
        ({"tools/other.py": "2\n"}, "advisory", ""),
        ({"docs/x.md": "x\n"}, "advisory", "a text that the agent may read"),
    ],
    ids=lambda one: next(iter(one)) if isinstance(one, dict) else "",
)  # fmt: skip
def test_what_lies_elsewhere_and_decides_blocks(wide: Repository, files, word, why) -> None:
    wide.commit(files)
    done = wide.project.command("gate", "--only-matrix", "--base", "main")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(f"{word}:"), done.stderr
    assert why in done.stderr


@pytest.mark.parametrize(
    "link, target, word",
    [
        ("texts/prompts", "../scripts", "blocking"),
        ("prompts/linked.md", "../tools/other.py", "blocking"),
        ("linked.txt", "somewhere.txt", "advisory"),
        ("requirements.txt", "deploy/image.txt", "blocking"),
        ("round", ".", "blocking"),
    ],
)
def test_a_link_that_leads_elsewhere_is_what_it_shows(wide: Repository, link, target, word) -> None:
    (wide.folder / link).unlink(missing_ok=True)
    (wide.folder / link).symlink_to(target)
    wide.commit({})
    assert need(wide).startswith(f"{word}:")


def test_the_workflow_above_a_project_in_a_subfolder_blocks(repository: Repository) -> None:
    (repository.folder / ".github").mkdir()
    repository.commit(
        {f"agent/{name}": text for name, text in START.items()} | {".github/CODEOWNERS": "* @x\n", "other/a.py": "1\n"}
    )
    repository.branch("change")
    repository.commit({"other/a.py": "2\n"})
    folder = repository.project.folder
    repository.project.folder = folder / "agent"
    try:
        assert need(repository).startswith("nothing")
        repository.folder = folder
        (folder / ".github/CODEOWNERS").write_text("")
        repository.git("commit", "-qam", "nobody")
        assert need(repository).startswith("blocking")
    finally:
        repository.project.folder = folder


def test_a_list_of_requirements_in_another_coding_is_read_as_pip_reads_it(wide: Repository) -> None:
    (wide.folder / "deploy/image.txt").write_bytes("openai==9.0\n".encode("utf-16"))
    wide.commit({})
    assert "openai 3.9 → 9.0 in deploy/image.txt" in wide.project.command("gate", "--only-matrix").stderr
    (wide.folder / "deploy/image.txt").write_bytes(b"openai==9.0 \xff\n")
    wide.commit({})
    assert "may be a major version" in wide.project.command("gate", "--only-matrix").stderr
