"""Text of a pull request and of models is never markup: held against a real Markdown parser."""

from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from apps.gates.domain.escaping import escaped
from apps.gates.domain.gate_junit import gate_junit
from apps.gates.domain.gate_markdown import LONGEST, gate_markdown
from apps.gates.domain.gate_terminal import terminal_table

HOSTILE = (
    "<script>alert(1)</script>", "<!-- hidden --> shown", "![x](https://evil.example/p.png)", "[click](javascript:1)",
    "@everyone please", "fixes #12", "https://evil.example", "www.evil.example", "a | b | c",
    "`code` **bold** _em_ ~~x~~",
    "\n## Gate passed\n\n- [x] approve", "\u202eevil\u202c", "\x1b[31mred\x1b[0m", "::error file=x::boo", "$\\phi$",
    "&lt;b&gt;", "1. one", "- item", "> quote", "```\nfence", "| a |\n|---|", 
    "<https://evil.example>", "me@evil.example",
)  # fmt: skip
MARKDOWN = MarkdownIt("gfm-like", {"html": True, "linkify": False})
PLAIN = {"paragraph_open", "paragraph_close", "inline", "text"}


def kinds(text: str) -> set[str]:
    found = set()
    for token in MARKDOWN.parse(text):
        found.add(token.type)
        found |= {child.type for child in token.children or ()}
    return found


@pytest.mark.parametrize("text", HOSTILE)
def test_it_stays_text(text: str) -> None:
    assert kinds(f"said {escaped(text)}") <= PLAIN | {"text_special"}
    assert kinds(escaped(text)) <= PLAIN | {"text_special"}
    assert not [one for one in ("@e", "://", "www.") if one in escaped(text)]


@given(st.text(alphabet=st.sampled_from("a1 <>&!\\`*_{}[]()#+-.|~$@:/\n\"'="), max_size=40))
@settings(max_examples=300, deadline=None)
def test_whatever_is_written_is_text(text: str) -> None:
    assert kinds(f"said {escaped(text)}") <= PLAIN | {"text_special"}


def gate(text: str, cases: int = 1) -> dict[str, Any]:
    metric = {"metric": text, "language": text, "share": True, "baseline": 1.0, "candidate": 0.5, "difference": -0.5,
              "interval": [-0.6, -0.4], "p": 0.0, "adjusted": 0.0, "level": 0.025, "margin": 0.1, "n": 9,
              "needed": None, "outcome": "loss", "gained": [text], "lost": [text]}  # fmt: skip
    case = {
        "id": text,
        "language": text,
        "change": "lost",
        "difference": -1.0,
        "why": text,
        "url": "https://x.test/c/",
        "said": {
            "criterion": text,
            "before": 8.0,
            "after": 3.0,
            "reason": text,
            "baseline_reply": text,
            "candidate_reply": text,
        },
    }
    version = {"outcome": "fail", "score": 4.0, "failed": [text], "conversation": "c"}
    own = {"id": text, "own": version, "deciding": version, "url": "https://x.test/c/"}
    return {
        "own_versions": {"left_out": "", "cost_usd": 0.1, "cases": [own] * cases},
        "decision": "fail", "kind": "blocking", "floor": None, "sentence": text,
        "agent": text, "commit": "c" * 40, "title": text,
        "reasons": [{"sentence": text}, {"sentence": text}], "cases": [case] * cases, "more_cases": 2, "exit_code": 1,
        "metrics": [metric] * cases, "chain": [{"link": "persona_valid", "holds": False, "why": text}],
        "baseline": {"commit": text, "age_s": 90_000, "fingerprint": "f", "beside": ""}, "answers_from_cache": 3,
        "cost_usd": 1.5, "known_cost_usd": 1.5,
        "model_calls": 9, "calls_without_price": 0, "budget_usd": None,
        "notes": [], "change_notes": [], "first_look": None, "url": "https://x.test/gates/1/",
        "digest": "d" * 64, "policy": {"alpha": 0.05, "margin": 0.5, "net_loss": 2, "undecided": "block"},
    }  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_a_comment_has_our_links_and_our_markup_only(text: str) -> None:
    found = MARKDOWN.parse(gate_markdown(gate(text), address="https://x.test/gates/1/"))
    inside = [child for token in found for child in token.children or ()]
    assert {one.attrGet("href") for one in inside if one.type == "link_open"} == {
        "https://x.test/c/", "https://x.test/gates/1/",
    }  # fmt: skip
    assert not [one for one in inside if one.type in ("image", "code_inline")]
    assert {one.content for one in inside if one.type == "html_inline"} <= {"<br>"}
    assert {token.content.strip() for token in found if token.type == "html_block"} == {
        "<details><summary>Every question that was asked</summary>",
        "<details><summary>What this gate does not look at</summary>", "</details>",
    }  # fmt: skip
    assert [token.type for token in found].count("heading_open") == 1


def test_a_comment_is_never_longer_than_github_takes() -> None:
    found = gate_markdown(gate("ä|<" * 100, cases=200), address="https://x.test/gates/1/")
    assert len(found) <= LONGEST
    assert "more" in found


@pytest.mark.parametrize("text", HOSTILE)
def test_junit_and_terminal_hold_no_control_characters(text: str) -> None:
    root = ElementTree.fromstring(gate_junit(gate(text)))  # noqa: S314 - our own
    assert [suite.get("name") for suite in root] == ["gate", "cases", "own_versions"]
    assert root[0].get("failures") == "2"
    shown = terminal_table(gate(text))
    assert not any(one in shown for one in "\x1b\u202e")
    assert len(shown.splitlines()) == 11
    assert not [line for line in shown.splitlines() if line.lstrip().startswith("::") or "##[" in line]


def test_undecided_that_may_pass_is_skipped_in_junit() -> None:
    for exit_code, tag in ((0, "skipped"), (1, "failure")):
        root = ElementTree.fromstring(gate_junit({**gate("x"), "decision": "undecided", "exit_code": exit_code}))  # noqa: S314 - our own
        assert root[0][0].find(tag) is not None


def test_a_comment_names_a_check_once_and_does_not_call_a_fall_a_gain() -> None:
    document = gate("x")
    document["cases"][0] |= {"change": "gained", "difference": -0.76}
    document["metrics"] = [document["metrics"][0] | {"metric": name} for name in ("check:tone", "check:tone:score")]
    text = gate_markdown(document, address="https://x.test/gates/1/")
    assert "passes now, fewer points" in text
    assert "| gained |" not in text.split("<details>")[0]
    assert "| check tone (" in text
    assert "| check tone, its points (" in text
