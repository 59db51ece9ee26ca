"""The formats that `import_from` and its page know: one line each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from apps.catalog.files.domain.test_formats import adk, botium, deepeval, langfuse, openai_evals, promptfoo, rasa, tau2
from apps.catalog.files.domain.test_formats.collecting import Collected
from apps.core.errors import NotFound


@dataclass(frozen=True, slots=True)
class TestFormat:
    """Reader of one tool's files: its name in words, and the ends of its files' names.

    It says whether its texts may be of real people, which are masked.
    """

    __test__ = False  # pytest collects classes of this name

    title: str
    suffixes: tuple[str, ...]
    read: Callable[[str, Collected], None]
    real_people: bool = True


FORMATS: Mapping[str, TestFormat] = {
    "promptfoo": TestFormat("promptfoo", (".yaml", ".yml", ".json", ".csv"), promptfoo.read),
    "deepeval": TestFormat("DeepEval", (".json", ".jsonl", ".csv"), deepeval.read),
    "langfuse": TestFormat("Langfuse", (".json", ".jsonl", ".csv"), langfuse.read),
    "tau2": TestFormat("tau2-bench", (".json",), tau2.read, real_people=False),
    "openai-evals": TestFormat("OpenAI evals", (".jsonl", ".yaml", ".yml"), openai_evals.read),
    "rasa": TestFormat("Rasa", (".yml", ".yaml"), rasa.read),
    "botium": TestFormat("Botium", (".txt",), botium.read),
    "adk": TestFormat("Google ADK", (".json",), adk.read),
}


def format_named(name: str) -> TestFormat:
    """The format of that name. Raises NotFound (`unknown_format`) with those there are."""
    test_format = FORMATS.get(name)
    if test_format is None:
        raise NotFound(f"there is no format {name!r}; there are {', '.join(FORMATS)}", code="unknown_format")
    return test_format
