"""Registries of the room: each room adds its lines when Django starts, before models may be imported."""

# What can be delivered: kind -> dotted path of its adapter (apps.jobs.services.outbound).
adapters: dict[str, str] = {}

# What a button on a page may ask workers for: kind -> dotted path of its handler (apps.jobs.services.interactive).
interactive_handlers: dict[str, str] = {}
