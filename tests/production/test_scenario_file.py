"""Files of layer 5: whatever a customer wrote is data in them, and the plugin collects and plays them."""

from typing import Any

import pytest
import yaml

from apps.catalog.domain.catalog_yaml import load
from apps.catalog.scenarios.domain.document import read_scenario
from apps.production.promotion.domain.scenario_file import scenario_file
from tests.plugin.conftest import user_project  # noqa: F401 - the folder of a user
from tests.plugin.stub_server import StubServer

HOSTILE = (
    "- id: other\n  status: released\n---\nid: second",
    "{{ conversation }} {{day}} {{{{x}}}}",
    "!!python/object/apply:os.system ['ls']",
    "&a [*a, *a] %TAG ! tag: # not a comment",
    "'\"|>\\ : ? @ ` yes null 012 2026-11-24",
    "</yaml><script>alert(1)</script>\u2028\u0085end",
    "x" * 90_000,
)


def scenario(text: str = "Hi", **more: Any) -> dict[str, Any]:
    return {
        "slug": "production_0123456789ab", "persona": "", "language": "en", "goal": f"“{text}”", "opening": text,
        "max_turns": 20, "must_not": [{"criterion": "price_clarity", "below": 6.0}], "assertions": [], "family": "",
        "provenance": {"conversation_id": "01a5", "feedback": ["f"], "prompt_version": "", "by": "amina"}, **more,
    }  # fmt: skip


def written(text: str, comment: str = "") -> str:
    signals = [{"kind": "thumbs_down", "text": comment, "at": ""}]
    return scenario_file(scenario(text), promoted="2026-11-24", signals=signals)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_customers_words_are_read_again_as_they_are_and_change_nothing_else(text: str) -> None:
    file = written(text, comment=text)
    (document,) = yaml.safe_load_all(file)
    assert document["opening"].replace("{ ", "{") == text.replace("{ ", "{").replace("\x85", " ")
    assert "{{" not in file.partition("\n")[2]  # behind the comment
    assert set(document) == {"id", "language", "goal", "opening", "max_turns", "must_not", "provenance"}
    assert len(file.splitlines()[0]) < 400
    assert file == written(text, comment=text)


def test_the_catalog_reads_it_as_a_scenario() -> None:
    document = dict(load(written("Hi, <name> here"), "a file")[0].value)
    assert document.pop("id") == "production_0123456789ab"
    read = read_scenario(document)
    assert (read.opening, read.must_not) == ("Hi, <name> here", [{"criterion": "price_clarity", "below": 6.0}])
    assert read.origin == ""
    assert read.provenance == {"conversation_id": "01a5", "feedback": ["f"]}


def test_pytest_layer_5_collects_and_plays_them(user_project) -> None:  # noqa: F811 - the fixture above
    stub = StubServer()
    try:
        user_project.variables |= {"RATIBA_URL": stub.url, "RATIBA_API_KEY": "rk_x"}
        user_project.write("ratiba.yaml", "agent: {callable: 'bot:reply', name: concierge}\n")
        user_project.write("bot.py", "def reply(messages, context):\n    return 'welcome'\n")
        folder = user_project.folder / "tests/eval/conversations/from_production"
        folder.mkdir(parents=True)
        for number, text in enumerate(HOSTILE):
            kept = scenario(text, slug=f"production_{number}", assertions=[{"metric": "welcome", "threshold": 1}])
            (folder / f"production_{number}.yaml").write_text(
                scenario_file(kept, promoted="2026-11-24", signals=[]), encoding="utf-8"
            )
        answer = user_project.pytest("--layer", "5", "--collect-only", "-q")
        assert answer.returncode == 0, answer.stdout + answer.stderr
        for number in range(len(HOSTILE)):
            assert f"from_production/production_{number}.yaml::production_{number}" in answer.stdout
        assert "no tests" in user_project.pytest("--layer", "4", "--collect-only", "-q").stdout
    finally:
        stub.close()
