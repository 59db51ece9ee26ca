"""Erasing several people of some hundred conversations: pg_dump before says what the receipts count, pg_dump after
finds nobody."""

from apps.tenants.context import in_tenant
from tests.erasure.many_people import run


def test_receipts_count_what_a_dump_shows_and_afterwards_it_shows_nobody(fresh_tenant, settings, tmp_path) -> None:
    settings.STATE_DIR, settings.LOG_DIR, settings.BASE_DIR = tmp_path, tmp_path / "log", tmp_path / "code"
    with in_tenant(fresh_tenant):
        outcome = run(conversations=300, subjects=5, state=tmp_path)
    assert outcome.found > 80
    assert outcome.receipts == outcome.found
    assert (outcome.left, outcome.left_in_files, outcome.in_files) == (0, 0, 15)
    assert (outcome.scores, outcome.scores_unchanged) == (11, True)
