"""rotate_secrets --tenant SLUG: stored secrets written again under the newest key of RATIBA_FIELD_KEY."""

from typing import Any

from apps.catalog.connections.services.key_rotation import reencrypt_secrets
from apps.tenants.commands import Exit, TenantCommand


class Command(TenantCommand):
    help = (
        "After putting a new key in front (RATIBA_FIELD_KEY=new,old): write all secrets under it, then drop the old. "
        "Exits with 1 where a secret could not be read: it is named, and the others are written."
    )

    def answer(self, **options: Any) -> tuple[dict[str, Any], Exit]:
        rotation = reencrypt_secrets()
        answer = {"rewritten": rotation.rewritten, "unreadable": [str(one) for one in rotation.unreadable]}
        return answer, Exit.NO if rotation.unreadable else Exit.DONE

    def show(self, answer: Any) -> None:
        self.stdout.write(f"rewritten: {answer['rewritten']}")
        for one in answer["unreadable"]:
            self.stdout.write(f"not readable with the present keys, enter it again: {one}")
