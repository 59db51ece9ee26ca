"""Whatever under /api/v1/ is no address of ours: answered here, so that no POST is redirected and loses its body."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from apps.api.problems import not_found


@csrf_exempt
def elsewhere(request: HttpRequest, rest: str) -> HttpResponse:
    return not_found(request, Http404())
