"""The catalog over the API: what `import_catalog` does, with the files in the request."""

from datetime import datetime
from typing import Any

from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.catalog_body import CatalogImportRequest, in_the_body
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView
from apps.catalog.domain.import_rights import sections_refused
from apps.catalog.services import import_catalog_files
from apps.core.validation import validate


class CatalogImport(ApiView):
    """All of it or nothing. A signed-in person needs the permission for each section that changes."""

    read_permission = "catalog.view_criterion"
    write_permission = "catalog.change_criterion"
    curates = True

    @operation("importCatalog", "Bring catalog files in: all of it or nothing; twice changes nothing",
               body="CatalogImportRequest", answers={200: "CatalogImported"}, idempotent=True)  # fmt: skip
    def post(self, request: Request) -> Response:
        user = getattr(request.auth, "user", None)

        def work(body: Any, now: datetime) -> StoredResponse:
            files = validate(CatalogImportRequest, body).files
            with in_the_body("/files"):
                report = import_catalog_files(files=files, at=now, by=str(user or "the API"))
            refused = sections_refused(report.created, report.updated, user.has_perm) if user is not None else []
            if refused:  # the transaction is taken back with it
                raise PermissionDenied(f"Your role may not write {', '.join(refused)}.", "forbidden")
            answer = {
                "created": report.created,
                "updated": report.updated,
                "unchanged": report.unchanged,
                "notes": report.notes,
            }
            return StoredResponse(status=200, body=answer)

        return self.once(request, work)
