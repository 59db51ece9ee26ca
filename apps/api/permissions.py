"""Decide what a caller may do by the table of rights, for persons and keys alike."""

from typing import Any

from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from apps.api.caller import Caller
from apps.tenants.domain.rights import Right, may
from apps.tenants.domain.roles import KeyScope


class MayDoThis(BasePermission):
    """Allows a request by the view's `read_right` or `write_right`.
    A signed request has the rights of a key with the scope to write."""

    def has_permission(self, request: Request, view: Any) -> bool:
        caller = request.auth
        if not isinstance(caller, Caller):
            raise NotAuthenticated("Sign the body, or send Authorization: Bearer rk_…", "not_authenticated")
        right = view.read_right if request.method in SAFE_METHODS else view.write_right
        if not may(caller.who, right):
            raise refusal(caller, right)
        return True


def refusal(caller: Caller, right: Right) -> PermissionDenied:
    """Build the refusal for a caller who lacks the right."""
    if caller.user is not None:
        lacking = next((name for name in right.permissions if not caller.user.has_perm(name)), right.permissions[0])
        return PermissionDenied(f"Your account lacks the permission {lacking}.", "forbidden")
    if not right.scopes:
        return PermissionDenied(f"Only a person who is signed in may {right.what}; no key does.", "no_person")
    scope = min(right.scopes, key=list(KeyScope).index)
    who = "A signature" if caller.signed_id else "This key"
    return PermissionDenied(
        f"{who} lacks the scope {scope}: it may not {right.what}.{_WHAT_TO_DO.get(scope, '')}", "scope_missing"
    )


_WHAT_TO_DO = {
    KeyScope.CURATE: " This changes what the whole team tests and judges with. Use an API key made for it (add_api_key "
    "--scope curate) and keep that key out of continuous integration, where a run brings its own scenarios (catalog in "
    "POST /test-runs/).",
    KeyScope.ADMIN: " Only an owner may, or an API key that an owner made for it (add_api_key --scope admin).",
}
