"""Setting up a tenant without a shell: starter packs, and its settings on its own host."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.catalog.configs.queries.versions import published_configs
from apps.catalog.files.services.packs import load_pack, pack_contents
from apps.catalog.models import ModelProvider
from apps.connectors.llms.registry import provider_names
from apps.core.errors import BadInput, RatibaError
from apps.dashboard.navigation import settings_groups, unused_pages
from apps.dashboard.page_access import READ, show, staff_page
from apps.tenants.admin.settings_form import SettingsForm
from apps.tenants.context import current_slug, in_public
from apps.tenants.domain.workflow_config import JUDGED_CRITERIA, ROLES, WorkflowConfig
from apps.tenants.queries import tenant_models, workflow_config
from apps.tenants.services import update_workflow_config

SETTINGS = "budgets.change_budget"  # owners alone: the settings decide what may be spent, and on which model
LOAD = ("catalog.add_criterion", "catalog.add_evaluatorconfig", "catalog.add_persona", "catalog.add_scenario")


@dataclass(frozen=True, slots=True)
class _Pack:
    name: str
    title: str
    what: str
    counts: str
    loaded: bool


_WORDS = {
    "service-booking": ("Booking a service", "appointments by chat: salons, clinics, workshops; with payment safety"),
    "outbound-sales": ("Outbound sales", "a call or chat that leads to an appointment"),
    "outbound-cold": ("Cold outreach", "first contact with who does not know you"),
    "inbound-support": ("Inbound support", "a customer comes with a problem"),
    "dental-reception": ("Dental reception", "appointments, pain and prices at a dentist's or doctor's"),
    "hotel": ("Hotel", "rooms, prices and changes, in Italian and English"),
    "shop-support": ("Online shop", "orders, returns and refunds"),
    "telecom": ("Mobile and internet", "bundles, faults and lost SIM cards"),
    "labelling": ("Labelling", "the three criteria that people rate every month"),
}
_ORDER = {name: place for place, name in enumerate(_WORDS)}


@staff_page(*LOAD)
def packs(request: HttpRequest) -> HttpResponse:
    """The page of starter packs, to judge with from the first day; POST adds what is missing, changes nothing."""
    if request.method == "POST":
        name = request.POST.get("pack", "")
        try:
            report = load_pack(name, at=timezone.now(), by=request.user.get_username())
        except RatibaError as error:
            messages.error(request, error.message)
        else:
            added = len(report.new_items)
            messages.success(request, f"{added} added." if added else "Everything in it was here already.")
        return redirect("packs")
    there = set(published_configs())
    shown_packs = [
        _Pack(name, *_WORDS.get(name, (name, "")), one.counts, loaded=bool(one.configs) and one.configs <= there)
        for name, one in sorted(
            pack_contents().items(), key=lambda item: (item[0] not in _WORDS, _ORDER.get(item[0], 0))
        )
    ]
    return show(
        request,
        "settings/packs",
        "Starter packs",
        found=shown_packs,
        any_loaded=any(pack.loaded for pack in shown_packs),
    )


@staff_page(methods=READ)
def settings_list(request: HttpRequest) -> HttpResponse:
    """The list of settings: each page that this person may open, by what it is for."""
    groups, unused = settings_groups(request), unused_pages(request)
    return show(request, "settings/settings_list", "Settings", groups=groups, unused=unused)


@staff_page(SETTINGS)
def tenant_settings(request: HttpRequest) -> HttpResponse:
    """Show the tenant's thresholds, budgets, models and storing to its owners. The form is the platform's."""
    from django.contrib.auth.models import User  # noqa: PLC0415 - apps must be loaded first

    slug = current_slug()
    try:
        config, broken = workflow_config(slug), ""
    except BadInput as error:  # stored by hand, or by other code: the page must still open, to mend it
        config, broken = WorkflowConfig(), error.message
    form = SettingsForm(request.POST or None, config=config, chosen=frozenset() if broken else tenant_models(slug))
    for name, listed in (("calibration_owner", "people"), ("calibration_config", "configs")):
        form.fields[name].widget.attrs["list"] = listed
    for role in ROLES:
        for part in ("provider", "fallback-provider"):
            form.fields[f"models-{role}-{part}"].widget.attrs["list"] = "providers"
    built_in = provider_names()
    offered = {
        "people": list(User.objects.filter(is_active=True, is_staff=True).values_list("username", flat=True)),
        "configs": [JUDGED_CRITERIA, *published_configs()],
        "providers": [*built_in, *ModelProvider.objects.exclude(name__in=built_in).values_list("name", flat=True)],
    }
    refused = False
    if request.method == "POST":
        refused = not form.is_valid() or not _names_known(form, config, offered)
        if not refused:
            try:
                with in_public():
                    update_workflow_config(slug=slug, changes=form.changes())
            except RatibaError as error:
                form.refuse(error)
                refused = True
            else:
                messages.success(request, "Saved. Runs that have begun keep the settings they began with.")
                return redirect("tenant_settings")
    context = {"form": form, "broken": broken, "offered": offered}
    answer = show(request, "settings/tenant_settings", "General", **context)
    if refused:
        answer.status_code = 422
    return answer


def _names_known(form: SettingsForm, config: WorkflowConfig, offered: Mapping[str, Sequence[str]]) -> bool:
    """Tell whether who and what is newly named is there; else it is said at the field.

    What was stored before may stay.
    """
    for name, known in (("calibration_owner", offered["people"]), ("calibration_config", offered["configs"])):
        value = form.cleaned_data.get(name) or ""
        if value and value != getattr(config, name) and value not in known and value.partition("@")[0] not in known:
            what = "person who may sign in here" if name == "calibration_owner" else "published evaluator config"
            form.add_error(name, f"No {what} is called {value[:80]}.")
    return not form.errors
