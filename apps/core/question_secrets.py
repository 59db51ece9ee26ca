"""Words of a question to a model that nobody else can write: its nonce, and the salt of the keys that decide.

Drawn from consonants: no word of any language arises, and a tokenizer needs a token for two of them, where it needs one
for each hexadecimal digit (docs/adr/0212).
"""

import secrets

LETTERS = "bcdfghjkmnpqrstvwxz"
NONCE_CHARS = 15  # 63 bits
SALT_CHARS = 10  # 42 bits: one guess in four million million


def fresh_nonce() -> str:
    """A fresh nonce for one question."""
    return _spelled(secrets.randbits(128), NONCE_CHARS)


def fresh_salt() -> str:
    """A fresh salt for a question whose keys belong to no evaluation."""
    return salt_of(secrets.token_bytes(16))


def salt_of(digest: bytes) -> str:
    """Return the salt made from random bytes (16 at least)."""
    return _spelled(int.from_bytes(digest), SALT_CHARS)


def _spelled(number: int, letters: int) -> str:
    spelled = ""
    while len(spelled) < letters:
        number, at = divmod(number, len(LETTERS))
        spelled += LETTERS[at]
    return spelled
