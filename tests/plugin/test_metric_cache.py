"""DeepEval's scores kept: the brief's key, the transcript's digest, the two options, CI from cold."""

import pytest

from pytest_ratiba.metric_cache.store import CachedScore, DeepEvalCache, transcript_digest
from pytest_ratiba.portable.metric_keys import deepeval_cache_key

TEST = """
    import pathlib, pytest

    class Metric:
        threshold, error = {threshold}, None
        def measure(self, case):
            log = pathlib.Path("measured"); log.write_text(log.read_text() + "x" if log.exists() else "x")
            self.score, self.reason, self.success = 0.7, "sawa", 0.7 >= self.threshold

    def test_it(cached_metric):
        metric = Metric()
        found = cached_metric(metric, None, turns=[{{"role": "user", "content": "{said}"}}], scenario_id="s",
            prompt_version="greet@abc1234", judge_model_version="m-1", metric_version="fluency:{version}")
        assert (metric.score, metric.reason) == (0.7, "sawa")
        assert metric.success
"""


def measured(project) -> int:
    return len((project.folder / "measured").read_text())


def play(project, *arguments, said="Habari", version="1.0.0", threshold=0.5, **variables):
    project.write("test_it.py", TEST.format(said=said, version=version, threshold=threshold))
    project.variables = variables
    return project.pytest("-q", *arguments)


def test_a_score_is_kept_for_the_same_transcript_and_the_same_four(user_project):
    assert "1 measured, 0 from cache" in play(user_project).stdout
    assert "0 measured, 1 from cache" in play(user_project).stdout
    assert measured(user_project) == 1
    assert (user_project.folder / ".deepeval-cache/.gitignore").read_text() == "*\n"
    assert "1 measured" in play(user_project, version="1.1.0").stdout
    assert "1 measured" in play(user_project, said="Kwaheri").stdout
    done = play(user_project, said="Kwaheri", threshold=0.9)
    assert done.returncode == 1, "the threshold of the day decides about a kept score"
    assert "1 from cache" in done.stdout


def test_options_and_ci_start_cold(user_project):
    play(user_project)
    for arguments, variables in (
        (["--no-deepeval-cache"], {}), (["--deepeval-cache-clear"], {}), ([], {"CI": "true"}), (["--live"], {}),
        (["--record", "once"], {}),
    ):  # fmt: skip
        assert "1 measured, 0 from cache" in play(user_project, *arguments, **variables).stdout


def test_a_broken_entry_and_a_score_that_was_none_are_misses(tmp_path):
    cache, key, said = DeepEvalCache(tmp_path), deepeval_cache_key("a", "b", "c", "d"), transcript_digest([])
    cache.put(key, said, CachedScore(score=None))
    assert cache.get(key, said) is None
    cache.put(key, said, CachedScore(score=0.5, reason="x"))
    assert cache.get(key, said) == CachedScore(score=0.5, reason="x", from_cache=True)
    path = next(tmp_path.rglob("*.json"))
    path.write_text(path.read_text().replace("0.5", "0.9"))
    assert cache.get(key, said) is None
    with pytest.raises(ValueError, match="64 hex digits"):
        cache.get("../x", said)
