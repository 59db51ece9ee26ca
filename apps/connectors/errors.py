"""The one error tree of the connectors.

ConnectorError
├── AddressRefused      the guard on outgoing addresses said no (never retried)
├── Unreachable         no answer: connect, read, timeout
├── RateLimited         come back later on the same model: `retry_after` seconds, `told` by it or not (not a failure)
│   ├── AllTaken        (llms) its server has as many of our questions as it takes at once
│   └── ServerAway      (llms) its connection is refused, for a while: the server's state and no question's failure
├── QuotaSpent          this provider will not answer again soon: go to the fallback at once
├── RemoteFailure       5xx: may be repeated
│   └── AgentFailed     (agents) an exception of the agent's own: status 500, JSON-RPC -32603
├── RemoteRefusal       4xx: our request or credentials are wrong, repeating does not help
│   └── OtherPrompt     (agents) it says that it played another prompt than the one it was sent
├── BadReply            an answer that breaks its own protocol
├── AgentRefused        (agents) the agent answered with a failed / rejected / auth-required task
└── ModelError          (llms) primary, its repeat and the fallback all failed; `raw` holds the last error
"""

from typing import Any

from apps.core.errors import Fault, RatibaError


class ConnectorError(RatibaError):
    """Something outside did not do what we needed. `raw` is the remote's own words, cut to 4,000 characters.

    `attempts` holds every metered model call that led here, failed ones too (llms.base.Attempt, set by retry)."""

    code = "connector_error"
    fault = Fault.REMOTE

    def __init__(self, message: str, *, status: int | None = None, raw: str = "", **extra: Any) -> None:
        super().__init__(message, **extra)
        self.status = status
        self.raw = raw[:4000]
        self.attempts: tuple[Any, ...] = ()


class AddressRefused(ConnectorError):
    code = "address_refused"
    fault = Fault.CALLER


class Unreachable(ConnectorError):
    """Error of a server that cannot be reached.

    `sent` is False only when it is certain that not one byte of the request reached the other side.
    """

    code = "unreachable"
    retryable = True

    def __init__(self, message: str, *, timed_out: bool = False, sent: bool = True, **extra: Any) -> None:
        super().__init__(message, **extra)
        self.timed_out = timed_out
        self.sent = sent

    @property
    def refused(self) -> bool:
        """Tell whether the machine is there and nothing listens at the port."""
        cause = self.__cause__
        while cause is not None and not isinstance(cause, ConnectionRefusedError):
            cause = cause.__cause__
        return cause is not None


class RateLimited(ConnectorError):
    code = "rate_limited"
    retryable = True

    does = "limits us"  # what is said of the model that is waited for

    def __init__(self, message: str, *, retry_after: float, told: bool = True, **extra: Any) -> None:
        super().__init__(message, **extra)
        self.retry_after = retry_after
        self.told = told


class AllTaken(RateLimited):
    """The model's server has as many of our questions as it takes at once."""

    does = "answers others"


class ServerAway(RateLimited):
    """Error of a model's address at which nobody listens: all callers wait, as they wait for a limit."""

    does = "cannot be reached"


class QuotaSpent(ConnectorError):
    code = "quota_spent"


class RemoteFailure(ConnectorError):
    code = "remote_failure"
    retryable = True


class RemoteRefusal(ConnectorError):
    code = "remote_refusal"


class OtherPrompt(RemoteRefusal):
    """The agent played another prompt than it was sent: its answers say nothing about ours."""

    code = "other_prompt"


# Refusals that may be another answer later, though the same is asked: too slow (408), in use (423), too early (425).
_PASSING = (408, 423, 425)


def is_permanent(error: ConnectorError) -> bool:
    """Tell whether the same request would be refused again.

    The other side is there, or our own guard is, and says no.
    """
    refused = isinstance(error, RemoteRefusal | AddressRefused)
    return refused and error.status not in _PASSING


class BadReply(ConnectorError):
    code = "bad_reply"


class AgentFailed(RemoteFailure):
    """The agent took the turn and broke over it. Its own failure (blame agent_quality), not the network's."""

    code = "agent_failed"
    retryable = False


class AgentRefused(ConnectorError):
    """The agent answered with a task that failed. Its own failure too; `said` is what it told the customer, or ""."""

    code = "agent_refused"

    def __init__(self, message: str, *, said: str = "", **extra: Any) -> None:
        super().__init__(message, **extra)
        self.said = said


class ModelError(ConnectorError):
    code = "model_error"
