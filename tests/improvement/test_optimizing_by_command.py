"""`optimize` says what is wrong with its words before anything is asked or paid."""

import uuid

import pytest
from django.core.management import CommandError, call_command

from apps.improvement.models import Optimization

pytestmark = pytest.mark.usefixtures("tenant")


def test_an_evaluation_that_is_not_there_is_named_and_nothing_is_stored(tenant):
    missing = str(uuid.uuid4())
    with pytest.raises(CommandError, match=missing) as refused:
        call_command("optimize", evaluation=missing, tenant=tenant)
    assert refused.value.returncode == 2
    assert not Optimization.objects.exists()
