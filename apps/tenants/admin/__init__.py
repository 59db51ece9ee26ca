"""The platform's admin, on the public host only: who the tenants are, how they are set, not what they hold."""

from apps.tenants.admin.site import platform_admin
from apps.tenants.admin.tenants import TenantAdmin

__all__ = ["TenantAdmin", "platform_admin"]
