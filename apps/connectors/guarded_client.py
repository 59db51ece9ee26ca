"""A client of ours: what cannot be an address is refused as what is not allowed to be one."""

from typing import Any

import httpx

from apps.connectors.addresses import OutboundPolicy
from apps.connectors.errors import AddressRefused


class GuardedClient(httpx.AsyncClient):
    """A client that raises AddressRefused for an address that it cannot read, as for one that is not allowed.

    Each caller knows that error.
    """

    def __init__(self, policy: OutboundPolicy, **options: Any) -> None:
        super().__init__(**options)
        self._policy = policy

    def build_request(self, method: str, url: Any, **options: Any) -> httpx.Request:
        """Build the request. Raises AddressRefused where its address cannot be read."""
        try:
            return super().build_request(method, url, **options)
        except UnicodeEncodeError:  # a header: whoever set it says which
            raise
        except (httpx.InvalidURL, UnicodeError) as error:  # the latter of a host name's letters
            raise AddressRefused(f"{self._policy.purpose} address cannot be read: {error}") from None
