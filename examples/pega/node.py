"""One node: its settings, its clock, its archive and its tokens, as every route sees them."""

import hashlib
import threading
import time
from dataclasses import dataclass, field
from datetime import timedelta

from examples.pega.clock import NodeClock
from examples.pega.conversations import Archive
from examples.pega.switches import NodeFault, Variant

AGENT_ID = "@BASECLASS!CampaignAssistant"
ALIAS = "campaigns"
CLIENT_ID, CLIENT_SECRET = "campaign-tester", "loopback-only"
CALLS_BEFORE_REVOCATION = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSettings:
    """What the command line chose. Seconds are the node's own (`time_scale` of them pass in a real one), but for
    `token_s`, which a client's own clock counts."""

    faults: frozenset[NodeFault] = frozenset()
    variants: frozenset[Variant] = frozenset()
    client_id: str = CLIENT_ID
    client_secret: str = CLIENT_SECRET
    token_s: float = 3600
    lag_s: float = 1.5
    delay_s: tuple[float, float] = (0.0, 0.0)
    pace: float = 0.0
    time_scale: float = 1.0
    session_pace: float = 1.0
    seed: int = 0


class Tokens:
    """Bearer tokens: issued for the right credentials, refused after their time or, by a fault, after a few calls."""

    def __init__(self, settings: NodeSettings) -> None:
        self._settings = settings
        self._valid: dict[str, tuple[float, int]] = {}
        self._issued = 0
        self._lock = threading.Lock()
        self.asked = 0

    def issue(self) -> str:
        """A new token of about 1.2 kB."""
        with self._lock:
            self._issued += 1
            seed = f"{self._settings.seed}-{self._issued}-{time.time_ns()}"
            value = "".join(hashlib.sha512(f"{seed}-{part}".encode()).hexdigest() for part in range(9))
            self._valid[value] = (time.monotonic() + self._settings.token_s, 0)
        return value

    def accepts(self, value: str) -> bool:
        """Whether a call with this token may pass; it counts as one."""
        with self._lock:
            until, calls = self._valid.get(value, (0.0, 0))
            spent = NodeFault.TOKEN_EXPIRES in self._settings.faults and calls >= CALLS_BEFORE_REVOCATION
            if spent or time.monotonic() >= until:
                self._valid.pop(value, None)
                return False
            self._valid[value] = (until, calls + 1)
        return True


@dataclass(slots=True, kw_only=True)
class Node:
    """All that one server has. `base` is its address without a path."""

    settings: NodeSettings
    base: str = ""
    clock: NodeClock = field(init=False)
    archive: Archive = field(init=False)
    tokens: Tokens = field(init=False)

    def __post_init__(self) -> None:
        self.clock = NodeClock(scale=self.settings.time_scale)
        self.archive = Archive(seed=self.settings.seed)
        self.tokens = Tokens(self.settings)

    @property
    def lag(self) -> timedelta:
        """How long the data view is behind."""
        return timedelta(seconds=self.settings.lag_s)

    def has(self, switch: NodeFault | Variant) -> bool:
        """Whether a fault or a variant is on."""
        return switch in self.settings.faults or switch in self.settings.variants
