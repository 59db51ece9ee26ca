"""Views that people keep: a filtered list under a name, for oneself or for everybody of the tenant."""

import pytest

from apps.core.errors import BadInput
from apps.reports.models import SavedView
from apps.reports.search.domain.saved_views import read_view_address, read_view_name
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import make_run, signed_in
from tests.dashboard.test_pages import text_of

LIST = "/admin/runs/testrun/"
FAILED = f"{LIST}?status__exact=failed"


@pytest.fixture
def viewer(db):
    return signed_in("neema", "view_testrun")


def save(client, name="Failed", address=FAILED, **more):
    return client.post("/views/save/", {"name": name, "address": address, **more}, follow=True)


class TestAddresses:
    @pytest.mark.parametrize(
        "text",
        ["", "https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "/a\r\nb"],
    )
    def test_only_an_address_of_this_site_is_a_view(self, text):
        with pytest.raises(BadInput, match="address of this site"):
            read_view_address(text)

    def test_the_page_of_the_rows_is_not_part_of_a_view(self):
        assert read_view_address(f"{FAILED}&p=3&q=hair").query == "status__exact=failed&q=hair"

    def test_too_long_an_address_and_a_name_of_nothing_are_refused(self):
        with pytest.raises(BadInput, match="longer than 4000"):
            read_view_address(f"{LIST}?q={'x' * 4_000}")
        for name in ("", "  \n ", "x" * 81):
            with pytest.raises(BadInput, match="1 to 80"):
                read_view_name(name)


class TestKeeping:
    def test_a_kept_view_stands_above_its_list_and_opens_it_again(self, viewer):
        with in_tenant("acme"):
            make_run(1, status="failed", name="Broken booking")
            make_run(1, name="Fine booking")
        assert "Saved as “Failed”, for you." in text_of(save(viewer))
        html = viewer.get(LIST).content.decode()
        assert f'<a class="rb-filter" href="{FAILED}" dir="auto">Failed</a>' in html
        opened = viewer.get(FAILED)
        assert 'aria-current="page"' in opened.content.decode()
        assert "Broken booking" in text_of(opened)
        assert "Fine booking" not in text_of(opened)

    def test_one_s_own_view_is_nobody_else_s_until_it_is_shared(self, viewer, owner):
        save(viewer)
        assert "Failed</a>" not in owner.get(LIST).content.decode()
        with in_tenant("acme"):
            view = SavedView.objects.get()
        assert owner.post(f"/views/{view.pk}/share/", {"shared": "yes"}).status_code == 404
        assert "shared with everybody here" in text_of(
            viewer.post(f"/views/{view.pk}/share/", {"shared": "yes"}, follow=True)
        )
        assert "shared by neema" in owner.get(LIST).content.decode()
        assert "“Failed” is removed." in text_of(owner.post(f"/views/{view.pk}/remove/", follow=True))
        assert "You have kept no view yet." in text_of(viewer.get("/views/"))

    def test_who_does_not_manage_people_removes_no_view_of_others(self, viewer, owner):
        save(owner, shared="yes")
        with in_tenant("acme"):
            view = SavedView.objects.get()
        assert viewer.post(f"/views/{view.pk}/remove/").status_code == 404
        assert f"/views/{view.pk}/remove/" not in viewer.get("/views/").content.decode()

    def test_the_same_name_on_the_same_page_is_the_same_view(self, viewer):
        save(viewer)
        save(viewer, address=f"{LIST}?status__exact=timeout")
        with in_tenant("acme"):
            assert SavedView.objects.get().query == "status__exact=timeout"

    def test_what_is_no_page_here_is_refused_and_nothing_is_kept(self, viewer):
        for address, said in (("//evil.example/", "address of this site"), ("/nothing/", "no such page here")):
            assert said in text_of(save(viewer, address=address))
        assert "1 to 80 characters" in text_of(save(viewer, name=""))
        with in_tenant("acme"):
            assert not SavedView.objects.exists()

    def test_a_name_is_text_whatever_it_holds(self, viewer):
        save(viewer, name="<script>alert(1)</script>")
        assert "<script>alert(1)" not in viewer.get(LIST).content.decode()

    def test_there_is_an_end_to_how_many_one_keeps(self, viewer, monkeypatch):
        monkeypatch.setattr("apps.reports.search.services.saved_views.MAX_VIEWS", 1)
        save(viewer)
        assert "you have 1 views: remove one first" in text_of(save(viewer, name="Another"))


class TestRenaming:
    def test_a_run_gets_another_name_and_keeps_everything_else(self, owner):
        with in_tenant("acme"):
            run, _ = make_run(1)
        told = owner.post(f"/runs/{run.pk}/rename/", {"name": "  Nightly \n booking "}, follow=True)
        assert "It is called “Nightly booking” now." in text_of(told)
        for name in ("", " ", "x" * 201):
            assert "has 1 to 200 characters" in text_of(
                owner.post(f"/runs/{run.pk}/rename/", {"name": name}, follow=True)
            )
        with in_tenant("acme"):
            run.refresh_from_db()
        assert (run.name, run.status) == ("Nightly booking", "completed")

    def test_who_may_only_read_renames_nothing(self, viewer):
        with in_tenant("acme"):
            run, _ = make_run(1)
        assert viewer.post(f"/runs/{run.pk}/rename/", {"name": "mine"}).status_code == 403
        assert "Rename…" not in viewer.get(f"/runs/{run.pk}/").content.decode()
