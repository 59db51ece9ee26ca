"""The room's place in Django."""

from django.apps import AppConfig


class IdentityConfig(AppConfig):
    name = "apps.identity"
    label = "identity"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in  # noqa: PLC0415 - apps must be loaded first

        from apps.identity.signals import mark_session  # noqa: PLC0415 - as above

        user_logged_in.connect(mark_session, dispatch_uid="identity_mark_session")
