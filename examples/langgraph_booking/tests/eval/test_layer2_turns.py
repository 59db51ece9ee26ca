"""Layer 2: one real turn on real Postgres, checkpoints in the tenant's schema, model replies from recordings."""

import pytest

pytestmark = pytest.mark.layer2


@pytest.mark.llm_recording("turn_shows_free_times")
def test_a_turn_shows_free_times_and_keeps_its_state(tenant_scoped_eval_environment, eval_tenant, llm_recording):
    reply = tenant_scoped_eval_environment.say("t1", "Any slots on Friday?")
    assert "10:00" in reply
    assert tenant_scoped_eval_environment.state("t1") == "offering"
    with eval_tenant.connect() as connection:
        assert connection.execute("SELECT count(DISTINCT thread_id) FROM checkpoints").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM bookings").fetchone() == (0,)


@pytest.mark.llm_recording("turn_shows_free_times", "other")
def test_two_conversations_of_a_tenant_do_not_meet(tenant_scoped_eval_environment, llm_recording):
    tenant_scoped_eval_environment.say("t2", "Any slots on Friday?")
    assert tenant_scoped_eval_environment.state("t2") == "offering"
    assert tenant_scoped_eval_environment.state("t3") == "greeting"


@pytest.mark.llm_recording("turn_taken_slot")
def test_a_time_that_somebody_holds_is_refused(tenant_scoped_eval_environment, eval_tenant, llm_recording):
    with eval_tenant.connect() as connection:
        connection.execute("UPDATE slots SET taken = true WHERE day = 'friday' AND time = '10:00'")
    tenant_scoped_eval_environment.say("t4", "Any slots on Friday?")
    tenant_scoped_eval_environment.say("t4", "Book friday 10:00 with mpesa 0712345678")
    assert tenant_scoped_eval_environment.state("t4") == "offering"
    with eval_tenant.connect() as connection:
        assert connection.execute("SELECT count(*) FROM payments").fetchone() == (0,)
