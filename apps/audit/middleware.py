"""Name the sender of a request as the actor of all its changes."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

from apps.core.actor import acting

Answer = Callable[[HttpRequest], HttpResponse]


class ActorMiddleware:
    """Middleware behind the sign-in's own. It asks nothing: the actor is looked up when something is written."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with acting(lambda: name_of(request)):
            return self.get_response(request)


def name_of(request: HttpRequest) -> str:
    """Return `user amina`, or a machine caller's `audit_name`. "nobody signed in" before anybody has signed in."""
    user: Any = getattr(request, "user", None)
    machine = getattr(user, "audit_name", "")
    if machine:
        return str(machine)
    return f"user {user.get_username()}" if user is not None and user.is_authenticated else "nobody signed in"
