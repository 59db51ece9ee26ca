"""`ratiba-ci init`: what a repository needs for its first verdict, and with --gate for pull requests. Files that are
there stay as they are."""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from pytest_ratiba.agents import AgentProtocolName
from pytest_ratiba.config import FILE
from pytest_ratiba.errors import ProjectError

LEAST_CASES = 8  # with the two looks that a blocking gate has by default
IGNORED = ("/var/", "/.deepeval-cache/", "/.venv/")
USUAL_CALLABLE = "agent:reply"
NO_TOOLS = "  # - {tool: charge_card, forbidden: true}   # where its answers show `tool_calls`"
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
    way = parser.add_mutually_exclusive_group()
    way.add_argument(
        "--callable", default="", metavar="MODULE:FUNCTION", help="the function that answers for the agent"
    )
    way.add_argument("--address", default="", metavar="URL", help="of an agent that is a server")
    way.add_argument("--on-server", action="store_true", help="the team's server reaches the agent of that name itself")
    parser.add_argument("--kind", choices=list(AgentProtocolName), default="", help="how the address is spoken to")
    parser.add_argument("--reply", default="", metavar="JSONPATH", help="where an http agent's answer has its words")
    parser.add_argument("--start", default="", metavar="COMMAND", help="what starts the agent; without it, it runs")
    parser.add_argument("--gate", action="store_true", help="also the gate: its rule, a workflow, CODEOWNERS")
    parser.add_argument(
        "--ci",
        choices=[*WORKFLOWS, "none"],
        default="",
        help="with --gate: whose workflow; default: as the folder looks",
    )
    parser.add_argument("--owner", default="", metavar="@WHO", help="with --gate: who reviews what decides")


def run(options: argparse.Namespace) -> int:
    """Writes what is missing and says what it did. 0; 2 for a wrong name or a folder that is not there."""
    folder: Path = options.folder
    if not folder.is_dir():
        raise ProjectError("there is no such folder", where=str(folder))
    is_reached, known = bool(options.callable or options.address or options.on_server), (folder / FILE).exists()
    if not is_reached and not known and sys.stdin.isatty():
        _ask(options)
    function = "" if options.address or options.on_server else options.callable or ("" if known else USUAL_CALLABLE)
    if function and not all(function.partition(":")):
        raise ProjectError(f"--callable {function!r} is not written module:function")
    if options.address and urlsplit(options.address).scheme not in ("http", "https"):
        raise ProjectError(f"--address {options.address!r} does not begin with http:// or https://")
    for file in template(options, function):
        _write(folder / file.path, file.text)
    if options.gate:
        _gate(options, folder)
    print("Now: python -m pytest -m layer4   (a server is started, or set RATIBA_URL and RATIBA_API_KEY)")
    if not options.gate:
        print("Later, for pull requests: ratiba-ci init --gate")
    return 0


def _ask(options: argparse.Namespace) -> None:
    """Ask the user at the terminal how the agent is reached."""
    way = input(f"How is your agent reached? module:function, or http://… [{USUAL_CALLABLE}] ").strip()
    if "://" not in way:
        options.callable = way
        return
    options.address = way
    options.start = options.start or input("Which command starts it? Empty where it runs already: ").strip()


def _gate(options: argparse.Namespace, folder: Path) -> None:
    path = folder / FILE
    text = path.read_text(encoding="utf-8")
    if re.search(r"^gate:", text, re.MULTILINE):
        print(f"kept     {path}, which has a gate")
    else:
        path.write_text(text.rstrip("\n") + "\n" + _text("gate.yaml").lstrip("\n"), encoding="utf-8")
        print(f"changed  {path}: the gate's rule")
    chosen = options.ci or ("gitlab" if (folder / ".gitlab-ci.yml").exists() else "github")
    if chosen in WORKFLOWS:
        name, workflow = WORKFLOWS[chosen]
        _write(folder / workflow, _text(name))
    _add_lines(folder / ".gitignore", IGNORED)
    _add_lines(folder / ".github" / "pull_request_template.md", (QUESTION,))
    _owners(folder, options.owner)
    if chosen in WORKFLOWS:
        print("In CI: set the secrets RATIBA_URL and RATIBA_API_KEY, and require the job eval-gate.")
    print(
        f"For the gate: name an `evaluator_config:` of your server in {FILE}, and write {LEAST_CASES} scenarios or"
        " more; with fewer no loss can be shown."
    )


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


def template(options: argparse.Namespace, function: str) -> Iterator[WrittenFile]:
    """The files `init` begins with, where they are missing; `function` is "" for an agent that is none of Python's."""
    reached = "\n".join(f"    {line}" for line in _reached(options, function))
    yield WrittenFile(path=FILE, text=_text("ratiba.yaml").replace("AGENT", options.agent).replace("REACHED", reached))
    module, _, name = function.partition(":")
    if module and "." not in module:
        yield WrittenFile(path=f"{module}.py", text=_text("agent.py.txt").replace("FUNCTION", name))
    tools = "  - {tool: charge_card, forbidden: true}" if function else NO_TOOLS
    first = _text("first.yaml").replace("TOOLS", tools)
    yield WrittenFile(path="tests/eval/conversations/scenarios/first.yaml", text=first)


def _reached(options: argparse.Namespace, function: str) -> list[str]:
    """Return the lines of ratiba.yaml that say how the agent is reached."""
    if function:
        return [
            f"callable: {json.dumps(function)} # async def reply(messages, context) -> text, or {{content, tool_calls}}"
        ]
    if not options.address:
        return ["# as the team's server knows it: RATIBA_URL and RATIBA_API_KEY say which"]
    lines = [f"address: {json.dumps(options.address)}"]
    lines += [f"kind: {options.kind}"] if options.kind else []
    lines += [f"reply: {json.dumps(options.reply)}"] if options.reply else []
    root = urlsplit(options.address)
    start = f"command: {json.dumps(options.start or 'python my_agent.py')}, ready: {json.dumps(f'{root.scheme}://{root.netloc}/')}"
    lines += [f"{'' if options.start else '# '}start: {{{start}}}"]
    return lines


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
