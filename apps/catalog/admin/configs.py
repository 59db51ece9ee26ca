"""Evaluator configs and their versions: drafts are edited, published ones are shown with the reason they are locked."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin, TabularInline
from unfold.decorators import action, display

from apps.catalog.admin.admin_actions import each, typed, username
from apps.catalog.admin.config_form import VersionForm
from apps.catalog.admin.files import WithFiles
from apps.catalog.domain.content import VersionContent
from apps.catalog.domain.criteria import text_in
from apps.catalog.domain.diff import FieldChange, describe_model, diff
from apps.catalog.domain.judging_rules import READERS
from apps.catalog.domain.snapshots import RoleModel
from apps.catalog.domain.states import VersionStatus
from apps.catalog.judges import check_of
from apps.catalog.models import EvaluatorConfig, EvaluatorConfigVersion
from apps.catalog.queries import content_of
from apps.catalog.services import create_draft, new_version_from, publish, retire, update_draft
from apps.core.errors import BadInput, RatibaError

OFFLINE = RoleModel(provider="offline", model="")
STATUS_COLOURS = {"draft": "warning", "published": "success", "retired": ""}


class VersionInline(TabularInline):
    """The versions of a config, newest first: to look at and open, not to edit here."""

    model = EvaluatorConfigVersion
    fields = ("number", "status", "note", "published_at", "published_by")
    readonly_fields = fields
    ordering = ("-number",)
    show_change_link = True
    extra = 0

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(EvaluatorConfig)
class EvaluatorConfigAdmin(WithFiles, ModelAdmin):
    """Which configs there are, and which version of each is in use."""

    yaml_section = "evaluator_configs"
    actions = ("download_yaml",)
    list_display = ("name", "description", "active", "drafts", "criteria_count")
    search_fields = ("name", "description")
    ordering = ("name",)
    inlines = (VersionInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[EvaluatorConfig]:
        return super().get_queryset(request).prefetch_related("versions")  # type: ignore[no-any-return]

    @admin.display(description="active version")
    def active(self, row: EvaluatorConfig) -> SafeString | str:
        version = self._active(row)
        if version is None:
            return "none published"
        url = reverse("admin:catalog_evaluatorconfigversion_change", args=[version.pk])
        return format_html('<a class="text-primary-600 dark:text-primary-500" href="{}">@{}</a>', url, version.number)

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
    """Drafts to work on; published versions to read, compare and start a new one from."""

    form = VersionForm
    change_form_outer_before_template = "catalog/admin/version_doors.html"
    list_display = ("ref", "state", "criteria_count", "judge", "note", "published_at", "published_by")
    list_filter = ("status", "config")
    search_fields = ("config__name", "note")
    ordering = ("config__name", "-number")
    list_select_related = ("config",)
    actions = ("publish_chosen", "publish_despite_check", "new_version", "retire_chosen")
    actions_submit_line = ("save_and_publish",)
    readonly_fields = ("judge_check", "criteria_table", "model_table", "parameter_table", "prompt", "changes")

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

    # --- Drafts are a form, everything else is a page to read ---
    def get_fieldsets(self, request: HttpRequest, obj: EvaluatorConfigVersion | None = None) -> Any:
        if obj is not None and obj.status != VersionStatus.DRAFT:
            return (
                (None, {"fields": ("note", "judge_check", "published_at", "published_by", "retired_at")}),
                ("Content", {"fields": ("criteria_table", "model_table", "parameter_table", "prompt")}),
                ("Changes", {"fields": ("changes",)}),
            )
        parameters = ("rubric_language", "prompt_language", "reason_language", "allow_fallback_in_mean")
        return (
            (None, {"fields": ("config", "note", "judge_check")}),
            ("Criteria", {"classes": ("tab",), "fields": ("rows",)}),
            ("Models", {"classes": ("tab",), "fields": ("roles",)}),
            ("Prompt", {"classes": ("tab",), "fields": ("system_prompt_template",)}),
            ("Parameters", {"classes": ("tab",), "fields": (*parameters, "max_output_tokens", "temperature")}),
            ("Repeats and panel", {"classes": ("tab",), "fields": tuple(READERS)}),
            *(() if obj is None else (("Changes", {"classes": ("tab",), "fields": ("changes",)}),)),
        )

    def get_readonly_fields(self, request: HttpRequest, obj: EvaluatorConfigVersion | None = None) -> Any:
        dates = ("published_at", "published_by", "retired_at")
        return (*self.readonly_fields, *dates, *(("config",) if obj else ()))

    def has_change_permission(self, request: HttpRequest, obj: EvaluatorConfigVersion | None = None) -> bool:
        if obj is not None and obj.status != VersionStatus.DRAFT:
            return False
        return bool(super().has_change_permission(request, obj))

    def has_delete_permission(self, request: HttpRequest, obj: EvaluatorConfigVersion | None = None) -> bool:
        if obj is None or obj.status != VersionStatus.DRAFT:
            return False
        return bool(super().has_delete_permission(request, obj))

    @admin.display(description="judge, tried")
    def judge_check(self, row: EvaluatorConfigVersion) -> str:
        if row._state.adding:
            return "–"
        found = check_of(row)
        if found is None:
            return f"Not as it stands here: check_judge --config {row} asks it for 32 known answers."
        figures = found.figures
        given = f"{figures['agreement']:.0%} of the known answers, {figures['valid']:.0%} of its replies usable"
        word = "✓ reaches the floor" if found.passed else f"✕ below the floor ({'; '.join(figures['shortfalls'])})"
        return f"{word}: {given}; {found.created_at:%-d %B %Y}"

    @admin.display(description="criteria")
    def criteria_table(self, row: EvaluatorConfigVersion) -> str:
        content = content_of(row)
        language = content.settings()["rubric_language"]
        texts = {name: frozen["texts"] for name, frozen in row.frozen_criteria.items()}
        rows = [
            (
                name,
                f"{content.weight(name):g}",
                f"{content.pass_mark(name):g}",
                text_in(texts.get(name, {}), language)["description"],
            )
            for name in content.names
        ]
        heads = ("Criterion", "Weight", "Pass mark", "Judges")
        return _table("Criteria, in the words they were published with", heads, rows)

    @admin.display(description="models")
    def model_table(self, row: EvaluatorConfigVersion) -> str:
        rows = [(role, describe_model(model)) for role, model in content_of(row).models().items()]
        return _table("Models", ("Role", "Model"), rows, none="The tenant's own choice for every role.")

    @admin.display(description="parameters")
    def parameter_table(self, row: EvaluatorConfigVersion) -> str:
        return _table("Parameters", ("Parameter", "Value"), sorted(content_of(row).settings().items()))

    @admin.display(description="prompt")
    def prompt(self, row: EvaluatorConfigVersion) -> SafeString | str:
        if not row.system_prompt_template:
            return "the built-in prompt"
        return format_html('<pre class="rb-prompt">{}</pre>', row.system_prompt_template)

    @admin.display(description="changes")
    def changes(self, row: EvaluatorConfigVersion) -> str:
        before = row.config.versions.filter(number__lt=row.number).order_by("-number").first()
        if before is None:
            return "This is the first version."
        return _changes(before, content_of(row))

    # --- Doors to the services ---
    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if change:
            update_draft(version_id=obj.pk, content=form.content)
        else:
            obj.pk = create_draft(config=obj.config.name, content=form.content)
            obj.refresh_from_db()
            obj._state.adding = False
        for button in self.get_actions_submit_line(request, obj.pk):
            if button.action_name in request.POST:
                button.method(request, obj)

    def get_actions_submit_line(self, request: HttpRequest, object_id: Any) -> Any:
        """Only a draft has a button to publish it."""
        draft = EvaluatorConfigVersion.objects.filter(pk=object_id, status=VersionStatus.DRAFT).exists()
        return super().get_actions_submit_line(request, object_id) if draft else []

    @typed(action(description="Publish", permissions=["change"]))
    def publish_chosen(self, request: HttpRequest, queryset: QuerySet[EvaluatorConfigVersion]) -> None:
        now, by = timezone.now(), username(request)
        each(request, queryset, lambda row: publish(version_id=row.pk, at=now, by=by), "Published")

    @typed(
        action(description="Publish although its judge failed the check (its note says why)", permissions=["change"])
    )
    def publish_despite_check(self, request: HttpRequest, queryset: QuerySet[EvaluatorConfigVersion]) -> None:
        now, by = timezone.now(), username(request)

        def despite(row: Any) -> None:
            if not row.note.strip():
                raise BadInput(f"{row} has no note: write there why a judge below the floor is good enough.")
            publish(version_id=row.pk, at=now, by=by, despite_check=f"by {by}, see above")

        each(request, queryset, despite, "Published")

    @typed(action(description="New version from this one", permissions=["add"]))
    def new_version(self, request: HttpRequest, queryset: QuerySet[EvaluatorConfigVersion]) -> None:
        each(request, queryset, lambda row: new_version_from(version_id=row.pk), "New draft made from")

    @typed(action(description="Retire", permissions=["change"]))
    def retire_chosen(self, request: HttpRequest, queryset: QuerySet[EvaluatorConfigVersion]) -> None:
        now = timezone.now()
        each(request, queryset, lambda row: retire(version_id=row.pk, at=now), "Retired")

    @typed(action(description="Save and publish"))
    def save_and_publish(self, request: HttpRequest, obj: EvaluatorConfigVersion) -> None:
        try:
            publish(version_id=obj.pk, at=timezone.now(), by=username(request))
            messages.success(request, f"Published {obj}: nobody can change it from now on.")
            if (content_of(obj).models().get("judge") or OFFLINE).provider != "offline" and check_of(obj) is None:
                messages.warning(request, f"Its judge was never tried: check_judge --config {obj} does it.")
        except RatibaError as error:
            messages.error(request, f"Saved, but not published. {error.message}")


def _changes(before: EvaluatorConfigVersion, content: VersionContent) -> str:
    found = diff(content_of(before), content)
    rows = [
        (part, line.what, line.change.value, line.old or "–", line.new or "–")
        for part, lines in (("criterion", found.criteria), ("model", found.models), ("parameter", found.parameters))
        for line in lines
        if line.change is not FieldChange.SAME
    ]
    rows += [
        ("template", line, "", "", "") for line in found.template if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    heads = ("Part", "What", "FieldChange", f"In {before}", "Here")
    return _table(f"Compared with {before}", heads, rows, none=f"Nothing differs from {before}.")


def _table(caption: str, heads: tuple[str, ...], rows: Any, none: str = "Nothing.") -> str:
    context = {"caption": caption, "heads": heads, "rows": rows, "none": none}
    return render_to_string("catalog/admin/version_content.html", context)
