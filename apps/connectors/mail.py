"""E-mail over the operator's own SMTP server (RATIBA_SMTP_URL): one message to a few addresses."""

import asyncio
import smtplib
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

_PORTS = {"smtp": 587, "smtps": 465}


@dataclass(frozen=True, slots=True)
class MailServer:
    """Mail server of an address.

    `smtp://user:password@host:587` is with STARTTLS, `smtps://…:465` with TLS from the start; `smtp://host:25?tls=no`
    is for a server on the same machine.
    """

    host: str
    port: int
    tls: str
    user: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def of_url(cls, url: str) -> "MailServer":
        """Read a mail server's address. Raises ValueError for a text that is none."""
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname:
            raise ValueError("RATIBA_SMTP_URL must be like smtp://user:password@mail.example.org:587")
        tls = "start" if parts.scheme == "smtp" else "whole"
        if "tls=no" in parts.query:
            tls = "no"
        port = parts.port or _PORTS[parts.scheme]
        return cls(parts.hostname, port, tls, unquote(parts.username or ""), unquote(parts.password or ""))


@dataclass(frozen=True, slots=True)
class MailOutcome:
    """Outcome of a mail.

    `error` is empty where the server took it; `permanent`: it will not take it later either (5xx).
    """

    error: str = ""
    permanent: bool = False


async def send_mail(
    server: MailServer, *, sender: str, to: Sequence[str], subject: str, text: str, message_id: str, within_s: float
) -> MailOutcome:
    """Send it within so many seconds, in a thread of its own. Never raises for what the server does. Safe to repeat:
    the Message-ID stays the same."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, ", ".join(to), " ".join(subject.split())
    message["Message-ID"] = f"<{message_id}@{server.host}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text)
    try:
        async with asyncio.timeout(within_s + 1):
            return await asyncio.to_thread(_send, server, message, list(to), within_s)
    except TimeoutError:
        return MailOutcome(f"no answer within {within_s:g} s")


def _send(server: MailServer, message: EmailMessage, to: list[str], within_s: float) -> MailOutcome:
    context = ssl.create_default_context() if server.tls != "no" else None
    try:
        if server.tls == "whole":
            smtp: smtplib.SMTP = smtplib.SMTP_SSL(server.host, server.port, timeout=within_s, context=context)
        else:
            smtp = smtplib.SMTP(server.host, server.port, timeout=within_s)
        with smtp:
            if server.tls == "start":
                smtp.starttls(context=context)
            if server.user:
                smtp.login(server.user, server.password)
            smtp.send_message(message, to_addrs=to)
    except smtplib.SMTPRecipientsRefused as error:
        codes = [code for code, _ in error.recipients.values()]
        return MailOutcome(f"no address was taken ({codes[0]})", permanent=all(code >= 500 for code in codes))
    except smtplib.SMTPResponseException as error:
        return MailOutcome(f"answered {error.smtp_code}", permanent=error.smtp_code >= 500 and error.smtp_code != 535)
    except (smtplib.SMTPException, OSError) as error:
        return MailOutcome(f"{type(error).__name__}: {error}"[:200])
    return MailOutcome()  # where some addresses were refused and others taken, it is not sent again
