"""Every question to a model holds what came from outside between fences, whoever wrote it down in between.

Each builder is given a plant in every text that it takes, in each question a plant of its own line. A reader takes out
what stands between fences or in a line of JSON; what is left is instruction, and must hold no plant. A builder that is
not in the table fails the test that counts them.
"""

import ast
import re
from pathlib import Path

import pytest

from apps.connectors.llms.base import LLMRequest
from tests.guards.question_builders import BUILDERS, NONCE, PLANT

# What asks a provider whether it answers holds no words of anybody. DeepEval writes its own questions, and
# apps.checks.metrics.conversation_case neutralises what goes into them.
WITHOUT_OUTSIDE_TEXT = {"apps/runs/agents/services/provider_question.py", "apps/checks/metrics/judge_model.py"}

_FENCED = re.compile(rf"<<<([A-Z ]+?)(?:: [^>]*)? {NONCE}>>>\n.*?\n<<<END \1 {NONCE}>>>", re.DOTALL)
_SECTION = re.compile(r"<(persona|goal|behaviours|conversation|material)>\n.*?\n</\1>", re.DOTALL)


def instruction_of(request: LLMRequest) -> str:
    """What of a question is ours: everything outside fences and sections."""
    text = "\n".join([request.system, *(one.content for one in request.messages)])
    return _SECTION.sub("", _FENCED.sub("", text))


@pytest.mark.parametrize("name", BUILDERS)
def test_a_plant_in_every_text_stays_between_the_fences(name: str) -> None:
    request = BUILDERS[name]()
    whole = "\n".join([request.system, *(one.content for one in request.messages)])
    assert PLANT in whole, "the builder shows nothing of what it was given"
    outside = instruction_of(request)
    assert PLANT not in outside, outside
    assert "account 555" not in outside


def test_every_builder_of_a_question_is_in_the_table() -> None:
    missing = []
    for path in sorted(Path("apps").rglob("*.py")):
        if "connectors" in path.parts or path.as_posix() in WITHOUT_OUTSIDE_TEXT:
            continue
        for function in ast.walk(ast.parse(path.read_text())):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            builds = any(
                isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "LLMRequest"
                for one in ast.walk(function)
            )
            if (
                builds and function.name not in BUILDERS and function.name != "request"
            ):  # JudgePrompt's, by judge_request
                missing.append(f"{path}:{function.name}")
    assert missing == []
