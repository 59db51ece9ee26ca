"""The state of an agent that limits us, is slow or is down."""

from django.db import models


class AgentThrottle(models.Model):
    """Load that an agent takes, as all workers know it: one row an agent, made when it is first needed.

    `next_start_at`: no conversation begins before (the stagger). `at_once`: conversations in flight while the agent is
    spared (None: as many as its limits allow); `usual_latency_s` is what that is measured by. `resumes_at`: nothing is
    sent before, the agent said so (429), and has answered nothing else since `limited_since`. `failures` turns in a row
    were not answered; while `down_since` is set, one conversation at a time is tried from `probe_at` on.
    `runner_seen_at`: when a runner last asked for its turns.
    """

    agent = models.OneToOneField(
        "catalog.Agent", primary_key=True, on_delete=models.CASCADE, related_name="throttle", db_index=False
    )
    next_start_at = models.DateTimeField(null=True)
    at_once = models.PositiveIntegerField(null=True)
    usual_latency_s = models.FloatField(null=True)
    resumes_at = models.DateTimeField(null=True)
    limited_since = models.DateTimeField(null=True)
    failures = models.PositiveIntegerField(default=0)
    down_since = models.DateTimeField(null=True)
    probe_at = models.DateTimeField(null=True)
    last_error = models.CharField(max_length=300, blank=True)
    runner_seen_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()  # it is shown with the agent's runs

    def __str__(self) -> str:
        return f"throttle of {self.agent_id}"
