"""The texts that ask the workshop's models: read, written as a new version, made active. None is ever rewritten."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from unfold.admin import ModelAdmin
from unfold.decorators import action
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget, UnfoldBooleanSwitchWidget

from apps.catalog.admin.admin_actions import add_problem, each, typed, username
from apps.core.errors import BadInput
from apps.improvement.models import PromptTemplate
from apps.improvement.prompt_templates.domain.built_in import BUILT_IN
from apps.improvement.prompt_templates.domain.texts import MEANS, TemplatePurpose, placeholders_of
from apps.improvement.prompt_templates.queries.versions import template_documents, texts_in_force
from apps.improvement.prompt_templates.services.storing import (
    TemplateVersion,
    activate_template,
    add_template,
    check_template_version,
    restore_built_in,
)

_FIELDS = ("purpose", "language", "system", "ask", "note")
_HAVE = "; ".join(
    f"{one}: " + ", ".join("{" + name + "}" for name in placeholders_of(one)["ask"]) for one in TemplatePurpose
)


class PromptTemplateForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """A new version. Saved by the service, which numbers it."""

    activate = forms.BooleanField(
        required=False,
        initial=True,
        widget=UnfoldBooleanSwitchWidget,
        label="Use it from now on",
        help_text="What goes on already keeps the text that it began with.",
    )

    class Meta:
        model = PromptTemplate
        fields = _FIELDS
        widgets = {
            "system": UnfoldAdminTextareaWidget(attrs={"rows": 18}),
            "ask": UnfoldAdminTextareaWidget(attrs={"rows": 5}),
            "note": UnfoldAdminTextInputWidget,
        }
        help_texts = {
            "system": "Who the model is and what holds. Of the analyzer and of join it names {language}; a variable of "
            "an agent's prompt is written {{ name }}.",
            "ask": f"Stands behind the data; the keys of the answer are put behind it. Placeholders: {_HAVE}.",
            "note": "What this version changes, for whoever compares it later.",
        }

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if not self.errors:
            try:
                check_template_version(self.version())
            except BadInput as error:
                add_problem(self, error, {})
        return cleaned

    def version(self) -> TemplateVersion:
        """The version as it was typed, with plain line feeds at the ends of lines."""
        return TemplateVersion(**{name: str(self.cleaned_data[name]).replace("\r\n", "\n") for name in _FIELDS})


@admin.register(PromptTemplate)
class PromptTemplateAdmin(ModelAdmin):
    """Versions by purpose and language. A text that was used is never edited: a new version takes its place."""

    add_form = PromptTemplateForm
    list_before_template = "improvement/admin/templates_in_force.html"
    list_display = ("purpose", "language", "number", "active", "note", "created_by", "created_at")
    list_filter = ("purpose", "language", "active")
    ordering = ("purpose", "language", "-number")
    actions = ("use_chosen", "use_built_in")

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **kwargs) if obj else PromptTemplateForm

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return (*_FIELDS, "number", "active", "created_by", "created_at") if obj else (*_FIELDS, "activate")

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """The text that is in force, to begin from."""
        purpose = request.GET.get("purpose", TemplatePurpose.SURGICAL)
        language = request.GET.get("language", "en")
        if (purpose, language) not in BUILT_IN:
            purpose, language = TemplatePurpose.SURGICAL, "en"
        texts = texts_in_force([purpose], language)[purpose]
        return {name: texts[name] for name in ("purpose", "language", "system", "ask")}

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        in_force = [document for document in template_documents() if document["in_force"]]
        rows = [
            (purpose, MEANS[purpose], [document for document in in_force if document["purpose"] == purpose])
            for purpose in TemplatePurpose
        ]
        return super().changelist_view(request, {**(extra_context or {}), "templates_in_force": rows})

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        try:
            with transaction.atomic():
                made = add_template(form.version(), activate=form.cleaned_data["activate"], by=username(request))
        except IntegrityError:  # somebody made the very first version at the same moment
            made = add_template(form.version(), activate=form.cleaned_data["activate"], by=username(request))
        obj.pk, obj.number = made, PromptTemplate.objects.get(pk=made).number

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        messages.success(request, f"{obj} is kept.")
        return redirect("admin:improvement_prompttemplate_changelist")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False  # a new version instead: what a used one asked stays explained

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_activate_permission(self, request: HttpRequest) -> bool:
        """Tell whether this person may choose the text that is in force."""
        return bool(request.user.has_perm("improvement.change_prompttemplate"))

    @typed(action(description="Use from now on", permissions=["activate"]))
    def use_chosen(self, request: HttpRequest, queryset: QuerySet[PromptTemplate]) -> None:
        by = username(request)
        each(request, queryset, lambda row: activate_template(row.pk, by=by), "In force")

    @typed(action(description="Use the text that ships instead", permissions=["activate"]))
    def use_built_in(self, request: HttpRequest, queryset: QuerySet[PromptTemplate]) -> None:
        by = username(request)
        for purpose, language in sorted(set(queryset.values_list("purpose", "language"))):
            restore_built_in(purpose=purpose, language=language, by=by)
            messages.success(request, f"The built-in text asks for {purpose} in {language} from now on.")
