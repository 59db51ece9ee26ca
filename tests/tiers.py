"""Two tiers: `make test` leaves out what starts programs (mark `processes`), `make test-all` runs everything.

A test has the mark by what it uses or by where it stands, so nobody has to think of it. The longest files are begun
first, each by another worker: none of them is left over for one worker alone at the end.
"""

import pytest

# Whoever asks for one of these starts workers, servers, a browser, a pytest or a git of its own.
FIXTURES = frozenset({"chromium", "house", "machine", "scratch_database", "user_project"})
PLACES = (
    "tests/budgets/test_killed_workers.py",
    "tests/docs/test_documents.py",
    "tests/doors/",
    "tests/erasure/test_nodes.py",
    "tests/examples/pega/",
    "tests/journey/",
    "tests/machine/",
    "tests/production/test_phoenix.py",
    "tests/switchboard/test_database_away.py",
    "tests/switchboard/test_wheel.py",
    "tests/tenants/test_upgrade_of_a_dump.py",
)
FIRST = (
    "tests/docs/test_documents.py",
    "tests/tenants/test_upgrade_of_a_dump.py",
    "tests/budgets/test_killed_workers.py",
)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "processes: starts programs of its own; `make test-all` runs it, `make test` not"
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]):
    """Marked before `-m` chooses; put in order once it has."""
    for item in items:
        if item.nodeid.startswith(PLACES) or FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("processes")
    yield
    items[:] = longest_first(items, getattr(config, "workerinput", {}).get("workercount", 1))


def longest_first(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """The longest files begin the parts into which xdist's `worksteal` cuts the list; the rest keeps its order."""
    long = [[item for item in items if item.nodeid.startswith(name)] for name in FIRST]
    rest = [item for item in items if not item.nodeid.startswith(FIRST)]
    parts: list[list[pytest.Item]] = [[item for files in long[at::workers] for item in files] for at in range(workers)]
    left = len(items)
    for at, part in enumerate(parts):
        share = max(left // (workers - at) - len(part), 0)
        part += rest[:share]
        rest, left = rest[share:], left - len(part)
    return [item for part in parts for item in part] + rest
