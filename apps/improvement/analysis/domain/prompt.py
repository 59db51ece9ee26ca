"""The questions to an analyzer: one for each part, and one that joins the answers.

Criteria, transcripts, the judge's reasons and the agent's own prompt are data between fences, with our instruction
after them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from apps.connectors.llms.base import ChatMessage, LLMRequest
from apps.evaluations.domain.judge_texts import LANGUAGE_NAMES
from apps.evaluations.domain.strict_schemas import keys_in_words, list_of, one_of, strict
from apps.evaluations.domain.transcript import neutralised, render_transcript
from apps.improvement.analysis.domain.finding_keys import finding_keys
from apps.improvement.analysis.domain.findings import AnalysedConversation, ClaimedFinding, shown_turns
from apps.improvement.prompt_templates.domain.texts import PromptTexts, fill_in

MAX_OUTPUT_TOKENS = 4096
PROMPT_CHARS = 12_000
_NOT_SHOWN = "(this turn is not shown)"


def analysis_request(
    *,
    part: Sequence[AnalysedConversation],
    criteria: Sequence[Mapping[str, Any]],
    agent_prompt: str,
    language: str,
    texts: PromptTexts,
    nonce: str,
    timeout_s: float,
) -> LLMRequest:
    """The question about one part. `criteria` are {"name", "description", "pass_mark", "mean", "suggestion"}."""
    names = [criterion["name"] for criterion in criteria]
    keys = finding_keys(nonce, criteria=names, conversations=[subject.label for subject in part])
    lines = [f"<<<CRITERIA {nonce}>>>"]
    for criterion in criteria:
        mean = "no score" if criterion["mean"] is None else f"mean {criterion['mean']:.1f}"
        description = neutralised(str(criterion["description"]), nonce=nonce).replace("\n", " ")
        lines.append(f"- {criterion['name']}: {description} (passes at {criterion['pass_mark']:g}; {mean})")
    lines.append(f"<<<END CRITERIA {nonce}>>>")
    if agent_prompt:
        lines += ["", f"<<<AGENT PROMPT {nonce}>>>", _cut(agent_prompt, nonce), f"<<<END AGENT PROMPT {nonce}>>>"]
    lines += [text for subject in part for text in ("", rendered(subject, nonce=nonce))]
    labels = ", ".join(subject.label for subject in part)
    fill = fill_in(texts.ask, {"nonce": nonce, "labels": labels, "criteria": ", ".join(names)})
    lines += ["", f"{fill.rstrip()}\n{keys_in_words(keys.schema, nonce=nonce)}"]
    return LLMRequest(
        system=_system(texts, language),
        messages=(ChatMessage("user", "\n".join(lines)),),
        schema=keys.schema,
        schema_name="findings",
        max_output_tokens=MAX_OUTPUT_TOKENS,
        timeout_s=timeout_s,
        facts={
            "task": "analyse",
            "nonce": nonce,
            "criteria": [{"name": criterion["name"], "suggestion": criterion["suggestion"]} for criterion in criteria],
            "conversations": [_facts(subject) for subject in part],
        },
    )


def join_request(
    *, claims: Mapping[str, ClaimedFinding], language: str, texts: PromptTexts, nonce: str, timeout_s: float
) -> LLMRequest:
    """The question that joins the findings of several parts. Their words and conversations stay: keys are grouped."""
    group = list_of(list_of(one_of(claims), most=200), most=200)
    groups = strict({"nonce": {"type": "string"}, "same": group, "opposed": group})
    lines = [f"<<<FINDINGS {nonce}>>>"]
    for key, claim in claims.items():
        text = neutralised(f"{claim.title} / {claim.section} / {claim.suggestion}", nonce=nonce).replace("\n", " ")
        lines.append(f"{key} ({', '.join(claim.criteria)}): {text}")
    question = fill_in(texts.ask, {"nonce": nonce}).rstrip()
    lines += [f"<<<END FINDINGS {nonce}>>>", "", f"{question}\n{keys_in_words(groups, nonce=nonce)}"]
    return LLMRequest(
        system=_system(texts, language),
        messages=(ChatMessage("user", "\n".join(lines)),),
        schema=groups,
        schema_name="groups",
        max_output_tokens=MAX_OUTPUT_TOKENS,
        timeout_s=timeout_s,
        facts={
            "task": "join_findings",
            "nonce": nonce,
            "findings": [{"key": key, "criteria": list(claim.criteria)} for key, claim in claims.items()],
        },
    )


def _system(texts: PromptTexts, language: str) -> str:
    """Fill in the system text. `language` stands there by its name in the language of the text."""
    names = LANGUAGE_NAMES[texts.language]
    return fill_in(texts.system, {"language": names.get(language, names["en"])})


def rendered(subject: AnalysedConversation, *, nonce: str) -> str:
    """One conversation as the analyzer reads it: what it fails and why, then its turns under their own numbers.

    A judge's reason repeats what customers and agents said: it is data as their own words are."""
    lines = [f"Conversation {subject.label} fails:", f"<<<JUDGED {nonce}>>>"]
    for name, failing in subject.failing.items():
        reason = neutralised(failing.reason, nonce=nonce).replace("\n", " ")
        lines.append(f"- {name}: {failing.score:.1f}; the judge said: {reason}")
    lines.append(f"<<<END JUDGED {nonce}>>>")
    shown = set(shown_turns(subject))
    turns = [
        turn if number in shown else {"role": turn.get("role"), "content": _NOT_SHOWN}
        for number, turn in enumerate(subject.turns)
    ]
    return "\n".join((*lines, render_transcript(turns, nonce=nonce, max_tool_chars=600)))


def _cut(text: str, nonce: str) -> str:
    text = neutralised(text, nonce=nonce)
    return (
        text if len(text) <= PROMPT_CHARS else f"{text[:PROMPT_CHARS]}\n[… {len(text) - PROMPT_CHARS} more characters]"
    )


def _facts(subject: AnalysedConversation) -> dict[str, Any]:
    return {
        "label": subject.label,
        "failing": {
            name: {"score": failing.score, "quotes": list(failing.quotes)} for name, failing in subject.failing.items()
        },
    }
