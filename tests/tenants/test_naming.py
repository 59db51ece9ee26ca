"""One slug is one schema, in both directions, and nothing else gets through."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core.errors import BadInput
from apps.tenants.domain.naming import SCHEMA, check_slug, default_domains, is_ephemeral, schema_for, slug_for

SLUGS = st.from_regex(r"\A[a-z][a-z0-9]{1,9}(-[a-z0-9]{1,9}){0,3}\Z")


@given(SLUGS)
def test_slug_and_schema_turn_into_each_other(slug):
    schema = schema_for(slug)
    assert SCHEMA.fullmatch(schema)
    assert slug_for(schema) == slug
    assert schema_for(schema) == schema


@given(SLUGS, SLUGS)
def test_two_slugs_never_share_a_schema(one, other):
    assert (schema_for(one) == schema_for(other)) == (one == other)


@given(st.text(max_size=80))
def test_any_text_is_a_name_or_refused(text):
    with suppress(BadInput):
        assert SCHEMA.fullmatch(schema_for(text))


@pytest.mark.parametrize("slug", ["-a", "a-", "a--b", "A", "ä", "a_b", "a" * 42, "1a", 'a"b', "a\n"])
def test_bad_slugs_are_refused(slug):
    with pytest.raises(BadInput):
        check_slug(slug)


def test_ephemeral_tenants_are_told_apart():
    assert schema_for("test-tenant-x-1") == "test_tenant_x_1"
    assert is_ephemeral(schema_for("test-tenant-x-1"))
    assert not is_ephemeral(schema_for("test-tenants"))


def test_demo_answers_to_the_machine_itself():
    assert default_domains("demo", "localhost") == ("demo.localhost", "localhost", "127.0.0.1")
    assert default_domains("acme", "localhost") == ("acme.localhost",)
