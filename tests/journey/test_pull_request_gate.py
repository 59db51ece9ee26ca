"""Pull requests of a user's repository against a real server: what got worse blocks, what did not passes.

The agent is a Python function on this machine that only dials out; server, worker and git are real. The commands are
those of docs/gate.md, as they are written there.
"""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.fences import ROOT, blocks
from tests.journey.conftest import Machine
from tests.journey.test_first_verdict_by_clicks import serve
from tests.plugin.ci.conftest import Repository
from tests.plugin.conftest import UserProject

CONFIG = """
agent: {callable: "shop:reply", name: shop, prompts: ["prompts/*.md"]}
evaluator_config: booking-quality
gate: {undecided: pass}
"""
AGENT = """
from pathlib import Path

PROMPT = (Path(__file__).parent / "prompts" / "shop.md").read_text()


async def reply(messages, context):
    last = messages[-1]["content"].lower()
    if "10" in last and "book it" in PROMPT:
        call = {"id": "c1", "name": "book_slot", "arguments": {"hour": 10}}
        return {"content": "You are booked for 10:00 tomorrow.", "tool_calls": [call]}
    if "10" in last:
        return "You are booked for 10:00 tomorrow."
    if "Chat a little" in PROMPT and last.endswith("s0?"):
        return "What a lovely day, is it not? And how is your family, are they well? Who sent you to us? " * 6
    return "Braids are KES 1,500. At what hour shall I book you?"
"""
SCENARIO = """
id: {id}
language: en
opening: "Hello, how much are braids for {id}?"
turns: ["At 10 please.", {{end: true}}]
assertions: [{{tool: book_slot, arguments: {{hour: 10}}}}]
"""
GOOD = "Answer in one sentence. When the hour is clear, book it.\n"


@dataclass
class Shop:
    repository: Repository

    def gate(self) -> tuple[int, str]:
        words = documented("ratiba-ci gate")
        done = self.repository.project.command(*words[1:], "--summary", "summary.md")
        return done.returncode, done.stdout + done.stderr

    def read(self, name: str) -> str:
        return (self.repository.folder / name).read_text()


def documented(beginning: str, **values: str) -> list[str]:
    """The words of a command in docs/gate.md, with values in place of what a reader fills in."""
    lines = [line for block in blocks(ROOT / "docs" / "gate.md") for line in block.text.splitlines()]
    (line,) = [line for line in lines if line.startswith(beginning)]
    return [re.sub("|".join(map(re.escape, values)), lambda found: values[found[0]], word) if values else word
            for word in shlex.split(line)]  # fmt: skip


def digest(said: str) -> str:
    return said.split(", checksum of the answer ")[1].split()[0]


@pytest.fixture
def shop(machine: Machine, fresh_tenant: str, tmp_path: Path) -> Shop:
    for pack in ("core", "service-booking"):
        loaded = machine.command("import_catalog", f"apps/catalog/packs/{pack}", "--tenant", fresh_tenant)
        assert loaded.returncode == 0, loaded.stderr
    key = machine.command("add_api_key", "--tenant", fresh_tenant).stdout.strip().splitlines()[-1]
    port = serve(machine)
    project = UserProject(folder=tmp_path / "project", timeout_s=240)
    project.folder.mkdir()
    project.variables |= {"RATIBA_URL": f"http://{fresh_tenant}.localhost:{port}", "RATIBA_API_KEY": key}
    repository = Repository(project)
    repository.git("init", "-q", "-b", "main")
    scenarios = {
        f"tests/eval/conversations/scenarios/s{number}.yaml": SCENARIO.format(id=f"s{number}") for number in range(9)
    }
    files = {
        "ratiba.yaml": CONFIG,
        "shop.py": AGENT,
        "prompts/shop.md": GOOD,
        ".gitignore": "gate.xml\ngate-report/\nsummary.md\n__pycache__/\n",
    }
    repository.commit({**files, **scenarios}, "start")
    return Shop(repository)


def test_a_worse_prompt_is_blocked_and_a_reworded_one_passes(
    shop: Shop, machine: Machine, fresh_tenant: str, tmp_path: Path
) -> None:
    repository = shop.repository
    stored = repository.project.command("baseline")
    assert stored.returncode == 0, stored.stderr
    assert "9 cases" in stored.stdout

    repository.branch("worse")
    repository.commit({"prompts/shop.md": "Answer in one sentence.\n"})
    code, said = shop.gate()
    assert code == 1, said
    assert "the baseline of" in said
    assert "FAIL  shop" in said
    assert "s2" in said
    assert "s2" in shop.read("summary.md")
    assert "Must not pass: worse" in shop.read("gate-report/report.html")
    assert '"decision": "fail"' in shop.read("gate-report/report.json")
    assert shop.read("gate.xml").count("<failure") >= 1

    on_server = documented(
        "python manage.py eval_gate", demo=fresh_tenant, booking="shop", HEAD_SHA=repository.git("rev-parse", "HEAD"),
        MERGE_BASE_SHA=repository.git("rev-parse", "main"), **{"$GITHUB_STEP_SUMMARY": str(tmp_path / "s.md"),
        "gate.xml": str(tmp_path / "g.xml"), "gate-report": str(tmp_path / "report")},
    )  # fmt: skip
    decided = machine.command(*on_server[2:])
    assert decided.returncode == 1, decided.stderr
    assert decided.stdout.startswith("FAIL  shop: Worse: ")
    assert (tmp_path / "report" / "report.html").exists()

    again, said = shop.gate()
    assert again == 1
    assert said.count("playing") == 0, "an unchanged commit is not played again"

    repository.git("checkout", "-q", "main")
    repository.branch("reworded")
    repository.commit({"prompts/shop.md": "One sentence is enough. When the hour is clear, book it.\n"})
    code, said = shop.gate()
    assert code == 0, said

    repository.git("checkout", "-q", "main")
    repository.branch("doubtful")
    repository.commit({"prompts/shop.md": "Chat a little. When the hour is clear, book it.\n"})
    code, said = shop.gate()
    assert code == 0, "the policy of this repository lets pass what nobody can tell"
    assert "Repeated: the first look could not tell" in said
    assert "Repeated: the first look" in shop.read("summary.md")
    assert 2 <= said.count("playing 9 cases") <= 3, "once, and then repeats on both sides"
    again, repeated = shop.gate()
    assert (again, repeated.count("playing")) == (code, 0)
    assert digest(repeated) == digest(said), "the same rows, the same answer"


def test_without_a_stored_baseline_the_merge_base_is_played(shop: Shop) -> None:
    repository = shop.repository
    repository.branch("worse")
    repository.commit({"prompts/shop.md": "Answer in one sentence.\n"})
    code, said = shop.gate()
    assert code == 1, said
    first, second = [line for line in said.splitlines() if "playing 9 cases" in line]
    assert repository.git("rev-parse", "--short=12", "main") in first, "before anything of the change has run"
    assert repository.git("rev-parse", "--short=12", "HEAD") in second
    assert "played by this gate, since none was stored" in said
    assert repository.git("worktree", "list").count("\n") == 0, "no second working tree is left"
