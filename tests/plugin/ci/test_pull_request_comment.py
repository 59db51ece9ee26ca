"""One comment on the pull request, whatever happens; and a runner's own outputs take no orders from a text."""

from pathlib import Path

import pytest

from pytest_ratiba.ci.github import (
    MAX_SUMMARY,
    CommentRefused,
    PullRequestComments,
    annotation,
    append_summary,
    comments_of_environment,
)
from tests.loopback.github import HEAD, GitHub, answer
from tests.loopback.http_server import Answer, LoopbackServer, Request


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def github():
    return GitHub(comments=130)


@pytest.fixture
def comments(github: GitHub, waits: list[float]):
    with LoopbackServer(github) as server:
        yield PullRequestComments(
            api=server.url, token="t0ken", repository="acme/shop", number=7, sleep=waits.append
        )  # fmt: skip


def test_five_runs_leave_one_comment(comments, github) -> None:
    addresses = {comments.put(f"run {number}", name="eval", head=HEAD) for number in range(5)}
    own = [one for one in github.comments if one["user"]["login"] == github.login]
    assert len(own) == len(addresses) == 1
    assert own[0]["body"].endswith("run 4")
    assert github.writes == ["POST", *["PATCH"] * 4]


def test_the_same_text_writes_nothing(comments, github) -> None:
    comments.put("same", name="eval")
    comments.put("same", name="eval")
    assert github.writes == ["POST"]


def test_somebody_elses_comment_with_our_mark_is_left_alone(comments, github) -> None:
    github.comments.append(github.comment(555, "mallory", "<!-- ratiba-gate:eval -->\nall is well"))
    comments.put("result", name="eval")
    assert [one["body"] for one in github.comments if one["id"] == 555] == ["<!-- ratiba-gate:eval -->\nall is well"]
    assert github.writes == ["POST"]


def test_two_gates_have_a_comment_each(comments, github) -> None:
    comments.put("one", name="eval")
    comments.put("two", name="smoke")
    assert github.writes == ["POST", "POST"]


def test_a_deleted_comment_is_written_anew(comments, github) -> None:
    comments.put("one", name="eval")
    gone = dict(github.comments[-1])
    listed = list(github.comments)

    def comments_without(request: Request) -> Answer:
        if request.method == "PATCH":
            github.comments[:] = [one for one in listed if one["id"] != gone["id"]]
        return GitHub.__call__(github, request)

    with LoopbackServer(comments_without) as server:
        PullRequestComments(api=server.url, token="t0ken", repository="acme/shop", number=7).put("two", name="eval")
    assert github.writes == ["POST", "POST"]


def test_a_late_result_of_an_older_commit_is_not_written(comments, github) -> None:
    github.head = "b" * 40
    with pytest.raises(CommentRefused, match="has moved on from aaaaaaaaaaaa"):
        comments.put("late", name="eval", head=HEAD)
    assert not github.writes


def test_a_comment_whose_answer_was_lost_is_not_written_twice(comments, github) -> None:
    github.lost = [answer({"message": "Bad Gateway"}, 502)]
    assert comments.put("text", name="eval", head=HEAD)
    assert github.writes == ["POST"]


def test_doubles_of_earlier_runs_go_and_the_newest_is_brought_up_to_date(comments, github) -> None:
    for number in (501, 502):
        github.comments.append(github.comment(number, github.login, "<!-- ratiba-gate:eval -->\nolder"))
    assert comments.put("now", name="eval") == "https://github.example/c/502"
    assert github.writes == ["DELETE", "PATCH"]


def test_a_proxy_that_answers_with_a_page_is_no_github(comments, github) -> None:
    github.trouble = [Answer(status=200, body=b"<html>", headers={"content-type": "text/html"})]
    with pytest.raises(CommentRefused, match="is not GitHub's API"):
        comments.put("text", name="eval", head=HEAD)


def test_a_limit_is_waited_for(comments, github, waits) -> None:
    github.trouble = [answer({"message": "secondary rate limit"}, 403, **{"retry-after": "3"}), answer({}, 502)]
    assert comments.put("text", name="eval")
    assert waits[0] == 3
    assert len(waits) == 2


@pytest.mark.parametrize(
    "trouble, words",
    [
        ((403, {"message": "Resource not accessible by integration"}), "403: Resource not accessible"),
        ((422, {"message": "Validation Failed"}), "422: Validation Failed"),
        ((401, {"message": "Bad credentials"}), "401: Bad credentials"),
    ],
)
def test_a_refusal_is_said_and_not_tried_again(comments, github, waits, trouble, words) -> None:
    github.trouble = [answer(trouble[1], trouble[0])]
    with pytest.raises(CommentRefused, match=words):
        comments.put("text", name="eval", head=HEAD)
    assert not waits


def test_a_limit_of_an_hour_is_not_waited_for(comments, github) -> None:
    github.trouble = [answer({"message": "limit"}, 429, **{"retry-after": "3600"})]
    with pytest.raises(CommentRefused, match="429"):
        comments.put("text", name="eval", head=HEAD)


def test_a_long_text_is_cut_and_says_so(comments, github) -> None:
    comments.put("x" * 200_000, name="eval")
    body = github.comments[-1]["body"]
    assert len(body) == 60_000
    assert body.endswith("the rest is in the report.")


def test_a_fork_without_a_token_has_no_comment() -> None:
    env = {"GITHUB_REPOSITORY": "acme/shop", "GITHUB_REF": "refs/pull/7/merge"}
    assert comments_of_environment({**env, "GITHUB_TOKEN": ""}) is None
    found = comments_of_environment({**env, "GITHUB_TOKEN": "t"})
    assert found is not None
    assert (found.number, found.repository, found.api) == (7, "acme/shop", "https://api.github.com")
    assert comments_of_environment({**env, "GITHUB_TOKEN": "t", "GITHUB_REF": "refs/heads/main"}) is None


def test_an_annotation_stays_one_line_whatever_its_text() -> None:
    text = annotation("error", "50 % worse\n::set-output name=x::y\r\n::error::z", title="a:b,c\n::warning::")
    assert "\n" not in text
    assert "\r" not in text
    assert text == (
        "::error title=a%3Ab%2Cc%0A%3A%3Awarning%3A%3A::50 %25 worse%0A::set-output name=x::y%0D%0A::error::z"
    )


def test_a_summary_never_outgrows_what_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_bytes(b"x" * (MAX_SUMMARY - 2000))
    append_summary("å" * 5000, path)
    assert path.stat().st_size <= 1024 * 1024
    assert "cut here" in path.read_text()
