"""A tenant with the agent `campaign` and a judge of its own, for golden_faults."""

import uuid

from apps.catalog.services.connections import save_model_provider
from apps.tenants.context import in_tenant
from apps.tenants.models import Tenant
from apps.tenants.services import add_tenant
from ratiba_eval import demo_campaign


def make(*, port: int, judge_url: str) -> str:
    """The tenant's slug. `judge_url` is an OpenAI-compatible address; "" leaves the tenant without a judge."""
    slug = f"golden-{uuid.uuid4().hex[:8]}"
    add_tenant(slug=slug, name=slug, vertical="spa")
    with in_tenant(slug):
        demo_campaign.set_up_campaign(port=port)
        if judge_url:
            save_model_provider(
                name="scripted",
                kind="openai",
                base_url=judge_url,
                api_key="not-a-key",
                options={"price_provider": "openai"},
            )
    if judge_url:
        judge = {"provider": "scripted", "model": "gpt-4o"}
        Tenant.objects.filter(slug=slug).update(settings={"models": {"judge": judge}})
    return slug
