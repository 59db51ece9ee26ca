"""Tell whether the tenant's conversations are stored as they came or masked (its setting `store`)."""

from apps.tenants.context import current_slug
from apps.tenants.domain.workflow_config import Store
from apps.tenants.queries import workflow_config


def masks_at_rest() -> bool:
    """Tell whether what is written now is masked first. One query; what is stored already stays as it is."""
    return workflow_config(current_slug()).store == Store.MASKED
