"""Under which key an answer is kept: everything of an evaluation that reaches the prompt, digested once per lane."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from apps.catalog.domain.snapshots import ConfigSnapshot
from apps.connectors.llms.base import LLMRequest, ModelSpec
from apps.core.digest import canonical_json, sha256_hex
from apps.core.templating import undeclared_variables
from apps.evaluations.domain.background import NAMES, asked_by
from apps.evaluations.domain.cache_key import AnswerKeys
from apps.evaluations.domain.judge_texts import template_in_force
from apps.evaluations.domain.prompt import judge_request
from apps.evaluations.services.leases import ClaimedJudgement

_WORTH = frozenset({"weight", "pass_mark", "blocking"})  # what a score is worth, not what it is
_NO_NONCE = "-"


class CacheKeys:
    """How one evaluator version asks, whoever is asked and about whatever conversation."""

    def __init__(self, snapshot: ConfigSnapshot) -> None:
        self.snapshot = snapshot
        self._digests: dict[tuple[str, ...], tuple[str, list[dict[str, Any]], str]] = {}
        self._keys: dict[tuple[tuple[str, ...], int], tuple[ModelSpec, AnswerKeys]] = {}
        self._last: tuple[ClaimedJudgement, str] | None = None

    def key(self, owed: ClaimedJudgement, *, spec: ModelSpec, repeat: int = 1, criteria: Sequence[str] = ()) -> str:
        """64 hex digits. `criteria` names those asked for in one question; none means all of the version's.

        Raises TemplateProblem where the version's template cannot be rendered. Pure; about 0.1 ms.
        """
        return self._keys_of(tuple(criteria), spec).key(
            scenario_id=owed.external_id,
            prompt_version=owed.prompt_version,
            transcript=self._transcript_of(owed),
            repeat=repeat,
        )

    def _keys_of(self, names: tuple[str, ...], spec: ModelSpec) -> AnswerKeys:
        """By the spec's identity, and with the spec, so that its id cannot be taken by another one."""
        kept = self._keys.get((names, id(spec)))
        if kept is None:
            template, rows, metric = self._of(names)
            keys = AnswerKeys(
                judge_model_version=canonical_json([spec.provider, spec.model, spec.identity()]),
                metric_version=metric,
                template=template,
                parameters=self.snapshot.parameters,
                criteria=rows,
                provider=spec.label,
                model=spec.model,
            )
            kept = self._keys[names, id(spec)] = (spec, keys)
        return kept[1]

    def _transcript_of(self, owed: ClaimedJudgement) -> str:
        """The digest of what was said; kept for the further questions about the same conversation."""
        if self._last is None or self._last[0] is not owed:
            seen: dict[str, Any] = {"turns": owed.turns, "language": owed.language}
            if self._background:
                seen["background"] = {name: owed.background.get(name) for name in sorted(self._background)}
            if owed.played:
                seen["played"] = True  # its latencies are told without a customer's pauses
            self._last = (owed, sha256_hex(seen))
        return self._last[1]

    @cached_property
    def _background(self) -> frozenset[str]:
        """Which variables of the conversation's background reach the prompt. Raises TemplateProblem."""
        template = self.snapshot.system_prompt_template
        named = undeclared_variables(template) if template else frozenset[str]()
        return (named & set(NAMES)) | asked_by(row.as_json() for row in self.snapshot.criteria)

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
            asked = [{name: value for name, value in row.items() if name not in _WORTH} for row in rows]
            self._digests[names] = (sha256_hex(around), asked, sha256_hex(asked))
        return self._digests[names]
