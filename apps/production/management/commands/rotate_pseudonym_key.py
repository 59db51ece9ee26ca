"""Command `rotate_pseudonym_key --tenant T`: give digests of people a new key.

Digests under older keys are still found.
"""

from typing import Any

from apps.production.privacy.services.pseudonyms import rotate_pseudonym_key
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = (
        "Digest phones, e-mails, references and WhatsApp ids under a new key from now on. The old keys stay, so that "
        "whoever was digested under them is still found. Exit code 0. Each call makes one more key."
    )

    def answer(self, **_: Any) -> Any:
        return {"number": rotate_pseudonym_key()}

    def show(self, answer: Any) -> None:
        self.stdout.write(f"key {answer['number']} is in use from now on")
