"""Delay a person who guesses passwords.

The first five tries are free: people mistype. Then the wait doubles from 30 s to 15 min, and what is 15 min old counts
no more: a machine gets some 100 guesses a day at one account, a person waits half a minute. One address may miss 50
times, since an office shares one; that stops trying one password on many accounts. (Our choice; OWASP's authentication
cheat sheet asks for a growing wait per account and leaves the figures open.)
"""

import hashlib
import unicodedata

FREE_TRIES = 5
FREE_TRIES_OF_ADDRESS = 50
FIRST_WAIT_S = 30
MAX_WAIT_S = 900
MAX_NAME = 254


def wait_after(tries: int, free: int) -> int:
    """Seconds until the next try, after this many without success."""
    return 0 if tries < free else min(MAX_WAIT_S, FIRST_WAIT_S * 2 ** min(tries - free, 16))


def account_key(schema: str, username: str, address: str) -> str:
    """One account seen from one address: somebody far away who guesses locks nobody out at home."""
    return hashlib.sha256(f"account\n{schema}\n{folded(username)}\n{address}".encode()).hexdigest()


def folded(username: str) -> str:
    """Return the name as the sign-in form reads it (NFKC, without blanks around it), and without case.

    All spellings that lead to one account are counted as one. At most MAX_NAME characters.
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", username).casefold()).strip()[:MAX_NAME]


def address_key(address: str) -> str:
    """Return the key under which all tries from one address count, in any tenant."""
    return hashlib.sha256(f"address\n{address}".encode()).hexdigest()
