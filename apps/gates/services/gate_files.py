"""A decided gate as files: report.json, report.html (one file, readable offline and on a phone) and report.md."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string

from apps.core.portable.hidden_characters import visible_html
from apps.gates.domain.gate_words import baseline_words, gate_head, question_words
from apps.gates.domain.own_versions import own_versions_sentence
from apps.gates.domain.policy import policy_sentence
from apps.reports.run_reports.services.report_files import write_files

NAMES = ("report.json", "report.html", "report.md")


def gate_html(gate: Mapping[str, Any]) -> bytes:
    """Write the answer for people, from the document that the API gives.

    It has no script, no font, no picture, nothing from the network; text of others is escaped, and a policy in the file
    forbids the rest.
    """
    context = {
        "gate": gate,
        "head": gate_head(gate),
        "baseline": baseline_words(gate),
        "own_versions": own_versions_sentence(gate["own_versions"]) if gate["own_versions"] else "",
        "rule": policy_sentence(gate["policy"]),
        "questions": [(question_words(metric), metric) for metric in gate["metrics"]],
    }
    return visible_html(render_to_string("gates/report.html", context)).encode("utf-8", "replace")


def write_gate_files(gate: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Write the three files, made where the folder is missing; {name: path}. All or none. Raises BadInput where one
    cannot be written. Repeating it writes the same bytes."""
    document = (json.dumps(gate, ensure_ascii=False, indent=2) + "\n").encode()
    contents = (document, gate_html(gate), str(gate["markdown"]).encode("utf-8", "replace"))
    return write_files(dict(zip(NAMES, contents, strict=True)), folder)
