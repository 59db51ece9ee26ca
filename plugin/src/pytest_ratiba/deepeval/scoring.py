"""The project's own metrics on conversations that the server played."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import pytest

from pytest_ratiba.agents import AgentSetting
from pytest_ratiba.config import Project
from pytest_ratiba.deepeval.case_conversion import CaseTranscript, conversational_test_case
from pytest_ratiba.deepeval.library import accepted, deepeval_module
from pytest_ratiba.deepeval.metric_assertions import MetricAssertion
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.git import git
from pytest_ratiba.metric_cache.fixtures import score_of
from pytest_ratiba.metric_cache.measuring import MetricUnmeasurable


@dataclass(frozen=True, kw_only=True)
class MetricScore:
    """A metric score is the result of one metric of the project.
    DeepEval's class says whether the score passes."""

    name: str
    score: float
    threshold: float | None
    passed: bool
    reason: str
    from_cache: bool

    def __str__(self) -> str:
        line = "" if self.threshold is None else f" (threshold {self.threshold:g})"
        source = ", from cache" if self.from_cache else ""
        return f"{self.name}: {'pass' if self.passed else 'fail'} {self.score:.2f}{line}{source}: {self.reason}"


def scores(
    item: pytest.Item,
    played: CaseTranscript,
    assertions: list[MetricAssertion],
    *,
    project: Project,
    agent: AgentSetting,
) -> Iterator[MetricScore]:
    """Measures one after the other, or takes scores from the cache. Raises `ProjectError`, and `MetricUnmeasurable`
    that names the metric. Costs the judge's calls; loads DeepEval."""
    case = conversational_test_case(played)
    for assertion in assertions:
        metric_version, metric = assertion.metric.metric_version, assertion.metric.made(project)
        if assertion.threshold is not None:
            metric.threshold = assertion.threshold
        try:
            entry = score_of(
                item,
                metric,
                _case_for(metric, case),
                turns=played.turns,
                scenario_id=played.variant.id,
                prompt_version=prompt_version(project, agent),
                judge_model_version=_judge(metric),
                metric_version=metric_version,
            )
        except MetricUnmeasurable as error:
            raise MetricUnmeasurable(f"{assertion.metric.name}: {error}") from error
        yield MetricScore(
            name=assertion.metric.name,
            score=entry.score,
            threshold=metric.threshold,
            passed=bool(metric.success),
            reason=entry.reason,
            from_cache=entry.from_cache,
        )


def prompt_version(project: Project, agent: AgentSetting) -> str:
    """`<agent>@<short commit of its prompts>`; with uncommitted changes a digest of their texts beside it. An agent
    that names no `prompts:` has the version `<agent>@`: the transcript's digest tells its replies apart."""
    paths = sorted({path for pattern in agent.prompts for path in project.folder.glob(pattern) if path.is_file()})
    if not paths:
        return f"{agent.name}@"
    names = [str(path.relative_to(project.folder)) for path in paths]
    try:
        commit = git(project.folder, "log", "-1", "--format=%h", "--", *names).strip()
        changed = git(project.folder, "status", "--porcelain", "--", *names).strip()
    except ProjectError:  # no git, or no repository
        commit = changed = ""
    if commit and not changed:
        return f"{agent.name}@{commit}"
    digest = sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()[:12]
    return f"{agent.name}@{commit}+{digest}"


def _case_for(metric: Any, case: Any) -> Any:
    """The test case of the metric's kind: a metric of single turns (GEval) gets the conversation as one: what the
    customer wrote is its input, what the agent answered its output."""
    if isinstance(metric, deepeval_module("metrics").BaseConversationalMetric):
        return case
    model = deepeval_module("test_case").LLMTestCase
    words = {
        role: "\n\n".join(turn.content for turn in case.turns if turn.role == role) for role in ("user", "assistant")
    }
    calls = [call for turn in case.turns for call in turn.tools_called or ()]
    fields: Mapping[str, Any] = {
        "name": case.name,
        "expected_output": case.expected_outcome,
        "context": case.context,
        "tools_called": calls or None,
    }
    return model(input=words["user"], actual_output=words["assistant"], **accepted(model, dict(fields)))


def _judge(metric: Any) -> str:
    model = getattr(metric, "model", None)
    name = getattr(metric, "evaluation_model", None) or (model.get_model_name() if model is not None else "")
    return str(name or "none")
