"""Scenarios: what is played, and by whom."""

import json
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.admin import ModelAdmin
from unfold.decorators import action, display

from apps.catalog.admin.admin_actions import clean_language, each, shorten, typed, username
from apps.catalog.admin.files import WithFiles
from apps.catalog.admin.rows import LinesField, SettingsField
from apps.catalog.connections.services.outbound_policies import check_calls
from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.catalog_yaml import load
from apps.catalog.domain.states import PRODUCTION, ScenarioStatus
from apps.catalog.measured_metrics import measured_metrics
from apps.catalog.models import Scenario
from apps.catalog.scenarios.domain.assertions import parse_assertions, unmeasured_metrics
from apps.catalog.scenarios.domain.document import can_fail
from apps.catalog.scenarios.domain.script import KEYS, read_script, script_document
from apps.catalog.scenarios.services.releasing import archive_scenario, release_scenario
from apps.core.errors import BadInput
from apps.core.languages import share_a_language


class ScenarioForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """Assertions one a line: `Metric 0.8`, or one of a catalog file: `{tool: book_slot}`."""

    lines = LinesField(
        label="Assertions",
        help_text="One a line: a metric and its threshold from 0 to 1; or {tool: book_slot, arguments: {day: friday}}, "
        "{tool: refund, forbidden: true}, {ended: [goal_met]}, {state: {url: …, path: …, equals: …}}.",
    )
    played = SettingsField(
        label="Script",
        help_text="As in a catalog file. turns: what the customer says word for word, with free: 2 between for own "
        "words. before, after: HTTP calls that give the agent a fresh state. attachments: files of the first turn.",
    )

    class Meta:
        model = Scenario
        fields = ("slug", "persona", "language", "goal", "opening", "max_turns")
        help_texts = {
            "slug": "Letters, digits, _ - and dots. Results carry it.",
            "persona": "Who plays it. Only validated personas may.",
            "language": "Empty: the persona's.",
            "goal": "What the customer wants, and when they would be content.",
            "opening": "The customer's first words. Empty: the simulator makes them.",
            "max_turns": "The conversation ends after so many turns, whatever was reached.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["lines"].initial = [_line(entry) for entry in self.instance.assertions or []]
        self.fields["played"].initial = script_document(self.instance.script or {})

    def clean_language(self) -> str:
        return clean_language(self)

    def clean(self) -> dict[str, Any]:
        persona, language = self.cleaned_data.get("persona"), self.cleaned_data.get("language", "")
        if persona is not None and not share_a_language(language, persona.language):
            self.add_error("persona", f"{persona.name} speaks {persona.language}: choose one who speaks {language}.")
        return dict(self.cleaned_data)

    def clean_played(self) -> dict[str, Any]:
        script: dict[str, Any] = self.cleaned_data["played"]
        try:
            checks.only(script, KEYS, "")
            self.instance.script = read_script(script)
            check_calls(self.instance.script, ())
        except BadInput as error:
            raise ValidationError(error.message) from error
        return script

    def clean_lines(self) -> list[str]:
        lines: list[str] = self.cleaned_data["lines"]
        try:
            self.instance.assertions = parse_assertions([_entry(line) for line in lines])
            check_calls({}, self.instance.assertions)
        except BadInput as error:
            raise ValidationError(error.message) from error
        row = self.instance
        real = row.origin == PRODUCTION and row.status == ScenarioStatus.RELEASED
        if real and not can_fail(row.assertions, row.must_not):
            raise ValidationError("It came from a real conversation and plays: leave something that must not happen.")
        return lines


def _line(entry: dict[str, Any]) -> str:
    """An assertion as one line of the form."""
    if "metric" in entry:
        return f"{entry['metric']} {entry['threshold']:g}" if "threshold" in entry else str(entry["metric"])
    return json.dumps(entry, ensure_ascii=False)


def _entry(line: str) -> Any:
    """A line of the form as an assertion, unread. Raises BadInput, ValidationError."""
    if line.startswith("{"):
        return load(line, "this line")[0].value
    metric, _, threshold = line.partition(" ")
    if not threshold:
        return {"metric": metric}
    try:
        return {"metric": metric, "threshold": float(threshold)}
    except ValueError:
        raise ValidationError(f"{line!r}: {threshold!r} is not a number") from None


class ScenarioAdmin(WithFiles, ModelAdmin):
    """The admin of scenarios: those that battles can play, and those that cannot be played now.

    Registered by the dashboard, which adds where each came from and what gates stopped.
    """

    form = ScenarioForm
    yaml_section, yaml_key = "scenarios", "slug"
    actions = ("download_yaml", "release_chosen", "archive_chosen")
    search_fields = ("slug", "goal", "opening", "persona__name")
    ordering = ("slug",)
    list_select_related = ("persona",)
    autocomplete_fields = ("persona",)

    def save_model(self, request: HttpRequest, obj: Scenario, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if unknown := [name for _place, name in unmeasured_metrics(obj.assertions, measured_metrics())]:
            messages.warning(
                request,
                f"This server has no metric {', '.join(unknown)}: unmeasurable here, unless the agent's own repository "
                f"measures it. There are: {', '.join(measured_metrics())}",
            )

    @typed(action(description="Release: it plays from now on", permissions=["change"]))
    def release_chosen(self, request: HttpRequest, queryset: QuerySet[Scenario]) -> None:
        by, now = username(request), timezone.now()
        each(request, queryset, lambda row: release_scenario(scenario_id=row.pk, by=by, now=now), "Released")

    @typed(action(description="Archive: it plays no more", permissions=["change"]))
    def archive_chosen(self, request: HttpRequest, queryset: QuerySet[Scenario]) -> None:
        each(request, queryset, lambda row: archive_scenario(scenario_id=row.pk), "Archived")

    @typed(display(description="can be played", boolean=True))
    def playable(self, row: Scenario) -> bool:
        return row.status == ScenarioStatus.RELEASED and row.persona is not None and bool(row.persona.may_play)

    @admin.display(description="goal")
    def goal_start(self, row: Scenario) -> str:
        return shorten(row.goal)

    @admin.display(description="assertions")
    def assertion_count(self, row: Scenario) -> int:
        return len(row.assertions)
