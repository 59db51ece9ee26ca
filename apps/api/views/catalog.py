"""The catalog over the API: what `import_catalog` does, with the files in the request."""

from datetime import datetime
from typing import Any

from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.catalog_body import CatalogImportRequest, in_the_body
from apps.api.permissions import refusal
from apps.api.queries.catalog_names import catalog_names
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView
from apps.catalog.files.domain.import_rights import sections_refused
from apps.catalog.files.services.importing import import_catalog_files
from apps.core.validation import validate
from apps.tenants.domain.rights import Right


class CatalogNames(ApiView):
    read_right = Right.READ_CATALOG
    write_right = Right.WRITE_CATALOG

    @operation("getCatalogNames", "The agents and evaluator configs that a run may name", answers={200: "CatalogNames"})
    def get(self, request: Request) -> Response:
        return Response(catalog_names())


class CatalogImport(ApiView):
    """All of it or nothing. Whoever asks needs the right to each section that changes."""

    read_right = Right.READ_CATALOG
    write_right = Right.WRITE_CATALOG

    @operation(
        "importCatalog",
        "Bring catalog files in: all of it or nothing; twice changes nothing",
        body="CatalogImportRequest",
        answers={200: "CatalogImported"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        caller: Any = request.auth

        def work(body: Any, now: datetime) -> StoredResponse:
            files = validate(CatalogImportRequest, body).files
            with in_the_body("/files"):
                report = import_catalog_files(files=files, at=now, by=str(caller.user or "the API"))
            if refused := sections_refused(report.created, report.updated, caller.who):
                raise _refusal(caller, refused)  # the transaction is taken back with it
            answer = {
                "created": report.created,
                "updated": report.updated,
                "unchanged": report.unchanged,
                "notes": report.notes,
            }
            return StoredResponse(status=200, body=answer)

        return self.once(request, work)


def _refusal(caller: Any, refused: dict[str, Right]) -> PermissionDenied:
    sections = ", ".join(refused)
    if caller.user is not None:
        return PermissionDenied(f"Your role may not write {sections}.", "forbidden")
    return PermissionDenied(
        f"These files change {sections}. {refusal(caller, next(iter(refused.values()))).detail}", "scope_missing"
    )
