"""The sidebar shows what a tenant uses; what nobody has used yet is found by Settings and by the palette."""

import re

from apps.gates.models import GateFloor
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import signed_in
from tests.dashboard.test_pages import text_of

UNUSED = ("Floors", "Anchors", "WhatsApp", "Langfuse", "Snapshots", "Templates", "Saved views", "OTLP", "Webhook keys")


def tabs(client, page):
    found = re.search(r'<nav[^>]*aria-label="Pages of [^"]*".*?</nav>', client.get(page).content.decode(), re.S)
    return re.findall(r"<a[^>]*>\s*([^<]*?)\s*<", found[0]) if found else []


def test_a_page_that_nobody_has_used_is_shown_where_somebody_stands_on_it(owner):
    floors = "/admin/gates/gatefloor/"
    assert "Floors" not in tabs(owner, "/trends/")
    assert "Floors" in tabs(owner, floors)


def test_first_use_brings_a_page_out(owner):
    with in_tenant("acme"):
        GateFloor.objects.create(agent="desk")
    assert "Floors" in tabs(owner, "/trends/")


def test_settings_and_the_palette_lead_to_what_is_not_used_yet(owner):
    settings = text_of(owner.get("/settings/")).partition("Not used here yet")[2]
    assert all(f"{name} :" in settings or f"{name}:" in settings for name in UNUSED)
    assert "WhatsApp" in text_of(owner.get("/search/quick/?q=whatsapp"))


def test_settings_name_no_page_that_the_reader_may_not_open(db):
    reader = signed_in("budget", "change_budget")
    assert "Not used here yet" not in text_of(reader.get("/settings/"))
