"""Texts that a prompt includes: what an agent reads need not be called a prompt."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from .repository_tree import RepositoryTree

MAX_PROMPTS = 2_000
MAX_PROMPT_BYTES = 400_000
INCLUDED = "included by a prompt"
CODE = (
    ".py",
    ".pyi",
    ".pyx",
    ".ipynb",
    ".js",
    ".mjs",
    ".cjs",
    ".jsx",
    ".ts",
    ".mts",
    ".tsx",
    ".go",
    ".rs",
    ".java",
    ".kt",
    ".scala",
    ".rb",
    ".php",
    ".cs",
    ".c",
    ".cc",
    ".cpp",
    ".h",
    ".swift",
    ".ex",
    ".exs",
    ".lua",
    ".sh",
    ".bash",
)
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
        for _ in range(MAX_PROMPTS):
            if not waiting:
                break
            text = tree.text(waiting.popleft(), most=MAX_PROMPT_BYTES) or ""
            words = {word for tag in _TAG.findall(text) for word in _QUOTED.findall(tag)}
            new = (
                {path for path in tree.sizes if any(_ends_in(path, word) for word in words)} - found if words else set()
            )
            found |= new
            waiting.extend(sorted(new))
    return [(path, INCLUDED) for path in changed if path in found]


def _ends_in(path: str, word: str) -> bool:
    said = word.removeprefix("./").lstrip("/")
    return bool(said) and (path == said or path.endswith(f"/{said}"))
