"""Build everything that a judgement of one evaluation depends on, once per worker.

It holds models, rules, fingerprints and keys; it says which questions one conversation needs, and what they may cost.
Everything is known before anybody is asked, so that cached answers are looked up, and money is reserved, for a whole
batch at once (docs/adr/0062).
"""

import json
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from apps.budgets.domain.estimate import (
    Estimate,
    History,
    PriceState,
    cost_at_most,
    max_cost,
    tokens_at_most,
    until_readable,
)
from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import OpenCall
from apps.budgets.services.reserving import ReservationRequest
from apps.catalog.configs.domain.judging_rules import JudgingRules, PanelRule, PromptMode
from apps.catalog.configs.domain.snapshots import ConfigSnapshot
from apps.connectors.llms.base import LLM, ModelSpec
from apps.connectors.llms.spec import judging_parameters
from apps.connectors.retry import RetryPolicy
from apps.core.errors import RatibaError
from apps.evaluations.domain.cache_key import CacheKeys
from apps.evaluations.domain.cross_check import LEFT_OUT_FOR_BUDGET, chosen
from apps.evaluations.domain.prompt import DEFAULT_MAX_OUTPUT_TOKENS, JudgePrompt
from apps.evaluations.judging.domain.fingerprint import fingerprint
from apps.evaluations.judging.services.leases import ClaimedJudgement

QUESTIONS = 2  # the question and its one tighter repeat
FENCE_BYTES = 80  # what the prompt writes around each turn
AHEAD = 8  # rows opened before a judgement begins: as many as it asks at once


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelMember:
    """A further judge. It has no fallback: another model would be another opinion."""

    llm: LLM
    role: str

    @property
    def identity(self) -> dict[str, Any]:
        """The identity of the model and its server, as JSON."""
        return {**self.llm.spec.identity(), "model": self.llm.spec.model}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """One question to one model: about all criteria (`criteria` empty) or about some, for the `repeat`-th time.

    `key` is what its answer is kept under; None where nothing is kept.
    """

    purpose: Purpose
    llm: LLM
    fallback: LLM | None = None
    criteria: tuple[str, ...] = ()
    repeat: int = 1
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPlan:
    """The calls made for certain (`judge`, `cross_check`), and those made only where a score fails (`panel`).

    A model that cross-checks and sits on the panel is asked once: it is then the same Question. `left_out` says why a
    conversation that was chosen for the cross-check has none.
    """

    judge: tuple[PlannedCall, ...]
    cross_check: PlannedCall | None = None
    panel: tuple[PlannedCall, ...] = ()
    left_out: str = ""

    def questions(self) -> Iterator[PlannedCall]:
        """Every question that may be asked, each once."""
        yield from self.judge
        if self.cross_check is not None:
            yield self.cross_check
        yield from (one for one in self.panel if one is not self.cross_check)

    def certain(self) -> Iterator[PlannedCall]:
        """The questions that do not wait for an answer."""
        yield from self.judge
        if self.cross_check is not None:
            yield self.cross_check

    def frugal(self) -> "CallPlan":
        """Return the plan without a cross-check: money runs short."""
        if self.cross_check is None:
            return self
        panel_judges = tuple(
            replace(member, purpose=Purpose.PANEL) if member is self.cross_check else member for member in self.panel
        )
        return CallPlan(judge=self.judge, panel=panel_judges, left_out=LEFT_OUT_FOR_BUDGET)

    @property
    def keys(self) -> set[str]:
        return {question.key for question in self.questions() if question.key}


@dataclass(slots=True, kw_only=True)
class Judge:
    """A judge of one evaluation.

    `cross_check` is the second judge, asked about `share` of the conversations; `panel` are the two that sit beside the
    judge where a score fails (empty: no panel).
    """

    snapshot: ConfigSnapshot
    primary: LLM
    fallback: LLM | None
    policy: RetryPolicy
    timeout_s: float
    use_cache: bool = True
    repeat: int = 1
    cross_check: PanelMember | None = None
    panel: tuple[PanelMember, ...] = ()
    share: float = 0.0
    rules: JudgingRules = field(init=False)
    rows: list[dict[str, Any]] = field(init=False)
    names: list[str] = field(init=False)
    weights: dict[str, float] = field(init=False)
    _prints: dict[tuple[int, str, bool], str] = field(default_factory=dict)
    _prompts: dict[tuple[str, ...], JudgePrompt] = field(default_factory=dict)
    cache_keys: CacheKeys = field(init=False)

    def __post_init__(self) -> None:
        self.rules = JudgingRules.of(self.snapshot.parameters)
        self.rows = [criterion.as_json() for criterion in self.snapshot.criteria]
        self.names = [criterion.name for criterion in self.snapshot.criteria]
        self.weights = {criterion.name: criterion.weight for criterion in self.snapshot.criteria}
        self.cache_keys = CacheKeys(self.snapshot)

    def plan(self, claimed: ClaimedJudgement, *, alone: bool = False) -> CallPlan:
        """Plan the questions about this conversation. Pure; about 0.1 ms for each question.

        `alone`: the judge once, nothing kept (a dry run).
        """
        if alone:
            return CallPlan(judge=(PlannedCall(purpose=Purpose.JUDGE, llm=self.primary, fallback=self.fallback),))
        cross_check = self._cross_check_call(claimed)
        panel = tuple(
            cross_check
            if cross_check and self.cross_check and panel_judge.identity == self.cross_check.identity
            else self._call(claimed, Purpose.PANEL, panel_judge.llm)
            for panel_judge in self.panel
        )
        return CallPlan(judge=tuple(self._judge_calls(claimed)), cross_check=cross_check, panel=panel)

    def specs(self) -> list[ModelSpec]:
        """Every model it may ask."""
        llms = [
            self.primary,
            self.fallback,
            *(panel_judge.llm for panel_judge in (self.cross_check, *self.panel) if panel_judge),
        ]
        return [llm.spec for llm in llms if llm is not None]

    def _judge_calls(self, claimed: ClaimedJudgement) -> list[PlannedCall]:
        groups = [(name,) for name in self.names] if self.rules.asking is PromptMode.PER_CRITERION else [()]
        first = 1 + (self.repeat - 1) * self.rules.repeats
        return [
            self._call(claimed, Purpose.JUDGE, self.primary, self.fallback, group, repeat)
            for repeat in range(first, first + self.rules.repeats)
            for group in groups
        ]

    def _cross_check_call(self, claimed: ClaimedJudgement) -> PlannedCall | None:
        if self.cross_check is None or self.share <= 0:
            return None
        expected = self.fingerprint(self.primary.spec, self.primary.spec.model)
        if not chosen(str(claimed.conversation_id), expected, self.share):
            return None
        return self._call(claimed, Purpose.CROSS_CHECK, self.cross_check.llm)

    def _call(
        self,
        claimed: ClaimedJudgement,
        purpose: Purpose,
        llm: LLM,
        fallback: LLM | None = None,
        criteria: tuple[str, ...] = (),
        repeat: int = 1,
    ) -> PlannedCall:
        key = None
        if self.use_cache and llm.spec.provider != "offline":
            try:
                key = self.cache_keys.key(claimed, spec=llm.spec, repeat=repeat, criteria=criteria)
            except (RatibaError, ValueError):
                key = None  # the prompt cannot be made, which the judgement itself will say
        return PlannedCall(purpose=purpose, llm=llm, fallback=fallback, criteria=criteria, repeat=repeat, key=key)

    def prompt(self, names: tuple[str, ...] = ()) -> JudgePrompt:
        """The question about these criteria, or about all of the version's; made once."""
        if names not in self._prompts:
            self._prompts[names] = JudgePrompt(
                criteria=[row for row in self.rows if not names or row["name"] in names],
                template=self.snapshot.system_prompt_template,
                parameters=self.snapshot.parameters,
                config=self.snapshot.config,
                version=self.snapshot.version,
                timeout_s=self.timeout_s,
            )
        return self._prompts[names]

    def fingerprint(self, spec: ModelSpec, model: str, *, panel: bool = True) -> str:
        """The fingerprint of a score by the server of one of this judge's models, with the model as it answered; hashed
        once for each.

        A judge with a panel behind it is another instrument than the same judge alone: its judges are part of it.
        """
        key = (id(spec), model, panel)
        if key not in self._prints:
            self._prints[key] = fingerprint(
                **spec.identity(),
                model=model,
                template=self.snapshot.system_prompt_template,
                criteria=self.rows,
                parameters=judging_parameters(self.snapshot.parameters, spec)
                | (dict(self._panel_identity()) if panel else {}),
            )
        return self._prints[key]

    def _panel_identity(self) -> Mapping[str, Any]:
        if not self.panel:
            return {}
        rule = self.rules.panel or PanelRule.MEDIAN
        return {"panel": rule.value, "panel_seats": [panel_judge.identity for panel_judge in self.panel]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Funding:
    """The highest cost of one judgement, and the ledger rows of its first calls."""

    request: ReservationRequest
    first: Mapping[PlannedCall, OpenCall] = field(default_factory=dict)


def funding_of(
    claimed: ClaimedJudgement,
    judge: Judge | RatibaError,
    plan: CallPlan | None,
    *,
    cached: Container[str] = (),
    history: History,
) -> Funding:
    """Every question of its plan and its tighter repeat, the panel's too, each by the dearer of model and fallback.

    Nothing for questions whose answers are `cached`, for the offline rules, and where the prompt cannot be made.
    Microseconds.
    """
    total, first = Estimate(), {}
    size = _tokens(claimed, judge) if plan is not None else None
    if size is not None and plan is not None and isinstance(judge, Judge):
        output = int(judge.snapshot.parameters.get("max_output_tokens") or DEFAULT_MAX_OUTPUT_TOKENS)
        calls = [question for question in plan.questions() if question.key is None or question.key not in cached]
        for call in calls:
            specs = [llm.spec for llm in (call.llm, call.fallback) if llm is not None]
            worst = max_cost(specs, input_tokens=size, output_tokens=output, history=history)
            total += until_readable([worst] * QUESTIONS)
        certain = set(plan.certain())
        for one in islice((call for call in calls if call in certain and call.llm.spec.provider != "offline"), AHEAD):
            each = cost_at_most(one.llm.spec, input_tokens=size, output_tokens=output, history=history)
            known = each.usd if each.price is PriceState.KNOWN else None
            spec = one.llm.spec
            first[one] = OpenCall(
                call_for=claimed.call_for_purpose(one.purpose),
                provider=spec.label,
                model=spec.model,
                estimate_usd=known,
            )
    return Funding(request=_request(claimed, total), first=first)


def _request(claimed: ClaimedJudgement, total: Estimate) -> ReservationRequest:
    call_for = claimed.call_for_purpose(Purpose.JUDGE)
    return ReservationRequest(
        id=claimed.judgement_id,
        usd=total.usd,
        run_id=call_for.run_id,
        pull_request=call_for.pull_request,
        price=total.price,
        unpriced=total.unpriced,
    )


def _tokens(claimed: ClaimedJudgement, judge: Judge | RatibaError) -> int | None:
    if isinstance(judge, RatibaError):
        return None
    try:
        around = judge.cache_keys.prompt_bytes
    except RatibaError:
        return None
    return tokens_at_most(around + sum(_bytes(turn) for turn in claimed.turns))


def _bytes(turn: Mapping[str, Any]) -> int:
    calls = turn.get("tool_calls")
    more = len(json.dumps(calls, ensure_ascii=False).encode()) if calls else 0
    return len(str(turn.get("content") or "").encode("utf-8", "replace")) + more + FENCE_BYTES
