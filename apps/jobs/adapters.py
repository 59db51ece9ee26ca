"""The registry of what can be delivered: kind -> dotted path of its adapter (apps.jobs.services.outbound)."""

adapters: dict[str, str] = {}  # each room adds its line when Django starts, before models may be imported
