"""A gate as JUnit XML: a test case for each question and each case in which something hard fails."""

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from apps.core.json_hygiene import storable
from apps.gates.domain.escaping import plain
from apps.gates.domain.gate_words import why_words
from apps.gates.domain.own_versions import own_versions_sentence, version_words

_TAGS = {"fail": "failure", "undecided": "failure", "unmeasurable": "error"}


def gate_junit(gate: Mapping[str, Any]) -> bytes:
    """Write a gate as JUnit suites.

    They are `gate` (the decision itself, then every question), `cases` (what changed for the worse), and `own_versions`
    (altered scenarios as the commit has them, which fail nothing) where there are any.

    `unmeasurable` is an error, never a pass; undecided is a failure that says so, unless the policy lets it pass (then
    skipped). Names hold no score and no id, so they are stable from run to run. Pure.
    """
    root = ElementTree.Element("testsuites", name="ratiba gate")
    _suite(root, "gate", [_decision(gate), *(_question(metric) for metric in gate["metrics"])])
    worse = [case for case in gate["cases"] if case["change"] in ("lost", "worse") or case["why"]]
    _suite(root, "cases", [(case["id"], "failure" if case["why"] else "", _moved(case)) for case in worse])
    if gate["own_versions"]:
        _suite(root, "own_versions", _own_versions(gate["own_versions"]))
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))


def _decision(gate: Mapping[str, Any]) -> tuple[str, str, str]:
    tag = _TAGS.get(gate["decision"], "")
    if gate["decision"] == "undecided" and gate["exit_code"] == 0:
        tag = "skipped"
    return "decision", tag, " ".join([gate["sentence"], *gate["change_notes"]])


def _question(one: Mapping[str, Any]) -> tuple[str, str, str]:
    name = f"{one['metric']} in {one['language']}" if one["language"] else one["metric"]
    moved = f"{one['baseline']:.3f} to {one['candidate']:.3f} over {one['n']} cases"
    return name, "failure" if one["outcome"] == "loss" else "", moved


def _own_versions(found: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    return [
        ("altered scenarios", "", own_versions_sentence(found)),
        *(
            (case["id"], "", f"{version_words(case['own'])}; as it decided, {version_words(case['deciding'])}")
            for case in found["cases"]
        ),
    ]


def _moved(one: Mapping[str, Any]) -> str:
    moved = "" if one["difference"] is None else f"{one['difference']:+.2f} points"
    return ": ".join(part for part in (one["change"], why_words(one), moved) if part)


def _suite(root: ElementTree.Element, name: str, cases: list[tuple[str, str, str]]) -> None:
    tags = [tag for _, tag, _ in cases]
    counts = {
        "tests": len(cases),
        "failures": tags.count("failure"),
        "errors": tags.count("error"),
        "skipped": tags.count("skipped"),
    }
    suite = ElementTree.SubElement(root, "testsuite", name=name)
    for key, n in counts.items():
        suite.set(key, str(n))
    for case, tag, text in cases:
        node = ElementTree.SubElement(suite, "testcase", classname=f"ratiba.{name}", name=_clean(case))
        if tag:
            ElementTree.SubElement(node, tag, message=_clean(text))
        elif text:
            ElementTree.SubElement(node, "system-out").text = _clean(text)


def _clean(text: str) -> str:
    return str(storable(plain(text)))
