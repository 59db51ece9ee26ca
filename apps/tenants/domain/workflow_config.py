"""A tenant's settings: thresholds, concurrency, budgets and which model plays which role. Typed, validated, with
defaults.

Stored as JSON on the tenant, only what differs from the defaults; read as a frozen `WorkflowConfig`. Every refusal is a
BadInput whose pointer names the field. The numbers are those of the first product specification (see each group).
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal
from zoneinfo import available_timezones

from annotated_types import Interval, MaxLen

from apps.core.errors import BadInput
from apps.core.shapes import NOT_BLANK, WHOLE, Check, Flag, Number, Shape, Text
from apps.core.validation import validate

ROLES = ("judge", "cross_check", "panel", "analyzer", "simulator", "persona_generator", "validator", "optimizer")
JUDGED_CRITERIA = "judged"  # `calibration_config`: people rate what the judge was asked

_PROVIDER_NAME = re.compile(r"[^\W_][\w .@/-]{0,99}")


def _provider(name: str) -> str:
    if not _PROVIDER_NAME.fullmatch(name):
        raise BadInput(
            f"must be the name of a model provider, not {name!r}: letters, digits, blanks and . @ / _ -, the first a "
            "letter or digit"
        )
    return name


def _role(name: str) -> str:
    if name not in ROLES:
        raise BadInput(f"is no role: use one of {', '.join(ROLES)}")
    return name


def _without_fallback(choice: "ModelChoice | None") -> "ModelChoice | None":
    if choice is not None and choice.fallback is not None:
        raise BadInput("must not stand here: a fallback has no fallback of its own", pointer="/fallback")
    return choice


def _rising(ends: tuple[float, float]) -> tuple[float, float]:
    if ends[0] > ends[1]:
        raise BadInput(f"must be the shortest and the longest; {ends[0]:g} is longer than {ends[1]:g}")
    return ends


def _scale(text: str) -> str:
    """Check a scale such as `1-5`: from one digit to a higher one, so that a rating is one key."""
    if len(text) != 3 or text[1] != "-" or not (text[0] + text[2]).isdecimal() or text[0] >= text[2]:
        raise BadInput(f"must be a scale like 1-5 (one digit, a hyphen, a higher digit), not {text!r}")
    return text


def _zone(name: str) -> str:
    if name not in available_timezones():
        raise BadInput(f"must be a time zone like Africa/Nairobi or Europe/Rome, not {name!r}")
    return name


_Mark = Annotated[Number, Interval(ge=0, le=10)]
_Weight = Annotated[Number, Interval(gt=0, le=100)]
_Share = Annotated[Number, Interval(ge=0, le=1)]
_Dollars = Annotated[Number, Interval(ge=0, le=1e6)]
_Days = Annotated[int, Interval(ge=1, le=3660), WHOLE]
_Seconds = Annotated[Number, Interval(ge=0, le=300)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice(Shape):
    """A model and the one that answers when it cannot."""

    provider: Annotated[Text, Check(_provider)]
    model: Annotated[Text, MaxLen(200), NOT_BLANK, Check(str.strip)]
    fallback: Annotated["ModelChoice | None", Check(_without_fallback)] = None


# Gemini is the default while its credits last. The others are judge and cross-check where their keys are: named, not
# chosen.
GEMINI = ModelChoice(
    provider="google", model="gemini-2.5-flash", fallback=ModelChoice(provider="google", model="gemini-2.0-flash")
)
GPT_4 = ModelChoice(provider="openai", model="gpt-4o")  # plain GPT-4 takes no schema for its answer
JUDGE_OPTIONS: tuple[ModelChoice, ...] = (
    GEMINI,
    ModelChoice(provider="anthropic", model="claude-opus-4-7"),
    GPT_4,
    ModelChoice(
        provider="vertex", model="gemini-2.5-flash", fallback=ModelChoice(provider="vertex", model="gemini-2.0-flash")
    ),
)
CROSS_CHECK_OPTIONS: tuple[ModelChoice, ...] = (GPT_4,)


class Store(StrEnum):
    """Form in which conversations are stored, by whatever way they come in."""

    AS_IS = "as_is"
    MASKED = "masked"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowConfig(Shape):
    """One tenant's settings. Times carry their unit in the name; scores are on the 0–10 scale; money is US dollars."""

    null_is_absent: ClassVar[bool] = False  # no limit is not the usual limit

    # Concurrency: three battles at once, started 5 to 10 s apart; 32 judgements in flight is our own measured figure.
    max_concurrent_battles: Annotated[int, Interval(ge=1, le=1000), WHOLE] = 3
    battle_stagger_s: Annotated[tuple[_Seconds, _Seconds], Check(_rising)] = (5.0, 10.0)
    heartbeat_timeout_s: Annotated[int, Interval(ge=5, le=3600), WHOLE] = 60
    max_concurrent_judgements: Annotated[int, Interval(ge=1, le=256), WHOLE] = 32
    watchdog_minutes: Annotated[int, Interval(ge=1, le=1440), WHOLE] = 30
    agent_limit_minutes: Annotated[int, Interval(ge=1, le=1440), WHOLE] = 15  # of nothing but 429

    # The simulated customer's own review after each battle: by rules and a model other than the simulator's, by rules
    # alone, or not at all; and the share of battles that the model is asked about.
    simulator_review: Literal["on", "rules", "off"] = "on"
    simulator_review_share: _Share = 1.0

    # Thresholds
    pass_mark: _Mark = 6.0
    persona_threshold: _Mark = 7.0
    persona_weight_naturalness: _Weight = 1.0
    persona_weight_coherence: _Weight = 1.0
    persona_weight_testability: _Weight = 1.0
    persona_release: Flag = True  # a generated persona also waits for a curator
    max_optimization_rounds: Annotated[int, Interval(ge=0, le=20), WHOLE] = 3
    regression_block_points: _Mark = 1.0
    kappa_target: _Share = 0.7
    certificate_days: Annotated[int, Interval(ge=1, le=366), WHOLE] = 35
    # lower_bound: the lower end of kappa's interval must reach the target too.
    certificate_rule: Literal["point", "lower_bound"] = "point"
    certificate_min_items: Annotated[int, Interval(ge=2, le=10_000), WHOLE] = 30
    # Which kappa decides; auto: quadratic on three ordered points and more, else unweighted.
    certificate_kappa: Literal["auto", "unweighted", "linear", "quadratic"] = "auto"

    # The monthly ritual: whose it is, how many rate each conversation, how many conversations, on which scale, and the
    # evaluator config whose criteria are rated ("": the three ratings of `human-ratings`; "judged": the criteria of
    # the config that judged the conversations).
    calibration_owner: Annotated[Text, MaxLen(150), Check(str.strip)] = ""
    calibration_raters: Annotated[int, Interval(ge=1, le=20), WHOLE] = 2
    calibration_items: Annotated[int, Interval(ge=1, le=200), WHOLE] = 10
    calibration_scale: Annotated[Text, Check(_scale)] = "1-5"
    calibration_config: Annotated[Text, MaxLen(100), Check(str.strip)] = ""

    # Budgets: 20 dollars a pull request, about 300 a month with a warning at 80 %. None: a run has no limit of its own.
    budget_run_usd: _Dollars | None = None
    budget_pull_request_usd: _Dollars | None = 20.0
    budget_month_usd: _Dollars | None = 300.0
    # A page asks again before it starts a run whose forecast is above this. None: never.
    confirm_run_usd: _Dollars | None = 10.0
    budget_warn_share: _Share = 0.8
    cross_check_share: _Share = 0.1

    # Conversations as they came, or with phones, names and numbers masked before they are written.
    store: Store = Store.AS_IS
    # What real customers said: how long it is kept, masked, and when a conversation counts as over.
    keep_days: Annotated[int, Interval(ge=1, le=366), WHOLE] = 14
    settle_minutes: Annotated[int, Interval(ge=1, le=1440), WHOLE] = 30
    # After how many days the words of other conversations go: of transcripts that were brought in, and of what our own
    # workers played. None: they stay.
    keep_imported_days: _Days | None = None
    keep_played_days: _Days | None = None

    # What customers did not like becomes candidates on Mondays at 06:00 in this zone.
    weekly_promotion: Flag = True
    time_zone: Annotated[Text, Check(_zone)] = "Africa/Nairobi"

    # What is done with real conversations: 1 takes them in and makes tests of them (feedback and promotion too), 2 also
    # judges a sample of them, 3 also tries prompts on some. The sample: a share of all, at least so many of each
    # language and channel a day, for at most this share of the month's budget.
    phase: Annotated[int, Interval(ge=1, le=3), WHOLE] = 1  # 3 could be chosen once, and is read as 2
    sampling_share: _Share = 0.05
    sampling_floor: Annotated[int, Interval(ge=0, le=1000), WHOLE] = 5
    sampling_budget_share: _Share = 0.25

    # A canary is promoted when its score was shown to be at most so many points lower than that of what is live.
    rollout_margin: Annotated[Number, Interval(gt=0, le=5)] = 0.5

    models: Mapping[Annotated[str, Check(_role)], ModelChoice] = field(
        default_factory=lambda: {
            role: GEMINI for role in ("judge", "analyzer", "simulator", "persona_generator", "validator", "optimizer")
        }
    )

    @property
    def persona_weights(self) -> dict[str, float]:
        """The weight of each of the validator's scores."""
        return {
            "naturalness": self.persona_weight_naturalness,
            "coherence": self.persona_weight_coherence,
            "testability": self.persona_weight_testability,
        }

    def as_json(self) -> dict[str, Any]:
        """Every setting as plain JSON; `from_json` turns it back into an equal value."""
        values = asdict(self)
        values["battle_stagger_s"] = list(self.battle_stagger_s)
        return values

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "WorkflowConfig":
        """The settings, defaults where nothing is stored. Raises BadInput: unknown names, wrong types or numbers."""
        if stored == {}:  # most tenants: nothing to read, nothing to import for it
            return cls()
        config = validate(cls, _long_form(stored), code="bad_settings")
        return replace(config, models={**cls().models, **config.models})

    def changed(self) -> dict[str, Any]:
        """The fields that differ from the defaults, of `models` the roles that do. Only they are worth storing."""
        default = WorkflowConfig().as_json()
        changed_fields = {name: value for name, value in self.as_json().items() if value != default[name]}
        if "models" in changed_fields:
            usual = default["models"]
            changed_fields["models"] = {
                role: model for role, model in changed_fields["models"].items() if model != usual.get(role)
            }
        return changed_fields


def _long_form(stored: Any) -> Any:
    """A fallback may be written as a model's name: of the same provider then."""
    models = stored.get("models") if isinstance(stored, Mapping) else None
    if not isinstance(models, Mapping):
        return stored
    return {**stored, "models": {role: _long_choice(choice) for role, choice in models.items()}}


def _long_choice(choice: Any) -> Any:
    if not isinstance(choice, Mapping) or not isinstance(choice.get("fallback"), str):
        return choice
    return {**choice, "fallback": {"provider": choice.get("provider"), "model": choice["fallback"]}}
