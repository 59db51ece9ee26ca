"""Decide when it is useless to ask a judge any further.

Pure. A judge that leaves out the nonce, has the wrong address or was refused the key fails every conversation alike,
and each of them costs up to four calls. After the first FIRST that could be answered for, none of them scored, the rest
is not asked. What may be gone when it is tried again (a model that is down, a limit) says nothing about the judge, and
what a content filter holds back says nothing about other conversations: neither counts.
"""

FIRST = 10
STOPPED = "judge_stopped"  # the error code of what was not asked


def is_hopeless(*, scored: int, failed_for_good: int) -> bool:
    """Tell whether judging an evaluation stops: none scored, and the first ones failed for good."""
    return scored == 0 and failed_for_good >= FIRST


def stopped_sentence(*, failed: int, error: str) -> str:
    """Say why a conversation was not judged: the judge failed on all before it."""
    return f"Not asked: the judge failed on the first {failed} conversations and scored none. The first error: {error}"
