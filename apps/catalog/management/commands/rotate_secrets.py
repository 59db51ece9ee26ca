"""rotate_secrets --tenant SLUG: stored secrets written again under the newest key of RATIBA_FIELD_KEY."""

from typing import Any

from apps.catalog.services import reencrypt_secrets
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = "After putting a new key in front (RATIBA_FIELD_KEY=new,old): write all secrets under it, then drop the old."

    def answer(self, **options: Any) -> dict[str, Any]:
        return {"rewritten": reencrypt_secrets()}
