"""The tenant of one scenario, as hooks and tests see it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaConnections:
    """Called, it opens a connection into one schema. Plain data: it may go to another process."""

    url: str

    def __call__(self, **options: Any) -> Any:
        """As EvalTenant.connect."""
        import psycopg

        return psycopg.connect(self.url, **{"autocommit": True, **options})


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalTenant:
    """One scenario's tenant. Every connection made with `url` sees its schema and nothing else.

    `tenant_id` is what `register_test_tenant` answered; the schema's name until then.
    """

    scenario_id: str
    schema: str
    url: str
    tenant_id: Any

    def connect(self, **options: Any) -> Any:
        """A psycopg connection into the schema, in autocommit; options are psycopg's. The caller closes it."""
        return SchemaConnections(url=self.url)(**options)
