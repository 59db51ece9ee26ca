"""A prompt in sections: nothing is lost by reading it, and what is protected is known."""

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from apps.improvement.domain.prompt_sections import SectionKind, parse, protected_spans, render, variables
from apps.improvement.drafts.domain.guarded_text import GuardedText
from apps.improvement.drafts.domain.guards import guard_reasons
from tests.shared_data import SHARED

PROMPT = """You are the desk of a salon in Nairobi.

# Tone
Warm and short. Call the customer {name}.

1. Confirm day and time before you book.
2. Say the price
   in shillings.

After the rules.
<examples>
# not a heading of ours
1. nor a rule
</examples>
## Tools
book_slot(day, time)
```
# a comment in code
```
# Closing
Say goodbye. <protected>Deposits are not refunded.</protected> {{ hours }}
"""
LINES = st.lists(
    st.sampled_from(
        ["# Tone", "## Legal ##", "<rules>", "</rules>", "<protected>", "</protected>", "1. Confirm", "  2) More",
         "", "```", "~~~", "Text {name}", "<!-- protected -->", "<!-- /protected -->", "\x0c", "\u2028", "#",
         "#hash", "<a b='c'>"]
    )
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.text())
@example("\r\n# a\r\r# b\x85")
def test_reading_a_prompt_loses_nothing(text: str):
    assert render(parse(text)) == text


@settings(max_examples=300, deadline=None)
@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]))
def test_reading_a_prompt_of_marks_loses_nothing(lines: list[str], end: str):
    text = end.join(lines)
    assert render(parse(text)) == text
    assert all(span in text for span in protected_spans(text))


def test_sections_are_headings_tags_numbered_rules_and_the_text_between():
    assert [(one.kind.value, one.title) for one in parse(PROMPT)] == [
        ("text", ""), ("heading", "Tone"), ("rule", "1"), ("rule", "2"), ("text", ""), ("tag", "examples"),
        ("heading", "Tools"), ("heading", "Closing"),
    ]  # fmt: skip


def test_what_is_protected_is_marked_or_stands_under_a_protected_heading():
    by_title = {one.title: one for one in parse(PROMPT) if one.title}

    assert by_title["Closing"].protected == ("<protected>Deposits are not refunded.</protected>",)
    assert by_title["Tools"].protected == (by_title["Tools"].text,)
    assert by_title["Tone"].protected == ()


@pytest.mark.parametrize("title", ["Legal", "Avviso legale", "Zana", "2. Tool contracts", "Privacy notice:"])
def test_headings_of_law_and_tools_are_protected_in_three_languages(title: str):
    assert protected_spans(f"# {title}\nText.\n") == (f"# {title}\nText.\n",)


def test_a_mark_that_is_never_closed_protects_the_rest():
    assert protected_spans("a <protected>b\n# c\nd") == ("<protected>b\n# c\nd",)


def test_variables_are_found_in_three_spellings():
    assert variables('{{ hours }} {{hours}} ${city} {name} {"json": 1} {}') == ["city", "hours", "hours", "name"]


@pytest.mark.parametrize("text", ["<a>\n" * 20_000, "# a\n<x>\n</x>\n" * 10_000, "<protected>" * 20_000, "{{" * 50_000])
def test_long_hostile_prompts_are_read_at_once(text: str):
    assert render(parse(text)) == text
    variables(text)


def test_every_prompt_in_the_repository_comes_out_byte_by_byte():
    root = Path(__file__).resolve().parents[3]
    documents = [*root.glob("docs/**/*.md"), *root.glob("apps/catalog/packs/**/*.yaml"), *root.glob("examples/**/*.md")]

    assert len(documents) > 50
    for document in documents:
        text = document.read_bytes().decode()
        assert render(parse(text)) == text
        assert {one.kind for one in parse(text)} <= set(SectionKind)


@pytest.mark.shared
def test_policies_of_other_agents_come_out_byte_by_byte_and_an_honest_fix_of_them_passes():
    files = sorted((SHARED / "data" / "policies").glob("*.md"))
    assert len(files) >= 4
    for file in files:
        text = file.read_bytes().decode()
        assert render(parse(text)) == text
        fixed = f"{text.rstrip()}\n\nSay what you will do before you do it, and wait for the customer's yes.\n"
        assert guard_reasons(GuardedText(live=text, draft=fixed)) == []


SHOP = """# Tools
Ask first.
## refund
Only after a manager said so.
### limits
1. Never above 5,000.
## lookup
Any time.
# Tone
Be kind.
## Words
Short ones.
"""


def test_a_protected_heading_protects_its_sub_headings_and_no_heading_beside_it():
    (span,) = protected_spans(SHOP)
    assert span == SHOP[: SHOP.index("# Tone")]
    assert render(parse(SHOP)) == SHOP


@pytest.mark.parametrize(
    "title", ["Tool definitions", "Available tools", "functions", "Tool usage", "Your tools:", "3. Function calling"]
)
def test_the_usual_titles_of_tools_are_protected(title: str):
    assert protected_spans(f"## {title}\ncall it\n### one\nx\n") != ()


def test_two_protected_headings_side_by_side_are_two_stretches():
    assert len(protected_spans("# Legal\na\n# Tools\nb\n")) == 2
