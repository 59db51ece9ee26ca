"""The question to a model for one draft that answers all findings, and what is read of its answer. Pure.

Only sections that change are written anew, so that what works is not lost on the way (first product specification,
assumption 4); else as optimizer.domain.fix_question.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from apps.connectors.llms.base import ChatMessage, LLMRequest
from apps.evaluations.domain.reply_objects import ParseError
from apps.evaluations.domain.secret_keys import SecretKeys
from apps.evaluations.domain.strict_schemas import keys_in_words, list_of, one_of, strict, text_of
from apps.improvement.analysis.domain.findings import AnalysedConversation
from apps.improvement.analysis.domain.prompt import rendered
from apps.improvement.domain.prompt_sections import parse
from apps.improvement.optimizer.domain.fix_question import (
    MAX_CONVERSATIONS,
    ProposedFix,
    ask_lines,
    finding_lines,
    one_line,
    one_sentence,
    open_sections,
    prompt_lines,
    section_number,
    unbroken,
    with_fix,
)
from apps.improvement.prompt_templates.domain.texts import PromptTexts

MAX_OUTPUT_TOKENS = 8192
MAX_FINDINGS = 12
_TEXT, _SECTION = text_of(), {"type": "string"}  # a section is as long as it has to be


def full_request(
    *,
    prompt: str,
    findings: Sequence[Mapping[str, Any]],
    subjects: Sequence[AnalysedConversation],
    texts: PromptTexts,
    nonce: str,
    timeout_s: float,
) -> LLMRequest:
    """The question about the findings, believable ones first; `subjects` are train conversations, worst first."""
    keys = _keys(nonce, open_sections(parse(prompt)))
    lines = prompt_lines(prompt, nonce)
    for finding in findings[:MAX_FINDINGS]:
        lines += finding_lines(finding, nonce)
    lines += [text for subject in subjects[:MAX_CONVERSATIONS] for text in ("", rendered(subject, nonce=nonce))]
    lines += ["", ask_lines(texts, nonce) + keys_in_words(keys.schema, nonce=nonce)]
    return LLMRequest(
        system=texts.system,
        messages=(ChatMessage("user", "\n".join(lines)),),
        schema=keys.schema,
        schema_name="fixes",
        max_output_tokens=MAX_OUTPUT_TOKENS,
        timeout_s=timeout_s,
        facts={"task": "propose_full", "nonce": nonce},
    )


def read_full(text: str, *, prompt: str, nonce: str) -> tuple[ProposedFix, ...]:
    """The sections anew, each once. Raises ParseError where there is none, where one section is written twice, and for
    a section that the prompt has not."""
    answers = [one for one in _keys(nonce).read(text, nonce=nonce) if isinstance(one.get("fixes"), list)]
    if not answers:
        raise ParseError("the reply has no object with fixes and the nonce of the question", raw=text)
    if any(answer != answers[-1] for answer in answers):
        raise ParseError("the reply has several answers that differ", raw=text)
    last_answer, sections = answers[-1], parse(prompt)
    fixes: dict[int, ProposedFix] = {}
    for fix in last_answer["fixes"]:
        section_name = str(fix.get("section") or "") if isinstance(fix, Mapping) else ""
        number = section_number(section_name, sections)
        if number is None:
            raise ParseError(f"the prompt has no section {one_line(section_name, nonce)[:60]!r}", raw=text)
        if number in fixes:
            raise ParseError(f"section {section_name[:20]!r} is written twice", raw=text)
        words = fix.get("replacement")
        if not isinstance(words, str) or not words.strip():
            raise ParseError("a section would be empty", raw=text)
        fixes[number] = ProposedFix(
            number=number,
            replacement=unbroken(words, prompt),
            hopes=one_sentence(last_answer.get("hopes")),
            might_hurt=one_sentence(last_answer.get("might_hurt")),
        )
    if not fixes:
        raise ParseError("the reply changes no section", raw=text)
    return tuple(fixes.values())


def with_fixes(prompt: str, fixes: Sequence[ProposedFix]) -> str:
    """The prompt with these sections anew, from the last one on: a section that becomes two moves none that waits."""
    for fix in sorted(fixes, key=lambda proposed_fix: proposed_fix.number, reverse=True):
        prompt = with_fix(prompt, fix)
    return prompt


def _keys(nonce: str, sections: Iterable[str] = ()) -> SecretKeys:
    fix = strict({"section": one_of(sections), "replacement": _SECTION})
    shape = strict({"nonce": _TEXT, "fixes": list_of(fix), "hopes": _TEXT, "might_hurt": _TEXT})
    return SecretKeys(names=("replacement",), salt=nonce, shape=shape, is_closed=True)
