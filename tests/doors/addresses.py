"""Every address the two resolvers know, from the resolvers themselves."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, get_resolver

RESOLVERS = {"tenant": "ratiba_eval.urls", "public": "ratiba_eval.urls_public"}
APP_LIST = re.compile(r"^admin/\^\(\?P<app_label>([\w|]+)\)/\$$")
REST = "admin/(?P<url>.*)$"


@dataclass(frozen=True, slots=True)
class Address:
    """`route` is as the resolver writes it; `model` is `room.table` of an admin page, `page` which of its pages."""

    host: str
    route: str
    name: str
    model: str = ""
    page: str = ""

    def __str__(self) -> str:
        return f"{self.host} /{self.route}"


def all_addresses() -> list[Address]:
    """In the resolvers' order; the list of each room of the admin is an address of its own."""
    return [
        address
        for host, urlconf in RESOLVERS.items()
        for route, pattern in _walk(get_resolver(urlconf).url_patterns)
        for address in _addresses(host, route, pattern.name or "")
    ]


def _walk(patterns: Any, before: str = "") -> Iterator[tuple[str, URLPattern]]:
    for one in patterns:
        route = before + str(one.pattern)
        if isinstance(one, URLPattern):
            yield route, one
        else:
            yield from _walk(one.url_patterns, route)


def _addresses(host: str, route: str, name: str) -> Iterator[Address]:
    rooms = APP_LIST.match(route)
    of_a_model = re.match(r"admin/(\w+)/(\w+)/", route)
    if rooms:
        yield from (Address(host, f"admin/{room}/", name) for room in rooms[1].split("|"))
    elif of_a_model and not route.startswith(("admin/r/", "admin/password_change/")):
        page = name.removeprefix(f"{of_a_model[1]}_{of_a_model[2]}_") if name else "short"
        yield Address(host, route, name, f"{of_a_model[1]}.{of_a_model[2]}", page)
    else:
        yield Address(host, route, name)
