"""Addresses on the platform's own host: the land register's admin, and nothing of any tenant."""

from django.urls import path

from apps.tenants.admin import platform_admin

urlpatterns = [path("admin/", platform_admin.urls)]
