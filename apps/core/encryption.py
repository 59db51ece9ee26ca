"""Encryption of stored secrets: authenticated (Fernet), with keys that can be rotated.

A list of keys is given by the caller, newest first: the first encrypts, all of them decrypt. Nothing here reads
settings or the environment.
"""

from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from apps.core.errors import RatibaError

HINT = 'make one with: python -c "from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())"'


class EncryptionError(RatibaError):
    """A stored secret cannot be read, or the field key is missing or malformed. Never names the secret."""

    code = "field_key"


def parse_keys(text: str) -> tuple[str, ...]:
    """Keys out of the text of RATIBA_FIELD_KEY: one or several, separated by commas, newest first.

    Raises EncryptionError when there is none or when one is not 32 url-safe base64 bytes.
    """
    keys = tuple(part.strip() for part in text.split(",") if part.strip())
    if not keys:
        raise EncryptionError(f"RATIBA_FIELD_KEY is not set, so no secret can be stored or read; {HINT}")
    for number, key in enumerate(keys, start=1):
        try:
            Fernet(key)
        except ValueError:
            raise EncryptionError(f"key {number} of RATIBA_FIELD_KEY is not a Fernet key; {HINT}") from None
    return keys


def encrypt(text: str, keys: Sequence[str]) -> str:
    """The text as an encrypted token (ASCII), under the first key. Two calls give two different tokens."""
    return Fernet(keys[0]).encrypt(text.encode("utf-8", "surrogatepass")).decode("ascii")


def decrypt(token: str, keys: Sequence[str]) -> str:
    """The text of a token. Raises EncryptionError when no key opens it or it was tampered with."""
    try:
        return _all(keys).decrypt(token.encode("ascii")).decode("utf-8", "surrogatepass")
    except (InvalidToken, UnicodeEncodeError):
        raise EncryptionError(
            "a stored secret cannot be read with the present RATIBA_FIELD_KEY: put the key it was stored with "
            "behind the new one (new,old), or enter the secret again"
        ) from None


def rotate(token: str, keys: Sequence[str]) -> str:
    """Encrypt the secret of a token anew under the first key.

    Safe to repeat. Raises EncryptionError as decrypt does.
    """
    return encrypt(decrypt(token, keys), keys)


def _all(keys: Sequence[str]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])
