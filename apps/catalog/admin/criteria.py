"""Criteria: one page each, its texts in three languages as fields, never as JSON."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from apps.catalog.admin.admin_actions import add_problem, shorten
from apps.catalog.admin.files import WithFiles
from apps.catalog.admin.rows import SettingsField
from apps.catalog.configs.domain.criteria import ANCHORS, FALLBACK_LANGUAGE, MAX_TITLE, parse_criterion, title_in
from apps.catalog.domain.field_readers import name as name_of
from apps.catalog.domain.states import LANGUAGES
from apps.catalog.models import Criterion, EvaluatorConfigVersion
from apps.core.errors import BadInput

LANGUAGE_NAMES = {"en": "English", "sw": "Swahili", "it": "Italian"}


def _area(label: str, rows: int = 2) -> forms.CharField:
    return forms.CharField(required=False, label=label, widget=UnfoldAdminTextareaWidget(attrs={"rows": rows}))


class CriterionForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """Texts per language as fields of their own; a language is either whole or left out."""

    offline_parameters = SettingsField(
        label="Its settings",
        help_text="One a line, for instance max_sentences: 3. Which there are: docs/offline-rules.md.",
    )

    class Meta:
        model = Criterion
        fields = ("name", "kind", "domain", "offline_rule", "offline_parameters")
        help_texts = {
            "name": "Letters, digits, _ - and . without blanks; it stays. Any name; results are listed under it.",
            "domain": "Leave empty for a core criterion.",
            "offline_rule": "The written rule that stands in where no model is asked; empty: left unscored there.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for language in LANGUAGES:
            text = (self.instance.texts or {}).get(language, {})
            self.fields[f"{language}_title"].initial = (self.instance.titles or {}).get(language, "")
            self.fields[f"{language}_description"].initial = text.get("description", "")
            for anchor in ANCHORS:
                self.fields[f"{language}_{anchor}"].initial = text.get("scoring_guide", {}).get(anchor, "")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        texts: dict[str, Any] = {}
        for language in LANGUAGES:
            description = cleaned.get(f"{language}_description", "")
            guide = {anchor: cleaned.get(f"{language}_{anchor}", "") for anchor in ANCHORS}
            if description.strip() or any(text.strip() for text in guide.values()):
                texts[language] = {"description": description, "scoring_guide": guide}
        names = ("kind", "domain", "offline_rule", "offline_parameters")
        titles = {language: cleaned.get(f"{language}_title", "") for language in LANGUAGES}
        try:
            parsed = parse_criterion({**{name: cleaned.get(name) for name in names}, "texts": texts, "titles": titles})
            self.instance.texts, self.instance.titles = parsed.as_json()["texts"], dict(parsed.titles)
        except BadInput as error:
            add_problem(self, error, {"texts": self._text_field(error.pointer or "")})
        return cleaned

    def clean_name(self) -> str:
        """Refuse a name that a config could not use, here in the form."""
        try:
            return name_of(self.cleaned_data["name"], "Name")
        except BadInput as error:
            raise forms.ValidationError(error.message) from error

    def _text_field(self, pointer: str) -> str:
        """Return the form's field that a JSON pointer names: for `/texts/sw/scoring_guide/7` it is `sw_7`.

        Where there is no such field, it is `en_description`.
        """
        steps = pointer.split("/")
        field = f"{steps[2]}_{steps[-1]}" if len(steps) > 3 else ""
        return field if field in self.fields else "en_description"


def _text_fields() -> dict[str, forms.Field]:
    fields: dict[str, forms.Field] = {}
    for language in LANGUAGES:
        fields[f"{language}_title"] = forms.CharField(
            required=False,
            max_length=MAX_TITLE,
            label="Title",
            widget=UnfoldAdminTextInputWidget,
            help_text="What pages call it for who reads this language. No judge sees it; empty: the name.",
        )
        fields[f"{language}_description"] = _area("Description", 3)
        fields |= {f"{language}_{anchor}": _area(f"Scored {anchor} when") for anchor in ANCHORS}
    return fields


CriterionForm.declared_fields |= _text_fields()  # as if each were written out in the class


@admin.register(Criterion)
class CriterionAdmin(WithFiles, ModelAdmin):
    """Admin of criteria: their languages, and the active configs that use them."""

    form = CriterionForm
    yaml_section = "criteria"
    actions = ("download_yaml",)
    list_display = ("title", "heading", "says", "languages", "offline_rule", "used_by")
    list_filter = ("kind", "domain")
    search_fields = ("name", "titles", "domain")
    ordering = ("kind", "domain", "name")
    fieldsets = (
        (None, {"fields": ("name", "kind", "domain")}),
        *(
            (
                LANGUAGE_NAMES[language],
                {
                    "classes": ("tab",),
                    "fields": (
                        f"{language}_title",
                        f"{language}_description",
                        *(f"{language}_{anchor}" for anchor in ANCHORS),
                    ),
                },
            )
            for language in LANGUAGES
        ),
        ("Without a model", {"classes": ("tab",), "fields": ("offline_rule", "offline_parameters")}),
    )

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """The users of every row on the page, by one query; kept on the rows, since this object serves all tenants."""
        page = super().get_changelist_instance(request)
        users = _published_users()
        for row in page.result_list:
            row.used_in = users.get(row.name, [])
        return page

    @admin.display(description="criterion", ordering="name")
    def title(self, row: Criterion) -> SafeString:
        title = title_in(row.titles, FALLBACK_LANGUAGE, name=row.name)
        return format_html('<span title="{}">{}</span>', row.name, title)

    @admin.display(description="for", ordering="domain")
    def heading(self, row: Criterion) -> str:
        return row.domain or "every agent"

    @admin.display(description="languages")
    def languages(self, row: Criterion) -> str:
        return ", ".join(language for language in LANGUAGES if language in row.texts)

    @admin.display(description="judges")
    def says(self, row: Criterion) -> str:
        return shorten(row.texts.get("en", {}).get("description", ""))

    @admin.display(description="used by")
    def used_by(self, row: Any) -> SafeString | str:
        if not row.used_in:
            return "nothing published"
        count = len(row.used_in)
        return format_html(
            '<span title="{}">{} version{}</span>', ", ".join(row.used_in), count, "" if count == 1 else "s"
        )

    def get_readonly_fields(self, request: HttpRequest, obj: Criterion | None = None) -> tuple[str, ...]:
        return ("name",) if obj else ()  # versions refer to it by name

    def has_delete_permission(self, request: HttpRequest, obj: Criterion | None = None) -> bool:
        if obj is not None and obj.name in _published_users():
            return False  # a published version could not judge any more
        return bool(super().has_delete_permission(request, obj)) if obj is not None else False


def _published_users() -> dict[str, list[str]]:
    """{criterion: versions in use}: one query."""
    users: dict[str, list[str]] = {}
    rows = EvaluatorConfigVersion.objects.filter(status="published").select_related("config")
    for row in rows.order_by("config__name", "number"):
        for name in (*row.criteria["core"], *row.criteria["domain"]):
            users.setdefault(name, []).append(str(row))
    return users
