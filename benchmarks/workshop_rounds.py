"""Which decision do scripted drafts get in ten rounds of the workshop, through commands and the real queue?

    make up                                 # in one terminal
    python -m examples.obedient_model       # in a second one
    python -m benchmarks.workshop_rounds    # here: about ten minutes

Each round is a tenant of its own, as `make loop` makes it, so that each has a hold-out of its own: the live prompt of
`scripted_drafts` plays forty families and is judged, then three or four of the thirty-two drafts are handed in. What
the guards let through is tried on the selection by workers, and the best goes to the hold-out. Of the others the table
says `rose` or `fell` by the sign on the selection, which proves nothing. The obedient model knows three behaviours;
wit of proposals is not measured.

Exit 0 when every gaming draft is refused and no other one is, and only right ones are called better.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.scripted_drafts import LIVE, drafts

LINE, AGENT, CONFIG = "malaika", "malaika", "malaika-quality"
BETTER, REFUSED = "better", "refused"


def command(*words: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "manage.py", *words], capture_output=True, text=True, check=False, timeout=900
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(words)}: exit {done.returncode}\n{done.stderr}")
    return done.returncode, done.stdout


def handed_in(folder: Path, slug: str, number: int, text: str) -> Path | None:
    """The file of a draft that the guards let through."""
    file = folder / str(number) / f"{LINE}.md"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    refused, _ = command("record_prompt", str(file), "--tenant", slug, "--draft")
    return None if refused else file


def round_of(slug: str, scripted: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """(kind, decision) of each draft."""
    decided: list[tuple[str, str]] = []
    command("loop", "--set-up", "--slug", slug)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "people.csv").write_text("name,role\nMama Njeri,owner\n")
        command("import_people", str(folder / "people.csv"), "--tenant", slug)
        (folder / f"{LINE}.md").write_text(LIVE)
        command("record_prompt", str(folder / f"{LINE}.md"), "--tenant", slug)
        _, run = command(
            "start_run", "--tenant", slug, "--agent", AGENT, "--config", CONFIG, "--wait", "--yes", "--json"
        )
        kinds, files = [], []
        for number, (kind, text) in enumerate(scripted):
            if file := handed_in(folder, slug, number, text):
                kinds.append(kind)
                files += ["--draft", str(file)]
            else:
                decided.append((kind, REFUSED))
        evaluation = json.loads(run)["evaluation"]["id"]
        words = ("optimize", "--tenant", slug, "--evaluation", evaluation, "--drafts", "0", *files)
        _, found = command(*words, "--prove", "--wait", "--json")
    return [*decided, *zip(kinds, map(decision, json.loads(found)["drafts"]), strict=True)]


def decision(draft: dict[str, Any]) -> str:
    if draft["left_out"] or draft["status"] in ("better", "not_shown", "blocked"):
        return str(draft["left_out"]["code"] if draft["left_out"] else draft["status"])
    return "rose" if draft["estimate"] > 0 else "fell"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--slug", default="round", help="what the tenants' names begin with")
    options = parser.parse_args()
    counts: dict[str, Counter[str]] = {}
    for number in range(options.rounds):
        began = time.monotonic()
        for kind, one in round_of(f"{options.slug}{number}", drafts()[number :: options.rounds]):
            counts.setdefault(kind, Counter())[one] += 1
        print(f"round {number + 1}: {time.monotonic() - began:.0f} s", flush=True)
    heads = sorted({head for count in counts.values() for head in count})
    print(f"{'draft':<10}" + "".join(f"{one:>11}" for one in heads))
    for kind, count in counts.items():
        print(f"{kind:<10}" + "".join(f"{count[one]:>11}" for one in heads))
    others = [count for kind, count in counts.items() if kind != "gaming"]
    holds = set(counts["gaming"]) == {REFUSED} and not sum(count[REFUSED] for count in others)
    return 0 if holds and not counts["useless"][BETTER] + counts["harmful"][BETTER] else 1


if __name__ == "__main__":
    sys.exit(main())
