"""The list and form of scenarios: what plays, what waits for a person, where it came from, what gates stopped."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.catalog.admin.scenarios import ScenarioAdmin
from apps.catalog.models import Scenario
from apps.core.plurals import many
from apps.dashboard.domain.badges import look
from apps.dashboard.history_lists import FiguredList
from apps.dashboard.parts.figures import badge_of
from apps.gates.queries.prevented import prevented_counts
from apps.production.promotion.queries.candidates import promotion_of_scenario

_SOURCES = {"": "by hand or a file", "production": "a real conversation"}


@admin.register(Scenario)
class ScenarioListAdmin(ScenarioAdmin):
    """The list of scenarios, with their figures.

    Actions decide whether a scenario plays; the form never does. What a scenario was made of cannot be changed.
    """

    list_display = (
        "slug",
        "state",
        "source",
        "goal_start",
        "persona",
        "language",
        "playable",
        "assertion_count",
        "prevented",
    )
    list_filter = ("status", "origin", "language", "persona")
    readonly_fields = ("state", "source", "made_of", "released", "prevented")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> Any:
        return FiguredList

    def get_fields(self, request: HttpRequest, obj: Scenario | None = None) -> Any:
        words = [*self.form.base_fields]
        return words if obj is None else [*self.readonly_fields, *words]

    def add_figures(self, rows: Sequence[Any]) -> None:
        counts = prevented_counts(row.pk for row in rows)
        for row in rows:
            row.times_prevented = counts.get(row.pk, 0)

    @admin.display(description="state", ordering="status")
    def state(self, row: Scenario) -> SafeString:
        return badge_of(look("candidate", row.status))

    @admin.display(description="origin", ordering="origin")
    def source(self, row: Scenario) -> str:
        return _SOURCES.get(row.origin, row.origin)

    @admin.display(description="made of")
    def made_of(self, row: Scenario) -> SafeString | str:
        promotion = promotion_of_scenario(row.pk)
        if promotion is None:
            return "nothing else: somebody wrote it"
        page = reverse("candidate", args=[promotion.pk])
        feedback = len(row.provenance.get("feedback") or ())
        heard = f", {many(feedback, 'rating')} of customers" if feedback else ""
        prompt = row.provenance.get("prompt_version") or ""
        return format_html(
            '<a class="rb-link" href="{}">what was said, and why it is here</a>{}{}',
            page,
            heard,
            f", prompt {prompt}" if prompt else "",
        )

    @admin.display(description="released")
    def released(self, row: Scenario) -> str:
        return f"by {row.released_by}, {row.released_at:%Y-%m-%d %H:%M} UTC" if row.released_at else "–"

    @admin.display(description="prevented")
    def prevented(self, row: Any) -> str:
        """Write how many gates stopped the scenario's failure; the list counts all its rows at once."""
        times = getattr(row, "times_prevented", None)
        times = prevented_counts([row.pk]).get(row.pk, 0) if times is None else times
        return many(times, "time") if times else "–"
