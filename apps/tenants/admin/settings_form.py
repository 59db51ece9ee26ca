"""One tenant's settings as a form: a field a setting, a row a role's model; never raw JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, get_args

from django import forms

from apps.core.errors import BadInput
from apps.tenants.admin.forms import PlatformForm
from apps.tenants.domain.workflow_config import ROLES, ModelChoice, Store, WorkflowConfig

STAGGER = "battle_stagger_s"
_GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Work at the same time", ("max_concurrent_", "battle_", "heartbeat_", "watchdog_", "agent_limit_")),
    ("The simulated customer", ("simulator_",)),
    ("Thresholds", ("pass_mark", "persona_", "kappa_", "cross_check_")),
    ("Better prompts", ("max_optimization_", "regression_")),
    ("Certificates and labelling", ("certificate_", "calibration_")),
    ("Budgets", ("budget_", "confirm_")),
    ("Conversations", ("store", "keep_", "settle_")),
    ("What customers did not like", ("weekly_", "time_zone")),
    ("Real conversations", ("phase", "sampling_")),
    ("Rollouts", ("rollout_",)),
)
_TEXTS: Mapping[str, tuple[str, str]] = {
    "max_concurrent_battles": ("Battles at once", "1 to 1000, over all runs and workers"),
    "max_concurrent_judgements": ("Judgements at once", "1 to 256"),
    "heartbeat_timeout_s": (
        "Seconds a worker may be silent",
        "then another takes its battles up",
    ),
    "watchdog_minutes": ("Minutes without progress", "then a run is ended as timeout"),
    "agent_limit_minutes": ("Minutes an agent may answer only 429", "then its waiting conversations fail"),
    "pass_mark": ("Pass mark", "0 to 10; of criteria for which a version names none when it is published"),
    "persona_threshold": ("Personas must reach", "0 to 10"),
    "persona_weight_naturalness": ("Weight of a persona's naturalness", "more than 0"),
    "persona_weight_coherence": ("Weight of its coherence", "more than 0"),
    "persona_weight_testability": ("Weight of its testability", "more than 0"),
    "persona_release": ("A generated persona also waits for a curator", "validated is not enough"),
    "max_optimization_rounds": (
        "Rounds of optimization against one prompt version",
        "0 to 20; then a person decides; 0: switched off",
    ),
    "regression_block_points": (
        "A draft is blocked that is worse by more than",
        "0 to 10 points, than the live prompt or its line's first",
    ),
    "kappa_target": ("Kappa to be certified", "0 to 1"),
    "cross_check_share": ("Share judged a second time", "0 to 1"),
    "certificate_days": ("A certificate holds, in days", "1 to 366"),
    "certificate_rule": ("What must reach the target", "of the judge's kappa"),
    "certificate_kappa": ("Which kappa decides", "where a file of labels does not say so"),
    "certificate_min_items": ("Labelled items, at least", "2 to 10000"),
    "calibration_owner": ("Who owns the monthly labelling", "a user's name; empty: nobody yet"),
    "calibration_raters": ("Raters for each conversation", "1 to 20"),
    "calibration_items": ("Conversations a month", "1 to 200"),
    "calibration_scale": ("Scale of the labels", "like 1-5"),
    "calibration_config": (
        "Criteria that people rate",
        "an evaluator config; empty: intent, naturalness, culture; judged: the judge's own",
    ),
    "store": ("Conversations are stored", "masked: phones, names and numbers hidden before they are written"),
    "keep_days": ("Days what real customers said is kept", "1 to 366, masked; what comes later is kept as long"),
    "keep_imported_days": ("Days the words of imported conversations are kept", "empty: for ever; their scores stay"),
    "keep_played_days": ("Days the words of battles and replays are kept", "empty: for ever; their scores stay"),
    "settle_minutes": ("Minutes after which a real conversation is over", "without a further post; 1 to 1440"),
    "weekly_promotion": ("Makes candidates of it every week", "Mondays at 06:00; a person releases them"),
    "time_zone": ("Time zone", "like Africa/Nairobi"),
    "phase": ("Phase", "what is done with real conversations; they are taken in and rated in each"),
    "sampling_share": (
        "Share of real conversations that is judged",
        "0 to 1; a sampling rule may have its own",
    ),
    "sampling_floor": ("Judged of each language and channel a day, at least", "0 to 1000, as far as there are so many"),
    "sampling_budget_share": ("Share of the month's budget for it", "0 to 1; beyond it nothing is sampled"),
    "rollout_margin": ("A canary's score may be lower by", "points; less than that was shown before it is promoted"),
    "budget_run_usd": ("Dollars a run", "empty: no limit"),
    "budget_pull_request_usd": ("Dollars a pull request", "empty: no limit"),
    "budget_month_usd": ("Dollars a month", "empty: no limit"),
    "simulator_review": ("Reviews whether the customer kept to its part", "of a battle that has ended"),
    "simulator_review_share": ("Share of battles that is reviewed", "0 to 1"),
    "confirm_run_usd": ("Ask again before a run above, dollars", "by its forecast; empty: never"),
    "budget_warn_share": ("Warn at this share of a budget", "0 to 1"),
}
_PARTS = ("provider", "model", "fallback-provider", "fallback-model")


class SettingsForm(PlatformForm):
    """Built from the settings themselves, so that a new one is on the page without being named here."""

    def __init__(self, data: Any = None, *, config: WorkflowConfig, chosen: frozenset[str]) -> None:
        self.declared = [one for one in fields(WorkflowConfig) if one.name != "models"]
        super().__init__(data, initial=_initial(config, chosen))
        for one in self.declared:
            for name, field in _fields_of(one.name, one.type):
                self._add(name, field)
        for role in ROLES:
            for part in _PARTS:
                self._add(f"models-{role}-{part}", _model_field(role, part, WorkflowConfig().models.get(role)))

    def _add(self, name: str, field: forms.Field) -> None:
        field.widget.attrs["class"] = "rb-input"
        if field.help_text:
            field.widget.attrs["aria-describedby"] = f"help-{name}"
        self.fields[name] = field

    def groups(self) -> Iterator[tuple[str, list[forms.BoundField]]]:
        """(title, fields) as the page shows them; what belongs nowhere comes last."""
        left = [name for name in self.fields if not name.startswith("models-")]
        for title, prefixes in _GROUPS:
            mine = [name for name in left if name.startswith(prefixes)]
            left = [name for name in left if name not in mine]
            yield title, [self[name] for name in mine]
        if left:
            yield "More", [self[name] for name in left]

    def roles(self) -> Iterator[tuple[str, list[forms.BoundField]]]:
        for role in ROLES:
            yield role.replace("_", " "), [self[f"models-{role}-{part}"] for part in _PARTS]

    def clean(self) -> dict[str, Any]:
        """Every setting is tried by itself, so that each wrong one is named, not only the first."""
        cleaned = super().clean() or self.cleaned_data
        for name, value in self.changes().items():
            parts = value.items() if name == "models" else [(None, value)]
            for role, one in parts:
                try:
                    WorkflowConfig.from_json({name: {role: one} if role else one})
                except BadInput as error:
                    self._refuse_setting(error)
        return cleaned

    def changes(self) -> dict[str, Any]:
        """The changes for services.update_workflow_config: every setting that could be read."""
        cleaned = self.cleaned_data
        changes: dict[str, Any] = {
            one.name: cleaned[one.name] for one in self.declared if one.name != STAGGER and one.name in cleaned
        }
        if f"{STAGGER}-0" in cleaned and f"{STAGGER}-1" in cleaned:
            changes[STAGGER] = [cleaned[f"{STAGGER}-0"], cleaned[f"{STAGGER}-1"]]
        changes["models"] = {role: choice for role in ROLES if (choice := self._choice(role)) is not None}
        return changes

    def _choice(self, role: str) -> dict[str, Any] | None:
        provider, model, behind, behind_model = (self.cleaned_data.get(f"models-{role}-{part}") for part in _PARTS)
        if not (provider or model or behind or behind_model):
            return None
        choice: dict[str, Any] = {"provider": provider, "model": model}
        if behind or behind_model:
            choice["fallback"] = {"provider": behind, "model": behind_model}
        return choice

    def _refuse_setting(self, error: BadInput) -> None:
        name = str(error.pointer or "").strip("/").replace("/", "-")
        named = next((one for one in (name, f"{name}-1") if one in self.fields), None)
        text = error.message.partition(" ")[2]  # without the field's name
        self.add_error(named, "Choose a provider." if text.endswith("not ''") else text.capitalize())


def _fields_of(name: str, rules: Any) -> Iterator[tuple[str, forms.Field]]:
    optional = type(None) in get_args(rules)
    kind = get_args(rules)[0] if optional else rules
    kind = getattr(kind, "__origin__", kind)  # without its bounds
    label, note = _TEXTS.get(name, (name.replace("_", " ").capitalize(), ""))
    if name == STAGGER:
        yield f"{name}-0", forms.FloatField(label="Start battles apart, shortest", help_text="seconds")
        yield f"{name}-1", forms.FloatField(label="Start battles apart, longest", help_text="seconds")
    elif name == "certificate_rule":
        rules = [("point", "the estimate"), ("lower_bound", "the lower end of the interval")]
        yield name, forms.ChoiceField(choices=rules, label=label, help_text=note)
    elif name == "certificate_kappa":
        auto = "quadratic where labels have three ordered points and more, else unweighted"
        kappas = [("auto", auto), *((one, one) for one in ("unweighted", "linear", "quadratic"))]
        yield name, forms.ChoiceField(choices=kappas, label=label, help_text=note)
    elif name == "store":
        ways = [(Store.AS_IS.value, "as they came"), (Store.MASKED.value, "masked")]
        yield name, forms.ChoiceField(choices=ways, label=label, help_text=note)
    elif name == "simulator_review":
        reviews = [("on", "by rules and a model"), ("rules", "by rules alone"), ("off", "not at all")]
        yield name, forms.ChoiceField(choices=reviews, label=label, help_text=note)
    elif name == "phase":
        phases = [
            (1, "1: take them in, make tests of them"),
            (2, "2: judge a sample of them too"),
        ]
        yield name, forms.TypedChoiceField(choices=phases, coerce=int, label=label, help_text=note)
    elif kind is int:
        yield name, forms.IntegerField(label=label, help_text=note, required=not optional)
    elif kind is float:
        yield name, forms.FloatField(label=label, help_text=note, required=not optional)
    elif kind is bool:
        yield name, forms.BooleanField(label=label, help_text=note, required=False)
    else:
        yield name, forms.CharField(label=label, help_text=note, required=False)


def _model_field(role: str, part: str, default: ModelChoice | None) -> forms.Field:
    """Named by aria-label: the table's head says it to those who see it."""
    behind = part.startswith("fallback")
    named = {"aria-label": f"{role.replace('_', ' ')}: {part.replace('-', ' ')}"}
    if part.endswith("provider"):
        empty = "–" if behind else "default" if default else "none"
        title = "a model provider of the platform (docs/run.md), or of the tenant's own"
        attrs = {**named, "placeholder": empty, "title": title, "spellcheck": "false"}
        return forms.CharField(max_length=100, required=False, widget=forms.TextInput(attrs=attrs))
    usual = default.fallback if default and behind else default
    widget = forms.TextInput(attrs={**named, "placeholder": usual.model if usual else "", "spellcheck": "false"})
    return forms.CharField(max_length=200, required=False, widget=widget)


def _initial(config: WorkflowConfig, chosen: frozenset[str]) -> dict[str, Any]:
    """Settings as they are in force; models only where the tenant chose them, the rest are the platform's defaults."""
    values = config.as_json()
    values["phase"] = min(values["phase"], 2)
    values[f"{STAGGER}-0"], values[f"{STAGGER}-1"] = values.pop(STAGGER)
    for role in chosen:
        choice = config.models[role]
        values |= {f"models-{role}-provider": choice.provider, f"models-{role}-model": choice.model}
        if choice.fallback:
            values[f"models-{role}-fallback-provider"] = choice.fallback.provider
            values[f"models-{role}-fallback-model"] = choice.fallback.model
    return values
