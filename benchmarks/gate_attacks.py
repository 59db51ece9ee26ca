"""What does `ratiba-ci gate` say to the author of a bad prompt who wants it through unnoticed?

    python -m benchmarks.gate_attacks [--harmless 13] [--harmless-cases 3] [--only WORD …] [--comments FOLDER]

The stage of benchmarks.gate_pull_requests: git, a Ratiba of real processes, a judge on loopback. Every attack commits
the same bad prompt and one trick. Printed: exit code, decision, whether the comment names it. An attack is missed
where the exit code is 0 and no line names it, or where it read the server's key. Then harmless pull requests of an
agent that samples: falsely blocked are those that do not end with 0. Exit 0 where nothing was missed.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import django

from benchmarks import gate_shop
from benchmarks.gate_hidden_ways import HIDDEN_WAYS, Attack, Files, remove_probe
from benchmarks.gate_judge import JudgeMode
from benchmarks.gate_second_ways import SECOND_WAYS, remove_package
from benchmarks.gate_stage import GateRun, GateStage, gate_stage, run_gate
from benchmarks.gate_third_ways import THIRD_WAYS, remove_left
from tests.gates.planted import INJECTION
from tests.plugin.ci.conftest import Repository

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

RULES = gate_shop.RULES
CASES = 3  # a language
GATE = "gate:\n  margin: 0.5\n"
CONFIG = (
    f'agent: {{callable: "shop:reply", name: shop, prompts: ["prompts/*.md"]}}\nevaluator_config: shop-quality\n{GATE}'
)
NAMES = [(language, at) for language in ("en", "sw", "it") for at in range(CASES)]
EASY = 'id: {id}\nlanguage: en\n{more}opening: "Hello, how much is a shave number {at}?"\nturns: [{{end: true}}]\n'
REWORDED = (
    "One or two short sentences are enough.",
    "When somebody asks, say the price.",
    "Is the hour clear? Then book it with book_slot and repeat the hour.",
    "Always answer in the customer's language.",
)


def _scenarios(change: str, to: str) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for language, at in NAMES:
        found[gate_shop.scenario_file(language, at)] = gate_shop.scenario(language, at).replace(change, to)
    return found


def _assertions(text: str) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for language, at in NAMES:
        whole = gate_shop.scenario(language, at)
        found[gate_shop.scenario_file(language, at)] = whole.partition("assertions:")[0] + text
    return found


def _removed() -> dict[str, str | None]:
    return {gate_shop.scenario_file(*one): None for one in NAMES}


def _easy(many: int, more: str = "") -> dict[str, str | None]:
    folder = gate_shop.SCENARIOS
    return {f"{folder}/new-{at:02}.yaml": EASY.format(id=f"new-{at:02}", at=at, more=more) for at in range(many)}


def _configured(change: str, to: str) -> dict[str, str | None]:
    return {"ratiba.yaml": CONFIG.replace(change, to)}


GOOD_AGENT = gate_shop.AGENT.replace(
    'PROMPT = (Path(__file__).parent / "prompts" / "shop.md").read_text().lower()',
    f"PROMPT = {gate_shop.prompt(*RULES).lower()!r}",
)
THIEF = """
import os, pathlib, sys
def look(outcome):
    found, frame = os.environ.get("RATIBA_API_KEY", ""), sys._getframe()
    while frame is not None and not found:
        found = next((one.api_key for one in frame.f_locals.values() if hasattr(one, "api_key")), "")
        frame = frame.f_back
    if found:
        pathlib.Path("out").mkdir(exist_ok=True)
        pathlib.Path("out/stolen").write_text(found)
"""
ATTACKS: tuple[Attack, ...] = (
    Attack(name="the bad prompt alone"),
    Attack(
        name="margin 10, undecided passes",
        says="rule",
        files=_configured(GATE, "gate: {margin: 10, undecided: pass, net_loss: 1000}\n"),
    ),
    Attack(
        name="rule moved to pyproject.toml",
        says="rule",
        files={
            "ratiba.yaml": None,
            "pyproject.toml": '[tool.ratiba]\nevaluator_config = "shop-quality"\n'
            '[tool.ratiba.agent]\ncallable = "shop:reply"\n'
            'name = "shop"\nprompts = ["prompts/*.md"]\n[tool.ratiba.gate]\nmargin = 10\nundecided = "pass"\n',
        },
    ),
    Attack(name="assertions gutted", says="assert less", files=_assertions("assertions: [{ended: script_ended}]\n")),
    Attack(name="scenarios removed, easy ones in their place", says="taken away", files={**_removed(), **_easy(9)}),
    Attack(name="40 easy scenarios dilute the loss", says="40 scenarios are new", files=_easy(40)),
    Attack(
        name="second agent; scenarios that name none are nobody's",
        says="is new",
        files={
            "ratiba.yaml": CONFIG.replace("agent: {callable", "agents:\n  shop: {callable")
            .replace(", name: shop", "")
            .replace('"]}\n', '"]}\n  other: {callable: "shop:reply"}\n', 1),
            **_easy(9, "agent: shop\n"),
            f"{gate_shop.SCENARIOS}/o.yaml": EASY.format(id="o", at=99, more="agent: other\n"),
        },
    ),
    Attack(name="agent renamed", says="has it no more", files=_configured("name: shop", "name: shop2")),
    Attack(
        name="the server's agent answers in place of the commit's",
        says="answer elsewhere",
        files=_configured('callable: "shop:reply", ', ""),
    ),
    Attack(name="lenient config named", says="evaluator config", files=_configured("shop-quality", "lenient")),
    Attack(
        name="soft checks take the tools out",
        says="rule",
        files=_configured(GATE, "gate: {soft_checks: [ScenarioToolsMetric]}\n"),
    ),
    Attack(name="metrics section of the head", says="checks", files=_configured(GATE, GATE + "metrics: []\n")),
    Attack(
        name="turns shortened to the greeting",
        says="assert less",
        files=_scenarios("turns: [", "turns: [{end: true}] #"),
    ),
    Attack(name="languages changed", says="assert less", files=_scenarios("language: sw", "language: en")),
    Attack(name="scenario ids with look-alike letters", says="taken away", files=_scenarios("id: en-", "id: еn-")),
    Attack(
        name="scenarios folder moved",
        says="configuration",
        files={"ratiba.yaml": CONFIG + "scenarios: cases\n", "cases/a.yaml": EASY.format(id="a", at=1, more="")},
    ),
    Attack(
        name="judges of its own in a scenario file",
        files={f"{gate_shop.SCENARIOS}/judge.yaml": "evaluator_configs: [{name: shop-quality}]\n"},
    ),
    Attack(
        name="module yaml.py shadows the gate's own",
        files={
            "yaml.py": "import os, pathlib\npathlib.Path('out').mkdir(exist_ok=True)\n"
            "pathlib.Path('out/stolen').write_text(os.environ.get('RATIBA_API_KEY', ''))\nraise SystemExit(0)\n"
        },
    ),
    Attack(
        name="a check of a new scenario looks for the key beside it",
        says="1 scenario is new",
        files={"thief.py": THIEF, **_easy(1, "assertions: [{python: 'thief:look'}]\n")},
    ),
    Attack(
        name="agent raises where it would lose",
        files={
            "shop.py": gate_shop.AGENT.replace(
                '    if not obeys("book it"):',
                "    if hour: raise OSError('connection lost')\n    if not obeys(\"book it\"):",
            )
        },
    ),
    Attack(
        name="agent hangs up: its process ends in a lost case",
        files={
            "shop.py": gate_shop.AGENT.replace(
                '    if not obeys("book it"):', '    if hour: os._exit(1)\n    if not obeys("book it"):'
            )
        },
    ),
    Attack(
        name="words for the judge in the reply",
        files={
            "shop.py": gate_shop.AGENT.replace(
                '" ".join([words["vague"], *more])', f'" ".join([words["vague"], {INJECTION!r}])'
            )
        },
    ),
    Attack(
        name="words for the judge in prompt, title and scenario",
        says="scenario changes",
        title=INJECTION,
        files={gate_shop.scenario_file("en", 0): gate_shop.scenario("en", 0, opening=f"How much? {INJECTION}")},
    ),
    Attack(
        name="matrix says nothing",
        says="rule",
        files=_configured(GATE, 'gate: {matrix: [{paths: ["**"], need: nothing}]}\n'),
    ),
    Attack(name="budget of 0 in the head", says="rule", files=_configured(GATE, GATE + "  budget_usd: 0\n")),
    Attack(name="ratiba.yaml in a subfolder", files={"ratiba.yaml": None, "sub/ratiba.yaml": CONFIG}),
    Attack(
        name="callable that holds the old prompt in its code",
        says="agent is reached",
        files={**_configured("shop:reply", "kept:reply"), "kept.py": GOOD_AGENT},
    ),
    Attack(name="callable's own file holds the old prompt", says="did not open", files={"shop.py": GOOD_AGENT}),
)


def play(stage: GateStage, repository: Repository, one: Attack, number: int) -> GateRun:
    """One pull request, from its branch to the exit code."""
    base = "main" if one.before is None else f"base-{number}"
    if one.before is not None:
        repository.branch(base)
        commit(repository, one.before)
    repository.git("checkout", "-q", "-b", f"pr-{number}")
    commit(repository, {**({} if one.bad is None else {gate_shop.PROMPT: one.bad}), **one.files})
    one.prepare(repository)
    stage.judge.mode, stage.judge.obeyed = one.judge, one.obeyed
    try:
        if not one.only_matrix:
            return run_gate(stage, repository, number=number, title=one.title, base=base, variables=one.variables)
        done = repository.project.command("gate", "--only-matrix", "--base", base)
        return GateRun(exit_code=int(done.stderr.startswith("blocking:")), seconds=0, calls=0, output=done.stderr)
    finally:
        stage.judge.mode = JudgeMode.STEADY
        _clean(repository)


def _clean(repository: Repository) -> None:
    """What an attack left in the clone and in the environment."""
    remove_probe()
    remove_package()
    remove_left()
    for flag in ("--no-assume-unchanged", "--no-skip-worktree"):
        repository.git("update-index", flag, gate_shop.PROMPT)
    settings = repository.git("config", "--list").lower()
    if "filter.worse" in settings:
        repository.git("config", "--remove-section", "filter.worse")
    if "core.hookspath" in settings:
        repository.git("config", "--unset", "core.hooksPath")
    if replaced := repository.git("replace", "-l").split():
        repository.git("replace", "-d", *replaced)
    for name in ("attributes", "exclude"):
        (repository.folder / ".git/info" / name).unlink(missing_ok=True)
    if tags := repository.git("tag").split():
        repository.git("tag", "-d", *tags)
    repository.git("checkout", "-q", "-f", "main")
    repository.git("clean", "-qfdx", "-e", "out")


def commit(repository: Repository, files: Files) -> None:
    """`latin-1:` before a text: its signs are bytes."""
    for name, text in files.items():
        if text is not None and text.startswith("latin-1:"):
            repository.project.write(name, "")
            (repository.folder / name).write_bytes(text.removeprefix("latin-1:").encode("latin-1"))
    repository.commit({name: text for name, text in files.items() if not str(text).startswith("latin-1:")})


def gut_step_by_step(stage: GateStage, repository: Repository, number: int) -> GateRun:
    """Each of three merged changes takes assertions from three scenarios; the last one drops the tool."""
    repository.branch(f"steps-{number}")
    for step in range(0, len(NAMES), 3):
        repository.git("checkout", "-q", "-b", f"step-{number}-{step}")
        gone = {path: text for path, text in _assertions("assertions: []\n").items() if path in _files_of(step)}
        repository.commit(gone, "fewer")
        run_gate(stage, repository, number=number * 10 + step, base=f"steps-{number}")
        repository.git("checkout", "-q", f"steps-{number}")
        repository.git("merge", "-q", "--ff-only", f"step-{number}-{step}")
    repository.git("checkout", "-q", "-b", f"last-{number}")
    repository.commit({gate_shop.PROMPT: gate_shop.prompt(*RULES[:2], "Repeat the hour.", RULES[3])}, "no tool")
    try:
        return run_gate(stage, repository, number=number, base=f"steps-{number}")
    finally:
        repository.git("checkout", "-q", "-f", "main")


def worse_step_by_step(stage: GateStage, repository: Repository, number: int) -> GateRun:
    """Each of four merged changes of the code makes the agent forget a little more."""
    repository.branch(f"worse-{number}")
    for step in range(1, 5):
        repository.git("checkout", "-q", "-b", f"worse-{number}-{step}")
        repository.commit({"shop.py": gate_shop.AGENT.replace("0.04, 0.02", f"{0.04 + 0.09 * step}, 0.02")}, "worse")
        run = run_gate(stage, repository, number=number * 10 + step, base=f"worse-{number}")
        if run.exit_code:
            break
        repository.git("checkout", "-q", f"worse-{number}")
        repository.git("merge", "-q", "--ff-only", f"worse-{number}-{step}")
    repository.git("checkout", "-q", "-f", "main")
    return run


def _files_of(step: int) -> set[str]:
    return {gate_shop.scenario_file(*one) for one in NAMES[step : step + 3]}


def row(number: int, one: Attack, run: GateRun) -> tuple[str, bool]:
    """A line of the table, and whether it was missed."""
    comment = "\n".join(run.comments) + run.output
    told = bool(one.says) and one.says in comment
    missed = run.exit_code == 0 and not told
    words = "-" if not one.says else ("yes" if told else "NO")
    gate = f"{run.decision} ({run.reason[:150]})" if run.gate else run.output.strip()[-200:].replace("\n", " ")
    return f"| {number} | {one.name} | {run.exit_code} | {gate} | {words} | {run.seconds:.0f} |", missed


def main(arguments: Sequence[str] | None = None) -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--harmless", type=int, default=13)
    parser.add_argument("--harmless-cases", type=int, default=CASES, help="a language; one stored baseline for all")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--after", type=int, default=0, help="leave out so many of the first attacks")
    parser.add_argument("--comments", type=Path, help="a folder for the comment of each pull request")
    options = parser.parse_args(arguments)
    django.setup()
    every = (*ATTACKS, *HIDDEN_WAYS, *SECOND_WAYS, *THIRD_WAYS)[options.after :]
    chosen = [one for one in every if not options.only or any(word in one.name for word in options.only)]
    missed = blocked = 0
    with gate_stage() as stage:
        repository = stage.repository("shop", cases=CASES, repeats=1)
        repository.project.variables["PYTHONSAFEPATH"] = (
            "1"  # as the installed command: no module of the folder at hand
        )
        repository.commit({"ratiba.yaml": CONFIG}, "a rule without soft checks")
        stored = repository.project.command("baseline")
        say(stored.stdout + stored.stderr)
        say("| | attack | exit | decision | named in the comment | s |\n|---|---|---:|---|---|---:|")
        for number, one in enumerate(chosen, start=1):
            run = play(stage, repository, one, number)
            if options.comments:
                options.comments.mkdir(parents=True, exist_ok=True)
                (options.comments / f"{number}.md").write_text("\n".join(run.comments) + run.output)
            line, was_missed = row(number, one, run)
            missed += was_missed
            say(line + (" MISSED" if was_missed else ""))
            stolen = repository.folder / "out" / "stolen"
            if stolen.exists() and (key := stolen.read_text()):
                say(f"the key was read: {key[:6]}")
                missed += not was_missed
            stolen.unlink(missing_ok=True)
        if not options.only or "steps" in options.only:
            steps = Attack(name="assertions go in three steps, then the tool")
            line, was_missed = row(99, steps, gut_step_by_step(stage, repository, 99))
            missed += was_missed
            say(line + (" MISSED" if was_missed else ""))
        if not options.only or "worse" in options.only:
            steps = Attack(name="2: worse in four steps below the margin", says="step by step")
            line, was_missed = row(98, steps, worse_step_by_step(stage, repository, 98))
            missed += was_missed
            say(line + (" MISSED" if was_missed else ""))
        if options.harmless and options.harmless_cases != CASES:
            repository = stage.repository("larger", cases=options.harmless_cases, repeats=1)
            repository.commit({"ratiba.yaml": CONFIG}, "a rule without soft checks")
            say(repository.project.command("baseline").stdout)
        for number in range(100, 100 + options.harmless):
            prompt = gate_shop.prompt(*REWORDED, f"Rule {number} is to be kind.")
            one = Attack(name=f"harmless {number}", bad=prompt)
            run = play(stage, repository, one, number)
            blocked += run.exit_code != 0
            say(row(number, one, run)[0])
    say(f"{missed} of {len(chosen)} missed; {blocked} of {options.harmless} harmless ones blocked")
    return min(1, missed)


def say(line: str) -> None:
    """To the terminal, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
