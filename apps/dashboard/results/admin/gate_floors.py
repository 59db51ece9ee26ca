"""The floor of an agent's gates: a field for each field of the rule, empty where the default is held."""

from dataclasses import asdict, fields
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.catalog.configs.queries.versions import find_version
from apps.catalog.domain.catalog_yaml import load
from apps.core.errors import BadInput
from apps.gates.domain.gate_floor import shown
from apps.gates.domain.policy import MAX_LOOKS, GatePolicy, read_policy
from apps.gates.models import GateFloor

_POLICY = tuple(one.name for one in fields(GatePolicy))
_HINTS = {
    "margin": "Points of 0 to 10; a smaller loss passes.",
    "undecided": "block or pass. Empty: a blocking gate blocks, an advisory one passes.",
    "soft_checks": "A list, for example [latency_regression]: compared like scores. A repository has exactly these.",
    "alpha": "The chance that a change without effect is called worse. A repository has exactly this.",
    "hard": "any or new: new lets pass what failed for the baseline in the same case too.",
}


def _policy_field(name: str) -> forms.CharField:
    # Two looks may be declared where nothing else was set (HeldFloor.policy); reading the rule loads its validator.
    default = MAX_LOOKS if name == "looks" else getattr(GatePolicy(), name)
    held = "" if name == "undecided" else f"Empty: {shown(default)} is held."
    words = [_HINTS.get(name, ""), held]
    return forms.CharField(
        required=False, max_length=2000, widget=UnfoldAdminTextInputWidget, help_text=" ".join(words).strip()
    )


class GateFloorForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """The form of a gate's floor, read by the same rule as a repository's own policy."""

    class Meta:
        model = GateFloor
        fields = ("agent", "evaluator_config", "budget_usd")
        widgets = {"agent": UnfoldAdminTextInputWidget, "evaluator_config": UnfoldAdminTextInputWidget}
        help_texts = {
            "agent": "By name, as its gates name it.",
            "evaluator_config": "A name, whose active version judges, or name@version. Empty: any config may judge.",
            "budget_usd": "The most that one pull request may spend. Empty: no limit of the floor.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, value in (self.instance.policy or {}).items():
            if name in self.fields:
                self.fields[name].initial = shown(value)

    def clean_evaluator_config(self) -> str:
        ref = str(self.cleaned_data["evaluator_config"]).strip()
        try:
            if ref:
                find_version(ref)
        except BadInput as error:
            raise forms.ValidationError(error.message) from error
        return ref

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        written = {name: _read(text) for name in _POLICY if (text := str(cleaned.get(name) or "").strip())}
        try:
            read = asdict(read_policy(written, ""))
        except BadInput as error:
            field = (error.pointer or "").strip("/").split("/")[0]
            self.add_error(field if field in self.fields else None, error.message)
            return cleaned
        self.instance.policy = {name: list(one) if isinstance(one := read[name], tuple) else one for name in written}
        return cleaned


def _read(text: str) -> Any:
    try:
        raw = load(text, "floor")
    except BadInput:
        return text  # the rule refuses it, with its field
    return raw[0].value if raw else None


GateFloorForm.declared_fields |= {name: _policy_field(name) for name in _POLICY}  # as if written out in the class


@admin.register(GateFloor)
class GateFloorAdmin(ModelAdmin):
    """The least that gates ask, by agent; changes are in the audit trail."""

    form = GateFloorForm
    list_display = ("agent", "evaluator_config", "held", "budget_usd", "updated_at")
    search_fields = ("agent", "evaluator_config")
    fieldsets = (
        (None, {"fields": ("agent", "evaluator_config", "budget_usd")}),
        ("The rule", {"fields": _POLICY}),
    )

    @admin.display(description="set")
    def held(self, row: GateFloor) -> str:
        return ", ".join(f"{name} {shown(value)}" for name, value in row.policy.items()) or "the defaults"

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("agent",) if obj else ()
