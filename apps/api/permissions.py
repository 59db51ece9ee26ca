"""What a caller may do: a key by its scopes, a person by their permissions."""

from typing import Any

from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from apps.api.caller import Caller


class MayDoThis(BasePermission):
    """Reading needs the read scope, all else the write scope; a person needs the view's own permission instead."""

    def has_permission(self, request: Request, view: Any) -> bool:
        caller = request.auth
        if not isinstance(caller, Caller):
            raise NotAuthenticated("Sign the body, or send Authorization: Bearer rk_…", "not_authenticated")
        reading = request.method in SAFE_METHODS
        if caller.user is not None:
            needed = view.read_permission if reading else view.write_permission
            if not caller.user.has_perm(needed):
                raise PermissionDenied(f"Your account lacks the permission {needed}.", "forbidden")
        elif not (caller.may_read if reading else caller.may_write):
            raise PermissionDenied(f"This key lacks the scope {'read' if reading else 'write'}.", "scope_missing")
        return True
