"""The tenant's pass mark counts for criteria that a version gives none, from its publishing on."""

import pytest

from apps.catalog.configs.queries.versions import resolve_config
from apps.catalog.configs.services.versions import create_draft, publish
from apps.catalog.models import Criterion
from apps.tenants import services
from tests.catalog.samples import GUIDE
from tests.evaluations.bench import NOW


@pytest.mark.parametrize("tenants_own, expected", [(None, [6.0, 8.0]), (7.5, [7.5, 8.0])])
def test_a_published_version_has_the_tenants_pass_mark_where_it_names_none(tenant, tenants_own, expected):
    if tenants_own is not None:
        services.update_workflow_config(slug=tenant, changes={"pass_mark": tenants_own})
    for name in ("first", "second"):
        texts = {"en": {"description": "Is it good?", "scoring_guide": dict(GUIDE)}}
        Criterion.objects.create(name=name, kind="domain", texts=texts)
    content = {"criteria": {"core": [], "domain": ["first", "second"]}, "pass_marks": {"second": 8}}
    publish(version_id=create_draft(config="marks", content=content), at=NOW, by="tests")
    assert [one.pass_mark for one in resolve_config("marks").criteria] == expected
    services.update_workflow_config(slug=tenant, changes={"pass_mark": 1})
    assert [one.pass_mark for one in resolve_config("marks").criteria] == expected  # published is published
