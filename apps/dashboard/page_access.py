"""Access to pages: signed-in staff of this tenant who have the page's own permission."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from urllib.parse import urlencode

from django.apps import apps
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.urls import reverse
from django_htmx.middleware import HtmxDetails

from apps.core.errors import NotFound, RatibaError
from apps.core.identities import uuids_among
from apps.improvement.holdout.queries.sealing import sealed_families

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


READ = ("GET", "HEAD")


def staff_page(
    *permissions: str, methods: Sequence[str] = ("GET", "HEAD", "POST"), opens: bool = False
) -> Callable[[View[P]], Any]:
    """Guard a page by permissions and methods.

    Visitors without a session go to the sign-in page, members without every permission get 403, a missing row gives
    404, a wrong method 405. A page that would show sealed hold-out conversations asks first, unless `opens`: it asks
    itself.
    """

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
                if not opens and (sealed := _sealed(request, kwargs)):
                    return redirect(sealed)
                return view(request, *args, **kwargs)
            except NotFound as error:
                raise Http404(error.message) from error

        return admin.site.admin_view(guarded)

    return decorate


# What the ids of an address are ids of. Services say of a change that it cannot be made, which a page shows on the page
# of the thing; of a thing that is not this tenant's there is no such page.
_ADDRESSED = {
    "channel_id": "alerts.AlertChannel",
    "erasure_id": "erasure.Erasure",
    "run_id": "runs.TestRun",
    "evaluation_id": "evaluations.Evaluation",
    "conversation_id": "runs.Conversation",
    "persona_id": "catalog.Persona",
    "version_id": "catalog.EvaluatorConfigVersion",
    "review_id": "gates.SnapshotReview",
    "promotion_id": "production.Promotion",
    "draft_id": "improvement.PromptDraft",
    "analysis_id": "improvement.Analysis",
    "trial_id": "improvement.Trial",
    "rollout_id": "production.Rollout",
    "set_id": "production.AnchorSet",
    "optimization_id": "improvement.Optimization",
    "view_id": "reports.SavedView",
    "mode_id": "improvement.FailureMode",
    "round_id": "calibration.LabellingRound",
}


def _refuse_missing(ids: Mapping[str, Any]) -> None:
    """Raise NotFound where an id of the address is nobody's here. One query for each."""
    for name, value in ids.items():
        label = _ADDRESSED.get(name)
        if label and not apps.get_model(label)._default_manager.filter(pk=value).exists():
            raise NotFound(f"there is nothing with the id {value} here")


_READ_BY = ("run_id", "evaluation_id", "conversation_id")


def _sealed(request: HttpRequest, ids: Mapping[str, Any]) -> str:
    """Return the address to which somebody is sent who would read a hold-out by this address or form; "" for all else.

    That page says what opening it does. One query where the address or the form names a conversation, run or
    evaluation.
    """
    named = [value for name, value in ids.items() if name in _READ_BY]
    posted = [value for values in (request.GET, request.POST) for _, several in values.lists() for value in several]
    read = list(dict.fromkeys([*named, *uuids_among(posted)]))
    if not sealed_families(read):
        return ""
    follow = request.get_full_path() if request.method in READ else ""
    return f"{reverse('open_sealed')}?{urlencode({'of': [*map(str, read)], 'next': follow}, doseq=True)}"


def with_message(request: HttpRequest, act: Callable[[], str], back: str, *args: Any) -> HttpResponse:
    """Do what a button asks for, then redirect to the page `back`, which shows how it went.

    The page is a view's name with its ids, or an address. It shows the sentence that `act` returns, or why the request
    was refused. Raises NotFound.
    """
    try:
        messages.success(request, act())
    except NotFound:
        raise
    except RatibaError as error:
        messages.error(request, error.message)
    return redirect(back, *args)


def asks_for_part(request: HttpRequest) -> bool:
    """Tell whether htmx asks, which puts the answer into a page that is there."""
    return bool(HtmxDetails(request))


def show(request: HttpRequest, name: str, title: str, **context: Any) -> HttpResponse:
    """A page in the admin's shell, or only its living part where htmx asks for that. `name` is `place/page`."""
    if asks_for_part(request):
        return render(request, f"dashboard/{name.replace('/', '/parts/')}.html", context)
    shell = admin.site.each_context(request)
    return render(request, f"dashboard/{name}.html", {**shell, "title": title, **context})


def query_of(request: HttpRequest) -> dict[str, str]:
    """The query of the address; ticked columns are joined to one list, as in a written address."""
    query: dict[str, str] = request.GET.dict()
    if ticked := request.GET.getlist("column"):
        query["columns"] = ",".join(ticked)
    return query


def may_ask_gate(request: HttpRequest) -> bool:
    """Tell whether this person may ask a gate, which may start a run."""
    return request.user.has_perms(("gates.add_pullrequestgate", "runs.add_testrun"))
