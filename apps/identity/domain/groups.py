"""Map a provider's groups to a tenant's roles."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from apps.core.errors import BadInput
from apps.tenants.domain.roles import Role

MAX_GROUPS = 2_000
MAX_GROUP = 200


def read_group_roles(text: str) -> dict[str, list[str]]:
    """Read the roles of each group from lines `group = role, role`, each group at most once.

    Raises BadInput, which names the line.
    """
    known = {role.value for role in Role}
    mapping: dict[str, list[str]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        group, equals, given = line.rpartition("=")
        group, roles = group.strip(), [part.strip().lower() for part in given.split(",") if part.strip()]
        if not equals or not group or not roles or len(group) > MAX_GROUP:
            raise BadInput(f"line {number}: write `group = role`, for example `eval-raters = rater`", code="bad_line")
        if unknown := [role for role in roles if role not in known]:
            raise BadInput(f"line {number}: {unknown[0]!r} is no role: {', '.join(sorted(known))}", code="unknown_role")
        if group in mapping:
            raise BadInput(f"line {number}: the group {group!r} stands above already", code="twice")
        mapping[group] = sorted(set(roles))
    return mapping


def groups_text(mapping: Mapping[str, Iterable[str]]) -> str:
    """The lines that `read_group_roles` reads."""
    return "\n".join(f"{group} = {', '.join(roles)}" for group, roles in mapping.items())


def groups_in(claims: Mapping[str, Any], claim: str) -> frozenset[str]:
    """Return the groups that the claims name: a list of texts or one text.

    They are at `claim` as it stands or, with dots, further in (`realm_access.roles`). What is no text is no group; at
    most MAX_GROUPS are read.
    """
    value: Any = claims.get(claim)
    if value is None and "." in claim:
        value = claims
        for part in claim.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
    listed = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return frozenset(one for one in listed[:MAX_GROUPS] if isinstance(one, str))


def roles_for(groups: Collection[str], mapping: Mapping[str, Collection[str]]) -> frozenset[str]:
    """The roles of these groups. A group is compared whole and with its case: `Owners` is not `owners`."""
    known = {role.value for role in Role}
    return frozenset(role for group in groups for role in mapping.get(group, ()) if role in known)


def roles_to_hold(
    *, mapped: frozenset[str], given_before: frozenset[str], held: frozenset[str], withheld: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """→ the roles an account holds now, and those an owner withholds from it.

    What was given and is not held any more was taken by an owner here: it stays taken, whatever the groups say, until
    an owner gives it back. A role that is held without a group is not kept: rights of such an account come from its
    groups alone, so that nobody keeps what they once gave themselves.
    """
    withheld = (withheld | (given_before - held)) - held
    return mapped - withheld, withheld
