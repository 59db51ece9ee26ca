"""The part of GitHub's REST API that a pull request's comment needs: shapes as its reference documents them."""

import json
import re
from typing import Any

from tests.loopback.http_server import Answer, Request

HEAD = "a" * 40


class GitHub:
    """One pull request of acme/shop. `trouble` holds answers that come first, `writes` the methods that wrote."""

    def __init__(self, comments: int = 0, *, number: int = 7, head: str = HEAD) -> None:
        self.pull = f"/repos/acme/shop/pulls/{number}"
        self.issue = f"/repos/acme/shop/issues/{number}/comments"
        self.comments = [self.comment(number, "somebody", "hello") for number in range(1, comments + 1)]
        self.trouble: list[Answer] = []
        self.lost: list[Answer] = []  # in place of the answer to a POST that was done
        self.writes: list[str] = []
        self.head = head
        self.login = "github-actions[bot]"

    def comment(self, id: int, login: str, body: str) -> dict[str, Any]:
        return {"id": id, "user": {"login": login}, "body": body, "html_url": f"https://github.example/c/{id}"}

    def __call__(self, request: Request) -> Answer:
        assert request.headers["authorization"] == "Bearer t0ken"
        if self.trouble:
            return self.trouble.pop(0)
        path, _, query = request.path.partition("?")
        if path == "/user":
            return answer({"message": "Resource not accessible by integration"}, 403)
        if path == self.pull:
            return answer({"head": {"sha": self.head}})
        if path == self.issue and request.method == "GET":
            page = int(f"&{query}".rpartition("&page=")[2])
            return answer(self.comments[(page - 1) * 100 : page * 100])
        body = json.loads(request.body)["body"] if request.body else ""
        if path == self.issue:
            self.writes.append("POST")
            self.comments.append(self.comment(len(self.comments) + 1000, self.login, body))
            return self.lost.pop(0) if self.lost else answer(self.comments[-1], 201)
        found = re.fullmatch(r"/repos/acme/shop/issues/comments/(\d+)", path)
        mine = next((one for one in self.comments if found and one["id"] == int(found[1])), None)
        if mine is None:
            return answer({"message": "Not Found"}, 404)
        if request.method == "DELETE":
            self.writes.append("DELETE")
            self.comments.remove(mine)
            return Answer(status=204)
        self.writes.append("PATCH")
        mine["body"] = body
        return answer(mine)


def answer(value: object, status: int = 200, **headers: str) -> Answer:
    return Answer(
        status=status, body=json.dumps(value).encode(), headers={"content-type": "application/json", **headers}
    )
