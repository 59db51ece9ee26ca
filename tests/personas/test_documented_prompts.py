"""docs/personas.md shows the prompts as they are sent."""

from apps.personas.domain import generation_prompt, probe_judging, rating, same_people
from tests.guards.source import ROOT


def test_the_prompts_in_the_docs_are_those_that_are_sent():
    text = (ROOT / "docs" / "personas.md").read_text(encoding="utf-8")
    for module in (generation_prompt, same_people, rating, probe_judging):
        request = module._SYSTEM
        assert f"```text\n{request.strip()}\n```" in text
