"""What a change brings by which an agent may know that it is tested: the questions of scenarios, the variables of CI,
the clock. Nobody can exclude that it behaves well then alone, so a person is told."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_ratiba.ci.scope import ProjectChange
from pytest_ratiba.ci.settings import builtin_rules
from pytest_ratiba.collecting import all_scenarios
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.git import top_folder, tree_of
from pytest_ratiba.portable.changes.globs import fits
from pytest_ratiba.portable.changes.matrix import GUARD_RULES

MOST_BYTES = 400_000
MOST_FILES = 2_000
LEAST_WORDS = 4  # a shorter question may stand in any prompt
_SIGNS = {
    "variables of CI": r"\b(?:GITHUB|GITLAB|CI|RATIBA|RUNNER|PYTEST|BUILDKITE|JENKINS|TF_BUILD)(?:_[A-Z_]+)?\b",
    "the test's own modules": r"\bpytest_ratiba\b|\bratiba-base\b|[\"']pytest[\"']",
    "the clock": r"\b(?:date\.today|datetime\.(?:utc)?now|time\.time|strftime|Date\.now|new Date)\b"
    r"|\{\{[^}]{0,40}\b(?:today|now|date)\b",
}
_NOT_THE_AGENTS = ("tests/**", "**/test_*", "**/conftest.py")


def knows_the_test(change: ProjectChange) -> list[str]:
    """Sentences, [] where nothing was brought. Costs reading the changed files at both commits."""
    if not change.base or change.base == change.commit or len(change.changed) > MOST_FILES:
        return []
    left_out = (*_NOT_THE_AGENTS, *(path for rule in GUARD_RULES for path in rule.paths), *_case_folders(change))
    files = [path for path in change.changed if not fits(path, left_out)]
    questions, found = _questions(change), dict[str, set[str]]()
    root = top_folder(change.project.folder)
    with tree_of(root, change.base) as before, tree_of(root, change.commit) as after:
        for path in files:
            old, new = (tree.text(path, most=MOST_BYTES) or "" for tree in (before, after))
            for what, pattern in _SIGNS.items():
                if set(re.findall(pattern, new)) - set(re.findall(pattern, old)):
                    found.setdefault(what, set()).add(path)
            was, now = _plain(old), _plain(new)
            if any(question in now and question not in was for question in questions):
                found.setdefault("what the scenarios' customers say", set()).add(path)
    better = "an agent that knows when it is tested may answer well then alone"
    return [f"New in {', '.join(sorted(paths)[:5])}: {what} ({better})" for what, paths in found.items()]


def _questions(change: ProjectChange) -> set[str]:
    try:
        cases = all_scenarios(change.project).scenarios
    except ProjectError:
        return set()
    said = {_plain(text) for case in cases for text in _texts(case.document)}
    return {one for one in said if len(one.split()) >= LEAST_WORDS}


def _texts(document: Mapping[str, Any]) -> Iterable[str]:
    yield str(document.get("opening") or "")
    for turn in document.get("turns") or ():
        for value in turn.values() if isinstance(turn, Mapping) else (turn,):
            if isinstance(value, str):
                yield value


def _case_folders(change: ProjectChange) -> list[str]:
    return [path for rule in builtin_rules(change.project, {}) if rule.why == "scenarios" for path in rule.paths]


def _plain(text: str) -> str:
    """Words alone, in small letters."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKD", text).casefold()))
