"""Warn readers of judged checks where nobody described the agent. Pure."""

from collections.abc import Iterable

from apps.catalog.connections.domain.profile import NO_PROFILE


def profile_warnings(codes: Iterable[Iterable[str]]) -> list[str]:
    """One sentence where conversations were judged by minimal defaults; `codes` are the warnings of each of them."""
    count = sum(NO_PROFILE in code for code in codes)
    if not count:
        return []
    many = f"{count} conversation{'' if count == 1 else 's'}"
    return [
        f"{NO_PROFILE}: {many} judged by minimal defaults, because neither the golden session nor the agent has a "
        "profile; without its role and its facts a judge says little"
    ]
