"""Groups and roles, without a database."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core.errors import BadInput
from apps.identity.domain.groups import groups_in, groups_text, read_group_roles, roles_for, roles_to_hold

ROLES = st.frozensets(st.sampled_from(["owner", "curator", "viewer", "rater"]))


def test_lines_are_read_and_written() -> None:
    text = "eval-owners = owner\ncn=raters,ou=x = rater, viewer"
    assert read_group_roles(text) == {"eval-owners": ["owner"], "cn=raters,ou=x": ["rater", "viewer"]}
    assert read_group_roles(groups_text(read_group_roles(text))) == read_group_roles(text)


@pytest.mark.parametrize(
    "text, why",
    [("a", "line 1"), ("a =", "line 1"), ("a = boss", "'boss' is no role"), ("a = owner\n\na = rater", "line 3")],
)
def test_a_bad_line_is_named(text: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        read_group_roles(text)


@pytest.mark.parametrize(
    "claims, groups",
    [
        ({"groups": ["a", 1, None, {"b": 1}]}, {"a"}),
        ({"groups": "a"}, {"a"}),
        ({"groups": {"a": True}}, set()),
        ({}, set()),
    ],
)
def test_only_texts_are_groups(claims: dict[str, object], groups: set[str]) -> None:
    assert groups_in(claims, "groups") == groups


def test_a_claim_further_in_and_case() -> None:
    assert groups_in({"realm_access": {"roles": ["a"]}}, "realm_access.roles") == {"a"}
    assert groups_in({"https://x.example/groups": ["a"]}, "https://x.example/groups") == {"a"}
    assert roles_for({"Heads"}, {"heads": ["owner"]}) == frozenset()
    assert roles_for({"heads"}, {"heads": ["owner", "superuser"]}) == {"owner"}


@given(mapped=ROLES, given_before=ROLES, held=ROLES, withheld=ROLES)
def test_nobody_holds_what_no_group_gives_or_an_owner_took(
    mapped: frozenset[str], given_before: frozenset[str], held: frozenset[str], withheld: frozenset[str]
) -> None:
    now, kept_back = roles_to_hold(mapped=mapped, given_before=given_before, held=held, withheld=withheld)
    assert now <= mapped
    assert not now & (given_before - held)
    assert roles_to_hold(mapped=mapped, given_before=now, held=now, withheld=kept_back) == (now, kept_back)
