"""Saved views: addresses of pages that people keep under a name. They are people's own; a key reads the shared ones."""

import uuid
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.saved_view_body import SavedViewRequest, SavedViewShare
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView, no_body, person_of
from apps.core.errors import NotFound
from apps.core.validation import validate
from apps.reports.models import SavedView
from apps.reports.search.domain.saved_views import read_view_name
from apps.reports.search.queries.saved_views import SavedViewList, SavedViewRemoved, view_document, views_of
from apps.reports.search.services.saved_views import page_address, remove_view, save_view, share_view
from apps.tenants.domain.rights import Right


class SavedViewApi(ApiView):
    """What the views of saved views share: whoever reads lists keeps views of them."""

    read_right = Right.READ_RUNS
    write_right = Right.KEEP_VIEWS


class SavedViews(SavedViewApi):
    @operation(
        "listSavedViews",
        "One's own views and the shared ones; a key reads the shared ones",
        answers={200: "SavedViews"},
    )
    def get(self, request: Request) -> Response:
        caller: Any = request.auth
        name = caller.user.get_username() if caller.user is not None else ""
        return Response(SavedViewList(results=[view_document(view) for view in views_of(name)]))

    @operation(
        "saveView",
        "Keep an address of the pages under a name",
        body="SavedViewRequest",
        answers={200: "SavedView"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        person = person_of(request)

        def work(body: Any, now: datetime) -> StoredResponse:
            request = validate(SavedViewRequest, body)
            view = save_view(
                user=person,
                name=read_view_name(request.name),
                address=page_address(request.address),
                shared=request.shared,
            )
            return StoredResponse(status=200, body=view_document(view))

        return self.once(request, work)


class ShareSavedView(SavedViewApi):
    @operation(
        "shareView",
        "Show one's view to everybody here, or to nobody else",
        body="SavedViewShare",
        answers={200: "SavedView"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        _find(id)
        person = person_of(request)

        def work(body: Any, now: datetime) -> StoredResponse:
            view = share_view(view_id=id, user=person, shared=validate(SavedViewShare, body).shared)
            return StoredResponse(status=200, body=view_document(view))

        return self.once(request, work)


class RemoveSavedView(SavedViewApi):
    @operation(
        "removeView",
        "Remove one's view; who manages people, a shared one too",
        answers={200: "SavedViewRemoved"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        _find(id)
        person = person_of(request)
        caller: Any = request.auth
        manages = caller.user.has_perm("auth.change_user")

        def work(body: Any, now: datetime) -> StoredResponse:
            no_body(body)
            name = remove_view(view_id=id, user=person, of_anybody=manages)
            return StoredResponse(status=200, body=SavedViewRemoved(id=str(id), name=name))

        return self.once(request, work)


def _find(id: uuid.UUID) -> None:
    if not SavedView.objects.filter(pk=id).exists():
        raise NotFound(f"There is no saved view {id}.")
