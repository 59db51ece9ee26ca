"""Evaluator configs and their versions as lists: each leads to the page where it is edited, tried and published."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin
from unfold.decorators import action, display

from apps.catalog.admin.admin_actions import each, typed
from apps.catalog.admin.config_form import ConfigForm
from apps.catalog.admin.files import WithFiles
from apps.catalog.configs.domain.diff import describe_model
from apps.catalog.configs.queries.versions import content_of
from apps.catalog.configs.services.versions import create_draft, new_version_from, retire
from apps.catalog.domain.states import VersionStatus
from apps.catalog.models import EvaluatorConfig, EvaluatorConfigVersion

STATUS_COLOURS = {"draft": "warning", "published": "success", "retired": ""}


@admin.register(EvaluatorConfig)
class EvaluatorConfigAdmin(WithFiles, ModelAdmin):
    """Admin of evaluator configs, with the version of each that is in use."""

    form = ConfigForm
    change_form_outer_before_template = "catalog/admin/config_doors.html"
    yaml_section = "evaluator_configs"
    actions = ("download_yaml",)
    list_display = ("name", "description", "active", "drafts", "criteria_count")
    search_fields = ("name", "description")
    ordering = ("name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[EvaluatorConfig]:
        return super().get_queryset(request).prefetch_related("versions")  # type: ignore[no-any-return]

    @admin.display(description="active version")
    def active(self, row: EvaluatorConfig) -> SafeString | str:
        version = self._active(row)
        if version is None:
            return "none published"
        url = reverse("config_version", args=[version.pk])
        return format_html('<a class="rb-link" href="{}">@{}</a>', url, version.number)

    @admin.display(description="drafts")
    def drafts(self, row: EvaluatorConfig) -> str:
        numbers = sorted(v.number for v in row.versions.all() if v.status == VersionStatus.DRAFT)
        return ", ".join(f"@{number}" for number in numbers) or "–"

    @admin.display(description="criteria")
    def criteria_count(self, row: EvaluatorConfig) -> str:
        version = self._active(row)
        if version is None:
            return "–"
        return f"{len(version.criteria['core'])} core, {len(version.criteria['domain'])} domain"

    def get_readonly_fields(self, request: HttpRequest, obj: EvaluatorConfig | None = None) -> tuple[str, ...]:
        return ("name",) if obj else ()

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        """A config opens at the version one works on: its newest. Only one without any has a page here."""
        config = self.get_object(request, object_id)
        newest = EvaluatorConfigVersion.objects.filter(config=config).order_by("-number").first() if config else None
        if newest and "details" not in request.GET:
            return redirect("config_version", newest.pk)  # which asks who may open it
        view: HttpResponse = super().change_view(request, object_id, *args, **kwargs)
        return view

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        """A new config begins with an empty draft, opened."""
        if not request.user.has_perm("catalog.add_evaluatorconfigversion"):
            added: HttpResponse = super().response_add(request, obj, post_url_continue)
            return added
        messages.success(request, f"{obj} begins as a draft: tick what it judges, try it, publish it.")
        return redirect("config_version", create_draft(config=obj.name, content={}))

    def has_delete_permission(self, request: HttpRequest, obj: EvaluatorConfig | None = None) -> bool:
        if obj is None or obj.versions.exclude(status=VersionStatus.DRAFT).exists():
            return False
        return bool(super().has_delete_permission(request, obj))

    @staticmethod
    def _active(row: EvaluatorConfig) -> EvaluatorConfigVersion | None:
        published = [version for version in row.versions.all() if version.status == VersionStatus.PUBLISHED]
        return max(published, key=lambda version: version.number, default=None)


@admin.register(EvaluatorConfigVersion)
class EvaluatorConfigVersionAdmin(ModelAdmin):
    """Every version of every config; each is edited, tried and published on its own page."""

    list_display = ("ref", "state", "criteria_count", "judge", "note", "published_at", "published_by")
    list_filter = ("status", "config")
    search_fields = ("config__name", "note")
    ordering = ("config__name", "-number")
    list_select_related = ("config",)
    actions = ("new_version", "retire_chosen")

    @admin.display(description="version", ordering="config__name")
    def ref(self, row: EvaluatorConfigVersion) -> str:
        return str(row)

    @typed(display(description="status", label=STATUS_COLOURS, ordering="status"))
    def state(self, row: EvaluatorConfigVersion) -> str:
        return row.status

    @admin.display(description="criteria")
    def criteria_count(self, row: EvaluatorConfigVersion) -> int:
        return len(row.criteria["core"]) + len(row.criteria["domain"])

    @admin.display(description="judge")
    def judge(self, row: EvaluatorConfigVersion) -> str:
        models = content_of(row).models()
        return describe_model(models["judge"]) if "judge" in models else "the tenant's own choice"

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        """The version's page, which asks who may open it."""
        return redirect("config_version", object_id)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # from a version that is there, or with its config

    def has_delete_permission(self, request: HttpRequest, obj: EvaluatorConfigVersion | None = None) -> bool:
        if obj is None or obj.status != VersionStatus.DRAFT:
            return False
        return bool(super().has_delete_permission(request, obj))

    def has_new_version_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("catalog.add_evaluatorconfigversion"))

    @typed(action(description="New version from this one", permissions=["new_version"]))
    def new_version(self, request: HttpRequest, queryset: QuerySet[EvaluatorConfigVersion]) -> None:
        each(request, queryset, lambda row: new_version_from(version_id=row.pk), "New draft made from")

    @typed(action(description="Retire", permissions=["change"]))
    def retire_chosen(self, request: HttpRequest, queryset: QuerySet[EvaluatorConfigVersion]) -> None:
        now = timezone.now()
        each(request, queryset, lambda row: retire(version_id=row.pk, at=now), "Retired")
