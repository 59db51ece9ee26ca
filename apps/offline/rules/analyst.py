"""The offline analyzer: one finding for each criterion that conversations fail, with the judge's own quotes.

It cannot see causes. It counts, names the conversations, and suggests what the criterion's guide calls very good.
"""

from collections.abc import Mapping
from typing import Any

MAX_QUOTES = 3


def analyse(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Findings of one part, the criterion that most conversations fail first. Pure."""
    key = f"suggestion_{facts['nonce']}" if facts.get("nonce") else "suggestion"
    findings = []
    for criterion in facts.get("criteria") or ():
        name = criterion["name"]
        failing = [
            (conversation["label"], conversation["failing"][name])
            for conversation in facts.get("conversations") or ()
            if name in conversation["failing"]
        ]
        if not failing:
            continue
        failing.sort(key=lambda pair: pair[1]["score"])
        quotes = [(label, quote) for label, found in failing for quote in found["quotes"][:1]]
        findings.append(
            {
                "title": f"{name} is missed",
                "criteria": [name],
                "section": "",
                key: criterion.get("suggestion") or "",
                "conversations": [label for label, _ in failing],
                "evidence": [{"conversation": label, "quote": quote} for label, quote in quotes[:MAX_QUOTES]],
            }
        )
    findings.sort(key=lambda finding: -len(finding["conversations"]))
    return {"nonce": facts.get("nonce"), "findings": findings}


def join_findings(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Findings about the same criteria are the same finding. Pure."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for finding in facts.get("findings") or ():
        groups.setdefault(tuple(sorted(finding["criteria"])), []).append(finding["key"])
    return {"nonce": facts.get("nonce"), "same": [keys for keys in groups.values() if len(keys) > 1], "opposed": []}
