"""Two pipelines that bring the same new catalog at once: both succeed, and each row is there once."""

import threading

from django.db import connection

from apps.catalog.files.services.importing import import_catalog_files
from apps.catalog.models import Scenario
from apps.tenants.context import in_tenant
from tests.evaluations.bench import NOW

FILES = {f"{n:02}.yaml": f"id: case-{n:02}\nlanguage: en\nopening: Hello\n" for n in range(20)}
RACERS = 4


def test_the_same_new_scenarios_may_be_brought_in_at_once(committed_db: None) -> None:
    start, failures = threading.Barrier(RACERS), list[BaseException]()

    def bring() -> None:
        start.wait(30)
        try:
            with in_tenant("acme"):
                import_catalog_files(files=FILES, at=NOW)
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    pipelines = [threading.Thread(target=bring) for _ in range(RACERS)]
    for one in pipelines:
        one.start()
    for one in pipelines:
        one.join(60)
    assert not failures
    with in_tenant("acme"):
        assert Scenario.objects.filter(slug__startswith="case-").count() == len(FILES)
