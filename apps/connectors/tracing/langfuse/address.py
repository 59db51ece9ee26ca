"""Describe a Langfuse project's address, and the pair of keys that opens it."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field

from apps.core.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class LangfuseAddress:
    """A Langfuse project. A missing address is an error and never the cloud."""

    base_url: str
    public_key: str
    secret_key: str = field(repr=False)

    @property
    def authorization(self) -> str:
        """The header's value: a secret."""
        return "Basic " + base64.b64encode(f"{self.public_key}:{self.secret_key}".encode()).decode()

    def url(self, path: str) -> str:
        """Return the address of a path that begins with a slash."""
        return self.base_url.rstrip("/") + path

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "LangfuseAddress":
        """LANGFUSE_BASE_URL, LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY. Raises BadInput that names what is missing."""
        variables = {
            "LANGFUSE_BASE_URL": environment.get("LANGFUSE_BASE_URL", ""),
            "LANGFUSE_PUBLIC_KEY": environment.get("LANGFUSE_PUBLIC_KEY", ""),
            "LANGFUSE_SECRET_KEY": environment.get("LANGFUSE_SECRET_KEY", ""),
        }
        missing = [name for name, value in variables.items() if not value]
        if missing:
            raise BadInput(f"set {', '.join(missing)} to read from a Langfuse", code="not_configured")
        base_url, public_key, secret_key = variables.values()
        if set("?#") & set(base_url):
            raise BadInput("LANGFUSE_BASE_URL: leave out ? or # and what follows", code="not_configured")
        return cls(base_url=base_url, public_key=public_key, secret_key=secret_key)
