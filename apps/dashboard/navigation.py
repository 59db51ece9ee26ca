"""The sidebar: nine places, each for a question, and the pages of each as tabs. Unfold asks for it on every page
(settings.UNFOLD). A place that has no page yet, or none that this person may open, is not shown; nor is a page that
nobody of the tenant has used. Where something waits for this person, its number stands beside the place."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from apps.calibration.queries.waiting_to_rate import rows_to_rate
from apps.dashboard.queries.sidebar_figures import (
    MAX_COUNTED,
    SidebarFigures,
    rows_of,
    sidebar_figures,
    waiting_at_home,
)
from apps.production.promotion.queries.candidates import candidates_waiting
from apps.tenants.context import current_schema
from apps.tenants.domain.naming import PUBLIC


@dataclass(frozen=True, slots=True)
class PlacePage:
    """A page of a place: its word, the name of its address, who may open it, and what else lies under it. One with
    `rows` is shown once a table of them has a row; until then Settings and the palette lead to it, by what it is
    `about`. `group` is its heading in the list of Settings."""

    title: str
    address: str
    permission: str = ""
    under: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    about: str = ""
    group: str = ""

    def link(self) -> str:
        """ "" for a page of a room that is not there."""
        try:
            return reverse(self.address)
        except NoReverseMatch:
            return ""


@dataclass(frozen=True, slots=True)
class SidebarPlace:
    """A line of the sidebar. Its pages are tabs; with `listed`, they are links on its first page."""

    title: str
    icon: str
    pages: Sequence[PlacePage]
    listed: bool = False


_HOME = SidebarPlace(
    "Home",
    "home",
    (
        PlacePage("Home", "admin:index"),
        PlacePage("Alerts", "alerts", "alerts.view_alert", ("/alerts/",)),
        PlacePage(
            "Saved views",
            "saved_views",
            "runs.view_testrun",
            rows=("reports.savedview",),
            about="a list with its filters under a name, also as a mail every week",
        ),
    ),
)
_RESULTS = SidebarPlace(
    "Results",
    "fact_check",
    (
        PlacePage("Runs", "admin:runs_testrun_changelist", "runs.view_testrun", ("/runs/", "/try/")),
        PlacePage(
            "Evaluations",
            "admin:evaluations_evaluation_changelist",
            "evaluations.view_evaluation",
            ("/evaluations/",),
        ),
        PlacePage("Comparisons", "comparison", "evaluations.view_evaluation"),
        PlacePage("Trends", "trends", "evaluations.view_evaluation"),
        PlacePage("Gates", "admin:gates_pullrequestgate_changelist", "gates.view_pullrequestgate", ("/gates/",)),
        PlacePage(
            "Floors",
            "admin:gates_gatefloor_changelist",
            "gates.view_gatefloor",
            rows=("gates.gatefloor",),
            about="what no pull request may loosen in the rule of its own gate",
        ),
    ),
)
_CONVERSATIONS = SidebarPlace(
    "Conversations",
    "forum",
    (PlacePage("Conversations", "admin:runs_conversation_changelist", "runs.view_conversation", ("/conversations/",)),),
)
_LABELLING = SidebarPlace(
    "Labelling",
    "rate_review",
    (
        PlacePage("Labelling", "labelling", "calibration.add_humanlabel"),
        PlacePage("Queues", "queues", "calibration.view_certificate"),
        PlacePage("Calibration", "calibration", "calibration.view_certificate"),
        PlacePage(
            "Failure modes",
            "failure_modes",
            "improvement.view_failuremode",
            rows=("improvement.failuremode", "calibration.conversationnote"),
            about="how the agent fails, named from notes beside conversations",
        ),
        PlacePage(
            "Snapshots",
            "snapshots",
            "gates.view_snapshotreview",
            rows=("gates.snapshotreview",),
            about="conversations of a repository that came out otherwise than they are kept",
        ),
    ),
)
_PROMPTS = SidebarPlace(
    "Prompts",
    "edit_note",
    (
        PlacePage(
            "Prompts",
            "admin:catalog_promptversion_changelist",
            "catalog.view_promptversion",
            ("/prompts/", "/workshop/compare/"),
        ),
        PlacePage("Drafts", "workshop", "improvement.view_promptdraft"),
        PlacePage("Rollouts", "rollouts", "production.view_rollout"),
        PlacePage(
            "Templates",
            "admin:improvement_prompttemplate_changelist",
            "improvement.view_prompttemplate",
            rows=("improvement.prompttemplate",),
            about="how the optimizer asks for a draft, in your own words",
        ),
    ),
)
_PRODUCTION = SidebarPlace(
    "Production",
    "sensors",
    (
        PlacePage("Overview", "production", "production.view_productionconversation"),
        PlacePage("Candidates", "candidates", "production.view_promotion"),
        PlacePage(
            "Anchors",
            "anchors",
            "production.view_anchorset",
            rows=("production.anchorset",),
            about="conversations judged again and again, to see the judge move",
        ),
        PlacePage(
            "Identity list",
            "admin:production_listedperson_changelist",
            "production.view_listedperson",
            ("/production/people/",),
            rows=("production.listedperson",),
            about="people whose names are masked wherever they stand",
        ),
        PlacePage(
            "WhatsApp",
            "admin:production_whatsappaccount_changelist",
            "production.change_whatsappaccount",
            rows=("production.whatsappaccount",),
            about="ratings by buttons below a reply",
        ),
        PlacePage(
            "Langfuse",
            "admin:production_langfusesource_changelist",
            "production.change_langfusesource",
            ("/langfuse/",),
            rows=("production.langfusesource",),
            about="conversations read from your Langfuse, scores written back",
        ),
        PlacePage(
            "OTLP",
            "admin:production_otlpreceiver_changelist",
            "production.change_otlpreceiver",
            ("/otlp/",),
            rows=("production.otlpreceiver",),
            about="scores sent on as traces",
        ),
    ),
)
_TEST_SET = SidebarPlace(
    "Test set",
    "checklist",
    (
        PlacePage("Agents", "admin:catalog_agent_changelist", "catalog.view_agent", ("/agents/",)),
        PlacePage("Personas", "admin:catalog_persona_changelist", "catalog.view_persona", ("/personas/",)),
        PlacePage("Scenarios", "admin:catalog_scenario_changelist", "catalog.view_scenario"),
        PlacePage(
            "Golden sessions",
            "admin:catalog_goldensession_changelist",
            "catalog.view_goldensession",
            ("/goldens/",),
        ),
        PlacePage("Criteria", "admin:catalog_criterion_changelist", "catalog.view_criterion"),
        PlacePage(
            "Evaluator configs",
            "admin:catalog_evaluatorconfig_changelist",
            "catalog.view_evaluatorconfig",
            ("/configs/", "/admin/catalog/evaluatorconfigversion/"),
        ),
        PlacePage("Starter packs", "packs", "catalog.add_evaluatorconfig"),
    ),
)
_USAGE = SidebarPlace(
    "Usage",
    "payments",
    (
        PlacePage("Usage", "usage", "budgets.view_modelcall"),
        PlacePage("Model calls", "admin:budgets_modelcall_changelist", "budgets.view_modelcall"),
    ),
)
_TENANT, _PEOPLE, _PROGRAMS = "This tenant", "People", "Programs"
_SETTINGS = SidebarPlace(
    "Settings",
    "settings",
    (
        PlacePage("Settings", "settings_list"),
        PlacePage(
            "General",
            "tenant_settings",
            "budgets.change_budget",
            about="thresholds, budgets, which model plays which role, what is stored and for how long",
            group=_TENANT,
        ),
        PlacePage(
            "Model providers",
            "admin:catalog_modelprovider_changelist",
            "catalog.view_modelprovider",
            ("/providers/",),
            about="keys, addresses and prices of the models that are called",
            group=_TENANT,
        ),
        PlacePage(
            "Import and export",
            "import_catalog",
            "catalog.add_criterion",
            ("/catalog/import-from/",),
            about="the test set as files, and tests of other tools",
            group=_TENANT,
        ),
        PlacePage(
            "Users", "admin:auth_user_changelist", "auth.view_user", about="who may sign in, and as what", group=_PEOPLE
        ),
        PlacePage(
            "Roles", "admin:auth_group_changelist", "auth.view_group", about="what each role may do", group=_PEOPLE
        ),
        PlacePage(
            "Sign-in",
            "admin:identity_identityprovider_changelist",
            "identity.view_identityprovider",
            about="through your own company's accounts, by OpenID Connect",
            group=_PEOPLE,
        ),
        PlacePage(
            "Erasure",
            "erasures",
            "erasure.view_erasure",
            about="find a person by phone number or id, and erase what they said",
            group=_PEOPLE,
        ),
        PlacePage(
            "Audit trail", "admin:audit_entry_changelist", "audit.view_entry", about="who changed what", group=_PEOPLE
        ),
        PlacePage(
            "API keys",
            "admin:api_apikey_changelist",
            "api.view_apikey",
            about="for pipelines and scripts, each with what it may do",
            group=_PROGRAMS,
        ),
        PlacePage(
            "Webhook keys",
            "admin:api_webhookkey_changelist",
            "api.view_webhookkey",
            rows=("api.webhookkey",),
            about="sign what is posted here and what is posted back",
            group=_PROGRAMS,
        ),
        PlacePage(
            "Callbacks",
            "admin:api_callback_changelist",
            "api.view_callback",
            rows=("api.callback",),
            about="what was posted to whoever asked for an evaluation",
            group=_PROGRAMS,
        ),
    ),
    listed=True,
)
_PLACES = (
    _HOME,
    _RESULTS,
    _CONVERSATIONS,
    _LABELLING,
    _PROMPTS,
    _PRODUCTION,
    _TEST_SET,
    _USAGE,
    _SETTINGS,
)
_PLATFORM = (
    SidebarPlace("Home", "home", (PlacePage("Home", "platform:index"),)),
    SidebarPlace(
        "Tenants", "domain", (PlacePage("Tenants", "platform:tenants_tenant_changelist", "tenants.view_tenant"),)
    ),
    SidebarPlace(
        "Workers and waiting work",
        "monitor_heart",
        (PlacePage("Workers and waiting work", "platform_health", "tenants.view_tenant"),),
    ),
)


@dataclass(frozen=True, slots=True)
class _WaitingRows:
    """Count of what waits on a page.

    It says who can do something about it, and has a query of its rows for the person who asks.
    """

    right: str
    rows: Callable[[str], tuple[str, Sequence[Any]]]


_WAITING = {
    "labelling": _WaitingRows("calibration.add_humanlabel", rows_to_rate),
    "candidates": _WaitingRows("production.change_promotion", lambda _: rows_of(candidates_waiting())),
}


def places() -> Sequence[SidebarPlace]:
    """Return this host's sections of the sidebar. No query."""
    return _PLATFORM if current_schema() == PUBLIC else _PLACES


def open_pages(place: SidebarPlace, request: HttpRequest) -> list[PlacePage]:
    """Return the pages of a place that are there and that this person may open. A list of none of them is no page."""
    may = [page for page in place.pages if not page.permission or request.user.has_perm(page.permission)]
    linked = [page for page in may if page.link()]
    return [] if place.listed and len(linked) == 1 else linked


def shown_pages(place: SidebarPlace, request: HttpRequest) -> list[PlacePage]:
    """Return the section's pages that are in use here, or on which this request is.

    Only pages that this person may open. One query a request, however often it is asked.
    """
    pages = open_pages(place, request)
    if not any(page.rows for page in pages):
        return pages
    used = _figures(request).used
    at = here(request)
    return [page for page in pages if not page.rows or used.intersection(page.rows) or (place, page) == at]


def unused_pages(request: HttpRequest) -> list[PlacePage]:
    """Return the pages that the sidebar does not show yet, for Settings."""
    return [
        page for place in places() for page in open_pages(place, request) if page not in shown_pages(place, request)
    ]


def settings_groups(request: HttpRequest) -> dict[str, list[PlacePage]]:
    """Return the pages of Settings that this person may open and that are in use here, by their heading."""
    groups: dict[str, list[PlacePage]] = {}
    for page in shown_pages(_SETTINGS, request):
        if page.group:
            groups.setdefault(page.group, []).append(page)
    return groups


def waiting_at(pages: Sequence[PlacePage], request: HttpRequest) -> str:
    """Return how much waits on these pages for this person, "" for nothing. On Home itself it is said in words.

    The query is the one that `shown_pages` makes.
    """
    waits = sum(_figures(request).waiting.get(page.address, 0) for page in pages)
    if _HOME.pages[0] in pages and request.path != _HOME.pages[0].link():
        waits += waiting_at_home(request.user.get_username())
    return f"{MAX_COUNTED - 1}+" if waits >= MAX_COUNTED else str(waits or "")


def trail(title: str, request: HttpRequest) -> list[tuple[str, str]]:
    """Return the place of a page and the page, each with its address; one step where both have the same word.

    The address is "" for whoever may not open it.

    Raises KeyError for a page that the sidebar of no host has: a breadcrumb in other words is a mistake.
    """
    known = {page.title: (place, page) for place in (*_PLACES, *_PLATFORM) for page in place.pages}
    place, page = known[title]
    pages = open_pages(place, request)
    steps = [(place.title, pages[0].link() if pages else ""), (page.title, page.link() if page in pages else "")]
    return steps[1:] if place.title == page.title else steps


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """Return one group for Unfold: each place leads to its first page that this person may open."""
    at = here(request)
    items = []
    for place in places():
        if pages := shown_pages(place, request) or open_pages(place, request):
            items.append(
                {
                    "title": place.title,
                    "icon": place.icon,
                    "link": pages[0].link(),
                    "active": at is not None and at[0] is place,
                    "waiting": waiting_at(pages, request),
                    "permission": _already_asked,
                }
            )
    return [{"title": "", "items": items}]


def here(request: HttpRequest) -> tuple[SidebarPlace, PlacePage] | None:
    """Return the place and page that this request is for or lies under: the longest address. Nothing is under Home."""
    matches = [
        (len(prefix), place, page)
        for place in places()
        for page in place.pages
        for prefix in (page.link(), *page.under)
        if prefix and (request.path == prefix if page.title == "Home" else request.path.startswith(prefix))
    ]
    return max(matches, key=lambda match: match[0])[1:] if matches else None


def _figures(request: HttpRequest) -> SidebarFigures:
    """Ask what is used and what waits here, once a request; on the platform's host nothing."""
    if not hasattr(request, "sidebar_figures"):
        there = places()
        every = {label for place in there for page in place.pages for label in page.rows}
        user = request.user
        waits = {
            address: one.rows(user.get_username())
            for address, one in (_WAITING.items() if there is _PLACES else ())
            if user.has_perm(one.right)
        }
        request.sidebar_figures = sidebar_figures(every, waits)  # type: ignore[attr-defined]
    return request.sidebar_figures  # type: ignore[attr-defined,no-any-return]


def _already_asked(request: HttpRequest) -> bool:
    """Unfold asks again for each item; only those that may be opened are items."""
    return True
