"""Who may open a page: signed-in staff of this tenant with the page's own permission."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.apps import apps
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import render

from apps.core.errors import NotFound

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


READ = ("GET", "HEAD")


def staff_page(*permissions: str, methods: Sequence[str] = ("GET", "HEAD", "POST")) -> Callable[[View[P]], Any]:
    """Strangers are sent to sign in, members without every permission get 403, what is not there is 404 (a POST
    to it as well), and another method than the page's is 405."""

    def decorate(view: View[P]) -> Any:
        @wraps(view)
        def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if not request.user.has_perms(permissions):
                raise PermissionDenied(", ".join(permissions))
            if request.method not in methods:
                return HttpResponseNotAllowed(methods)
            try:
                if request.method == "POST":
                    _refuse_missing(kwargs)
                return view(request, *args, **kwargs)
            except NotFound as error:
                raise Http404(error.message) from error

        return admin.site.admin_view(guarded)

    return decorate


# What the ids of an address are ids of. Services say of a change that it cannot be made, which a page shows on the page
# of the thing; of a thing that is not this tenant's there is no such page.
_ADDRESSED = {
    "run_id": "runs.TestRun",
    "conversation_id": "runs.Conversation",
    "persona_id": "catalog.Persona",
    "version_id": "catalog.EvaluatorConfigVersion",
    "review_id": "gates.SnapshotReview",
}


def _refuse_missing(ids: Mapping[str, Any]) -> None:
    """Raise NotFound where an id of the address is nobody's here. One query for each."""
    for name, value in ids.items():
        label = _ADDRESSED.get(name)
        if label and not apps.get_model(label)._default_manager.filter(pk=value).exists():
            raise NotFound(f"there is nothing with the id {value} here")


def show(request: HttpRequest, name: str, title: str, **context: Any) -> HttpResponse:
    """A page in the admin's shell, or only its living part where htmx asks for that."""
    if request.headers.get("HX-Request") == "true":
        return render(request, f"dashboard/parts/{name}.html", context)
    shell = admin.site.each_context(request)
    return render(request, f"dashboard/{name}.html", {**shell, "title": title, **context})


def query_of(request: HttpRequest) -> dict[str, str]:
    """What the address asks for; columns ticked one by one as the list that an address writes."""
    query: dict[str, str] = request.GET.dict()
    if ticked := request.GET.getlist("column"):
        query["columns"] = ",".join(ticked)
    return query
