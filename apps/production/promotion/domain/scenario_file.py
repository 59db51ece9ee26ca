"""A promoted scenario as a file of layer 5: what `pytest --layer 5` collects below `from_production:`.

It holds tokens, never values: they are filled when it is played. What a customer wrote is YAML's data, whatever it
looks like, and no variable of the file.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from apps.catalog.domain.catalog_yaml import dump
from apps.core.portable.hidden_characters import visible

_KEEPS = ("conversation_id", "feedback", "prompt_version")
_KINDS = {
    "thumbs_down": "thumbs down",
    "thumbs_up": "thumbs up",
    "comment": "comment",
    "failed_criterion": "failed",
    "failed_check": "failed",
    "by_hand": "chosen by hand",
    "surprisingly_good": "surprisingly good",
    "surprisingly_bad": "surprisingly bad",
}


def scenario_file(scenario: Mapping[str, Any], *, promoted: str, signals: Sequence[Mapping[str, Any]]) -> str:
    """The file's text. `scenario` is {"slug", "persona", "language", "goal", "opening", "max_turns", "must_not",
    "assertions", "family", "provenance"}; `promoted` is the day. The same scenario gives the same bytes. Pure."""
    provenance = {name: scenario["provenance"][name] for name in _KEEPS if scenario["provenance"].get(name)}
    document = {
        "id": scenario["slug"],
        "persona": scenario.get("persona") or None,
        "language": scenario["language"],
        "goal": without_places(scenario["goal"]),
        "opening": without_places(scenario["opening"]),
        "max_turns": scenario["max_turns"],
        "must_not": [dict(one) for one in scenario["must_not"]],
        "assertions": [dict(assertion) for assertion in scenario["assertions"]],
        "family": scenario["family"],
        "provenance": provenance,
    }
    filled_fields = {name: value for name, value in document.items() if value not in (None, "", [], {})}
    body = dump(filled_fields)
    why = ", ".join(dict.fromkeys(_why(signal) for signal in signals)) or "chosen by hand"
    return f"# Promoted {promoted}: {_one_line(why, 300)}\n{body}"


def without_places(text: str) -> str:
    """Break up `{{` in a customer's text, which is no scenario variable, and replace NEL.

    YAML would read NEL as a line break.
    """
    text = text.replace("\x85", " ")
    while "{{" in text:
        text = text.replace("{{", "{ {")
    return text


def _why(signal: Mapping[str, Any]) -> str:
    words = _KINDS.get(str(signal.get("kind")), "signal")
    text = _one_line(str(signal.get("text") or ""), 120)
    return f"{words} ({text})" if text and signal.get("kind") != "by_hand" else words


def _one_line(text: str, limit: int) -> str:
    """A comment of YAML ends with its line, so there is only one; and no `pragma` that tools read."""
    plain = " ".join(visible(text).split())
    return plain if len(plain) <= limit else plain[: limit - 2] + " …"
