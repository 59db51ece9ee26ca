"""Measure a scenario by the project's own metrics, and offer two fixtures.
The fixtures are `played_case` and `judge_test_cases`."""

from collections.abc import Callable, Generator, Sequence
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    """Once a scenario was played and its recordings are closed, so that a judge is asked past them. No score is an
    error of the test; one below its threshold a failure."""
    result = yield
    if getattr(item, "metrics", None):
        _measure(item)
    return result


def _measure(item: Any) -> None:
    from pytest_ratiba.deepeval.scoring import scores
    from pytest_ratiba.errors import ProjectError
    from pytest_ratiba.metric_cache.measuring import MetricUnmeasurable
    from pytest_ratiba.outcomes import CaseUnmeasurable
    from pytest_ratiba.sessions import server_session

    session = server_session(item.config)
    try:
        played = session.played_case(item.case, item.outcome)
        agent = session.agent_of(item.case)
        found = []
        for score in scores(item, played, item.metrics, project=session.project, agent=agent):
            item.user_properties.append(("ratiba_metric", str(score)))
            found += [] if score.passed else [str(score)]
        item.below = tuple(found)
    except (MetricUnmeasurable, CaseUnmeasurable, ProjectError) as error:
        why = f"{item.case.id}: {error}"
    else:
        return
    pytest.fail(why, pytrace=False)


@pytest.fixture
def played_case(request: pytest.FixtureRequest) -> Callable[[str], Any]:
    """`played_case("friday_slot.v1")` plays a case of the project, with those of its layer that are selected, and gives
    a CaseTranscript: the server's verdicts, every turn, and what `conversational_test_case` needs."""
    from pytest_ratiba.errors import ProjectError
    from pytest_ratiba.outcomes import CaseUnmeasurable
    from pytest_ratiba.recording.fixtures import close_turns
    from pytest_ratiba.sessions import server_session

    def play(case_id: str) -> Any:
        session = server_session(request.config)
        try:
            variant = session.case_named(case_id)
            played = session.played_case(variant, session.outcome_of(variant))
            problems = close_turns(request.node, case_id)
        except (CaseUnmeasurable, ProjectError) as error:
            problems = [str(error)]
        if problems:
            pytest.fail("\n\n".join(problems), pytrace=False)
        return played

    return play


@pytest.fixture
def judge_test_cases(request: pytest.FixtureRequest) -> Callable[..., list[dict[str, Any]]]:
    """`judge_test_cases(test_cases, evaluator_config="", language="en")`: the server imports test cases of DeepEval and
    judges them, by the evaluator config of ratiba.yaml where none is named. Gives their judgements, in order."""
    from pytest_ratiba.deepeval.case_conversion import conversation_documents
    from pytest_ratiba.errors import ProjectError
    from pytest_ratiba.outcomes import CaseUnmeasurable
    from pytest_ratiba.sessions import server_session

    def judge(test_cases: Sequence[Any], evaluator_config: str = "", language: str = "en") -> list[dict[str, Any]]:
        documents = conversation_documents(test_cases, language=language)
        try:
            return server_session(request.config).player().judge(documents, evaluator_config=evaluator_config)
        except (CaseUnmeasurable, ProjectError) as error:
            why = str(error)
        pytest.fail(why, pytrace=False)

    return judge
