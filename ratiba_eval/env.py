"""Typed, loud readers of the environment. A value that cannot be read stops the start and names the variable.

Every reader takes `NAME` from the environment, or the content of the file that `NAME_FILE` points to (secrets mounted
as files). An empty value counts as absent. Every name read here stands in `.env.example`; a guard test compares the
two.
"""

import base64
import os
import secrets
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}
_POSTGRES_SCHEMES = {"postgres", "postgresql"}
MIN_SECRET_CHARS = 40  # of 64 signs: 240 bits; what `secrets.token_urlsafe(50)` gives has 67
MIN_DISTINCT = 10  # of 32 random bytes or more, fewer happen once in 10^20 times
_DATABASE_OPTIONS = {"sslmode", "sslrootcert", "sslcert", "sslkey", "connect_timeout", "application_name"}


def stop_unless_configured() -> None:
    """Load the settings, or end the process with exit code 2 and one line that says which variable is at fault."""
    from django.conf import settings  # noqa: PLC0415 - the settings module itself imports this one

    try:
        _ = settings.INSTALLED_APPS
    except ImproperlyConfigured as error:
        print(f"ratiba: {error}", file=sys.stderr)
        sys.exit(2)


def text(name: str, default: str = "") -> str:
    """The value as text, without surrounding blanks."""
    value = os.environ.get(name, "").strip()
    if value:
        return value
    path = os.environ.get(f"{name}_FILE", "").strip()
    if not path:
        return default
    try:
        return Path(path).read_text(encoding="utf-8").strip() or default
    except OSError as error:
        raise ImproperlyConfigured(f"{name}_FILE: cannot read {path}: {error.strerror}") from error


def flag(name: str, default: bool = False) -> bool:
    """true/false, yes/no, on/off, 1/0; anything else is refused."""
    value = text(name).lower()
    if not value:
        return default
    if value in _TRUE | _FALSE:
        return value in _TRUE
    raise ImproperlyConfigured(f"{name}: {value!r} is neither true nor false (write one of: true, false)")


def integer(name: str, default: int, *, low: int | None = None, high: int | None = None) -> int:
    """A whole number within [low, high]."""
    value = text(name)
    if not value:
        return default
    try:
        number = int(value)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {value!r} is not a whole number") from error
    if (low is not None and number < low) or (high is not None and number > high):
        raise ImproperlyConfigured(f"{name}: {number} is outside {low}..{high}")
    return number


def number(name: str, default: float, *, low: float = 0.0) -> float:
    """Read a number as `decimal` does, for a variable that always has a value."""
    value = decimal(name, default, low=low)
    return default if value is None else value


def decimal(name: str, default: float | None = None, *, low: float = 0.0) -> float | None:
    """A number of at least `low`; `default` where it is absent."""
    value = text(name)
    if not value:
        return default
    try:
        number = float(value)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {value!r} is not a number") from error
    if not number >= low:  # also refuses nan
        raise ImproperlyConfigured(f"{name}: {value} is below {low:g}")
    return number


def listing(name: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Values separated by commas or blanks."""
    value = text(name)
    return tuple(value.replace(",", " ").split()) if value else default


def folder(name: str, default: Path) -> Path:
    """An absolute path; it need not exist yet."""
    return Path(text(name) or default).expanduser().resolve()


def field_key() -> str:
    """32 random bytes in the form the field encryption wants."""
    return base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()


def check_secret_key(value: str) -> str:
    """The key itself, where it is long and varied enough to sign sessions. Raises ImproperlyConfigured otherwise."""
    if len(value) < MIN_SECRET_CHARS or len(set(value)) < MIN_DISTINCT:
        raise ImproperlyConfigured(
            f"SECRET_KEY is too weak: {MIN_SECRET_CHARS} characters are needed, {MIN_DISTINCT} of them different. "
            'Make one with: python -c "import secrets; print(secrets.token_urlsafe(50))"'
        )
    return value


def check_field_key(value: str) -> str:
    """The keys themselves (newest first, commas between), where each is 32 bytes that look random. Raises
    ImproperlyConfigured, which names the key by its place and never shows it."""
    keys = [part.strip() for part in value.split(",") if part.strip()]
    for place, key in enumerate(keys or [""], start=1):
        try:
            raw = base64.b64decode(key.encode(), altchars=b"-_", validate=True)
        except ValueError:
            raw = b""
        fault = "is not 32 bytes in url-safe base64" if len(raw) != 32 else ""
        if not fault and place == 1 and len(set(raw)) < MIN_DISTINCT:  # behind it an older one may still have to open
            fault = "is not random, so stored secrets would not be safe"
        if fault:
            raise ImproperlyConfigured(
                f"RATIBA_FIELD_KEY: key {place} of {max(1, len(keys))} {fault}. Make one with: "
                'python -c "from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())"'
            )
    return value


def secret(name: str, *, keep_in: Path | None, make: Callable[[], str] = lambda: secrets.token_urlsafe(50)) -> str:
    """The secret `name`; where absent and `keep_in` is given, one that is made once and kept in that file (mode 600).

    Raises ImproperlyConfigured where it is absent and nothing may be made up: a real database with a key from nowhere
    would lose its sessions, or its stored secrets, with the machine.
    """
    value = text(name)
    if value:
        return value
    if keep_in is None:
        raise ImproperlyConfigured(f"{name} is not set: with DATABASE_URL set it must be given (see .env.example)")
    return _kept(keep_in, make)


def _kept(path: Path, make: Callable[[], str]) -> str:
    """Several processes may start at once: the first link wins, everybody reads the winner."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(make())
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text(encoding="utf-8").strip()


def database(url: str) -> dict[str, Any]:
    """A `postgresql://user:password@host:port/name?sslmode=…` address as a Django database; `?host=/folder` is a
    socket.

    Raises ImproperlyConfigured for another scheme, a missing name or an unknown option, and never repeats the password.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ImproperlyConfigured("DATABASE_URL: not an address (is the password percent-encoded?)") from error
    if parts.scheme not in _POSTGRES_SCHEMES:
        raise ImproperlyConfigured(f"DATABASE_URL: {parts.scheme!r} is not supported, use postgresql://")
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise ImproperlyConfigured("DATABASE_URL: the database name is missing")
    query = dict(parse_qsl(parts.query))
    host = query.pop("host", "") or unquote(parts.hostname or "")
    unknown = set(query) - _DATABASE_OPTIONS
    if unknown:
        raise ImproperlyConfigured(f"DATABASE_URL: unknown options {', '.join(sorted(unknown))}")
    return {
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(port or ""),
        "OPTIONS": query,
    }
