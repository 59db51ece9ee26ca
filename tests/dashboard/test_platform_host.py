"""The platform's own host keeps its own first page: no tenant's figures, no tenant's menu."""

from django.test import Client


def test_the_platforms_admin_opens_without_any_tenants_pages(db):
    from django.contrib.auth.models import User  # noqa: PLC0415 - apps are loaded by pytest-django

    client = Client(headers={"host": "platform.localhost"})
    client.force_login(User.objects.create_superuser("operator"))
    answer = client.get("/admin/")
    assert answer.status_code == 200
    assert b"/admin/tenants/tenant/" in answer.content
    assert b"/admin/runs/" not in answer.content
    assert client.get("/usage/").status_code == 404
