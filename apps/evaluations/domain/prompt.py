"""The question a judge is asked: one call for all criteria of one conversation, and its one tighter repeat.

The system text depends on the evaluator version alone (providers cache it); the transcript comes in the user message,
fenced, with our instruction after it: the last word is ours.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from apps.connectors.llms.base import ChatMessage, LLMRequest
from apps.core.templating import render, undeclared_variables
from apps.evaluations.domain import background as background_of
from apps.evaluations.domain.judge_texts import LANGUAGE_NAMES, JudgeTexts, texts_for
from apps.evaluations.domain.parsing import score_key
from apps.evaluations.domain.strict_schemas import strict
from apps.evaluations.domain.transcript import broken_up, render_transcript

SCHEMA_NAME = "judgement"
SCALE = (0, 10)
DEFAULT_MAX_OUTPUT_TOKENS = 4096
MAX_REASON, MAX_QUOTE, MAX_QUOTES = (
    1200,
    600,
    3,
)  # for servers that obey them: two sentences and two quotes, with room

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8}){0,3}")
_NONCE, _KEY = "\0", "\1"  # stand for the nonce and the number's key in a kept text: no criterion's name has them
_FACTS = ("name", "description", "offline_rule", "offline_parameters")


def judge_request(
    *,
    criteria: Sequence[Mapping[str, Any]],
    template: str,
    parameters: Mapping[str, Any],
    turns: Sequence[Mapping[str, Any]],
    nonce: str,
    salt: str | None = None,
    language: str | None = None,
    latency: Mapping[str, Any] | None = None,
    background: Mapping[str, Any] | None = None,
    config: str = "",
    version: int | None = None,
    timeout_s: float = 30.0,
) -> LLMRequest:
    """The request for one conversation.

    `criteria` are criterion snapshots as JSON, `template` the version's own system prompt ("" = the built-in one of
    `parameters["prompt_language"]`), `turns` those of the conversation document, numbered from 0, `latency` what
    `latency_statistics` gave, `background` what the conversation was played with. `nonce` is fresh and unguessable per
    call; `salt` is the secret in the key of the numbers (parsing.score_key), the same for a whole evaluation, so that
    providers keep its schema. Raises TemplateProblem when the template cannot be rendered. Pure; about 0.3 ms for 30
    turns and 11 criteria.
    """
    prompt = JudgePrompt(
        criteria=criteria, template=template, parameters=parameters, config=config, version=version, timeout_s=timeout_s
    )
    return prompt.request(
        turns=turns, nonce=nonce, salt=salt, language=language, latency=latency, background=background
    )


class JudgePrompt:
    """One evaluator version's question, made once for as many conversations as are asked about in the same way."""

    def __init__(
        self,
        *,
        criteria: Sequence[Mapping[str, Any]],
        template: str,
        parameters: Mapping[str, Any],
        config: str = "",
        version: int | None = None,
        timeout_s: float = 30.0,
    ) -> None:
        """Arguments as `judge_request` has them. They must not be changed afterwards."""
        self._asked = background_of.named_variables(criteria)
        criteria = [background_of.with_labels(criterion) for criterion in criteria] if self._asked else criteria
        self._texts = texts_for(parameters)
        self._names = tuple(str(criterion["name"]) for criterion in criteria)
        self._template = template or self._texts.system
        self._timeout_s = timeout_s
        self._temperature = parameters.get("temperature")
        self._max_output_tokens = int(parameters.get("max_output_tokens") or DEFAULT_MAX_OUTPUT_TOKENS)
        self._context = {
            "criteria": criteria,
            "shared_guide": _shared_guide(criteria),
            "config": config,
            "version": version,
            "parameters": parameters,
            "prompt_language": parameters.get("prompt_language") or "en",
            "rubric_language": parameters.get("rubric_language") or "en",
            "reason_language": str(parameters.get("reason_language") or "en"),
        }
        self._facts = {
            "task": "judge",
            "prompt_language": self._context["prompt_language"],
            "reason_language": self._context["reason_language"],
            "criteria": [{key: criterion.get(key) for key in _FACTS} for criterion in criteria],
        }
        self._system: str | None = None  # where nothing of the conversation is in it, which is the usual case

    def request(
        self,
        *,
        turns: Sequence[Mapping[str, Any]],
        nonce: str,
        salt: str | None = None,
        language: str | None = None,
        latency: Mapping[str, Any] | None = None,
        background: Mapping[str, Any] | None = None,
    ) -> LLMRequest:
        """See `judge_request`."""
        if language and not _LANGUAGE.fullmatch(language):
            language = None  # it came with the conversation: anything but a language tag has no place outside the fence
        measured = _latency_text(self._texts, latency)
        shown = background_of.block(background or {}, self._asked, nonce=nonce)
        before = (_opening(self._texts.opening, language) if language else "", measured, shown)
        data = "\n\n".join(part for part in (*before, render_transcript(turns, nonce=nonce)) if part)
        question = f"{_without(salt, data)}\n\n{_closing(self._texts, self._names, nonce, salt)}"
        own = {"language": language or "", "latency": measured, "nonce": nonce}
        return LLMRequest(
            system=self._system_text({**own, **background_of.values(background or {}, nonce=nonce)}),
            messages=(ChatMessage("user", question),),
            schema=reply_schema(self._names, salt),
            schema_name=SCHEMA_NAME,
            max_output_tokens=self._max_output_tokens,
            temperature=self._temperature,
            is_judging=True,
            timeout_s=self._timeout_s,
            facts={**self._facts, "language": language, "turns": turns, "nonce": nonce, "salt": salt},
        )

    def _system_text(self, of_the_conversation: Mapping[str, str]) -> str:
        if self._system is not None:
            return self._system
        context = {**self._context, **of_the_conversation}
        if _variables(self._template) & set(of_the_conversation):
            return _rendered_system(self._template, context)
        self._system = _rendered_system(self._template, context)
        return self._system


def tighter_request(
    request: LLMRequest, *, criteria: Sequence[str], nonce: str, unreadable: bool | None = None
) -> LLMRequest:
    """The one repeat: the same question, what was wrong, and only `criteria` asked for.

    `unreadable` says whether the last reply could not be read, or left criteria out or off the scale (default: the
    former when every criterion is asked again). The reply is not shown again: what misled it would mislead it twice.
    """
    texts = texts_for(request.facts)
    rows = [item for item in request.facts["criteria"] if item["name"] in criteria]
    if unreadable is None:
        unreadable = len(rows) == len(request.facts["criteria"])
    salt = request.facts.get("salt")
    values = {"low": SCALE[0], "high": SCALE[1], "score_key": score_key(salt)}
    complaint = render(texts.unreadable if unreadable else texts.incomplete, values)
    closing = _closing(texts, [item["name"] for item in rows], nonce, salt)
    question = f"{request.messages[0].content}\n\n{complaint} {closing}"
    return replace(
        request,
        messages=(ChatMessage("user", question),),
        schema=reply_schema(tuple(item["name"] for item in rows), salt),
        facts={**request.facts, "criteria": rows},
    )


@lru_cache(maxsize=256)
def reply_schema(names: tuple[str, ...], salt: str | None = None) -> dict[str, Any]:
    """The JSON Schema of a reply, in the strict form: all required, nothing else allowed. The reason comes first, so
    that a model thinks before it scores. Shared: read it, do not change it."""
    entry = strict(
        {
            "reason": {"type": "string", "maxLength": MAX_REASON},
            "evidence": {
                "type": "array",
                "items": {"type": "string", "maxLength": MAX_QUOTE},
                "maxItems": MAX_QUOTES,
            },
            score_key(salt): {"type": ["number", "null"], "minimum": SCALE[0], "maximum": SCALE[1]},
        }
    )
    return strict({"nonce": {"type": "string"}, "scores": strict(dict.fromkeys(names, entry))})


def _shared_guide(criteria: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The guide that most criteria have word for word, at least two: it says nothing of any of them, and is told once.
    Empty where there is none."""
    guides = [guide for criterion in criteria if (guide := criterion.get("scoring_guide"))]
    most: Mapping[str, Any] = max(guides, key=guides.count, default={})
    return most if guides.count(most) > 1 else {}


def _rendered_system(source: str, context: Mapping[str, Any]) -> str:
    texts = texts_for(context)
    parts = [render(source, context).strip()]
    if "criteria" not in _variables(source):
        parts.append(render(texts.criteria, context).strip())
    names = LANGUAGE_NAMES.get(context["prompt_language"], LANGUAGE_NAMES["en"])
    reason_language = names.get(context["reason_language"], context["reason_language"])
    rules = {"low": SCALE[0], "high": SCALE[1], "reason_language_name": reason_language}
    parts.append(render(texts.rules, rules).strip())
    return "\n\n".join(parts)


@lru_cache(maxsize=256)
def _variables(source: str) -> frozenset[str]:
    return undeclared_variables(source)


def _without(salt: str | None, data: str) -> str:
    """The data without the salt, which nobody in a conversation can know: if it ever got out, it is worth nothing."""
    return broken_up(data, salt) if salt else data


@lru_cache(maxsize=64)
def _opening(source: str, language: str) -> str:
    return render(source, {"language": language})


def _closing(texts: JudgeTexts, names: Sequence[str], nonce: str, salt: str | None) -> str:
    return _closing_for(texts.closing, tuple(names)).replace(_NONCE, nonce).replace(_KEY, score_key(salt))


@lru_cache(maxsize=64)
def _closing_for(source: str, names: tuple[str, ...]) -> str:
    return render(source, {"nonce": _NONCE, "names": ", ".join(names), "score_key": _KEY}).strip()


def _latency_text(texts: JudgeTexts, latency: Mapping[str, Any] | None) -> str:
    if not latency:
        return ""
    lines = [
        render(template, spread | {"slowest": latency.get("slowest_turn")})
        for template, spread in (
            (texts.responses, latency.get("responses")),
            (texts.hesitations, latency.get("hesitations")),
        )
        if spread
    ]
    return "\n".join(lines)
