"""The model as an author of prompts: one section with one sentence more, for what is said to fail."""

import json
import re
from pathlib import Path
from typing import Any

PHRASES: dict[str, Any] = json.loads((Path(__file__).parent / "phrases.json").read_text(encoding="utf-8"))
SECTION = re.compile(r"^\[section (S\d+): (.*?)\]\n(.*?)(?=^\[section|^<<<END)", re.MULTILINE | re.DOTALL)


def rule_for(words: str) -> str:
    found = (PHRASES["rules"][one] for one, pattern in PHRASES["topics"].items() if re.search(pattern, words, re.I))
    return str(next(found, PHRASES["rules"]["confirm"]))


def fix(properties: dict[str, Any], question: str) -> dict[str, Any]:
    section, rule = re.search(r"^section: (.*)$", question, re.M), rule_for(question.rpartition("<<<FINDING")[2])
    texts = SECTION.findall(question)
    name, _, text = next((one for one in texts if section and one[1] == section[1]), texts[0])
    key = next(one for one in properties if one.startswith("replacement"))
    return {"section": name, key: f"{text.rstrip()} {rule}", "hopes": rule, "might_hurt": "Longer replies."}


def fixes(properties: dict[str, Any], question: str) -> dict[str, Any]:
    """Of findings, or of conversations without one: the first rule that the prompt does not have yet."""
    prompt, _, rest = question.rpartition("<<<END AGENT PROMPT")
    failing = re.findall(r"^(?:title: |- )(\w+)", rest, re.MULTILINE)
    rule = next((one for one in map(rule_for, failing) if one not in prompt), rule_for(""))
    texts = SECTION.findall(question)
    name, _, text = next((one for one in texts if one[1] == "Booking"), texts[0])
    key = next(one for one in properties["fixes"]["items"]["properties"] if one.startswith("replacement"))
    return {
        "fixes": [{"section": name, key: f"{text.rstrip()} {rule}"}],
        "hopes": rule,
        "might_hurt": "Longer replies.",
    }
