"""A run's report as files: report.json, report.html (one file, readable offline and on a phone) and junit.xml."""

import errno
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from django.template.loader import render_to_string

from apps.core.errors import BadInput
from apps.core.json_hygiene import storable
from apps.core.portable.hidden_characters import visible_html
from apps.statistics.decision import Decision

NAMES = ("report.json", "report.html", "junit.xml")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SCHEMA = Path(__file__).parents[2] / "schemas" / "report.schema.json"


def write_report(report: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Write the three files of a run as `write_files` does."""
    contents = (report_json(report), report_html(report), report_junit(report))
    return write_files(dict(zip(NAMES, contents, strict=True)), folder)


def write_files(contents: Mapping[str, bytes], folder: Path) -> dict[str, str]:
    """Write files of these names, made where the folder is missing; {name: path}. Repeating it writes the same bytes.

    All are written or none: files of two reports never stand beside each other. Raises BadInput where one cannot be
    written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        drafts = {folder / name: folder / f".{name}.draft" for name in contents}
        for draft, content in zip(drafts.values(), contents.values(), strict=True):
            draft.write_bytes(content)
        remove_report(folder, names=tuple(contents))
        for path, draft in drafts.items():
            draft.replace(path)
    except OSError as error:
        raise _unwritable(folder, error) from error
    return {name: str(folder / name) for name in contents}


def remove_report(folder: Path, *, names: Sequence[str] = NAMES) -> None:
    """Remove an earlier report from the folder, so that nobody takes it for that of the new run.
    Does nothing without one. Raises BadInput where a file cannot be removed."""
    paths = [folder / name for name in names]
    try:
        for path in paths:
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, f"{path.name} is a folder")
        for path in paths:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from error


def _unwritable(folder: Path, error: OSError) -> BadInput:
    return BadInput(f"cannot write into {folder}: {error.strerror}", code="bad_option", pointer="/report")


def report_json(report: Mapping[str, Any]) -> bytes:
    """The report as one JSON document (SCHEMA says its shape)."""
    return (json.dumps(report, ensure_ascii=False, indent=2) + "\n").encode()


def report_html(report: Mapping[str, Any]) -> bytes:
    """The report for people: one file without scripts, fonts or pictures from elsewhere."""
    return visible_html(render_to_string("reports/report.html", {"report": report})).encode()


def report_junit(report: Mapping[str, Any]) -> bytes:
    """The checks as JUnit XML: one suite a conversation, a case for each check. `unmeasurable` is an error, never a
    pass; `undecided` is a failure that says so; skipped is skipped."""
    root = ElementTree.Element("testsuites", name=f"ratiba {report['test_run_id']}")
    for conversation in report["conversations"]:
        suite = ElementTree.SubElement(root, "testsuite", name=_clean(conversation["name"]))
        _properties(suite, report)
        counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
        for check in conversation["checks"] or [_without_checks(conversation)]:
            counts["tests"] += 1
            case = ElementTree.SubElement(
                suite, "testcase", classname=_clean(conversation["name"]), name=_clean(check["check"])
            )
            _outcome(case, check, counts)
        for name, count in counts.items():
            suite.set(name, str(count))
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))


def _properties(suite: ElementTree.Element, report: Mapping[str, Any]) -> None:
    """Name the run and its judge: JUnit has a place for that in each suite."""
    properties = ElementTree.SubElement(suite, "properties")
    ElementTree.SubElement(properties, "property", name="test_run", value=report["test_run_id"])
    for evaluation in report.get("evaluations", ()):
        value = _clean(f"{evaluation['evaluator_config']} {evaluation['id']}")
        ElementTree.SubElement(properties, "property", name="evaluation", value=value)


def _without_checks(conversation: Mapping[str, Any]) -> dict[str, Any]:
    return {"check": "conversation", "outcome": conversation["verdict"], "reason": conversation["error"]}


def _outcome(case: ElementTree.Element, check: Mapping[str, Any], counts: dict[str, int]) -> None:
    kinds = {
        Decision.FAIL: ("failure", "failures"),
        Decision.UNDECIDED: ("failure", "failures"),
        Decision.UNMEASURABLE: ("error", "errors"),
        Decision.SKIPPED: ("skipped", "skipped"),
    }
    outcome = Decision(check["outcome"])
    if outcome in kinds:
        tag, count = kinds[outcome]
        counts[count] += 1
        ElementTree.SubElement(case, tag, message=_clean(f"{outcome.value}: {check['reason']}"))


def _clean(text: Any) -> str:
    """Characters that XML cannot hold become U+FFFD."""
    return _NOT_XML.sub("\ufffd", str(storable(text)))
