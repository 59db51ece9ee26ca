"""Keys of kept answers: the brief's four parts, and the platform's own longer one (docs/adr/0018, 0063).

Each part is a reason why an old answer would be stale.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from apps.catalog.configs.domain.snapshots import ConfigSnapshot
from apps.connectors.llms.base import LLMRequest, ModelSpec
from apps.connectors.llms.spec import judging_parameters
from apps.core.digest import canonical_json, sha256_hex
from apps.core.portable.metric_keys import deepeval_cache_key
from apps.core.templating import undeclared_variables
from apps.evaluations.domain.background import NAMES, named_variables
from apps.evaluations.domain.judge_texts import template_in_force
from apps.evaluations.domain.prompt import judge_request

_WORTH = frozenset({"weight", "pass_mark", "blocking"})  # what a score is worth, not what it is
_NO_NONCE = "-"


class AnswerKeys:
    """Keys of a judge's cached answers, 64 hex digits.

    They are SHA-256 over the canonical JSON of the brief's four and of everything else an answer hangs on. What is the
    same for all conversations of an evaluation is digested once.

    `template` is the digest of the prompt in force around the transcript. `criteria` are snapshots without weight and
    pass mark, which decide what a score is worth and not what it is. `provider` and `model` are those that are *asked*,
    `judge_model_version` says how (options, address). Raises ValueError for NaN.
    """

    def __init__(
        self,
        *,
        judge_model_version: str,
        metric_version: str,
        template: str,
        parameters: Mapping[str, Any],
        criteria: Sequence[Mapping[str, Any]],
        provider: str,
        model: str,
    ) -> None:
        self._versions = judge_model_version, metric_version
        rows = canonical_json([dict(row) for row in criteria])
        self._start = hashlib.sha256(f'{{"criteria":{rows},"four":'.encode("utf-8", "surrogatepass"))
        self._middle = (
            f',"model":{canonical_json(model)},"parameters":{canonical_json(dict(parameters))},'
            f'"provider":{canonical_json(provider)},"repeat":'
        )
        self._end = f',"template":{canonical_json(template)},"transcript":'

    def key(self, *, scenario_id: str, prompt_version: str, transcript: str, repeat: int = 1) -> str:
        """Return the cache key of one question.

        `transcript` is the digest of the turns and language as the judge reads them. `repeat` counts from 1: asking
        again on purpose is another question.
        """
        four = deepeval_cache_key(scenario_id, prompt_version, *self._versions)
        digest = self._start.copy()
        rest = f'"{four}"{self._middle}{repeat}{self._end}{canonical_json(transcript)}}}'
        digest.update(rest.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


class JudgedConversation(Protocol):
    """The parts of a conversation that reach a judge's prompt, or say whose answer it is."""

    @property
    def external_id(self) -> str: ...
    @property
    def prompt_version(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def turns(self) -> Sequence[Mapping[str, Any]]: ...
    @property
    def background(self) -> Mapping[str, Any]: ...
    @property
    def played(self) -> bool: ...


class CacheKeys:
    """Cache keys of one evaluator version, for any model and any conversation."""

    def __init__(self, snapshot: ConfigSnapshot) -> None:
        self.snapshot = snapshot
        self._digests: dict[tuple[str, ...], tuple[str, list[dict[str, Any]], str]] = {}
        self._keys: dict[tuple[tuple[str, ...], int], tuple[ModelSpec, AnswerKeys]] = {}
        self._last: tuple[JudgedConversation, str] | None = None

    def key(
        self, conversation: JudgedConversation, *, spec: ModelSpec, repeat: int = 1, criteria: Sequence[str] = ()
    ) -> str:
        """64 hex digits. `criteria` names those asked for in one question; none means all of the version's.

        Raises TemplateProblem where the version's template cannot be rendered. Pure; about 0.1 ms.
        """
        return self._keys_of(tuple(criteria), spec).key(
            scenario_id=conversation.external_id,
            prompt_version=conversation.prompt_version,
            transcript=self._transcript_of(conversation),
            repeat=repeat,
        )

    def _keys_of(self, names: tuple[str, ...], spec: ModelSpec) -> AnswerKeys:
        """Return the keys' parts by the spec's identity.

        The spec is kept beside them, so that its id cannot be taken by another one.
        """
        entry = self._keys.get((names, id(spec)))
        if entry is None:
            template, rows, metric = self._of(names)
            keys = AnswerKeys(
                judge_model_version=canonical_json([spec.provider, spec.model, spec.identity()]),
                metric_version=metric,
                template=template,
                parameters=judging_parameters(self.snapshot.parameters, spec),
                criteria=rows,
                provider=spec.label,
                model=spec.model,
            )
            entry = self._keys[names, id(spec)] = (spec, keys)
        return entry[1]

    def _transcript_of(self, conversation: JudgedConversation) -> str:
        """The digest of what was said; kept for the further questions about the same conversation."""
        if self._last is None or self._last[0] is not conversation:
            seen: dict[str, Any] = {"turns": conversation.turns, "language": conversation.language}
            if self._background:
                seen["background"] = {name: conversation.background.get(name) for name in sorted(self._background)}
            if conversation.played:
                seen["played"] = True  # its latencies are told without a customer's pauses
            self._last = (conversation, sha256_hex(seen))
        return self._last[1]

    @cached_property
    def _background(self) -> frozenset[str]:
        """Return the variables of the conversation's background that reach the prompt. Raises TemplateProblem."""
        template = self.snapshot.system_prompt_template
        named = undeclared_variables(template) if template else frozenset[str]()
        return (named & set(NAMES)) | named_variables(row.as_json() for row in self.snapshot.criteria)

    @cached_property
    def prompt_bytes(self) -> int:
        """UTF-8 bytes of the prompt around a conversation, with all criteria. Raises TemplateProblem."""
        request = self._request([row.as_json() for row in self.snapshot.criteria])
        return len(request.system.encode()) + sum(len(message.content.encode()) for message in request.messages)

    def _request(self, rows: list[dict[str, Any]]) -> LLMRequest:
        """The question without a conversation."""
        return judge_request(
            criteria=rows,
            template=self.snapshot.system_prompt_template,
            parameters=self.snapshot.parameters,
            turns=[],
            nonce=_NO_NONCE,
            config=self.snapshot.config,
            version=self.snapshot.version,
        )

    def _of(self, names: tuple[str, ...]) -> tuple[str, list[dict[str, Any]], str]:
        """The digest of the prompt around the conversation, the criteria without their worth, and the digest of these.

        The prompt counts as it is written and as it is rendered without a conversation: a template that shows a weight
        changes with the weight, one that does not, does not.
        """
        if names not in self._digests:
            rows = [row.as_json() for row in self.snapshot.criteria if not names or row.name in names]
            request = self._request(rows)
            source = template_in_force(self.snapshot.system_prompt_template, self.snapshot.parameters)
            around = [source, request.system, *(message.content for message in request.messages)]
            questions = [{name: value for name, value in row.items() if name not in _WORTH} for row in rows]
            self._digests[names] = (sha256_hex(around), questions, sha256_hex(questions))
        return self._digests[names]
