"""Kinds of promptfoo's asserts that cannot be taken, each with its reason and what to do instead. Pure."""

import re
from collections.abc import Mapping
from typing import Any

_ELSEWHERE = re.compile(r"^\s*(?:file|https?|exec|python|package|huggingface|az|s3|gs)://|^\s*(?:exec|python|package):")
_CODE = "code of others is not run: write what it checks as words, a tool or a criterion"
_SIMILAR = "likeness to a text has no threshold here: write what must hold as a criterion (llm-rubric)"
_RETRIEVAL = (
    "it reads the context of a retrieval, which a conversation does not show: write what must hold as a criterion"
)
_TEXT_FORM = "a reply is held against words, patterns, length and JSON; this form of text is none of them: use a regex"
_TRACE = "it reads the trace of the provider; here tools are asserted by name and arguments (trajectory:tool-used)"
_AMONG = "it compares providers within one test: compare two runs here (docs/read-results.md)"
_MODERATION = "it asks a moderation service of another provider: write what must not be said as a criterion"
_REASONS: Mapping[str, str] = {
    **dict.fromkeys(("javascript", "python", "ruby", "webhook"), _CODE),
    "cost": "what the agent pays for its own models is not seen from outside; what a run may cost here is its budget",
    **dict.fromkeys(("similar", "levenshtein", "rouge-n", "bleu", "gleu", "meteor"), _SIMILAR),
    **dict.fromkeys(("perplexity", "perplexity-score"), _SIMILAR),
    **dict.fromkeys(("context-recall", "context-relevance", "context-faithfulness", "answer-relevance"), _RETRIEVAL),
    **dict.fromkeys(("is-xml", "contains-xml", "is-html", "contains-html", "is-sql", "contains-sql"), _TEXT_FORM),
    "contains-json": "here a reply is JSON as a whole (is-json) or not: use a regex for a part of it",
    **dict.fromkeys(("finish-reason", "trace-span-count", "trace-span-duration", "trace-error-spans"), _TRACE),
    **dict.fromkeys(("is-valid-function-call", "is-valid-openai-function-call"), _TRACE),
    **dict.fromkeys(("is-valid-openai-tools-call", "tool-call-f1"), _TRACE),
    **dict.fromkeys(("trajectory:step-count", "trajectory:goal-success", "skill-used"), _TRACE),
    **dict.fromkeys(("select-best", "max-score", "human"), _AMONG),
    **dict.fromkeys(("moderation", "guardrails", "classifier", "pi", "search-rubric"), _MODERATION),
    "conversation-relevance": "its window of turns is promptfoo's own: the core criteria ask this",
}


def why_not(kind: str, value: Any) -> str:
    """Say why an assert of this kind and value cannot be taken; "" where it may be."""
    if kind in _REASONS:
        return _REASONS[kind]
    if isinstance(value, str) and _ELSEWHERE.match(value):
        return "it stands in another file, which is not followed"
    return ""
