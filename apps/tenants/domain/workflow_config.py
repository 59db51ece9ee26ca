"""A tenant's settings: thresholds, concurrency, budgets and which model plays which role. Typed, validated, with
defaults.

Stored as JSON on the tenant, only what differs from the defaults; read as a frozen `WorkflowConfig`. Every refusal is a
BadInput whose pointer names the field. The numbers are those of the first product specification (see each group).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any

from apps.core.errors import BadInput

ROLES = ("judge", "cross_check", "panel", "analyzer", "simulator", "validator", "optimizer")
NOT_YET = frozenset({"max_optimization_rounds", "regression_block_points"})  # kept for the optimizer; shown nowhere
# The platform's own; a tenant's model providers have rows of their own (catalog), and are named the same way.
PROVIDERS = ("anthropic", "openai", "google", "vertex", "offline")


_PROVIDER_NAME = re.compile(r"[^\W_][\w .@/-]{0,99}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """A model and the one that answers when it cannot."""

    provider: str
    model: str
    fallback: "ModelChoice | None" = None


# Gemini is the default while its credits last. The others are judge and cross-check where their keys are: named, not
# chosen.
GEMINI = ModelChoice(
    provider="google", model="gemini-2.5-flash", fallback=ModelChoice(provider="google", model="gemini-2.0-flash")
)
JUDGE_OPTIONS: tuple[ModelChoice, ...] = (
    GEMINI,
    ModelChoice(provider="anthropic", model="claude-opus-4-7"),
    ModelChoice(provider="openai", model="gpt-4"),
    ModelChoice(
        provider="vertex", model="gemini-2.5-flash", fallback=ModelChoice(provider="vertex", model="gemini-2.0-flash")
    ),
)
CROSS_CHECK_OPTIONS: tuple[ModelChoice, ...] = (ModelChoice(provider="openai", model="gpt-4"),)


class Store(StrEnum):
    """How conversations are kept, by whatever way they come in."""

    AS_IS = "as_is"
    MASKED = "masked"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowConfig:
    """One tenant's settings. Times carry their unit in the name; scores are on the 0–10 scale; money is US dollars."""

    # Concurrency: three battles at once, started 5 to 10 s apart; 32 judgements in flight is our own measured figure.
    max_concurrent_battles: int = 3
    battle_stagger_s: tuple[float, float] = (5.0, 10.0)
    heartbeat_timeout_s: int = 60
    max_concurrent_judgements: int = 32
    watchdog_minutes: int = 30

    # Thresholds
    pass_mark: float = 6.0
    persona_threshold: float = 7.0
    max_optimization_rounds: int = 3
    regression_block_points: float = 1.0
    kappa_target: float = 0.7
    certificate_days: int = 35
    certificate_rule: str = "point"  # or "lower_bound": the lower end of kappa's interval must reach the target too
    certificate_min_items: int = 30
    certificate_kappa: str = "auto"  # which kappa decides: quadratic on three ordered points and more, else unweighted

    # The monthly ritual: whose it is, how many rate each conversation, how many conversations, on which scale, and the
    # evaluator config whose criteria are rated ("": that which judged the conversations).
    calibration_owner: str = ""
    calibration_raters: int = 2
    calibration_items: int = 10
    calibration_scale: str = "1-5"
    calibration_config: str = ""

    # Budgets: 20 dollars a pull request, about 300 a month with a warning at 80 %. None: a run has no limit of its own.
    budget_run_usd: float | None = None
    budget_pull_request_usd: float | None = 20.0
    budget_month_usd: float | None = 300.0
    budget_warn_share: float = 0.8
    cross_check_share: float = 0.1

    # Conversations as they came, or with phones, names and numbers masked before they are written.
    store: str = Store.AS_IS.value

    models: Mapping[str, ModelChoice] = field(
        default_factory=lambda: {role: GEMINI for role in ("judge", "analyzer", "simulator", "validator", "optimizer")}
    )

    def as_json(self) -> dict[str, Any]:
        """Every setting as plain JSON; `from_json` turns it back into an equal value."""
        values = asdict(self)
        values["battle_stagger_s"] = list(self.battle_stagger_s)
        return values

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "WorkflowConfig":
        """The settings, defaults where nothing is stored. Raises BadInput: unknown names, wrong types or numbers."""
        if not isinstance(stored, Mapping):
            raise BadInput("settings must be an object of names and values", code="bad_settings", pointer="")
        unknown = sorted(set(stored) - set(_READERS))
        if unknown:
            raise BadInput(f"there is no setting {unknown[0]!r}", code="bad_settings", pointer=_pointer(unknown[0]))
        values = {name: _READERS[name](value, _pointer(name)) for name, value in stored.items()}
        if "models" in values:
            values["models"] = {**cls().models, **values["models"]}
        return cls(**values)

    def changed(self) -> dict[str, Any]:
        """Only what differs from the defaults: what is worth storing."""
        default = WorkflowConfig().as_json()
        return {name: value for name, value in self.as_json().items() if value != default[name]}


def _pointer(*names: str) -> str:
    return "".join("/" + str(name).replace("~", "~0").replace("/", "~1") for name in names)


def _refuse(pointer: str, why: str) -> BadInput:
    return BadInput(f"{pointer.removeprefix('/')}: {why}", code="bad_settings", pointer=pointer)


Reader = Callable[[Any, str], Any]


def _number(low: float, high: float, *, whole: bool = False, optional: bool = False) -> Reader:
    def read(value: Any, pointer: str) -> int | float | None:
        if value is None and optional:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or (whole and not float(value).is_integer()):
            raise _refuse(pointer, f"{value!r} is not a {'whole ' if whole else ''}number")
        if not low <= value <= high:  # refuses nan too
            raise _refuse(pointer, f"{value:g} is outside {low:g}..{high:g}")
        return int(value) if whole else float(value)

    return read


def _stagger(value: Any, pointer: str) -> tuple[float, float]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise _refuse(pointer, "must be two numbers of seconds, shortest and longest")
    one = _number(0, 300)
    low, high = one(value[0], f"{pointer}/0"), one(value[1], f"{pointer}/1")
    if low > high:
        raise _refuse(pointer, f"the shortest ({low:g}) is longer than the longest ({high:g})")
    return (low, high)


def _one_of(*words: str) -> Reader:
    def read(value: Any, pointer: str) -> str:
        if value not in words:
            raise _refuse(pointer, f"{value!r} is not one of {', '.join(words)}")
        return str(value)

    return read


def _text(limit: int) -> Reader:
    def read(value: Any, pointer: str) -> str:
        if not isinstance(value, str) or len(value) > limit:
            raise _refuse(pointer, f"must be a text of at most {limit} characters")
        return value.strip()

    return read


def _whole_range(value: Any, pointer: str) -> str:
    """`1-5`: from one digit to a higher one, so that a rating is one key."""
    text = str(value)
    if len(text) != 3 or text[1] != "-" or not (text[0] + text[2]).isdecimal() or text[0] >= text[2]:
        raise _refuse(pointer, f"{value!r} is not a scale like 1-5: one digit, a hyphen, a higher digit")
    return text


def _choice(value: Any, pointer: str, *, depth: int = 0) -> ModelChoice:
    if isinstance(value, ModelChoice):
        return value
    if not isinstance(value, Mapping):
        raise _refuse(pointer, "must be an object with provider and model")
    unknown = sorted(set(value) - {"provider", "model", "fallback"})
    if unknown:
        raise _refuse(pointer + _pointer(unknown[0]), "unknown field")
    provider, model, fallback = value.get("provider"), value.get("model"), value.get("fallback")
    if not isinstance(provider, str) or not _PROVIDER_NAME.fullmatch(provider):
        known = ", ".join(PROVIDERS)
        raise _refuse(
            f"{pointer}/provider", f"{provider!r} is not one of {known}, nor the name of a provider of its own"
        )
    if not isinstance(model, str) or not model.strip() or len(model) > 200:
        raise _refuse(f"{pointer}/model", "must name a model")
    if fallback is None:
        return ModelChoice(provider=provider, model=model.strip())
    if depth:
        raise _refuse(f"{pointer}/fallback", "a fallback has no fallback of its own")
    if isinstance(fallback, str):  # the short form: the same provider
        fallback = {"provider": provider, "model": fallback}
    behind = _choice(fallback, f"{pointer}/fallback", depth=1)
    return ModelChoice(provider=provider, model=model.strip(), fallback=behind)


def _models(value: Any, pointer: str) -> dict[str, ModelChoice]:
    if not isinstance(value, Mapping):
        raise _refuse(pointer, "must be an object of roles")
    for role in value:
        if role not in ROLES:
            raise _refuse(pointer + _pointer(role), f"unknown role, use one of {', '.join(ROLES)}")
    return {role: _choice(choice, pointer + _pointer(role)) for role, choice in value.items()}


_READERS: dict[str, Reader] = {
    "max_concurrent_battles": _number(1, 100, whole=True),
    "battle_stagger_s": _stagger,
    "heartbeat_timeout_s": _number(5, 3600, whole=True),
    "max_concurrent_judgements": _number(1, 256, whole=True),
    "watchdog_minutes": _number(1, 1440, whole=True),
    "pass_mark": _number(0, 10),
    "persona_threshold": _number(0, 10),
    "max_optimization_rounds": _number(0, 20, whole=True),
    "regression_block_points": _number(0, 10),
    "kappa_target": _number(0, 1),
    "certificate_days": _number(1, 366, whole=True),
    "certificate_rule": _one_of("point", "lower_bound"),
    "certificate_min_items": _number(2, 10_000, whole=True),
    "certificate_kappa": _one_of("auto", "unweighted", "linear", "quadratic"),
    "calibration_owner": _text(150),
    "calibration_raters": _number(1, 20, whole=True),
    "calibration_items": _number(1, 200, whole=True),
    "calibration_scale": _whole_range,
    "calibration_config": _text(100),
    "budget_run_usd": _number(0, 1e6, optional=True),
    "budget_pull_request_usd": _number(0, 1e6, optional=True),
    "budget_month_usd": _number(0, 1e6, optional=True),
    "budget_warn_share": _number(0, 1),
    "cross_check_share": _number(0, 1),
    "store": _one_of(*(store.value for store in Store)),
    "models": _models,
}
if set(_READERS) != {one.name for one in fields(WorkflowConfig)}:
    raise RuntimeError("every setting needs a reader")
