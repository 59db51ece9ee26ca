"""Bringing in the tests of other tools by the browser: a file, its table, and drafts that wait for a person."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from apps.catalog.files.domain.test_formats.collecting import section_counts
from apps.catalog.files.domain.test_formats.registry import FORMATS
from apps.catalog.files.services.test_importing import ImportedTests, import_tests
from apps.core.errors import BadInput
from apps.dashboard.page_access import show, staff_page
from apps.dashboard.settings.domain.other_tools import tests_headline

FILE_BYTES = 25 * 1024 * 1024  # larger files: the command, which reads them where they lie
SHOWN = 300  # rows of the table on the page; the command shows all


@staff_page("catalog.add_criterion", "catalog.add_persona", "catalog.add_scenario", "catalog.add_goldensession")
def import_from(request: HttpRequest) -> HttpResponse:
    """The table of a file: with `look` nothing is stored."""
    chosen = request.POST.get("format", "")
    context: dict[str, Any] = {
        "formats": [
            {"name": name, "title": one.title, "ends": ", ".join(one.suffixes), "chosen": name == chosen}
            for name, one in FORMATS.items()
        ],
        "limit": FILE_BYTES,
        "done": None,
        "problem": "",
    }
    if request.method == "POST":
        try:
            done = _imported(request, chosen)
        except BadInput as error:
            context["problem"] = error.message
        else:
            rows = sorted(done.rows, key=lambda row: row.became != "refused")
            new = section_counts(done.created)
            context |= {"done": done, "rows": rows[:SHOWN], "more": len(rows) - SHOWN, "new": new}
    done = context["done"]
    context["headline"] = tests_headline(
        file=done.file if done else "",
        taken=done.taken if done else 0,
        refused=len(done.refused) if done else 0,
        looked=bool(done and done.dry_run),
        problem=context["problem"],
    )
    return show(request, "settings/import_from", "Import tests of other tools", **context)


def _imported(request: HttpRequest, chosen: str) -> ImportedTests:
    uploaded = request.FILES.get("file")
    if uploaded is None:
        raise BadInput("Choose a file of tests.")
    if (uploaded.size or 0) > FILE_BYTES:
        raise BadInput(f"More than {FILE_BYTES // 1024 // 1024} MiB: bring it in with the command import_from.")
    return import_tests(
        source=chosen,
        raw=uploaded.read(),
        file=str(uploaded.name),
        at=timezone.now(),
        by=str(request.user.get_username()),
        dry_run="look" in request.POST,
    )
