"""What a caller may do: a key by its scopes, a person by their permissions."""

from typing import Any

from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from apps.api.caller import Caller
from apps.api.domain.states import KeyScope


class MayDoThis(BasePermission):
    """Reading needs the read scope; all else the write scope, or curate where the view says that it changes what the
    whole team uses. A person needs the view's own permission instead. A signature may what a write key may."""

    def has_permission(self, request: Request, view: Any) -> bool:
        caller = request.auth
        if not isinstance(caller, Caller):
            raise NotAuthenticated("Sign the body, or send Authorization: Bearer rk_…", "not_authenticated")
        reading = request.method in SAFE_METHODS
        if caller.user is not None:
            needed = view.read_permission if reading else view.write_permission
            for one in (needed,) if isinstance(needed, str) else needed:
                if not caller.user.has_perm(one):
                    raise PermissionDenied(f"Your account lacks the permission {one}.", "forbidden")
        else:
            _need(caller, KeyScope.READ if reading else KeyScope.CURATE if view.curates else KeyScope.WRITE)
        return True


def _need(caller: Caller, scope: KeyScope) -> None:
    held = {KeyScope.READ: caller.may_read, KeyScope.WRITE: caller.may_write, KeyScope.CURATE: caller.may_curate}
    if held[scope]:
        return
    if scope is not KeyScope.CURATE:
        raise PermissionDenied(f"This key lacks the scope {scope}.", "scope_missing")
    who = "A signature" if caller.signed_id else "This key"
    raise PermissionDenied(
        f"{who} lacks the scope curate: this changes what the whole team tests and judges with. Use an API key made "
        "for it (add_api_key --scope curate) and keep that key out of continuous integration, where a run brings its "
        "own scenarios (catalog in POST /test-runs/).",
        "scope_missing",
    )
