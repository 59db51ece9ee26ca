"""Addresses on the platform's own host: the land register's admin and the machinery, and nothing of any tenant."""

from django.contrib import admin
from django.urls import path

from apps.tenants.admin import platform_admin
from ratiba_eval import platform_health

admin.autodiscover()
urlpatterns = [
    path("admin/health/", platform_admin.admin_view(platform_health.page), name="platform_health"),
    path("admin/", platform_admin.urls),
]

handler500 = "apps.api.problems.server_error"
