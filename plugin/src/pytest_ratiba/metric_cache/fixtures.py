"""`--no-deepeval-cache`, `--deepeval-cache-clear` and the fixture `cached_metric`."""

import os
from collections.abc import Generator, Mapping, Sequence
from typing import Any

import pytest

_CACHE = pytest.StashKey[Any]()
_COUNTS = "ratiba_metric_cache"  # the attribute of a report, which comes back from an xdist worker
_BY_ITEM = pytest.StashKey[list[bool]]()
_SESSION: list[bool] = []


def pytest_configure(config: pytest.Config) -> None:
    """Clears where asked, and in CI, which starts cold; once, not in every xdist worker."""
    wanted = config.getoption("--deepeval-cache-clear", False) or os.environ.get("CI", "").lower() not in (
        "",
        "0",
        "false",
    )
    if wanted and not hasattr(config, "workerinput"):
        cache_of(config).clear()


def cache_of(config: pytest.Config) -> Any:
    """The session's cache. On with recorded replies only: a live conversation is another one each time."""
    if _CACHE not in config.stash:
        from pytest_ratiba.metric_cache.store import DeepEvalCache

        recording = config.getoption("--record", None) or os.environ.get("RATIBA_RECORD") or "none"
        live = config.getoption("ratiba_option_live", None) or os.environ.get("RATIBA_LIVE", "") not in ("", "0")
        on = not config.getoption("--no-deepeval-cache", False) and recording == "none" and not live
        config.stash[_CACHE] = DeepEvalCache(config.rootpath, on=on)
    return config.stash[_CACHE]


@pytest.fixture
def cached_metric(request: pytest.FixtureRequest) -> Any:
    """`cached_metric(metric, case, turns=…, scenario_id=…, prompt_version=…, judge_model_version=…, metric_version=…)`
    measures a DeepEval metric, or takes the score of the same transcript under the same four. Gives a CachedScore, sets
    `metric.score`, `.reason` and `.success`. Raises MetricUnmeasurable where there is no score."""

    def measure(metric: Any, case: Any, *, turns: Sequence[Mapping[str, Any]], **four: str) -> Any:
        return score_of(request.node, metric, case, turns=turns, **four)

    return measure


def score_of(item: pytest.Item, metric: Any, case: Any, *, turns: Sequence[Mapping[str, Any]], **four: str) -> Any:
    """The CachedScore of a metric for an item: from cache, or measured and stored. Raises MetricUnmeasurable."""
    from pytest_ratiba.metric_cache.measuring import measure
    from pytest_ratiba.metric_cache.store import CachedScore, transcript_digest
    from pytest_ratiba.portable.metric_keys import deepeval_cache_key

    cache, key, digest = cache_of(item.config), deepeval_cache_key(**four), transcript_digest(turns)
    entry = cache.get(key, digest)
    if entry is None:
        score = measure(metric, case)
        entry = CachedScore(score=score, reason=str(metric.reason or ""))
        cache.put(key, digest, entry)
    else:
        metric.score, metric.reason, metric.error = entry.score, entry.reason, None
        metric.success = metric.threshold is None or entry.score >= metric.threshold
    item.stash.setdefault(_BY_ITEM, []).append(entry.from_cache)
    if entry.from_cache:
        item.user_properties.append(("from_cache", four["metric_version"]))
    return entry


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "teardown":
        setattr(report, _COUNTS, item.stash.get(_BY_ITEM, None) or [])
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _SESSION.extend(getattr(report, _COUNTS, []))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Write the number of scores that were measured, and of those from the cache."""
    if _SESSION:
        kept = sum(_SESSION)
        terminalreporter.write_line(f"metrics: {len(_SESSION) - kept} measured, {kept} from cache")
        _SESSION.clear()
