"""The identity list by the browser: a CSV file; good lines are kept, bad ones are named."""

from typing import Any

from django.http import HttpRequest, HttpResponse

from apps.core.errors import BadInput
from apps.core.plurals import many
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.page_access import show, staff_page
from apps.production.privacy.services.identity_list import PeopleImport, import_people

FILE_BYTES = 1024 * 1024


@staff_page("production.add_listedperson")
def import_people_page(request: HttpRequest) -> HttpResponse:
    """The page that imports a file of people, whose names are then masked everywhere."""
    report, problem = None, ""
    if request.method == "POST":
        try:
            report = import_people(text=_text_of(request))
        except BadInput as error:
            problem = error.message
    context: dict[str, Any] = {"headline": _headline(report, problem), "report": report, "limit": FILE_BYTES}
    return show(request, "production/import_people", "Import people", **context)


def _text_of(request: HttpRequest) -> str:
    file = request.FILES.get("file")
    if file is None:
        raise BadInput("Choose a file first.", code="required", pointer="/file")
    if (file.size or 0) > FILE_BYTES:
        raise BadInput("The file is larger than 1 MiB.", code="too_large", pointer="/file")
    try:
        return str(file.read().decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise BadInput("The file is not UTF-8: save it as CSV UTF-8.", code="not_utf8", pointer="/file") from None


def _headline(report: PeopleImport | None, problem: str) -> Headline:
    if problem:
        return Headline(text="Nothing was imported.", but=problem)
    if report is None:
        return Headline(text="Whose names are masked everywhere? Bring in staff and owners as a file.")
    text = f"{many(report.added, 'person', 'people')} added to the list"
    known = f"{many(report.known, 'person was', 'people were')} on it before" if report.known else ""
    return Headline(text=f"{text}; {known}." if known else f"{text}.")
