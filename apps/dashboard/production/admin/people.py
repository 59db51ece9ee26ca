"""People and their roles. Who may change people gives roles; more than a role is given on the command line alone."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class PeopleAdmin(UserAdmin, ModelAdmin):  # type: ignore[type-arg]  # not subscriptable at run time
    """Admin of people.

    Nobody makes themselves more than they are: no form here writes `is_superuser` or single permissions.
    """

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "name", "email", "roles", "is_active", "is_staff", "last_login")
    list_filter = ("groups", "is_active", "is_staff")
    filter_horizontal = ()
    readonly_fields = ("last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("username", "password", "first_name", "last_name", "email")}),
        ("May", {"fields": ("is_active", "is_staff", "groups")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("groups")

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "groups":
            kwargs["widget"] = forms.CheckboxSelectMultiple
            kwargs["help_text"] = "Roles: what this person may do. Without one they see nothing."
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        above = obj is not None and obj.is_superuser and not request.user.is_superuser
        return not above and bool(super().has_change_permission(request, obj))

    @admin.display(description="name")
    def name(self, user: User) -> str:
        return user.get_full_name() or "–"

    @admin.display(description="roles")
    def roles(self, user: User) -> str:
        given = ", ".join(group.name for group in user.groups.all())
        return f"superuser{', ' * bool(given)}{given}" if user.is_superuser else given or "none"


@admin.register(Group)
class RolesAdmin(GroupAdmin, ModelAdmin):
    """The four roles are the code's; a group of one's own is made by a superuser."""

    filter_horizontal = ()
