"""Catalog rows as YAML, from their lists."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from unfold.decorators import action

from apps.catalog.admin.admin_actions import typed
from apps.catalog.files.services.exporting import catalog_as_yaml
from apps.core.errors import BadInput


class WithFiles:
    """A list whose rows can be downloaded as the YAML that `import_catalog` reads; secrets are in no file."""

    yaml_section = ""
    yaml_key = "name"
    list_before_template = "catalog/admin/list_doors.html"

    @typed(action(description="Download as YAML", permissions=["view"]))
    def download_yaml(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        names = list(queryset.values_list(self.yaml_key, flat=True))
        try:
            text = catalog_as_yaml(section=self.yaml_section, names=names)
        except BadInput as error:
            messages.error(request, error.message)
            return None
        answer = HttpResponse(text, content_type="application/yaml; charset=utf-8")
        answer["Content-Disposition"] = f'attachment; filename="{self.yaml_section}.yaml"'
        return answer

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        context = {**(extra_context or {}), "yaml_section": self.yaml_section}
        view: HttpResponse = super().changelist_view(request, context)  # type: ignore[misc]
        return view
