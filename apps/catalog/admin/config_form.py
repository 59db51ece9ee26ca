"""The form of a draft: criteria as rows, a model per role, parameters as fields. It ends in one service call."""

from typing import Any

from django import forms
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from apps.catalog.admin.admin_actions import add_problem
from apps.catalog.admin.criteria import LANGUAGE_NAMES
from apps.catalog.admin.rows import CriteriaField, RolesField, role_rows
from apps.catalog.configs.domain.content import DEFAULT_PARAMETERS, VersionContent, parse_content
from apps.catalog.configs.domain.judging_rules import MAX_REPEATS, READERS, PanelRule, PromptMode
from apps.catalog.configs.domain.template import JUDGE_VARIABLES, check_template
from apps.catalog.domain.field_readers import name as name_of
from apps.catalog.models import Criterion, EvaluatorConfig, EvaluatorConfigVersion, ModelProvider
from apps.connectors.llms.registry import provider_names
from apps.core.errors import BadInput

OPTIONAL_PARAMETERS = (*READERS, "temperature")  # not said: the default, and the same fingerprint as before
_SHOWN_PARAMETERS = {name: value for name, value in DEFAULT_PARAMETERS.items() if name != "allow_fallback_in_mean"}
_POINTERS = {"criteria": "rows", "pass_marks": "rows", "llm_config": "roles", "parameters": "rubric_language"}


def _language(label: str, help_text: str) -> forms.ChoiceField:
    return forms.ChoiceField(
        label=label, help_text=help_text, choices=list(LANGUAGE_NAMES.items()), widget=UnfoldAdminSelectWidget
    )


def _number(low: float, high: float, help_text: str) -> forms.FloatField:
    widget = UnfoldAdminTextInputWidget(attrs={"inputmode": "decimal"})
    return forms.FloatField(required=False, min_value=low, max_value=high, widget=widget, help_text=help_text)


class ConfigForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """A config's name and what it is for."""

    class Meta:
        model = EvaluatorConfig
        fields = ("name", "description")
        help_texts = {"name": "Letters, digits, _ - and . without blanks; it stays."}

    def clean_name(self) -> str:
        """Refuse a name that references could not use, here in the form."""
        try:
            return name_of(self.cleaned_data["name"], "Name")
        except BadInput as error:
            raise forms.ValidationError(error.message) from error


class VersionForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """A draft's content; `content` holds what was parsed once the form is valid."""

    rows = CriteriaField(required=False, label="Criteria", help_text="Weight 1 and pass mark 6 where nothing is said.")
    roles = RolesField(required=False, label="Models", help_text="Empty: the tenant's own choice for that role.")
    rubric_language = _language("Rubric language", "Descriptions and scoring guides are shown to the judge in it.")
    prompt_language = _language("Prompt language", "The judge's instructions are written in it.")
    reason_language = _language("Reason language", "The judge gives its reasons in it.")
    leave_out_fallback = forms.BooleanField(
        required=False,
        widget=UnfoldBooleanSwitchWidget,
        help_text="Leave what a fallback model judged out of the headline mean. It counts otherwise, and the page says "
        "of how many.",
    )
    max_output_tokens = forms.IntegerField(widget=UnfoldAdminIntegerFieldWidget)
    repeats = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_REPEATS,
        widget=UnfoldAdminIntegerFieldWidget,
        help_text="How often the judge is asked about each conversation. Empty: once.",
    )
    asking = forms.ChoiceField(
        required=False,
        choices=[
            ("", "all criteria in one question"),
            (PromptMode.PER_CRITERION.value, "a question for each criterion"),
        ],
        widget=UnfoldAdminSelectWidget,
    )
    panel = forms.ChoiceField(
        required=False,
        label="Panel of judges",
        choices=[
            ("", "the median, where three judges are at hand"),
            *((rule.value, rule.value) for rule in PanelRule),
        ],
        widget=UnfoldAdminSelectWidget,
        help_text="What becomes of a score below its pass mark where three judges give theirs.",
    )
    evidence_below = _number(0, 10, "A score below this must carry an exact quote. Empty: none must.")
    error_rate = _number(0.001, 0.5, "How often judging again may turn pass into fail, at most. Empty: 0.05.")
    temperature = _number(0, 2, "Empty: 0 on a server of your own that speaks OpenAI's format, else the model's own.")
    allow_same_model = forms.BooleanField(
        required=False,
        widget=UnfoldBooleanSwitchWidget,
        help_text="Let the judge be of the model that is judged. It favours itself.",
    )
    content: VersionContent

    class Meta:
        model = EvaluatorConfigVersion
        fields = ("note", "system_prompt_template")
        widgets = {"note": UnfoldAdminTextareaWidget(attrs={"rows": 2})}
        help_texts = {
            "system_prompt_template": f"Empty: the built-in prompt. Variables: {', '.join(JUDGE_VARIABLES)}.",
            "note": "What this version changes, for whoever compares it later.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["rows"].initial = criteria_rows(self.instance)
        roles: Any = self.fields["roles"]
        roles.initial = role_rows(self.instance.llm_config or {})
        roles.widget.providers = [
            *provider_names(),
            *ModelProvider.objects.exclude(name__in=provider_names()).values_list("name", flat=True),
        ]
        for name, default in _SHOWN_PARAMETERS.items():
            self.fields[name].initial = (self.instance.parameters or {}).get(name, default)
        for name in OPTIONAL_PARAMETERS:
            self.fields[name].initial = (self.instance.parameters or {}).get(name)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if self.errors:
            return cleaned
        criteria, marks = cleaned["rows"]
        on_form = {*_SHOWN_PARAMETERS, *OPTIONAL_PARAMETERS}
        not_on_form = {k: v for k, v in (self.instance.parameters or {}).items() if k not in on_form}
        parameters = {name: cleaned.get(name) for name in OPTIONAL_PARAMETERS}
        optional = {
            name: parameter
            for name, parameter in parameters.items()
            if not (parameter is None or parameter is False or parameter == "")
        }
        try:
            self.content = parse_content(
                {
                    "criteria": criteria,
                    "pass_marks": marks,
                    "system_prompt_template": cleaned["system_prompt_template"],
                    "llm_config": _with_options(cleaned["roles"], self.instance.llm_config or {}),
                    "parameters": {**not_on_form, **optional, **{name: cleaned[name] for name in _SHOWN_PARAMETERS}},
                    "note": cleaned["note"],
                }
            )
            check_template(self.content.system_prompt_template)
        except BadInput as error:
            add_problem(self, error, _POINTERS)
        return cleaned


def criteria_rows(version: EvaluatorConfigVersion) -> list[dict[str, Any]]:
    """A row for every criterion: those of the version first, in its order, then the rest of the catalog. One query."""
    stored = version.criteria or {}
    used = [*stored.get("core", []), *stored.get("domain", [])]
    weights, marks = stored.get("weights", {}), version.pass_marks or {}
    known = {row.name: row for row in Criterion.objects.order_by("kind", "domain", "name").defer("texts")}
    return [
        {
            "name": name,
            "used": name in used,
            "blocking": name in stored.get("blocking", ()),
            "kind": "core" if name in stored.get("core", []) else (known[name].kind if name in known else "domain"),
            "domain": known[name].domain if name in known else "not in the catalog",
            "weight": f"{weights[name]:g}" if name in weights else "",
            "mark": f"{marks[name]:g}" if name in marks else "",
        }
        for name in [*used, *(name for name in known if name not in used)]
    ]


def _with_options(roles: dict[str, Any], stored: dict[str, Any]) -> dict[str, Any]:
    """Keep the parts that the form's rows do not show: a role's options, and roles that are none of the usual ones."""
    merged = {role: entry for role, entry in stored.items() if role not in {row["role"] for row in role_rows({})}}
    for role, entry in roles.items():
        options = (stored.get(role) or {}).get("options")
        merged[role] = {**entry, "options": options} if options else entry
    return merged
