"""`ratiba-ci init`: what a repository needs for its first verdict. Files that are there stay as they are."""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from pytest_ratiba.config import FILE
from pytest_ratiba.errors import ProjectError

LEAST_CASES = 8  # with the two looks that a blocking gate has by default
IGNORED = ("/var/", "/.deepeval-cache/")
QUESTION = "- [ ] Did you bump `__version__` of every metric whose rubric changed?"
WORKFLOWS = {
    "github": ("github.yml", ".github/workflows/eval-on-prompt-change.yml"),
    "gitlab": ("gitlab.yml", ".gitlab/eval-on-prompt-change.yml"),
}
OWNED = (  # what decides about a change: somebody else than its author looks at it
    "/.github/",
    "/.gitlab/",
    "/.gitlab-ci.yml",
    f"/{FILE}",
    "/pyproject.toml",
    "/prompts/",
    "/tests/eval/",
)


@dataclass(frozen=True, kw_only=True)
class WrittenFile:
    """A file of the template: where it goes, and its text."""

    path: str
    text: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `ratiba-ci init`."""
    parser.add_argument("--folder", type=Path, default=Path(), help="the repository's folder; default: this one")
    parser.add_argument("--agent", default="agent", metavar="NAME", help="the agent's name on the server")
    parser.add_argument(
        "--callable", default="agent:reply", metavar="MODULE:FUNCTION", help="the function that answers for the agent"
    )
    parser.add_argument(
        "--ci", choices=[*WORKFLOWS, "none"], default="", help="whose workflow is written; default: as the folder looks"
    )
    parser.add_argument("--owner", default="", metavar="@WHO", help="who reviews what decides, in CODEOWNERS")


def run(options: argparse.Namespace) -> int:
    """Writes what is missing and says what it did. 0; 2 for a wrong name or a folder that is not there."""
    folder: Path = options.folder
    if not folder.is_dir():
        raise ProjectError("there is no such folder", where=str(folder))
    if not all(options.callable.partition(":")):
        raise ProjectError(f"--callable {options.callable!r} is not written module:function")
    chosen = options.ci or ("gitlab" if (folder / ".gitlab-ci.yml").exists() else "github")
    for file in template(agent=options.agent, function=options.callable, ci=chosen):
        _write(folder / file.path, file.text)
    _add_lines(folder / ".gitignore", IGNORED)
    _add_lines(folder / ".github" / "pull_request_template.md", (QUESTION,))
    _owners(folder, options.owner)
    if chosen in WORKFLOWS:
        print("In CI: set the secrets RATIBA_URL and RATIBA_API_KEY, and require the job eval-gate.")
    print(
        f"For the gate: name an `evaluator_config:` of your server in {FILE}, and write {LEAST_CASES} scenarios or"
        " more; with fewer no loss can be shown."
    )
    print("Now: python -m pytest -m layer4   (a server is started, or set RATIBA_URL and RATIBA_API_KEY)")
    return 0


def _owners(folder: Path, owner: str) -> None:
    """CODEOWNERS with everything that decides, where an owner is given or all files have one already; else a word that
    there is none."""
    path = folder / ".github" / "CODEOWNERS"
    present = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    everything = next((line.split()[1:] for line in present if line.split()[:1] == ["*"]), [])
    who = owner or " ".join(everything)
    if who:
        _add_lines(path, tuple(f"{owned} {who}" for owned in OWNED))
        return
    owned = {line.split()[0] for line in present if len(line.split()) > 1}
    if owned.issuperset(OWNED):
        print(f"kept     {path}")
        return
    print(
        "No CODEOWNERS was written: nobody has to look at a change of the workflow, the rule, prompts or scenarios."
        f" Run again with --owner @WHO, or protect {', '.join(OWNED)} yourself."
    )


def template(*, agent: str, function: str, ci: str = "none") -> Iterator[WrittenFile]:
    """The files `init` writes where they are missing. The workflow of another CI system is a line of `WORKFLOWS`."""
    module, _, name = function.partition(":")
    yield WrittenFile(path=FILE, text=_text("ratiba.yaml").replace("AGENT", agent).replace("CALLABLE", function))
    if "." not in module:
        yield WrittenFile(path=f"{module}.py", text=_text("agent.py.txt").replace("FUNCTION", name))
    yield WrittenFile(path="tests/eval/conversations/scenarios/first.yaml", text=_text("first.yaml"))
    if ci in WORKFLOWS:
        name, path = WORKFLOWS[ci]
        yield WrittenFile(path=path, text=_text(name))


def _text(name: str) -> str:
    return (files("pytest_ratiba.ci") / "templates" / name).read_text(encoding="utf-8")


def _write(path: Path, text: str) -> None:
    if path.exists():
        print(f"kept     {path}")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"written  {path}")


def _add_lines(path: Path, lines: tuple[str, ...]) -> None:
    present = path.read_text(encoding="utf-8") if path.exists() else ""
    missing = [line for line in lines if line not in present.splitlines()]
    if not missing:
        print(f"kept     {path}")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    gap = "" if not present or present.endswith("\n") else "\n"
    path.write_text(present + gap + "\n".join(missing) + "\n", encoding="utf-8")
    print(f"{'changed ' if present else 'written '} {path}")
