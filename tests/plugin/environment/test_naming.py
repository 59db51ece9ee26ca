"""Names of schemas, and addresses pinned to one."""

import re

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ratiba.environment.addresses import with_settings
from pytest_ratiba.environment.errors import EvalEnvironmentError
from pytest_ratiba.environment.naming import lock_number, schema_name


def test_a_plain_id_stands_in_the_name_as_it_is():
    assert schema_name("spa_booking_swahili_happy", "0123abcd") == "test_tenant_spa_booking_swahili_happy_0123abcd"


@given(st.text(max_size=120), st.text(max_size=120))
def test_every_id_gives_a_name_that_needs_no_quotes_and_no_two_ids_share_one(one, other):
    names = [schema_name(text, "00000000") for text in (one, other)]
    assert all(re.fullmatch(r"test_tenant_[a-z0-9_]{1,42}_00000000", name) for name in names)
    assert all(len(name.encode()) <= 63 for name in names)
    assert (names[0] == names[1]) == (one == other)


def test_digits_are_eight_hex_ones():
    with pytest.raises(ValueError, match="8 lower-case hex digits"):
        schema_name("a", "xyz")


@given(st.text(max_size=60))
def test_a_lock_number_fits_postgres(name):
    assert -(2**63) <= lock_number(name) < 2**63


@pytest.mark.parametrize(
    "address, host, dbname",
    [
        ("postgresql://me:p%40ss@db.example:5433/app?sslmode=require", "db.example", "app"),
        ("postgresql://me@/app?host=%2Ftmp%2Fpg", "/tmp/pg", "app"),
        ("host=/tmp/pg dbname='my app' user=me password='p@ss'", "/tmp/pg", "my app"),
        ("postgresql://me@[::1]:5433/app", "::1", "app"),
        ("host=one,two port=5433,5434 user=me dbname=app", "one,two", "app"),
    ],
)
def test_an_address_keeps_what_it_said_and_gets_the_settings(address, host, dbname):
    given_parts = psycopg.conninfo.conninfo_to_dict(address)
    parts = psycopg.conninfo.conninfo_to_dict(with_settings(address, {"search_path": "s"}, application_name="me"))
    assert parts.pop("options") == "-c search_path=s"
    assert parts.pop("application_name") == "me"
    assert parts == given_parts
    assert (parts["host"], parts["dbname"]) == (host, dbname)


def test_options_that_stand_in_the_address_are_kept():
    url = with_settings("postgresql://me@h/app?options=-c%20jit%3Doff", {"search_path": "s"}, application_name="me")
    assert psycopg.conninfo.conninfo_to_dict(url)["options"] == "-c jit=off -c search_path=s"


def test_what_is_no_address_is_told_by_the_variables_name():
    with pytest.raises(EvalEnvironmentError, match="RATIBA_TEST_DATABASE_URL is not an address"):
        with_settings("mysql://h/app", {}, application_name="me")
