"""The sidebar: work, catalog, trust and cost. Unfold asks for it on every page (settings.UNFOLD)."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from apps.tenants.context import current_schema
from apps.tenants.domain.naming import PUBLIC

_MENU: tuple[tuple[str, tuple[tuple[str, str, str, str], ...]], ...] = (
    ("", (("Home", "home", "admin:index", ""),)),
    (
        "Work",
        (
            ("Runs", "play_circle", "admin:runs_testrun_changelist", "runs.view_testrun"),
            ("Evaluations", "fact_check", "admin:evaluations_evaluation_changelist", "evaluations.view_evaluation"),
            ("Comparisons", "compare_arrows", "comparison", "evaluations.view_evaluation"),
            ("Conversations", "forum", "admin:runs_conversation_changelist", "runs.view_conversation"),
        ),
    ),
    (
        "Catalog",
        (
            ("Agents", "support_agent", "admin:catalog_agent_changelist", "catalog.view_agent"),
            ("Personas", "theater_comedy", "admin:catalog_persona_changelist", "catalog.view_persona"),
            ("Scenarios", "movie", "admin:catalog_scenario_changelist", "catalog.view_scenario"),
            ("Criteria", "checklist", "admin:catalog_criterion_changelist", "catalog.view_criterion"),
            (
                "Evaluator configs",
                "tune",
                "admin:catalog_evaluatorconfig_changelist",
                "catalog.view_evaluatorconfig",
            ),
            ("Golden sessions", "star", "admin:catalog_goldensession_changelist", "catalog.view_goldensession"),
            ("Prompts", "article", "admin:catalog_promptversion_changelist", "catalog.view_promptversion"),
            ("Import and export", "import_export", "import_catalog", "catalog.add_criterion"),
            ("Model providers", "hub", "admin:catalog_modelprovider_changelist", "catalog.view_modelprovider"),
        ),
    ),
    (
        "Trust and cost",
        (
            ("Calibration", "verified", "calibration", "calibration.view_certificate"),
            ("Labelling", "rate_review", "labelling", "calibration.add_humanlabel"),
            ("Usage", "payments", "usage", "budgets.view_modelcall"),
            ("Model calls", "receipt_long", "admin:budgets_modelcall_changelist", "budgets.view_modelcall"),
        ),
    ),
    (
        "House",
        (
            ("Users", "group", "admin:auth_user_changelist", "auth.view_user"),
            ("API keys", "key", "admin:api_apikey_changelist", "api.view_apikey"),
            ("Webhook keys", "webhook", "admin:api_webhookkey_changelist", "api.view_webhookkey"),
            ("Callbacks", "outgoing_mail", "admin:api_callback_changelist", "api.view_callback"),
            ("Audit trail", "history", "admin:audit_entry_changelist", "audit.view_entry"),
        ),
    ),
)

_PLATFORM: tuple[tuple[str, tuple[tuple[str, str, str, str], ...]], ...] = (
    (
        "",
        (
            ("Home", "home", "platform:index", ""),
            ("Tenants", "domain", "platform:tenants_tenant_changelist", "tenants.view_tenant"),
            ("Workers and waiting work", "monitor_heart", "platform_health", "tenants.view_tenant"),
        ),
    ),
)

# Pages of the dashboard that belong under an entry of the menu.
_BELONGS = {"Runs": "/runs/", "Evaluations": "/evaluations/", "Conversations": "/conversations/"}


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """What this person may open, on the platform's own host its own pages. No query."""
    groups = []
    for title, entries in _PLATFORM if current_schema() == PUBLIC else _MENU:
        items = []
        for name, icon, address, permission in entries:
            try:
                link = reverse(address)
            except NoReverseMatch:  # a room that is not there has no entry
                continue
            items.append(
                {
                    "title": name,
                    "icon": icon,
                    "link": link,
                    "active": _is_here(request, name, link),
                    "permission": _allows(permission),
                }
            )
        groups.append({"title": title, "items": items})
    return groups


def place_address(place: str) -> str:
    """Where an entry of this host's sidebar leads, by its word. Raises KeyError where there is no such entry."""
    menu = _PLATFORM if current_schema() == PUBLIC else _MENU
    found = {name: address for _, entries in menu for name, _, address, _ in entries}
    return reverse(found[place])


def _is_here(request: HttpRequest, name: str, link: str) -> bool:
    here = request.path
    return here == link if name == "Home" else here.startswith((link, _BELONGS.get(name, link)))


def _allows(permission: str) -> Callable[[HttpRequest], bool]:
    return lambda request: not permission or request.user.has_perm(permission)
