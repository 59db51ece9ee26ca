"""Texts that a prompt includes, and documents that code names: what an agent reads need not be called a prompt."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath

from .globs import fits
from .repository_tree import RepositoryTree

MOST_PROMPTS = 2_000
MOST_PROMPT_BYTES = 400_000
MOST_DOCUMENTS = 300
MOST_CODE_BYTES = 64_000_000
INCLUDED = "included by a prompt"
NOT_SEARCHED = "code of which there is more than is looked at"
CODE = (
    ".py", ".pyi", ".pyx", ".ipynb", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".tsx", ".go", ".rs", ".java", ".kt",
    ".scala", ".rb", ".php", ".cs", ".c", ".cc", ".cpp", ".h", ".swift", ".ex", ".exs", ".lua", ".sh", ".bash",
)  # fmt: skip
_DOCUMENTS = ("docs/**", "**/*.md", "**/*.rst")
_BUILDS = ("**/setup.py", "**/conf.py", "**/noxfile.py", "**/tests/**", "**/test_*.py", "docs/**")
_TAG = re.compile(r"\{%[-+]?\s*(?:include|import|extends|from)\b(.*?)%\}", re.DOTALL)
_QUOTED = re.compile(r"[\"']([^\"'\n]{1,300})[\"']")


def included_by_prompts(
    changed: Sequence[str], trees: Iterable[RepositoryTree], is_prompt: Callable[[str], bool]
) -> list[tuple[str, str]]:
    """Those of the changed paths that a prompt of either commit includes, as Jinja writes it, or an included text does;
    whatever folders its loader searches."""
    found: set[str] = set()
    for tree in trees:
        waiting = deque(path for path in tree.sizes if is_prompt(path))
        for _ in range(MOST_PROMPTS):
            if not waiting:
                break
            text = tree.text(waiting.popleft(), most=MOST_PROMPT_BYTES) or ""
            words = {word for tag in _TAG.findall(text) for word in _QUOTED.findall(tag)}
            new = (
                {path for path in tree.sizes if any(_ends_in(path, word) for word in words)} - found if words else set()
            )
            found |= new
            waiting.extend(sorted(new))
    return [(path, INCLUDED) for path in changed if path in found]


def documents_named(changed: Sequence[str], trees: Sequence[RepositoryTree]) -> dict[str, str]:
    """For each changed document the code of either commit that names it or its folder. Costs reading all code."""
    documents = {path: re.compile(_named_as(path)) for path in changed if fits(path, _DOCUMENTS)}
    if not documents:
        return {}
    every, found = re.compile("|".join(one.pattern for one in documents.values())), dict[str, str]()
    for tree in trees:
        code = [path for path in tree.sizes if path.endswith(CODE) and not fits(path, _BUILDS)]
        if len(documents) > MOST_DOCUMENTS or sum(tree.sizes[path] for path in code) > MOST_CODE_BYTES:
            return dict.fromkeys(documents, NOT_SEARCHED)
        for path in code:
            for said in set(every.findall(tree.text(path, most=MOST_CODE_BYTES) or "")):
                found = {one: path for one, pattern in documents.items() if pattern.fullmatch(said)} | found
    return found


def _named_as(path: str) -> str:
    """What code writes that opens this file, or the files of its folder."""
    *folders, name = map(re.escape, PurePosixPath(path).parts)
    return "|".join([name, *(rf"[\"'/]{folder}(?:[\"']|/[\"'*{{%$])" for folder in folders)])


def _ends_in(path: str, word: str) -> bool:
    said = word.removeprefix("./").lstrip("/")
    return bool(said) and (path == said or path.endswith(f"/{said}"))
