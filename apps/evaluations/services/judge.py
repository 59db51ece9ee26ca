"""Everything a judgement of one evaluation depends on, made once per lane: models, rules, fingerprints, keys."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.budgets.domain.purpose import Purpose
from apps.catalog.domain.judging_rules import JudgingRules, PanelRule
from apps.catalog.domain.judging_rules import PromptMode as Ways
from apps.catalog.domain.snapshots import ConfigSnapshot
from apps.connectors.llms.base import LLM, ModelSpec
from apps.connectors.retry import RetryPolicy
from apps.core.errors import RatibaError
from apps.evaluations.domain.cross_check import chosen
from apps.evaluations.domain.fingerprint import fingerprint
from apps.evaluations.domain.prompt import JudgePrompt
from apps.evaluations.services.cache_keys import CacheKeys
from apps.evaluations.services.call_plan import CallPlan, PanelMember, PlannedCall
from apps.evaluations.services.leases import ClaimedJudgement


@dataclass(slots=True, kw_only=True)
class Judge:
    """`cross_check` is the second judge, asked about `share` of the conversations; `panel` are the two that sit beside
    the judge where a score fails (empty: no panel)."""

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
    asking: CacheKeys = field(init=False)

    def __post_init__(self) -> None:
        self.rules = JudgingRules.of(self.snapshot.parameters)
        self.rows = [criterion.as_json() for criterion in self.snapshot.criteria]
        self.names = [criterion.name for criterion in self.snapshot.criteria]
        self.weights = {criterion.name: criterion.weight for criterion in self.snapshot.criteria}
        self.asking = CacheKeys(self.snapshot)

    def plan(self, owed: ClaimedJudgement, *, alone: bool = False) -> CallPlan:
        """What is asked about this conversation. Pure; about 0.1 ms for each question.

        `alone`: the judge once, nothing kept (a dry run).
        """
        if alone:
            return CallPlan(judge=(PlannedCall(purpose=Purpose.JUDGE, llm=self.primary, fallback=self.fallback),))
        cross_check = self._second(owed)
        panel = tuple(
            cross_check
            if cross_check and self.cross_check and seat.identity == self.cross_check.identity
            else self._question(owed, Purpose.PANEL, seat.llm)
            for seat in self.panel
        )
        return CallPlan(judge=tuple(self._own(owed)), cross_check=cross_check, panel=panel)

    def specs(self) -> list[ModelSpec]:
        """Every model it may ask."""
        llms = [self.primary, self.fallback, *(seat.llm for seat in (self.cross_check, *self.panel) if seat)]
        return [llm.spec for llm in llms if llm is not None]

    def _own(self, owed: ClaimedJudgement) -> list[PlannedCall]:
        groups = [(name,) for name in self.names] if self.rules.asking is Ways.PER_CRITERION else [()]
        first = 1 + (self.repeat - 1) * self.rules.repeats
        return [
            self._question(owed, Purpose.JUDGE, self.primary, self.fallback, group, repeat)
            for repeat in range(first, first + self.rules.repeats)
            for group in groups
        ]

    def _second(self, owed: ClaimedJudgement) -> PlannedCall | None:
        if self.cross_check is None or self.share <= 0:
            return None
        expected = self.fingerprint(self.primary.spec, self.primary.spec.model)
        if not chosen(str(owed.conversation_id), expected, self.share):
            return None
        return self._question(owed, Purpose.CROSS_CHECK, self.cross_check.llm)

    def _question(
        self,
        owed: ClaimedJudgement,
        purpose: Purpose,
        llm: LLM,
        fallback: LLM | None = None,
        criteria: tuple[str, ...] = (),
        repeat: int = 1,
    ) -> PlannedCall:
        key = None
        if self.use_cache and llm.spec.provider != "offline":
            try:
                key = self.asking.key(owed, spec=llm.spec, repeat=repeat, criteria=criteria)
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

        A judge with a panel behind it is another instrument than the same judge alone: its seats are part of it.
        """
        key = (id(spec), model, panel)
        if key not in self._prints:
            self._prints[key] = fingerprint(
                **spec.identity(),
                model=model,
                template=self.snapshot.system_prompt_template,
                criteria=self.rows,
                parameters={**self.snapshot.parameters, **(self._seats() if panel else {})},
            )
        return self._prints[key]

    def _seats(self) -> Mapping[str, Any]:
        if not self.panel:
            return {}
        rule = self.rules.panel or PanelRule.MEDIAN
        return {"panel": rule.value, "panel_seats": [seat.identity for seat in self.panel]}
