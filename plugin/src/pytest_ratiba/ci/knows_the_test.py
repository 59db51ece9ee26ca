"""Find the parts of a change by which an agent may know that it is tested.
These are the questions of scenarios, the surroundings of the test, and the clock. Nobody can exclude that the agent
behaves well in a test alone, so a person is told. However the agent knows of the test, it has to hold the words that
it says there: so a person is also told of code that repeats words which a changed prompt no longer has."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_ratiba.ci.scope import ProjectChange
from pytest_ratiba.ci.settings import builtin_rules
from pytest_ratiba.collecting import all_scenarios
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.git import git, top_folder, tree_of
from pytest_ratiba.portable.changes.followed_texts import CODE
from pytest_ratiba.portable.changes.globs import fits
from pytest_ratiba.portable.changes.matrix import GUARD_RULES
from pytest_ratiba.portable.changes.repository_tree import RepositoryTree
from pytest_ratiba.portable.first_names import listed

MAX_BYTES = 400_000
MAX_FILES = 2_000
MIN_WORDS = 4  # a shorter question may stand in any prompt
_SIGNS = {
    "variables of CI": r"\b(?:GITHUB|GITLAB|CI|RATIBA|RUNNER|PYTEST|BUILDKITE|JENKINS|TF_BUILD)(?:_[A-Z_]+)?\b",
    "the test's own modules": r"\bpytest_ratiba\b|\bratiba-base\b|[\"']pytest[\"']",
    "the clock": r"\b(?:date\.today|datetime\.(?:utc)?now|time\.time|strftime|Date\.now|new Date)\b"
    r"|\{\{[^}]{0,40}\b(?:today|now|date)\b",
}
_NOT_THE_AGENTS = ("tests/**", "**/test_*", "**/conftest.py")


def knows_the_test(change: ProjectChange) -> list[str]:
    """Sentences, [] where nothing was brought. Costs reading the changed files at both commits."""
    if not change.base or change.base == change.commit or len(change.changed) > MAX_FILES:
        return []
    left_out = (*_NOT_THE_AGENTS, *(path for rule in GUARD_RULES for path in rule.paths), *_case_folders(change))
    files = [path for path in change.changed if not fits(path, left_out)]
    questions, found = _questions(change), dict[str, set[str]]()
    root = top_folder(change.project.folder)
    with tree_of(root, change.base) as before, tree_of(root, change.commit) as after:
        for path in files:
            old, new = (tree.text(path, most=MAX_BYTES) or "" for tree in (before, after))
            for what, pattern in _SIGNS.items():
                if set(re.findall(pattern, new)) - set(re.findall(pattern, old)):
                    found.setdefault(what, set()).add(path)
            was, now = _plain(old), _plain(new)
            if any(question in now and question not in was for question in questions):
                found.setdefault("what the scenarios' customers say", set()).add(path)
        kept = _old_words_in_code(files, before, after)
    better = "an agent that knows when it is tested may answer well then alone"
    return [
        *(f"New in {listed(sorted(paths))}: {what} ({better})" for what, paths in found.items()),
        *(f"{path} holds what {text} says no more (“{said[:100]}”): {better}" for path, text, said in kept[:5]),
    ]


def changed_code(change: ProjectChange) -> str:
    """ "Code changed: shop.py (+6 -1). …"; "" where none did. One call of git."""
    if not change.base or change.base == change.commit:
        return ""
    root = top_folder(change.project.folder)
    rows = git(root, "diff", "--numstat", "--no-renames", "-z", f"{change.base}...{change.commit}", "--").split("\0")
    counts = [row.split("\t", 2) for row in rows if row]
    code = [f"{path} (+{more} -{less})" for more, less, path in counts if _is_code(path)]
    if not code:
        return ""
    return (
        f"Code changed: {listed(code)}. It was played as the tests run it; code can act otherwise elsewhere: read it."
    )


def _is_code(path: str) -> bool:
    return path.endswith(CODE) and not fits(path, _NOT_THE_AGENTS)


def _old_words_in_code(
    files: Sequence[str], before: RepositoryTree, after: RepositoryTree
) -> list[tuple[str, str, str]]:
    """Code of the commit, a changed text, and a sentence that the text had before and the code has now."""
    gone = [
        (sentence, path)
        for path in files
        if not path.endswith(CODE)
        for sentence in _sentences(before.text(path, most=MAX_BYTES)) - _sentences(after.text(path, most=MAX_BYTES))
    ]
    code = [path for path in after.sizes if _is_code(path)] if gone else []
    held = {path: _plain(after.text(path, most=MAX_BYTES) or "") for path in code[:MAX_FILES]}
    first: dict[tuple[str, str], str] = {}
    for sentence, text in sorted(gone):
        for path, words in held.items():
            if sentence in words:
                first.setdefault((path, text), sentence)
    return [(path, text, sentence) for (path, text), sentence in first.items()]


def _sentences(text: str | None) -> set[str]:
    plain = {_plain(one) for one in re.split(r"[.!?\n]+", text or "")}
    return {one for one in plain if len(one.split()) >= MIN_WORDS}


def _questions(change: ProjectChange) -> set[str]:
    try:
        cases = all_scenarios(change.project).scenarios
    except ProjectError:
        return set()
    said = {_plain(text) for case in cases for text in _texts(case.document)}
    return {one for one in said if len(one.split()) >= MIN_WORDS}


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
