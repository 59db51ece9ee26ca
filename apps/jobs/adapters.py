"""The registry of buttons: each room adds its lines when Django starts, before models may be imported."""

# What a button on a page may ask workers for: kind -> dotted path of its handler (apps.jobs.services.interactive).
interactive_handlers: dict[str, str] = {}
