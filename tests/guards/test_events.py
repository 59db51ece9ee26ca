"""The list of event types holds what is logged, and nothing else."""

import ast

from apps.core.events import EventType
from tests.guards.source import PRODUCT, files, nodes, place


def test_every_event_type_is_logged_somewhere():
    used = {
        node.attr
        for path in files(*PRODUCT)
        if place(path) != "apps/core/events.py"
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "EventType"
    }
    assert {event.name for event in EventType} - used == set(), "log it where it happens, or delete it"
