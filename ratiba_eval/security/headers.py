"""Content-Security-Policy and what Django's own SecurityMiddleware leaves out.

No page of ours has an inline script, so none is allowed, and nothing comes from another host. Two allowances are
Unfold's: Alpine evaluates the expressions in its attributes (`unsafe-eval`, on pages in the admin's window alone), and
its templates write colours into the page (`unsafe-inline` for styles). docs/adr/0058 says what was tried.
"""

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse

SELF, NONE, EVAL, INLINE, DATA = "'self'", "'none'", "'unsafe-eval'", "'unsafe-inline'", "data:"
Policy = Mapping[str, tuple[str, ...]]

PAGE: Policy = {  # in the shape of Django 6's SECURE_CSP, which will take its place
    "default-src": (NONE,),
    "script-src": (SELF, EVAL),
    "style-src": (SELF, INLINE),
    "img-src": (SELF, DATA),
    "font-src": (SELF,),
    "connect-src": (SELF,),
    "form-action": (SELF,),
    "base-uri": (NONE,),
    "frame-ancestors": (NONE,),
}
API_DOCS: Policy = {**PAGE, "script-src": (SELF,)}  # Swagger UI, served by us
DATA_ONLY: Policy = {"default-src": (NONE,), "frame-ancestors": (NONE,)}  # JSON, files, texts: nothing to run or load
PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


def header(policy: Policy) -> str:
    """The policy as a header's value."""
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in policy.items())


_PAGE, _API_DOCS, _DATA_ONLY = header(PAGE), header(API_DOCS), header(DATA_ONLY)


def policy_for(path: str, content_type: str) -> str:
    """The header for an answer at this path."""
    if not content_type.startswith("text/html"):
        return _DATA_ONLY
    return _API_DOCS if path.startswith("/api/") else _PAGE


class PolicyMiddleware:
    """Before every other, so that an error page has its policy too. Costs microseconds."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault(
            "Content-Security-Policy", policy_for(request.path, response.get("Content-Type", ""))
        )
        if request.path.startswith("/api/"):  # conversations and scores: no proxy and no browser keeps them
            response.headers.setdefault("Cache-Control", "no-store")
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        return response
