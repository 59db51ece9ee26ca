"""The table of doors as Markdown: who is answered what."""

from collections.abc import Mapping
from pathlib import Path

from tests.doors.addresses import Address
from tests.doors.world import CALLERS

Answers = Mapping[tuple[Address, str, str], str]  # (address, method, caller) → what they were answered


def write(path: Path, answers: Answers, asked: int, seconds: float) -> None:
    """One table a host; `–` where a caller was not asked because another of the same right was."""
    lines = ["# Who is answered what, at every address", ""]
    lines += [f"{asked:,} requests in {seconds:.0f} s. `sign in` is the way to the sign-in page.", ""]
    for host, callers in CALLERS.items():
        lines += [f"## {host} host", "", f"| address | | {' | '.join(callers)} |", "|---" * (len(callers) + 2) + "|"]
        rows = dict.fromkeys((address, method) for address, method, _ in answers if address.host == host)
        for address, method in rows:
            cells = [answers.get((address, method, caller), "–") for caller in callers]
            route = address.route.replace("|", "\\|")
            lines.append(f"| `/{route}` | {method.upper()} | {' | '.join(cells)} |")
        lines.append("")
    path.write_text("\n".join(lines), encoding="utf-8")
