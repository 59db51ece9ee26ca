"""The environment is read strictly: a value that cannot be read stops the start and names its variable."""

import stat
import threading

import pytest
from django.core.exceptions import ImproperlyConfigured

from ratiba_eval import env


@pytest.fixture
def given(monkeypatch):
    """Set or unset variables for one test."""
    return lambda **values: [monkeypatch.setenv(name, value) for name, value in values.items()]


@pytest.mark.parametrize(
    "read, value",
    [
        (lambda: env.flag("X_Y"), "maybe"),
        (lambda: env.integer("X_Y", 1), "1.5"),
        (lambda: env.integer("X_Y", 1, low=1, high=9), "10"),
        (lambda: env.decimal("X_Y"), "ten"),
        (lambda: env.decimal("X_Y"), "nan"),
        (lambda: env.decimal("X_Y"), "-1"),
    ],
)
def test_a_value_that_cannot_be_read_names_its_variable(given, read, value):
    given(X_Y=value)
    with pytest.raises(ImproperlyConfigured, match="X_Y"):
        read()


def test_an_empty_value_counts_as_absent(given):
    given(X_Y="  ")
    assert env.text("X_Y", "d") == "d"
    assert env.flag("X_Y", True) is True
    assert env.integer("X_Y", 3) == 3
    assert env.decimal("X_Y") is None
    assert env.listing("X_Y", ("a",)) == ("a",)


def test_lists_split_at_commas_and_blanks(given):
    given(X_Y=" a, b  c,,")
    assert env.listing("X_Y") == ("a", "b", "c")


def test_a_secret_may_stand_in_a_file(given, tmp_path):
    (tmp_path / "s").write_text("from a file\n")
    given(X_Y_FILE=str(tmp_path / "s"))
    assert env.text("X_Y") == "from a file"
    given(X_Y_FILE=str(tmp_path / "nowhere"))
    with pytest.raises(ImproperlyConfigured, match="X_Y_FILE"):
        env.text("X_Y")


def test_a_secret_is_not_made_up_for_a_real_database():
    with pytest.raises(ImproperlyConfigured, match="X_Y is not set"):
        env.secret("X_Y", keep_in=None)


def test_a_made_up_secret_is_made_once_though_many_start_at_once(tmp_path):
    kept = tmp_path / "var" / "secret"
    found: set[str] = set()
    threads = [threading.Thread(target=lambda: found.add(env.secret("X_Y", keep_in=kept))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 1
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert [path.name for path in kept.parent.iterdir()] == ["secret"]


def test_addresses_of_databases_are_read_whole():
    assert env.database("postgresql://me:p%40ss@db:6543/eval?sslmode=require") == {
        "NAME": "eval",
        "USER": "me",
        "PASSWORD": "p@ss",
        "HOST": "db",
        "PORT": "6543",
        "OPTIONS": {"sslmode": "require"},
    }
    assert env.database("postgresql://ratiba@/eval?host=/a%20b/run")["HOST"] == "/a b/run"


@pytest.mark.parametrize(
    "url", ["mysql://a/b", "postgresql://a:hunter2@[b/c", "postgresql://a:hunter2@b", "postgresql://a:hunter2@b/c?x=1"]
)
def test_a_wrong_address_is_refused_without_its_password(url):
    with pytest.raises(ImproperlyConfigured) as refused:
        env.database(url)
    assert "hunter2" not in str(refused.value)
