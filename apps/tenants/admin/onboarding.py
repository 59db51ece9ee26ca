"""The pages for a new tenant's needs before its own people can go on: host names that lead to it, and a first owner."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from unfold.admin import ModelAdmin

from apps.core.errors import RatibaError
from apps.tenants.admin.forms import FirstOwnerForm, HostNameForm
from apps.tenants.first_owner import has_an_owner, make_first_owner
from apps.tenants.host_names import add_host_name, host_names, not_served, remove_host_name
from apps.tenants.models import Tenant


class BeginningsAdmin(ModelAdmin):
    """The two pages. `_found` and `_page` are TenantAdmin's."""

    def get_urls(self) -> list[URLPattern]:
        pages = {"hosts": self.hosts_view, "owner": self.owner_view}
        own = [
            path(f"<path:object_id>/{name}/", self.admin_site.admin_view(view), name=f"tenants_tenant_{name}")
            for name, view in pages.items()
        ]
        return [*own, *super().get_urls()]

    def _found(self, request: HttpRequest, object_id: str) -> Tenant:
        raise NotImplementedError

    def _page(self, request: HttpRequest, name: str, title: Any, **context: Any) -> HttpResponse:
        raise NotImplementedError

    def _changeable(self, request: HttpRequest, object_id: str) -> Tenant:
        tenant = self._found(request, object_id)
        if not self.has_change_permission(request, tenant):
            raise PermissionDenied
        return tenant

    def hosts_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show a tenant's host names, with a form to add one, buttons to remove one, and any refusal."""
        tenant = self._changeable(request, object_id)
        slug, leaving, refusal = str(tenant.slug), str(request.POST.get("remove", "")), ""
        form = HostNameForm(request.POST if request.method == "POST" and not leaving else None)
        try:
            if leaving:
                remove_host_name(slug=slug, domain=leaving)
                return self._changed_hosts(request, tenant, f"{leaving} leads nowhere any more.")
            if request.method == "POST" and form.is_valid():
                name = form.cleaned_data["domains"]
                add_host_name(slug=slug, domain=name)
                return self._changed_hosts(request, tenant, f"{name} leads to {slug}.", added=name)
        except RatibaError as error:
            refusal = error.message if leaving else ""
            if not leaving:
                form.refuse(error)
        names = host_names(slug=slug)
        return self._page(
            request,
            "hosts",
            f"Host names of {tenant.name}",
            tenant=tenant,
            form=form,
            refusal=refusal,
            names=names,
            unserved=not_served(names),
        )

    def _changed_hosts(self, request: HttpRequest, tenant: Tenant, message: str, *, added: str = "") -> HttpResponse:
        self.log_change(request, tenant, message)
        messages.success(request, message)
        if added and not_served([added]):
            messages.warning(request, f"{added} is not in ALLOWED_HOSTS: until the operator adds it, it answers 404.")
        return HttpResponseRedirect(request.path)

    def owner_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The first owner. The password is in the answer to the POST and nowhere else: it cannot be shown again."""
        tenant = self._changeable(request, object_id)
        slug, made, closed = str(tenant.slug), None, ""
        form = FirstOwnerForm(request.POST if request.method == "POST" else None)
        try:
            if request.method == "POST" and form.is_valid():
                made = make_first_owner(slug=slug, **form.cleaned_data)
                self.log_change(request, tenant, f"first owner {made.username}")
        except RatibaError as error:
            form.refuse(error)
        try:
            owner_exists = made is None and has_an_owner(slug=slug)
        except RatibaError as error:  # suspended, or its schema is behind
            owner_exists, closed = False, error.message
        names = host_names(slug=slug)
        refused = not_served(names)
        _, colon, port = request.get_host().partition(":")
        return self._page(
            request,
            "owner",
            f"First owner of {tenant.name}",
            tenant=tenant,
            form=form,
            made=made,
            taken=owner_exists,
            closed=closed,
            port=f"{colon}{port}",
            hosts=[name for name in names if name not in refused] or names,
        )
