"""The bodies about saved views."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import MaxLen

from apps.core.shapes import NOT_BLANK, Flag, Shape, Text, described
from apps.reports.search.domain.saved_views import MAX_NAME


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedViewRequest(Shape):
    """An address of this tenant's pages under a name; one's own of that name on that page is changed."""

    name: Annotated[Text, MaxLen(MAX_NAME), NOT_BLANK]
    address: Annotated[Text, MaxLen(5000), NOT_BLANK, described("/admin/runs/testrun/?status__exact=failed")]
    shared: Annotated[Flag, described("For everybody of the tenant.")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedViewShare(Shape):
    """Whether everybody of the tenant sees it."""

    shared: Flag
