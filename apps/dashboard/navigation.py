"""The sidebar: twelve places in the order of the work, and the pages of each as tabs. Unfold asks for it on every page
(settings.UNFOLD). A place that has no page yet, or none that this person may open, is not shown; nor is a page that
nobody of the tenant has used."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from apps.dashboard.queries.used_pages import used_models
from apps.tenants.context import current_schema
from apps.tenants.domain.naming import PUBLIC


@dataclass(frozen=True, slots=True)
class PlacePage:
    """A page of a place: its word, the name of its address, who may open it, and what else lies under it. One with
    `rows` is shown once a table of them has a row; until then Settings and the palette lead to it, by what it is
    `about`."""

    title: str
    address: str
    permission: str = ""
    under: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    about: str = ""

    def link(self) -> str:
        """ "" for a page of a room that is not there."""
        try:
            return reverse(self.address)
        except NoReverseMatch:
            return ""


@dataclass(frozen=True, slots=True)
class SidebarPlace:
    title: str
    icon: str
    pages: Sequence[PlacePage]


_PLACES = (
    SidebarPlace(
        "Home",
        "home",
        (
            PlacePage("Home", "admin:index"),
            PlacePage(
                "Saved views",
                "saved_views",
                "runs.view_testrun",
                rows=("reports.savedview",),
                about="a list with its filters under a name, also as a mail every week",
            ),
        ),
    ),
    SidebarPlace(
        "Runs", "play_circle", (PlacePage("Runs", "admin:runs_testrun_changelist", "runs.view_testrun", ("/runs/",)),)
    ),
    SidebarPlace(
        "Evaluations",
        "fact_check",
        (
            PlacePage(
                "Evaluations",
                "admin:evaluations_evaluation_changelist",
                "evaluations.view_evaluation",
                ("/evaluations/",),
            ),
            PlacePage("Trends", "trends", "evaluations.view_evaluation"),
            PlacePage("Comparisons", "comparison", "evaluations.view_evaluation"),
            PlacePage("Gates", "admin:gates_pullrequestgate_changelist", "gates.view_pullrequestgate", ("/gates/",)),
            PlacePage(
                "Floors",
                "admin:gates_gatefloor_changelist",
                "gates.view_gatefloor",
                rows=("gates.gatefloor",),
                about="what no pull request may loosen in the rule of its own gate",
            ),
        ),
    ),
    SidebarPlace(
        "Conversations",
        "forum",
        (
            PlacePage(
                "Conversations", "admin:runs_conversation_changelist", "runs.view_conversation", ("/conversations/",)
            ),
        ),
    ),
    SidebarPlace(
        "Review",
        "rate_review",
        (
            PlacePage("Calibration", "calibration", "calibration.view_certificate"),
            PlacePage("Labelling", "labelling", "calibration.add_humanlabel"),
            PlacePage("Queues", "queues", "calibration.view_certificate", ("/labelling/queues/",)),
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
    ),
    SidebarPlace(
        "Workshop",
        "construction",
        (
            PlacePage("Drafts", "workshop", "improvement.view_promptdraft", ("/workshop/",)),
            PlacePage(
                "Prompts", "admin:catalog_promptversion_changelist", "catalog.view_promptversion", ("/prompts/",)
            ),
            PlacePage(
                "Templates",
                "admin:improvement_prompttemplate_changelist",
                "improvement.view_prompttemplate",
                rows=("improvement.prompttemplate",),
                about="how the optimizer asks for a draft, in your own words",
            ),
        ),
    ),
    SidebarPlace(
        "Production",
        "sensors",
        (
            PlacePage("Production", "production", "production.view_productionconversation"),
            PlacePage(
                "Anchors",
                "anchors",
                "production.view_anchorset",
                ("/production/anchors/",),
                rows=("production.anchorset",),
                about="conversations judged again and again, to see the judge move",
            ),
            PlacePage("Candidates", "candidates", "production.view_promotion", ("/production/candidates/",)),
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
            PlacePage("Rollouts", "rollouts", "production.view_rollout", ("/production/rollouts/",)),
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
    ),
    SidebarPlace(
        "Agents",
        "support_agent",
        (PlacePage("Agents", "admin:catalog_agent_changelist", "catalog.view_agent", ("/agents/",)),),
    ),
    SidebarPlace(
        "Customers",
        "theater_comedy",
        (
            PlacePage("Personas", "admin:catalog_persona_changelist", "catalog.view_persona", ("/personas/",)),
            PlacePage("Scenarios", "admin:catalog_scenario_changelist", "catalog.view_scenario"),
            PlacePage(
                "Golden sessions",
                "admin:catalog_goldensession_changelist",
                "catalog.view_goldensession",
                ("/goldens/",),
            ),
        ),
    ),
    SidebarPlace(
        "Criteria",
        "checklist",
        (
            PlacePage("Criteria", "admin:catalog_criterion_changelist", "catalog.view_criterion"),
            PlacePage(
                "Evaluator configs",
                "admin:catalog_evaluatorconfig_changelist",
                "catalog.view_evaluatorconfig",
                ("/configs/", "/admin/catalog/evaluatorconfigversion/"),
            ),
            PlacePage("Starter packs", "packs", "catalog.add_evaluatorconfig"),
        ),
    ),
    SidebarPlace(
        "Usage",
        "payments",
        (
            PlacePage("Usage", "usage", "budgets.view_modelcall"),
            PlacePage("Model calls", "admin:budgets_modelcall_changelist", "budgets.view_modelcall"),
        ),
    ),
    SidebarPlace(
        "Settings",
        "settings",
        (
            PlacePage("Settings", "tenant_settings", "budgets.change_budget"),
            PlacePage("Users", "admin:auth_user_changelist", "auth.view_user"),
            PlacePage("Roles", "admin:auth_group_changelist", "auth.view_group"),
            PlacePage("Sign-in", "admin:identity_identityprovider_changelist", "identity.view_identityprovider"),
            PlacePage("API keys", "admin:api_apikey_changelist", "api.view_apikey"),
            PlacePage(
                "Webhook keys",
                "admin:api_webhookkey_changelist",
                "api.view_webhookkey",
                rows=("api.webhookkey",),
                about="sign what is posted here and what is posted back",
            ),
            PlacePage(
                "Callbacks",
                "admin:api_callback_changelist",
                "api.view_callback",
                rows=("api.callback",),
                about="what was posted to whoever asked for an evaluation",
            ),
            PlacePage(
                "Model providers",
                "admin:catalog_modelprovider_changelist",
                "catalog.view_modelprovider",
                ("/providers/",),
            ),
            PlacePage("Import and export", "import_catalog", "catalog.add_criterion", ("/catalog/import-from/",)),
            PlacePage("Alerts", "alerts", "alerts.view_alert", ("/alerts/",)),
            PlacePage("Erasure", "erasures", "erasure.view_erasure", ("/erasures/",)),
            PlacePage("Audit trail", "admin:audit_entry_changelist", "audit.view_entry"),
        ),
    ),
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


def places() -> Sequence[SidebarPlace]:
    """Return this host's sections of the sidebar. No query."""
    return _PLATFORM if current_schema() == PUBLIC else _PLACES


def open_pages(place: SidebarPlace, request: HttpRequest) -> list[PlacePage]:
    """The pages of a place that are there and that this person may open."""
    may = [page for page in place.pages if not page.permission or request.user.has_perm(page.permission)]
    return [one for one in may if one.link()]


def shown_pages(place: SidebarPlace, request: HttpRequest) -> list[PlacePage]:
    """Return the section's pages that are in use here, or on which this request is.

    Only pages that this person may open. One query a request, however often it is asked.
    """
    pages = open_pages(place, request)
    if not any(page.rows for page in pages):
        return pages
    if not hasattr(request, "used_models"):
        every = {label for each_place in places() for page in each_place.pages for label in page.rows}
        request.used_models = used_models(every)  # type: ignore[attr-defined]
    used: frozenset[str] = request.used_models  # type: ignore[attr-defined]
    at = here(request, place)
    return [page for page in pages if not page.rows or used.intersection(page.rows) or page == at]


def unused_pages(request: HttpRequest) -> list[PlacePage]:
    """The pages that the sidebar does not show yet, for Settings."""
    return [
        page for place in places() for page in open_pages(place, request) if page not in shown_pages(place, request)
    ]


def place_address(title: str, request: HttpRequest) -> str:
    """Return the address of a sidebar section for this person; "" where they may open none of its pages.

    Raises KeyError for a section that the sidebar of no host has: a breadcrumb in other words is a mistake.
    """
    known = {one.title: one for one in (*_PLACES, *_PLATFORM)}
    pages = open_pages(known[title], request)
    return pages[0].link() if pages else ""


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """One group for Unfold: each place leads to its first page that this person may open."""
    items = []
    for place in places():
        pages = open_pages(place, request)
        if pages := [page for page in pages if not page.rows] or pages:  # those without rows need no query
            items.append(
                {
                    "title": place.title,
                    "icon": place.icon,
                    "link": pages[0].link(),
                    "active": here(request, place) is not None,
                    "permission": _already_asked,
                }
            )
    return [{"title": "", "items": items}]


def here(request: HttpRequest, place: SidebarPlace) -> PlacePage | None:
    """The page of a place that this request is for or lies under; the longest address wins."""
    found = [
        (len(prefix), page)
        for page in place.pages
        for prefix in (page.link(), *page.under)
        if prefix and (request.path == prefix if place.title == "Home" else request.path.startswith(prefix))
    ]
    return max(found, key=lambda one: one[0])[1] if found else None


def _already_asked(request: HttpRequest) -> bool:
    """Unfold asks again for each item; only those that may be opened are items."""
    return True
