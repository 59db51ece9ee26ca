"""The file store of metric results: whole or not at all, and never trusted blindly."""

import threading

import pytest

from apps.checks.services.metric_cache import MetricCache
from apps.core.errors import BadInput
from apps.core.events import EventType
from apps.core.portable.metric_keys import deepeval_cache_key

KEY = deepeval_cache_key("spa", "booking@a1b2c3d", "claude-opus-4.7", "swahili_fluency:1.0.0")
OTHER = deepeval_cache_key("spa", "booking@a1b2c3d", "claude-opus-4.7", "swahili_fluency:1.0.1")
VALUE = {"score": 0.8, "reason": "Sawa kabisa – habari njema"}


@pytest.fixture
def cache(tmp_path):
    return MetricCache(tmp_path, tenant="demo")


def file_of(cache):
    (path,) = cache.folder.rglob("*.json")
    return path


def test_nothing_is_found_before_it_was_kept(cache):
    assert cache.get(KEY) is None
    assert not cache.folder.exists()


def test_what_was_kept_is_found_again_under_its_key_alone(cache, tmp_path):
    cache.put(KEY, VALUE)
    assert cache.get(KEY) == MetricCache(tmp_path, tenant="demo").get(KEY) == VALUE
    assert cache.get(OTHER) is None
    assert file_of(cache).relative_to(tmp_path).parts[:2] == (".deepeval-cache", "demo")


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: b"",
        lambda raw: raw[:-3],
        lambda raw: raw.replace(b"0.8", b"0.9"),
        lambda raw: b"\xff\xfe" + raw,
        lambda raw: b'{"score": 1}',
    ],
)
def test_a_damaged_file_is_a_miss_and_a_warning_and_is_replaced(cache, damage, caplog):
    caplog.set_level("INFO", logger="ratiba.events")
    cache.put(KEY, VALUE)
    path = file_of(cache)
    path.write_bytes(damage(path.read_bytes()))
    assert cache.get(KEY) is None
    assert [record.event_type for record in caplog.records] == [EventType.KEPT_ANSWER_CORRUPT.value]
    cache.put(KEY, VALUE)
    assert cache.get(KEY) == VALUE


def test_tenants_do_not_see_each_other_and_clearing_one_leaves_the_other(cache, tmp_path):
    beta = MetricCache(tmp_path, tenant="beta")
    cache.put(KEY, VALUE)
    beta.put(KEY, {"score": 0.1})
    cache.clear()
    cache.clear()
    assert (cache.get(KEY), beta.get(KEY)) == (None, {"score": 0.1})


def test_switched_off_it_finds_and_keeps_nothing(cache, tmp_path):
    off = MetricCache(tmp_path, tenant="demo", on=False)
    off.put(OTHER, VALUE)
    cache.put(KEY, VALUE)
    assert (off.get(KEY), cache.get(OTHER)) == (None, None)


@pytest.mark.parametrize("key", ["", "../../etc/passwd", KEY.upper(), KEY[:-1]])
def test_what_is_no_key_is_refused(cache, key):
    with pytest.raises(ValueError, match="64 hex"):
        cache.put(key, VALUE)


@pytest.mark.parametrize("tenant", ["", "../x", "A b", "."])
def test_what_is_no_tenant_is_refused(tmp_path, tenant):
    with pytest.raises(BadInput):
        MetricCache(tmp_path, tenant=tenant)


def test_what_is_not_json_is_refused_and_leaves_nothing(cache):
    with pytest.raises(ValueError, match="JSON"):
        cache.put(KEY, {"score": float("nan")})
    assert not cache.folder.exists()


def test_many_writers_of_one_key_leave_one_whole_entry(cache):
    def write(number: int) -> None:
        for _ in range(20):
            cache.put(KEY, {"by": number, "long": "x" * 5000})

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    found = [cache.get(KEY) for _ in range(200)]
    for thread in threads:
        thread.join()
    assert cache.get(KEY)["long"] == "x" * 5000
    assert all(one is None or len(one["long"]) == 5000 for one in found)
    assert [path.name for path in cache.folder.rglob("*") if path.is_file()] == [f"{KEY}.json"]
